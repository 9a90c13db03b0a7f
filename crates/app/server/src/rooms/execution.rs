//! The execution of the commands of leaders and members: the change of the room and of its games,
//! on disk and for all subscribers.

use std::sync::Arc;

use kalah::{ByPlayer, PlayerId};
use kalah_store::{GameId, MemberStatus, PlayerName, PlayerToken, StoredRoomGame, Timestamp};

use crate::games::command_error::CommandError;
use crate::games::friend_game::{FriendGame, GameDecision};
use crate::games::messages::GameError;
use crate::http::rate_limit::ClientIp;
use crate::rooms::commands::RoomCommand;
use crate::rooms::live_room::{LiveRoom, RoomChange};
use crate::rooms::registry::RoomRegistry;
use crate::rooms::state::room::{Newcomer, Room, RoomRole};
use crate::rooms::state::room_error::{RoomCommandError, RoomError};
use crate::rooms::state::room_game::GameSnapshot;

impl RoomRegistry {
    /// Lets the owner of a token enter a room, and returns the member's number.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        live_room: &Arc<LiveRoom>,
        token: PlayerToken,
        newcomer: Newcomer,
        client: ClientIp,
    ) -> Result<u32, RoomError> {
        let rooms = Arc::clone(self);
        let live_room = Arc::clone(live_room);
        self.run(async move {
            let mut slot = live_room.room.lock().await;
            let mut room = rooms.take_or_load(&mut slot, &live_room).await?;
            let is_new = !room.is_member(&token);
            let entry = (live_room.check_entry(client, is_new))
                .and_then(|()| room.enter(&token, newcomer, rooms.games.time.now()));
            let entry = match entry {
                Ok(entry) => entry,
                Err(reason) => {
                    *slot = Some(room);
                    return Err(reason.into());
                }
            };
            if let Some(member) = entry.changed {
                live_room.count_entry(client, is_new);
                rooms.save_member(&live_room, &room, member).await?;
                live_room.note(RoomChange::Head);
                // A member who comes back may have a second game to play.
                rooms.start_second_games(&live_room, &mut room).await?;
            }
            *slot = Some(room);
            rooms.changed.notify_one();
            Ok(entry.number)
        })
        .await
    }

    /// Executes a command of the owner of a token. It is executed, saved and shown completely, even
    /// if the caller is cancelled.
    pub(crate) async fn execute(
        self: &Arc<Self>,
        live_room: &Arc<LiveRoom>,
        token: PlayerToken,
        command: RoomCommand,
    ) -> Result<(), RoomError> {
        let rooms = Arc::clone(self);
        let live_room = Arc::clone(live_room);
        self.run(async move {
            let mut slot = live_room.room.lock().await;
            let mut room = rooms.take_or_load(&mut slot, &live_room).await?;
            let result = match room.role(&token) {
                Ok(RoomRole::Leader) => rooms.lead(&live_room, &mut room, command).await,
                Ok(RoomRole::Member(number)) => {
                    rooms
                        .take_part(&live_room, &mut room, number, command)
                        .await
                }
                Err(reason) => Err(reason.into()),
            };
            match &result {
                // A rejected command leaves the room unchanged.
                Ok(()) | Err(RoomError::Rejected(_)) => *slot = Some(room),
                // The room on disk may be another one: it is loaded again.
                Err(_) => {}
            }
            rooms.changed.notify_one();
            result
        })
        .await
    }

    /// Executes a command of the leader.
    async fn lead(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        command: RoomCommand,
    ) -> Result<(), RoomError> {
        let now = self.games.time.now();
        match command {
            RoomCommand::StartRound { void_running } => {
                room.require_rounds()?;
                if void_running {
                    self.void_running_games(live_room, room).await?;
                }
                let new = room.start_round(now)?;
                self.save_games(live_room, room, &new).await?;
                live_room.note(RoomChange::Round);
                live_room.note(RoomChange::Standings);
                Ok(())
            }
            RoomCommand::Pause => self.set_paused(live_room, room, true).await,
            RoomCommand::Resume => self.set_paused(live_room, room, false).await,
            RoomCommand::EndGame { game, decision } => {
                if room.game(game).is_none() {
                    return Err(RoomCommandError::NoGame(game).into());
                }
                self.decide(live_room, room, game, decision).await
            }
            RoomCommand::Rename { member, name } => {
                self.rename(live_room, room, member, name).await
            }
            RoomCommand::Remove { member } => {
                self.set_status(live_room, room, member, MemberStatus::Removed)
                    .await?;
                live_room.end_connections(member);
                Ok(())
            }
            RoomCommand::Close => {
                // The games that run go on to their ends.
                if room.state().is_paused {
                    self.set_paused(live_room, room, false).await?;
                }
                room.close(now);
                self.save_state(room).await?;
                live_room.note(RoomChange::Head);
                live_room.note(RoomChange::Challenges);
                Ok(())
            }
            _ => Err(RoomCommandError::OnlyMember.into()),
        }
    }

    /// Executes a command of a member.
    async fn take_part(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        number: u32,
        command: RoomCommand,
    ) -> Result<(), RoomError> {
        match command {
            RoomCommand::Leave => {
                self.set_status(live_room, room, number, MemberStatus::Left)
                    .await
            }
            RoomCommand::SetName { name } => self.rename(live_room, room, number, name).await,
            RoomCommand::Challenge { to } => {
                room.challenge(number, to)?;
                live_room.note(RoomChange::Challenges);
                Ok(())
            }
            RoomCommand::WithdrawChallenge => {
                if room.withdraw(number) {
                    live_room.note(RoomChange::Challenges);
                }
                Ok(())
            }
            RoomCommand::DeclineChallenge { from } => {
                room.decline(number, from)?;
                live_room.note(RoomChange::Challenges);
                Ok(())
            }
            RoomCommand::AcceptChallenge { from } => {
                let new = room.accept(number, from, self.games.time.now())?;
                live_room.note(RoomChange::Challenges);
                self.save_games(live_room, room, &new).await
            }
            _ => Err(RoomCommandError::OnlyLeader.into()),
        }
    }

    /// Pauses all games of a room, or lets them go on.
    async fn set_paused(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        is_paused: bool,
    ) -> Result<(), RoomError> {
        room.set_paused(is_paused, self.games.time.now())?;
        self.save_state(room).await?;
        live_room.note(RoomChange::Head);
        let change = if is_paused {
            FriendGame::pause
        } else {
            FriendGame::resume
        };
        self.change_running_games(live_room, room, change).await
    }

    /// Changes all running games of a room. Their writes share commits.
    async fn change_running_games(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        change: impl Fn(&mut FriendGame, Timestamp) -> Result<(), CommandError> + Copy,
    ) -> Result<(), RoomError> {
        let running: Vec<_> = room.running_games().map(|game| game.place.game).collect();
        let changes = running.into_iter().map(|id| self.change_game(id, change));
        for (id, snapshot) in futures_util::future::try_join_all(changes).await? {
            room.update_game(id, snapshot);
            live_room.note(RoomChange::Game(id));
        }
        Ok(())
    }

    /// Ends all running games of a room without a result.
    async fn void_running_games(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
    ) -> Result<(), RoomError> {
        let void = |game: &mut FriendGame, now| game.decide(GameDecision::Void, now);
        self.change_running_games(live_room, room, void).await?;
        self.handle_end(live_room, room).await
    }

    /// Ends a game of a room by a decision. A game that has ended by itself stays as it is.
    async fn decide(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        id: GameId,
        decision: GameDecision,
    ) -> Result<(), RoomError> {
        let decide = move |game: &mut FriendGame, now| game.decide(decision, now);
        let (_, snapshot) = self.change_game(id, decide).await?;
        if room.update_game(id, snapshot) {
            live_room.note(RoomChange::Game(id));
            self.handle_end(live_room, room).await?;
        }
        Ok(())
    }

    /// Renames a member in all games, so that no record keeps a name that the leader has replaced.
    async fn rename(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        number: u32,
        name: PlayerName,
    ) -> Result<(), RoomError> {
        let member = room.rename(number, name.clone(), self.games.time.now())?;
        self.save_member(live_room, room, member).await?;
        let games: Vec<_> = (room.games().iter())
            .filter_map(|game| Some((game.place.game, player_of(game.place, number)?)))
            .collect();
        for (id, player) in games {
            let name = name.clone();
            self.change_game(id, move |game, now| {
                game.set_name(player, Some(name), now);
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Sets the status of a member who leaves or is removed, whose running games the opponents win.
    async fn set_status(
        &self,
        live_room: &LiveRoom,
        room: &mut Room,
        number: u32,
        status: MemberStatus,
    ) -> Result<(), RoomError> {
        let member = room.set_status(number, status, self.games.time.now())?;
        self.save_member(live_room, room, member).await?;
        live_room.note(RoomChange::Head);
        live_room.note(RoomChange::Challenges);
        let games: Vec<_> = room
            .running_games()
            .filter_map(|game| Some((game.place.game, player_of(game.place, number)?)))
            .collect();
        for (id, player) in games {
            let decision = GameDecision::WonBy(player.opponent());
            self.decide(live_room, room, id, decision).await?;
        }
        Ok(())
    }

    /// Changes a game, unless it has ended meanwhile, and returns its values.
    async fn change_game(
        &self,
        id: GameId,
        change: impl FnOnce(&mut FriendGame, Timestamp) -> Result<(), CommandError>,
    ) -> Result<(GameId, GameSnapshot), RoomError> {
        match self.games.get(id).change_as_leader(change).await {
            Ok(snapshot) => Ok((id, snapshot)),
            Err(GameError::Rejected { .. }) => Ok((id, self.games.snapshot(id).await?)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the player of a game that a member is.
fn player_of(place: StoredRoomGame, number: u32) -> Option<PlayerId> {
    let members = ByPlayer::new(place.south, place.north);
    let mut players = PlayerId::ALL.into_iter();
    players.find(|&player| members[player] == number)
}
