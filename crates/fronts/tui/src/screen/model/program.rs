//! The programs of a game: their standard error, and their failures.

use std::collections::VecDeque;

use kalah::Side;
use kalah_players::{escape_control, escape_truncated};

use super::Model;

/// The maximum number of lines that are kept of the standard error of a program.
const MAX_LINES: usize = 200;

/// The number of lines of standard error that the dialog after a failure shows.
const FAULT_LINES: usize = 8;

/// The end of the standard error of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgramOutput(VecDeque<String>);

impl ProgramOutput {
    /// Adds lines.
    pub(crate) fn extend(&mut self, lines: Vec<String>) {
        self.0.extend(lines);
        let excess = self.0.len().saturating_sub(MAX_LINES);
        self.0.drain(..excess);
    }

    /// Returns the last line that is not empty.
    pub(crate) fn last_line(&self) -> Option<&str> {
        let mut lines = self.0.iter().rev().map(String::as_str);
        lines.find(|line| !line.trim().is_empty())
    }
}

/// The failure of a program to move in a position of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramFault {
    /// The side on which the program began.
    pub(crate) player: Side,
    /// The number of plies before the position.
    plies: usize,
    pub(crate) reason: String,
}

impl Model {
    /// Returns the failure of the program that is to move, until the user has decided how the game
    /// goes on.
    pub(crate) fn current_fault(&self) -> Option<&ProgramFault> {
        let plies = self.game().plies().len();
        let player = self.session.computer_to_move()?;
        let fault = self.fault.as_ref()?;
        (fault.plies == plies && fault.player == player).then_some(fault)
    }

    /// Returns whether a program is to move.
    pub(crate) fn is_program_to_move(&self) -> bool {
        let player = self.session.computer_to_move();
        player.is_some_and(|player| self.session.specs()[player].program().is_some())
    }

    /// Returns the last line that the program to move or, before the turn of a person, the other
    /// one has written to its standard error.
    pub(crate) fn last_program_line(&self) -> Option<String> {
        let side = self.session.position().to_move();
        let to_move = self.game().player_on(side).started_as;
        [to_move, to_move.opponent()]
            .into_iter()
            .find_map(|player| {
                let line = self.program_output[player].last_line()?;
                let name = escape_truncated(&self.session.names()[player]);
                Some(format!("{name}: {}", escape_control(line)))
            })
    }

    /// Notes that the program to move has failed.
    pub(crate) fn set_fault(&mut self, reason: String) {
        self.fault = self.session.computer_to_move().map(|player| ProgramFault {
            player,
            plies: self.game().plies().len(),
            reason,
        });
    }

    /// Returns the lines of the dialog about a failure: the reason, and the end of the program's
    /// standard error.
    pub(crate) fn fault_notes(&self, fault: &ProgramFault) -> Vec<String> {
        let side = self.session.current_side(fault.player);
        let name = escape_truncated(&self.session.names()[fault.player]);
        let reason = format!("{side} ({name}): {}", escape_control(&fault.reason));
        let output = &self.program_output[fault.player].0;
        let first = output.len().saturating_sub(FAULT_LINES);
        let lines = output
            .range(first..)
            .map(|line| format!("| {}", escape_control(line)));
        std::iter::once(reason).chain(lines).collect()
    }

    /// Adds the programs of the game to those that the dialog for a new game offers.
    pub(crate) fn remember_programs(&mut self) {
        for side in Side::ALL {
            let spec = &self.session.specs()[side];
            if spec.program().is_some() && !self.programs.contains(spec) {
                self.programs.push(spec.clone());
            }
        }
    }
}
