//! The agents and games of a KGP server since its start, which its page shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah::record::{Record, TagError, Tags};
use kalah::{BySide, Ending, Game, Move, Position, SeedCount, Side, Termination};
use kalah_players::{escape_control, escape_truncated};

/// The maximum number of finished games. Those that ended first are dropped.
const MAX_FINISHED_GAMES: usize = 500;

/// The maximum number of agents. Agents without a connection are dropped, those with the earliest
/// last change first.
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
pub(crate) struct KgpAgent {
    pub(crate) name: String,
    pub(crate) authors: Option<String>,
    pub(crate) description: Option<String>,
    /// The number of its open connections.
    pub(crate) connections: u32,
    pub(crate) wins: u32,
    pub(crate) ties: u32,
    pub(crate) losses: u32,
    /// Whether it is a player of the server, which needs no connection.
    pub(crate) is_builtin: bool,
    /// The number of the last change: a new connection or the end of a game.
    last_change: u64,
}

impl KgpAgent {
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
pub(crate) struct PlayerEntry {
    pub(crate) key: AgentKey,
    pub(crate) name: String,
}

/// A game on the scoreboard.
#[derive(Clone, Debug)]
pub(crate) struct GameEntry {
    pub(crate) number: u64,
    pub(crate) players: BySide<PlayerEntry>,
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
    agents: BTreeMap<AgentKey, KgpAgent>,
    running: BTreeMap<u64, GameEntry>,
    /// The finished games in the order of their ends.
    finished: VecDeque<GameEntry>,
    /// The number of changes of agents up to now.
    change_count: u64,
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
    pub(crate) fn connect(&self, key: AgentKey, agent: KgpAgent) {
        let mut entries = self.entries();
        let known = entries.agent_to_change(key, &agent.name);
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

    pub(crate) fn start_game(&self, number: u64, players: BySide<PlayerEntry>) {
        let game = GameEntry {
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
                let PlayerEntry { key, name } = game.players[side].clone();
                let agent = entries.agent_to_change(key, &escape_truncated(&name));
                match ending.winner {
                    Some(winner) if winner == side => agent.wins += 1,
                    Some(_) => agent.losses += 1,
                    None => agent.ties += 1,
                }
            }
            entries.drop_agents();
        }
        entries.finished.push_back(game);
        if entries.finished.len() > MAX_FINISHED_GAMES {
            entries.finished.pop_front();
        }
    }

    /// Returns all agents, those with the most points first, and of those with the same number the
    /// ones with the fewest games. An order by the share of points would begin with agents that
    /// have won a single game.
    pub(crate) fn agents(&self) -> Vec<KgpAgent> {
        let mut agents: Vec<KgpAgent> = self.entries().agents.values().cloned().collect();
        agents.sort_by_key(|agent| (Reverse(agent.half_points()), agent.games()));
        agents
    }

    /// Returns the running games, the first one first, and the finished games, the one that ended
    /// last first.
    pub(crate) fn games(&self) -> (Vec<GameEntry>, Vec<GameEntry>) {
        let entries = self.entries();
        let running = entries.running.values().cloned().collect();
        let finished = entries.finished.iter().rev().cloned().collect();
        (running, finished)
    }

    /// Returns the record of a game up to now, and its ending once it has ended, if it is running
    /// or one of the last finished ones.
    pub(crate) fn record(&self, number: u64) -> Option<(Record, Option<Ending>)> {
        let game = {
            let entries = self.entries();
            let running = entries.running.get(&number);
            let mut finished = entries.finished.iter();
            let of_number = |game: &&GameEntry| game.number == number;
            running.or_else(|| finished.find(of_number)).cloned()?
        };
        let names = BySide::from_fn(|side| game.players[side].name.clone());
        // The server has played the same moves.
        let replayed = Game::replay(self.start.clone(), game.moves).ok()?;
        let record = build_record(&replayed, &names, game.ending).ok()?;
        Some((record, game.ending))
    }
}

impl Entries {
    /// Returns an agent for a change, which is counted. A new agent is added.
    fn agent_to_change(&mut self, key: AgentKey, name: &str) -> &mut KgpAgent {
        self.change_count += 1;
        let is_builtin = matches!(key, AgentKey::Builtin(_));
        let new = || KgpAgent::new(name, None, None);
        let agent = self.agents.entry(key).or_insert_with(new);
        agent.is_builtin = is_builtin;
        agent.last_change = self.change_count;
        agent
    }

