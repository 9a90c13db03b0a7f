//! The texts of setups, positions and rules: round trips, and errors from data files.

use std::fmt::Display;
use std::str::FromStr;

use kalah::{BySide, FirstPlies, Rules, Setup, Side};
use proptest::prelude::*;

use crate::strategies::{all_rules, any_first_plies, any_rules, any_side, playable_setups};

/// Setups that have a text, most of them invalid.
fn writable_setups() -> impl Strategy<Value = Setup> {
    (0..40_usize).prop_flat_map(|houses| {
        let row = || prop::collection::vec(any::<u64>(), houses);
        let parts = (
            row(),
            row(),
            any::<(u64, u64)>(),
            any_side(),
            any_first_plies(),
        );
        parts.prop_map(|(south, north, stores, to_move, first_plies)| Setup {
            stores: BySide::new(stores.0, stores.1),
            rows: BySide::new(south, north),
            to_move,
            first_plies,
        })
    })
}

/// Returns the same text with `space` wherever white space is accepted.
fn spaced(text: &str, space: &str) -> String {
    let mut spaced = space.to_owned();
    for char in text.chars() {
        match char {
            ',' | '<' | '>' => spaced.extend([space, &char.to_string(), space]),
            ' ' => spaced.extend([" ", space]),
            _ => spaced.push(char),
        }
    }
    spaced + space
}

proptest! {
    #[test]
    fn setups_read_back(setup in writable_setups()) {
        let text = setup.to_string();
        prop_assert_eq!(text.parse(), Ok(setup.clone()), "{}", text);
        for space in [" ", "\t \n", "\u{3000}"] {
            let spaced = spaced(&text, space);
            prop_assert_eq!(spaced.parse(), Ok(setup.clone()), "{}", spaced);
        }
    }

    #[test]
    fn positions_read_back(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        let text = position.to_string();
        let again: Setup = text.parse().unwrap();
        prop_assert_eq!(&again, &Setup::from(&position), "{}", text);
        prop_assert_eq!(again.position(rules), Ok(position), "{}", text);
    }

    #[test]
    fn texts_like_setups_are_parsed_or_refused_with_a_location(text in "[<>x,0-9a-z =+é∅-]{0,24}") {
        match text.parse::<Setup>() {
            Ok(setup) => prop_assert_eq!(setup.to_string().parse(), Ok(setup)),
            Err(error) => {
                prop_assert_eq!(&error.text, &text);
                prop_assert!((1..=text.chars().count() + 1).contains(&error.character), "{}", error);
            }
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused(text: String) {
        if let Ok(setup) = text.parse::<Setup>() {
            prop_assert_eq!(setup.to_string().parse(), Ok(setup));
        }
        if let Ok(rules) = text.parse::<Rules>() {
            prop_assert_eq!(rules.to_string().parse(), Ok(rules));
        }
    }
}

#[test]
fn rules_read_back() {
    for rules in all_rules() {
        assert_eq!(rules.to_string().parse(), Ok(rules), "{rules}");
        assert_eq!(format!("\t {rules}\n").parse(), Ok(rules), "{rules}");
    }
    for preset in Rules::PRESETS {
        assert_eq!(preset.rules.to_string(), preset.name);
        assert_eq!(preset.name.parse(), Ok(preset.rules));
    }
}

#[test]
fn fields_of_rules_may_be_in_any_order() {
    let rules: Rules = "first-bonus=no, swap=yes ,capture=opposite,ends=row"
        .parse()
        .unwrap();
    assert_eq!(rules, Rules::MANKALAH);
    let rules: Rules = "ends=stuck,capture=always,swap=no,first-bonus=yes"
        .parse()
        .unwrap();
    assert_eq!(
        rules.to_string(),
        "ends=stuck,capture=always,swap=no,first-bonus=yes"
    );
}

#[test]
fn quotations_of_invalid_rules_are_cut() {
    for (text, field) in [("é", ""), ("ends=", ""), ("ends=row,", "ends=row")] {
        let refused = |times: usize| {
            let text = text.repeat(times) + field;
            text.parse::<Rules>().unwrap_err().to_string()
        };
        assert!(refused(1).contains(text), "{}", refused(1));
        assert!(refused(100_000).len() < 500, "{text}");
    }
}

#[test]
fn a_missing_side_is_south() {
    for (text, written) in [
        ("<1,2,3,4,5>", "<1,2,3,4,5> s"),
        ("<1,2,3,4,5>n", "<1,2,3,4,5> n"),
        ("<1,2,3,4,5> ply=2", "<1,2,3,4,5> s ply=2"),
        ("  < 1 ,2,3 , 4,5 >  n  ply=1 ", "<1,2,3,4,5> n ply=1"),
        ("<1,02,3,4,00005> s", "<1,2,3,4,5> s"),
        ("2x3", "<2,0,0,3,3,3,3> s ply=1"),
        ("2x3 n", "<2,0,0,3,3,3,3> n ply=1"),
        (" 2x3  s ply=2", "<2,0,0,3,3,3,3> s ply=2"),
        ("02x03 ply=2", "<2,0,0,3,3,3,3> s ply=2"),
    ] {
        let setup: Setup = text.parse().unwrap();
        assert_eq!(setup.to_string(), written, "{text}");
    }
    let setup: Setup = "2x3".parse().unwrap();
    assert_eq!(
        (setup.to_move, setup.first_plies),
        (Side::South, FirstPlies::PlyOne)
    );
}

/// Checks the errors of a file of invalid texts and returns their number. The file has pairs of
/// lines `text "..."` and `error ...`, blank lines and `#` comments.
fn check_errors<T>(file: &str) -> usize
where
    T: FromStr<Err: Display> + Display,
{
    let mut refused = 0;
    let mut lines = (file.lines()).filter(|line| !line.is_empty() && !line.starts_with('#'));
    while let Some(line) = lines.next() {
        let text = (line.strip_prefix("text \""))
            .and_then(|line| line.strip_suffix('"'))
            .unwrap_or_else(|| panic!("not a quoted text: {line}"));
        let message = (lines.next())
            .and_then(|line| line.strip_prefix("error "))
            .unwrap_or_else(|| panic!("{line} has no error"));
        match text.parse::<T>() {
            Ok(value) => panic!("`{text}` was read as `{value}`"),
            Err(error) => assert_eq!(error.to_string(), message, "the message of `{text}`"),
        }
        refused += 1;
    }
    refused
}

#[test]
fn invalid_positions_have_the_messages_of_the_data_file() {
    let refused = check_errors::<Setup>(include_str!("../data/bad_positions.txt"));
    assert_eq!(refused, 73);
}

#[test]
fn invalid_rules_have_the_messages_of_the_data_file() {
    let refused = check_errors::<Rules>(include_str!("../data/bad_rules.txt"));
    assert_eq!(refused, 21);
}
