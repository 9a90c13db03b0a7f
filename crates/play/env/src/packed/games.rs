//! Games on packed boards and their plies.

use std::collections::TryReserveError;
use std::sync::Arc;

use kalah::{FirstPlies, FirstPlyRules, Position, Side};
use kalah_board::{PackedPits, PitSowTable, SownPits, TurnFlags, occupied_pits};
use kalah_tables::{Table, TableSlot};

use crate::games::{
    ActionRequired, Games, MAX_START_DRAWS, NO_ACTION, Settings, UNKNOWN_GAIN, gain_entry, try_vec,
    try_with_capacity,
};
use crate::observations::Observations;
use crate::options::GameStart;
use crate::random::{GameRandom, draw_bit};

/// The maximum number of pits a side.
const MAX_PITS: usize = PackedPits::MAX_HOUSES as usize + 1;

/// The number of bits in the mask of legal actions, and the maximum number of actions.
const MASK_BITS: usize = u8::BITS as usize;

/// For each mask of legal actions, whether each action is legal.
const MASK_ROWS: [[bool; MASK_BITS]; 1 << MASK_BITS] = {
    let mut rows = [[false; MASK_BITS]; 1 << MASK_BITS];
    let mut mask = 0;
    while mask < rows.len() {
        let mut action = 0;
        while action < MASK_BITS {
            rows[mask][action] = (mask >> action) & 1 == 1;
            action += 1;
        }
        mask += 1;
    }
    rows
};

/// Games with up to [`PackedPits::MAX_HOUSES`] houses a side and at most 255 seeds.
#[derive(Clone)]
pub(crate) struct PackedGames {
    shared: Arc<SharedGameData>,
    pits: Vec<PackedPits>,
    turns: Vec<PackedTurn>,
    randoms: Vec<GameRandom>,
}

/// The data that all games share.
pub(crate) struct SharedGameData {
    settings: Arc<Settings>,
    sow_table: PitSowTable,
    start: PackedStart,
}

/// The start of each game.
enum PackedStart {
    Fixed(PackedGame),
    RandomPlies(PackedGame, u32),
    Drawn(Box<[PackedGame]>),
}

/// One game.
#[derive(Clone, Copy)]
struct PackedGame {
    pits: PackedPits,
    turn: PackedTurn,
}

/// The side to move, the phase and the legal actions of a game.
#[derive(Clone, Copy)]
struct PackedTurn {
    flags: TurnFlags,
    /// Bit i says whether action i is legal. The mask is 0 if and only if the game is over.
    legal: u8,
}

impl SharedGameData {
    /// Returns the shared data, or `None` if a start does not fit packed boards.
    pub(crate) fn new(settings: &Arc<Settings>) -> Option<Self> {
        let sow_table = PitSowTable::new(settings.houses(), settings.rules())?;
        let packed = |position: &Position| PackedGame::from_position(&sow_table, position);
        let start = match &settings.game_start {
            GameStart::Fixed => PackedStart::Fixed(packed(&settings.start)?),
            GameStart::RandomPlies(plies) => {
                PackedStart::RandomPlies(packed(&settings.start)?, *plies)
            }
            GameStart::Drawn(positions) => {
                PackedStart::Drawn(positions.iter().map(packed).collect::<Option<_>>()?)
            }
        };
        Some(Self {
            settings: Arc::clone(settings),
            sow_table,
            start,
        })
    }

    /// Begins a game.
    #[inline]
    fn new_game(&self, random: &mut GameRandom) -> PackedGame {
        match &self.start {
            PackedStart::Fixed(start) => *start,
            PackedStart::RandomPlies(start, plies) => {
                let played = (0..MAX_START_DRAWS)
                    .find_map(|_| self.play_random_plies(*start, *plies, random));
                played.unwrap_or(*start)
            }
            PackedStart::Drawn(starts) => {
                let count = u32::try_from(starts.len()).unwrap_or(u32::MAX);
                starts[random.draw_below(count) as usize]
            }
        }
    }

