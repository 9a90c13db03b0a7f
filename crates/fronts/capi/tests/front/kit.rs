//! The command `kit/check`: its exit status and messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use test_tools::Tool;

use crate::cpp_build::{CppBuild, NO_HANG_SECONDS, ProgramResult, cpp_build, root, run};

/// `KIT_SECONDS` for a check that hangs on purpose.
const HANG_SECONDS: &str = "2";

const RIGHT: i32 = 0;
const WRONG: i32 = 1;
const USAGE: i32 = 2;
const DOES_NOT_COMPILE: i32 = 3;

fn stand_ins() -> PathBuf {
    root().join("tests/front/cpp/standin")
}

fn kit(cpp_build: &CppBuild, arguments: &[&str]) -> ProgramResult {
    kit_within(cpp_build, NO_HANG_SECONDS, arguments)
}

/// Runs the kit's command with a time limit for each check.
fn kit_within(cpp_build: &CppBuild, seconds: &str, arguments: &[&str]) -> ProgramResult {
    let mut command = Command::new(root().join("kit/check"));
    command
        .args(arguments)
        .env("KALAH_LIB", &cpp_build.library)
        .env("KIT_SECONDS", seconds);
    run(&mut command, "")
}

#[track_caller]
fn expect(result: &ProgramResult, status: i32, words: &[&str]) {
    let text = format!("{}{}", result.out, result.err);
    assert_eq!(result.status.code(), Some(status), "{text}");
    for words in words {
        assert!(text.contains(words), "the output lacks `{words}`:\n{text}");
    }
}

/// Copies the stand-ins into a directory and replaces parts of one file.
fn patched(cpp_build: &CppBuild, name: &str, file: &str, changes: &[(&str, &str)]) -> PathBuf {
    let directory = cpp_build.directory(name);
    for entry in fs::read_dir(stand_ins()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, directory.join(path.file_name().unwrap())).unwrap();
    }
    let path = directory.join(file);
    let mut text = fs::read_to_string(&path).unwrap();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "`{old}` in {file}");
        text = text.replace(old, new);
    }
    fs::write(path, text).unwrap();
    directory
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Checks all classes in a folder with a compiler, without the library.
fn kit_of_compiler(compiler: Tool, folder: &Path) -> ProgramResult {
    let mut command = Command::new(root().join("kit/check"));
    command
        .args(["--all", text(folder)])
        .env("CXX", compiler.require())
        .env("KALAH_LIB", "/nonexistent")
        .env("KIT_SECONDS", NO_HANG_SECONDS);
    run(&mut command, "")
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn correct_classes_pass_without_the_library() {
    cpp_build();
    expect(
        &kit_of_compiler(Tool::Gpp, &stand_ins()),
        RIGHT,
        &[
            "Board: 17 of 17",
            "Player: 21 of 21",
            "Turns of a Game: 21 of 21",
            "Whole Games: 8 of 8",
            "All is right.",
        ],
    );
}

/// Text with all forbidden words that the compiler does not see as words.
const NO_CODE: &str = r#"
// a friend, protected: board.setBeans(SOUTH, 1, 1); int main()
/* friend protected
   setBeans */
#define UNUSED friend
#if 0
friend class Board;
#endif
static const char* greeting = "Play against a \"friend\", int main() setBeans";
static const char* raw = R"mark(protected: "friend" )" setBeans)mark";
static const char quotation = '"', apostrophe = '\'';
static const int friends = 1'000;
static const char* lines = R"(
# 1 "friend.h" 1
#pragma friend
friend setBeans )";
"#;

/// Code whose forbidden words appear after the preprocessor.
const HIDDEN_CODE: &str = r"
#define FRIEND fri##end
#define SET set##Beans
class Tester { FRIEND class Game; };
inline void cheat(Board& board) { board.SET(SOUTH, 1, 1); }
";

/// Lines after which code of the same file follows.
const HASH_LINES: [&str; 4] = [
    "#pragma GCC diagnostic push",
    "#line 7 \"x.cpp\"",
    "#include <string>",
    "static const char* raw = R\"(\n# 1 \"x.h\" 1\n#\n)\";",
];

