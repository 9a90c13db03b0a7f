//! `kalah config`: defaults of options from the environment and from a file.

use std::fs;

use crate::harness::{kalah, path_text, run, temp_dir};

#[test]
fn command_line_comes_before_environment_and_file() {
    let folder = temp_dir();
    let file = folder.path().join("config.toml");
    fs::write(
        &file,
        "rules = \"standard\"\nlabels = \"yale\"\nthreads = 1\n",
    )
    .expect("a write");
    let show = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = kalah(["show", "3x2", "--json"]);
        command.env("KALAH_CONFIG", &file);
        command.args(arguments).envs(variables.iter().copied());
        run(&mut command).json()
    };
    let variables = [("KALAH_RULES", "Empty-Capture")];
    assert_eq!(show(&[], &[])["rules"], "standard");
    assert_eq!(show(&[], &variables)["rules"], "empty-capture");
    assert_eq!(
        show(&["--rules", "mankalah"], &variables)["rules"],
        "mankalah"
    );

    let mut config = kalah(["config", "--json"]);
    let config = config
        .env("KALAH_CONFIG", &file)
        .env("KALAH_HISTORY", "")
        .env("KALAH_MEMORY", "64MiB");
    let config = run(config).json();
    assert_eq!(
        (&config["file"], &config["file_exists"]),
        (&path_text(&file).into(), &true.into())
    );
    let settings = config["settings"].as_array().expect("settings").iter();
    let set = settings.filter(|setting| !setting["value"].is_null());
    let set = set.map(|setting| [&setting["name"], &setting["value"], &setting["source"]]);
    let expected = [
        ["labels", "yale", "file"],
        ["memory", "64MiB", "environment"],
        ["rules", "standard", "file"],
        ["threads", "1", "file"],
    ];
    assert_eq!(set.collect::<Vec<_>>(), expected);
}

#[test]
fn rules_of_recorded_games_are_kept() {
    let folder = temp_dir();
    let file = folder.path().join("game.kgn");
    fs::write(&file, "[Position \"3x2\"]\n[Rules \"cs32\"]\n\n1. A *\n").expect("a write");
    let mut show = kalah(["show", path_text(&file), "--json"]);
    assert_eq!(
        run(show.env("KALAH_RULES", "standard")).json()["rules"],
        "cs32"
    );
    // A new game has the rules of the configuration, unless it begins at such a position.
    for (start, rules) in [
        (&["--board", "3x2"][..], "standard"),
        (&["--position", path_text(&file)], "cs32"),
    ] {
        let played = folder.path().join(rules);
        let arguments = ["play", "--plain", "--south", "first", "--north", "first"];
        let options = ["--no-pause", "--record", path_text(&played)];
        let mut play = kalah([&arguments[..], &options, start].concat());
        run(play.env("KALAH_RULES", "standard")).success();
        let record = fs::read_to_string(&played).expect("a record");
        assert!(record.contains(&format!("[Rules \"{rules}\"]")), "{record}");
    }
}

#[test]
fn options_with_defaults_of_their_own_keep_them() {
    for (command, expected) in [
        (
            &["book", "build"][..],
            ["[default: empty-capture]", "<MxN>"],
        ),
        (&["play"], ["[default: 5x3]", "[default: cs32, or those"]),
        (&["kgp", "serve"], ["[default: 5x3]", "[default: standard]"]),
        (
            &["arena"],
            ["[default: 6x4, or 7x7", "[default: cs32, or those"],
        ),
        (
            &["bot", "check"],
            ["[default: several boards]", "[default: all rules"],
        ),
    ] {
        let mut help = kalah([command, &["--help"]].concat());
        help.env("KALAH_BOARD", "5x3")
            .env("KALAH_RULES", "empty-capture");
        let help = run(&mut help).success();
        // Lines of help are wrapped.
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in expected {
            assert!(help.contains(text), "{command:?}: {text}: {help}");
        }
    }
}

#[test]
fn invalid_defaults_name_their_place() {
    let folder = temp_dir();
    let file = folder.path().join("config.toml");
    for (text, variable, expected) in [
        (
            "",
            ("KALAH_THREADS", "x"),
            "error: KALAH_THREADS: `x`: expected a whole number from 1 to 256",
        ),
        (
            "threads = 0",
            ("NOTHING", ""),
            "config.toml': `0`: expected a whole number from 1 to 256",
        ),
        (
            "",
            ("KALAH_RULES", "chess"),
            "error: KALAH_RULES: `chess`: no rules are called `chess`",
        ),
        (
            "rules = \"chess\"",
            ("NOTHING", ""),
            "config.toml': `chess`: no rules are called `chess`",
        ),
        (
            "thread = 1",
            ("NOTHING", ""),
            "config.toml': line 1: `thread` is no setting, only board, ",
        ),
        (
            "threads = true",
            ("NOTHING", ""),
            "line 1: `threads` must be a text or a whole number",
        ),
        (
            "history = 1",
            ("NOTHING", ""),
            "line 1: `history` must be true or false",
        ),
        (
            "",
            ("KALAH_HISTORY", "no"),
            "error: KALAH_HISTORY: `no`: expected true or false",
        ),
        (
            "threads",
            ("NOTHING", ""),
            "config.toml': line 1: `threads`: expected an equals sign and a value behind the key\n",
        ),
        (
            "threads = 1\nrules = standard",
            ("NOTHING", ""),
            "config.toml': line 2: `rules = standard`: expected a number, true or false, or a text",
        ),
        ("", ("KALAH_CONFIG", "/nowhere"), "cannot read '/nowhere'"),
    ] {
        fs::write(&file, text).expect("a write");
        let mut solve = kalah(["solve", "2x2"]);
        let solve = solve.env("KALAH_CONFIG", &file).env(variable.0, variable.1);
        let error = run(solve).failure(2);
        assert!(error.contains(expected), "{text} {variable:?}: {error}");
    }
}

#[test]
fn invalid_configuration_stops_no_help() {
    let folder = temp_dir();
    let file = folder.path().join("config.toml");
    fs::write(&file, "rulez = 1\n").expect("a write");
    for arguments in [
        &["--version"][..],
        &["--help"],
        &["solve", "--help"],
        &["help", "topics"],
        &["help", "solve"],
        &["completions", "bash"],
        &["rules"],
    ] {
        run(kalah(arguments).env("KALAH_CONFIG", &file)).success();
    }
    // The configuration may be the reason of an error in the arguments.
    for arguments in [&["solve"][..], &["solve", "2x2", "--no-option"]] {
        let error = run(kalah(arguments).env("KALAH_CONFIG", &file)).failure(2);
        assert!(error.contains("line 1: `rulez` is no setting"), "{error}");
    }
}

#[test]
fn file_in_another_encoding_has_its_place() {
    let folder = temp_dir();
    let file = folder.path().join("config.toml");
    fs::write(&file, b"threads = 1\n# f\xfcr\n").expect("a write");
    let mut config = kalah(["config"]);
    let error = run(config.env("KALAH_CONFIG", &file)).failure(2);
    let expected = format!(
        "error: '{}' is not UTF-8 text: line 2, byte 16 of the file; save it as UTF-8\n",
        file.display()
    );
    assert_eq!(error, expected);
    // Some editors begin a file in UTF-8 with a mark.
    fs::write(&file, "\u{feff}threads = 1\n").expect("a write");
    run(kalah(["config"]).env("KALAH_CONFIG", &file)).success();
}
