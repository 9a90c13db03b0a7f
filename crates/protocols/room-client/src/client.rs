//! The client: enters a room and plays its games.

use std::io;
use std::time::Duration;

use kalah::{Move, PlayerId, Position, Rules, format_count};
use kalah_net::TlsTrust;
use kalah_parse::parse_json;
use kalah_players::{
    ContestantSpec, MemorySize, MoveLimits, Participant, ParticipantFailure, Shutdown,
    escape_truncated,
};
use kalah_store::{PlayerName, PlayerToken};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::address::RoomAddress;
use crate::error::RoomClientError;
use crate::game::FollowedGame;
use crate::messages::{Entered, GameMessage, GameRequest, RoomMessage, RoomStateJson};
use crate::server::{ConnectionEnd, LiveConnection, RoomServer};

/// The choices of a client.
#[derive(Clone, Debug)]
pub struct RoomClientSettings {
    /// The room.
    pub address: RoomAddress,
    /// The certificates by which the client recognizes the server of an encrypted connection.
    pub trust: TlsTrust,
    /// The name in the room.
    pub name: PlayerName,
    /// The token of the member, with which a client that starts again is the same member.
    pub token: PlayerToken,
    /// The player.
    pub player: ContestantSpec,
    /// The memory of a built-in player.
    pub memory: MemorySize,
    /// The seed of the random choices of a built-in player.
    pub seed: u64,
    /// The time for a move in games without a clock.
    pub move_time: Duration,
    /// Whether the client challenges all members, and accepts open challenges of people, while it
    /// plays no game.
    pub challenges_all: bool,
}

/// The numbers of games of a client, by their results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameTally {
    /// Games that the program has won.
    pub won: u64,
    /// Games that it has lost.
    pub lost: u64,
    /// Ties.
    pub tied: u64,
    /// Games without a result.
    pub void: u64,
}

/// The pauses before connections are opened again: each is twice as long as the one before.
const MIN_RECONNECT_DELAY: Duration = Duration::from_millis(250);
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(15);

/// A client in its room.
struct RoomClient<'a> {
    settings: &'a RoomClientSettings,
    server: RoomServer,
    /// The number of the member.
    member: u32,
    /// `None` while it chooses a move.
    participant: Option<Participant>,
    report: &'a mut dyn FnMut(&str) -> io::Result<()>,
    tally: GameTally,
}

/// The reason why a client stops following its room or a game.
enum Stop {
    /// The connection is lost.
    Lost,
    /// The client cannot go on.
    Failed(RoomClientError),
}

impl From<RoomClientError> for Stop {
    fn from(error: RoomClientError) -> Self {
        match error {
            RoomClientError::Connection { .. } => Self::Lost,
            error => Self::Failed(error),
        }
    }
}

impl From<ConnectionEnd> for Stop {
    fn from(end: ConnectionEnd) -> Self {
        match end {
            ConnectionEnd::Lost => Self::Lost,
            ConnectionEnd::Removed => Self::Failed(RoomClientError::Removed),
        }
    }
}

/// Enters a room and plays its games, until the room is closed, or until `shutdown` is cancelled,
/// when it leaves. `report` receives a line for each event; `stop_players` ends a search or a
/// program.
///
/// A player that fails resigns its game, and plays the next one. Lost connections are opened again.
///
/// # Errors
/// Returns an error if the client cannot enter or go on.
pub async fn run_client(
    settings: &RoomClientSettings,
    report: &mut dyn FnMut(&str) -> io::Result<()>,
    shutdown: &CancellationToken,
    stop_players: &Shutdown,
) -> Result<GameTally, RoomClientError> {
    let player = Participant::new(&settings.player, settings.memory, stop_players);
    let player = check_starts(player).await?;
    let server = RoomServer::new(
        settings.address.clone(),
        settings.token.clone(),
        settings.trust.clone(),
    );
    let request = json!({
        "token": settings.token.reveal(), "name": settings.name.as_str(), "bot": true,
    });
    let entered: Entered = server.post("enter", &request).await?;
    let mut client = RoomClient {
        settings,
        server,
        member: entered.member,
        participant: Some(player),
        report,
        tally: GameTally::default(),
    };
    let (name, code) = (&settings.name, settings.address.code());
    client.print(&format!(
        "entered room {code} as {name}, member {}",
        entered.member
    ))?;
    let result = tokio::select! {
        result = client.follow_again() => result,
        () = shutdown.cancelled() => Ok(()),
    };
    if shutdown.is_cancelled() {
        // The server may be gone. Then the member stays in the room without a connection.
        let _: Result<Value, _> = client.command(&json!({"command": "leave"})).await;
    }
    if let Some(mut participant) = client.participant.take() {
        participant.shut_down();
    }
    result.map(|()| client.tally)
}