    fn drop_agents(&mut self) {
        while self.agents.len() > MAX_AGENTS {
            let agents = self.agents.iter();
            let idle = agents.filter(|(_, agent)| agent.connections == 0);
            let oldest = idle.min_by_key(|(_, agent)| agent.last_change);
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

    fn player(name: &str) -> PlayerEntry {
        PlayerEntry {
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
    fn agents_are_ordered_by_their_points() {
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
        let builtin = PlayerEntry {
            key: AgentKey::Builtin("first".to_owned()),
            name: "Builtin".to_owned(),
        };
        board.start_game(8, BySide::new(builtin, player("Apu")));
        board.end_game(8, ending(Termination::Resign, Some(Side::North)));
        board.start_game(9, BySide::new(player("Lisa"), player("Homer")));
        board.end_game(9, ending(Termination::Unfinished, None));
        let agents = board.agents();
        let table: Vec<_> = agents
            .iter()
            .map(|agent| (agent.name.as_str(), agent.games(), agent.half_points()))
            .collect();
        assert_eq!(
            table,
            [
                ("Lisa", 2, 3),
                ("Apu", 1, 2),
                ("Maggie", 1, 2),
                ("Bart", 3, 1),
                ("Builtin", 1, 0),
            ]
        );
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
        let (record, current) = board.record(7).expect("a game");
        assert_eq!(current, None);
        assert_eq!(record.game().position(), &position);
        assert_eq!(record.tags().get("North"), Some(r"c\u{1b}d"));
        assert_eq!(record.ending().termination, Termination::Unfinished);
        board.end_game(7, ending(Termination::Time, Some(Side::North)));
        let (record, current) = board.record(7).expect("a game");
        assert_eq!(current, Some(record.ending()));
        assert_eq!(record.ending().winner, Some(Side::North));
        assert!(board.record(8).is_none());
    }

    #[test]
    fn numbers_of_agents_and_games_are_limited() {
        let board = Scoreboard::new(Position::start(3, 2, Rules::STANDARD).expect("a start"));
        let first = AgentKey::Name("0".to_owned());
        board.connect(first.clone(), KgpAgent::new("0", None, None));
        for number in 1..=2000_u64 {
            let players = BySide::from_fn(|side| player(&format!("{side} {number}")));
            board.start_game(number, players);
            board.end_game(number, ending(Termination::Crash, Some(Side::South)));
        }
        let (running, finished) = board.games();
        assert_eq!((running.len(), finished.len()), (0, MAX_FINISHED_GAMES));
        assert_eq!(finished[0].number, 2000);
        // A long game, which is the last to end.
        board.start_game(0, BySide::from_fn(|side| player(&format!("{side} 2000"))));
        board.end_game(0, ending(Termination::Crash, Some(Side::South)));
        let (_, finished) = board.games();
        assert_eq!(
            (finished.len(), finished[0].number),
            (MAX_FINISHED_GAMES, 0)
        );
        assert_eq!(finished[1].number, 2000);
        assert!(board.record(0).is_some());
        let agents = board.agents();
        assert_eq!(agents.len(), MAX_AGENTS);
        assert!(
            agents.iter().any(|agent| agent.name == "0"),
            "it is connected"
        );
        board.disconnect(&first);
        board.connect(player("new").key, KgpAgent::new("new", None, None));
        let agents = board.agents();
        assert!(!agents.iter().any(|agent| agent.name == "0"));
    }
}
