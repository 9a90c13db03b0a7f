//! Programs as players of `kalah play`, in plain mode and on the screen.

use std::fs;
use std::path::Path;

use super::screen::{ENTER_SCREEN, expect_board, finish, press, recorded_plies, spawn};
use crate::harness::{args_with, finish_session, kalah_in, run_with_input, temp_dir};

/// A program whose answer is no house.
const ILLEGAL: &str = "cmd=echo hello >&2; echo 9,proto=kgp-child,name=Bot";

/// A program that starts, and ends before it has answered.
const FAILING: &str = "echo why >&2; echo; exit 3,proto=kgp-child,name=Bot";

/// An engine that writes its input to `lines`, sows a in its first game and c in later ones.
const ENGINE: &str = "\
games=0
while read -r line; do
  echo \"$line\" >> lines
  case \"$line\" in
    uki) echo ukiok ;;
    newgame) games=$((games + 1)) ;;
    isready) echo readyok ;;
    go*) if [ $games = 1 ]; then echo bestmove a; else echo bestmove c; fi ;;
    quit) exit ;;
  esac
done
";

/// Runs `kalah play --plain` on 3x2 under the rules `standard` with some input.
fn play(directory: &Path, line: &str, values: &[&str], input: &str) -> (String, String) {
    let line = format!("play --plain --board 3x2 --rules standard {line}");
    let finished = run_with_input(&mut kalah_in(directory, &args_with(&line, values)), input);
    assert!(finished.status.success(), "{finished:#?}");
    (finished.stdout, finished.stderr)
}

#[test]
fn another_player_continues_after_the_failure_of_a_program() {
    let directory = temp_dir();
    let input = "robot\nrestart\nlevel:1\n";
    let line = "--south first --north {} --record game.kgn";
    let (stdout, stderr) = play(directory.path(), line, &[ILLEGAL], input);
    assert!(stderr.starts_with("Bot: hello\n"), "{stderr}");
    let failures = stdout
        .matches("North (Bot) has failed: illegal move `j`: ")
        .count();
    assert_eq!(failures, 2, "{stdout}");
    assert!(stdout.contains("`robot` is not a player: "), "{stdout}");
    assert!(stdout.contains("North (Level 1) sows"), "{stdout}");
    let record = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
    assert!(record.contains("[Termination \"normal\"]"), "{record}");
}

#[test]
fn end_of_input_after_a_failure_is_an_error_and_keeps_the_game_as_unfinished() {
    let directory = temp_dir();
    let line = "--south {} --north first --record game.kgn";
    let failing = &format!("cmd={FAILING}");
    let line = format!("play --plain --board 3x2 --rules standard {line}");
    let arguments = args_with(&line, &[failing]);
    let finished = run_with_input(&mut kalah_in(directory.path(), &arguments), "");
    // A script must not take the game for a finished one.
    assert_eq!(finished.status.code(), Some(1), "{finished:#?}");
    assert_eq!(
        finished.stderr,
        "Bot: why\nerror: South has failed, and the input has ended: it ended: exit status: 3\n"
    );
    let stdout = finished.stdout;
    assert!(
        stdout.contains("South (Bot) has failed: it ended: exit status: 3\n"),
        "{stdout}"
    );
    assert!(
        stdout.contains("To continue this game: kalah play --resume"),
        "{stdout}"
    );
    // A record starts no program.
    let arguments = ["play", "--plain", "--resume", "game.kgn"];
    let error = run_with_input(&mut kalah_in(directory.path(), &arguments), "").failure(1);
    assert!(
        error.contains("a record starts no programs, and South was one"),
        "{error}"
    );
    assert!(error.contains("with --south PLAYER"), "{error}");
}

#[test]
fn an_engine_follows_a_game_whose_moves_are_undone() {
    let directory = temp_dir();
    fs::write(directory.path().join("engine.sh"), ENGINE).expect("a file");
    let input = "A\nundo\nC\nquit\n";
    let (stdout, stderr) = play(directory.path(), "--north {}", &["cmd=sh engine.sh"], input);
    assert_eq!(stderr, "");
    assert!(
        stdout.contains("North (sh engine.sh) sows house a"),
        "{stdout}"
    );
    assert!(
        stdout.contains("North (sh engine.sh) sows house c"),
        "{stdout}"
    );
    let lines = fs::read_to_string(directory.path().join("lines")).expect("lines");
    let start = "position startpos 3x2 rules standard moves";
    for first in ["A", "C"] {
        let request = format!("newgame\nisready\nisready\n{start} {first}\ngo movetime 5000\n");
        assert!(lines.contains(&request), "{lines}");
    }
    assert!(lines.ends_with("quit\n"), "{lines}");
    assert!(lines.starts_with("uki\nnewgame\n"), "{lines}");
}

#[test]
fn programs_of_other_rules_and_boards_are_refused() {
    let directory = temp_dir();
    for (program, reason) in [
        (
            "cmd=x,proto=kgp-child",
            "kgp-child has the rules `standard` alone (--rules standard), not `cs32`",
        ),
        (
            "cmd=x,proto=mankalah",
            "mankalah has the rules `mankalah` alone (--rules mankalah), not `cs32`",
        ),
    ] {
        let arguments = ["play", "--plain", "--north", program];
        let error = run_with_input(&mut kalah_in(directory.path(), &arguments), "").failure(2);
        assert_eq!(error, format!("error: --north: {reason}\n"));
    }
}

#[test]
fn programs_that_do_not_start_are_refused_before_the_game() {
    let directory = temp_dir();
    let line = "play --plain --rules standard --south {} --north {} --record game.kgn";
    let players = [
        "cmd=./missing,name=Ana",
        "cmd=exit 3,proto=kgp-child,name=Ben",
    ];
    let arguments = args_with(line, &players);
    let finished = run_with_input(&mut kalah_in(directory.path(), &arguments), "");
    assert_eq!(finished.stdout, "");
    let error = finished.failure(1);
    let (first, second) = error.split_once('\n').expect("two lines");
    // The shell words the rest.
    let start = "error: 'Ana' cannot take part: exit status: 127; the end of its standard error: ";
    assert!(first.starts_with(start), "{error}");
    assert_eq!(second, "error: 'Ben' cannot take part: exit status: 3\n");
    assert!(!directory.path().join("game.kgn").exists());
}

#[test]
fn the_screen_does_not_open_for_a_program_that_does_not_start() {
    let directory = temp_dir();
    let arguments = "play --north cmd=./missing,name=Ana --record game.kgn";
    let text = finish_session(spawn(directory.path(), arguments));
    assert!(!text.contains(ENTER_SCREEN), "{text:?}");
    let error = "error: 'Ana' cannot take part: exit status: 127; ";
    assert!(
        text.contains(error) && text.contains("exit 1\r\n"),
        "{text:?}"
    );
    assert!(!directory.path().join("game.kgn").exists());
}

#[test]
fn the_screen_stays_open_when_a_program_fails() {
    let directory = temp_dir();
    let arguments = format!(
        "play --board 3x2 --rules standard --no-animation --record game.kgn \
         --north \"cmd={FAILING}\""
    );
    let mut session = spawn(directory.path(), &arguments);
    expect_board(&mut session);
    press(&mut session, "a");
    session
        .exp_string("why")
        .expect("the output of the program");
    session.exp_string("yourself").expect("the question");
    // The user plays for the program.
    press(&mut session, "\u{1b}[B\r");
    press(&mut session, "b");
    press(&mut session, "q");
    finish(session, directory.path(), 0);
    assert_eq!(recorded_plies(&directory.path().join("game.kgn")), 2);
}
