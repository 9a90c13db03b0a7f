//! The texts of the formats, their losses, and the games that they cannot express.

use kalah::Termination;
use kalah::record::Record;
use kalah_open_spiel::{ExportFormat, ExportLoss, export};
use serde_json::{Value, json};

use super::{open_spiel_game, record};

#[test]
fn names_of_formats_are_parsed() {
    for format in ExportFormat::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "chess".parse::<ExportFormat>().expect_err("it is none");
    assert_eq!(
        error.to_string(),
        "unknown format `chess`: expected openspiel or kaggle"
    );
}

#[test]
fn actions_are_the_fields_of_the_houses() {
    let record = record("[Rules \"standard\"]\n\n1. CF be 2. A *");
    let exported = export(&record, ExportFormat::OpenSpiel).expect("the rules are standard");
    assert_eq!(exported.text, "[3, 6, 9, 12, 1]");
    assert_eq!(exported.losses, []);
    let empty = Record::from_game(&open_spiel_game(&[]));
    let exported = export(&empty, ExportFormat::OpenSpiel).expect("the rules are standard");
    assert_eq!(exported.text, "[]");
}

#[test]
fn the_last_state_of_an_episode_is_not_swept() {
    // The game of a sample replay of Kaggle's environment.
    let moves = "1. CF be 2. A c 3. B b 4. C e 5. F d 6. B e 7. D f 8. FA a 9. B b 10. D c 11. FE b \
                 12. A a 13. B b 14. C fe 15. F";
    let record = record(&format!("[Rules \"standard\"]\n\n{moves} 25-23"));
    let text = export(&record, ExportFormat::Kaggle)
        .expect("the rules are standard")
        .text;
    let episode: Value = serde_json::from_str(&text).expect("JSON");
    let last = episode["steps"]
        .as_array()
        .expect("steps")
        .last()
        .expect("a step");
    let state = last[0]["observation"]["observationString"]
        .as_str()
        .expect("a text");
    let state: Value = serde_json::from_str(state).expect("JSON");
    assert_eq!(
        state["board"],
        json!([22, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 0, 0, 1])
    );
    assert_eq!(state["current_player"], json!("terminal"));
    assert_eq!(state["winner"], json!(0));
    assert_eq!(episode["steps"].as_array().map(Vec::len), Some(36));
    assert_eq!(episode["rewards"], json!([1.0, -1.0]));
    assert_eq!(episode["statuses"], json!(["DONE", "DONE"]));
}

#[test]
fn losses_are_reported() {
    let text = "[Event \"Saturday\"]\n[South \"Lisa\"]\n[Rules \"standard\"]\n\
                [Termination \"resign\"]\n[Winner \"North\"]\n\n1. CF b { good } ( 1... a ) *";
    let losses = |format| {
        export(&record(text), format)
            .expect("the rules are standard")
            .losses
    };
    assert_eq!(
        losses(ExportFormat::OpenSpiel),
        [
            ExportLoss::Names,
            ExportLoss::Tags,
            ExportLoss::Comments,
            ExportLoss::Variations,
            ExportLoss::Termination,
        ]
    );
    let replaced = ExportLoss::ReplacedTermination {
        from: Termination::Resign,
        to: Termination::Adjudicated,
    };
    assert_eq!(
        losses(ExportFormat::Kaggle),
        [
            ExportLoss::Tags,
            ExportLoss::Comments,
            ExportLoss::Variations,
            replaced,
        ]
    );
    assert_eq!(
        replaced.to_string(),
        "the termination resign, which becomes adjudicated"
    );
}

#[test]
fn other_rules_and_starts_are_refused() {
    for (text, error) in [
        (
            "[Rules \"mankalah\"]\n\n1. C swap *",
            "its rules are mankalah, and under the rules standard of OpenSpiel's mancala it is \
             another game",
        ),
        (
            "[Rules \"mankalah\"]\n\n1. C *",
            "its rules are mankalah, and under the rules standard of OpenSpiel's mancala it is \
             another game",
        ),
        (
            "[Rules \"standard\"]\n[Position \"6x3\"]\n\n*",
            "it starts from `<6,0,0,3,3,3,3,3,3,3,3,3,3,3,3> s`, but OpenSpiel's mancala starts \
             from 6x4",
        ),
        (
            "[Rules \"standard\"]\n[Position \"<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n\"]\n\n1... a *",
            "it starts from `<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n`, but OpenSpiel's mancala starts \
             from 6x4",
        ),
    ] {
        for format in ExportFormat::ALL {
            let refused = export(&record(text), format).expect_err("it cannot be expressed");
            assert_eq!(refused.to_string(), error);
        }
    }
    // The same rules under their long name.
    let long = "[Rules \"ends=row,capture=opposite,swap=no,first-bonus=yes\"]\n\n1. C *";
    assert!(export(&record(long), ExportFormat::OpenSpiel).is_ok());
}

#[test]
fn a_game_of_other_rules_is_exported_if_standard_has_the_same() {
    for (text, actions) in [
        ("1. C *", "[3]"),
        ("[Rules \"mankalah\"]\n\n1. A a *", "[1, 8]"),
        ("[Rules \"empty-capture\"]\n\n1. CF b *", "[3, 6, 9]"),
    ] {
        let exported = export(&record(text), ExportFormat::OpenSpiel).expect("the same moves");
        assert_eq!(exported.text, actions);
        assert_eq!(exported.losses, [ExportLoss::Rules], "{text}");
        assert!(export(&record(text), ExportFormat::Kaggle).is_ok());
    }
}
