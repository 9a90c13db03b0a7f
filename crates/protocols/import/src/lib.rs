//! The import of games that other programs have logged: what all formats share.
//!
//! The crate of a protocol defines an [`ImportFormat`] for the logs of its programs. Its function
//! [`ImportFormat::import_games`] reads the text of a log, plays the moves that it finds with
//! [`play`], and builds the records with [`build_record`]. A text can hold many games, finished or
//! not. An error names its line and does not affect the other games of the text.
//!
//! ```
//! use kalah::{BySide, Game, House, Move, Rules, Setup};
//! use kalah_import::{
//!     GameNotes, ImportFormat, ImportReason, ImportedGames, build_record, play, validate,
//! };
//!
//! /// A format in which each line is a game, with the number of a house for each move.
//! static HOUSES: ImportFormat = ImportFormat {
//!     name: "houses",
//!     default_rules: Rules::STANDARD,
//!     recognize: |text| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'\n'),
//!     import_games: import_houses,
//! };
//!
//! fn import_houses(text: &str, rules: Rules) -> ImportedGames {
//!     let mut imported = ImportedGames::default();
//!     for (line, digits) in (1..).zip(text.lines()) {
//!         match play_digits(digits, rules) {
//!             Ok(game) => {
//!                 let (names, notes) = (BySide::new(None, None), GameNotes::default());
//!                 imported.records.push(build_record(&game, names, None, &notes));
//!             }
//!             Err(reason) => imported.errors.push(reason.at_line(line)),
//!         }
//!     }
//!     imported
//! }
//!
//! fn play_digits(digits: &str, rules: Rules) -> Result<Game, ImportReason> {
//!     let mut game = Game::new(validate(&Setup::start(6, 4), rules)?);
//!     for digit in digits.split_terminator("").skip(1) {
//!         let number: u32 = digit.parse().map_err(|error| ImportReason::of_format(&error))?;
//!         let house = House::new(number).expect("the number of a house in this example");
//!         play(&mut game, Move::Sow(house), digit)?;
//!     }
//!     Ok(game)
//! }
//!
//! let imported = HOUSES.import("315\n36\n33\n", None);
//! assert_eq!(imported.records.len(), 2);
//! assert!(imported.errors[0].to_string().starts_with("line 3: ply 2, `3`: "));
//! ```

#![forbid(unsafe_code)]

mod error;
mod format;
mod games;
mod log_time;

pub use error::{ImportError, ImportReason};
pub use format::ImportFormat;
pub use games::{GameNotes, ImportedGames, build_record, loss, play, validate};
pub use log_time::LogTime;
