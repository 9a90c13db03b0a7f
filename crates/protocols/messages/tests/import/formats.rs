//! Detection of the format, and the beginning of a text.

use kalah_protocols::import::{KGP, OPEN_SPIEL, detect};

use super::only_game;

#[test]
fn formats_are_detected() {
    for (text, format) in [
        (
            "2 kgp 1 0 1\n1 mode freeplay\n8 state <2,0,0,1,1,1,1>\n",
            Some(&KGP),
        ),
        (
            " [ {\"actions\": [1]}, {\"actions\": [2]}]",
            Some(&OPEN_SPIEL),
        ),
        ("\u{feff}1 8\n", Some(&OPEN_SPIEL)),
        ("\u{feff}[1, 8]\n", Some(&OPEN_SPIEL)),
        ("[]\n[1, 8]\n", Some(&OPEN_SPIEL)),
        ("[debug] 12\n", None),
        ("2 kgp 1 0 1\n", None),
    ] {
        assert_eq!(detect(text), format, "{text}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let imported = OPEN_SPIEL.import("\u{feff}1 8\n", None);
    assert_eq!(only_game(&imported).plies().len(), 2);
}
