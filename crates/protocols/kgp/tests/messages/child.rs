//! The dialect between a client and its child process.

use kalah_kgp::{ChildMove, ChildStateParser, KgpBoard, format_child_state};
use proptest::prelude::*;

use super::{any_board, house};

#[test]
fn moves_are_numbered_from_zero() {
    for (text, number) in [("0", 1), ("5\r\n", 6), ("25", 26)] {
        let mv: ChildMove = text.parse().expect(text);
        assert_eq!(mv.0, house(number));
    }
    for text in ["", "26", "-1", "x", "1 2", "99999999999"] {
        let error = text.parse::<ChildMove>().expect_err(text).to_string();
        let expected = format!("`{text}` is not a move: expected the number of a house, from 0");
        assert_eq!(error, expected);
    }
}

#[test]
fn parsing_continues_after_an_error() {
    let mut parser = ChildStateParser::default();
    for (line, error) in [
        ("3 0 1 x 4", "`x` is not a whole number"),
        ("0", "0 is not a number of houses: a side has from 1 to 26"),
        (
            "27",
            "27 is not a number of houses: a side has from 1 to 26",
        ),
        ("3 0 -1", "`-1` is not a whole number"),
        (
            "18446744073709551616",
            "`18446744073709551616` is not a whole number",
        ),
    ] {
        assert_eq!(parser.push_line(line).expect_err(line).to_string(), error);
    }
    let boards = parser.push_line("1 0 0 1 1 1 0 2 1 0").expect("two states");
    assert_eq!(
        boards.iter().map(KgpBoard::to_string).collect::<Vec<_>>(),
        ["<1,0,0,1,1>", "<1,0,2,1,0>"]
    );
}

#[test]
fn input_that_ends_within_a_state_is_an_error() {
    let mut parser = ChildStateParser::default();
    assert_eq!(parser.finish(), Ok(()));
    parser.push_line("3 0 0 2 2").expect("numbers");
    let error = parser.finish().expect_err("an incomplete state");
    let expected = "the input ends within a state: 5 of 9 numbers";
    assert_eq!(error.to_string(), expected);
    parser.push_line("2 2 2 2").expect("the rest");
    assert_eq!(parser.finish(), Ok(()));
    parser.push_line("1 x").expect_err("not a number");
    assert_eq!(parser.finish(), Ok(()));
}

proptest! {
    #[test]
    fn a_state_is_parsed_from_any_two_parts(board in any_board(), cut in 0..400_usize) {
        let text = format_child_state(&board);
        let blanks = text.match_indices([' ', '\n']).map(|(index, _)| index);
        let cut = blanks.cycle().nth(cut).expect("a state has blanks");
        let (one, other) = text.split_at(cut);
        let mut parser = ChildStateParser::default();
        let mut boards = parser.push_line(one).expect("numbers");
        boards.extend(parser.push_line(other).expect("numbers"));
        prop_assert_eq!(boards, [board]);
    }

    #[test]
    fn arbitrary_states_round_trip_or_are_refused(text in "[0-9 \n.-]{0,80}|\\PC{0,30}") {
        let mut parser = ChildStateParser::default();
        if let Ok(mv) = text.parse::<ChildMove>() {
            prop_assert_eq!(mv.to_string().parse(), Ok(mv));
        }
        for line in text.lines() {
            for board in parser.push_line(line).unwrap_or_default() {
                let again = ChildStateParser::default().push_line(&format_child_state(&board));
                prop_assert_eq!(again, Ok(vec![board]));
            }
        }
    }
}
