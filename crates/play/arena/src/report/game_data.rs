//! The games that a report carries for the script of its list and viewer.
//!
//! The script knows no rules of the game, so the data has the board after each ply. All texts are
//! compressed in the format of RFC 1950 and written in base64, which needs no escapes in HTML:
//!
//! - The index is a JSON document with the names, the starts and a row for each game.
//! - A block has the plies of [`GAMES_PER_BLOCK`] games, one line for each, in the order of the
//!   index.
//! - A block of records has the texts of the same games, as a JSON list of strings.
//!
//! A ply is the letter of its house, or `~s` or `~n` for a swap by South or North, then the change
//! of each pit, in the order of the pits of the start: `.` for none, `+` for one seed more, and a
//! sign and a number for more. Unchanged pits at the end are left out. After the plies, `=s` or
//! `=n` names the side to move, unless the game is over.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use kalah::record::Tags;
use kalah::{Game, Move, Position, Rules, SeedCount, Side};
use serde::Serialize;

use crate::finished_game::FinishedGame;
use crate::game_end::GameEnd;
use crate::run::ArenaConfig;
use crate::stats::GameScore;

/// The number of games whose plies the script reads at once: a few milliseconds of work, and large
/// enough that similar lines compress well.
pub(super) const GAMES_PER_BLOCK: usize = 500;

/// The level of the compression. With the default level it takes twice as long, and the file of a
/// report is a seventh smaller.
const COMPRESSION: Compression = Compression::new(4);

/// The data of games, compressed and in base64.
pub(super) struct GameData {
    /// The index.
    pub(super) index: String,
    /// The plies of the games.
    pub(super) plies: Vec<String>,
    /// The records of the games.
    pub(super) records: Vec<String>,
}

/// The places to which the viewer of a game has links.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct GameLinks<'a> {
    /// The address of a page that reads games from links, with its slash.
    pub(super) page: Option<&'a str>,
    /// The folder of the logs, with its slash, relative to the file.
    pub(super) logs: Option<&'a str>,
}

/// The index of the games.
#[derive(Serialize)]
struct Index<'a> {
    #[serde(flatten)]
    links: GameLinks<'a>,
    games_per_block: usize,
    names: Vec<&'a str>,
    /// Whether the engine with the name at the same place is a program, whose games have logs.
    programs: Vec<bool>,
    starts: Vec<IndexedStart>,
    /// A row for each game.
    games: Vec<IndexedGame<'a>>,
}

/// A position from which games begin.
#[derive(Serialize)]
struct IndexedStart {
    houses: u8,
    /// The seeds of South's houses in the order of sowing, South's store, and the same for North.
    pits: Vec<u64>,
    /// The fragment of a link to a game without its moves.
    link: String,
}

/// The number, the indices of the names of South and North, the winner, the ending, the number of
/// plies, the number of those of the opening, the index of the start, the end in words, and the
/// lines that a crashed program has written to standard error.
#[derive(Serialize)]
struct IndexedGame<'a>(
    String,
    usize,
    usize,
    &'static str,
    &'static str,
    usize,
    usize,
    usize,
    String,
    &'a str,
);

impl GameData {
    /// Creates the data of games in their order.
    pub(super) fn new(config: &ArenaConfig, games: &[&FinishedGame], links: GameLinks) -> Self {
        let mut index = Index {
            links,
            games_per_block: GAMES_PER_BLOCK,
            names: (config.contestants.iter())
                .map(|contestant| contestant.name.as_str())
                .collect(),
            programs: (config.contestants.iter())
                .map(|contestant| contestant.spec.protocol().is_some())
                .collect(),
            starts: Vec::new(),
            games: Vec::with_capacity(games.len()),
        };
        let mut starts: Vec<&Position> = Vec::new();
        for game in games {
            let start = game.game.start();
            let known = starts.iter().position(|&known| known == start);
            let number = known.unwrap_or_else(|| {
                starts.push(start);
                index.starts.push(IndexedStart::new(start));
                starts.len() - 1
            });
            index.games.push(game_row(game, number));
        }
        let blocks = || games.chunks(GAMES_PER_BLOCK);
        Self {
            index: compress(&to_json(&index)),
            plies: blocks().map(|block| compress(&plies_text(block))).collect(),
            records: blocks()
                .map(|block| compress(&records_text(block)))
                .collect(),
        }
    }
}

impl IndexedStart {
    fn new(position: &Position) -> Self {
        Self {
            houses: position.houses(),
            pits: pits(position).map(u64::from).collect(),
            link: start_fragment(position),
        }
    }
}

