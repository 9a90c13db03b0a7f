//! The text form of every message, and every reason to refuse a line.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use kalah_uki::{EngineMessage, HostMessage, ParseUkiError};

/// Checks that each line is parsed and written as the second text; an empty text stands for the
/// line itself.
fn assert_written_as<M>(lines: &[(&str, &str)])
where
    M: FromStr<Err = ParseUkiError> + Display + PartialEq + Debug,
{
    for &(line, written) in lines {
        let message: M = match line.parse() {
            Ok(message) => message,
            Err(error) => panic!("{line:?}: {error}"),
        };
        let written = if written.is_empty() { line } else { written };
        assert_eq!(message.to_string(), written, "{line:?}");
        assert_eq!(written.parse(), Ok(message), "{line:?}");
    }
}

/// Checks that each line is refused with the second text as its reason.
fn assert_refused_as<M: FromStr<Err = ParseUkiError> + Debug>(lines: &[(&str, &str)]) {
    for &(line, reason) in lines {
        let error = line.parse::<M>().expect_err(line);
        assert_eq!(error.to_string(), reason, "{line:?}");
    }
}

#[test]
fn host_messages_are_parsed_and_written() {
    assert_written_as::<HostMessage>(&[
        ("uki", ""),
        (" \tuki \r", "uki"),
        ("isready", ""),
        ("newgame", ""),
        ("stop\r\n", "stop"),
        ("quit", ""),
        ("setoption name Threads value 2", ""),
        ("setoption name Clear", ""),
        ("setoption name Tables value", ""),
        (
            "setoption name Tables value a  b\t",
            "setoption name Tables value a b",
        ),
        ("position startpos 6x4 rules cs32", ""),
        ("position startpos 6x4", "position startpos 6x4 rules cs32"),
        ("position startpos 1x0 rules standard", ""),
        ("position <3,1,0,2,2,0,2,2,3> n rules standard", ""),
        (
            "position < 3, 1,0,2,2,0, 2,2,3 >\tn",
            "position <3,1,0,2,2,0,2,2,3> n rules cs32",
        ),
        (
            "position <3,0,0,2,2,2,2,2,2>",
            "position startpos 3x2 rules cs32",
        ),
        (
            "position <3,0,0,2,2,2,2,2,2> n",
            "position <3,0,0,2,2,2,2,2,2> n rules cs32",
        ),
        ("position startpos 6x4 rules mankalah moves A swap b", ""),
        (
            "position <3,0,0,2,2,2,2,2,2> n ply=2 rules mankalah moves swap a",
            "",
        ),
        (
            "position <3,0,0,2,2,2,2,2,2> s rules mankalah",
            "position <3,0,0,2,2,2,2,2,2> s rules mankalah",
        ),
        (
            "position startpos 6x4 moves CF  b",
            "position startpos 6x4 rules cs32 moves C F b",
        ),
        (
            "position startpos 2x2 rules ends=row,capture=always,swap=no,first-bonus=yes moves A",
            "position startpos 2x2 rules empty-capture moves A",
        ),
        (
            "position startpos 2x2 rules ends=stuck,capture=always,swap=no,first-bonus=yes",
            "",
        ),
        (
            "position startpos 6x4 rules cs32 moves",
            "position startpos 6x4 rules cs32",
        ),
        ("go", ""),
        ("go movetime 100", ""),
        ("uki uki", "uki"),
        ("stop it", "stop"),
        ("ponderhit", ""),
        ("go fast depth 4 mate 3", "go depth 4"),
        ("go ponder movetime 5", "go movetime 5 ponder"),
        ("go depth 4 searchmoves C A", ""),
        ("go searchmoves b swap", ""),
        ("go nodes 1000 depth 4", ""),
        ("go depth 4 nodes 1000", "go nodes 1000 depth 4"),
        ("go stime 1000 ntime 2000", ""),
        (
            "go ninc 5 sinc 4 ntime 2000 stime 1000",
            "go stime 1000 ntime 2000 sinc 4 ninc 5",
        ),
        (
            "go stime -20 ntime 2000 ninc 7",
            "go stime 0 ntime 2000 ninc 7",
        ),
        ("go infinite", ""),
    ]);
}

