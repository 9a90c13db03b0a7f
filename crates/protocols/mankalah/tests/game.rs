//! `ManKalah`: lines, the two ends of a game, and whole games through text.

use kalah::{BySide, FirstPlies, House, Move, Position, Rules, Setup, Side, Termination};
use kalah_mankalah::{
    Agent, AgentAction, AgentError, AgentMessage, Host, HostError, MAX_LINE_CHARS,
    MankalahEngineMessage,
};
use proptest::prelude::*;

fn engine(text: &str) -> MankalahEngineMessage {
    text.parse().expect(text)
}

fn sow(number: u32) -> Move {
    Move::Sow(House::new(number).expect("from 1 to 26"))
}

#[test]
fn lines_round_trip() {
    for text in [
        "START;North",
        "START;South",
        "CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU",
        "CHANGE;SWAP;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP",
        "CHANGE;7;0,0,0,0,0,0,0,50,0,0,0,0,0,0,0,48;END",
        "CHANGE;26;0,1,2,3;END",
        "END",
    ] {
        assert_eq!(engine(text).to_string(), text);
        assert_eq!(engine(&format!("{text}\r\n")), engine(text));
    }
    for (text, mv) in [
        ("MOVE;1", sow(1)),
        ("MOVE;26", sow(26)),
        ("SWAP", Move::Swap),
    ] {
        assert_eq!(text.parse(), Ok(AgentMessage(mv)));
        assert_eq!(format!("{text}\n").parse(), Ok(AgentMessage(mv)));
        assert_eq!(AgentMessage(mv).to_string(), text);
    }
}

#[test]
fn numbers_of_agents_are_those_of_java() {
    for (text, number) in [
        ("MOVE;+6", Some(6)),
        ("MOVE;+6\n", Some(6)),
        ("MOVE;006", Some(6)),
        ("MOVE;+06", Some(6)),
        ("MOVE;6\r", None),
        ("MOVE;6\r\n", None),
        ("SWAP\r\n", None),
        ("MOVE;++6", None),
        ("MOVE;+-6", None),
        ("MOVE;+", None),
        ("MOVE;6 ", None),
        (" MOVE;6", None),
    ] {
        let message = number.map(|number| AgentMessage(sow(number)));
        assert_eq!(text.parse().ok(), message, "{text:?}");
    }
    let error = "MOVE;6\r\n".parse::<AgentMessage>().expect_err("a CR");
    assert!(
        error
            .to_string()
            .starts_with(r"`MOVE;6\r` is not an agent message"),
        "{error}"
    );
}

#[test]
fn deviating_lines_are_refused_and_quoted() {
    for text in [
        "",
        "start;South",
        "START;south",
        "START; South",
        "START",
        "END ",
        " END",
        "END;END",
        "CHANGE;1;0,1,2,3;you",
        "CHANGE;0;0,1,2,3;YOU",
        "CHANGE;+1;0,1,2,3;YOU",
        "CHANGE;27;0,1,2,3;YOU",
        "CHANGE;swap;0,1,2,3;YOU",
        "CHANGE;1;0,1,2,3;YOU;",
        "CHANGE;1;0,1,2,3",
    ] {
        let error = text
            .parse::<MankalahEngineMessage>()
            .expect_err(text)
            .to_string();
        let beginning = format!("`{text}` is not an engine message: expected START;South");
        assert!(error.starts_with(&beginning), "{error}");
    }
    for board in [
        "", "1", "1,2", "0,1,2", "0,1,2,x", "0,1,2,-3", "0, 1,2,3", "0,1,2,+3",
    ] {
        let text = format!("CHANGE;1;{board};YOU");
        let error = text
            .parse::<MankalahEngineMessage>()
            .expect_err(board)
            .to_string();
        assert!(
            error.starts_with(&format!("`{board}` is not a board")),
            "{error}"
        );
    }
    for text in [
        "",
        "MOVE",
        "MOVE;",
        "MOVE;0",
        "MOVE;27",
        "MOVE;x",
        "MOVE; 1",
        "move;1",
        "MOVE;SWAP",
        "MOVE;1;",
        "MOVE;-1",
        "SWAP;",
        "swap",
        "MOVE;1\n\n",
    ] {
        assert!(text.parse::<AgentMessage>().is_err(), "{text:?}");
    }
    let long = "x".repeat(MAX_LINE_CHARS + 1);
    let error = long.parse::<AgentMessage>().expect_err("long").to_string();
    assert!(
        error.ends_with("x...`: a line has 16384 characters at most"),
        "{error}"
    );
}

