//! The first example of CS 32: a person against a weak player on a board of 3 houses a side with 2
//! seeds each.

use std::{io, time::Duration};

use kalah::{BySide, Game, Position, Rules};
use kalah_engine::FirstMovePlayer;
use kalah_text::{HumanPlayer, print_game};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = Game::new(Position::start(3, 2, Rules::CS32)?);
    let mut marge = HumanPlayer::new("Marge", io::stdin().lock(), io::stdout());
    let mut homer = FirstMovePlayer::new("Homer");
    let players = BySide::new(&mut marge as _, &mut homer as _);
    print_game(game, players, Duration::from_secs(5), io::stdout())?;
    Ok(())
}