#[test]
fn engine_messages_are_parsed_and_written() {
    assert_written_as::<EngineMessage>(&[
        ("id name Kalah 0.1.0", ""),
        ("id author\tanother  person\r", "id author another person"),
        ("id name", ""),
        ("option name Threads type spin default 1 min 1 max 256", ""),
        (
            "option name Threads type spin min 1 max 256 default 1",
            "option name Threads type spin default 1 min 1 max 256",
        ),
        ("option name Ponder type check default false", ""),
        (
            "option name Style type combo default calm var calm var wild",
            "",
        ),
        ("option name Tables type string default", ""),
        ("option name Tables type string default a folder", ""),
        ("option name Clear type button", ""),
        (
            "option name X type button default 3",
            "option name X type button",
        ),
        ("ukiok", ""),
        ("readyok ", "readyok"),
        (
            "info depth 4 nodes 1000 nps 500000 time 2 score gain -3 line C F b swap",
            "",
        ),
        (
            "info score exact 8 currmove A line CF b seldepth",
            "info score exact +8 line C F b s e l d e p t h",
        ),
        ("info tbhits 3 time 0", "info time 0"),
        ("info tbhits", "info"),
        (
            "info time 2 score gain -3 wdl 200 50 750 hashfull 31 line C",
            "info hashfull 31 time 2 score gain -3 wdl 200 50 750 line C",
        ),
        ("info wdl 0 1000 0", ""),
        ("info score exact 0", ""),
        (
            "info string three  words here",
            "info string three words here",
        ),
        ("info string", ""),
        ("bestmove C", ""),
        ("bestmove b", ""),
        ("bestmove swap", ""),
        ("bestmove  none", "bestmove none"),
        ("bestmove C ponder b", "bestmove C"),
        ("ukiok now", "ukiok"),
        ("error what was that", ""),
        ("error", ""),
    ]);
}

#[test]
fn malformed_host_messages_are_refused() {
    let commands = "uki, isready, newgame, setoption, position, go, ponderhit, stop or quit";
    assert_refused_as::<HostMessage>(&[
        ("", &format!("the line is empty: expected {commands}")),
        (" \t\r", &format!("the line is empty: expected {commands}")),
        ("uci", &format!("`uci`: expected {commands}")),
        ("UKI", &format!("`UKI`: expected {commands}")),
        ("setoption", "the line ends early: expected the word name"),
        ("setoption Threads", "`Threads`: expected the word name"),
        (
            "setoption name",
            "the line ends early: expected the name of an option, one word",
        ),
        (
            "setoption name Two Words",
            "`Words`: expected the word value, or the end of the line",
        ),
        ("go ponder ponder", "`ponder` is given twice"),
        (
            "go searchmoves",
            "the line ends early: expected a sowing such as C or b, or swap",
        ),
        (
            "go searchmoves CF",
            "`CF`: expected a sowing such as C or b, or swap",
        ),
        (
            "go movetime",
            "the line ends early: expected a whole number of milliseconds",
        ),
        (
            "go movetime 1s",
            "`1s`: expected a whole number of milliseconds",
        ),
        (
            "go movetime -",
            "`-`: expected a whole number of milliseconds",
        ),
        ("go nodes -1", "`-1`: expected a whole number"),
        (
            "go nodes 18446744073709551616",
            "`18446744073709551616`: expected a whole number",
        ),
        ("go depth 1 depth 2", "`depth` is given twice"),
        ("go infinite nodes 1 infinite", "`infinite` is given twice"),
        (
            "go stime 5",
            "the line ends early: expected the time of both sides, stime and ntime",
        ),
        (
            "go sinc 5",
            "the line ends early: expected stime and ntime, as there is an increment",
        ),
    ]);
}

