//! Drawings of boards have the layouts of the courses, and their columns are aligned.

use kalah::{BySide, Labels, Position, Rules, Setup, Side};
use kalah_text::{BoardDrawing, Palette};

fn position(setup: &str) -> Position {
    let setup: Setup = setup.parse().expect("a setup");
    setup.position(Rules::CS32).expect("a position")
}

#[test]
fn yale_labels_give_the_layout_of_yale() {
    let start = position("6x4");
    assert_eq!(
        BoardDrawing::new(&start).labels(Labels::Yale).to_string(),
        [
            "        N1   N2   N3   N4   N5   N6",
            "        [4]  [4]  [4]  [4]  [4]  [4]",
            "N0 [0]                                [0] S0",
            "        [4]  [4]  [4]  [4]  [4]  [4]",
            "        S6   S5   S4   S3   S2   S1",
        ]
        .join("\n")
    );
}

#[test]
fn letters_run_in_sowing_order_and_each_store_is_at_its_owners_right() {
    let board = position("<6,12,345,1,20,0,4,4,4,0,1,2,3,4,15> n");
    let drawing = BoardDrawing::new(&board)
        .labels(Labels::Letters)
        .names(BySide::new("Marge", "Homer"));
    assert_eq!(
        drawing.to_string(),
        [
            "                > Homer",
            "          f   e   d   c   b   a",
            "         15   4   3   2   1   0",
            "   345                             12",
            "          1  20   0   4   4   4",
            "          A   B   C   D   E   F",
            "                  Marge",
        ]
        .join("\n")
    );
}

/// Returns the columns where the words of a line end, or begin.
fn columns(line: &str, at_end: bool) -> Vec<usize> {
    let characters: Vec<char> = format!(" {line} ").chars().collect();
    let borders = characters.windows(2).enumerate();
    borders
        .filter(|(_, pair)| pair[usize::from(at_end)] == ' ' && pair[usize::from(!at_end)] != ' ')
        .map(|(column, _)| column)
        .collect()
}

#[test]
fn columns_are_aligned_for_any_counts() {
    let wide = format!("<26,65000,0{},500{}> s", ",0".repeat(25), ",1".repeat(26));
    for setup in ["1x1", "1x0", "12x9", "26x1000", "6x5000", &wide] {
        let board = position(setup);
        for labels in Labels::ALL {
            let drawing = BoardDrawing::new(&board).labels(labels).to_string();
            let lines: Vec<&str> = drawing.lines().collect();
            assert_eq!(lines.len(), 5, "{setup} as {labels}");
            let at_end = labels != Labels::Yale;
            let houses = columns(lines[0], at_end);
            assert_eq!(houses.len(), usize::from(board.houses()));
            for line in [1, 3, 4] {
                assert_eq!(columns(lines[line], at_end), houses, "{drawing}");
            }
            let longest = lines.iter().map(|line| line.trim_end().len()).max();
            assert_eq!(longest, Some(lines[2].len()), "{drawing}");
        }
    }
}

#[test]
fn palette_changes_only_the_styles() {
    let board = position("<6,12,345,1,20,0,4,4,4,0,1,2,3,4,15> n");
    for labels in Labels::ALL {
        let plain = BoardDrawing::new(&board).labels(labels);
        let coloured = plain.clone().palette(Palette::COLOURED).to_string();
        assert!(coloured.contains('\u{1b}'));
        let stripped = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(stripped, plain.to_string());
    }
}

#[test]
fn palette_marks_the_houses_that_can_be_sown() {
    let board = position("<2,9,8,345,0,21,4> s");
    let drawing = BoardDrawing::new(&board).palette(Palette::COLOURED);
    let drawing = drawing.to_string();
    for (seeds, is_bold) in [("345", true), ("21", false), ("4", false)] {
        let bold = format!("\u{1b}[1m{seeds}");
        assert_eq!(drawing.contains(&bold), is_bold, "{seeds}: {drawing:?}");
    }
    assert!(drawing.contains("\u{1b}[2m0"), "{drawing:?}");
}

#[test]
fn styles_differ_by_what_they_mark() {
    let palette = Palette::COLOURED;
    for (styled, codes) in [
        (palette.name(Side::South, "x"), "\u{1b}[1m\u{1b}[36m"),
        (palette.name(Side::North, "x"), "\u{1b}[1m\u{1b}[35m"),
        (palette.label("x"), "\u{1b}[2m"),
        (palette.empty("x"), "\u{1b}[2m"),
        (palette.playable("x"), "\u{1b}[1m"),
        (palette.store("x"), "\u{1b}[1m\u{1b}[32m"),
        (palette.good("x"), "\u{1b}[32m"),
        (palette.problem("x"), "\u{1b}[31m"),
    ] {
        assert_eq!(styled, format!("{codes}x\u{1b}[0m"));
    }
    assert_eq!(Palette::PLAIN.problem("x"), "x");
}

#[test]
fn side_to_move_is_marked_until_the_game_is_over() {
    let over = position("<2,3,4,0,0,0,0> n");
    let drawing = BoardDrawing::new(&over)
        .names(BySide::new("a", "b"))
        .to_string();
    assert!(!drawing.contains('>'), "{drawing}");
    for side in Side::ALL {
        let start = Position::start(2, 2, Rules::CS32).expect("a start");
        let start = if side == Side::South {
            start
        } else {
            start.flipped()
        };
        let drawing = BoardDrawing::new(&start)
            .names(BySide::new("S", "N"))
            .to_string();
        let name = side.to_string()[..1].to_owned();
        assert!(drawing.contains(&format!("> {name}")), "{drawing}");
    }
}
