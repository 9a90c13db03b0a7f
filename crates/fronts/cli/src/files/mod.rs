//! Files of the command line: endgame tables, checkpoints and books.

pub(crate) mod book_file;
pub(crate) mod checkpoint;
pub(crate) mod mapped_tables;
pub(crate) mod table_folder;