#[test]
fn malformed_games_are_refused() {
    assert_refused_as::<HostMessage>(&[
        (
            "position",
            "the line ends early: expected a position such as <3,0,0,2,2,2,2,2,2> s, or startpos MxN",
        ),
        (
            "position 6x4",
            "`6x4`: expected a position such as <3,0,0,2,2,2,2,2,2> s, or startpos MxN",
        ),
        (
            "position startpos",
            "the line ends early: expected a start such as 6x4",
        ),
        (
            "position startpos moves C",
            "the line ends early: expected a start such as 6x4",
        ),
        (
            "position startpos <1,0,0,1,1>",
            "`<1,0,0,1,1>`: expected a start such as 6x4",
        ),
        (
            "position startpos 6x4 n",
            "`6x4 n`: expected a start such as 6x4",
        ),
        (
            "position startpos 6y4",
            "position `6y4`: expected a start such as 6x4, or '<m,south store,north store,south \
             houses,north houses> s|n'",
        ),
        (
            "position <1,0,0,1",
            "position `<1,0,0,1`: the closing > is missing",
        ),
        (
            "position <1,0,0,1,\0>",
            "position `<1,0,0,1,\\0>`: `\\0` is not a number of houses or seeds",
        ),
        (
            "position <1,0,0,1,1> west",
            "position `<1,0,0,1,1> west`: `west` is neither a side (s or n) nor ply=1 or ply=2, \
             in this order",
        ),
        (
            "position startpos 26x2000",
            "position `26x2000`: 104000 seeds are too many: at most 65535 can be played, stores \
             included",
        ),
        (
            "position startpos 6x4 rules",
            "the line ends early: expected a rule set",
        ),
        (
            "position startpos 6x4 rules chess",
            "no rules are called `chess`: the presets are cs32, standard, empty-capture and \
             mankalah, and others are \
             written ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no",
        ),
        (
            "position startpos 6x4 rules \u{1b}[2J",
            "`\\u{1b}[2J`: expected a rule set",
        ),
        (
            "position startpos 6x4 rules cs32 C",
            "`C`: expected rules, moves or the end of the line",
        ),
        (
            "position startpos 6x4 moves 3",
            "`3`: expected a sowing such as C or b, or swap",
        ),
        (
            "position startpos 6x4 moves C b",
            "ply 2, `b`: South is to move",
        ),
        (
            "position startpos 6x4 moves CC",
            "ply 2, `C`: house C is empty",
        ),
        (
            "position startpos 6x4 moves G",
            "ply 1, `G`: there is no house G on a board of 6 houses a side",
        ),
        (
            "position startpos 6x4 moves swap",
            "ply 1, `swap`: sides can be exchanged only instead of ply 2, and only under rules \
             with a swap",
        ),
        (
            "position startpos 1x1 moves A a",
            "ply 2, `a`: the game is over",
        ),
    ]);
}

#[test]
fn malformed_engine_messages_are_refused() {
    let messages = "id, option, ukiok, readyok, info, bestmove or error";
    assert_refused_as::<EngineMessage>(&[
        ("", &format!("the line is empty: expected {messages}")),
        ("hello", &format!("`hello`: expected {messages}")),
        ("id", "the line ends early: expected name or author"),
        ("id age 3", "`age`: expected name or author"),
        ("option Threads", "`Threads`: expected the word name"),
        (
            "option name Number Of Threads type spin",
            "`Of`: expected the word type",
        ),
        (
            "option name X type knob",
            "`knob`: expected spin, check, combo, string or button",
        ),
        (
            "option name X type spin default 3 min 1",
            "the line ends early: expected default, min, max or var, as the type has them",
        ),
        (
            "option name X type spin default 3 min 4 max 5",
            "`3`: expected a default between min and max",
        ),
        (
            "option name X type check default yes",
            "`yes`: expected true or false",
        ),
        (
            "option name X type combo default c var a var b",
            "`c`: expected a default that is among the values offered",
        ),
        ("info score", "the line ends early: expected gain or exact"),
        ("info score cp 30", "`cp`: expected gain or exact"),
        (
            "info wdl 500 0 501",
            "`500 0 501`: expected three whole numbers that add up to 1000",
        ),
        (
            "info wdl 1000 line C",
            "`line`: expected three whole numbers that add up to 1000",
        ),
        (
            "info score gain much",
            "`much`: expected a number of seeds such as +8",
        ),
        (
            "info line C 3",
            "`3`: expected a sowing such as C or b, or swap",
        ),
        ("info depth 1 depth 2", "`depth` is given twice"),
        (
            "bestmove",
            "the line ends early: expected a sowing such as C or b, swap or none",
        ),
        (
            "bestmove CF",
            "`CF`: expected a sowing such as C or b, swap or none",
        ),
    ]);
}
