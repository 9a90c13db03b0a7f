//! The games and problems that a client sees, against games that are known completely.

use kalah::{BySide, Game, House, Move, Position, Side};
use kalah_kgp::{KgpBoard, ObservedResult, SessionEvent, SessionObserver};

use super::{board, line, start};

/// Plays games of a client on a server and shows their lines to an observer.
struct ObservedServer {
    observer: SessionObserver,
    events: Vec<SessionEvent>,
    next_state: u64,
}

/// A linear congruential generator, as the games need no better one.
struct Moves(u64);

impl Moves {
    fn next(&mut self, position: &Position) -> Move {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let moves: Vec<Move> = position.legal_moves().collect();
        let index = usize::try_from(self.0 >> 33).expect("64 bits") % moves.len();
        moves[index]
    }
}

fn majority(position: &Position) -> Option<Side> {
    let half = position.total().get() / 2;
    let mut sides = Side::ALL.into_iter();
    sides.find(|&side| position.store(side).get() > half)
}

impl ObservedServer {
    fn new() -> Self {
        Self {
            observer: SessionObserver::default(),
            events: Vec::new(),
            next_state: 8,
        }
    }

    fn receive(&mut self, text: &str) {
        let events = self.observer.handle_received(&line(text));
        self.events.extend(events);
    }

    fn send(&mut self, text: &str) {
        let events = self.observer.handle_sent(&line(text));
        self.events.extend(events);
    }

    /// Sends a state and the answer to it.
    fn request(&mut self, position: &Position, house: House) {
        let state = self.next_state;
        self.next_state += 2;
        let board = KgpBoard::from(position);
        self.receive(&format!("{state} state {board}"));
        self.send(&format!("1@{state} move 1"));
        self.send(&format!("3@{state} move {house}"));
        self.send(&format!("5@{state} yield"));
        self.receive(&format!("{}@{state} stop", self.next_state));
    }

    /// Plays a game to its end as a server does. Returns the winner and the stores; `None` if the
    /// client never had a choice.
    fn play(
        &mut self,
        start: Position,
        client: Side,
        moves: &mut Moves,
    ) -> Option<(Option<Side>, BySide<u32>)> {
        let mut game = Game::new(start);
        let mut had_choice = false;
        while !game.position().is_over() && majority(game.position()).is_none() {
            let position = game.position().clone();
            let mv = moves.next(&position);
            if position.to_move() == client && position.only_move().is_none() {
                let Move::Sow(house) = mv else {
                    panic!("no swap")
                };
                self.request(&position, house);
                had_choice = true;
            }
            game.play(mv).expect("a legal move");
        }
        let position = game.position();
        let winner = match position.outcome() {
            Some(outcome) => outcome.winner(),
            None => majority(position),
        };
        let stores = BySide::from_fn(|side| u32::from(position.store(side)));
        had_choice.then_some((winner, stores))
    }
}

fn has_ended(event: &SessionEvent) -> Option<(u64, ObservedResult, Option<BySide<u32>>)> {
    match event {
        SessionEvent::GameEnded {
            game,
            result,
            stores,
        } => {
            let stores = stores.map(|stores| BySide::from_fn(|side| u32::from(stores[side])));
            Some((*game, *result, stores))
        }
        _ => None,
    }
}

#[test]
fn results_agree_with_the_games_of_a_server() {
    let mut server = ObservedServer::new();
    let mut moves = Moves(7);
    let mut expected = Vec::new();
    for number in 0..200_u64 {
        let (houses, seeds) =
            [(3, 2), (4, 3), (6, 4), (8, 8)][usize::try_from(number % 4).expect("small")];
        let client = Side::ALL[usize::try_from(number / 4 % 2).expect("small")];
        let played = server.play(start(houses, seeds), client, &mut moves);
        expected.extend(played.map(|(winner, stores)| (client, winner, stores)));
    }
    let last = server.observer.end_waiting_games();
    server.events.extend(last);
    let starts = server
        .events
        .iter()
        .filter(|event| matches!(event, SessionEvent::GameStarted { .. }));
    assert_eq!(starts.count(), expected.len());
    let ends: Vec<_> = server.events.iter().filter_map(has_ended).collect();
    assert_eq!(ends.len(), expected.len());
    let (mut known, mut with_stores) = (0, 0);
    for ((number, (game, result, stores)), (client, winner, played)) in
        (1..).zip(&ends).zip(&expected)
    {
        assert_eq!(*game, number);
        let true_result = match winner {
            Some(side) if side == client => ObservedResult::Won,
            Some(_) => ObservedResult::Lost,
            None => ObservedResult::Tied,
        };
        if *result != ObservedResult::Unknown {
            known += 1;
            assert_eq!(*result, true_result, "game {game}");
        }
        if let Some(stores) = stores {
            with_stores += 1;
            let own_first = if *client == Side::South {
                *played
            } else {
                played.swapped()
            };
            assert_eq!(*stores, own_first, "game {game}");
        }
    }
    assert!(known * 10 > ends.len() * 8, "{known} of {}", ends.len());
    assert!(
        with_stores * 2 > ends.len(),
        "{with_stores} of {}",
        ends.len()
    );
}