#[test]
fn an_agent_follows_the_swap_of_its_opponent() {
    let mut agent = Agent::default();
    let start = Position::start(7, 7, Rules::MANKALAH).expect("it fits");
    assert_eq!(
        agent.handle_message(&engine("START;South")),
        Ok(AgentAction::ChooseMove(start))
    );
    assert_eq!(agent.play(sow(1)).to_string(), "MOVE;1");
    let own = engine("CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP");
    assert_eq!(agent.handle_message(&own), Ok(AgentAction::Wait));
    let swap = engine("CHANGE;SWAP;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU");
    let Ok(AgentAction::ChooseMove(position)) = agent.handle_message(&swap) else {
        panic!("expected a position");
    };
    assert_eq!(agent.side(), Some(Side::North));
    let text = "<7,1,0,0,8,8,8,8,8,8,7,7,7,7,7,7,7> n";
    let expected: Setup = text.parse().expect("a position");
    assert_eq!(
        position,
        expected.position(Rules::MANKALAH).expect("it fits")
    );
    assert!(!position.can_swap());
}

#[test]
fn an_agent_applies_its_own_swap_at_once() {
    let mut agent = Agent::default();
    assert_eq!(
        agent.handle_message(&engine("START;North")),
        Ok(AgentAction::Wait)
    );
    let first = engine("CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU");
    let Ok(AgentAction::ChooseMove(position)) = agent.handle_message(&first) else {
        panic!("expected a position");
    };
    assert_eq!(position.first_plies(), FirstPlies::PlyTwo);
    assert!(position.can_swap());
    assert_eq!(agent.play(Move::Swap).to_string(), "SWAP");
    assert_eq!(agent.side(), Some(Side::South));
    let next = engine("CHANGE;1;0,8,8,8,8,8,8,1,0,8,8,8,8,8,8,1;YOU");
    let Ok(AgentAction::ChooseMove(position)) = agent.handle_message(&next) else {
        panic!("expected a position");
    };
    assert_eq!(position.to_move(), Side::South);
    assert!(!position.can_swap());
}

#[test]
fn an_agent_exits_at_every_end() {
    for lines in [
        &["END"][..],
        &["START;South", "END"],
        &[
            "START;North",
            "CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU",
            "END",
        ],
        &[
            "START;North",
            "CHANGE;1;0,0,0,0,0,0,0,50,0,0,0,0,0,0,0,48;END",
            "END",
        ],
        // An engine that asks for a move after the end.
        &[
            "START;North",
            "CHANGE;1;0,0,0,0,0,0,0,50,0,0,0,0,0,0,0,48;YOU",
            "END",
        ],
    ] {
        let mut agent = Agent::default();
        let actions: Vec<AgentAction> = lines
            .iter()
            .map(|line| agent.handle_message(&engine(line)).expect("valid"))
            .collect();
        assert_eq!(actions.last(), Some(&AgentAction::Exit), "{lines:?}");
    }
    let over = engine("CHANGE;1;0,0,0,0,0,0,0,50,0,0,0,0,0,0,0,48;END");
    let mut agent = Agent::default();
    assert_eq!(agent.handle_message(&over), Err(AgentError::NotStarted));
    agent
        .handle_message(&engine("START;North"))
        .expect("a start");
    assert_eq!(agent.handle_message(&over), Ok(AgentAction::Wait));
    // A new game.
    assert!(matches!(
        agent.handle_message(&engine("START;South")),
        Ok(AgentAction::ChooseMove(_))
    ));
}

#[test]
fn an_unplayable_board_is_refused_and_changes_nothing() {
    let mut agent = Agent::default();
    agent
        .handle_message(&engine("START;North"))
        .expect("a start");
    let full = engine("CHANGE;SWAP;65535,65535,65535,65535;YOU");
    let error = agent.handle_message(&full).expect_err("too many seeds");
    assert_eq!(
        error.to_string(),
        "the board cannot be played: 262140 seeds are too many: at most 65535 can be played, \
         stores included"
    );
    assert_eq!(agent.side(), Some(Side::North));
}

