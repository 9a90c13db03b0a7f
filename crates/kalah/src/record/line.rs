use super::write::SWAP_WORD;
use crate::{Move, Side};

/// The plies of a line as a record writes them, without the numbers of turns: with each ply stands
/// the side to move.
///
/// ```
/// use kalah::{Move, House, Side, record};
/// let sow = |side, number| (side, Move::Sow(House::new(number).expect("from 1 to 26")));
/// let line = [
///     sow(Side::South, 3),
///     sow(Side::South, 6),
///     (Side::North, Move::Swap),
///     sow(Side::North, 2),
/// ];
/// assert_eq!(record::format_plies(&line), "CF swap b");
/// ```
pub fn format_plies(plies: &[(Side, Move)]) -> String {
    let mut tokens: Vec<String> = Vec::new();
    // Plies of one turn stand together, but for a swap.
    let together = |one: &(Side, Move), next: &(Side, Move)| {
        one.0 == next.0 && one.1 != Move::Swap && next.1 != Move::Swap
    };
    for turn in plies.chunk_by(together) {
        let letters: String = turn
            .iter()
            .map(|&(side, choice)| choice.text(side))
            .collect();
        if letters == SWAP_WORD && turn.len() > 1 {
            // Sowings that must not be read as the swap.
            let (first, rest) = letters.split_at(1);
            tokens.extend([first, rest].map(str::to_owned));
        } else {
            tokens.push(letters);
        }
    }
    tokens.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn a_line_is_a_record_without_its_numbers() {
        for (text, plies) in [
            ("1. CF a 2. A c *", 5),
            ("[Rules \"mankalah\"]\n\n1. C swap b 2. B *", 4),
            // Sowings of one turn that spell the word.
            (
                "[Position \"<26,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\
                 26,0,0,0,0,0,0,0,0,0,0,0,0,0,0,10,0,0,8,0,0,0,3,0,0,0> n\"]\n\n1... s wap *",
                4,
            ),
        ] {
            let record: Record = text.parse().unwrap();
            let game = record.game();
            let line: Vec<_> = (game.plies().iter())
                .map(|ply| (ply.side, ply.mv))
                .collect();
            assert_eq!(line.len(), plies, "{text}");
            let moves = text.rsplit('\n').next().unwrap_or(text);
            let tokens = moves.split(' ').filter(|token| !token.ends_with('.'));
            let mut tokens: Vec<&str> = tokens.collect();
            assert_eq!(tokens.pop(), Some("*"));
            assert_eq!(format_plies(&line), tokens.join(" "), "{text}");
        }
    }
}
