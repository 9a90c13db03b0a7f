use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::Rules;
use kalah_protocols::import::ImportFormat;

/// `kalah import`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
kgp is what a client or a server of the Kalah Game Protocol logs: lines of the protocol,
whatever stands before them. The plies between two states of a client it does not tell: they
are looked for, and where they can have been played in several orders, one is taken.

mankalah is what an engine or an agent of Manchester's logs: the messages of one agent, or of
both.

openspiel is lists of actions, 1 to 6 for South's houses and 8 to 13 for North's on 6x4: a
game a line with blanks or commas between the numbers, a number a line with blank lines
between games, JSON, or the episodes that Kaggle keeps.

What is wrong is told with its line on standard error, and the other games are imported; the
exit code is 1 then.

Examples:
  kalah import server.log --out games.kgn
  kalah import agent.log --from mankalah
  echo '3 6 9 12 1' | kalah import - --from openspiel")]
pub struct ImportArguments {
    /// The file, or - for standard input
    #[arg(value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// How the games are written [default: what the text itself tells]
    #[arg(long, value_name = "FORM", value_parser = format_parser())]
    pub from: Option<ImportFormat>,
    /// The rules of the games [default: mankalah for mankalah, standard for kgp and openspiel]
    #[arg(long, value_name = "PRESET")]
    pub rules: Option<Rules>,
    /// Write the records into this file; games that are in it already stay there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = ImportFormat> {
    PossibleValuesParser::new(ImportFormat::ALL.map(ImportFormat::name))
        .try_map(|word| word.parse::<ImportFormat>())
}
