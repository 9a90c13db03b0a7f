//! The second example of CS 32: two weak players on a board of 3 houses a side with 2 seeds each.

use std::{io, time::Duration};

use kalah::{BySide, Game, Position, Rules};
use kalah_engine::RandomPlayer;
use kalah_text::print_game;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = Game::new(Position::start(3, 2, Rules::CS32)?);
    let mut bart = RandomPlayer::new("Bart", 3);
    let mut homer = RandomPlayer::new("Homer", 2);
    let players = BySide::new(&mut bart as _, &mut homer as _);
    print_game(game, players, Duration::from_secs(5), io::stdout())?;
    Ok(())
}
