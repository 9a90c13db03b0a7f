//! `kalah bot check`: the conformance kit of programs that play.

mod answer_timeout;
mod kgp_child;
mod mankalah;
mod positions;
mod report;
mod session;
mod uki;

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use clap::Args;
use kalah::{Position, Rules, Setup, TimeLimit};
use kalah_kgp::KGP_CHILD;
use kalah_mankalah::MANKALAH;
use kalah_players::{EngineProtocol, GamePlayerSpec, PlainStart, ProgramSpec, Shutdown};

use self::answer_timeout::AnswerTimeout;
use self::report::{BotReport, write_json, write_table};
use self::session::{ProgramSession, SessionError};
use self::uki::IgnoredLines;
use crate::args::position::parse_setup;
use crate::args::values::{
    parse_game_player, parse_positive_time, parse_rules, whole_number_parser,
};
use crate::error::CliError;
use crate::interrupt;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The exit code is 1 if a line of the table says WRONG. Below the table are the lines that were
exchanged before each fault, and the answer that was expected. Positions are those of random games on
several boards and under all rules of the protocol; the same seed gives the same ones.

Examples:
  kalah bot check cmd=./mybot
  kalah bot check \"cmd='python3 mybot.py',proto=kgp-child\" --positions 100
  kalah bot check cmd=./mybot,position=now --rules standard --board 6x4 --json")]
pub(super) struct BotCheckArgs {
    /// The program, as `kalah arena` accepts it: cmd='./mybot --fast',proto=uki
    #[arg(value_name = "PROGRAM", value_parser = parse_program)]
    program: ProgramSpec,
    /// The number of positions in which the program makes a move
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole_number_parser(1, MAX_POSITIONS))]
    positions: u64,
    /// Check only positions of this board, such as 6x4 [default: several boards]
    #[arg(long, value_name = "MxN", value_parser = parse_setup)]
    board: Option<Setup>,
    /// Check only positions of these rules [default: all rules of the protocol]
    #[arg(long, value_name = "PRESET", value_parser = parse_rules)]
    rules: Option<Rules>,
    /// The time for the move of a position
    #[arg(long, value_name = "DURATION", default_value = "20ms", value_parser = parse_positive_time)]
    time: TimeLimit,
    /// The time after which a program without an answer counts as silent; it then has at most 2 s
    /// for the next answer, or three times its longest start for one after a restart, and if that
    /// does not come either, no further check is made
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    wait: TimeLimit,
    /// The tolerated delay of an answer in the check of the time
    #[arg(long, value_name = "DURATION", default_value = "500ms")]
    grace: TimeLimit,
    /// The seed of the random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one document of JSON
    #[arg(long)]
    json: bool,
}

/// More positions take days.
const MAX_POSITIONS: u64 = 1_000_000;

/// The program and the options of a check.
struct CheckContext<'a> {
    program: &'a ProgramSpec,
    shutdown: Shutdown,
    arguments: &'a BotCheckArgs,
    answer_timeout: Rc<AnswerTimeout>,
    ignored_lines: RefCell<IgnoredLines>,
}

impl CheckContext<'_> {
    /// Starts the program.
    fn start_program(&self) -> Result<ProgramSession, SessionError> {
        ProgramSession::start(self.program, &self.shutdown, &self.answer_timeout)
    }

    /// Returns the rules of the positions, which are not empty.
    fn rules(&self) -> Vec<Rules> {
        self.arguments.checked_rules()
    }

    /// Returns whether the program has shown that it does not answer.
    fn is_silent(&self) -> bool {
        self.answer_timeout.is_over()
    }
}

impl BotCheckArgs {
    /// Returns the rules of the positions: those of the option, or all of the protocol.
    fn checked_rules(&self) -> Vec<Rules> {
        match self.rules.or(self.program.protocol.required_rules) {
            Some(rules) => vec![rules],
            None => Rules::PRESETS.map(|preset| preset.rules).to_vec(),
        }
    }

    /// Checks that the protocol of the program supports the rules and the board.
    ///
    /// # Errors
    /// [`CliError::Usage`] with the option that it does not support.
    fn check_protocol(&self) -> Result<(), CliError> {
        let EngineProtocol {
            name,
            required_rules,
            plain_start,
            ..
        } = self.program.protocol;
        if let (Some(required), Some(rules)) = (required_rules, self.rules)
            && *required != rules
        {
            return Err(CliError::Usage(format!(
                "the program speaks {name}, which supports only the rules {required}, but the rules \
                 are {rules}"
            )));
        }
        let Some(board) = &self.board else {
            return Ok(());
        };
        for rules in self.checked_rules() {
            let position = board.clone().position(rules);
            let position = position
                .map_err(|reason| CliError::Usage(format!("--board under {rules}: {reason}")))?;
            if let Some(PlainStart { houses, seeds }) = *plain_start
                && Position::start(houses, seeds, rules).ok() != Some(position)
            {
                return Err(CliError::Usage(format!(
                    "the program speaks {name}, whose games are checked only on the board \
                     {houses}x{seeds}"
                )));
            }
        }
        Ok(())
    }
}

pub(super) fn run(arguments: &BotCheckArgs, output: &mut dyn Write) -> Result<(), CliError> {
    arguments.check_protocol()?;
    let context = CheckContext {
        program: &arguments.program,
        shutdown: interrupt::listen(),
        arguments,
        answer_timeout: Rc::new(AnswerTimeout::new(arguments.wait.get())),
        ignored_lines: RefCell::default(),
    };
    let mut report = BotReport::default();
    let protocol = arguments.program.protocol;
    let checked = if *protocol == KGP_CHILD {
        kgp_child::check(&context, &mut report)
    } else if *protocol == MANKALAH {
        mankalah::check(&context, &mut report)
    } else {
        uki::check(&context, &mut report)
    };
    match checked {
        Ok(()) => {}
        Err(SessionError::Interrupted) => {
            return Err(CliError::Interrupted("interrupted".to_owned()));
        }
        Err(SessionError::Start(reason)) => {
            return Err(CliError::Runtime(format!(
                "cannot start the program: {reason}"
            )));
        }
    }
    if arguments.json {
        write_json(&report, arguments.program.protocol.name, output)?;
    } else {
        write_table(&report, output)?;
    }
    match report.wrong_count() {
        0 => Ok(()),
        1 => Err(CliError::Runtime("the program fails 1 check".to_owned())),
        wrong => Err(CliError::Runtime(format!(
            "the program fails {wrong} checks"
        ))),
    }
}

/// Parses a program.
fn parse_program(text: &str) -> Result<ProgramSpec, String> {
    match parse_game_player(text)? {
        GamePlayerSpec::Program(program) => Ok(program.program().clone()),
        GamePlayerSpec::Local(_) => {
            Err("expected a program, such as cmd='./mybot --fast',proto=uki".to_owned())
        }
    }
}
