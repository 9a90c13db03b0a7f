//! The rules for a board that C keeps and that the library reads through callbacks.

#![expect(
    unsafe_code,
    reason = "C passes pointers and callbacks to these functions"
)]

use std::cmp::Ordering;
use std::ffi::c_void;

use kalah::{Capture, FirstPlyRules, HouseRules, PitCounts, Rules, Side, SowEffect};

use crate::c_values::{
    KALAH_NO_SIDE, KALAH_POT, KalahSide, catch_panic, from_c_count, from_c_hole, from_c_side,
    to_c_hole, to_c_side,
};

/// A board that C keeps and the library reads through two functions.
///
/// The library passes `board` to the functions unchanged. It calls them only while the call that
/// received the struct runs, on the same thread, and only for holes that the board has. They must
/// return: neither an exception nor a `longjmp` may leave them. A negative count counts as 0.
#[repr(C)]
pub struct KalahPits {
    /// The first argument of both functions. The library does not dereference it.
    pub board: *const c_void,
    /// The number of holes a side, without the pot. A number below 1 counts as 1.
    pub holes: i32,
    /// Returns the number of beans in a hole, or in the pot for hole `KALAH_POT`.
    pub beans:
        Option<unsafe extern "C" fn(board: *const c_void, side: KalahSide, hole: i32) -> i32>,
    /// Returns the number of beans in all holes of a side.
    pub beans_in_play: Option<unsafe extern "C" fn(board: *const c_void, side: KalahSide) -> i32>,
}

/// A [`KalahPits`] with both functions.
pub(crate) struct CallbackPits {
    board: *const c_void,
    houses: u32,
    beans: unsafe extern "C" fn(*const c_void, KalahSide, i32) -> i32,
    beans_in_play: unsafe extern "C" fn(*const c_void, KalahSide) -> i32,
}

impl CallbackPits {
    /// Returns `None` for null and for a missing function.
    ///
    /// # Safety
    /// `pits` is null, or its functions may be called with its `board` while the result exists.
    pub(crate) unsafe fn new(pits: *const KalahPits) -> Option<Self> {
        // SAFETY: the caller guarantees that `pits` is null or valid.
        let pits = unsafe { pits.as_ref() }?;
        Some(Self {
            board: pits.board,
            houses: u32::try_from(pits.holes).unwrap_or(0).max(1),
            beans: pits.beans?,
            beans_in_play: pits.beans_in_play?,
        })
    }

    /// Returns the number of seeds in a store.
    pub(crate) fn in_store(&self, owner: Side) -> u64 {
        self.call_beans(owner, KALAH_POT)
    }

    fn call_beans(&self, owner: Side, hole: i32) -> u64 {
        // SAFETY: the caller of `new` guarantees that the function may be called with the board.
        let beans = unsafe { (self.beans)(self.board, to_c_side(owner), hole) };
        from_c_count(beans).unwrap_or(0)
    }
}

impl PitCounts for CallbackPits {
    fn houses(&self) -> u32 {
        self.houses
    }

    fn in_house(&self, owner: Side, house: u32) -> u64 {
        self.call_beans(owner, to_c_hole(owner, house, self.houses))
    }

    fn in_row(&self, owner: Side) -> u64 {
        // SAFETY: the caller of `new` guarantees that the function may be called with the board.
        let beans = unsafe { (self.beans_in_play)(self.board, to_c_side(owner)) };
        from_c_count(beans).unwrap_or(0)
    }
}

/// The rules of the assignment.
pub(crate) const RULES: Rules = Rules::CS32;

/// Their part that the functions below ask about: the first plies have no special rule.
const HOUSE_RULES: HouseRules = RULES.house_rules;

/// The effect of a sowing: its kind, and the two holes of a capture.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KalahSowEffect {
    /// The kind of the effect.
    pub kind: KalahSowEffectKind,
    /// For a capture, the mover's hole with the last bean; otherwise 0.
    pub hole: i32,
    /// For a capture, the opponent's hole whose beans are captured; otherwise 0.
    pub from: i32,
}

/// The kinds of effects of a sowing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KalahSowEffectKind {
    /// The turn passes to the other side.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// The beans of two holes go to the mover's pot, and the turn passes to the other side.
    Capture,
}

const TURN_PASSES: KalahSowEffect = KalahSowEffect {
    kind: KalahSowEffectKind::TurnPasses,
    hole: 0,
    from: 0,
};

/// Returns the effect of a sowing of `mover` whose last bean fell into `end_hole` of `end_side`;
/// `pits` is the board right after the sowing. The effect is `TURN_PASSES` for null, a missing
/// function, and a hole or a side that does not exist.
///
/// # Safety
/// `pits` is null, or its functions may be called with its `board`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_sow_effect(
    pits: *const KalahPits,
    mover: KalahSide,
    end_side: KalahSide,
    end_hole: i32,
) -> KalahSowEffect {
    // SAFETY: the caller guarantees that `pits` is null or its functions may be called.
    let pits = unsafe { CallbackPits::new(pits) };
    catch_panic(TURN_PASSES, || {
        sow_effect(pits.as_ref(), mover, end_side, end_hole).unwrap_or(TURN_PASSES)
    })
}

fn sow_effect(
    pits: Option<&CallbackPits>,
    mover: KalahSide,
    end_side: KalahSide,
    end_hole: i32,
) -> Option<KalahSowEffect> {
    let (pits, mover) = (pits?, from_c_side(mover)?);
    let houses = pits.houses();
    let last = from_c_hole(from_c_side(end_side)?, end_hole, houses)?;
    Some(match HOUSE_RULES.sow_effect(pits, mover, last) {
        SowEffect::TurnPasses => TURN_PASSES,
        SowEffect::BonusTurn => KalahSowEffect {
            kind: KalahSowEffectKind::BonusTurn,
            ..TURN_PASSES
        },
        SowEffect::Capture(Capture { house, from, .. }) => KalahSowEffect {
            kind: KalahSowEffectKind::Capture,
            hole: to_c_hole(mover, house, houses),
            from: to_c_hole(mover.opponent(), from, houses),
        },
    })
}

const _: () = {
    let FirstPlyRules { swap, first_bonus } = RULES.first_ply_rules;
    assert!(
        !swap && first_bonus,
        "the C interface does not pass the ply, which such rules need"
    );
};

/// Returns whether the game is over when `to_move` is to move. The caller then moves the beans in
/// the holes of each side into that side's pot. Returns true for null, a missing function and a
/// side that does not exist.
///
/// # Safety
/// `pits` is null, or its functions may be called with its `board`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_is_over(pits: *const KalahPits, to_move: KalahSide) -> bool {
    // SAFETY: the caller guarantees that `pits` is null or its functions may be called.
    let pits = unsafe { CallbackPits::new(pits) };
    catch_panic(true, || match (pits, from_c_side(to_move)) {
        (Some(pits), Some(to_move)) => HOUSE_RULES.is_over(&pits, to_move),
        _ => true,
    })
}

/// Returns the side that wins a game that ended with these numbers of beans in the pots, or
/// `KALAH_NO_SIDE` for a tie.
#[unsafe(no_mangle)]
pub extern "C" fn kalah_winner(south_beans: i32, north_beans: i32) -> KalahSide {
    // `Outcome::winner` does not take counts beyond those of a position.
    match south_beans.cmp(&north_beans) {
        Ordering::Greater => to_c_side(Side::South),
        Ordering::Less => to_c_side(Side::North),
        Ordering::Equal => KALAH_NO_SIDE,
    }
}