    /// Makes random plies; `None` if they end the game.
    #[inline(never)]
    fn play_random_plies(
        &self,
        mut game: PackedGame,
        plies: u32,
        random: &mut GameRandom,
    ) -> Option<PackedGame> {
        for _ in 0..plies {
            let action = draw_bit(game.turn.legal, random);
            let ply = self.play::<true>(game, action as usize);
            if ply.is_over {
                return None;
            }
            game = ply.game;
        }
        Some(game)
    }

    /// Makes a legal ply. `FIRST_PLIES` is false if the rules treat all plies alike.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the loop of a step holds the constants of the rules in registers"
    )]
    fn play<const FIRST_PLIES: bool>(&self, game: PackedGame, action: usize) -> PackedPly {
        let PackedGame { pits, turn } = game;
        if FIRST_PLIES && action == usize::from(self.settings.houses()) {
            return PackedPly {
                game: PackedGame {
                    pits,
                    turn: PackedTurn {
                        flags: turn.flags.later(false),
                        legal: occupied_pits(self.sow_table.row(pits.own)),
                    },
                },
                reward: 0,
                is_over: false,
            };
        }
        let is_ply_one = FIRST_PLIES && turn.flags.is_ply_one();
        let SownPits {
            pits,
            lead_change: reward,
            turn_passes,
            is_over,
        } = self.sow_table.sow(pits, action, is_ply_one);
        let mut turn = PackedTurn {
            flags: turn.flags.later(turn_passes),
            legal: occupied_pits(self.sow_table.row(pits.own)),
        };
        // The sow table has the bonus turn of ply 1.
        let FirstPlyRules {
            swap,
            first_bonus: _,
        } = self.settings.rules().first_ply_rules;
        if is_ply_one && turn_passes && !is_over && swap {
            turn.flags = turn.flags.ply_two();
            turn.legal |= 1 << self.settings.houses();
        }
        PackedPly {
            game: PackedGame { pits, turn },
            reward,
            is_over,
        }
    }
}

/// The result of a ply.
struct PackedPly {
    game: PackedGame,
    /// The change of the mover's lead in seeds.
    reward: i32,
    is_over: bool,
}

impl PackedGame {
    /// Packs a position; `None` if it has too many houses or seeds.
    fn from_position(sow_table: &PitSowTable, position: &Position) -> Option<Self> {
        let (pits, flags) = PackedPits::pack(position)?;
        let swap = u8::from(position.can_swap()).checked_shl(position.houses().into());
        let legal = occupied_pits(sow_table.row(pits.own)) | swap.unwrap_or(0);
        Some(Self {
            pits,
            turn: PackedTurn { flags, legal },
        })
    }
}

impl PackedGames {
    /// Creates games that have not begun.
    ///
    /// # Errors
    /// If the games do not fit into memory.
    pub(crate) fn new(shared: &Arc<SharedGameData>, games: usize) -> Result<Self, TryReserveError> {
        let empty = PackedPits { own: 0, other: 0 };
        let flags = TurnFlags::new(Side::South, FirstPlies::Later);
        Ok(Self {
            shared: Arc::clone(shared),
            pits: try_vec(empty, games)?,
            turns: try_vec(PackedTurn { flags, legal: 0 }, games)?,
            randoms: try_with_capacity(games)?,
        })
    }

    /// Returns whether the rules treat ply 1 or ply 2 in a special way.
    fn has_first_plies(&self) -> bool {
        let rules = self.shared.settings.rules();
        rules.first_ply_rules != FirstPlyRules::NONE
    }

