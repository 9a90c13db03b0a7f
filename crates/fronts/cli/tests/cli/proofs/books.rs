//! `kalah book`: builds, their resumption, checks, and damaged files.

use std::fs;

use kalah::{Gain, Rules};
use kalah_book::{Book, BookPositions, BookStart};

use crate::harness::{args, kalah_in, run, temp_dir};

const START: BookStart = BookStart {
    houses: 3,
    seeds: 3,
    rules: Rules::STANDARD,
    plies: 3,
};

const BUILD: &str = "book build 3x3 --rules standard --plies 3 --store 3x3.build --out 3x3.book \
                     --tables none --threads 1";

#[test]
fn build_resumes_after_each_line_and_writes_the_same_book() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    let leaves = BookPositions::new(START).expect("a book").leaf_count();
    let built = kalah(BUILD).success();
    assert!(
        built.ends_with(&format!(" has searched {leaves}\n")),
        "{built}"
    );
    let (store, book) = (
        folder.path().join("3x3.build"),
        folder.path().join("3x3.book"),
    );
    let (text, bytes) = (
        fs::read(&store).expect("the store"),
        fs::read(&book).expect("a book"),
    );
    // After a line, and within one.
    for length in [0, 20, text.len() / 3, text.len() - 1, text.len()] {
        fs::write(&store, &text[..length]).expect("a cut store");
        fs::remove_file(&book).expect("no book");
        let complete_lines = text[..length].split_inclusive(|&byte| byte == b'\n');
        let complete_lines = complete_lines.filter(|line| line.ends_with(b"\n")).count();
        let left = leaves - complete_lines.saturating_sub(1);
        let built = kalah(BUILD).success();
        assert!(
            built.ends_with(&format!(" has searched {left}\n")),
            "{length}: {built}"
        );
        assert_eq!(fs::read(&book).expect("a book"), bytes, "{length}");
        assert_eq!(fs::read(&store).expect("the store"), text, "{length}");
    }
    let checked = kalah("book check 3x3.book").success();
    assert!(
        checked.starts_with("Start 3x3, rules standard, 3 plies: margin +2\n"),
        "{checked}"
    );
    let solved = kalah("solve 3x3 --rules standard --json").json();
    let checked = kalah("book check 3x3.book --json").json();
    assert_eq!(checked["margin"], solved["margin"]);
    assert_eq!(checked["passed"], true);
    assert_eq!(checked["searched_leaves"], leaves);
    assert_eq!(checked["wrong_share_bound"], 0.0);
}

#[test]
fn stores_of_other_books_and_damaged_ones_are_refused() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah(BUILD).success();
    let other = BUILD.replace("--plies 3", "--plies 4");
    let error = kalah(&other.replace("3x3.book", "4.book")).failure(1);
    assert_eq!(
        error,
        "error: cannot resume from '3x3.build': the build is that of the book `board=3x3 \
         rules=standard plies=3`, not of `board=3x3 rules=standard plies=4`\n"
    );
    let store = folder.path().join("3x3.build");
    let text = fs::read_to_string(&store).expect("the store");
    fs::write(&store, text.replacen("\"leaf\":1,", "\"leaf\":2,", 1)).expect("a changed store");
    let error = kalah(BUILD).failure(1);
    assert_eq!(
        error,
        "error: cannot resume from '3x3.build': line 3 is damaged: if it is deleted, the build resumes and \
         searches its leaf again\n"
    );
    fs::write(&store, "<3,0,0,1,1,1,1,1,1> s\n").expect("another file");
    let error = kalah(BUILD).failure(1);
    assert_eq!(
        error,
        "error: cannot resume from '3x3.build': the first line is not that of a build of a book\n"
    );
    assert_eq!(
        fs::read_to_string(&store).expect("the file"),
        "<3,0,0,1,1,1,1,1,1> s\n"
    );
}

#[test]
fn checks_find_wrong_books() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah(BUILD).success();
    let path = folder.path().join("3x3.book");
    let right = Book::parse(&fs::read(&path).expect("the file")).expect("a book");
    let positions = BookPositions::new(START).expect("a book");
    let mut gains: Vec<Gain> = (positions.leaves())
        .map(|leaf| right.gain(&leaf).expect("a leaf"))
        .collect();
    let leaf = positions.leaves().nth(5).expect("a leaf");
    gains[5] = Gain::new(gains[5].seeds() - 2);
    let wrong = Book::new(positions, &gains).expect("possible gains");
    fs::write(&path, wrong.to_bytes()).expect("a wrong book");
    let finished = kalah("book check 3x3.book");
    let stated = gains[5].seeds();
    let error = finished.failure(1);
    assert_eq!(
        error,
        format!(
            "error: '{leaf}' does not have the margin {stated:+}\n\
             error: the book in '3x3.book' is wrong: 1 error\n"
        )
    );
    let checked = kalah("book check 3x3.book --json").json();
    assert_eq!(checked["passed"], false);

    let bytes = right.to_bytes();
    for (content, reason) in [
        (
            &b"no book"[..],
            "not a book of this version: the first line is not `kalah-book 1`",
        ),
        (
            &bytes[..bytes.len() / 2],
            "the checksum does not match: the file is cut or damaged",
        ),
    ] {
        fs::write(&path, content).expect("a damaged book");
        let error = kalah("book check 3x3.book").failure(1);
        assert_eq!(error, format!("error: cannot read '3x3.book': {reason}\n"));
    }
}

