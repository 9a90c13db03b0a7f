//! Import of games of `OpenSpiel`: actions as numbers or JSON, and the episodes of Kaggle.
//!
//! ```
//! use kalah_open_spiel::OPEN_SPIEL;
//! let imported = OPEN_SPIEL.import("3 6 9 12 1\n1, 8, 7\n[2, 10]\n", None);
//! let games: Vec<_> = imported.records.iter().map(|record| record.game().plies().len()).collect();
//! assert_eq!(games, [5, 2]);
//! assert_eq!(
//!     imported.errors[0].to_string(),
//!     "line 2: `7` is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
//! );
//! ```

mod action_list;
mod episode;
mod error;
mod replay;

pub use action_list::OPEN_SPIEL;