/// Returns the stand-ins with further text in `Game.cpp`.
fn with_text_in_game(cpp_build: &CppBuild, name: &str, text: &str) -> PathBuf {
    let include = "#include \"Game.h\"\n";
    let replacement = format!("{include}{text}");
    patched(cpp_build, name, "Game.cpp", &[(include, &replacement)])
}

fn only_words_of_code_are_forbidden(compiler: Tool) {
    let cpp_build = cpp_build();
    let harmless = with_text_in_game(cpp_build, &format!("kit-{compiler:?}-text"), NO_CODE);
    expect(
        &kit_of_compiler(compiler, &harmless),
        RIGHT,
        &["All is right."],
    );
    let cheating = with_text_in_game(cpp_build, &format!("kit-{compiler:?}-code"), HIDDEN_CODE);
    expect(
        &kit_of_compiler(compiler, &cheating),
        WRONG,
        &[
            "WRONG  Game.cpp: no class may have a friend",
            "WRONG  Game: no class may call setBeans",
        ],
    );
    for (number, line) in HASH_LINES.iter().enumerate() {
        let name = format!("kit-{compiler:?}-hash-{number}");
        let code = format!("{line}\nclass Tester {{ friend class Game; }};\n");
        let cheating = with_text_in_game(cpp_build, &name, &code);
        expect(
            &kit_of_compiler(compiler, &cheating),
            WRONG,
            &["WRONG  Game.cpp: no class may have a friend"],
        );
    }
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn only_words_of_code_are_forbidden_with_gpp() {
    only_words_of_code_are_forbidden(Tool::Gpp);
}

#[test]
#[cfg_attr(not(has_clangpp), ignore = "clang++ not found")]
fn only_words_of_code_are_forbidden_with_clang() {
    only_words_of_code_are_forbidden(Tool::Clangpp);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn single_class_is_checked_with_the_fronts_other_classes() {
    let cpp_build = cpp_build();
    let result = kit(cpp_build, &["--board", text(&stand_ins())]);
    expect(&result, RIGHT, &["Board: 17 of 17", "All is right."]);
    assert!(!result.out.contains("Game"));
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn crash_is_reported() {
    let cpp_build = cpp_build();
    let board = patched(
        cpp_build,
        "kit-crash",
        "Board.cpp",
        &[(
            "    if (!isHole(hole))\n        return false;\n    ring",
            "    if (!isHole(hole)) *static_cast<volatile int*>(nullptr) = hole;\n    ring",
        )],
    );
    expect(
        &kit(cpp_build, &["--board", text(&board)]),
        WRONG,
        &[
            "WRONG  Board::moveToPot: refuses pots",
            "crashes: Segmentation fault\n       while doing this: on a board of 3 holes, moveToPot(",
            "Something is wrong",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn exception_is_reported_with_the_member_that_throws_it() {
    let cpp_build = cpp_build();
    let board = patched(
        cpp_build,
        "kit-exception",
        "Board.cpp",
        &[
            (
                "#include \"Board.h\"\n",
                "#include \"Board.h\"\n#include <stdexcept>\n",
            ),
            (
                "    if ((hole != POT && !isHole(hole)) || beans < 0)\n        return false;\n",
                "    if ((hole != POT && !isHole(hole)) || beans < 0)\n\
                 \x20       throw std::out_of_range(\"no such hole\");\n",
            ),
        ],
    );
    expect(
        &kit(cpp_build, &["--board", text(&board)]),
        WRONG,
        &[
            "WRONG  Board::setBeans: refuses what cannot be, and changes nothing then\n       \
             Board::setBeans throws an exception: no such hole\n       \
             while doing this: setBeans(NORTH, -1, 5)",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn endless_loop_is_reported() {
    let cpp_build = cpp_build();
    let board = patched(
        cpp_build,
        "kit-loop",
        "Board.cpp",
        &[(
            "    if ((hole != POT && !isHole(hole)) || beans < 0)\n        return false;\n    ring",
            "    if (hole != POT && !isHole(hole))\n        return false;\n\
             \x20   if (beans < 0) for (volatile int forever = 1; forever;) {}\n    ring",
        )],
    );
    expect(
        &kit_within(cpp_build, HANG_SECONDS, &["--board", text(&board)]),
        WRONG,
        &[
            "WRONG  Board::setBeans: refuses what cannot be",
            "no end after 2 seconds",
            "Something is wrong",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn sanitize_reports_invalid_memory_accesses() {
    let cpp_build = cpp_build();
    let board = patched(
        cpp_build,
        "kit-memory",
        "Board.cpp",
        &[("hole == POT || isHole(hole) ?", "hole <= size + 4 ?")],
    );
    expect(
        &kit(cpp_build, &["--sanitize", "--board", text(&board)]),
        WRONG,
        &[
            "AddressSanitizer: heap-buffer-overflow",
            "while doing this: on a board of",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn missing_members_are_reported() {
    let cpp_build = cpp_build();
    let game = patched(
        cpp_build,
        "kit-interface",
        "Game.h",
        &[
            ("void display() const;", "void display();"),
            ("bool move(Side s);", ""),
        ],
    );
    expect(
        &kit(cpp_build, &["--game", text(&game)]),
        WRONG,
        &[
            "the public interface lacks this: void Game::display() const",
            "the public interface lacks this: bool Game::move(Side s)",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn forbidden_keywords_are_reported() {
    let cpp_build = cpp_build();
    let game = patched(
        cpp_build,
        "kit-words",
        "Game.h",
        &[("private:", "protected:\n    friend class Board;\n")],
    );
    let path = game.join("Game.cpp");
    let setting = "    over = true;\n    board.setBeans(s, 1, 0);\n";
    let source = fs::read_to_string(&path).unwrap();
    fs::write(&path, source.replace("    over = true;\n", setting)).unwrap();
    expect(
        &kit(cpp_build, &["--game", text(&game)]),
        WRONG,
        &[
            "Game.h: no class may have a friend",
            "Game.h: no class may have protected data",
            "Game: no class may call setBeans",
        ],
    );

    let player = patched(
        cpp_build,
        "kit-main",
        "Player.cpp",
        &[(
            "#include \"Board.h\"\n",
            "#include \"Board.h\"\nint main() { return 0; }\n",
        )],
    );
    expect(
        &kit(cpp_build, &["--player", text(&player)]),
        WRONG,
        &["Player.cpp: main must be in a file of its own"],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn compile_and_link_errors_are_reported() {
    let cpp_build = cpp_build();
    let board = patched(
        cpp_build,
        "kit-compile",
        "Board.cpp",
        &[("return beansInPlay(NORTH)", "return beansInGame(NORTH)")],
    );
    expect(
        &kit(cpp_build, &["--board", text(&board)]),
        DOES_NOT_COMPILE,
        &["Board.cpp does not compile", "beansInGame"],
    );
    let player = patched(
        cpp_build,
        "kit-link",
        "Player.cpp",
        &[
            ("int BadPlayer::chooseMove", "int lastHoleForBadPlayer"),
            (
                "const Board& b, Side s) const\n{\n    return lastHole(b, s);\n}\n\nint SmartPlayer",
                "const Board& b, Side s)\n{\n    return lastHole(b, s);\n}\n\nint SmartPlayer",
            ),
        ],
    );
    expect(
        &kit(cpp_build, &["--player", text(&player)]),
        DOES_NOT_COMPILE,
        &["the classes do not go together", "BadPlayer"],
    );
    let side = patched(
        cpp_build,
        "kit-alone",
        "Board.h",
        &[("#include \"Side.h\"\n", "")],
    );
    expect(
        &kit(cpp_build, &["--board", text(&side)]),
        DOES_NOT_COMPILE,
        &["Board.h cannot be included alone, and twice"],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn wrong_arguments_print_the_usage() {
    let cpp_build = cpp_build();
    for arguments in [&[][..], &["--board"], &["--bored", "."], &["--sanitize"]] {
        expect(&kit(cpp_build, arguments), USAGE, &["usage: check"]);
    }
    expect(
        &kit(cpp_build, &["--board", "/nonexistent"]),
        USAGE,
        &["there is no directory /nonexistent"],
    );
    expect(
        &kit(cpp_build, &["--board", text(&root().join("demos"))]),
        USAGE,
        &["there is no Board.h in"],
    );
}
