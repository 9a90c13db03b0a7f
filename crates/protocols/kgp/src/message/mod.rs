//! The messages of the protocol: lines, their commands and arguments, and boards.

mod argument;
mod board;
mod command;
mod line;
mod parse;

pub use argument::{Argument, Decimal, Text, Word};
pub use board::{KgpBoard, Solution};
pub use command::{Message, Mode, UnknownCommand, Version};
pub use line::Line;
pub(crate) use line::LineIds;
pub use parse::{MAX_LINE_CHARS, ParseLineError, ParseLineReason};
