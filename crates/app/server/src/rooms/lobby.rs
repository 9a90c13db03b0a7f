//! The lobby: the room that a server has for all, and its replacement by an empty one.

use std::time::Duration;

use kalah::{ClockSetting, Position, Rules};
use kalah_store::{GameWrite, PlayerToken, RoomCode, RoomFormat, RoomSettings, RoomWrite};

use crate::rooms::live_room::RoomChange;
use crate::rooms::registry::RoomRegistry;
use crate::rooms::state::room::Room;
use crate::rooms::state::room_error::RoomError;

/// The number of members with which the lobby is replaced as soon as none of its games runs: it
/// keeps all who ever entered.
const MAX_LOBBY_MEMBERS: usize = 1_000;

impl RoomRegistry {
    /// Creates the lobby if the server has one and it does not exist, and replaces it by an empty
    /// one if it is old. Its games remain, and its members may enter again. The token of its leader
    /// is discarded.
    pub(crate) async fn renew_lobby(&self) -> Result<(), RoomError> {
        if !self.has_lobby {
            return Ok(());
        }
        let code = RoomCode::lobby();
        let live_room = self.get(&code);
        // No request sees the state between the two lobbies.
        let mut slot = live_room.room.lock().await;
        match self.take_or_load(&mut slot, &live_room).await {
            Ok(lobby) if !is_old(&lobby) => {
                *slot = Some(lobby);
                return Ok(());
            }
            Ok(_) => {
                let write = RoomWrite::Delete(vec![code.clone()]);
                self.games.store.write(GameWrite::Room(write)).await?;
            }
            Err(RoomError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
        let token = PlayerToken::random();
        let lobby = self.save_new(&code, lobby_settings(), &token).await?;
        *slot = Some(lobby);
        live_room.end_all_members();
        // Watchers receive the whole state of the other lobby.
        live_room.note(RoomChange::Round);
        live_room.note(RoomChange::Standings);
        drop(slot);
        self.changed.notify_one();
        Ok(())
    }
}

/// Returns whether a lobby is to be replaced: it has many members and no running game, or has no
/// place for another member.
fn is_old(lobby: &Room) -> bool {
    let members = lobby.members().len();
    let is_idle = lobby.running_games().next().is_none();
    let maximum = lobby.settings().format.max_members();
    (members >= MAX_LOBBY_MEMBERS && is_idle) || members >= maximum
}

/// Returns the settings of the lobby: free challenges on the usual board, with a clock.
///
/// # Panics
/// Never: the name and the board are valid.
fn lobby_settings() -> RoomSettings {
    const HOUSES: u8 = 6;
    const SEEDS: u64 = 4;
    const TIME: Duration = Duration::from_mins(10);
    const INCREMENT: Duration = Duration::from_secs(5);
    let start = Position::start(HOUSES, SEEDS, Rules::STANDARD).expect("the usual board");
    RoomSettings {
        name: "Lobby".parse().expect("a name of five letters"),
        rules: start.rules().to_string(),
        start: start.to_string(),
        clock: ClockSetting::new(TIME, INCREMENT),
        format: RoomFormat::Free,
        games_per_pairing: 1,
        opening_plies: 0,
        engine_help: false,
        seed: 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prometheus_client::registry::Registry;
    use tokio_util::task::TaskTracker;

    use super::*;
    use crate::games::registry::GameRegistry;
    use crate::http::rate_limit::ClientIp;
    use crate::rooms::background::clean_up;
    use crate::rooms::commands::RoomCommand;
    use crate::rooms::live_room::{LiveRoom, RoomUpdate};
    use crate::rooms::state::room::{Newcomer, RoomRole};
    use crate::rooms::state::room_error::RoomCommandError;

    fn registry(has_lobby: bool) -> Arc<RoomRegistry> {
        let (mut metrics, tasks) = (Registry::default(), TaskTracker::new());
        let games = GameRegistry::open(None, &mut metrics, tasks).expect("a registry");
        Arc::new(RoomRegistry::new(Arc::new(games), has_lobby))
    }

    /// Saves members up to this number, and returns the tokens of the first two.
    async fn fill(rooms: &RoomRegistry, lobby: &LiveRoom, count: usize) -> [PlayerToken; 2] {
        let first = [(); 2].map(|()| PlayerToken::random());
        let mut slot = lobby.room.lock().await;
        let mut room = rooms.take_or_load(&mut slot, lobby).await.expect("a lobby");
        let mut writes = Vec::new();
        for number in room.members().len()..count {
            let token = first.get(number).cloned();
            let token = token.unwrap_or_else(PlayerToken::random);
            let newcomer = Newcomer {
                name: format!("Member {number}").parse().expect("a name"),
                is_bot: false,
            };
            let entry = room.enter(&token, newcomer, rooms.games.time.now());
            writes.push(RoomWrite::Member {
                room: room.code().clone(),
                state: room.state(),
                member: entry.expect("an open lobby").changed.expect("a member"),
            });
        }
        let writes = writes.into_iter().map(GameWrite::Room);
        let writes = writes.map(|write| rooms.games.store.write(write));
        let written = futures_util::future::try_join_all(writes).await;
        written.expect("stored members");
        *slot = Some(room);
        first
    }

    async fn member_count(rooms: &RoomRegistry) -> usize {
        let lobby = rooms.get(&RoomCode::lobby());
        let count = rooms.read(&lobby, |room| room.members().len());
        count.await.expect("a lobby")
    }

    #[tokio::test(start_paused = true)]
    async fn lobby_exists_only_where_the_server_has_one() {
        for has_lobby in [false, true] {
            let rooms = registry(has_lobby);
            clean_up(&rooms).await;
            let lobby = rooms.get(&RoomCode::lobby());
            let read = rooms.read(&lobby, |room| room.members().len()).await;
            assert_eq!(read.is_ok(), has_lobby);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn lobby_with_many_members_is_replaced_when_no_game_runs() {
        let rooms = registry(true);
        clean_up(&rooms).await;
        let lobby = rooms.get(&RoomCode::lobby());
        let tokens = fill(&rooms, &lobby, MAX_LOBBY_MEMBERS - 1).await;
        clean_up(&rooms).await;
        assert_eq!(member_count(&rooms).await, MAX_LOBBY_MEMBERS - 1);

        fill(&rooms, &lobby, MAX_LOBBY_MEMBERS).await;
        let [one, other] = &tokens;
        for (token, command) in [
            (one, RoomCommand::Challenge { to: None }),
            (other, RoomCommand::AcceptChallenge { from: 1 }),
        ] {
            let executed = rooms.execute(&lobby, token.clone(), command).await;
            executed.expect("a challenge");
        }
        clean_up(&rooms).await;
        assert_eq!(member_count(&rooms).await, MAX_LOBBY_MEMBERS);

        // Its second member leaves and loses the game.
        let left = rooms.execute(&lobby, other.clone(), RoomCommand::Leave);
        left.await.expect("a member");
        let connection = lobby.add_member(1);
        let mut watcher = lobby.subscribe();
        clean_up(&rooms).await;
        assert_eq!(member_count(&rooms).await, 0);
        assert!(connection.ended.is_cancelled());
        assert!(lobby.send_update(rooms.games.time.now()));
        assert!(matches!(watcher.try_recv(), Ok(RoomUpdate::Round(_))));

        let role = rooms.read(&lobby, |room| room.role(one)).await;
        assert_eq!(
            role.expect("a lobby"),
            Err::<RoomRole, _>(RoomCommandError::InvalidToken)
        );
        let newcomer = Newcomer {
            name: "Ann".parse().expect("a name"),
            is_bot: false,
        };
        let entered = rooms.enter(&lobby, one.clone(), newcomer, ClientIp::OVERFLOW);
        assert_eq!(entered.await.expect("an empty lobby"), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn full_lobby_is_replaced_while_games_run() {
        let rooms = registry(true);
        clean_up(&rooms).await;
        let lobby = rooms.get(&RoomCode::lobby());
        let [one, other] = fill(&rooms, &lobby, RoomFormat::Free.max_members()).await;
        for (token, command) in [
            (one, RoomCommand::Challenge { to: None }),
            (other, RoomCommand::AcceptChallenge { from: 1 }),
        ] {
            let executed = rooms.execute(&lobby, token, command).await;
            executed.expect("a challenge");
        }
        let game = rooms.read(&lobby, |room| room.games()[0].place.game).await;
        clean_up(&rooms).await;
        assert_eq!(member_count(&rooms).await, 0);
        let game = game.expect("a lobby");
        let stored = rooms.games.store.load(game).await.expect("a game");
        assert_eq!((stored.room, stored.state.ending), (None, None));
    }
}
