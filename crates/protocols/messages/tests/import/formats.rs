//! Detection of the format, and the beginning of a text.

use kalah_protocols::import::{ImportFormat, import};

use super::only_game;

#[test]
fn formats_are_detected() {
    for (text, format) in [
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
        ("[]\n[1, 8]\n", Some(ImportFormat::OpenSpiel)),
        ("[debug] 12\n", None),
        ("2 kgp 1 0 1\n", None),
    ] {
        assert_eq!(ImportFormat::detect(text), format, "{text}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let imported = import("\u{feff}1 8\n", ImportFormat::OpenSpiel, None);
    assert_eq!(only_game(&imported).plies().len(), 2);
}
