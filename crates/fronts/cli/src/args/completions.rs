//! Completion scripts of shells, with the values of options that have no fixed list: players and
//! rules.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;
use kalah::Rules;

use super::Cli;

/// The names of the values of options that take players, and of those that take rules.
const PLAYER_VALUE_NAMES: [&str; 2] = ["PLAYER", "ENGINE"];
const RULES_VALUE_NAME: &str = "PRESET";

/// The options whose players can be people.
const OPTIONS_WITH_PEOPLE: [&str; 2] = ["south", "north"];

/// The players of the options that take them. A depth of 4 serves as an example.
const HUMAN: &str = "human";
const PROGRAMS: [&str; 14] = [
    "smart",
    "level:1",
    "level:2",
    "level:3",
    "level:4",
    "level:5",
    "level:6",
    "level:7",
    "level:8",
    "level:9",
    "level:10",
    "minimax:4",
    "random",
    "first",
];

/// The assignment that lets bash complete words with colons, such as `level:3`, as whole words.
const BASH_WORD_BREAKS: &str = "COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n";

/// Returns the completion script of a shell.
pub(crate) fn completion_script(shell: Shell) -> Vec<u8> {
    // The generator panics on an error of writing, so it writes to memory.
    let mut script = Vec::new();
    let mut command = with_suggestions(Cli::command());
    clap_complete::generate(shell, &mut command, "kalah", &mut script);
    if shell == Shell::Bash {
        script.extend(BASH_WORD_BREAKS.bytes());
    }
    script
}

/// Returns the command with a list of values for each option that takes players or rules.
///
/// Such a command serves for completion only, because the options accept other values, too: any
/// depth, times, programs, and rules by their fields.
fn with_suggestions(command: Command) -> Command {
    command
        .mut_args(|argument| match suggestions(&argument) {
            Some(values) => argument.value_parser(PossibleValuesParser::new(values)),
            None => argument,
        })
        .mut_subcommands(with_suggestions)
}

/// Returns the values of an option that takes players or rules; `None` for any other argument.
fn suggestions(argument: &Arg) -> Option<Vec<&'static str>> {
    let [name] = argument.get_value_names()? else {
        return None;
    };
    if name == RULES_VALUE_NAME {
        return Some(Rules::PRESETS.map(|preset| preset.name).to_vec());
    }
    if !PLAYER_VALUE_NAMES.contains(&name.as_str()) {
        return None;
    }
    let takes_people = OPTIONS_WITH_PEOPLE.contains(&argument.get_id().as_str());
    let human = takes_people.then_some(HUMAN);
    Some(human.into_iter().chain(PROGRAMS).collect())
}

#[cfg(test)]
mod tests {
    use kalah_engine::LevelNumber;
    use kalah_players::PlayerSpec;

    use super::*;

    /// Returns the suggestions for an option of a command.
    fn suggestions_for(command: &str, option: &str) -> Option<Vec<&'static str>> {
        let cli = Cli::command();
        let command = cli.find_subcommand(command).expect("a command");
        let mut arguments = command.get_arguments();
        let argument = arguments.find(|argument| argument.get_id() == option);
        suggestions(argument.expect("an option"))
    }

    #[test]
    fn suggested_players_and_rules_are_valid() {
        for (command, option) in [("play", "south"), ("play", "north"), ("arena", "engines")] {
            let players = suggestions_for(command, option).expect("players");
            for player in &players {
                assert!(player.parse::<PlayerSpec>().is_ok(), "{player}");
            }
            assert_eq!(players.contains(&HUMAN), command == "play", "{players:?}");
            for level in LevelNumber::all() {
                let player = format!("level:{level}");
                assert!(players.contains(&&*player), "{player}");
            }
        }
        for rules in suggestions_for("import", "rules").expect("rules") {
            assert!(rules.parse::<Rules>().is_ok(), "{rules}");
        }
        assert_eq!(suggestions_for("play", "time"), None);
    }
}
