//! The text of records: plies, turns, comments and variations, and the builder.

use kalah::record::{Record, RecordBuilder, RecordEntry, Tags, Turn};
use kalah::{FirstPlies, Game, House, Move, Position, Rules, Setup, Side, Termination};

use crate::{LAST_PLY, parse};

/// Returns the moves of the main line as text.
fn main_line(record: &Record) -> String {
    let game = record.game();
    let plies: Vec<String> = (game.plies().iter())
        .map(|ply| ply.mv.text(ply.side))
        .collect();
    plies.join(" ")
}

#[test]
fn a_record_with_a_comment_and_a_variation_reads_back() {
    // House b has one seed less than at the usual start, so that it gives no bonus turn.
    let text = "[Position \"<6,0,0,4,4,4,4,4,4,4,3,4,4,4,4> s\"]\n\n\
                1. CF b 2. A c { +8 exact } ( 2. B d ) *\n";
    let record = parse(text);
    assert_eq!(main_line(&record), "C F b A c");
    assert_eq!(record.to_string(), text);
    assert_eq!(
        record.entries()[4..],
        [
            RecordEntry::Ply {
                turn: Turn {
                    number: 2,
                    side: Side::North
                },
                mv: Move::Sow(House::new(3).unwrap())
            },
            RecordEntry::Comment("+8 exact".to_owned()),
            RecordEntry::BeginVariation(Turn {
                number: 2,
                side: Side::South
            }),
            RecordEntry::Ply {
                turn: Turn {
                    number: 2,
                    side: Side::South
                },
                mv: Move::Sow(House::new(2).unwrap())
            },
            RecordEntry::Ply {
                turn: Turn {
                    number: 2,
                    side: Side::North
                },
                mv: Move::Sow(House::new(4).unwrap())
            },
            RecordEntry::EndVariation,
        ]
    );
}

#[test]
fn parse_all_reads_any_number_of_games() {
    assert_eq!(Record::parse_all(""), Ok(vec![]));
    assert_eq!(Record::parse_all(" \r\n\t\u{feff}\n"), Ok(vec![]));
    let text = format!(
        "1. CF *\n[Event \"two\"]\n\n1. D\n{LAST_PLY} 1. B 6-1 * {{ four }} *\n{LAST_PLY}\n1. B 6-1"
    );
    let records = Record::parse_all(&text).unwrap();
    let lines: Vec<String> = records.iter().map(main_line).collect();
    assert_eq!(lines, ["C F", "D", "B", "", "", "B"]);
    assert_eq!(records[1].tags().get("Event"), Some("two"));
    let written: String = records.iter().map(Record::to_string).collect();
    assert_eq!(Record::parse_all(&written), Ok(records));
}