/// Starts a program once, so that one that cannot be started does not enter.
async fn check_starts(mut player: Participant) -> Result<Participant, RoomClientError> {
    const HOUSES: u8 = 6;
    const SEEDS: u64 = 4;
    let task = tokio::task::spawn_blocking(move || {
        let start = Position::start(HOUSES, SEEDS, Rules::default()).expect("the usual board");
        let started = player.check_starts(&start);
        (player, started)
    });
    let (player, started) = task.await.map_err(|error| {
        RoomClientError::Player(ParticipantFailure::HostFault(error.to_string()))
    })?;
    started.map_err(RoomClientError::Player)?;
    Ok(player)
}

impl RoomClient<'_> {
    fn print(&mut self, line: &str) -> Result<(), RoomClientError> {
        (self.report)(line).map_err(RoomClientError::Report)
    }

    async fn command(&self, command: &Value) -> Result<Value, RoomClientError> {
        self.server.post("commands", command).await
    }

    /// Follows the room until it is closed, and connects to it again.
    async fn follow_again(&mut self) -> Result<(), RoomClientError> {
        let mut delay = MIN_RECONNECT_DELAY;
        loop {
            let error = match self.server.follow_room().await {
                Ok(connection) => match self.follow(connection).await {
                    Ok(()) => return Ok(()),
                    Err(Stop::Failed(error)) => return Err(error),
                    Err(Stop::Lost) => {
                        delay = MIN_RECONNECT_DELAY;
                        "the connection to the room was lost".to_owned()
                    }
                },
                Err(error @ RoomClientError::Connection { .. }) => error.to_string(),
                Err(error) => return Err(error),
            };
            self.print(&format!("{error}; connecting again"))?;
            sleep(delay).await;
            delay = (2 * delay).min(MAX_RECONNECT_DELAY);
        }
    }

    /// Follows the room over a connection until it is closed.
    async fn follow(&mut self, mut connection: LiveConnection) -> Result<(), Stop> {
        let mut room = RoomStateJson::default();
        loop {
            let text = connection.receive().await?;
            let message = parse_json(text.as_bytes())
                .map_err(|error| self.server.protocol_error(error.to_string()))?;
            match message {
                RoomMessage::State { state } => room = state,
                RoomMessage::Update(update) => room.update(update),
                RoomMessage::Other => continue,
            }
            if let Some(game) = room.game_of(self.member).cloned() {
                let opponent = if game.south == self.member {
                    game.north
                } else {
                    game.south
                };
                let opponent = escape_truncated(room.name(opponent));
                self.play(&game.game, &opponent).await?;
                // The room may have gone on meanwhile: it begins with its whole state.
                connection = self.server.follow_room().await?;
            } else if room.closed {
                return Ok(());
            } else {
                self.find_game(&room).await?;
            }
        }
    }

    /// Accepts a challenge to the program, or challenges all and accepts the open challenge of a
    /// person. Programs leave the open challenges of each other, so that they do not play among
    /// themselves while people wait.
    async fn find_game(&mut self, room: &RoomStateJson) -> Result<(), RoomClientError> {
        let challenges = || room.challenges.iter();
        let own = challenges().any(|challenge| challenge.from == self.member);
        let challenges_all = self.settings.challenges_all;
        let wanted = challenges()
            .find(|challenge| challenge.to == Some(self.member))
            .or_else(|| {
                challenges().find(|challenge| {
                    challenges_all && challenge.to.is_none() && room.is_person(challenge.from)
                })
            });
        let command = match wanted {
            Some(challenge) => json!({"command": "accept-challenge", "from": challenge.from}),
            None if challenges_all && !own => {
                json!({"command": "challenge", "to": null})
            }
            None => return Ok(()),
        };
        match self.command(&command).await {
            Ok(_) => Ok(()),
            // The challenge may have ended, or the program plays already.
            Err(error @ RoomClientError::Refused { .. }) => self.print(&error.to_string()),
            Err(error) => Err(error),
        }
    }

    /// Plays a game to its end.
    async fn play(&mut self, id: &str, opponent: &str) -> Result<(), Stop> {
        let mut connection = self.server.follow_game(id).await?;
        let mut followed: Option<FollowedGame> = None;
        // A state that the server has sent before the last move does not ask for it again.
        let mut sent_plies = 0;
        loop {
            let text = connection.receive().await?;
            let message = parse_json(text.as_bytes())
                .map_err(|error| self.server.protocol_error(error.to_string()))?;
            let wrong = |reason| self.server.protocol_error(reason);
            match message {
                GameMessage::State { state } => {
                    let game = FollowedGame::new(*state).map_err(wrong)?;
                    if followed.is_none() {
                        self.start_game(id, opponent, &game).await?;
                    }
                    followed = Some(game);
                }
                GameMessage::Move { ply, result, clock } => {
                    if let Some(game) = &mut followed {
                        game.add_ply(ply, &result.mv, clock).map_err(wrong)?;
                    }
                }
                GameMessage::Problem { problem } => {
                    let detail = escape_truncated(&problem.detail);
                    self.print(&format!("game {id}: {detail}"))?;
                    // The state of the game follows from a new connection.
                    return Err(Stop::Lost);
                }
                GameMessage::Other => continue,
            }
            let Some(game) = &followed else {
                continue;
            };
            if game.ending.is_some() {
                return Ok(self.finish_game(id, game)?);
            }
            let ply = game.game.plies().len() + 1;
            if game.is_own_turn() && ply > sent_plies {
                let limits = game.limits(self.settings.move_time);
                let request = self.choose(game, limits).await?;
                match request {
                    Some(mv) => {
                        sent_plies = ply;
                        connection.send(&GameRequest::Move { ply, mv: &mv }).await?;
                    }
                    None => connection.send(&GameRequest::Resign {}).await?,
                }
            }
        }
    }

    /// Prepares the player for a game.
    async fn start_game(
        &mut self,
        id: &str,
        opponent: &str,
        game: &FollowedGame,
    ) -> Result<(), RoomClientError> {
        let side = game.side;
        self.print(&format!("game {id}: {side} against {opponent}"))?;
        let started_as = PlayerId::at_side(side, game.game.is_swapped()).started_as;
        let seed = self.settings.seed;
        // A failure repeats itself with the first move.
        let _ = self
            .ask(move |participant| participant.start_game(started_as, seed))
            .await?;
        Ok(())
    }

    /// Asks the player for a move. A player without a legal move resigns: `None`.
    async fn choose(
        &mut self,
        game: &FollowedGame,
        limits: MoveLimits,
    ) -> Result<Option<String>, RoomClientError> {
        let (position, played) = (game.game.position().clone(), game.game.clone());
        let chosen = self
            .ask(move |participant| participant.choose_move(&played, &limits))
            .await?;
        let failure = match chosen {
            Ok((mv, _)) => match position.check_legal(mv) {
                Ok(()) => {
                    let text = match mv {
                        Move::Swap => "swap".to_owned(),
                        Move::Sow(_) => mv.text(position.to_move()),
                    };
                    return Ok(Some(text));
                }
                Err(reason) => format!("an illegal move: {reason}"),
            },
            Err(failure @ ParticipantFailure::HostFault(_)) => {
                return Err(RoomClientError::Player(failure));
            }
            Err(failure) => failure.to_string(),
        };
        self.print(&format!("the player resigns: {failure}"))?;
        Ok(None)
    }

    /// Calls `ask` with the player on a blocking thread.
    async fn ask<T: Send + 'static>(
        &mut self,
        ask: impl FnOnce(&mut Participant) -> Result<T, ParticipantFailure> + Send + 'static,
    ) -> Result<Result<T, ParticipantFailure>, RoomClientError> {
        let Some(mut participant) = self.participant.take() else {
            return Ok(Err(ParticipantFailure::Aborted));
        };
        let task = tokio::task::spawn_blocking(move || {
            let answer = ask(&mut participant);
            (participant, answer)
        });
        let (participant, answer) = task.await.map_err(|error| {
            RoomClientError::Player(ParticipantFailure::HostFault(error.to_string()))
        })?;
        self.participant = Some(participant);
        Ok(answer)
    }

    /// Reports the end of a game.
    fn finish_game(&mut self, id: &str, followed: &FollowedGame) -> Result<(), RoomClientError> {
        let Some(ending) = &followed.ending else {
            return Ok(());
        };
        if let Some(participant) = &mut self.participant {
            participant.end_game();
        }
        let result = match ending.winner {
            _ if ending.termination == "unfinished" => {
                self.tally.void += 1;
                "no result"
            }
            None => {
                self.tally.tied += 1;
                "tie"
            }
            Some(winner) if winner == followed.side => {
                self.tally.won += 1;
                "won"
            }
            Some(_) => {
                self.tally.lost += 1;
                "lost"
            }
        };
        let position = followed.game.position();
        let (own, other) = (followed.side, followed.side.opponent());
        let seeds = format!("{}-{}", position.store(own), position.store(other));
        let termination = escape_truncated(&ending.termination);
        self.print(&format!("game {id}: {result} {seeds} ({termination})"))
    }
}

impl GameTally {
    /// Returns the tally as a sentence.
    ///
    /// ```
    /// use kalah_room_client::GameTally;
    /// let tally = GameTally { won: 2, lost: 1, tied: 0, void: 0 };
    /// assert_eq!(tally.text(), "3 games: 2 won, 1 lost, 0 tied, 0 without a result");
    /// ```
    pub fn text(&self) -> String {
        let Self {
            won,
            lost,
            tied,
            void,
        } = self;
        let games = format_count(won + lost + tied + void, "game");
        format!("{games}: {won} won, {lost} lost, {tied} tied, {void} without a result")
    }
}
