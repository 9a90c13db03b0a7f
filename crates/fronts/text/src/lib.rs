//! Kalah as text for terminals, which the full screen and plain mode share.
//!
//! [`BoardDrawing`], [`EventDescriber`], [`Notation`], [`Hint`], [`AnalysisOutput`],
//! [`ReviewOutput`] and [`TreeDrawing`] are texts. Plain mode writes them line by line:
//! [`HumanPlayer`] asks a person for moves, and [`GamePrinter`] prints a game while a
//! [`Referee`](kalah::Referee) runs it. The crate opens no file and no terminal: callers pass
//! readers and writers.

#![forbid(unsafe_code)]

mod analysis;
mod annotations;
mod board;
mod commands;
mod describe;
mod game_printer;
mod human_player;
mod palette;
mod reasons;
mod review;
mod rules;
mod tree;

pub use analysis::{
    AnalysisOutput, MoveListing, format_bounds, format_conditional_bounds, format_win_chance,
    move_lines, opening_note,
};
pub use annotations::annotate;
pub use board::BoardDrawing;
pub use describe::{EventDescriber, Hint, Notation, describe_bounds, format_result, format_seeds};
pub use game_printer::{GamePrinter, print_game};
pub use human_player::{Echo, HumanPlayer, PromptContext, PromptError, SaveOutcome};
pub use palette::Palette;
pub use reasons::{format_level, ply_symbol, reason_sentence, reasons_text};
pub use review::{ReviewOutput, format_cost, lost_percent, ply_name, ply_turns, review_summary};
pub use rules::rules_lines;
pub use tree::TreeDrawing;
