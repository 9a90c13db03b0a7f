//! CS 32's first demonstration: a human against a bad player on 3 houses with 2 seeds.

use std::{io, time::Duration};

use kalah::{BySide, Game, Position, Rules};
use kalah_cli::{Human, print_game};
use kalah_engine::FirstMovePlayer;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = Game::new(Position::start(3, 2, Rules::CS32)?);
    let mut marge = Human::new("Marge", io::stdin().lock(), io::stdout());
    let mut homer = FirstMovePlayer::new("Homer");
    let players = BySide::new(&mut marge as _, &mut homer as _);
    print_game(game, players, Duration::from_secs(5), io::stdout())?;
    Ok(())
}
