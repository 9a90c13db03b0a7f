//! A game as the fragment of an address, as the page reads it.

use std::fmt::Write as _;

use kalah::record::Tags;
use kalah::{Game, Move, Rules};

/// The position that the page takes where none is named.
const DEFAULT_START: &str = "6x4";

/// What the page takes for a swap: one character, as all others are.
const SWAP_CHAR: char = '~';

/// The fragment with its `#`: the rules, the position without the characters that an address may not hold, and a
/// letter for each choice.
pub(super) fn game_fragment(game: &Game) -> String {
    let start = game.start();
    let mut fragment = String::from("#");
    if start.rules() != Rules::default() {
        let _ = write!(fragment, "rules={}&", start.rules());
    }
    let tags = Tags::from_start(start);
    let position = tags.get(Tags::POSITION).unwrap_or_default();
    if position != DEFAULT_START {
        let position = position.replace(['<', '>'], "");
        let position: Vec<&str> = position.split_whitespace().collect();
        let _ = write!(fragment, "position={}&", position.join(","));
    }
    fragment.push_str("line=");
    fragment.extend(game.plies().iter().map(|ply| match ply.mv {
        Move::Sow(house) => house.letter(ply.side),
        Move::Swap => SWAP_CHAR,
    }));
    fragment
}

#[cfg(test)]
mod tests {
    use kalah::{Position, Rules};

    use super::*;

    fn played(rules: Rules, line: &str) -> Game {
        let start = Position::start(6, 4, rules).expect("a board");
        let mut game = Game::new(start);
        for letter in line.chars() {
            let mv = match kalah::House::from_letter(letter) {
                Some((_, house)) => Move::Sow(house),
                None => Move::Swap,
            };
            game.play(mv).expect("legal");
        }
        game
    }

    #[test]
    fn a_fragment_is_what_the_page_reads() {
        // As `link.js` has it, see its tests.
        assert_eq!(game_fragment(&played(Rules::CS32, "CFb")), "#line=CFb");
        assert_eq!(
            game_fragment(&played(Rules::MANKALAH, "C~b")),
            "#rules=mankalah&line=C~b"
        );
        let start: kalah::Setup = "<2,1,0,3,1,0,2> n".parse().expect("a setup");
        let game = Game::new(start.position(Rules::STANDARD).expect("a position"));
        assert_eq!(
            game_fragment(&game),
            "#rules=standard&position=2,1,0,3,1,0,2,n&line="
        );
    }
}
