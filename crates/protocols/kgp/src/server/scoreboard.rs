//! The agents and games of a KGP server, which its page shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah::record::{Record, TagError, Tags};
use kalah::{BySide, Ending, Game, Move, Position, SeedCount, Side, Termination};
use kalah_players::escape_control;

use crate::server::agent::{AgentKey, AgentProfile};
use crate::server::result_log::ResultEntry;

/// The maximum number of finished games. Those that ended first are dropped.
pub(crate) const MAX_FINISHED_GAMES: usize = 500;

/// The maximum number of agents. Agents without a connection are dropped, those with the earliest
/// last change first.
const MAX_AGENTS: usize = 1000;

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
    /// Shows the texts of a profile.
    fn set_profile(&mut self, profile: &AgentProfile) {
        self.name.clone_from(&profile.name);
        self.authors.clone_from(&profile.authors);
        self.description.clone_from(&profile.description);
    }

    /// Counts a game of an agent with a side.
    fn count_game(&mut self, side: Side, winner: Option<Side>) {
        match winner {
            Some(winner) if winner == side => self.wins += 1,
            Some(_) => self.losses += 1,
            None => self.ties += 1,
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

/// A game on the scoreboard.
#[derive(Clone, Debug)]
pub(crate) struct GameEntry {
    pub(crate) number: u64,
    pub(crate) names: BySide<String>,
    start: Position,
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

/// The agents and games of a server, and those of earlier processes with the same folder of
/// records.
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
    pub(crate) fn connect(&self, profile: &AgentProfile) {
        let mut entries = self.entries();
        let agent = entries.agent_to_change(profile);
        agent.connections += 1;
        agent.set_profile(profile);
        entries.drop_agents();
    }

    /// Counts the result of a game of an earlier process.
    pub(crate) fn restore_result(&self, result: &ResultEntry) {
        let mut entries = self.entries();
        for side in Side::ALL {
            let profile = &result.players[side];
            let agent = entries.agent_to_change(profile);
            agent.set_profile(profile);
            agent.count_game(side, result.winner);
        }
        entries.drop_agents();
    }

    /// Adds a game of an earlier process to the finished games.
    pub(crate) fn restore_game(&self, number: u64, record: &Record) {
        let name = |tag| record.tags().get(tag).unwrap_or_default().to_owned();
        let game = record.game();
        self.entries().add_finished(GameEntry {
            number,
            names: BySide::new(name(Tags::SOUTH), name(Tags::NORTH)),
            start: record.start(),
            moves: record.main_line().collect(),
            stores: BySide::from_fn(|side| game.position().store(side)),
            ending: Some(record.ending()),
        });
    }

    /// Removes a connection of an agent.
    pub(crate) fn disconnect(&self, key: &AgentKey) {
        if let Some(agent) = self.entries().agents.get_mut(key) {
            agent.connections = agent.connections.saturating_sub(1);
        }
    }

    pub(crate) fn start_game(&self, number: u64, names: BySide<String>) {
        let game = GameEntry {
            number,
            names,
            start: self.start.clone(),
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
    pub(crate) fn end_game(&self, number: u64, players: &BySide<AgentProfile>, ending: Ending) {
        let mut entries = self.entries();
        let Some(mut game) = entries.running.remove(&number) else {
            return;
        };
        game.ending = Some(ending);
        if ending.termination != Termination::Unfinished {
            for side in Side::ALL {
                let agent = entries.agent_to_change(&players[side]);
                agent.count_game(side, ending.winner);
            }
            entries.drop_agents();
        }
        entries.add_finished(game);
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
        // A server has played the same moves.
        let replayed = Game::replay(game.start, game.moves).ok()?;
        let record = build_record(&replayed, &game.names, game.ending).ok()?;
        Some((record, game.ending))
    }
}

impl Entries {
    /// Returns an agent for a change, which is counted. A new agent is added.
    fn agent_to_change(&mut self, profile: &AgentProfile) -> &mut KgpAgent {
        self.change_count += 1;
        let new = || {
            let mut agent = KgpAgent {
                is_builtin: matches!(profile.key, AgentKey::Builtin(_)),
                ..KgpAgent::default()
            };
            agent.set_profile(profile);
            agent
        };
        let agent = self.agents.entry(profile.key.clone()).or_insert_with(new);
        agent.last_change = self.change_count;
        agent
    }

    /// Adds a game that ended last.
    fn add_finished(&mut self, game: GameEntry) {
        self.finished.push_back(game);
        if self.finished.len() > MAX_FINISHED_GAMES {
            self.finished.pop_front();
        }
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

    fn profile(name: &str) -> AgentProfile {
        AgentProfile::new(AgentKey::Name(name.to_owned()), name, None, None)
    }

    /// Plays a game without moves.
    fn play(board: &Scoreboard, number: u64, players: [AgentProfile; 2], ending: Ending) {
        let [south, north] = players;
        let players = BySide::new(south, north);
        board.start_game(number, BySide::from_fn(|side| players[side].name.clone()));
        board.end_game(number, &players, ending);
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
            let players = [profile(south), profile(north)];
            play(
                &board,
                number,
                players,
                ending(Termination::Adjudicated, winner),
            );
        }
        let key = AgentKey::Builtin("first".to_owned());
        let builtin = AgentProfile::new(key, "Builtin", None, None);
        let resigned = ending(Termination::Resign, Some(Side::North));
        play(&board, 8, [builtin, profile("Apu")], resigned);
        let unfinished = ending(Termination::Unfinished, None);
        play(&board, 9, [profile("Lisa"), profile("Homer")], unfinished);
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
        board.start_game(7, BySide::new("a\"b".to_owned(), "c\u{1b}d".to_owned()));
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
        let players = BySide::from_fn(|side| profile(&side.to_string()));
        board.end_game(7, &players, ending(Termination::Time, Some(Side::North)));
        let (record, current) = board.record(7).expect("a game");
        assert_eq!(current, Some(record.ending()));
        assert_eq!(record.ending().winner, Some(Side::North));
        assert!(board.record(8).is_none());
    }

    #[test]
    fn numbers_of_agents_and_games_are_limited() {
        let board = Scoreboard::new(Position::start(3, 2, Rules::STANDARD).expect("a start"));
        let first = profile("0");
        board.connect(&first);
        let crash = ending(Termination::Crash, Some(Side::South));
        for number in 1..=2000_u64 {
            let players = Side::ALL.map(|side| profile(&format!("{side} {number}")));
            play(&board, number, players, crash);
        }
        let (running, finished) = board.games();
        assert_eq!((running.len(), finished.len()), (0, MAX_FINISHED_GAMES));
        assert_eq!(finished[0].number, 2000);
        // A long game, which is the last to end.
        let players = Side::ALL.map(|side| profile(&format!("{side} 2000")));
        play(&board, 0, players, crash);
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
        board.disconnect(&first.key);
        board.connect(&profile("new"));
        let agents = board.agents();
        assert!(!agents.iter().any(|agent| agent.name == "0"));
    }
}
