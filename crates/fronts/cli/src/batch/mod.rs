//! Batches: a command does its work for each line of a file or of standard input, or for each game
//! of a record file, and writes a row of JSON or CSV for each, in their order.

mod command;
mod engines;
mod games;
mod lines;
mod rows;
mod run;
mod source;

pub(crate) use command::BatchCommand;
pub(crate) use engines::{BatchEngine, BatchEngines, BatchSearchOptions, KeptTables};
pub(crate) use games::BatchGames;
pub(crate) use lines::LineSource;
pub(crate) use rows::{BatchOptions, CsvRows};
pub(crate) use run::{JobResult, run_batch};
pub(crate) use source::ItemKind;
