//! Text for terminals that the full screen and plain mode share.

mod board;
pub(crate) mod describe;
mod palette;
pub(crate) mod review;

pub use board::BoardDrawing;
pub use describe::{EventDescriber, Hint, Notation, describe_bounds};
pub use palette::Palette;
pub use review::{ReviewOutput, format_cost, format_ply_count, review_summary};
