//! Games as positions: boards of any size, and the slow counterpart of packed boards.

use std::collections::TryReserveError;
use std::sync::Arc;

use kalah::{Move, Position, SeedCount, Side};
use kalah_tables::Table;

use crate::games::{
    ActionRequired, Games, MAX_START_DRAWS, NO_ACTION, Settings, action_move, gain_entry, try_vec,
    try_with_capacity,
};
use crate::observations::Observations;
use crate::options::GameStart;
use crate::random::GameRandom;

/// Games as positions.
#[derive(Clone)]
pub(crate) struct PositionGames {
    settings: Arc<Settings>,
    positions: Vec<Position>,
    randoms: Vec<GameRandom>,
}

impl PositionGames {
    /// Creates games that have not begun.
    ///
    /// # Errors
    /// If the games do not fit into memory.
    pub(crate) fn new(settings: &Arc<Settings>, games: usize) -> Result<Self, TryReserveError> {
        Ok(Self {
            settings: Arc::clone(settings),
            positions: try_vec(settings.start.clone(), games)?,
            randoms: try_with_capacity(games)?,
        })
    }

    fn write_rows<T: TryFrom<u16>>(&self, observations: &mut [T]) {
        let rows = observations.chunks_exact_mut(self.settings.observation_width());
        for (position, row) in self.positions.iter().zip(rows) {
            let to_move = position.to_move();
            let pits = [to_move, to_move.opponent()].into_iter().flat_map(|side| {
                let houses = position.houses_of(side).iter().copied();
                houses.chain([position.store(side)])
            });
            for (count, seeds) in row.iter_mut().zip(pits.map(SeedCount::get)) {
                let Ok(seeds) = T::try_from(seeds) else {
                    unreachable!("the counts of the games fit the type of the observations");
                };
                *count = seeds;
            }
        }
    }
}

/// Begins a game.
fn new_game(settings: &Settings, random: &mut GameRandom) -> Position {
    let start = &settings.start;
    match &settings.game_start {
        GameStart::Fixed => start.clone(),
        GameStart::RandomPlies(plies) => {
            let played =
                (0..MAX_START_DRAWS).find_map(|_| play_random_plies(start.clone(), *plies, random));
            played.unwrap_or_else(|| start.clone())
        }
        GameStart::Drawn(positions) => {
            let count = u32::try_from(positions.len()).unwrap_or(u32::MAX);
            positions[random.draw_below(count) as usize].clone()
        }
    }
}

/// Makes random plies; `None` if they end the game.
fn play_random_plies(
    mut position: Position,
    plies: u32,
    random: &mut GameRandom,
) -> Option<Position> {
    for _ in 0..plies {
        let mv = draw_move(&position, random)?;
        play(&mut position, mv);
        if position.is_over() {
            return None;
        }
    }
    Some(position)
}

/// Draws a legal move; `None` if the game is over.
fn draw_move(position: &Position, random: &mut GameRandom) -> Option<Move> {
    let count = u32::try_from(position.legal_moves().count()).unwrap_or(u32::MAX);
    let drawn = random.draw_below(count);
    position.legal_moves().nth(drawn as usize)
}

/// Returns 0 for South and 1 for North.
fn side_index(side: Side) -> u8 {
    u8::from(side == Side::North)
}

/// Makes a legal move and returns the change of the lead of the side that made it.
fn play(position: &mut Position, mv: Move) -> i32 {
    let (side, before) = (position.to_move(), position.lead());
    position.play(mv).expect("a legal move");
    let lead = position.lead();
    let after = if position.to_move() == side {
        lead
    } else {
        -lead
    };
    after.seeds() - before.seeds()
}

/// Returns the gain of a legal move for the player that makes it: the change of that player's lead
/// until the end of the game. `None` if the table does not know it.
fn exact_gain(position: &Position, mv: Move, table: &Table) -> Option<i32> {
    let mut next = position.clone();
    let lead_change = match mv {
        Move::Sow(_) => play(&mut next, mv),
        // The two players exchange their stores.
        Move::Swap => {
            play(&mut next, mv);
            -2 * position.lead().seeds()
        }
    };
    if next.is_over() {
        return Some(lead_change);
    }
    let same_player = next.to_move() == position.to_move() && mv != Move::Swap;
    // The caller reports damage of the table.
    let gain = table.probe(&next).ok().flatten()?;
    let gain = if same_player { gain } else { -gain };
    Some(lead_change + gain.seeds())
}

