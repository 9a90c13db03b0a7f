//! The kit notices what is wrong with a class: stand-ins with one mistake each.

use std::fs;
use std::process::Command;

use crate::workshop::{
    Author, Build, Classes, NO_HANG_SECONDS, Sees, Workshop, root, run, workshop,
};

/// One mistake: in this text of a stand-in's source, and what the kit must say of it.
struct Mutant {
    name: &'static str,
    right: &'static str,
    mistaken: &'static str,
    said: &'static str,
}

/// Seconds after which a check that hangs is ended, where a mutant has to hang.
const HANG_SECONDS: &str = "1";

/// As many mutants of each kind are tried in the plain test run.
const SAMPLE: usize = 2;

fn find_all(pair: &str, checks: &str, classes: Classes, mutants: &[Mutant]) {
    let workshop = workshop();
    for mutant in mutants {
        find(workshop, pair, checks, classes, mutant);
    }
}

fn find(workshop: &Workshop, pair: &str, checks: &str, classes: Classes, mutant: &Mutant) {
    let name = format!("{checks}-{}", mutant.name);
    let text = fs::read_to_string(root().join(format!("tests/front/cpp/standin/{pair}.cpp")));
    let text = text.unwrap();
    assert_eq!(
        text.matches(mutant.right).count(),
        1,
        "{name}: `{}`",
        mutant.right
    );

    // Beside the headers that it includes, in place of the source that it is made from.
    let source = workshop.sources(classes).join(format!("mutant-{name}.cpp"));
    fs::write(&source, text.replace(mutant.right, mutant.mistaken)).unwrap();
    let mut objects = workshop.objects(classes, Build::Plain);
    objects.retain(|object| !object.ends_with(format!("class-{pair}.o")));
    objects.push(workshop.object(&source, Sees::Everything, classes, Build::Careless));
    objects.extend(workshop.kit_objects(checks, classes, Build::Plain));
    let program = workshop.link(&name, &objects, Build::Plain);

    let seconds = if mutant.said.contains("no end after") {
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
        ended.out.contains(mutant.said),
        "{name}: `{}` is not said:\n{}",
        mutant.said,
        ended.out
    );
}

const BOARD: &[Mutant] = &[
    Mutant {
        name: "no-holes",
        right: "size(nHoles < 1 ? 1 : nHoles)",
        mistaken: "size(nHoles < 0 ? 1 : nHoles)",
        said: "Board(0, 2): holes() should be 1; yours says 0",
    },
    Mutant {
        name: "negative-beans",
        right: "nInitialBeansPerHole < 0 ? 0 : nInitialBeansPerHole",
        mistaken: "nInitialBeansPerHole",
        said: "Board(3, -1): North's hole 1 should hold 0 beans; yours says -1",
    },
    Mutant {
        name: "clockwise",
        right: "at = (at + 1) % ring.size();",
        mistaken: "at = (at + ring.size() - 1) % ring.size();",
        said: "on a new Board(1, 1), sowing 1 bean from North's hole 1 should end in North's pot; your board says",
    },
    Mutant {
        name: "other-pot",
        right: "        if (at == index(opponent(s), POT))\n            continue;\n",
        mistaken: "",
        said: "WRONG  Board::sow: past the other side's pot",
    },
    Mutant {
        name: "lap-skips-start",
        right: "if (at == index(opponent(s), POT))",
        mistaken: "if (at == index(opponent(s), POT) || at == index(s, hole))",
        said: "WRONG  Board::sow: once around the board",
    },
    Mutant {
        name: "end-without-sowing",
        right: "    if (!isHole(hole) || beans(s, hole) == 0)\n        return false;\n",
        mistaken: "    endHole = hole;\n    if (!isHole(hole) || beans(s, hole) == 0)\n        return false;\n",
        said: "should leave endSide and endHole alone; yours changes them",
    },
    Mutant {
        name: "empty-hole-sown",
        right: "if (!isHole(hole) || beans(s, hole) == 0)",
        mistaken: "if (!isHole(hole))",
        said: "sow(NORTH, 2, endSide, endHole) should return false; yours returns true",
    },
    Mutant {
        name: "forever",
        right: "        ring[at]++;\n        left--;\n",
        mistaken: "        ring[at]++;\n        if (left < 20)\n            left--;\n",
        said: "no end after 1 seconds\n       while doing this: ",
    },
    Mutant {
        name: "pot-of-the-wrong-side",
        right: "ring[index(potOwner, POT)] += ",
        mistaken: "ring[index(s, POT)] += ",
        said: "after moveToPot(NORTH, 1, SOUTH): ",
    },
    Mutant {
        name: "empty-hole-not-moved",
        right: "    if (!isHole(hole))\n        return false;\n    ring",
        mistaken: "    if (!isHole(hole) || beans(s, hole) == 0)\n        return false;\n    ring",
        said: "moveToPot(NORTH, 1, NORTH) should return true; yours returns false",
    },
    Mutant {
        name: "negative-set",
        right: "if ((hole != POT && !isHole(hole)) || beans < 0)",
        mistaken: "if (hole != POT && !isHole(hole))",
        said: "setBeans(NORTH, 0, -1) should return false",
    },
    Mutant {
        name: "pots-in-play",
        right: "    int sum = 0;\n    for (int hole = 1;",
        mistaken: "    int sum = 0;\n    for (int hole = 0;",
        said: "beansInPlay(NORTH) should be",
    },
    Mutant {
        name: "chatty",
        right: "#include \"Board.h\"\n",
        mistaken: "#include \"Board.h\"\n#include <cstdio>\n#define isHole(hole) (puts(\"hm\"), isHole(hole))\n",
        said: "no member may write to cout; yours writes this:\n       hm",
    },
];

