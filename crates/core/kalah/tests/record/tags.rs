//! The tags of records and their agreement with the game.

use kalah::record::{Record, TagError, Tags};
use kalah::{
    Ending, Game, House, Margin, Move, Outcome, Position, Rules, SeedCount, Setup, Side,
    Termination,
};

use crate::{LAST_PLY, parse};

fn position(setup: &str, rules: Rules) -> Position {
    setup.parse::<Setup>().unwrap().position(rules).unwrap()
}

/// As [`LAST_PLY`], with a tie at the end.
const LAST_PLY_OF_TIE: &str = r#"[Position "<2,5,5,0,1,0,1> s"]"#;

#[test]
fn values_of_tags_may_be_any_text() {
    let value = "a \"b\" \\c\\ \n\r\n\t\0 \u{202e} ] { ü 日本 \\n";
    let mut record = parse("*");
    record.set_tag("Event", value).unwrap();
    record.set_tag("x_1", "").unwrap();
    assert_eq!(
        record.to_string(),
        "[Event \"a \\\"b\\\" \\\\c\\\\ \\n\\r\\n\t\0 \u{202e} ] { ü 日本 \\\\n\"]\n[x_1 \"\"]\n\n*\n"
    );
    assert_eq!(parse(&record.to_string()), record);
}

