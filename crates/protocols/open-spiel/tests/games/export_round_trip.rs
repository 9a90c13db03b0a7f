//! The import of an exported game returns the game.

use kalah::record::Record;
use kalah::{Ending, Margin, Outcome, Rules, SeedCount, Side, Termination};
use kalah_open_spiel::{ExportFormat, ExportLoss, OPEN_SPIEL, export};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use test_tools::sample_or_all;

use super::open_spiel_game;

/// The ways in which the agents of Kaggle can end a game early.
const EARLY_ENDINGS: [Termination; 4] = [
    Termination::Adjudicated,
    Termination::Illegal,
    Termination::Time,
    Termination::Crash,
];

/// Returns the record of a random game with the names of players and an ending.
fn random_record() -> impl Strategy<Value = Record> {
    let picks = prop::collection::vec(0_usize..60, 0..100);
    let names = [
        prop::option::of("\\PC{0,12}"),
        prop::option::of("[a-z \"\\\\]{1,5}"),
    ];
    let winner = prop::option::of(prop::sample::select(&Side::ALL[..]));
    let termination = prop::option::of(prop::sample::select(&EARLY_ENDINGS[..]));
    (picks, names, winner, termination).prop_map(|(picks, names, winner, termination)| {
        let game = open_spiel_game(&picks);
        let mut record = Record::from_game(&game);
        for (tag, name) in ["South", "North"].into_iter().zip(names) {
            if let Some(name) = name {
                record.set_tag(tag, name).expect("a name");
            }
        }
        // Only an adjudicated game can be without a winner.
        let is_possible = winner.is_some() || termination == Some(Termination::Adjudicated);
        if let Some(termination) = termination
            && !game.position().is_over()
            && is_possible
        {
            let ending = Ending {
                termination,
                winner,
                outcome: None,
            };
            record.set_ending(ending).expect("the game is not over");
        }
        record
    })
}

/// Returns the records of an exported text.
fn import_text(text: &str) -> Vec<Record> {
    assert!((OPEN_SPIEL.recognize)(text), "{text}");
    let imported = OPEN_SPIEL.import(text, None);
    assert_eq!(imported.errors, [], "{text}");
    imported.records
}

/// Exports random files of several games to both formats and imports them again.
fn check_files(files: u32) {
    let config = ProptestConfig::with_cases(files);
    let records = prop::collection::vec(random_record(), 1..12);
    let result = TestRunner::new(config).run(&records, |records| {
        for format in ExportFormat::ALL {
            let mut lines = String::new();
            for record in &records {
                let exported = export(record, format).expect("the rules are standard");
                prop_assert!(!exported.text.contains('\n'));
                if format == ExportFormat::Kaggle {
                    prop_assert_eq!(exported.losses, []);
                }
                lines += &exported.text;
                lines.push('\n');
            }
            let imported = import_text(&lines);
            prop_assert_eq!(imported.len(), records.len());
            for (imported, record) in imported.iter().zip(&records) {
                prop_assert_eq!(imported.start().rules(), Rules::STANDARD);
                match format {
                    ExportFormat::OpenSpiel => prop_assert_eq!(imported.game(), record.game()),
                    // The names and the ending, too.
                    ExportFormat::Kaggle => prop_assert_eq!(imported, record),
                }
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The number of files of the sample and of the whole test, with six games each on average.
const SAMPLE_FILES: u32 = 60;
const ALL_FILES: u32 = 1000;

#[test]
fn exported_games_are_imported() {
    check_files(sample_or_all(SAMPLE_FILES, ALL_FILES));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn an_episode_says_its_game_three_times(record in random_record()) {
        let text = export(&record, ExportFormat::Kaggle).expect("the rules are standard").text;
        let episode: Value = serde_json::from_str(&text).expect("JSON");
        let mut without_applied = episode.clone();
        let steps = without_applied["steps"].as_array_mut().expect("steps");
        for entry in steps.iter_mut().flat_map(|step| step.as_array_mut().expect("entries")) {
            entry["info"] = serde_json::json!({});
        }
        let mut without_history = without_applied.clone();
        without_history["info"].as_object_mut().expect("an object").remove("actionHistory");
        for episode in [episode, without_applied, without_history] {
            prop_assert_eq!(import_text(&episode.to_string()), [record.clone()]);
        }
    }
}

#[test]
fn other_terminations_become_the_closest_one() {
    for (termination, winner, expected) in [
        (
            Termination::Resign,
            Some(Side::North),
            Termination::Adjudicated,
        ),
        (Termination::Stall, Some(Side::South), Termination::Time),
        (Termination::Protocol, Some(Side::North), Termination::Crash),
        (Termination::Crash, None, Termination::Unfinished),
    ] {
        let mut record = Record::from_game(&open_spiel_game(&[2, 5, 1]));
        let outcome = None;
        let ending = Ending {
            termination,
            winner,
            outcome,
        };
        record.set_ending(ending).expect("the game is not over");
        let exported = export(&record, ExportFormat::Kaggle).expect("the rules are standard");
        let (from, to) = (termination, expected);
        assert_eq!(
            exported.losses,
            [ExportLoss::ReplacedTermination { from, to }]
        );
        let imported = import_text(&exported.text)[0].ending();
        assert_eq!((imported.termination, imported.winner), (expected, winner));
    }
}

#[test]
fn an_episode_has_the_winner_of_an_adjudication_and_not_its_stores() {
    let mut record = Record::from_game(&open_spiel_game(&[2, 5, 1]));
    let winner = Some(Side::North);
    let mut ending = Ending {
        termination: Termination::Adjudicated,
        winner,
        outcome: Outcome::from_margin(Margin::new(-4), SeedCount::from(48)),
    };
    record.set_ending(ending).expect("the game is not over");
    let exported = export(&record, ExportFormat::Kaggle).expect("the rules are standard");
    assert_eq!(exported.losses, [ExportLoss::Result]);
    ending.outcome = None;
    assert_eq!(import_text(&exported.text)[0].ending(), ending);
    let actions = export(&record, ExportFormat::OpenSpiel).expect("the rules are standard");
    assert_eq!(actions.losses, [ExportLoss::Termination]);
}
