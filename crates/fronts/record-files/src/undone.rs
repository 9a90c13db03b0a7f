//! The plies of an unfinished game that were undone and can be redone, in a tag of its record.

use kalah::record::{Record, TagError};
use kalah::{Game, House, Move};

/// The tag with the moves in the order in which they are redone, such as `C F a`.
const UNDONE_TAG: &str = "Undone";

/// The text of a swap, as records have it.
const SWAP: &str = "swap";

/// Writes the plies that `game` can redo to a tag of its record, or removes the tag.
///
/// # Errors
/// The record cannot have the tag.
///
/// ```
/// use kalah::record::Record;
/// use kalah_record_files::{set_undone, take_undone};
/// let mut record: Record = "1. CF a *".parse()?;
/// let mut game = record.game();
/// game.undo();
/// game.undo();
/// record.set_game(&game)?;
/// set_undone(&mut record, &game)?;
/// let mut restored = take_undone(&mut record)?;
/// assert_eq!(restored.plies().len(), 1);
/// assert!(restored.redo().is_some() && restored.redo().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn set_undone(record: &mut Record, game: &Game) -> Result<(), TagError> {
    let mut game = game.clone();
    let mut moves = Vec::new();
    while let Some(ply) = game.redo() {
        moves.push(ply.mv.text(ply.side));
    }
    if moves.is_empty() {
        return remove_tag(record);
    }
    record.set_tag(UNDONE_TAG, moves.join(" "))
}

/// Returns the game of a record with the plies that can be redone, and removes their tag. Plies
/// after one that cannot be read, or is illegal, are left out.
///
/// # Errors
/// The tag cannot be removed.
pub fn take_undone(record: &mut Record) -> Result<Game, TagError> {
    let game = game_with_undone(record);
    remove_tag(record)?;
    Ok(game)
}

/// Returns whether a record has plies that were undone.
pub(crate) fn has_undone(record: &Record) -> bool {
    record.tags().get(UNDONE_TAG).is_some()
}

fn game_with_undone(record: &Record) -> Game {
    let mut game = record.game();
    let text = record.tags().get(UNDONE_TAG).unwrap_or_default();
    let mut count = 0;
    for word in text.split_whitespace() {
        let is_played = parse_move(word).is_some_and(|mv| game.play(mv).is_ok());
        if !is_played {
            break;
        }
        count += 1;
    }
    for _ in 0..count {
        game.undo();
    }
    game
}

fn parse_move(word: &str) -> Option<Move> {
    if word == SWAP {
        return Some(Move::Swap);
    }
    let mut letters = word.chars();
    let (_, house) = House::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(Move::Sow(house))
}

fn remove_tag(record: &mut Record) -> Result<(), TagError> {
    let mut tags = record.tags().clone();
    match tags.remove(UNDONE_TAG) {
        Some(_) => record.set_tags(tags),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undone_plies_are_restored_from_the_text_of_the_record() {
        let mut record: Record = "[Rules \"mankalah\"]\n\n1. A swap a *"
            .parse()
            .expect("a game");
        let mut game = record.game();
        for plies in (0..3).rev() {
            game.undo();
            record.set_game(&game).expect("the same game");
            set_undone(&mut record, &game).expect("a tag");
            let mut read: Record = record.to_string().parse().expect("a game");
            let mut restored = take_undone(&mut read).expect("a game");
            assert_eq!(restored.plies().len(), plies);
            assert!(!has_undone(&read));
            while restored.redo().is_some() {}
            assert_eq!(restored.plies().len(), 3);
        }
        // Another move discards them.
        game.play("1. B *".parse::<Record>().expect("a game").game().plies()[0].mv)
            .expect("a legal move");
        record.set_game(&game).expect("the same start");
        set_undone(&mut record, &game).expect("no tag");
        assert!(!has_undone(&record));
    }

    #[test]
    fn moves_that_cannot_be_redone_are_left_out() {
        for (undone, count) in [("F a b", 3), ("F ? a", 1), ("C", 0), ("", 0), ("FF", 0)] {
            let mut record: Record = "1. C *".parse().expect("a game");
            record.set_tag(UNDONE_TAG, undone).expect("a tag");
            let mut game = take_undone(&mut record).expect("a game");
            assert_eq!(game.plies().len(), 1, "{undone}");
            let redone = std::iter::from_fn(|| game.redo().map(drop)).count();
            assert_eq!(redone, count, "{undone}");
        }
    }
}