    /// Makes a ply in each game that is not over. If actions are `OPTIONAL`, a game with
    /// [`NO_ACTION`] makes none.
    fn step_games<const FIRST_PLIES: bool, const OPTIONAL: bool>(
        &mut self,
        actions: &[i64],
        rewards: &mut [i32],
        dones: &mut [bool],
    ) {
        let shared = &*self.shared;
        let auto_reset = shared.settings.auto_reset;
        let games = (self.pits.iter_mut())
            .zip(&mut self.turns)
            .zip(&mut self.randoms);
        let results = rewards.iter_mut().zip(dones);
        for ((((pits, turn), random), &action), (reward, done)) in games.zip(actions).zip(results) {
            if turn.legal == 0 {
                (*reward, *done) = (0, true);
                continue;
            }
            if OPTIONAL && action == NO_ACTION {
                (*reward, *done) = (0, false);
                continue;
            }
            let game = PackedGame {
                pits: *pits,
                turn: *turn,
            };
            // Accepted actions have fewer bits.
            let action = usize::from(action.to_le_bytes()[0]);
            let mut ply = shared.play::<FIRST_PLIES>(game, action);
            if ply.is_over && auto_reset {
                ply.game = shared.new_game(random);
            }
            (*pits, *turn) = (ply.game.pits, ply.game.turn);
            (*reward, *done) = (ply.reward, ply.is_over);
        }
    }

    /// Makes the random plies of the opponents.
    fn play_opponent_games<const FIRST_PLIES: bool>(
        &mut self,
        players: &mut [u8],
        dones: &mut [bool],
    ) {
        let shared = &*self.shared;
        let swap = usize::from(shared.settings.houses());
        let games = (self.pits.iter_mut())
            .zip(&mut self.turns)
            .zip(&mut self.randoms);
        for (((pits, turn), random), (player, done)) in games.zip(players.iter_mut().zip(dones)) {
            let mut game = PackedGame {
                pits: *pits,
                turn: *turn,
            };
            while game.turn.legal != 0 && game.turn.flags.side_index() != *player {
                let action = draw_bit(game.turn.legal, random) as usize;
                if FIRST_PLIES && action == swap {
                    *player ^= 1;
                }
                let ply = shared.play::<FIRST_PLIES>(game, action);
                game = ply.game;
            }
            (*pits, *turn) = (game.pits, game.turn);
            *done = game.turn.legal == 0;
        }
    }

    /// Copies the pits of boards with `PITS` pits a side.
    fn copy_pits<const PITS: usize, T: Count>(&self, observations: &mut [T]) {
        let (halves, _) = observations.as_chunks_mut::<PITS>();
        let (rows, _) = halves.as_chunks_mut::<2>();
        for ([own, other], pits) in rows.iter_mut().zip(&self.pits) {
            T::copy_pits(own, pits.own.to_le_bytes());
            T::copy_pits(other, pits.other.to_le_bytes());
        }
    }

    fn write_rows<T: Count>(&self, observations: &mut [T]) {
        match self.shared.settings.houses() {
            1 => self.copy_pits::<2, T>(observations),
            2 => self.copy_pits::<3, T>(observations),
            3 => self.copy_pits::<4, T>(observations),
            4 => self.copy_pits::<5, T>(observations),
            5 => self.copy_pits::<6, T>(observations),
            6 => self.copy_pits::<7, T>(observations),
            _ => self.copy_pits::<8, T>(observations),
        }
    }

    /// Copies the masks of games with `ACTIONS` actions.
    fn copy_mask<const ACTIONS: usize>(&self, mask: &mut [bool]) {
        let (rows, _) = mask.as_chunks_mut::<ACTIONS>();
        for (row, turn) in rows.iter_mut().zip(&self.turns) {
            row.copy_from_slice(&MASK_ROWS[usize::from(turn.legal)][..ACTIONS]);
        }
    }

