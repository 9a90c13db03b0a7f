//! The kit detects mistakes: each mutant is a stand-in with one mistake.

use std::process::Command;
use std::sync::Mutex;
use std::{fs, thread};

use test_tools::sample_or_all;

use crate::cpp_build::{
    Author, Build, Classes, CppBuild, Includes, NO_HANG_SECONDS, cpp_build, root, run,
};

/// A stand-in with one mistake: `right` in its source is replaced by `mistaken`, and the kit must
/// print `message`.
struct Mutant {
    name: &'static str,
    right: &'static str,
    mistaken: &'static str,
    message: &'static str,
}

/// `KIT_SECONDS` for mutants that hang on purpose.
const HANG_SECONDS: &str = "1";

/// The number of mutants of each kind in the plain test run.
const SAMPLE: usize = 2;

/// The classes of a mutant. They need no library, which would take longer to link than the rest of
/// a mutant to compile.
const STAND_INS: Classes = Classes {
    board: Author::StandIn,
    player: Author::StandIn,
    game: Author::StandIn,
};

/// Asserts on all processors that the kit detects the mutants of a class.
fn assert_all_detected(pair: &str, checks: &str, mutants: &[Mutant]) {
    let cpp_build = cpp_build();
    let mutants = &mutants[..sample_or_all(SAMPLE, mutants.len())];
    let remaining = Mutex::new(mutants.iter());
    let next = || remaining.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while let Some(mutant) = next() {
                    assert_detected(cpp_build, pair, checks, mutant);
                }
            });
        }
    });
}

fn assert_detected(cpp_build: &CppBuild, pair: &str, checks: &str, mutant: &Mutant) {
    let name = format!("{checks}-{}", mutant.name);
    let text = fs::read_to_string(root().join(format!("tests/front/cpp/standin/{pair}.cpp")));
    let text = text.unwrap();
    assert_eq!(
        text.matches(mutant.right).count(),
        1,
        "{name}: `{}`",
        mutant.right
    );

    // The mutant lies beside the headers that it includes and replaces the original source.
    let source = cpp_build
        .sources(STAND_INS)
        .join(format!("mutant-{name}.cpp"));
    fs::write(&source, text.replace(mutant.right, mutant.mistaken)).unwrap();
    let mut objects = cpp_build.objects(STAND_INS, Build::Plain);
    // `Side` of the front calls the library for the other classes of the front.
    let replaced = [format!("class-{pair}.o"), "class-Side.o".to_owned()];
    objects.retain(|object| !replaced.iter().any(|name| object.ends_with(name)));
    objects.push(cpp_build.object(&source, Includes::Everything, STAND_INS, Build::NoWarnings));
    objects.extend(cpp_build.kit_objects(checks, STAND_INS, Build::Plain));
    let program = cpp_build.link_without_library(&name, &objects);

    let seconds = if mutant.message.contains("no end after") {
        HANG_SECONDS
    } else {
        NO_HANG_SECONDS
    };
    let ended = run(Command::new(program).env("KIT_SECONDS", seconds), "");
    assert_eq!(
        ended.status.code(),
        Some(1),
        "{name} passes the kit:\n{}",
        ended.out
    );
    assert!(
        ended.out.contains(mutant.message),
        "{name}: the output lacks `{}`:\n{}",
        mutant.message,
        ended.out
    );
}

