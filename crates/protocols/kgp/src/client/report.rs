//! The games and problems of a client as lines of text, and their number at the end.

use std::collections::BTreeMap;

use kalah::{BySide, Position, SeedCount, Side, format_count};
use kalah_players::escape_truncated;

use crate::client::error::ClientError;
use crate::client::line_log::{LineDirection, LineLog};
use crate::client::settings::{ClientOutput, TOKEN_OPTION};
use crate::message::{Argument, Line, Message, Text};
use crate::session::{ObservedResult, SessionEvent, SessionObserver};

/// Reports the games and problems of all connections, and keeps their lines in a log.
pub struct ClientReport<'a> {
    output: &'a mut dyn ClientOutput,
    log: Option<LineLog>,
    observer: SessionObserver,
    tally: ResultCounts,
    /// The lines about problems that were not shown and have no verdict yet, by their numbers.
    unjudged: BTreeMap<u64, String>,
}

/// The results up to now.
#[derive(Default)]
struct ResultCounts {
    won: u64,
    lost: u64,
    tied: u64,
    unknown: u64,
    interrupted: u64,
    solved: u64,
    refused: u64,
}

/// The number of problems that have a line each. A server may send thousands a second.
const MAX_SHOWN_PROBLEMS: u64 = 10;

/// The number of refused solutions that are shown.
const MAX_SHOWN_REFUSALS: u64 = 10;

/// The maximum number of solutions without a verdict whose problems are kept. The oldest ones are
/// dropped.
const MAX_UNJUDGED: usize = 64;

/// The remark in the log in place of a line that is too long.
const SKIPPED_LINE_REMARK: &str = "a line of the server is too long for this log";

/// The value of a secret in the log.
const MASKED_SECRET: &str = "***";

impl<'a> ClientReport<'a> {
    /// Creates a report without games.
    pub fn new(output: &'a mut dyn ClientOutput, log: Option<LineLog>) -> Self {
        Self {
            output,
            log,
            observer: SessionObserver::default(),
            tally: ResultCounts::default(),
            unjudged: BTreeMap::new(),
        }
    }

    /// Logs a text of the server, which may not be a line of the protocol.
    pub(super) fn log_received(&mut self, text: &str) -> Result<(), ClientError> {
        match &mut self.log {
            Some(log) => log
                .write(LineDirection::Received, text)
                .map_err(ClientError::Log),
            None => Ok(()),
        }
    }

    /// Notes in the log that a line of the server is missing there.
    pub(super) fn log_skipped(&mut self) -> Result<(), ClientError> {
        match &mut self.log {
            Some(log) => log
                .write_remark(SKIPPED_LINE_REMARK)
                .map_err(ClientError::Log),
            None => Ok(()),
        }
    }

    /// Reports what a line of the server changes.
    pub(super) fn handle_received(&mut self, line: &Line) -> Result<(), ClientError> {
        let events = self.observer.handle_received(line);
        self.print_events(&events)?;
        for event in &events {
            if let SessionEvent::SolutionJudged {
                problem,
                is_correct,
            } = *event
            {
                let reason = match &line.message {
                    Message::Error(reason) if !is_correct => Some(reason),
                    _ => None,
                };
                self.judge_solution(problem, reason)?;
            }
        }
        Ok(())
    }

    /// Prints a solution that the server refuses, with its problem unless that has a line already.
    fn judge_solution(&mut self, problem: u64, refusal: Option<&Text>) -> Result<(), ClientError> {
        let description = self.unjudged.remove(&problem);
        let Some(reason) = refusal else {
            return Ok(());
        };
        if self.tally.refused > MAX_SHOWN_REFUSALS {
            return Ok(());
        }
        if let Some(description) = description {
            self.print(&description)?;
        }
        let reason = escape_truncated(reason.as_str());
        self.print(&format!(
            "problem {problem}: the server refuses the solution: {reason}"
        ))
    }

    /// Logs a line of the client and reports what it changes.
    pub(super) fn handle_sent(&mut self, line: &Line) -> Result<(), ClientError> {
        if let Some(log) = &mut self.log {
            log.write(LineDirection::Sent, &text_for_log(line))
                .map_err(ClientError::Log)?;
        }
        let events = self.observer.handle_sent(line);
        self.print_events(&events)
    }

    /// Returns whether a game waits for the opponent and cannot have ended by the rules.
    pub(super) fn has_unfinished_game(&self) -> bool {
        self.observer.has_unfinished_game()
    }

    /// Reports the games that wait for the opponent as ended.
    pub(super) fn end_waiting_games(&mut self) -> Result<(), ClientError> {
        let events = self.observer.end_waiting_games();
        self.print_events(&events)
    }

    /// Reports the end of a connection.
    pub(super) fn finish_session(&mut self) -> Result<(), ClientError> {
        let events = self.observer.finish_session();
        self.unjudged.clear();
        self.print_events(&events)
    }

    /// Reports the end of a connection that the user has interrupted, with all its games.
    pub(super) fn interrupt_session(&mut self) -> Result<(), ClientError> {
        self.unjudged.clear();
        for event in self.observer.finish_session() {
            if let SessionEvent::GameEnded { game, .. } = event {
                self.tally.interrupted += 1;
                self.print(&format!("game {game}: interrupted"))?;
            }
        }
        Ok(())
    }

