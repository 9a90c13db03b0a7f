#![expect(unsafe_code, reason = "C calls these functions and hands in pointers")]

use std::cmp::Ordering;

use kalah::{Capture, FirstPlies, Rules, Side, SowEffect};

use crate::column;
use crate::no_panic::catch_panic;
use crate::pits::{CallbackPits, KalahPits};
use crate::side::{KALAH_NOBODY, KalahSide, from_c_side, to_c_side};

/// The rules of the assignment.
pub(crate) const RULES: Rules = Rules::CS32;

/// What a sowing that has just ended means: one of the kinds, and the two holes of a capture.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KalahMeaning {
    /// What it means.
    pub kind: KalahMeaningKind,
    /// Of a capture: the mover's hole in which the last bean lies. Otherwise 0.
    pub hole: i32,
    /// Of a capture: the hole of the other side whose beans are captured with it. Otherwise 0.
    pub from: i32,
}

/// What a sowing can mean.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KalahMeaningKind {
    /// The turn passes to the other side.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// The beans of two holes go to the mover's pot, and the turn passes to the other side.
    Capture,
}

const TURN_PASSES: KalahMeaning = KalahMeaning {
    kind: KalahMeaningKind::TurnPasses,
    hole: 0,
    from: 0,
};

/// What it means that the last bean of a sowing of `mover` has just fallen into `end_hole` of
/// `end_side`; `pits` is the board right after the sowing. Null, a missing function and a hole or
/// a side that does not exist mean that the turn passes.
///
/// # Safety
/// `pits` is null or its functions may be called with its `board`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_meaning(
    pits: *const KalahPits,
    mover: KalahSide,
    end_side: KalahSide,
    end_hole: i32,
) -> KalahMeaning {
    // SAFETY: as this function demands.
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
) -> Option<KalahMeaning> {
    let (pits, mover) = (pits?, from_c_side(mover)?);
    let houses = kalah::PitCounts::houses(pits);
    let last = column::pit_at(from_c_side(end_side)?, end_hole, houses)?;
    // These rules treat no ply apart, so it does not matter which one this was.
    Some(
        match RULES.sow_effect(pits, mover, last, FirstPlies::Later) {
            SowEffect::TurnPasses => TURN_PASSES,
            SowEffect::BonusTurn => KalahMeaning {
                kind: KalahMeaningKind::BonusTurn,
                ..TURN_PASSES
            },
            SowEffect::Capture(Capture { house, from, .. }) => KalahMeaning {
                kind: KalahMeaningKind::Capture,
                hole: column::hole_number(mover, house, houses),
                from: column::hole_number(mover.opponent(), from, houses),
            },
        },
    )
}

const _: () = assert!(
    !RULES.swap && RULES.first_bonus,
    "a rule set that treats the first ply apart must be told which ply it is"
);

/// Whether the game is over with `to_move` about to sow. All beans left in the holes of a side go
/// to its pot then. Null, a missing function and a side that does not exist are a game that is over.
///
/// # Safety
/// `pits` is null or its functions may be called with its `board`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_is_over(pits: *const KalahPits, to_move: KalahSide) -> bool {
    // SAFETY: as this function demands.
    let pits = unsafe { CallbackPits::new(pits) };
    catch_panic(true, || match (pits, from_c_side(to_move)) {
        (Some(pits), Some(to_move)) => RULES.is_over(&pits, to_move),
        _ => true,
    })
}

/// The side that wins with these beans in the two pots at the end of the game, `KALAH_NOBODY` for
/// a tie.
#[unsafe(no_mangle)]
pub extern "C" fn kalah_winner(south_beans: i32, north_beans: i32) -> KalahSide {
    // As `Outcome::winner`, for counts that no position holds.
    match south_beans.cmp(&north_beans) {
        Ordering::Greater => to_c_side(Side::South),
        Ordering::Less => to_c_side(Side::North),
        Ordering::Equal => KALAH_NOBODY,
    }
}
