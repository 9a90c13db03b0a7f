//! The agents and games of a KGP server since its start, which its page shows.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah::record::{Record, TagError, Tags};
use kalah::{BySide, Ending, Game, Move, Position, SeedCount, Side, Termination};
use kalah_players::{escape_control, escape_truncated};

/// The maximum number of finished games. The oldest ones are dropped.
const MAX_FINISHED_GAMES: usize = 500;

/// The maximum number of agents. Agents without a connection are dropped, those first that were
/// seen last the longest time ago.
const MAX_AGENTS: usize = 1000;

/// The identity of an agent, by which its games are added up over its connections.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AgentKey {
    /// A player of the server, by its spec.
    Builtin(String),
    /// A client with this `auth:token`.
    Token(String),
    /// A client with this name and no token.
    Name(String),
    /// A client with neither, by the number of its connection.
    Client(u64),
}

/// An agent, with texts that have no control characters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agent {
    pub(crate) name: String,
    pub(crate) authors: Option<String>,
    pub(crate) description: Option<String>,
    /// The number of its open connections.
    pub(crate) connections: u32,
    pub(crate) wins: u32,
    pub(crate) ties: u32,
    pub(crate) losses: u32,
    /// The time at which it joined or ended a game, counted by [`Scoreboard`].
    last_seen: u64,
}

impl Agent {
    /// Creates an agent without games.
    pub(crate) fn new(name: &str, authors: Option<&str>, description: Option<&str>) -> Self {
        Self {
            name: escape_truncated(name),
            authors: authors.map(escape_truncated),
            description: description.map(escape_truncated),
            ..Self::default()
        }
    }

    pub(crate) fn games(&self) -> u32 {
        self.wins + self.ties + self.losses
    }

    /// Returns twice the points: a win is a point, and a tie is half of one.
    pub(crate) fn half_points(&self) -> u32 {
        2 * self.wins + self.ties
    }
}

/// A player of a game on the scoreboard.
#[derive(Clone, Debug)]
pub(crate) struct BoardPlayer {
    pub(crate) key: AgentKey,
    pub(crate) name: String,
}

/// A game on the scoreboard.
#[derive(Clone, Debug)]
pub(crate) struct BoardGame {
    pub(crate) number: u64,
    pub(crate) players: BySide<BoardPlayer>,
    pub(crate) moves: Vec<Move>,
    /// The stores after the last move.
    pub(crate) stores: BySide<SeedCount>,
    /// The ending, once the game has ended.
    pub(crate) ending: Option<Ending>,
}

/// Returns the record of a game of a server.
pub(crate) fn build_record(
    game: &Game,
    names: &BySide<String>,
    ending: Option<Ending>,
) -> Result<Record, TagError> {
    let mut record = Record::from_game(game);
    for (tag, side) in [(Tags::SOUTH, Side::South), (Tags::NORTH, Side::North)] {
        record.set_tag(tag, escape_control(&names[side]))?;
    }
    if let Some(ending) = ending {
        record.set_ending(ending)?;
    }
    Ok(record)
}

/// The agents and games of a server since its start.
#[derive(Debug)]
pub(crate) struct Scoreboard {
    start: Position,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    agents: BTreeMap<AgentKey, Agent>,
    running: BTreeMap<u64, BoardGame>,
    finished: BTreeMap<u64, BoardGame>,
    /// The number of changes of agents, which orders them by the last one.
    clock: u64,
}