/// Returns the action of a move.
fn action_of(settings: &Settings, mv: Move) -> u8 {
    match mv {
        Move::Sow(house) => house.number() - 1,
        Move::Swap => settings.houses(),
    }
}

impl Games for PositionGames {
    fn clone_box(&self) -> Box<dyn Games> {
        Box::new(self.clone())
    }

    fn set_randoms(&mut self, randoms: &mut dyn Iterator<Item = GameRandom>) {
        self.randoms.clear();
        self.randoms.extend(randoms.take(self.positions.len()));
    }

    fn reset(&mut self) {
        for (position, random) in self.positions.iter_mut().zip(&mut self.randoms) {
            *position = new_game(&self.settings, random);
        }
    }

    fn reset_games(&mut self, mask: &[bool]) {
        let games = self.positions.iter_mut().zip(&mut self.randoms);
        for ((position, random), _) in games.zip(mask).filter(|&(_, &begins)| begins) {
            *position = new_game(&self.settings, random);
        }
    }

    fn first_refused(&self, actions: &[i64], required: ActionRequired) -> Option<usize> {
        let mut games = self.positions.iter().zip(actions);
        games.position(|(position, &action)| {
            let mv = action_move(&self.settings, action);
            let is_none = required == ActionRequired::Optional && action == NO_ACTION;
            !position.is_over() && !is_none && mv.is_none_or(|mv| position.check_legal(mv).is_err())
        })
    }

    fn step(
        &mut self,
        actions: &[i64],
        _: ActionRequired,
        rewards: &mut [i32],
        dones: &mut [bool],
    ) {
        let games = self.positions.iter_mut().zip(&mut self.randoms);
        let results = rewards.iter_mut().zip(dones);
        for (((position, random), &action), (reward, done)) in games.zip(actions).zip(results) {
            if position.is_over() {
                (*reward, *done) = (0, true);
                continue;
            }
            *reward = match action_move(&self.settings, action) {
                Some(mv) => play(position, mv),
                None => 0,
            };
            *done = position.is_over();
            if *done && self.settings.auto_reset {
                *position = new_game(&self.settings, random);
            }
        }
    }

    fn play_opponent(&mut self, players: &mut [u8], dones: &mut [bool]) {
        let games = self.positions.iter_mut().zip(&mut self.randoms);
        for ((position, random), (player, done)) in games.zip(players.iter_mut().zip(dones)) {
            while !position.is_over()
                && side_index(position.to_move()) != *player
                && let Some(mv) = draw_move(position, random)
            {
                if mv == Move::Swap {
                    *player ^= 1;
                }
                play(position, mv);
            }
            *done = position.is_over();
        }
    }

    fn sample_actions(&mut self, actions: &mut [i64]) {
        let games = self.positions.iter().zip(&mut self.randoms);
        for ((position, random), action) in games.zip(actions) {
            let mv = draw_move(position, random);
            *action = mv.map_or(0, |mv| action_of(&self.settings, mv).into());
        }
    }

    fn write_observations(&self, observations: Observations<'_>) {
        match observations {
            Observations::U8(observations) => self.write_rows(observations),
            Observations::U16(observations) => self.write_rows(observations),
        }
    }

    fn write_legal_mask(&self, mask: &mut [bool]) {
        let rows = mask.chunks_exact_mut(self.settings.action_count());
        for (position, row) in self.positions.iter().zip(rows) {
            row.fill(false);
            for mv in position.legal_moves() {
                row[usize::from(action_of(&self.settings, mv))] = true;
            }
        }
    }

    fn write_to_move(&self, sides: &mut [u8]) {
        for (position, side) in self.positions.iter().zip(sides) {
            *side = side_index(position.to_move());
        }
    }

    fn write_exact_gains(&self, table: &Table, gains: &mut [i16]) {
        let rows = gains.chunks_exact_mut(self.settings.action_count());
        for (position, row) in self.positions.iter().zip(rows) {
            row.fill(gain_entry(None));
            for mv in position.legal_moves() {
                let action = usize::from(action_of(&self.settings, mv));
                row[action] = gain_entry(exact_gain(position, mv, table));
            }
        }
    }

    fn position(&self, game: usize) -> Position {
        self.positions[game].clone()
    }

    fn set_position(&mut self, game: usize, position: &Position) {
        self.positions[game] = position.clone();
    }
}