    /// Returns the exact gains of the actions of a game.
    fn exact_gains(&self, table: &Table, game: PackedGame) -> [i16; MASK_BITS] {
        let (shared, sow_table) = (&*self.shared, &self.shared.sow_table);
        let slot = |pits: PackedPits| {
            let slot = table.slot(self.table_row(pits.own), self.table_row(pits.other))?;
            table.prefetch(slot);
            Some(slot)
        };
        // All slots are prefetched before the first one is read.
        let mut successors = [GainAfter::Unknown; MASK_BITS];
        for (action, successor) in successors.iter_mut().enumerate() {
            if (game.turn.legal >> action) & 1 == 0 {
                continue;
            }
            let is_swap = action == usize::from(shared.settings.houses());
            let ply = shared.play::<true>(game, action);
            *successor = if ply.is_over {
                GainAfter::Over(ply.reward)
            } else if ply.game.turn.flags.is_ply_two() {
                GainAfter::Unknown
            } else if let Some(slot) = slot(ply.game.pits) {
                // After a swap the other player has the side to move.
                let same_player =
                    ply.game.turn.flags.side_index() == game.turn.flags.side_index() && !is_swap;
                let lead = sow_table.store(game.pits.own) - sow_table.store(game.pits.other);
                GainAfter::InTable {
                    lead_change: if is_swap { -2 * lead } else { ply.reward },
                    same_player,
                    slot,
                }
            } else {
                GainAfter::Unknown
            };
        }
        successors.map(|successor| match successor {
            GainAfter::Unknown => UNKNOWN_GAIN,
            GainAfter::Over(gain) => gain_entry(Some(gain)),
            GainAfter::InTable {
                lead_change,
                same_player,
                slot,
            } => {
                // The caller reports damage of the table.
                gain_entry(table.gain(slot).map(|gain| {
                    let gain = i32::from(gain);
                    lead_change + if same_player { gain } else { -gain }
                }))
            }
        })
    }

    /// Returns the houses of a side as tables pack them: the last house in the lowest byte.
    #[inline]
    fn table_row(&self, word: u64) -> u64 {
        let free_bits = u64::BITS - PackedPits::PIT_BITS * u32::from(self.shared.settings.houses());
        self.shared.sow_table.row(word).swap_bytes() >> free_bits
    }
}

/// A type of the elements of observations.
trait Count: Sized {
    /// Copies the first `PITS` pits of a side.
    fn copy_pits<const PITS: usize>(counts: &mut [Self; PITS], pits: [u8; MAX_PITS]);
}

impl Count for u8 {
    #[inline]
    fn copy_pits<const PITS: usize>(counts: &mut [Self; PITS], pits: [u8; MAX_PITS]) {
        counts.copy_from_slice(&pits[..PITS]);
    }
}

impl Count for u16 {
    #[inline]
    fn copy_pits<const PITS: usize>(counts: &mut [Self; PITS], pits: [u8; MAX_PITS]) {
        for (count, pit) in counts.iter_mut().zip(pits) {
            *count = pit.into();
        }
    }
}

/// The gain that follows an action.
#[derive(Clone, Copy)]
enum GainAfter {
    /// The action is illegal, or the position after it is not in the table.
    Unknown,
    /// The action ends the game with this gain.
    Over(i32),
    /// The gain after the action is in the table.
    InTable {
        /// The change of the lead of the player by the action itself.
        lead_change: i32,
        /// Whether the same player moves next.
        same_player: bool,
        slot: TableSlot,
    },
}

impl Games for PackedGames {
    fn clone_box(&self) -> Box<dyn Games> {
        Box::new(self.clone())
    }

    fn set_randoms(&mut self, randoms: &mut dyn Iterator<Item = GameRandom>) {
        self.randoms.clear();
        self.randoms.extend(randoms.take(self.pits.len()));
    }

    fn reset(&mut self) {
        let games = self.pits.iter_mut().zip(&mut self.turns);
        for ((pits, turn), random) in games.zip(&mut self.randoms) {
            let game = self.shared.new_game(random);
            (*pits, *turn) = (game.pits, game.turn);
        }
    }

    fn reset_games(&mut self, mask: &[bool]) {
        let games = (self.pits.iter_mut().zip(&mut self.turns)).zip(&mut self.randoms);
        for (((pits, turn), random), _) in games.zip(mask).filter(|&(_, &begins)| begins) {
            let game = self.shared.new_game(random);
            (*pits, *turn) = (game.pits, game.turn);
        }
    }

