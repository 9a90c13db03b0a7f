//! `kalah man`: manual pages.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, ValueHint};
use kalah_players::quoted_path;
use roff::{Roff, roman};

use super::help::{PlainDocument, plain_documents};
use crate::args::Cli;
use crate::args::help::with_whole_paragraphs;
use crate::error::CliError;
use crate::version::VERSION;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The folder man1 has a page with the help of each command, such as kalah-play.1, and man7 a page for
each document of `kalah help topics`, such as kalah-levels.7, which `man kalah-levels` shows.

Examples:
  kalah man ~/.local/share/man")]
pub(crate) struct ManArgs {
    /// The folder of manual pages, which is created if it does not exist
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: PathBuf,
}

/// The width of the text of a document in columns: `man` indents no line of it.
const DOCUMENT_WIDTH: usize = 78;

pub(super) fn run(arguments: &ManArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let dir = &arguments.dir;
    let cannot = |reason| CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(dir)));
    let [commands, documents] = ["man1", "man7"].map(|section| dir.join(section));
    fs::create_dir_all(&commands).map_err(cannot)?;
    fs::create_dir_all(&documents).map_err(cannot)?;
    clap_mangen::generate_to(with_whole_paragraphs(Cli::command()), &commands).map_err(cannot)?;
    for document in plain_documents(DOCUMENT_WIDTH)? {
        let path = documents.join(format!("kalah-{}.7", document.name));
        fs::write(path, document_page(&document)).map_err(cannot)?;
    }
    writeln!(output, "manual pages are in {}", quoted_path(dir))?;
    Ok(())
}

/// Returns the manual page of a document, whose lines are not filled.
fn document_page(document: &PlainDocument) -> String {
    let name = format!("kalah-{}", document.name);
    let mut page = Roff::new();
    page.control("TH", [name.as_str(), "7", "", VERSION]);
    page.control("SH", ["NAME"]);
    page.text([roman(format!("{name} - {}", document.summary))]);
    page.control("SH", ["DESCRIPTION"]);
    page.control("nf", []);
    for line in document.text.lines() {
        page.text([roman(line)]);
    }
    page.control("fi", []);
    page.to_roff()
}
