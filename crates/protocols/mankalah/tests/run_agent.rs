//! The loop of an agent, with text as its input and output and a clock of its own.

use std::cell::Cell;
use std::io::Cursor;
use std::iter;
use std::time::Duration;

use kalah::{Move, Position, Rules};
use kalah_mankalah::{AgentPlayer, AgentTime, HOUSES, RunAgentError, SEEDS, run_agent};
use kalah_players::MAX_LINE_BYTES;

/// A player that takes a fixed time for its first legal move, and fails without one.
struct FirstMove<'a> {
    now: &'a Cell<Duration>,
    time: Duration,
    limits: Vec<Duration>,
    ignored: Vec<String>,
}

impl AgentPlayer for FirstMove<'_> {
    type Error = &'static str;

    fn choose_move(
        &mut self,
        position: &Position,
        limit: Duration,
    ) -> Result<Option<Move>, Self::Error> {
        self.limits.push(limit);
        self.now.set(self.now.get() + self.time);
        let mv = position.legal_moves().find(|&mv| mv != Move::Swap);
        mv.map(Some).ok_or("no move")
    }

    fn line_ignored(&mut self, reason: &str) {
        self.ignored.push(reason.to_owned());
    }
}

/// The limits of the moves, the ignored lines and the output of an agent with these lines.
struct AgentRun {
    limits: Vec<Duration>,
    ignored: Vec<String>,
    output: String,
}

/// Runs an agent with 5 s for a move and 100 s for a game, whose player takes `time` for a move.
fn run(lines: &[u8], time: Duration) -> AgentRun {
    let now = Cell::new(Duration::ZERO);
    let mut player = FirstMove {
        now: &now,
        time,
        limits: Vec::new(),
        ignored: Vec::new(),
    };
    let start = Position::start(HOUSES, SEEDS, Rules::MANKALAH).expect("a start");
    let agent_time = AgentTime {
        per_move: Duration::from_secs(5),
        per_game: Duration::from_secs(100),
    };
    let mut output = Vec::new();
    let result = run_agent(
        start,
        agent_time,
        &mut player,
        &|| now.get(),
        &mut Cursor::new(lines),
        &mut output,
    );
    assert!(result.is_ok(), "{result:?}");
    AgentRun {
        limits: player.limits,
        ignored: player.ignored,
        output: String::from_utf8(output).expect("UTF-8"),
    }
}

#[test]
fn move_takes_at_most_a_part_of_the_time_that_is_left_for_the_game() {
    let lines = b"START;South\n\
        CHANGE;2;1,1,1,1,1,1,1,0,1,1,1,1,1,1,1,0;YOU\n\
        START;South\nEND\nSTART;South\n";
    let seconds = Duration::from_secs;
    let AgentRun { limits, output, .. } = run(lines, seconds(40));
    // A twentieth of 100 s, of 60 s, and of a new game.
    assert_eq!(limits, [seconds(5), seconds(3), seconds(5)]);
    assert_eq!(output, "MOVE;1\nMOVE;1\nMOVE;1\n");
}

#[test]
fn invalid_lines_are_ignored_with_a_reason() {
    let mut lines = b"HELLO\nCHANGE;1;1,1,1,1;YOU\n\xff\n".to_vec();
    lines.extend(iter::repeat_n(b'x', MAX_LINE_BYTES + 1));
    lines.extend(b"\nSTART;North\nEND\nSTART;South\n");
    let AgentRun {
        ignored, output, ..
    } = run(&lines, Duration::ZERO);
    assert_eq!(ignored.len(), 4, "{ignored:?}");
    assert_eq!(
        ignored[1..],
        [
            "`CHANGE;1;1,1,1,1;YOU`: a change came before the start of a game",
            "`\u{fffd}` is not an engine message: expected START;South, START;North, \
             CHANGE;<1..n|SWAP>;<board>;<YOU|OPP|END> or END",
            "a line was ignored: it is too long",
        ]
    );
    assert_eq!(output, "");
}

#[test]
fn error_of_the_player_ends_the_agent() {
    struct Failing;
    impl AgentPlayer for Failing {
        type Error = &'static str;

        fn choose_move(
            &mut self,
            _position: &Position,
            _limit: Duration,
        ) -> Result<Option<Move>, Self::Error> {
            Err("no tables")
        }

        fn line_ignored(&mut self, reason: &str) {
            panic!("{reason}");
        }
    }
    let start = Position::start(HOUSES, SEEDS, Rules::MANKALAH).expect("a start");
    let time = AgentTime {
        per_move: Duration::MAX,
        per_game: Duration::MAX,
    };
    let result = run_agent(
        start,
        time,
        &mut Failing,
        &|| Duration::ZERO,
        &mut &b"START;South\nSTART;South\n"[..],
        &mut Vec::new(),
    );
    assert!(
        matches!(result, Err(RunAgentError::Player("no tables"))),
        "{result:?}"
    );
}