    fn first_refused(&self, actions: &[i64], required: ActionRequired) -> Option<usize> {
        let is_refused = |turn: &PackedTurn, action: i64| {
            let action = action.cast_unsigned();
            let is_legal =
                action < MASK_BITS as u64 && (turn.legal >> (action % MASK_BITS as u64)) & 1 == 1;
            !is_legal && turn.legal != 0
        };
        let mut games = self.turns.iter().zip(actions);
        match required {
            ActionRequired::Always => games.position(|(turn, &action)| is_refused(turn, action)),
            ActionRequired::Optional => {
                games.position(|(turn, &action)| action != NO_ACTION && is_refused(turn, action))
            }
        }
    }

    fn step(
        &mut self,
        actions: &[i64],
        required: ActionRequired,
        rewards: &mut [i32],
        dones: &mut [bool],
    ) {
        match (self.has_first_plies(), required) {
            (true, ActionRequired::Always) => {
                self.step_games::<true, false>(actions, rewards, dones);
            }
            (false, ActionRequired::Always) => {
                self.step_games::<false, false>(actions, rewards, dones);
            }
            (true, ActionRequired::Optional) => {
                self.step_games::<true, true>(actions, rewards, dones);
            }
            (false, ActionRequired::Optional) => {
                self.step_games::<false, true>(actions, rewards, dones);
            }
        }
    }

    fn play_opponent(&mut self, players: &mut [u8], dones: &mut [bool]) {
        if self.has_first_plies() {
            self.play_opponent_games::<true>(players, dones);
        } else {
            self.play_opponent_games::<false>(players, dones);
        }
    }

    fn sample_actions(&mut self, actions: &mut [i64]) {
        let games = self.turns.iter().zip(&mut self.randoms);
        for ((turn, random), action) in games.zip(actions) {
            *action = draw_bit(turn.legal, random).into();
        }
    }

    fn write_observations(&self, observations: Observations<'_>) {
        match observations {
            Observations::U8(observations) => self.write_rows(observations),
            Observations::U16(observations) => self.write_rows(observations),
        }
    }

    fn write_legal_mask(&self, mask: &mut [bool]) {
        match self.shared.settings.action_count() {
            1 => self.copy_mask::<1>(mask),
            2 => self.copy_mask::<2>(mask),
            3 => self.copy_mask::<3>(mask),
            4 => self.copy_mask::<4>(mask),
            5 => self.copy_mask::<5>(mask),
            6 => self.copy_mask::<6>(mask),
            7 => self.copy_mask::<7>(mask),
            _ => self.copy_mask::<8>(mask),
        }
    }

    fn write_to_move(&self, sides: &mut [u8]) {
        for (turn, side) in self.turns.iter().zip(sides) {
            *side = turn.flags.side_index();
        }
    }

    fn write_exact_gains(&self, table: &Table, gains: &mut [i16]) {
        let rows = gains.chunks_exact_mut(self.shared.settings.action_count());
        for ((&pits, &turn), row) in self.pits.iter().zip(&self.turns).zip(rows) {
            let gains = self.exact_gains(table, PackedGame { pits, turn });
            row.copy_from_slice(&gains[..row.len()]);
        }
    }

    fn position(&self, game: usize) -> Position {
        let Settings { start, .. } = &*self.shared.settings;
        let (pits, flags) = (self.pits[game], self.turns[game].flags);
        pits.unpack(flags, start.houses(), start.rules())
    }

    fn set_position(&mut self, game: usize, position: &Position) {
        let packed = PackedGame::from_position(&self.shared.sow_table, position);
        let PackedGame { pits, turn } = packed.expect("the position has the size of the games");
        (self.pits[game], self.turns[game]) = (pits, turn);
    }
}

// The mask has a bit for each house and for the swap.
const _: () = assert!(MAX_PITS == MASK_BITS);
