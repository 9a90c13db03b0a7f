//! The values of the parts of a contestant's text, and the contestant that they describe.

use super::parts::{
    COMMAND_KEY, FOLDER_KEY, ID_KEY, KeyValue, LIMITS_KEY, NAME_KEY, NODES_KEY, OPTION_PREFIX,
    PONDER_KEY, POSITION_KEY, PROTOCOL_KEY, TIME_KEY,
};
use super::{ContestantKind, ContestantSpec, ParseContestantSpecError};
use crate::player_spec::{ParsePlayerSpecError, PlayerSpec, parse_player_name};
use crate::program::{EngineProtocol, ProgramLimits, ProgramOption, ProgramSpec, run_in_folder};
use crate::time_control::{ParseTimeControlError, TimeControl};

/// The option of a program that decides whether it receives the moves of a game or its position.
const POSITION_OPTION: &str = "Position";

/// The option of a program that decides whether it searches during the turns of its opponent.
const PONDER_OPTION: &str = "Ponder";

/// The values of the parts of a contestant's text.
#[derive(Default)]
pub(super) struct KeyValues<'a> {
    /// The part without a key.
    pub(super) player: Option<&'a str>,
    command: Option<&'a str>,
    protocol: Option<&'static EngineProtocol>,
    custom_name: Option<String>,
    id: Option<String>,
    time_control: Option<TimeControl>,
    folder: Option<&'a str>,
    limits: Option<ProgramLimits>,
    options: Vec<(&'a str, &'a str)>,
}

