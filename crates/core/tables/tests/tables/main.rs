//! Tables and table files: values against the reference implementation, building, opening and
//! verifying files, and the format that `docs/tables.md` describes.

mod building;
mod common;
mod damage;
mod format;
mod opening;
mod packed;
mod values;