const BOARD: &[Mutant] = &[
    Mutant {
        name: "no-holes",
        right: "size(nHoles < 1 ? 1 : nHoles)",
        mistaken: "size(nHoles < 0 ? 1 : nHoles)",
        message: "Board(0, 2): holes() should be 1; yours says 0",
    },
    Mutant {
        name: "negative-beans",
        right: "nInitialBeansPerHole < 0 ? 0 : nInitialBeansPerHole",
        mistaken: "nInitialBeansPerHole",
        message: "Board(3, -1): North's hole 1 should hold 0 beans; yours says -1",
    },
    Mutant {
        name: "beans-of-no-hole",
        right: "int(ring[index(s, hole)]) : -1",
        mistaken: "int(ring[index(s, hole)]) : 0",
        message: "on a board of 1 hole, beans(NORTH, -1) should be -1; yours says 0",
    },
    Mutant {
        name: "clockwise",
        right: "at = (at + 1) % ring.size();",
        mistaken: "at = (at + ring.size() - 1) % ring.size();",
        message: "on a new Board(1, 1), sowing 1 bean from North's hole 1 should end in North's pot; your board says",
    },
    Mutant {
        name: "other-pot",
        right: "        if (at == index(opponent(s), POT))\n            continue;\n",
        mistaken: "",
        message: "WRONG  Board::sow: past the other side's pot",
    },
    Mutant {
        name: "lap-skips-start",
        right: "if (at == index(opponent(s), POT))",
        mistaken: "if (at == index(opponent(s), POT) || at == index(s, hole))",
        message: "WRONG  Board::sow: once around the board",
    },
    Mutant {
        name: "end-without-sowing",
        right: "    if (!isHole(hole) || beans(s, hole) == 0)\n        return false;\n",
        mistaken: "    endHole = hole;\n    if (!isHole(hole) || beans(s, hole) == 0)\n        return false;\n",
        message: "should leave endSide and endHole alone; yours changes them",
    },
    Mutant {
        name: "empty-hole-sown",
        right: "if (!isHole(hole) || beans(s, hole) == 0)",
        mistaken: "if (!isHole(hole))",
        message: "sow(NORTH, 2, endSide, endHole) should return false; yours returns true",
    },
    Mutant {
        name: "forever",
        right: "        ring[at]++;\n        left--;\n",
        mistaken: "        ring[at]++;\n        if (left < 20)\n            left--;\n",
        message: "no end after 1 second\n       while doing this: ",
    },
    Mutant {
        name: "pot-of-the-wrong-side",
        right: "ring[index(potOwner, POT)] += ",
        mistaken: "ring[index(s, POT)] += ",
        message: "after moveToPot(NORTH, 1, SOUTH): ",
    },
    Mutant {
        name: "empty-hole-not-moved",
        right: "    if (!isHole(hole))\n        return false;\n    ring",
        mistaken: "    if (!isHole(hole) || beans(s, hole) == 0)\n        return false;\n    ring",
        message: "moveToPot(NORTH, 1, NORTH) should return true; yours returns false",
    },
    Mutant {
        name: "negative-set",
        right: "if ((hole != POT && !isHole(hole)) || beans < 0)",
        mistaken: "if (hole != POT && !isHole(hole))",
        message: "setBeans(NORTH, 0, -1) should return false",
    },
    Mutant {
        name: "pots-in-play",
        right: "    int sum = 0;\n    for (int hole = 1;",
        mistaken: "    int sum = 0;\n    for (int hole = 0;",
        message: "beansInPlay(NORTH) should be",
    },
    Mutant {
        name: "chatty",
        right: "#include \"Board.h\"\n",
        mistaken: "#include \"Board.h\"\n#include <cstdio>\n#define isHole(hole) (puts(\"hm\"), isHole(hole))\n",
        message: "no member may write to cout; yours writes this:\n       hm",
    },
];

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn kit_detects_mistakes_of_a_board() {
    assert_all_detected("Board", "board", BOARD);
}

const PLAYER: &[Mutant] = &[
    Mutant {
        name: "empty-hole",
        right: "while (hole > 0 && b.beans(s, hole) == 0)",
        mistaken: "while (hole > 1 && b.beans(s, hole) == 0)",
        message: "where it cannot move, should be -1; yours says 1",
    },
    Mutant {
        name: "wrong-side",
        right: "int BadPlayer::chooseMove(const Board& b, Side s) const\n{\n    return lastHole(b, s);",
        mistaken: "int BadPlayer::chooseMove(const Board& b, Side s) const\n{\n    return lastHole(b, opponent(s));",
        message: "WRONG  BadPlayer::chooseMove: a legal move on any board",
    },
    Mutant {
        name: "chatty",
        right: "int SmartPlayer::chooseMove(const Board& b, Side s) const\n{\n",
        mistaken: "int SmartPlayer::chooseMove(const Board& b, Side s) const\n{\n    std::cout << \"thinking\\n\";\n",
        message: "SmartPlayer may not write to cout; yours writes this:\n       thinking",
    },
    Mutant {
        name: "no-prompt",
        right: "        std::cout << name() << \"? \";\n",
        mistaken: "",
        message: "HumanPlayer::chooseMove should ask for a hole on cout",
    },
    Mutant {
        name: "spins-at-the-end",
        right: "        if (!std::getline(std::cin, line))\n",
        mistaken: "        if (!std::getline(std::cin, line) && line == \"never\")\n",
        message: "writes without end\n       while doing this: HumanPlayer::chooseMove",
    },
    Mutant {
        name: "silent-end",
        right: "            std::cerr << \"no more input\\n\";\n",
        mistaken: "",
        message: "HumanPlayer::chooseMove should say on cerr that the input ended",
    },
    Mutant {
        name: "takes-words",
        right: "if (end != line.c_str() && *end == '\\0' && hole > 0 && hole <= b.holes()",
        mistaken: "if (end == line.c_str())\n            return 1;\n        if (hole > 0 && hole <= b.holes()",
        message: "WRONG  HumanPlayer::chooseMove: asks again after a word that is no number",
    },
    Mutant {
        name: "takes-empty-holes",
        right: "            && b.beans(s, int(hole)) > 0)",
        mistaken: "            )",
        message: "should be 4, and yours says 1, after typing this:\n       1\n       3\n       4",
    },
    Mutant {
        name: "asks-in-vain",
        right: "    if (lastHole(b, s) == -1)\n        return -1;\n",
        mistaken: "",
        message: "WRONG  HumanPlayer::chooseMove: -1 when it cannot move",
    },
];

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn kit_detects_mistakes_of_a_player() {
    assert_all_detected("Player", "player", PLAYER);
}