impl<'a> KeyValues<'a> {
    /// Sets the value of a part, whose protocol is one of `protocols`.
    pub(super) fn set(
        &mut self,
        &KeyValue { key, value, .. }: &KeyValue<'a>,
        protocols: &[&'static EngineProtocol],
    ) -> Result<(), ParseContestantSpecError> {
        match key {
            COMMAND_KEY => set_once(&mut self.command, COMMAND_KEY, value),
            PROTOCOL_KEY => {
                let protocol = find_protocol(value, protocols)?;
                set_once(&mut self.protocol, PROTOCOL_KEY, protocol)
            }
            NAME_KEY => set_once(&mut self.custom_name, NAME_KEY, parse_name(value)?),
            ID_KEY => set_once(&mut self.id, ID_KEY, parse_name(value)?),
            TIME_KEY | NODES_KEY => {
                let time_control = parse_time_control(key, value)?;
                match self.time_control.replace(time_control) {
                    None => Ok(()),
                    Some(_) => Err(ParseContestantSpecError::TwoTimeControls),
                }
            }
            FOLDER_KEY => set_once(&mut self.folder, FOLDER_KEY, parse_folder(value)?),
            LIMITS_KEY => set_once(&mut self.limits, LIMITS_KEY, value.parse()?),
            _ => {
                let name = match key {
                    POSITION_KEY => POSITION_OPTION,
                    PONDER_KEY => PONDER_OPTION,
                    _ => key.strip_prefix(OPTION_PREFIX).unwrap_or(key),
                };
                self.options.push((name, value));
                Ok(())
            }
        }
    }

    /// Returns the contestant.
    pub(super) fn into_spec(
        self,
        protocols: &[&'static EngineProtocol],
    ) -> Result<ContestantSpec, ParseContestantSpecError> {
        let kind = match (self.command, self.player) {
            (Some(_), Some(word)) => {
                return Err(ParseContestantSpecError::UnknownKey(word.to_owned()));
            }
            (Some(command), None) => ContestantKind::Program(self.program(command, protocols)?),
            (None, player) => {
                ContestantKind::Builtin(self.builtin(player.unwrap_or_default(), protocols)?)
            }
        };
        Ok(ContestantSpec {
            kind,
            custom_name: self.custom_name,
            time_control: self.time_control,
            id: self.id,
        })
    }

    fn program(
        &self,
        command: &str,
        protocols: &[&'static EngineProtocol],
    ) -> Result<ProgramSpec, ParseContestantSpecError> {
        let command = parse_command(command, self.folder)?;
        let (protocol, other_protocols) = match (self.protocol, protocols) {
            (Some(protocol), _) => (protocol, Vec::new()),
            (None, [default, others @ ..]) => (*default, others.to_vec()),
            (None, []) => (find_protocol("", protocols)?, Vec::new()),
        };
        Ok(ProgramSpec {
            command: self.limits.unwrap_or_default().apply(&command),
            protocol,
            other_protocols,
            options: parse_options(&self.options, protocol, protocols)?,
        })
    }

    fn builtin(
        &self,
        player: &str,
        protocols: &[&'static EngineProtocol],
    ) -> Result<PlayerSpec, ParseContestantSpecError> {
        let spec = match PlayerSpec::parse_program(player) {
            Ok(spec) => spec,
            Err(ParsePlayerSpecError::Person) => return Err(ParseContestantSpecError::Human),
            Err(reason) => {
                let protocol = protocols.first().copied();
                return Err(ParseContestantSpecError::Player { reason, protocol });
            }
        };
        for (key, is_given) in [
            (PROTOCOL_KEY, self.protocol.is_some()),
            (FOLDER_KEY, self.folder.is_some()),
            (LIMITS_KEY, self.limits.is_some()),
            (OPTION_PREFIX, !self.options.is_empty()),
        ] {
            if is_given {
                return Err(ParseContestantSpecError::ProgramOnly(key));
            }
        }
        Ok(spec)
    }
}

/// Checks a name or an identifier.
fn parse_name(text: &str) -> Result<String, ParseContestantSpecError> {
    parse_player_name(text).map_err(|reason| {
        let name = text.to_owned();
        ParseContestantSpecError::InvalidName { name, reason }
    })
}

/// Returns the protocol with this name.
fn find_protocol(
    name: &str,
    protocols: &[&'static EngineProtocol],
) -> Result<&'static EngineProtocol, ParseContestantSpecError> {
    let mut all = protocols.iter().copied();
    all.find(|protocol| protocol.name == name).ok_or_else(|| {
        ParseContestantSpecError::UnknownProtocol {
            name: name.to_owned(),
            protocols: protocols.to_vec(),
        }
    })
}

/// Checks the names and values of options for a program that speaks `protocol`, one of `protocols`.
fn parse_options(
    options: &[(&str, &str)],
    protocol: &EngineProtocol,
    protocols: &[&'static EngineProtocol],
) -> Result<Vec<ProgramOption>, ParseContestantSpecError> {
    if options.is_empty() {
        return Ok(Vec::new());
    }
    let Some(parse) = protocol.parse_option else {
        let mut protocols = protocols.to_vec();
        protocols.retain(|protocol| protocol.parse_option.is_some());
        return Err(ParseContestantSpecError::OptionsUnsupported(protocols));
    };
    let options = options.iter().map(|(name, value)| parse(name, value));
    let options: Result<_, _> = options.collect();
    options.map_err(ParseContestantSpecError::InvalidOption)
}

/// Sets `slot` to the value of `key`, unless an earlier part has set it.
fn set_once<T>(
    slot: &mut Option<T>,
    key: &'static str,
    value: T,
) -> Result<(), ParseContestantSpecError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseContestantSpecError::DuplicateKey(key)),
    }
}

/// Parses the value of `time=` or `nodes=`.
fn parse_time_control(key: &str, value: &str) -> Result<TimeControl, ParseTimeControlError> {
    if key == NODES_KEY {
        return format!("{NODES_KEY}={value}").parse();
    }
    value.parse()
}

fn parse_folder(text: &str) -> Result<&str, ParseContestantSpecError> {
    match text.trim() {
        "" => Err(ParseContestantSpecError::MissingFolder),
        folder => Ok(folder),
    }
}

/// Returns the command that runs in the folder, if there is one.
fn parse_command(text: &str, folder: Option<&str>) -> Result<String, ParseContestantSpecError> {
    if text.trim().is_empty() {
        return Err(ParseContestantSpecError::MissingCommand);
    }
    match folder {
        None => Ok(text.to_owned()),
        Some(folder) => run_in_folder(folder, text)
            .ok_or_else(|| ParseContestantSpecError::Nul(folder.to_owned())),
    }
}