#[test]
fn end_by_forced_moves_is_reported_when_the_server_stops() {
    let mut server = ObservedServer::new();
    server.receive("2 state <2,3,2,0,1,0,1>");
    server.send("4@2 move 2");
    server.receive("6@2 stop");
    let ends: Vec<_> = server.events.iter().filter_map(has_ended).collect();
    let stores = BySide::new(4, 3);
    assert_eq!(ends, [(1, ObservedResult::Won, Some(stores))]);
}

#[test]
fn announced_games_have_their_names_and_may_run_at_the_same_time() {
    let mut server = ObservedServer::new();
    for text in [
        "2 set game:id \"a1\"",
        "4 set game:opponent \"Bart \\\"El\\\" Barto\"",
        "6 state <3,0,0,2,2,2,2,2,2>",
        "8 set game:id b2",
        "10 state <3,0,0,2,2,2,2,2,2>",
        "12 set game:id \"a1\"",
        "14 state <3,2,0,2,0,3,0,1,4>",
        "16 set game:id \"\"",
        "18 set game:opponent \"\"",
        "20 state <3,0,1,2,2,2,2,0,3>",
    ] {
        server.receive(text);
    }
    let started = server.events.iter().map(|event| match event {
        SessionEvent::GameStarted {
            game,
            moves_first,
            id,
            opponent,
            ..
        } => {
            let text =
                |text: &Option<kalah_kgp::Text>| text.as_ref().map(|text| text.as_str().to_owned());
            (*game, *moves_first, text(id), text(opponent))
        }
        other => panic!("{other:?}"),
    });
    let bart = || Some("Bart \"El\" Barto".to_owned());
    assert_eq!(
        started.collect::<Vec<_>>(),
        [
            (1, true, Some("a1".to_owned()), bart()),
            (2, true, Some("b2".to_owned()), bart()),
            (3, false, None, None),
        ]
    );
    let ends = server.observer.finish_session();
    let ends: Vec<_> = ends.iter().filter_map(has_ended).collect();
    assert_eq!(
        ends,
        [1, 2, 3].map(|game| (game, ObservedResult::Unknown, None))
    );
    // The next connection goes on with the numbers.
    server.receive("6 state <3,0,0,2,2,2,2,2,2>");
    let last = server.events.last();
    assert!(matches!(
        last,
        Some(SessionEvent::GameStarted {
            game: 4,
            id: None,
            ..
        })
    ));
}

#[test]
fn game_goes_on_after_a_move_that_the_server_has_replaced() {
    let mut server = ObservedServer::new();
    server.receive("8 state <3,0,0,2,2,2,2,2,2>");
    server.send("1@8 move 2");
    server.send("3@8 yield");
    // The server has played house 3, and then North its house 3.
    server.receive("10 state <3,1,1,3,2,0,3,2,0>");
    assert_eq!(server.events.len(), 1, "{:?}", server.events);
}

#[test]
fn game_is_unfinished_while_the_opponent_cannot_end_it() {
    let mut server = ObservedServer::new();
    assert!(!server.observer.has_unfinished_game());
    server.receive("8 state <3,0,0,2,2,2,2,2,2>");
    assert!(!server.observer.has_unfinished_game());
    server.send("1@8 move 1");
    server.receive("10@8 stop");
    assert!(server.observer.has_unfinished_game());
    // North's only move ends the game.
    server.receive("12 state <3,3,3,1,2,0,0,0,3>");
    server.send("3@12 move 1");
    server.receive("14@12 stop");
    assert!(!server.observer.has_unfinished_game());
}

#[test]
fn problems_are_reported_with_their_verdicts() {
    let mut server = ObservedServer::new();
    server.receive("8 problem <3,0,0,2,2,2,2,2,2> 1");
    server.send("3@8 solution <3,1,0,2,0,3,2,2,2> true");
    server.send("5@8 solution <3,1,0,2,0,3,2,2,2> true");
    server.receive("10@3 ok");
    server.receive("12@3 ok");
    server.receive("14 problem <3,0,0,2,2,2,2,2,2> 0");
    server.send("7@14 solution <3,0,0,0,3,3,2,2,2> false");
    server.receive("16@7 error \"wrong\"");
    let [
        SessionEvent::ProblemSolved {
            problem: 1,
            board: before,
            house,
            solution,
        },
        SessionEvent::SolutionJudged {
            problem: 1,
            is_correct: true,
        },
        SessionEvent::ProblemSolved { problem: 2, .. },
        SessionEvent::SolutionJudged {
            problem: 2,
            is_correct: false,
        },
    ] = server.events.as_slice()
    else {
        panic!("{:?}", server.events)
    };
    assert_eq!(*before, board("3x2"));
    assert_eq!(house.number(), 2);
    assert!(solution.bonus_turn);
}

#[test]
fn number_of_games_is_limited() {
    let mut server = ObservedServer::new();
    for number in 0..1000 {
        server.receive(&format!("{} state <3,0,0,2,2,2,2,2,2>", 8 + 2 * number));
    }
    assert_eq!(server.observer.finish_session().len(), 64);
    assert_eq!(
        server.events.iter().filter_map(has_ended).count(),
        1000 - 64
    );
}