const GAME: &[Mutant] = &[
    Mutant {
        name: "players-exchanged",
        right: "players{ north, south }",
        mistaken: "players{ south, north }",
        message: "the player Homer should not be asked for a move any more",
    },
    Mutant {
        name: "status-touches",
        right: "    isOver = over;\n",
        mistaken: "    isOver = over;\n    hasWinner = false;\n",
        message: "in a new game, status should touch neither hasWinner nor winner",
    },
    Mutant {
        name: "tie-touches",
        right: "    if (hasWinner)\n        winner = lead > 0 ? SOUTH : NORTH;",
        mistaken: "    winner = lead > 0 ? SOUTH : NORTH;",
        message: "after a tie, 5 to 5, status should not touch winner: it is a tie",
    },
    Mutant {
        name: "ends-when-a-row-is-empty",
        right: "while (board.beansInPlay(s) > 0)",
        mistaken: "while (board.beansInPlay(s) > 0 && board.beansInPlay(opponent(s)) > 0)",
        message: "WRONG  Game::move: goes on although the other row is empty",
    },
    Mutant {
        name: "no-bonus-turn",
        right: "            display();\n            continue;",
        mistaken: "            display();\n            return true;",
        message: "the player should be asked 2 times; yours asks 1 time",
    },
    Mutant {
        name: "board-not-shown",
        right: "            display();\n            continue;",
        mistaken: "            continue;",
        message: "before a bonus turn the board should be shown",
    },
    Mutant {
        name: "empty-capture",
        right: " && board.beans(opponent(s), endHole) > 0)",
        mistaken: ")",
        message: "WRONG  Game::move: captures nothing else",
    },
    Mutant {
        name: "captor-stays",
        right: "            board.moveToPot(s, endHole, s);\n",
        mistaken: "",
        message: "South's pot should hold 6 beans; yours says 5",
    },
    Mutant {
        name: "captured-by-the-other",
        right: "board.moveToPot(opponent(s), endHole, s);",
        mistaken: "board.moveToPot(opponent(s), endHole, opponent(s));",
        message: "WRONG  Game::move: captures",
    },
    Mutant {
        name: "swept-by-the-mover",
        right: "board.moveToPot(opponent(s), hole, opponent(s));",
        mistaken: "board.moveToPot(opponent(s), hole, s);",
        message: "WRONG  Game::move: false when there is nothing to sow, and sweeps",
    },
    Mutant {
        name: "asks-twice",
        right: "i < 3 && !sown",
        mistaken: "i < 2 && !sown",
        message: "the player should be asked 3 times; yours asks 2 times",
    },
    Mutant {
        name: "asks-forever",
        right: "i < 3 && !sown",
        mistaken: "!sown",
        message: "should not be asked for a move any more; it has been asked 3 times",
    },
    Mutant {
        name: "no-complaint",
        right: "                std::cerr << \"that was no move\\n\";\n",
        mistaken: "                ;\n",
        message: "an illegal answer should be complained about on cerr",
    },
    Mutant {
        name: "own-turns-only",
        right: "bool Game::move(Side s)\n{\n",
        mistaken: "bool Game::move(Side s)\n{\n    static Side last = NORTH;\n    if (s == last)\n        return true;\n    last = s;\n",
        message: "WRONG  Game::move: for either side, in any order",
    },
];

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn kit_detects_mistakes_of_a_game() {
    assert_all_detected("Game", "game", GAME);
}

const PLAY: &[Mutant] = &[
    Mutant {
        name: "names-not-shown",
        right: "std::cout << players[s]->name() << \": \";",
        mistaken: "std::cout << \": \";",
        message: "display should show Marge",
    },
    Mutant {
        name: "never-waits",
        right: "            std::getline(std::cin, line);\n",
        mistaken: "",
        message: "play() should wait for ENTER now and then",
    },
    Mutant {
        name: "always-waits",
        right: "if (!players[NORTH]->isInteractive() && !players[SOUTH]->isInteractive())",
        mistaken: "if (!players[NORTH]->isInteractive() || !players[SOUTH]->isInteractive())",
        message: "play() should not read cin when a player is interactive",
    },
    Mutant {
        name: "spins-at-the-end",
        right: "            std::getline(std::cin, line);\n",
        mistaken: "            while (!std::getline(std::cin, line))\n                std::cin.clear();\n",
        message: "no end after 1 second\n       while doing this: play() with an input that has ended",
    },
    Mutant {
        name: "plays-on",
        right: "    while (!over && move(s))",
        mistaken: "    std::cin.get();\n    while (!over && move(s))",
        message: "play() of a finished game should not wait for ENTER",
    },
];

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn kit_detects_mistakes_of_whole_games() {
    assert_all_detected("Game", "play", PLAY);
}