#[test]
fn tags_keep_their_order_and_new_ones_are_inserted_by_rank() {
    let mut record = parse(r#"[Zebra "1"] [Winner "none"] [Termination "time"] [Ant "2"] *"#);
    let names = |record: &Record| {
        let names: Vec<&str> = record.tags().iter().map(|(name, _)| name).collect();
        names.join(" ")
    };
    assert_eq!(names(&record), "Zebra Winner Termination Ant");
    record.set_tag("Bee", "3").unwrap();
    record.set_tag("Round", "4").unwrap();
    record.set_tag("Zebra", "5").unwrap();
    assert_eq!(names(&record), "Round Zebra Winner Termination Ant Bee");

    let mut tags = Tags::new();
    for name in Tags::KNOWN.into_iter().rev() {
        tags.set(name, "").unwrap();
    }
    assert!(tags.iter().map(|(name, _)| name).eq(Tags::KNOWN));
    assert_eq!(tags.remove("Site"), Some(String::new()));
    assert_eq!(tags.remove("Site"), None);
    assert_eq!(tags.get("Site"), None);
    for name in ["", "a b", "a-b", "é", "a\n"] {
        assert_eq!(
            tags.set(name, "x"),
            Err(TagError::InvalidName(name.to_owned()))
        );
    }
}

#[test]
fn the_result_is_that_of_the_board() {
    for (tag, closing, result) in [
        ("", "6-1", None),
        ("", "*", None),
        ("", "", None),
        ("[Result \"*\"]", "*", Some("6-1")),
        ("[Result \"6-1\"]", "*", Some("6-1")),
        ("[Result \"006-01\"]", "06-1", Some("6-1")),
    ] {
        let record = parse(&format!("{LAST_PLY}{tag} 1. B {closing}"));
        assert_eq!(record.tags().get("Result"), result);
        assert!(record.to_string().ends_with("\n\n1. B 6-1\n"), "{record}");
        let ending = record.ending();
        assert_eq!(ending.termination, Termination::Normal);
        assert_eq!(ending.winner, Some(Side::South));
        assert_eq!(ending.outcome.unwrap().to_string(), "6-1");
    }
}

#[test]
fn every_termination_reads_back_with_its_winner() {
    let ending = |text: &str| {
        let ending = parse(text).ending();
        assert_eq!(
            ending.outcome.is_some(),
            ending.termination == Termination::Normal
        );
        (ending.termination, ending.winner)
    };
    for termination in Termination::ALL {
        let tag = format!("[Termination \"{termination}\"]");
        match termination {
            Termination::Normal => {
                assert_eq!(
                    ending(&format!("{LAST_PLY} {tag} 1. B")),
                    (termination, Some(Side::South))
                );
                let tie = format!("{LAST_PLY_OF_TIE} {tag} [Winner \"none\"] 1. B 6-6");
                assert_eq!(ending(&tie), (termination, None));
            }
            Termination::Unfinished => {
                assert_eq!(ending(&format!("{tag} 1. A")), (termination, None));
                assert_eq!(
                    ending(&format!("{tag} [Winner \"none\"] 1. A")),
                    (termination, None)
                );
            }
            _ => {
                assert_eq!(ending(&format!("{tag} 1. A")), (termination, None));
                for winner in [None, Some(Side::South), Some(Side::North)] {
                    let word = winner.map_or("none".to_owned(), |side| side.to_string());
                    let text = format!("{tag} [Winner \"{word}\"] 1. A *");
                    assert_eq!(ending(&text), (termination, winner));

                    let mut record = parse("1. A *");
                    let outcome = None;
                    let ending = Ending {
                        termination,
                        winner,
                        outcome,
                    };
                    record.set_ending(ending).unwrap();
                    assert_eq!(record.ending(), ending);
                    assert_eq!(record.tags().get("Winner"), Some(word.as_str()));
                    assert_eq!(parse(&record.to_string()), record);
                }
            }
        }
    }
    assert_eq!(ending("1. A *"), (Termination::Unfinished, None));
}

#[test]
fn an_adjudicated_game_has_the_result_of_its_adjudication() {
    let given = |margin| Outcome::from_margin(Margin::new(margin), SeedCount::from(48));
    for (tag, closing, outcome, winner) in [
        ("[Result \"27-21\"]", "27-21", given(6), Some(Side::South)),
        ("[Result \"027-21\"]", "*", given(6), Some(Side::South)),
        ("[Result \"*\"]", "27-021", given(6), Some(Side::South)),
        ("[Winner \"North\"]", "0-48", given(-48), Some(Side::North)),
        ("[Winner \"none\"]", "24-24", given(0), None),
        ("[Result \"24-24\"]", "", given(0), None),
        // A log can tell the winner alone.
        (
            "[Result \"*\"] [Winner \"North\"]",
            "*",
            None,
            Some(Side::North),
        ),
    ] {
        let mut record = parse(&format!(
            "[Termination \"adjudicated\"] {tag} 1. A {closing}"
        ));
        let ending = Ending {
            termination: Termination::Adjudicated,
            winner,
            outcome,
        };
        assert_eq!(record.ending(), ending, "{tag} {closing}");
        let result = outcome.map_or("*".to_owned(), |outcome| outcome.to_string());
        assert_eq!(record.tags().get("Result"), Some(result.as_str()));
        assert!(record.to_string().ends_with(&format!("1. A {result}\n")));
        assert_eq!(parse(&record.to_string()), record);
        assert_eq!(record.game().outcome(), None);

        // Other tags do not change it, and a further ply takes it back.
        record.set_tag("South", "Marge").unwrap();
        assert_eq!(record.ending(), ending);
        let mut written = parse("1. A *");
        written.set_ending(ending).unwrap();
        assert_eq!(written.ending(), ending);
        assert_eq!(parse(&written.to_string()), written);
        written.set_game(&parse("1. A b *").game()).unwrap();
        assert_eq!(written, parse(&written.to_string()));
        assert_eq!(written.ending().outcome, None);
        assert_eq!(written.ending().termination, Termination::Unfinished);
    }
}

#[test]
fn an_ending_with_the_outcome_of_another_game_is_refused() {
    let outcome = Outcome::from_margin(Margin::new(6), SeedCount::from(48));
    let ending = |termination, winner| Ending {
        termination,
        winner,
        outcome,
    };
    let adjudicated = ending(Termination::Adjudicated, Some(Side::South));
    for (text, ending) in [
        ("[Position \"6x5\"] 1. A *", adjudicated),
        ("1. A *", ending(Termination::Adjudicated, None)),
        ("1. A *", ending(Termination::Resign, Some(Side::South))),
        ("1. A *", ending(Termination::Normal, Some(Side::South))),
        ("1. A *", ending(Termination::Unfinished, None)),
    ] {
        let mut record = parse(text);
        let before = record.clone();
        assert!(record.set_ending(ending).is_err(), "{text} {ending:?}");
        assert_eq!(record, before);
    }
}

#[test]
fn from_game_writes_start_result_and_termination() {
    let mut game = Game::new(position("<2,5,0,0,1,0,1> s", Rules::STANDARD));
    let record = Record::from_game(&game);
    assert_eq!(
        record.to_string(),
        "[Rules \"standard\"]\n[Position \"<2,5,0,0,1,0,1> s\"]\n[Result \"*\"]\n\
         [Termination \"unfinished\"]\n\n*\n"
    );
    assert_eq!(record.game(), game);
    game.play(Move::Sow(House::new(2).unwrap())).unwrap();
    let record = Record::from_game(&game);
    assert_eq!(
        record.to_string(),
        "[Rules \"standard\"]\n[Position \"<2,5,0,0,1,0,1> s\"]\n[Result \"6-1\"]\n\
         [Termination \"normal\"]\n\n1. B 6-1\n"
    );
    assert_eq!(record.game(), game);
    // Undone plies are not recorded.
    game.undo();
    assert_eq!(Record::from_game(&game).entries(), []);
}

#[test]
fn starts_of_whole_games_are_written_as_mxn() {
    for (start, rules, text) in [
        ("6x4", Rules::CS32, "6x4"),
        ("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", Rules::CS32, "6x4"),
        ("6x4", Rules::MANKALAH, "6x4"),
        ("<1,0,0,4,4> s", Rules::MANKALAH, "<1,0,0,4,4> s"),
        (
            "<1,0,0,4,4> s ply=2",
            Rules::MANKALAH,
            "<1,0,0,4,4> s ply=2",
        ),
        ("1x4 n", Rules::CS32, "<1,0,0,4,4> n"),
        ("26x0", Rules::CS32, "26x0"),
        ("<1,1,0,0,0>", Rules::CS32, "<1,1,0,0,0> s"),
    ] {
        let start = position(start, rules);
        let tags = Tags::from_start(&start);
        assert_eq!(tags.get("Position"), Some(text));
        assert_eq!(tags.start(), Ok(start));
    }
}

#[test]
fn set_game_keeps_comments_and_variations_of_common_plies() {
    let mut record = parse(
        "[South \"Marge\"] [Termination \"resign\"] [Winner \"North\"]
         { before } 1. C { bonus } F a { there } ( b ) 2. A { lost } ( B ) b *",
    );
    let mut game = record.game();
    game.undo();
    game.undo();
    game.play(Move::Sow(House::new(4).unwrap())).unwrap();
    record.set_game(&game).unwrap();
    assert_eq!(
        record.to_string(),
        "[South \"Marge\"]\n[Result \"*\"]\n[Termination \"unfinished\"]\n\n\
         { before } 1. C { bonus } F a { there } ( 1... b ) 2. D *\n"
    );
    assert_eq!(record.game(), {
        let mut game = game.clone();
        while game.redo().is_some() {}
        game
    });
    let other = Game::new(position("6x5", Rules::CS32));
    let before = record.clone();
    assert_eq!(record.set_game(&other), Err(TagError::StartMismatch));
    assert_eq!(record, before);
    record.set_game(&Game::new(record.start())).unwrap();
    assert!(record.to_string().ends_with("\n{ before } *\n"));
}

#[test]
fn opening_plies_are_at_most_those_of_the_main_line() {
    for (value, plies) in [
        ("0", 0),
        ("2", 2),
        ("002", 2),
        ("4", 4),
        ("5", 4),
        ("99999999999999999999999", 4),
        ("", 0),
        ("-1", 0),
        ("+2", 0),
        ("2 plies", 0),
    ] {
        let text = format!("[OpeningPlies \"{value}\"] 1. C F ( 1. CA ) a 2. A *");
        let record = parse(&text);
        assert_eq!(record.opening_plies(), plies, "{value}");
        assert_eq!(record.tags().get(Tags::OPENING_PLIES), Some(value));
    }
    assert_eq!(parse("1. C F a *").opening_plies(), 0);
}

#[test]
fn another_line_ends_the_opening_where_it_differs() {
    let record = parse("[OpeningPlies \"3\"] 1. C F a 2. A *");
    for (plies, opening_plies) in [
        ("1. C F a 2. A c *", Some("3")),
        ("1. C F a *", Some("3")),
        ("1. C F *", Some("2")),
        ("1. C F d 2. A *", Some("2")),
        ("1. C A *", Some("1")),
        ("1. A *", None),
        ("*", None),
    ] {
        let mut changed = record.clone();
        changed.set_game(&parse(plies).game()).unwrap();
        let tag = changed.tags().get(Tags::OPENING_PLIES);
        assert_eq!(tag, opening_plies, "{plies}");
    }
}

#[test]
fn tags_that_contradict_the_game_are_refused() {
    let mut record = parse("1. A *");
    let before = record.clone();
    for (name, value) in [
        ("Rules", "standard"),
        ("Rules", "chess"),
        ("Position", "6x5"),
        ("Position", "six"),
        ("Position", "6x65535"),
        ("Result", "25-23"),
        ("Result", "won"),
        ("Termination", "normal"),
        ("Termination", "over"),
        ("Winner", "South"),
        ("Winner", "Marge"),
        ("no name", ""),
    ] {
        assert!(record.set_tag(name, value).is_err(), "{name} {value}");
        assert_eq!(record, before, "{name} {value}");
    }
    let resigned = Ending {
        termination: Termination::Resign,
        winner: Some(Side::South),
        outcome: None,
    };
    let mut finished = parse(&format!("{LAST_PLY} 1. B 6-1"));
    assert_eq!(
        finished.set_ending(resigned),
        Err(TagError::TerminationContradicts(Termination::Resign))
    );
    record.set_ending(resigned).unwrap();
    assert_eq!(record.ending(), resigned);
    record.set_tags(Tags::new()).unwrap();
    assert_eq!(record, before);
}
