//! Kalah in a terminal: what the command `kalah` does, and the parts of it that other programs can
//! use.
//!
//! A [`Human`] is a player who is asked line by line; a [`GamePrinter`] draws a game and tells it in
//! words while a [`Referee`](kalah::Referee) leads it; a [`Drawing`] is a position as text.

#![forbid(unsafe_code)]

mod arena_arguments;
mod arena_choices;
mod arguments;
mod bench_arguments;
mod chair;
mod commands;
mod drawing;
mod engine_arguments;
mod engine_command_arguments;
mod failure;
mod findings;
mod hint;
mod human;
mod import_arguments;
mod interrupt;
mod kgp_arguments;
mod kgp_serve_arguments;
mod kgp_server;
mod mankalah_arguments;
mod naming;
mod palette;
mod program_arguments;
mod puzzle_arguments;
mod record_file;
mod recorder;
mod review_arguments;
mod said;
mod saves;
mod screen;
mod serve_arguments;
mod shell_word;
mod stdin_lines;
mod table_arguments;
mod table_folder;
mod table_source;
mod teller;
mod text_file;
mod typed_setup;
mod words;

pub use arena_arguments::ArenaArguments;
pub use arena_choices::{
    Adjudication, OpeningsOption, ParseArenaOptionError, SprtParam, TournamentFormat,
};
pub use arguments::{
    Arguments, Command, CompletionsArguments, FrameArguments, LabelsArgument, PerftArguments,
    PlayArguments, PositionArguments, ReplayArguments, RulesArgument, RulesArguments,
    ShowArguments, TreeArguments,
};
pub use bench_arguments::{
    BenchArguments, BenchCommand, BenchSuiteArguments, BenchTablesArguments,
};
pub use commands::run;
pub use drawing::Drawing;
pub use engine_arguments::{AnalyzeArguments, EngineArguments, SolveArguments, TablesArgument};
pub use engine_command_arguments::EngineCommandArguments;
pub use failure::CliError;
pub use hint::Hint;
pub use human::{Echo, Human, SaveOutcome};
pub use import_arguments::ImportArguments;
pub use kgp_arguments::{KgpArguments, KgpChildArguments, KgpCommand, KgpConnectArguments};
pub use kgp_serve_arguments::{KgpServeArguments, KgpServeMode};
pub use kgp_server::KgpAddress;
pub use mankalah_arguments::{
    MankalahAgentArguments, MankalahArguments, MankalahCommand, MankalahHostArguments,
};
pub use naming::Notation;
pub use palette::Palette;
pub use program_arguments::ProgramArguments;
pub use puzzle_arguments::PuzzleArguments;
pub use record_file::RecordFileError;
pub use recorder::{Recorder, RecorderError};
pub use review_arguments::ReviewArguments;
pub use serve_arguments::{LogFormat, ServeArguments};
pub use stdin_lines::StdinLines;
pub use table_arguments::{
    BuildTableArguments, NewTableArguments, ProbeTableArguments, TableFolderArgument,
    TableInfoArguments, TablesArguments, TablesCommand, VerifyTableArguments,
};
pub use table_folder::TableFolder;
pub use table_source::TableSource;
pub use teller::{GamePrinter, print_game};
pub use text_file::TextFileError;
pub use typed_setup::TypedSetup;
pub use words::EventDescriber;
