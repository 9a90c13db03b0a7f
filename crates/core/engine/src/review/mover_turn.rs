//! The turn of a side: its plies up to the one that passes the turn, as it was played, as a line of
//! an analysis continues it, or in all ways in which the side can play it.

use kalah::{BySide, House, Move, MoveResult, Position, SeedCount, Side, SowEffect};

/// The maximum number of plies that [`TurnOptions::of`] tries. Most positions of 6x4 have fewer
/// than a hundred, and a review of the longest game stays within seconds.
const MAX_TRIED_PLIES: usize = 500;

/// Sowings of one side in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MoverTurn {
    /// The side that sows.
    pub side: Side,
    /// The first house.
    pub first: House,
    /// The number of bonus turns.
    pub bonus_turns: u32,
    /// The capture, which ends the turn.
    pub capture: Option<TurnCapture>,
    /// The position after the last sowing.
    pub end: Position,
    /// The seeds of each row that were swept, if the game is over.
    pub swept: Option<BySide<SeedCount>>,
    /// Whether the turn has passed or the game is over; otherwise the moves end within the turn.
    pub is_complete: bool,
}

/// A capture and the house whose sowing makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnCapture {
    /// The house that is sown.
    pub house: House,
    /// The house of the other side that is emptied.
    pub from: House,
    /// The seeds that go to the store, the last seed of the sowing included.
    pub seeds: SeedCount,
}

impl MoverTurn {
    /// Plays the turn of the side to move in `position`, with moves that continue from there.
    /// Moves after the turn, and from an illegal one or a swap on, are left out; `None` if nothing
    /// is left.
    pub(super) fn play(position: &Position, moves: impl IntoIterator<Item = Move>) -> Option<Self> {
        let side = position.to_move();
        let mut turn: Option<Self> = None;
        let mut at = position.clone();
        for mv in moves {
            let is_complete = turn.as_ref().is_some_and(|turn| turn.is_complete);
            let (Move::Sow(house), false) = (mv, is_complete) else {
                break;
            };
            let Ok(MoveResult::Sown(result)) = at.play(mv) else {
                break;
            };
            let passes = at.to_move() != side || at.is_over();
            let gives_bonus = result.effect == SowEffect::BonusTurn && !result.is_game_over();
            let before = turn.as_ref().map_or(0, |turn| turn.bonus_turns);
            turn = Some(Self {
                side,
                first: turn.map_or(house, |turn| turn.first),
                bonus_turns: before + u32::from(gives_bonus),
                capture: match result.effect {
                    SowEffect::Capture(capture) => Some(TurnCapture {
                        house,
                        from: capture.from,
                        seeds: capture.seeds,
                    }),
                    SowEffect::TurnPasses | SowEffect::BonusTurn => None,
                },
                end: at.clone(),
                swept: result.swept,
                is_complete: passes,
            });
        }
        turn
    }

    /// Returns the number of seeds that the turn captures.
    pub(super) fn captured(&self) -> SeedCount {
        self.capture
            .map_or(SeedCount::ZERO, |capture| capture.seeds)
    }

    /// Returns the seeds that a side takes at the end of the game because the row of the other side
    /// is empty; 0 while the game goes on.
    pub(super) fn swept_alone_by(&self, side: Side) -> SeedCount {
        match self.swept {
            Some(rows) if rows[side.opponent()] == SeedCount::ZERO => rows[side],
            Some(_) | None => SeedCount::ZERO,
        }
    }
}

/// The turns that the side to move can play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TurnOptions {
    /// The greatest number of bonus turns in one turn.
    pub bonus_turns: u32,
    /// The captures of all turns.
    pub captures: Vec<TurnCapture>,
    /// The most seeds that the side takes at the end of the game because a turn leaves the row of
    /// the other side empty.
    pub swept: SeedCount,
}

impl TurnOptions {
    /// Returns what the side to move can do in its turn; `None` if its turns have more than
    /// [`MAX_TRIED_PLIES`] plies together. Nothing is possible once the game is over.
    pub(super) fn of(position: &Position) -> Option<Self> {
        let mut options = Self {
            bonus_turns: 0,
            captures: Vec::new(),
            swept: SeedCount::ZERO,
        };
        let mut tried = 0;
        let mut open = vec![(position.clone(), 0)];
        while let Some((at, bonus_turns)) = open.pop() {
            options.bonus_turns = options.bonus_turns.max(bonus_turns);
            for house in at.legal_houses() {
                tried += 1;
                if tried > MAX_TRIED_PLIES {
                    return None;
                }
                let turn = MoverTurn::play(&at, [Move::Sow(house)])?;
                options.captures.extend(turn.capture);
                options.swept = options.swept.max(turn.swept_alone_by(position.to_move()));
                if !turn.is_complete {
                    open.push((turn.end, bonus_turns + 1));
                }
            }
        }
        Some(options)
    }

    /// Returns the most seeds that a turn captures from a house of the other side.
    pub(super) fn captured_from(&self, house: House) -> SeedCount {
        let captures = self.captures.iter();
        let captures = captures.filter(|capture| capture.from == house);
        let most = captures.map(|capture| capture.seeds).max();
        most.unwrap_or_default()
    }
}