    /// Reports the number of games and problems, if there were any.
    ///
    /// # Errors
    /// [`ClientError::Report`] if it cannot be written.
    pub fn print_tally(&mut self) -> Result<(), ClientError> {
        let ResultCounts {
            won,
            lost,
            tied,
            unknown,
            interrupted,
            ..
        } = self.tally;
        let games = won + lost + tied + unknown + interrupted;
        if games > 0 {
            let games = format_count(games, "game");
            let interrupted = match interrupted {
                0 => String::new(),
                number => format!(", {number} interrupted"),
            };
            self.print(&format!(
                "{games}: {won} won, {lost} lost, {tied} tied, {unknown} unknown{interrupted}"
            ))?;
        }
        if self.tally.solved > 0 {
            self.print(&self.tally.describe_problems())?;
        }
        Ok(())
    }

    /// Shows a message for the person that has started the client.
    pub(super) fn notify(&mut self, message: &str) {
        self.output.notify(message);
    }

    /// Shows a warning.
    pub(super) fn warn(&mut self, message: &str) {
        self.output.warn(message);
    }

    fn print(&mut self, line: &str) -> Result<(), ClientError> {
        self.output.report(line).map_err(ClientError::Report)
    }

    fn print_events(&mut self, events: &[SessionEvent]) -> Result<(), ClientError> {
        for event in events {
            self.tally.count(event);
            let text = match event {
                SessionEvent::ProblemSolved { problem, .. } if *problem > MAX_SHOWN_PROBLEMS => {
                    self.unjudged
                        .extend(describe(event).map(|text| (*problem, text)));
                    if self.unjudged.len() > MAX_UNJUDGED {
                        self.unjudged.pop_first();
                    }
                    is_round(*problem).then(|| self.tally.describe_problems())
                }
                event => describe(event),
            };
            if let Some(text) = text {
                self.print(&text)?;
            }
        }
        Ok(())
    }
}

impl ResultCounts {
    fn count(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::GameEnded { result, .. } => match result {
                ObservedResult::Won => self.won += 1,
                ObservedResult::Lost => self.lost += 1,
                ObservedResult::Tied => self.tied += 1,
                ObservedResult::Unknown => self.unknown += 1,
            },
            SessionEvent::ProblemSolved { .. } => self.solved += 1,
            SessionEvent::SolutionJudged { is_correct, .. } => {
                self.refused += u64::from(!is_correct);
            }
            SessionEvent::GameStarted { .. } => {}
        }
    }

    fn describe_problems(&self) -> String {
        let problems = format_count(self.solved, "problem");
        format!("{problems} solved, {} refused", self.refused)
    }
}

/// Returns whether a number has only zeros after its first digit.
fn is_round(number: u64) -> bool {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0));
    number.is_multiple_of(unit)
}

/// Returns a line of the client without its secret.
fn text_for_log(line: &Line) -> String {
    let mut line = line.clone();
    if let Message::Set { option, value } = &mut line.message
        && option.as_str() == TOKEN_OPTION
        && let Some(mask) = Text::new(MASKED_SECRET)
    {
        *value = Argument::Text(mask);
    }
    line.to_string()
}

/// Returns the line about an event, if it has one.
fn describe(event: &SessionEvent) -> Option<String> {
    Some(match event {
        SessionEvent::GameStarted {
            game,
            position,
            moves_first,
            id,
            opponent,
        } => {
            let mover = if *moves_first { "first" } else { "second" };
            let board = describe_board(position);
            let name = |text: &Text| escape_truncated(text.as_str());
            let opponent = opponent.as_ref().map(name);
            let opponent = opponent.map_or_else(String::new, |name| format!(" against {name}"));
            let id = id.as_ref().map(name);
            let id = id.map_or_else(String::new, |id| format!(" (id {id})"));
            format!("game {game}: {board}, moving {mover}{opponent}{id}")
        }
        SessionEvent::GameEnded {
            game,
            result,
            stores,
        } => format!("game {game}: {}", describe_result(*result, *stores)),
        SessionEvent::ProblemSolved {
            problem,
            board,
            house,
            solution,
        } => {
            let turn = if solution.bonus_turn {
                ", bonus turn"
            } else {
                ""
            };
            let after = &solution.board;
            format!("problem {problem}: house {house} of {board} gives {after}{turn}")
        }
        // `ClientReport::judge_solution` shows a refusal with its reason.
        SessionEvent::SolutionJudged { .. } => return None,
    })
}

/// Returns the start of a game such as `6x4`, as far as it follows from a later position.
fn describe_board(position: &Position) -> String {
    let (houses, total) = (position.houses(), u32::from(position.total()));
    let pits = 2 * u32::from(houses);
    if total.is_multiple_of(pits) {
        format!("{houses}x{}", total / pits)
    } else {
        let houses = format_count(houses.into(), "house");
        format!("{houses} and {}", format_count(total.into(), "seed"))
    }
}

fn describe_result(result: ObservedResult, stores: Option<BySide<SeedCount>>) -> String {
    let result = match result {
        ObservedResult::Won => "won",
        ObservedResult::Lost => "lost",
        ObservedResult::Tied => "tied",
        ObservedResult::Unknown => "over, the result is unknown",
    };
    match stores {
        Some(stores) => format!("{result} {}-{}", stores[Side::South], stores[Side::North]),
        None => result.to_owned(),
    }
}
