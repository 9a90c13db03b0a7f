//! The reasons of reviewed moves and the levels of players as sentences.

use kalah::{House, Side, format_count};
use kalah_engine::{LevelEstimate, MoveGrade, Reason, ReviewedPly};

use crate::describe::{Notation, format_seeds};

/// The symbol of a beautiful move.
pub(crate) const BEAUTIFUL_SYMBOL: &str = "!!";

/// Returns the symbol of a reviewed ply: that of its grade, or `!!` if it is beautiful; an empty
/// text for other plies.
pub fn ply_symbol(ply: &ReviewedPly, reasons: &[Reason]) -> &'static str {
    let is_beautiful = |reason: &Reason| matches!(reason, Reason::Beautiful { .. });
    match ply.grade() {
        Some(grade) => MoveGrade::symbol(grade),
        None if reasons.iter().any(is_beautiful) => BEAUTIFUL_SYMBOL,
        None => "",
    }
}

/// Returns the sentences about a reviewed ply: all reasons of a bad move, and those that make a
/// good one stand out; `None` without any. Reasons of a cost that is not proven are estimates.
pub fn reasons_text(reasons: &[Reason], ply: &ReviewedPly, notation: Notation) -> Option<String> {
    let printed = reasons
        .iter()
        .filter(|reason| !reason.is_praise() || reason.is_highlight());
    let sentences: Vec<String> = printed
        .map(|&reason| reason_sentence(reason, ply.side, notation))
        .collect();
    let is_estimate = ply.has_cost() && !ply.is_costly();
    let prefix = if is_estimate { "By estimate: " } else { "" };
    (!sentences.is_empty()).then(|| format!("{prefix}{}", sentences.join(" ")))
}

/// Returns a sentence about a reason of a move of `side`.
///
/// ```
/// use kalah::{House, Labels, Position, Rules, SeedCount, Side};
/// use kalah_engine::Reason;
/// use kalah_text::{Notation, reason_sentence};
///
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let notation = Notation::new(&start, Labels::Letters);
/// let house = House::new(3).expect("from 1 to 26");
/// let reason = Reason::MissedCapture { first: house, house, seeds: SeedCount::from(5) };
/// assert_eq!(
///     reason_sentence(reason, Side::South, notation),
///     "Missed a capture of 5 seeds with house C."
/// );
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn reason_sentence(reason: Reason, side: Side, notation: Notation) -> String {
    let own = |house: House| format!("house {}", notation.format_house(side, house));
    match reason {
        Reason::GaveLastSeeds { seeds } => {
            format!("Gave the last {} away.", format_seeds(seeds))
        }
        Reason::MissedCapture {
            first,
            house,
            seeds,
        } => {
            let seeds = format_seeds(seeds);
            if first == house {
                format!("Missed a capture of {seeds} with {}.", own(house))
            } else {
                let (first, house) = (own(first), own(house));
                format!(
                    "Missed a capture of {seeds} with {house}, in a turn that begins with {first}."
                )
            }
        }
        Reason::LeftCapture {
            house,
            by: _,
            seeds,
        } => {
            let seeds = format_seeds(seeds);
            format!("Left {} open to a capture of {seeds}.", own(house))
        }
        Reason::MissedBonusTurn { house } => format!("Missed a bonus turn with {}.", own(house)),
        Reason::GaveBonusTurns { turns } => {
            format!("Gave the opponent {turns} bonus turns in a row.")
        }
        Reason::Beautiful {
            tempting,
            seeds: Some(seeds),
        } => {
            let (seeds, tempting) = (format_seeds(seeds), own(tempting));
            format!("Beautiful: a capture of {seeds} with {tempting} is worse.")
        }
        Reason::Beautiful {
            tempting,
            seeds: None,
        } => format!("Beautiful: a bonus turn with {} is worse.", own(tempting)),
        Reason::OnlyWin => "The only move that wins.".to_owned(),
        Reason::OnlyTie => "The only move that saves the tie.".to_owned(),
        Reason::Starved { seeds } => format!(
            "Left the opponent without seeds and took the last {}.",
            format_seeds(seeds)
        ),
        Reason::Captured { seeds } => format!("Captured {}.", format_seeds(seeds)),
        Reason::BonusTurns { turns } => format!("Made {turns} bonus turns in a row."),
    }
}

/// Returns `plays like level 5 (4 to 7, from 18 plies)`.
pub fn format_level(estimate: LevelEstimate) -> String {
    let LevelEstimate {
        level,
        lowest,
        highest,
        plies,
    } = estimate;
    let plies = format_count(plies.into(), "ply");
    format!("plays like level {level} ({lowest} to {highest}, from {plies})")
}
