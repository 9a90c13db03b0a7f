//! Files of the command line: text, records, saved games, endgame tables and checkpoints.

pub(crate) mod checkpoint;
pub(crate) mod mapped_tables;
pub(crate) mod record_file;
pub(crate) mod table_folder;
pub(crate) mod text_file;