#[test]
fn an_illegal_move_loses_and_the_first_ending_stays() {
    let mut host = Host::default();
    let error = host
        .handle_message(AgentMessage(Move::Swap))
        .expect_err("ply 1");
    assert!(matches!(error, HostError::Illegal(_)));
    assert_eq!(host.winner(), Some(Side::North));
    assert_eq!(host.agent_to_move(), None);
    assert_eq!(
        host.handle_message(AgentMessage(sow(1))),
        Err(HostError::GameOver)
    );
    let ending = host.forfeit(Side::North, Termination::Time);
    assert_eq!(ending.termination, Termination::Illegal);

    // After a swap the agents play the other sides.
    let mut host = Host::default();
    host.handle_message(AgentMessage(sow(2))).expect("legal");
    host.handle_message(AgentMessage(Move::Swap))
        .expect("legal");
    assert_eq!(host.agent_to_move(), Some(Side::South));
    let ending = host.forfeit(Side::South, Termination::Crash);
    assert_eq!(ending.winner, Some(Side::South));
    assert_eq!(host.winner(), Some(Side::North));
}

/// Plays a game between two agents through text alone. Each number selects a legal move.
fn play(start: &Position, numbers: &[usize]) -> Result<(), TestCaseError> {
    let mut host = Host::new(start.clone());
    let mut agents = BySide::from_fn(|_| Agent::new(start.clone()));
    let mut requests = BySide::from_fn(|_| None);
    for side in Side::ALL {
        let message = host.start_messages()[side]
            .to_string()
            .parse()
            .expect("a start");
        if let AgentAction::ChooseMove(position) =
            agents[side].handle_message(&message).expect("a start")
        {
            requests[side] = Some(position);
        }
    }
    let mut numbers = numbers.iter().cycle();
    while let Some(agent) = host.agent_to_move() {
        let position = requests[agent].take().expect("the agent has a request");
        prop_assert_eq!(&position, host.game().position());
        prop_assert!(requests[agent.opponent()].is_none());
        let moves: Vec<Move> = position.legal_moves().collect();
        let mv = moves[numbers.next().expect("a cycle is endless") % moves.len()];
        let answer = agents[agent].play(mv).to_string();
        let messages = host
            .handle_message(answer.parse().expect("an answer"))
            .expect("legal");
        for side in Side::ALL {
            if let Some(message) = &messages[side] {
                let message = message.to_string().parse().expect("a message");
                if let AgentAction::ChooseMove(position) =
                    agents[side].handle_message(&message).expect("valid")
                {
                    requests[side] = Some(position);
                }
            }
        }
    }
    prop_assert!(host.game().outcome().is_some());
    let ending = host.ending().expect("it has ended");
    prop_assert_eq!(ending.termination, Termination::Normal);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn host_and_agents_agree_on_every_position(
        houses in 1..=9_u8,
        seeds in 1..=9_u64,
        numbers in proptest::collection::vec(0..100_usize, 1..50),
    ) {
        play(&Position::start(houses, seeds, Rules::MANKALAH).expect("it fits"), &numbers)?;
    }

    #[test]
    fn arbitrary_lines_are_parsed_or_refused(
        text in "[A-Z;0-9,a-z \r\n-]{0,60}|\\PC{0,40}|\
                (CHANGE|MOVE|START|END|SWAP)\
                (;(SWAP|YOU|OPP|END|North|South|[0-9]{1,4}|[0-9,]{1,20})){0,5}",
    ) {
        match text.parse::<MankalahEngineMessage>() {
            Ok(message) => {
                prop_assert_eq!(message.to_string().parse(), Ok(message.clone()));
                let mut agent = Agent::default();
                let is_change = matches!(message, MankalahEngineMessage::Change { .. });
                prop_assert_eq!(agent.handle_message(&message).is_err(), is_change);
                let start = MankalahEngineMessage::Start(Side::North);
                prop_assert_eq!(agent.handle_message(&start), Ok(AgentAction::Wait));
                if let Ok(AgentAction::ChooseMove(position)) = agent.handle_message(&message) {
                    prop_assert!(!position.is_over());
                }
            }
            Err(error) => prop_assert!(error.to_string().len() < 1000),
        }
        if let Ok(message) = text.parse::<AgentMessage>() {
            prop_assert_eq!(message.to_string().parse(), Ok(message));
        }
    }
}
