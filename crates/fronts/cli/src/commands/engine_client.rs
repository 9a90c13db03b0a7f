//! `kalah engine-client`: a program in a room of a server, where it plays against people.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use kalah::TimeLimit;
use kalah_net::{TlsTrust, start_runtime};
use kalah_players::{
    ContestantKind, ContestantSpec, MemorySize, ParseContestantSpecError, ProgramSpec, quoted_path,
};
use kalah_protocols::ENGINE_PROTOCOLS;
use kalah_room_client::{
    ParseRoomAddressError, RoomAddress, RoomClientError, RoomClientSettings, run_client,
};
use kalah_store::{PlayerName, PlayerToken};

use crate::args::values::{parse_positive_time, seed_or_random};
use crate::error::CliError;
use crate::interrupt;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The program enters the room as a bot, which all others see, plays the games of its rounds, and
accepts challenges. It plays until the room is closed or until Ctrl-C, and then leaves, which loses a
running game. A program that fails resigns its game and plays the next one. docs/rooms.md describes
the WebSocket of a room, for programs that enter it by themselves.

Examples:
  kalah engine-client --room http://pc.local/room/ABCDEF --name Robot level:3
  kalah engine-client --room http://pc.local/room/ABCDEF --name Robot -- ./bot
  kalah engine-client --room http://pc/room/LOBBY --name Bot --challenge smart")]
pub(crate) struct EngineClientArgs {
    /// The address of the room, as the page shows it
    #[arg(long, value_name = "URL", value_parser = parse_room)]
    room: RoomAddress,
    /// The name in the room
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    name: PlayerName,
    /// The player, as an entrant of `kalah arena`: level:1 to level:10, smart, smart:1s, random,
    /// first, minimax:DEPTH, or cmd='COMMAND',proto=PROTOCOL
    #[arg(value_name = "PLAYER", value_parser = parse_contestant, required_unless_present = "command", conflicts_with = "command")]
    player: Option<ContestantSpec>,
    /// The command of a program that speaks the engine protocol, with its arguments
    #[arg(last = true, value_name = "CMD", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<String>,
    /// The time for a move in games without a clock
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = parse_positive_time)]
    time: TimeLimit,
    /// Challenge all members of a room without rounds, and accept open challenges of people,
    /// whenever no game is running
    #[arg(long)]
    challenge: bool,
    /// The file of the secret by which the room recognizes the program after a crash; it is created
    /// if it does not exist
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    token: Option<PathBuf>,
    /// Memory of a built-in player, such as 64MiB or 2GiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    memory: MemorySize,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// The permissions of the file of a token: reading and writing for its user alone.
#[cfg(unix)]
const SECRET_MODE: u32 = 0o600;

pub(super) fn run(arguments: &EngineClientArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let settings = RoomClientSettings {
        address: arguments.room.clone(),
        trust: TlsTrust::system(),
        name: arguments.name.clone(),
        token: token(arguments.token.as_deref())?,
        player: player(arguments)?,
        memory: arguments.memory,
        seed: seed_or_random(arguments.seed),
        move_time: arguments.time.get(),
        challenges_all: arguments.challenge,
    };
    let stop_players = interrupt::listen();
    let shutdown = interrupt::shutdown_token();
    let runtime = start_runtime()
        .map_err(|reason| CliError::Runtime(format!("cannot start the connection: {reason}")))?;
    let mut report = |line: &str| -> io::Result<()> {
        writeln!(output, "{line}")?;
        output.flush()
    };
    let client = run_client(&settings, &mut report, &shutdown, &stop_players);
    let result = runtime.block_on(client);
    // The name of the server may still be resolved.
    runtime.shutdown_background();
    match result {
        Ok(tally) => Ok(writeln!(output, "{}", tally.text())?),
        Err(RoomClientError::Report(error)) => Err(CliError::Output(error)),
        Err(error) => Err(CliError::Runtime(error.to_string())),
    }
}

/// Returns the player of the arguments.
fn player(arguments: &EngineClientArgs) -> Result<ContestantSpec, CliError> {
    if let Some(player) = &arguments.player {
        return Ok(player.clone());
    }
    let command = shlex::try_join(arguments.command.iter().map(String::as_str));
    let command = command.map_err(|error| CliError::Usage(format!("the command: {error}")))?;
    let [protocol, ..] = ENGINE_PROTOCOLS else {
        return Err(CliError::Usage("no protocol is known".to_owned()));
    };
    Ok(ContestantSpec {
        kind: ContestantKind::Program(ProgramSpec {
            command,
            protocol,
            // The command line of this command has no protocol.
            other_protocols: Vec::new(),
            options: Vec::new(),
        }),
        custom_name: None,
        time_control: None,
        id: None,
    })
}

/// Reads the token from a file, which is created if it does not exist; a new token without one.
fn token(path: Option<&Path>) -> Result<PlayerToken, CliError> {
    let Some(path) = path else {
        return Ok(PlayerToken::random());
    };
    match fs::read(path) {
        Ok(bytes) => PlayerToken::parse(String::from_utf8_lossy(&bytes).trim())
            .ok_or_else(|| CliError::Runtime(format!("{} has no token", quoted_path(path)))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let token = PlayerToken::random();
            let written = create_secret(path, &token);
            written.map_err(|reason| {
                CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(path)))
            })?;
            Ok(token)
        }
        Err(reason) => Err(CliError::Runtime(format!(
            "cannot read {}: {reason}",
            quoted_path(path)
        ))),
    }
}

/// Creates the file of a token, which only its user may read on Unix.
fn create_secret(path: &Path, token: &PlayerToken) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, SECRET_MODE);
    writeln!(options.open(path)?, "{}", token.reveal())
}

/// Parses the address of a room. clap quotes the input itself.
fn parse_room(text: &str) -> Result<RoomAddress, String> {
    text.parse().map_err(|ParseRoomAddressError::NotARoom(_)| {
        "expected an address such as http://localhost:8080/room/ABCDEF".to_owned()
    })
}

/// Parses a name. clap quotes the input itself.
fn parse_name(text: &str) -> Result<PlayerName, String> {
    text.parse::<PlayerName>()
        .map_err(|error| error.to_string())
}

fn parse_contestant(text: &str) -> Result<ContestantSpec, ParseContestantSpecError> {
    ContestantSpec::parse(text, ENGINE_PROTOCOLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_without_a_token_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        for content in [b"" as &[u8], b"no token", b"\xe4"] {
            fs::write(&path, content).expect("a writable folder");
            let error = token(Some(&path)).expect_err("no token");
            let message = error.message().expect("a message");
            assert_eq!(message, format!("'{}' has no token", path.display()));
        }
    }
}