const BOARD_CLASSES: Classes = Classes {
    board: Author::StandIn,
    ..Classes::FRONT
};

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn some_mistakes_of_a_board_are_found() {
    find_all("Board", "board", BOARD_CLASSES, &BOARD[..SAMPLE]);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn mistakes_of_a_board_are_found() {
    find_all("Board", "board", BOARD_CLASSES, BOARD);
}

const PLAYER: &[Mutant] = &[
    Mutant {
        name: "empty-hole",
        right: "while (hole > 0 && b.beans(s, hole) == 0)",
        mistaken: "while (hole > 1 && b.beans(s, hole) == 0)",
        said: "where it cannot move, should be -1; yours says 1",
    },
    Mutant {
        name: "wrong-side",
        right: "int BadPlayer::chooseMove(const Board& b, Side s) const\n{\n    return lastHole(b, s);",
        mistaken: "int BadPlayer::chooseMove(const Board& b, Side s) const\n{\n    return lastHole(b, opponent(s));",
        said: "WRONG  BadPlayer::chooseMove: a legal move on any board",
    },
    Mutant {
        name: "chatty",
        right: "int SmartPlayer::chooseMove(const Board& b, Side s) const\n{\n",
        mistaken: "int SmartPlayer::chooseMove(const Board& b, Side s) const\n{\n    std::cout << \"thinking\\n\";\n",
        said: "SmartPlayer may not write to cout; yours writes this:\n       thinking",
    },
    Mutant {
        name: "no-prompt",
        right: "        std::cout << name() << \"? \";\n",
        mistaken: "",
        said: "HumanPlayer::chooseMove should ask for a hole on cout",
    },
    Mutant {
        name: "spins-at-the-end",
        right: "        if (!std::getline(std::cin, line))\n",
        mistaken: "        if (!std::getline(std::cin, line) && line == \"never\")\n",
        said: "writes without end\n       while doing this: HumanPlayer::chooseMove",
    },
    Mutant {
        name: "silent-end",
        right: "            std::cerr << \"no more input\\n\";\n",
        mistaken: "",
        said: "HumanPlayer::chooseMove should say on cerr that the input ended",
    },
    Mutant {
        name: "takes-words",
        right: "if (end != line.c_str() && *end == '\\0' && hole > 0 && hole <= b.holes()",
        mistaken: "if (end == line.c_str())\n            return 1;\n        if (hole > 0 && hole <= b.holes()",
        said: "WRONG  HumanPlayer::chooseMove: asks again after a word that is no number",
    },
    Mutant {
        name: "takes-empty-holes",
        right: "            && b.beans(s, int(hole)) > 0)",
        mistaken: "            )",
        said: "should be 4, and yours says 1, after typing this:\n       1\n       3\n       4",
    },
    Mutant {
        name: "asks-in-vain",
        right: "    if (lastHole(b, s) == -1)\n        return -1;\n",
        mistaken: "",
        said: "WRONG  HumanPlayer::chooseMove: -1 when it cannot move",
    },
];

const PLAYER_CLASSES: Classes = Classes {
    player: Author::StandIn,
    ..Classes::FRONT
};

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn some_mistakes_of_a_player_are_found() {
    find_all("Player", "player", PLAYER_CLASSES, &PLAYER[..SAMPLE]);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn mistakes_of_a_player_are_found() {
    find_all("Player", "player", PLAYER_CLASSES, PLAYER);
}

const GAME: &[Mutant] = &[
    Mutant {
        name: "players-exchanged",
        right: "players{ north, south }",
        mistaken: "players{ south, north }",
        said: "the player Homer should not be asked for a move any more",
    },
    Mutant {
        name: "status-touches",
        right: "    isOver = over;\n",
        mistaken: "    isOver = over;\n    hasWinner = false;\n",
        said: "in a new game, status should touch neither hasWinner nor winner",
    },
    Mutant {
        name: "tie-touches",
        right: "    if (hasWinner)\n        winner = lead > 0 ? SOUTH : NORTH;",
        mistaken: "    winner = lead > 0 ? SOUTH : NORTH;",
        said: "after a tie, 5 to 5, status should not touch winner: it is a tie",
    },
    Mutant {
        name: "ends-when-a-row-is-empty",
        right: "while (board.beansInPlay(s) > 0)",
        mistaken: "while (board.beansInPlay(s) > 0 && board.beansInPlay(opponent(s)) > 0)",
        said: "WRONG  Game::move: goes on although the other row is empty",
    },
    Mutant {
        name: "no-bonus-turn",
        right: "            display();\n            continue;",
        mistaken: "            display();\n            return true;",
        said: "the player should be asked 2 times; yours asks 1 time",
    },
    Mutant {
        name: "board-not-shown",
        right: "            display();\n            continue;",
        mistaken: "            continue;",
        said: "before a bonus turn the board should be shown",
    },
    Mutant {
        name: "empty-capture",
        right: " && board.beans(opponent(s), endHole) > 0)",
        mistaken: ")",
        said: "WRONG  Game::move: captures nothing else",
    },
    Mutant {
        name: "captor-stays",
        right: "            board.moveToPot(s, endHole, s);\n",
        mistaken: "",
        said: "South's pot should hold 6 beans; yours says 5",
    },
    Mutant {
        name: "captured-by-the-other",
        right: "board.moveToPot(opponent(s), endHole, s);",
        mistaken: "board.moveToPot(opponent(s), endHole, opponent(s));",
        said: "WRONG  Game::move: captures",
    },
    Mutant {
        name: "swept-by-the-mover",
        right: "board.moveToPot(opponent(s), hole, opponent(s));",
        mistaken: "board.moveToPot(opponent(s), hole, s);",
        said: "WRONG  Game::move: false when there is nothing to sow, and sweeps",
    },
    Mutant {
        name: "asks-twice",
        right: "i < 3 && !sown",
        mistaken: "i < 2 && !sown",
        said: "the player should be asked 3 times; yours asks 2 times",
    },
    Mutant {
        name: "asks-forever",
        right: "i < 3 && !sown",
        mistaken: "!sown",
        said: "should not be asked for a move any more; it has been asked 3 times",
    },
    Mutant {
        name: "complains-to-nobody",
        right: "                std::cerr << \"that was no move\\n\";\n",
        mistaken: "                ;\n",
        said: "an illegal answer should be complained about on cerr",
    },
    Mutant {
        name: "own-turns-only",
        right: "bool Game::move(Side s)\n{\n",
        mistaken: "bool Game::move(Side s)\n{\n    static Side last = NORTH;\n    if (s == last)\n        return true;\n    last = s;\n",
        said: "WRONG  Game::move: for either side, in any order",
    },
];

const GAME_CLASSES: Classes = Classes {
    game: Author::StandIn,
    ..Classes::FRONT
};

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn some_mistakes_of_a_game_are_found() {
    find_all("Game", "game", GAME_CLASSES, &GAME[..SAMPLE]);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn mistakes_of_a_game_are_found() {
    find_all("Game", "game", GAME_CLASSES, GAME);
}

const PLAY: &[Mutant] = &[
    Mutant {
        name: "names-not-shown",
        right: "std::cout << players[s]->name() << \": \";",
        mistaken: "std::cout << \": \";",
        said: "display should show Marge",
    },
    Mutant {
        name: "never-waits",
        right: "            std::getline(std::cin, line);\n",
        mistaken: "",
        said: "play() should wait for ENTER now and then",
    },
    Mutant {
        name: "always-waits",
        right: "if (!players[NORTH]->isInteractive() && !players[SOUTH]->isInteractive())",
        mistaken: "if (!players[NORTH]->isInteractive() || !players[SOUTH]->isInteractive())",
        said: "play() should not read cin when a player is interactive",
    },
    Mutant {
        name: "spins-at-the-end",
        right: "            std::getline(std::cin, line);\n",
        mistaken: "            while (!std::getline(std::cin, line))\n                std::cin.clear();\n",
        said: "no end after 1 seconds\n       while doing this: play() with an input that has ended",
    },
    Mutant {
        name: "plays-on",
        right: "    while (!over && move(s))",
        mistaken: "    std::cin.get();\n    while (!over && move(s))",
        said: "play() of a finished game should not wait for ENTER",
    },
];

const PLAY_CLASSES: Classes = Classes {
    game: Author::StandIn,
    ..Classes::FRONT
};

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn some_mistakes_of_whole_games_are_found() {
    find_all("Game", "play", PLAY_CLASSES, &PLAY[..SAMPLE]);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn mistakes_of_whole_games_are_found() {
    find_all("Game", "play", PLAY_CLASSES, PLAY);
}
