//! Batches: a command does its work for each line of a file or of standard input, and writes a row
//! of JSON or CSV for each, in the order of the lines.

mod engines;
mod lines;
mod rows;
mod run;

pub(crate) use engines::{BatchEngine, BatchEngines, BatchSearchOptions, KeptTables};
pub(crate) use lines::LineSource;
pub(crate) use rows::{BatchOptions, CsvRow};
pub(crate) use run::{JobResult, run_batch};
