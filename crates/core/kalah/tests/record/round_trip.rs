//! Random records read back as they were written.

use kalah::record::{Record, RecordBuilder, RecordEntry, Tags, Turn};
use kalah::{
    BySide, CaptureRule, EndRule, Ending, FirstPlies, FirstPlyRules, HouseRules, Move, Outcome,
    Position, Rules, Setup, Side, Termination,
};
use proptest::prelude::*;

/// A step of building a random record. Impossible steps are skipped.
#[derive(Clone, Debug)]
enum Step {
    /// A legal move.
    Play(prop::sample::Index),
    Comment(String),
    /// A variation from this number of turns back.
    Begin(u32),
    End,
}

fn rules() -> impl Strategy<Value = Rules> {
    let ends = prop_oneof![Just(EndRule::Stuck), Just(EndRule::Row)];
    let capture = prop_oneof![Just(CaptureRule::Opposite), Just(CaptureRule::Always)];
    let any = (ends, capture, any::<bool>(), any::<bool>());
    prop_oneof![
        prop::sample::select(Rules::PRESETS.as_slice()).prop_map(|preset| preset.rules),
        any.prop_map(|(ends, capture, swap, first_bonus)| Rules {
            house_rules: HouseRules { ends, capture },
            first_ply_rules: FirstPlyRules { swap, first_bonus },
        }),
    ]
}

fn start() -> impl Strategy<Value = Position> {
    let side = prop::sample::select(Side::ALL.as_slice());
    let first_plies =
        prop::sample::select(&[FirstPlies::PlyOne, FirstPlies::PlyTwo, FirstPlies::Later][..]);
    let setup = (1_usize..=26).prop_flat_map(move |houses| {
        let row = prop::collection::vec(0_u64..8, houses);
        (
            row.clone(),
            row,
            0_u64..30,
            0_u64..30,
            side.clone(),
            first_plies.clone(),
        )
            .prop_map(
                |(south, north, in_south, in_north, to_move, first_plies)| Setup {
                    stores: BySide::new(in_south, in_north),
                    rows: BySide::new(south, north),
                    to_move,
                    first_plies,
                },
            )
    });
    let usual = (1_u8..=8, 1_u64..=6).prop_map(|(houses, seeds)| Setup::start(houses, seeds));
    (prop_oneof![setup, usual], rules()).prop_map(|(setup, rules)| setup.position(rules).unwrap())
}

/// Any text, with a high share of characters that have a meaning in records.
fn text() -> impl Strategy<Value = String> {
    let special = "[\\[\\](){*1.Aa\"\\\\\r\n\t \u{feff}\u{a0}n-]{0,12}";
    prop_oneof![special, "(?s).{0,12}", "[a-z ]{60,100}"]
}

fn steps(length: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => any::<prop::sample::Index>().prop_map(Step::Play),
        2 => text().prop_map(|text| Step::Comment(text.replace('}', ""))),
        2 => (0_u32..4).prop_map(Step::Begin),
        2 => Just(Step::End),
    ];
    prop::collection::vec(step, 0..length)
}

/// The turn that comes `back` turns before `turn`, or as far back as there are numbers.
fn turn_before(turn: Turn, back: u32) -> Turn {
    (0..back).fold(turn, |Turn { number, side }, _| Turn {
        number: match side {
            Side::South => number.saturating_sub(1),
            Side::North => number,
        },
        side: side.opponent(),
    })
}

fn build(start: &Position, steps: Vec<Step>) -> Record {
    let mut builder = RecordBuilder::new(Tags::from_start(start)).unwrap();
    for step in steps {
        match step {
            Step::Play(index) => {
                let moves: Vec<Move> = builder.position().legal_moves().collect();
                if !moves.is_empty() {
                    builder.play(*index.get(&moves)).unwrap();
                }
            }
            Step::Comment(text) => builder.comment(&text).unwrap(),
            Step::Begin(back) => {
                let turn = turn_before(builder.turn(), back);
                let has_begun = builder.begin_variation(turn).is_ok();
                assert!(!has_begun || !builder.position().is_over());
            }
            // An empty variation cannot end; the step is skipped then.
            Step::End => drop(builder.end_variation()),
        }
    }
    // Nor can the record end while a variation has no ply.
    if let Err(_empty) = builder.clone().finish() {
        let mv = builder.position().legal_moves().next().unwrap();
        builder.play(mv).unwrap();
    }
    builder.finish().unwrap()
}

/// Returns final stores of an adjudication.
fn adjudicate(record: &Record, south: prop::sample::Index) -> Outcome {
    let total = record.start().total().get();
    let south = *south.get(&(0..=total).collect::<Vec<_>>());
    Outcome {
        stores: BySide::new(south.into(), (total - south).into()),
    }
}

