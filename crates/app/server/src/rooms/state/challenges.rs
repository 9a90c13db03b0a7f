//! The challenges of the members of a room without rounds.

use kalah_store::{RoomFormat, Timestamp};

use crate::rooms::state::pairing;
use crate::rooms::state::room::{NewGames, Room};
use crate::rooms::state::room_error::RoomCommandError;

impl Room {
    /// Records the challenge of a member, to another member or to all. It replaces the member's
    /// earlier one.
    ///
    /// # Errors
    /// Returns the reason of a rejected challenge.
    pub(crate) fn challenge(&mut self, from: u32, to: Option<u32>) -> Result<(), RoomCommandError> {
        self.require_challenges()?;
        self.require_active(from)?;
        match (to, self.settings().format) {
            (None, RoomFormat::Ladder) => return Err(RoomCommandError::OpenChallengeOnLadder),
            (Some(to), _) if to == from => return Err(RoomCommandError::OwnChallenge),
            (Some(to), format) => {
                self.require_active(to)?;
                if format == RoomFormat::Ladder && !pairing::may_challenge(self, from, to) {
                    return Err(RoomCommandError::LadderDistance);
                }
            }
            (None, _) => {}
        }
        self.require_free(from)?;
        self.challenges.insert(from, to);
        Ok(())
    }

    /// Removes the challenge of a member. Returns whether there was one.
    pub(crate) fn withdraw(&mut self, from: u32) -> bool {
        self.challenges.remove(&from).is_some()
    }

    /// Removes the challenge of `from` to `to`, who declines it.
    ///
    /// # Errors
    /// Returns [`RoomCommandError::NoChallenge`] if there is none.
    pub(crate) fn decline(&mut self, to: u32, from: u32) -> Result<(), RoomCommandError> {
        if self.challenges.get(&from) != Some(&Some(to)) {
            return Err(RoomCommandError::NoChallenge);
        }
        self.challenges.remove(&from);
        Ok(())
    }

    /// Starts the game of a challenge that `to` accepts.
    ///
    /// # Errors
    /// Returns the reason of a rejected request.
    pub(crate) fn accept(
        &mut self,
        to: u32,
        from: u32,
        now: Timestamp,
    ) -> Result<NewGames, RoomCommandError> {
        self.require_challenges()?;
        let challenge = self.challenges.get(&from);
        let is_meant = challenge.is_some_and(|challenged| challenged.is_none_or(|id| id == to));
        if !is_meant || from == to {
            return Err(RoomCommandError::NoChallenge);
        }
        self.require_active(to)?;
        self.require_active(from)?;
        self.require_free(to)?;
        self.require_free(from)?;
        let members = pairing::sides(self, from, to);
        let last = self.games().iter().map(|game| game.place.pairing).max();
        let number = last.unwrap_or(0).saturating_add(1);
        self.end_challenges(from);
        self.challenges.remove(&to);
        self.touch(now);
        let game = self.add_game(number, 1, members, now)?;
        Ok(NewGames {
            games: vec![game],
            byes: Vec::new(),
        })
    }

    /// Removes the challenges of a member and those to the member.
    pub(super) fn end_challenges(&mut self, number: u32) {
        self.challenges
            .retain(|&from, to| from != number && *to != Some(number));
    }

    fn require_challenges(&self) -> Result<(), RoomCommandError> {
        self.require_open()?;
        if self.settings().format.has_rounds() {
            return Err(RoomCommandError::NoChallenges);
        }
        if self.state().is_paused {
            return Err(RoomCommandError::Paused);
        }
        Ok(())
    }

    /// Requires that a member plays no game in this room.
    fn require_free(&self, number: u32) -> Result<(), RoomCommandError> {
        let mut running = self.running_games();
        if running.any(|game| game.place.south == number || game.place.north == number) {
            return Err(RoomCommandError::Playing(number));
        }
        Ok(())
    }
}