#[test]
fn samples_make_the_margins_conditional() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah(BUILD).success();
    let leaves = BookPositions::new(START).expect("a book").leaf_count();
    let error = kalah("book check 3x3.book --sample 3 --seed 1").failure(3);
    let unsearched = leaves - 3;
    assert_eq!(
        error,
        format!("error: the margins in '3x3.book' are conditional on {unsearched} leaves\n")
    );
    let checked = kalah("book check 3x3.book --sample 3 --seed 1 --json").json();
    assert_eq!(checked["searched_leaves"], 3);
    assert_eq!(checked["conditional_leaves"], unsearched);
    assert_eq!(checked["passed"], false);
    let checked = kalah("book check 3x3.book --sample 1000").success();
    assert!(!checked.contains('%'), "{checked}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_search() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    for (out, reason) in [
        (
            "3x3.build",
            "'3x3.build' is the store: the book needs another file",
        ),
        (
            "./3x3.build",
            "'./3x3.build' is the store: the book needs another file",
        ),
        (".", "'.' is a folder, not a file"),
        (
            "missing/3x3.book",
            "there is no folder 'missing' for 'missing/3x3.book'",
        ),
    ] {
        let error = kalah(&BUILD.replace("3x3.book", out)).failure(2);
        assert_eq!(error, format!("error: {reason}\n"));
        assert!(!folder.path().join("3x3.build").exists(), "{out}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_no_files_of_books() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    std::os::unix::fs::symlink("3x3.book", folder.path().join("3x3.build")).expect("a link");
    let error = kalah(BUILD).failure(2);
    assert_eq!(
        error,
        "error: '3x3.book' is the store: the book needs another file\n"
    );
    fs::remove_file(folder.path().join("3x3.build")).expect("the link");
    let error = kalah(&BUILD.replace("3x3.book", "/dev/null")).failure(2);
    assert_eq!(
        error,
        "error: '/dev/null' already exists and is not this book\n"
    );
    assert!(!folder.path().join("3x3.build").exists());
}

#[test]
fn a_book_replaces_no_other_file() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    let path = folder.path().join("3x3.book");
    kalah(
        &BUILD
            .replace("--plies 3", "--plies 2")
            .replace("3x3.build", "2.build"),
    )
    .success();
    let other = fs::read(&path).expect("the book of two plies");
    for content in [&other[..], b"notes", b""] {
        fs::write(&path, content).expect("another file");
        let error = kalah(BUILD).failure(2);
        assert_eq!(
            error,
            "error: '3x3.book' already exists and is not this book\n"
        );
        assert_eq!(fs::read(&path).expect("the file"), content);
    }
    fs::remove_file(&path).expect("another file");
    kalah(BUILD).success();
    kalah(BUILD).success();
}

#[test]
fn a_check_of_too_few_plies_is_refused() {
    let folder = temp_dir();
    let kalah = |line: &str| run(&mut kalah_in(folder.path(), &args(line)));
    kalah(&BUILD.replace("standard", "mankalah")).success();
    for (plies, reason) in [
        (
            1,
            "a book of `mankalah` needs more than 1 ply: the first plies have rules of their own",
        ),
        (4, "the book in '3x3.book' has 3 plies"),
    ] {
        let error = kalah(&format!("book check 3x3.book --plies {plies}")).failure(2);
        assert_eq!(
            error,
            format!("error: invalid --plies '{plies}': {reason}\n")
        );
    }
    let checked = kalah("book check 3x3.book --plies 2 --json").json();
    assert_eq!(checked["passed"], true);
    assert_eq!(checked["plies"], 2);
}

#[test]
fn a_second_build_with_the_same_store_is_refused() {
    let folder = temp_dir();
    let store = fs::File::create(folder.path().join("3x3.build")).expect("the store");
    store.lock().expect("a lock");
    let error = run(&mut kalah_in(folder.path(), &args(BUILD))).failure(1);
    assert_eq!(
        error,
        "error: cannot use '3x3.build': another process has locked it\n"
    );
}
