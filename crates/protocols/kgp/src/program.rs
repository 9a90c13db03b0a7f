//! The programs that clients of the Kalah Game Protocol start, as programs that play.

use std::time::{Duration, Instant};

use kalah::{Game, Move, MoveTime, ParseTimeLimitError, Position, Quoted, Rules, Side, TimeLimit};
use kalah_players::{
    EngineProcess, EngineProtocol, MoveLimits, ParticipantFailure, Program, ProgramOption,
    ProgramSpec, Shutdown,
};

use crate::child::{ChildMove, format_child_state};
use crate::message::KgpBoard;

/// A program that reads a board of the Kalah Game Protocol and prints house numbers.
///
/// It is started for each state, as clients of the Kalah Game Protocol do it. It prints any number
/// of answers until it exits or is killed, and the last answer counts.
struct KgpChild {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// The time for the start of the program, which every move has in addition to its time.
    start_time: Duration,
}

/// The option for the time that the start of the program may take without being charged.
const START_TIME_OPTION: &str = "StartTime";

/// The protocol of the programs that a client of the Kalah Game Protocol starts.
pub static KGP_CHILD: EngineProtocol = EngineProtocol {
    name: "kgp-child",
    required_rules: Some(Rules::STANDARD),
    plain_start: None,
    supports_node_limit: false,
    has_handshake: false,
    parse_option: Some(parse_option),
    create: |spec, shutdown| {
        let start_time = start_time(&spec);
        Box::new(KgpChild {
            spec,
            shutdown,
            start_time,
        })
    },
};

/// Checks an option: the only one is the time for the start.
fn parse_option(name: &str, value: &str) -> Result<ProgramOption, String> {
    if !name.eq_ignore_ascii_case(START_TIME_OPTION) {
        let name = Quoted::new(name);
        return Err(format!(
            "{name} is not an option of a kgp-child: the only one is {START_TIME_OPTION}"
        ));
    }
    let time: TimeLimit = (value.trim().parse())
        .map_err(|reason: ParseTimeLimitError| format!("option {START_TIME_OPTION}: {reason}"))?;
    Ok(ProgramOption {
        name: START_TIME_OPTION.to_owned(),
        value: time.to_string().replace(' ', ""),
    })
}

/// Returns the time for the start, which is zero without the option.
fn start_time(spec: &ProgramSpec) -> Duration {
    let mut options = spec.options.iter();
    let option = options.find(|option| option.name.eq_ignore_ascii_case(START_TIME_OPTION));
    let time = option.and_then(|option| option.value.parse::<TimeLimit>().ok());
    time.map_or(Duration::ZERO, TimeLimit::get)
}

impl KgpChild {
    /// Starts the program for `position`.
    fn start(&self, position: &Position) -> Result<EngineProcess, ParticipantFailure> {
        let mut process = EngineProcess::start(&self.spec, &self.shutdown)?;
        process.send(&format_child_state(&KgpBoard::from(position)).trim_end());
        process.close_input();
        Ok(process)
    }
}

impl Program for KgpChild {
    fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure> {
        self.start(start)?.check_runs()
    }

    fn start_game(&mut self, _started_as: Side) -> Result<(), ParticipantFailure> {
        Ok(())
    }

    fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let position = game.position();
        let time = (limits.time_for_move(position)).map_or(limits.timeout, MoveTime::planned);
        let [time, timeout] =
            [time, limits.timeout].map(|limit| limit.saturating_add(self.start_time));
        let (mv, elapsed) = self.run(position, time, timeout)?;
        Ok((mv, elapsed.saturating_sub(self.start_time)))
    }

    fn shut_down(&mut self) {}
}

impl KgpChild {
    /// Starts the program, and returns its last answer with the time from the start to it.
    ///
    /// A program with an answer before `time` is killed then, and is not late. A program without
    /// one can still answer until `timeout`.
    fn run(
        &self,
        position: &Position,
        time: Duration,
        timeout: Duration,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let start = Instant::now();
        let mut process = self.start(position)?;
        let mut last: Option<(Move, Duration)> = None;
        loop {
            let is_over = start.elapsed() >= time;
            let (line, mv) = match (last, is_over) {
                (Some((mv, answered)), true) => return Ok((mv, answered.max(time))),
                (Some((mv, _)), false) => (process.read_line(start, time), Some(mv)),
                (None, _) => (process.read_line(start, timeout), None),
            };
            let line = match (line, mv) {
                (
                    Err(ParticipantFailure::Crash { .. } | ParticipantFailure::Stall { .. }),
                    Some(mv),
                ) => {
                    return Ok((mv, start.elapsed().min(time)));
                }
                (line, _) => line?,
            };
            if !line.trim().is_empty() {
                let answer: Result<ChildMove, _> = line.parse();
                let ChildMove(house) = answer.map_err(|reason| {
                    ParticipantFailure::invalid_house(&line, line.trim())
                        .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
                })?;
                last = Some((Move::Sow(house), start.elapsed()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_option_is_the_time_for_the_start() {
        let option = parse_option("starttime", "1500ms").expect("an option");
        assert_eq!(
            (option.name.as_str(), option.value.as_str()),
            ("StartTime", "1s500ms")
        );
        let spec = ProgramSpec {
            command: "./bot".to_owned(),
            protocol: &KGP_CHILD,
            other_protocols: Vec::new(),
            options: vec![option],
        };
        assert_eq!(start_time(&spec), Duration::from_millis(1500));
        assert_eq!(
            parse_option("Threads", "1"),
            Err("`Threads` is not an option of a kgp-child: the only one is StartTime".to_owned())
        );
        assert!(parse_option("StartTime", "soon").is_err());
    }
}
