//! Damage of a table file: its place, its kind, and the command that builds the table again.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use kalah::Variant;
use thiserror::Error;

/// Damage of a table file that was found after it was opened. No value of the table is used any
/// more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{}' {}", path.display(), self.describe())]
pub struct TableDamage {
    path: PathBuf,
    variant: Variant,
    seeds: u8,
    fault: TableFault,
}

/// A fault of the values of a table file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableFault {
    /// The checksum of a layer differs from the one in the header.
    #[error(
        "the positions with {layer} seeds are damaged: \
         checksum {found:016x}, expected {written:016x}"
    )]
    Checksum {
        /// The seeds in the houses.
        layer: u8,
        /// The checksum of the values in the file.
        found: u64,
        /// The checksum stored in the header.
        written: u64,
    },
    /// A value is no gain of its layer: it is out of range or has the wrong parity.
    #[error("a position with {layer} seeds cannot have the gain {gain}")]
    Value {
        /// The seeds in the houses.
        layer: u8,
        /// The gain in the table.
        gain: i16,
    },
    /// The length of the file has changed since it was opened.
    #[error(
        "its length has changed to {has} bytes, which ends in the positions with {layer} seeds"
    )]
    Length {
        /// The first layer that is incomplete, or the last one if the file has become longer.
        layer: u8,
        /// The length in bytes.
        has: u64,
    },
    /// The system cannot read a layer.
    #[error("the positions with {layer} seeds cannot be read: {reason}")]
    Read {
        /// The seeds in the houses.
        layer: u8,
        /// The error of the system.
        reason: String,
    },
    /// The file has changed since a search or a verification began that uses it.
    #[error("another program has changed it meanwhile")]
    Changed,
}

impl TableDamage {
    pub(crate) fn new(path: PathBuf, variant: Variant, seeds: u8, fault: TableFault) -> Self {
        Self {
            path,
            variant,
            seeds,
            fault,
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the variant that the table belongs to.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the fault.
    pub fn fault(&self) -> &TableFault {
        &self.fault
    }

    /// Returns the same damage with the name of the file for its path, for readers that must not
    /// learn the folders of this machine.
    #[must_use]
    pub fn without_folder(&self) -> Self {
        Self {
            path: self.path.file_name().unwrap_or_default().into(),
            ..self.clone()
        }
    }

    /// Returns the fault with the way to mend it.
    fn describe(&self) -> String {
        let fault = &self.fault;
        match fault {
            TableFault::Checksum { .. } | TableFault::Value { .. } | TableFault::Length { .. } => {
                let command = self.rebuild_command();
                format!("is damaged: {fault}; delete it, and `{command}` builds it again")
            }
            // The values of the file can be right.
            TableFault::Read { .. } | TableFault::Changed => format!(
                "is not used any more: {fault}; the next start of the program tries it again"
            ),
        }
    }

    /// Returns the command that builds the table in the folder of the file.
    pub fn rebuild_command(&self) -> String {
        let (houses, rules) = (self.variant.houses(), self.variant.rules());
        let seeds = self.seeds;
        let folder = self.path.parent().map_or(OsStr::new(""), Path::as_os_str);
        let folder = folder.to_string_lossy();
        let dir = match shlex::try_quote(&folder) {
            Ok(folder) if !folder.is_empty() && *folder != *"''" => format!(" --dir {folder}"),
            // A folder without a name is the current one. No path contains NUL, which shlex
            // refuses.
            Ok(_) | Err(_) => String::new(),
        };
        format!("kalah tables build --houses {houses} --seeds {seeds} --rules {rules}{dir}")
    }
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    fn damage(path: &str) -> TableDamage {
        let fault = TableFault::Value {
            layer: 4,
            gain: -128,
        };
        TableDamage::new(path.into(), Variant::new(6, Rules::CS32), 20, fault)
    }

    #[test]
    fn message_names_the_file_the_layer_and_the_command() {
        assert_eq!(
            damage("/my tables/a.table").to_string(),
            "'/my tables/a.table' is damaged: a position with 4 seeds cannot have the gain -128; \
             delete it, and `kalah tables build --houses 6 --seeds 20 --rules cs32 \
             --dir '/my tables'` builds it again"
        );
    }

    #[test]
    fn message_about_a_file_that_can_be_intact_does_not_advise_to_delete_it() {
        let read = TableFault::Read {
            layer: 4,
            reason: "Input/output error".to_owned(),
        };
        for (fault, expected) in [
            (
                read,
                "the positions with 4 seeds cannot be read: Input/output error",
            ),
            (
                TableFault::Changed,
                "another program has changed it meanwhile",
            ),
        ] {
            let damage = TableDamage {
                fault,
                ..damage("a.table")
            };
            assert_eq!(
                damage.to_string(),
                format!(
                    "'a.table' is not used any more: {expected}; the next start of the program \
                     tries it again"
                )
            );
        }
    }

    #[test]
    fn message_without_the_folder_has_a_command_without_it() {
        let message = damage("/my tables/a.table").without_folder().to_string();
        assert!(message.starts_with("'a.table' is damaged"), "{message}");
        assert!(message.contains("--rules cs32` builds"), "{message}");
    }
}