fn game_row(game: &FinishedGame, start: usize) -> IndexedGame<'_> {
    let mut sides = Side::ALL.into_iter();
    let winner = sides.find(|&side| game.score(side) == GameScore::Win);
    let players = game.players();
    IndexedGame(
        game.number_text(),
        players.south.0,
        players.north.0,
        winner.map_or("", side_letter),
        game.end.termination().as_str(),
        game.game.moves().len(),
        game.opening_plies,
        start,
        game.end.to_string(),
        match &game.end {
            GameEnd::Crash { stderr_tail, .. } => stderr_tail,
            _ => "",
        },
    )
}

/// Returns a line for each game with its plies.
fn plies_text(games: &[&FinishedGame]) -> String {
    let mut text = String::new();
    for game in games {
        push_plies(&mut text, &game.game.replay());
        text.push('\n');
    }
    text
}

/// Returns the records of games.
fn records_text(games: &[&FinishedGame]) -> String {
    let records = games.iter().map(|game| match game.to_record() {
        Ok(record) => record.to_string(),
        Err(problem) => unreachable!("the game was checked: {problem}"),
    });
    to_json(&records.collect::<Vec<_>>())
}

fn push_plies(text: &mut String, game: &Game) {
    let mut before = game.start();
    for ply in game.plies() {
        match ply.mv {
            Move::Sow(house) => text.push(house.letter(ply.side)),
            Move::Swap => text.extend(["~", side_letter(ply.side)]),
        }
        push_changes(text, before, &ply.after);
        before = &ply.after;
    }
    if !before.is_over() {
        text.extend(["=", side_letter(before.to_move())]);
    }
}

/// Appends the changes of the pits between two positions.
fn push_changes(text: &mut String, before: &Position, after: &Position) {
    let counts = pits(before).zip(pits(after));
    let changes = counts.map(|(before, after)| (u64::from(before), u64::from(after)));
    let mut end = text.len();
    for (before, after) in changes {
        match (after.checked_sub(before), before.checked_sub(after)) {
            (Some(0), _) => {
                text.push('.');
                continue;
            }
            (Some(1), _) => text.push('+'),
            (Some(more), _) => write_number(text, '+', more),
            (None, fewer) => write_number(text, '-', fewer.unwrap_or_default()),
        }
        end = text.len();
    }
    text.truncate(end);
}

fn write_number(text: &mut String, sign: char, number: u64) {
    let _ = write!(text, "{sign}{number}");
}

/// Returns the seeds of South's houses in the order of sowing, of South's store, and the same for
/// North.
fn pits(position: &Position) -> impl Iterator<Item = SeedCount> {
    Side::ALL.into_iter().flat_map(|side| {
        let houses = position.houses_of(side).iter().copied();
        houses.chain([position.store(side)])
    })
}

fn side_letter(side: Side) -> &'static str {
    match side {
        Side::South => "s",
        Side::North => "n",
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value)
        .unwrap_or_else(|error| unreachable!("lists and texts have a JSON form: {error}"))
}

/// Compresses a text and writes the bytes in base64.
fn compress(text: &str) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), COMPRESSION);
    let bytes = encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish());
    STANDARD.encode(bytes.unwrap_or_else(|error| unreachable!("memory has no errors: {error}")))
}

/// The position that the page assumes if a link has none.
const DEFAULT_START: &str = "6x4";

