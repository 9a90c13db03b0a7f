//! The transcripts in `tests/cmd`: commands with their output, named after the command.
//!
//! `TRYCMD=overwrite cargo test -p kalah-cli --test cli transcripts` writes the actual output to
//! the files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Defines a test for each transcript, which is `tests/cmd/NAME.trycmd` or `NAME.toml` with
/// `NAME.stdin` and `NAME.stdout`.
macro_rules! transcripts {
    ($($test:ident $file:literal,)*) => {
        const FILES: &[&str] = &[$($file),*];

        $(
            #[test]
            fn $test() {
                run($file);
            }
        )*
    };
}

transcripts! {
    analyze "analyze.trycmd",
    bench "bench.trycmd",
    book "book.trycmd",
    export "export.trycmd",
    frame "frame.trycmd",
    games "games.trycmd",
    help "help.trycmd",
    help_topics "help-topics.trycmd",
    import "import.trycmd",
    perft "perft.trycmd",
    play "play.trycmd",
    play_end_of_input "play-end-of-input.toml",
    play_finished_position "play-finished-position.toml",
    play_quit "play-quit.toml",
    play_two_people "play-two-people.toml",
    play_two_programs "play-two-programs.toml",
    play_words "play-words.toml",
    puzzle "puzzle.trycmd",
    puzzle_resign "puzzle-resign.toml",
    puzzle_solve "puzzle-solve.toml",
    replay "replay.trycmd",
    review "review.trycmd",
    rules "rules.trycmd",
    show "show.trycmd",
    tables "tables.trycmd",
    tree "tree.trycmd",
    usage_errors "usage-errors.trycmd",
}

fn run(file: &str) {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("KALAH_CONFIG", "")
        .env("KALAH_HISTORY", "false")
        .env("XDG_DATA_HOME", "/data")
        .case(Path::new("tests/cmd").join(file));
}

#[test]
fn each_transcript_has_a_test() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let entries = fs::read_dir(directory).expect("the directory of the transcripts");
    let files: BTreeSet<String> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "trycmd" || extension == "toml")
        })
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    let tested: BTreeSet<String> = FILES.iter().map(|&file| file.to_owned()).collect();
    assert_eq!(files, tested);
}
