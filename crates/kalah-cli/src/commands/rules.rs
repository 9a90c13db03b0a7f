use std::collections::BTreeMap;
use std::io::Write;

use kalah::Rules;
use serde::Serialize;

use super::write_json;
use crate::CliError;
use crate::arguments::RulesArguments;

/// One element of `kalah rules --json`.
#[derive(Serialize)]
struct RulesJson {
    name: &'static str,
    default: bool,
    /// `ends`, `capture`, `swap` and `first_bonus`.
    #[serde(flatten)]
    fields: BTreeMap<String, RuleFieldJson>,
    played_by: &'static str,
}

/// What a field of the rules says: whether, or which.
#[derive(Serialize)]
#[serde(untagged)]
enum RuleFieldJson {
    Flag(bool),
    Keyword(&'static str),
}

/// The fields in the manner of JSON.
fn fields_json(rules: Rules) -> BTreeMap<String, RuleFieldJson> {
    let fields = rules.fields().into_iter();
    let named = fields.map(|(key, value)| {
        let value = match value {
            "yes" => RuleFieldJson::Flag(true),
            "no" => RuleFieldJson::Flag(false),
            word => RuleFieldJson::Keyword(word),
        };
        (key.replace('-', "_"), value)
    });
    named.collect()
}

const COMMON_RULES: &str = "\
Each side has a row of houses and a store on its right. To sow, take all seeds of one of your houses
and drop them one by one counterclockwise, into your own store and past the other one.
If the last seed falls into your store, you sow again: a bonus turn. If it falls into a house of
yours that was empty just before, it captures: it and the seeds of the opposite house go to your
store. At the end each row goes to the store of its owner, and who has more seeds wins.

The rule sets differ in when the game ends, what a capture needs, whether North may exchange sides
instead of its first sowing, and whether the very first sowing may give a bonus turn:
";

const CUSTOM_RULES: &str = "\
Others are written with all four fields: ends=stuck|row,capture=opposite|always,swap=yes|no,\
first-bonus=yes|no";

pub(super) fn run(arguments: RulesArguments, output: &mut dyn Write) -> Result<(), CliError> {
    if arguments.json {
        let presets = Rules::PRESETS.map(|preset| RulesJson {
            name: preset.name,
            fields: fields_json(preset.rules),
            default: preset.rules == Rules::default(),
            played_by: preset.played_by,
        });
        return write_json(output, &presets);
    }
    writeln!(output, "{COMMON_RULES}")?;
    for preset in Rules::PRESETS {
        let rules = preset.rules;
        let default = if rules == Rules::default() {
            " (the default)"
        } else {
            ""
        };
        writeln!(output, "{}{default}: {}", preset.name, preset.played_by)?;
        for phrase in rules.descriptions() {
            writeln!(output, "  {phrase}")?;
        }
        writeln!(output)?;
    }
    writeln!(output, "{CUSTOM_RULES}")?;
    Ok(())
}