impl Scoreboard {
    pub(crate) fn new(start: Position) -> Self {
        Self {
            start,
            entries: Mutex::default(),
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection of an agent. The texts of the last connection are shown.
    pub(crate) fn connect(&self, key: AgentKey, agent: Agent) {
        let mut entries = self.entries();
        let known = entries.touch(key, &agent.name);
        known.connections += 1;
        known.name = agent.name;
        known.authors = agent.authors;
        known.description = agent.description;
        entries.drop_agents();
    }

    /// Removes a connection of an agent.
    pub(crate) fn disconnect(&self, key: &AgentKey) {
        if let Some(agent) = self.entries().agents.get_mut(key) {
            agent.connections = agent.connections.saturating_sub(1);
        }
    }

    pub(crate) fn start_game(&self, number: u64, players: BySide<BoardPlayer>) {
        let game = BoardGame {
            number,
            players,
            moves: Vec::new(),
            stores: BySide::from_fn(|side| self.start.store(side)),
            ending: None,
        };
        self.entries().running.insert(number, game);
    }

    /// Adds a move to a game, after which the game has come to `position`.
    pub(crate) fn add_move(&self, number: u64, mv: Move, position: &Position) {
        if let Some(game) = self.entries().running.get_mut(&number) {
            game.moves.push(mv);
            game.stores = BySide::from_fn(|side| position.store(side));
        }
    }

    /// Ends a game and counts it, unless it is unfinished.
    pub(crate) fn end_game(&self, number: u64, ending: Ending) {
        let mut entries = self.entries();
        let Some(mut game) = entries.running.remove(&number) else {
            return;
        };
        game.ending = Some(ending);
        if ending.termination != Termination::Unfinished {
            for side in Side::ALL {
                let BoardPlayer { key, name } = game.players[side].clone();
                let agent = entries.touch(key, &escape_truncated(&name));
                match ending.winner {
                    Some(winner) if winner == side => agent.wins += 1,
                    Some(_) => agent.losses += 1,
                    None => agent.ties += 1,
                }
            }
            entries.drop_agents();
        }
        entries.finished.insert(number, game);
        if entries.finished.len() > MAX_FINISHED_GAMES {
            entries.finished.pop_first();
        }
    }

    /// Returns all agents, those with the largest share of points first.
    pub(crate) fn agents(&self) -> Vec<Agent> {
        let mut agents: Vec<Agent> = self.entries().agents.values().cloned().collect();
        agents.sort_by(|one, other| {
            // Both shares, multiplied by both numbers of games.
            let share = |agent: &Agent, games: u32| {
                u64::from(agent.half_points()) * u64::from(games.max(1))
            };
            let by_share = share(other, one.games()).cmp(&share(one, other.games()));
            by_share.then(other.games().cmp(&one.games()))
        });
        agents
    }

    /// Returns the running games, the first one first, and the finished games, the last one first.
    pub(crate) fn games(&self) -> (Vec<BoardGame>, Vec<BoardGame>) {
        let entries = self.entries();
        let running = entries.running.values().cloned().collect();
        let finished = entries.finished.values().rev().cloned().collect();
        (running, finished)
    }

    /// Returns the record of a game up to now, if it is running or one of the last finished ones.
    pub(crate) fn record(&self, number: u64) -> Option<Record> {
        let game = {
            let entries = self.entries();
            let running = entries.running.get(&number);
            running.or_else(|| entries.finished.get(&number)).cloned()?
        };
        let names = BySide::from_fn(|side| game.players[side].name.clone());
        // The server has played the same moves.
        let replayed = Game::replay(self.start.clone(), game.moves).ok()?;
        build_record(&replayed, &names, game.ending).ok()
    }
}

impl Entries {
    /// Returns an agent, which is added if it is new, and notes that it was seen.
    fn touch(&mut self, key: AgentKey, name: &str) -> &mut Agent {
        self.clock += 1;
        let new = || Agent::new(name, None, None);
        let agent = self.agents.entry(key).or_insert_with(new);
        agent.last_seen = self.clock;
        agent
    }

    fn drop_agents(&mut self) {
        while self.agents.len() > MAX_AGENTS {
            let agents = self.agents.iter();
            let idle = agents.filter(|(_, agent)| agent.connections == 0);
            let oldest = idle.min_by_key(|(_, agent)| agent.last_seen);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.agents.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah::{House, Rules};

    use super::*;

    fn player(name: &str) -> BoardPlayer {
        BoardPlayer {
            key: AgentKey::Name(name.to_owned()),
            name: name.to_owned(),
        }
    }

    fn ending(termination: Termination, winner: Option<Side>) -> Ending {
        Ending {
            termination,
            winner,
            outcome: None,
        }
    }

    #[test]
    fn agents_are_ordered_by_their_share_of_points() {
        let board = Scoreboard::new(Position::start(3, 2, Rules::STANDARD).expect("a start"));
        let games = [
            ("Lisa", "Bart", Some(Side::South)),
            ("Bart", "Lisa", None),
            ("Maggie", "Bart", Some(Side::South)),
        ];
        for (number, (south, north, winner)) in (1..).zip(games) {
            board.start_game(number, BySide::new(player(south), player(north)));
            board.end_game(number, ending(Termination::Adjudicated, winner));
        }
        board.start_game(9, BySide::new(player("Lisa"), player("Homer")));
        board.end_game(9, ending(Termination::Unfinished, None));
        let agents = board.agents();
        let table: Vec<_> = agents
            .iter()
            .map(|agent| (agent.name.as_str(), agent.games(), agent.half_points()))
            .collect();
        assert_eq!(table, [("Maggie", 1, 2), ("Lisa", 2, 3), ("Bart", 3, 1)]);
    }

    #[test]
    fn record_of_a_running_game_has_its_moves() {
        let mut position = Position::start(3, 2, Rules::STANDARD).expect("a start");
        let board = Scoreboard::new(position.clone());
        board.start_game(7, BySide::new(player("a\"b"), player("c\u{1b}d")));
        for number in [2, 3] {
            let house = House::new(number).expect("from 1 to 26");
            position.sow(house).expect("a legal move");
            board.add_move(7, Move::Sow(house), &position);
        }
        let record = board.record(7).expect("a game");
        assert_eq!(record.game().position(), &position);
        assert_eq!(record.tags().get("North"), Some(r"c\u{1b}d"));
        assert_eq!(record.ending().termination, Termination::Unfinished);
        board.end_game(7, ending(Termination::Time, Some(Side::North)));
        let record = board.record(7).expect("a game");
        assert_eq!(record.ending().winner, Some(Side::North));
        assert!(board.record(8).is_none());
    }

    #[test]
    fn numbers_of_agents_and_games_are_limited() {
        let board = Scoreboard::new(Position::start(3, 2, Rules::STANDARD).expect("a start"));
        let first = AgentKey::Name("0".to_owned());
        board.connect(first.clone(), Agent::new("0", None, None));
        for number in 1..=2000_u64 {
            let players = BySide::from_fn(|side| player(&format!("{side} {number}")));
            board.start_game(number, players);
            board.end_game(number, ending(Termination::Crash, Some(Side::South)));
        }
        let (running, finished) = board.games();
        assert_eq!((running.len(), finished.len()), (0, MAX_FINISHED_GAMES));
        assert_eq!(finished[0].number, 2000);
        let agents = board.agents();
        assert_eq!(agents.len(), MAX_AGENTS);
        assert!(
            agents.iter().any(|agent| agent.name == "0"),
            "it is connected"
        );
        board.disconnect(&first);
        board.connect(player("new").key, Agent::new("new", None, None));
        let agents = board.agents();
        assert!(!agents.iter().any(|agent| agent.name == "0"));
    }
}