#[test]
fn missing_tags_mean_6x4_under_cs32() {
    let start = Position::start(6, 4, Rules::CS32).unwrap();
    assert_eq!(parse("*").start(), start);
    assert_eq!(parse(r#"[Rules "cs32"] *"#).start(), start);
    assert_eq!(parse(r#"[Position "6x4"] *"#).start(), start);
    assert_ne!(parse(r#"[Position "6x5"] *"#).start(), start);
    assert_ne!(parse(r#"[Rules "standard"] *"#).start(), start);
}

#[test]
fn a_game_that_north_begins_reads_back() {
    let record = parse("[Position \"6x4 n\"]\n1... cf 2. A b *");
    assert_eq!(main_line(&record), "c f A b");
    assert_eq!(
        record.to_string(),
        "[Position \"6x4 n\"]\n\n1... cf 2. A b *\n"
    );
}

#[test]
fn accepted_variants_are_written_in_the_standard_form() {
    // Pairs of an accepted variant and the standard form.
    let pairs = [
        // Split turns, missing or repeated numbers, no white space, all kinds of white space.
        ("1. C F a 2. A *", "1. CF a 2. A *"),
        ("CF a A *", "1. CF a 2. A *"),
        ("CFaA*", "1. CF a 2. A *"),
        ("1.CF a 2.A*", "1. CF a 2. A *"),
        ("1. C 1. F 1... a 2. A *", "1. CF a 2. A *"),
        ("1.\r\n\r\n\tC\u{c}F\ra 2. A *", "1. CF a 2. A *"),
        ("001. CF a 2. A *", "1. CF a 2. A *"),
        ("1. CF a 2. *", "1. CF a *"),
        ("1. CF a 2. A", "1. CF a 2. A *"),
        // Comments.
        ("1. C{a}F{}a{b}", "1. C { a } F {} 1... a { b } *"),
        ("1. C {\t a \r\n b\rc\n } *", "1. C { a \n b\nc } *"),
        ("1. C { ( [ { \" ; \\ } *", "1. C { ( [ { \" ; \\ } *"),
        (
            "{a}{b}1.{c}CF{d}1...{e}a",
            "{ a } { b } { c } 1. CF { d } { e } 1... a *",
        ),
        // Variations.
        ("1. CF(1.C)a(b)", "1. CF ( 1. C ) 1... a ( 1... b ) *"),
        ("1. C ( A ) F", "1. C ( 1. A ) F *"),
        ("1. CF a ( { c } B ) 2. A", "1. CF a ( { c } 1. B ) 2. A *"),
        // Tags.
        (
            "\u{feff}[Event \"a\"][Site\t\"b\" ]1.A",
            "[Event \"a\"]\n[Site \"b\"]\n\n1. A *",
        ),
        (
            "[ Event\"a\"]\r\n\r\n[Site \"b\"]\r\n*",
            "[Event \"a\"]\n[Site \"b\"]\n\n*",
        ),
        ("[Event\n\"a\"\n]\u{feff}*", "[Event \"a\"]\n\n*"),
    ];
    for (variant, standard) in pairs {
        let record = parse(variant);
        assert_eq!(record.to_string(), format!("{standard}\n"), "{variant:?}");
        assert_eq!(record, parse(standard), "{variant:?}");
    }
}

#[test]
fn a_variation_begins_at_its_number_or_its_first_letter() {
    // Its turn is at most the one that begins at the parenthesis.
    let cases = [
        ("1. A a 2. F b ( 1. C )", "1. A a 2. F b ( 1. C ) *"),
        ("1. A a 2. F b ( 1... d )", "1. A a 2. F b ( 1... d ) *"),
        ("1. A a 2. F b ( 2. D )", "1. A a 2. F b ( 2. D ) *"),
        ("1. A a 2. F b ( 3. D )", "1. A a 2. F b ( 3. D ) *"),
        ("1. A a 2. F b ( D )", "1. A a 2. F b ( 2. D ) *"),
        ("1. A a 2. F b ( d )", "1. A a 2. F b ( 2... d ) *"),
        ("1. A a 2. F ( d )", "1. A a 2. F ( 1... d ) *"),
        (
            "1. A a 2. F ( D ( E ) ( 2. B D b ) )",
            "1. A a 2. F ( 2. D ( 2. E ) ( 2. BD b ) ) *",
        ),
        (
            "1. A a 2. F b ( 1. D a ( b ) 2. C ) C",
            "1. A a 2. F b ( 1. D a ( 1... b ) 2. C ) 3. C *",
        ),
        // A variation in the middle of a turn begins at the beginning of the turn.
        ("1. C ( 1. CA ) F", "1. C ( 1. CA ) F *"),
    ];
    for (text, written) in cases {
        assert_eq!(parse(text).to_string(), format!("{written}\n"), "{text}");
    }
}

#[test]
fn a_swap_is_a_token_of_norths_turn() {
    let text = "[Rules \"mankalah\"]\n\n1. C swap b 2. A c ( 1... a 2. A ) *\n";
    let record = parse(text);
    assert_eq!(main_line(&record), "C swap b A c");
    assert!(record.game().is_swapped());
    assert_eq!(record.to_string(), text);
    // A variation without a number that begins with a swap belongs to the turn that can be one.
    let record = parse("[Rules \"mankalah\"] 1. C b ( swap { c } b ) 2. A d (swap)");
    let moves = "1. C b ( 1... swap { c } b ) 2. A d ( 1... swap ) *\n";
    assert!(record.to_string().ends_with(moves), "{record}");
}

#[test]
fn sowings_that_spell_swap_are_split() {
    // Each of the four reaches the store with its last seed: s with 8 seeds, w with 4, of which one
    // is from s, a with 26, and p with 11, of which one is from a.
    let mut setup = Setup::start(26, 0);
    setup.to_move = Side::North;
    setup.first_plies = FirstPlies::Later;
    setup.rows.south[0] = 1;
    for (letter, seeds) in [('s', 8), ('w', 3), ('a', 26), ('p', 10)] {
        let (side, house) = House::from_letter(letter).unwrap();
        setup.rows[side][usize::from(house.number()) - 1] = seeds;
    }
    let text = |moves: &str| format!("[Position \"{setup}\"]\n\n{moves}\n");
    let record = parse(&text("1... swa p t *"));
    assert_eq!(main_line(&record), "s w a p t");
    assert_eq!(record.to_string(), text("1... swapt *"));
    let record = parse(&text("1... swa p { ? } t *"));
    assert_eq!(record.to_string(), text("1... s wap { ? } t *"));
    assert_eq!(parse(&record.to_string()), record);
    let error = text("1... swap").parse::<Record>().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`swap`: sides can be exchanged only"),
        "{error}"
    );
}

#[test]
fn long_lines_are_broken_between_tokens() {
    let long = "x".repeat(100);
    let comment = "a comment that goes to the end of its line and not a bit further";
    let text = format!("1. CF {{ {comment} }}\n1... a {{ {long} }} 2. A {{ one\ntwo }} 2... b *\n");
    let lines = [
        &format!("1. CF {{ {comment} }} 1..."),
        "a",
        &format!("{{ {long} }}"),
        "2. A { one",
        "two } 2... b *",
        "",
    ];
    assert_eq!(parse(&text).to_string(), lines.join("\n"));
}

#[test]
fn long_turns_are_split_at_the_line_width() {
    // Backwards from the empty row: each time the empty house nearest to the store takes one seed
    // of the store and one of every house between. So each sowing banks one seed, up to the last.
    let houses: u8 = 26;
    let mut row = vec![0; houses.into()];
    let mut sowings = Vec::new();
    while let Some(house) = row.iter().rposition(|&seeds| seeds == 0) {
        row[house + 1..].iter_mut().for_each(|seeds| *seeds -= 1);
        row[house] = u64::from(houses) - u64::try_from(house).unwrap();
        sowings.push(Move::Sow(
            House::new(u32::try_from(house).unwrap() + 1).unwrap(),
        ));
    }
    assert!(sowings.len() > 160, "more than two lines");
    let mut setup = Setup::start(houses, 1);
    setup.rows.south = row;
    let start = setup.position(Rules::CS32).unwrap();
    let game = Game::replay(start, sowings.into_iter().rev()).unwrap();
    assert!(game.position().is_over());
    let record = Record::from_game(&game);
    let text = record.to_string();
    let moves = text.split_once("\n\n").unwrap().1;
    assert!(moves.lines().all(|line| line.len() <= 80), "{moves}");
    assert!(moves.lines().count() >= 3, "{moves}");
    assert_eq!(parse(&text), record);
}

#[test]
fn the_builder_refuses_invalid_entries_and_stays_unchanged() {
    use kalah::record::{MAX_VARIATION_DEPTH, MovetextError};
    let sow = |number| Move::Sow(House::new(number).unwrap());
    let turn = |number, side| Turn { number, side };
    let mut builder = RecordBuilder::new(Tags::new()).unwrap();
    assert_eq!(
        builder.begin_variation(turn(1, Side::South)),
        Err(MovetextError::VariationBeforeFirstPly)
    );
    assert_eq!(builder.end_variation(), Err(MovetextError::NoOpenVariation));
    assert_eq!(builder.comment("a } b"), Err(MovetextError::BraceInComment));
    assert!(matches!(
        builder.play(sow(7)),
        Err(MovetextError::Illegal { .. })
    ));
    assert!(matches!(
        builder.play(Move::Swap),
        Err(MovetextError::Illegal { .. })
    ));
    builder.play(sow(1)).unwrap();
    assert_eq!(builder.turn(), turn(1, Side::North));
    for wrong in [
        turn(0, Side::South),
        turn(0, Side::North),
        turn(2, Side::South),
        turn(u32::MAX, Side::North),
    ] {
        let (first, last) = (turn(1, Side::South), turn(1, Side::North));
        let error = MovetextError::NoSuchTurn {
            turn: wrong,
            first,
            last,
        };
        assert_eq!(builder.begin_variation(wrong), Err(error));
    }
    builder.begin_variation(turn(1, Side::South)).unwrap();
    assert_eq!(builder.end_variation(), Err(MovetextError::EmptyVariation));
    builder.play(sow(2)).unwrap();
    for _ in 1..MAX_VARIATION_DEPTH {
        builder.begin_variation(turn(1, Side::South)).unwrap();
        builder.play(sow(3)).unwrap();
    }
    assert_eq!(builder.depth(), MAX_VARIATION_DEPTH);
    assert_eq!(
        builder.begin_variation(turn(1, Side::South)),
        Err(MovetextError::TooDeep)
    );
    let record = builder.finish().unwrap();
    assert_eq!(parse(&record.to_string()), record);

    // A copy entry by entry is equal.
    let mut copy = RecordBuilder::new(record.tags().clone()).unwrap();
    for entry in record.entries() {
        copy.push(entry).unwrap();
    }
    assert_eq!(copy.finish(), Ok(record));
}

#[test]
fn no_variation_begins_after_the_end_of_the_game() {
    use kalah::record::MovetextError;
    let tags = parse(&format!("{LAST_PLY} *")).tags().clone();
    let mut builder = RecordBuilder::new(tags).unwrap();
    let south = Turn {
        number: 1,
        side: Side::South,
    };
    builder.play(Move::Sow(House::new(2).unwrap())).unwrap();
    assert!(builder.position().is_over());
    let turn = Turn {
        number: 1,
        side: Side::North,
    };
    let error = MovetextError::NoSuchTurn {
        turn,
        first: south,
        last: south,
    };
    assert_eq!(builder.begin_variation(turn), Err(error));
    builder.comment("at last").unwrap();
    assert_eq!(
        builder.finish().unwrap().ending().termination,
        Termination::Normal
    );
}
