//! Files of the command line: endgame tables and checkpoints.

pub(crate) mod checkpoint;
pub(crate) mod mapped_tables;
pub(crate) mod table_folder;
