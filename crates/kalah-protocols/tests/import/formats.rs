//! Which form a text has, and what stands at its beginning and its end.

use kalah::Game;
use kalah_protocols::import::{ImportFormat, ImportedGames, import};

/// The only game of what was imported without an error.
fn only(imported: &ImportedGames) -> Game {
    assert_eq!(imported.errors, [], "{imported:?}");
    assert_eq!(imported.records.len(), 1, "{imported:?}");
    imported.records[0].game()
}

#[test]
fn forms_are_told_apart_by_what_begins_alike() {
    for (text, form) in [
        (
            "2 kgp 1 0 1\n1 mode freeplay\n8 state <2,0,0,1,1,1,1>\n",
            Some(ImportFormat::Kgp),
        ),
        (
            " [ {\"actions\": [1]}, {\"actions\": [2]}]",
            Some(ImportFormat::OpenSpiel),
        ),
        ("\u{feff}1 8\n", Some(ImportFormat::OpenSpiel)),
        ("\u{feff}[1, 8]\n", Some(ImportFormat::OpenSpiel)),
        ("[debug] 12\n", None),
        ("2 kgp 1 0 1\n", None),
    ] {
        assert_eq!(ImportFormat::detect(text), form, "{text}");
    }
    let marked = import("\u{feff}1 8\n", ImportFormat::OpenSpiel, None);
    assert_eq!(only(&marked).plies().len(), 2);
}

#[test]
fn forced_plies_at_the_end_are_played_out() {
    // After South has sown B, North has the choice of one house only, and so on to the end.
    let text = "8 state <2,0,0,0,1,1,0>\n9@8 move 2\n9@8 yield\n";
    let game = only(&import(text, ImportFormat::Kgp, None));
    assert!(game.position().is_over());
    let waiting = "8 state <2,0,0,1,1,1,0>\n";
    let game = only(&import(waiting, ImportFormat::Kgp, None));
    assert_eq!(game.plies().len(), 0);
}