prop_compose! {
    fn record()(
        start in start(),
        steps in steps(120),
        tags in prop::collection::vec(("[A-Za-z0-9_]{1,3}", text()), 0..4),
        names in prop::collection::vec((0_usize..6, text()), 0..4),
        termination in prop::sample::select(Termination::ALL.as_slice()),
        winner in prop::sample::select(&[None, Some(Side::South), Some(Side::North)][..]),
        given in prop::option::of(any::<prop::sample::Index>()),
    ) -> Record {
        let mut record = build(&start, steps);
        for (name, value) in tags {
            record.set_tag(&name, value).unwrap();
        }
        // The first six are free text.
        for (index, value) in names {
            record.set_tag(Tags::KNOWN[index], value).unwrap();
        }
        let is_over = record.ending().outcome.is_some();
        let outcome = given
            .filter(|_| termination == Termination::Adjudicated)
            .map(|south| adjudicate(&record, south));
        let winner = outcome.map_or(winner, Outcome::winner);
        let unchanged = record.clone();
        if record.set_ending(Ending { termination, winner, outcome }).is_err() {
            assert_eq!(record, unchanged);
            assert_ne!(is_over, termination == Termination::Normal);
        }
        record
    }
}

fn with_windows_line_ends(text: &str) -> String {
    text.replace('\n', "\r\n")
}

/// A text with some of its characters replaced by others.
fn corrupted_text() -> impl Strategy<Value = String> {
    let replacement = prop_oneof!["[\\[\\](){}*0-9.A-Fa-f\"\\\\ \n-]{0,2}", "(?s).{0,1}"];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), replacement), 1..4);
    (record(), edits).prop_map(|(record, edits)| {
        let mut characters: Vec<String> = record.to_string().chars().map(String::from).collect();
        for (index, replacement) in edits {
            *index.get_mut(&mut characters) = replacement;
        }
        characters.concat()
    })
}

proptest! {
    #[test]
    fn records_read_back(record in record()) {
        let text = record.to_string();
        prop_assert_eq!(text.parse(), Ok(record.clone()), "{}", text);
        let windows = with_windows_line_ends(&text);
        prop_assert_eq!(windows.parse(), Ok(record.clone()), "{}", text);
        prop_assert!(text.ends_with('\n'));
        let plain = !record.entries().iter().any(|entry| matches!(entry, RecordEntry::Comment(_)));
        let (_, moves) = text.split_once("\n\n").unwrap();
        if plain {
            prop_assert!(moves.lines().all(|line| line.len() <= 80), "{}", text);
        }
        prop_assert!(moves.lines().all(|line| !line.is_empty() || !plain), "{}", text);
    }

    #[test]
    fn the_main_line_of_a_record_is_a_game(record in record()) {
        let game = record.game();
        prop_assert_eq!(game.start(), &record.start());
        let Ending { termination, outcome, .. } = record.ending();
        prop_assert_eq!(game.outcome(), outcome.filter(|_| termination == Termination::Normal));
        prop_assert!(game.plies().iter().map(|ply| ply.mv).eq(record.main_line()));
        // The record of the game has the main line only; setting the same game changes nothing.
        let mut bare = Record::from_game(&game);
        prop_assert_eq!(bare.game(), game.clone());
        prop_assert!(bare.main_line().eq(record.main_line()));
        bare.set_game(&game).unwrap();
        prop_assert_eq!(&bare, &Record::from_game(&game));
        let mut same = record.clone();
        same.set_game(&game).unwrap();
        prop_assert_eq!(same.entries(), record.entries());
    }

    #[test]
    fn a_game_can_be_recorded_ply_by_ply(start in start(), steps in steps(40)) {
        let whole = build(&start, steps).game();
        let mut game = kalah::Game::new(start);
        let mut record = Record::from_game(&game);
        for mv in whole.plies().iter().map(|ply| ply.mv) {
            game.play(mv).unwrap();
            record.set_game(&game).unwrap();
            prop_assert_eq!(&record, &Record::from_game(&game));
            prop_assert_eq!(record.to_string().parse(), Ok(record.clone()));
        }
    }

    #[test]
    fn turn_numbers_are_optional(record in record()) {
        let game = record.game();
        let bare = Record::from_game(&game);
        let text = bare.to_string();
        let (tags, moves) = text.split_once("\n\n").unwrap();
        let words: Vec<&str> = moves.split_whitespace().filter(|word| !word.ends_with('.')).collect();
        let unnumbered = format!("{tags} {}", words.join(" "));
        prop_assert_eq!(unnumbered.parse(), Ok(bare), "{}", unnumbered);
    }

    #[test]
    fn several_records_read_back(records in prop::collection::vec(record(), 0..4)) {
        let text: String = records.iter().map(Record::to_string).collect();
        prop_assert_eq!(Record::parse_all(&text), Ok(records), "{}", text);
    }

    #[test]
    fn corrupted_texts_are_parsed_or_refused(text in corrupted_text()) {
        match Record::parse_all(&text) {
            Ok(records) => {
                let written: String = records.iter().map(Record::to_string).collect();
                prop_assert_eq!(Record::parse_all(&written), Ok(records), "{}", written);
            }
            Err(error) => {
                let lines = text.lines().count().max(1);
                prop_assert!((1..=lines + 1).contains(&error.line), "{error}");
            }
        }
    }
}