/// Returns the fragment of a link to a game without its moves, in the form that
/// `web/records/link.js` reads: the rules and the position without characters that a URL must not
/// have. The moves are a letter for each house, and `~` for a swap.
fn start_fragment(start: &Position) -> String {
    let mut fragment = String::from("#");
    if start.rules() != Rules::default() {
        let _ = write!(fragment, "rules={}&", start.rules());
    }
    let tags = Tags::from_start(start);
    let position = tags.get(Tags::POSITION).unwrap_or_default();
    if position != DEFAULT_START {
        let position = position.replace(['<', '>'], "");
        let position: Vec<&str> = position.split_whitespace().collect();
        let _ = write!(fragment, "position={}&", position.join(","));
    }
    fragment.push_str("line=");
    fragment
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read as _;

    use flate2::read::ZlibDecoder;
    use kalah::record::Record;
    use kalah::{House, Setup};
    use rand::seq::IndexedRandom as _;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// Reads a compressed text as the script does.
    pub(in super::super) fn inflate(base64: &str) -> String {
        let bytes = STANDARD.decode(base64).expect("base64");
        let mut text = String::new();
        (ZlibDecoder::new(&bytes[..]).read_to_string(&mut text)).expect("a compressed text");
        text
    }

    /// Reads the moves of a line and the pits after each one by the words of the format.
    fn read_line(start: &[u64], line: &str) -> (String, Vec<Vec<u64>>) {
        let (plies, _) = line.split_once('=').unwrap_or((line, ""));
        let mut moves = String::new();
        let mut boards = vec![start.to_vec()];
        let mut letters = plies.chars().peekable();
        while let Some(letter) = letters.next() {
            moves.push(letter);
            if letter == '~' {
                moves.extend(letters.next());
            }
            let mut board = boards.last().expect("the start").clone();
            let mut pit = 0;
            while let Some(sign) = letters.next_if(|next| ".+-".contains(*next)) {
                let digits: String =
                    std::iter::from_fn(|| letters.next_if(char::is_ascii_digit)).collect();
                let number = digits.parse().unwrap_or(1);
                match sign {
                    '+' => board[pit] += number,
                    '-' => board[pit] -= number,
                    _ => {}
                }
                pit += 1;
            }
            boards.push(board);
        }
        (moves, boards)
    }

    fn random_game(rng: &mut Pcg64Mcg) -> Game {
        let rules = Rules::PRESETS.choose(rng).expect("rules").rules;
        let (houses, seeds) = (rng.random_range(1..=26), rng.random_range(1..=40));
        let mut game = Game::new(Position::start(houses, seeds, rules).expect("a start"));
        for _ in 0..rng.random_range(0..300) {
            let moves: Vec<Move> = game.position().legal_moves().collect();
            let Some(&mv) = moves.choose(rng) else {
                break;
            };
            game.play(mv).expect("a legal move");
        }
        game
    }

    #[test]
    fn lines_have_the_boards_of_the_game() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        for _ in 0..2_000 {
            let game = random_game(&mut rng);
            let mut line = String::new();
            push_plies(&mut line, &game);
            let counts = |position: &Position| pits(position).map(u64::from).collect::<Vec<_>>();
            let (moves, boards) = read_line(&counts(game.start()), &line);
            let after = game.plies().iter().map(|ply| &ply.after);
            let positions = std::iter::once(game.start()).chain(after);
            assert_eq!(boards, positions.map(counts).collect::<Vec<_>>(), "{line}");
            let letters = game.plies().iter().map(|ply| match (ply.mv, ply.side) {
                (Move::Sow(house), side) => house.letter(side).to_string(),
                (Move::Swap, Side::South) => "~s".to_owned(),
                (Move::Swap, Side::North) => "~n".to_owned(),
            });
            assert_eq!(moves, letters.collect::<String>(), "{line}");
            let next = line.split_once('=').map(|(_, next)| next);
            let position = game.position();
            let to_move = (!position.is_over()).then(|| side_letter(position.to_move()));
            assert_eq!(next, to_move, "{line}");
        }
    }

    #[test]
    fn lines_are_short() {
        let mut game = Game::new(Position::start(6, 4, Rules::MANKALAH).expect("a start"));
        for mv in [
            Move::Sow(House::new(3).expect("a house")),
            Move::Swap,
            Move::Sow(House::new(6).expect("a house")),
        ] {
            game.play(mv).expect("a legal move");
        }
        let mut line = String::new();
        push_plies(&mut line, &game);
        assert_eq!(line, "C..-4++++~nf+++.........-4+=s");
    }

    #[test]
    fn fragment_has_the_form_that_the_page_reads() {
        let start = |rules| start_fragment(&Position::start(6, 4, rules).expect("a start"));
        assert_eq!(start(Rules::CS32), "#line=");
        assert_eq!(start(Rules::MANKALAH), "#rules=mankalah&line=");
        let setup: Setup = "<2,1,0,3,1,0,2> n".parse().expect("a setup");
        let position = setup.position(Rules::STANDARD).expect("a position");
        assert_eq!(
            start_fragment(&position),
            "#rules=standard&position=2,1,0,3,1,0,2,n&line="
        );
    }

    #[test]
    fn records_are_those_of_the_games() {
        let journal = super::super::html::tests::JOURNAL;
        let journal = crate::Journal::parse(journal.as_bytes()).expect("a journal");
        let games: Vec<&FinishedGame> = journal.games().iter().collect();
        let records: Vec<String> =
            serde_json::from_str(&records_text(&games)).expect("a list of texts");
        assert_eq!(records.len(), games.len());
        for (text, game) in records.iter().zip(games) {
            let record: Record = text.parse().expect("a record");
            assert_eq!(record.game().plies().len(), game.game.moves().len());
            assert_eq!(record.tags().get("Round"), Some(&*game.number_text()));
        }
    }
}
