//! The reasons of reviewed plies against their definitions, word by word, on plain moves.

use std::collections::BTreeMap;
use std::time::Duration;

use kalah::{BySide, Game, House, Margin, Move, MoveResult, Player, Position, Rules, SowEffect};
use kalah_book::BookSet;
use kalah_engine::{
    AnalysisGoal, Commentary, Engine, LevelNumber, LevelPlayer, Limits, RandomPlayer, Reason,
    Report, Review, ReviewedPly,
};
use test_tools::sample_or_all;

use crate::naive_margin::move_margin;

/// The nodes of each analysis: most positions of these boards are proven within it, and some not.
const NODES: u64 = 3_000;

fn analyze(engine: &mut Engine, position: &Position) -> Report {
    let limits = Limits {
        nodes: Some(NODES),
        goal: AnalysisGoal::AllMargins,
        ..Limits::default()
    };
    engine.analyze(position, limits, &|| Duration::ZERO)
}

/// Plays a game in which each ply is the best move of an analysis or a random one.
fn mixed_game(engine: &mut Engine, start: Position, seed: u64) -> Game {
    let mut game = Game::new(start);
    let mut random = RandomPlayer::new("Random", seed);
    while let Some(mv) = random.choose_move(game.position(), Duration::ZERO) {
        let is_best = !(seed + game.plies().len() as u64).is_multiple_of(3);
        let best = analyze(engine, game.position())
            .best_move
            .filter(|_| is_best);
        game.play(best.unwrap_or(mv)).unwrap();
    }
    game
}

/// A turn as its plies, and whether it is played to its end.
struct PlayedTurn {
    plies: Vec<(House, SowEffect)>,
    swept: Option<BySide<u16>>,
    end: Position,
    is_over: bool,
}

/// Plays moves of one side until the turn passes or the game is over.
fn play_turn(position: &Position, moves: &[Move]) -> Option<PlayedTurn> {
    let mut end = position.clone();
    let mut plies = Vec::new();
    for &mv in moves {
        let Ok(MoveResult::Sown(result)) = end.play(mv) else {
            break;
        };
        plies.push((result.house, result.effect));
        let swept = (result.swept).map(|rows| BySide::from_fn(|side| rows[side].get()));
        let is_over = end.to_move() != position.to_move() || end.is_over();
        if is_over {
            return Some(PlayedTurn {
                plies,
                swept,
                end,
                is_over,
            });
        }
    }
    let is_over = false;
    (!plies.is_empty()).then_some(PlayedTurn {
        plies,
        swept: None,
        end,
        is_over,
    })
}

impl PlayedTurn {
    /// Returns the house that captures, the house that is emptied, and the seeds.
    fn capture(&self) -> Option<(House, House, u16)> {
        self.plies.iter().find_map(|(house, effect)| match effect {
            SowEffect::Capture(capture) => Some((*house, capture.from, capture.seeds.get())),
            _ => None,
        })
    }

    fn captured(&self) -> u16 {
        self.capture().map_or(0, |(_, _, seeds)| seeds)
    }

    fn bonus_turns(&self) -> u32 {
        let bonus = self
            .plies
            .iter()
            .filter(|(_, effect)| *effect == SowEffect::BonusTurn);
        let ended_by_bonus =
            self.swept.is_some() && matches!(self.plies.last(), Some((_, SowEffect::BonusTurn)));
        u32::try_from(bonus.count()).unwrap() - u32::from(ended_by_bonus)
    }
}

/// Returns all turns of the side to move.
fn all_turns(position: &Position) -> Vec<PlayedTurn> {
    let mut turns = Vec::new();
    let mut lines: Vec<Vec<Move>> = vec![Vec::new()];
    while let Some(line) = lines.pop() {
        let at = match play_turn(position, &line) {
            Some(turn) if turn.is_over => {
                turns.push(turn);
                continue;
            }
            Some(turn) => turn.end,
            None => position.clone(),
        };
        for house in at.legal_houses() {
            lines.push(line.iter().copied().chain([Move::Sow(house)]).collect());
        }
    }
    turns
}

/// A ply of a game, which the definitions are about.
struct PlyCase<'a> {
    game: &'a Game,
    reports: &'a [Report],
    plies: &'a [ReviewedPly],
    index: usize,
}

impl PlyCase<'_> {
    fn position(&self, index: usize) -> &Position {
        match index {
            0 => self.game.start(),
            _ => &self.game.plies()[index - 1].after,
        }
    }

    /// Returns the turn that begins with a move: as the line of the report goes on if it begins
    /// with the move, and the move alone otherwise.
    fn turn_of(&self, index: usize, mv: Move) -> Option<PlayedTurn> {
        let line: Vec<Move> = self.reports[index].line.iter().map(|&(_, mv)| mv).collect();
        let moves = if line.first() == Some(&mv) {
            line
        } else {
            vec![mv]
        };
        play_turn(self.position(index), &moves)
    }

    /// Returns all reasons, without a limit of their number.
    fn reasons(&self) -> Vec<Reason> {
        let ply = &self.plies[self.index];
        let is_free = ply.cost.upper == Margin::ZERO;
        if ply.has_cost() {
            self.blame()
        } else if is_free && self.reports[self.index].moves.len() > 1 {
            self.praise()
        } else {
            Vec::new()
        }
    }

    fn blame(&self) -> Vec<Reason> {
        let (index, ply) = (self.index, &self.plies[self.index]);
        let (position, side) = (self.position(index), ply.side);
        let played: Vec<Move> = self.game.plies()[index..]
            .iter()
            .map(|ply| ply.mv)
            .collect();
        let Some(made) = play_turn(position, &played) else {
            return Vec::new();
        };
        let single = play_turn(position, &[ply.mv]).unwrap();
        let best = self.reports[index].best_move;
        let mut better = ply.better_moves.clone();
        if let Some(place) = better.iter().position(|&mv| Some(mv) == best) {
            better[..=place].rotate_right(1);
        }
        let turns: Vec<Option<PlayedTurn>> = better
            .iter()
            .map(|&mv| self.turn_of(index, mv).filter(|turn| turn.is_over))
            .collect();
        let known = || turns.iter().flatten();
        let passes = single.end.to_move() != side;
        let reply = (self.reports[index + 1].best_move.filter(|_| passes))
            .and_then(|best| self.turn_of(index + 1, best));

        let mut reasons = Vec::new();
        // The seeds that the opponent takes because the player has none.
        let taken = |turn: &PlayedTurn| match turn.swept {
            Some(rows) if rows[side] == 0 => rows[side.opponent()],
            _ => 0,
        };
        let last = taken(&made).max(reply.as_ref().map_or(0, taken));
        let gives_fewer = |turn: &PlayedTurn| {
            let replies = all_turns(&turn.end);
            taken(turn) < last && replies.iter().all(|reply| taken(reply) < last)
        };
        if last > 0 && known().any(gives_fewer) {
            reasons.push(Reason::GaveLastSeeds { seeds: last.into() });
        }
        let mut captures = Vec::new();
        let captures_more = |turn: &Option<PlayedTurn>| {
            turn.as_ref()
                .is_some_and(|turn| turn.captured() > made.captured())
        };
        let mut missed_first = None;
        if made.is_over && turns.iter().all(captures_more) && !turns.is_empty() {
            let turn = turns[0].as_ref().unwrap();
            let (house, _, seeds) = turn.capture().unwrap();
            let first = turn.plies[0].0;
            missed_first = Some(first);
            captures.push(Reason::MissedCapture {
                first,
                house,
                seeds: seeds.into(),
            });
        }
        if let Some((by, house, seeds)) = reply.as_ref().and_then(PlayedTurn::capture) {
            let captures_as_much = |turn: &PlayedTurn| {
                turn.capture()
                    .is_some_and(|(_, from, most)| from == house && most >= seeds)
            };
            if seeds >= 2 && known().any(|turn| !all_turns(&turn.end).iter().any(captures_as_much))
            {
                let left = Reason::LeftCapture {
                    house,
                    by,
                    seeds: seeds.into(),
                };
                let missed = captures.first().map_or(0, |&reason| seeds_of(reason));
                captures.insert(usize::from(missed >= seeds), left);
            }
        }
        reasons.extend(captures);
        let bonus =
            |mv: Move| play_turn(position, &[mv]).is_some_and(|turn| turn.bonus_turns() > 0);
        if better.iter().all(|&mv| bonus(mv)) && !better.is_empty() && !bonus(ply.mv) {
            let Move::Sow(house) = better[0] else {
                unreachable!()
            };
            if missed_first != Some(house) {
                reasons.push(Reason::MissedBonusTurn { house });
            }
        }
        let turns = reply.as_ref().map_or(0, PlayedTurn::bonus_turns);
        let fewer = |turn: &PlayedTurn| {
            all_turns(&turn.end)
                .iter()
                .all(|at| at.bonus_turns() < turns)
        };
        if turns >= 2 && known().any(fewer) {
            reasons.push(Reason::GaveBonusTurns { turns });
        }
        reasons
    }

    fn praise(&self) -> Vec<Reason> {
        let (index, ply) = (self.index, &self.plies[self.index]);
        let (position, side) = (self.position(index), ply.side);
        let others = || {
            self.reports[index]
                .moves
                .iter()
                .filter(|other| other.mv != ply.mv)
        };
        let own = ply.after.bounds;
        let turn = play_turn(position, &[ply.mv]);
        let mut reasons = Vec::new();

        let greatest = position
            .legal_houses()
            .filter_map(|house| play_turn(position, &[Move::Sow(house)]))
            .map(|turn| turn.captured())
            .max()
            .unwrap_or(0);
        let is_tempting = |turn: &PlayedTurn| {
            turn.bonus_turns() > 0 || turn.capture().is_some() && turn.captured() == greatest
        };
        let tempting: Vec<(PlayedTurn, Margin)> = others()
            .filter_map(|other| Some((play_turn(position, &[other.mv])?, other.bounds.upper)))
            .filter(|(turn, _)| is_tempting(turn))
            .collect();
        if turn.as_ref().is_some_and(|turn| !is_tempting(turn))
            && !tempting.is_empty()
            && tempting.iter().all(|&(_, upper)| upper < own.lower)
        {
            let captures = tempting.iter().find(|(turn, _)| turn.capture().is_some());
            let (turn, _) = captures.unwrap_or(&tempting[0]);
            reasons.push(Reason::Beautiful {
                tempting: turn.plies[0].0,
                seeds: turn.capture().map(|(_, _, seeds)| seeds.into()),
            });
        }
        if own.lower > Margin::ZERO && others().all(|other| other.bounds.upper <= Margin::ZERO) {
            reasons.push(Reason::OnlyWin);
        }
        if (own.lower, own.upper) == (Margin::ZERO, Margin::ZERO)
            && others().all(|other| other.bounds.upper < Margin::ZERO)
        {
            reasons.push(Reason::OnlyTie);
        }
        if let Some(turn) = turn {
            if let Some(rows) = turn.swept
                && rows[side.opponent()] == 0
                && rows[side] > 0
            {
                reasons.push(Reason::Starved {
                    seeds: rows[side].into(),
                });
            }
            if turn.captured() >= 2 {
                reasons.push(Reason::Captured {
                    seeds: turn.captured().into(),
                });
            }
        }
        let gives_bonus = |index: usize| {
            let mv = self.game.plies()[index].mv;
            play_turn(self.position(index), &[mv]).is_some_and(|turn| turn.bonus_turns() > 0)
        };
        if index + 1 < self.game.plies().len() && !gives_bonus(index + 1) {
            let row: Vec<usize> = (0..=index)
                .rev()
                .take_while(|&at| gives_bonus(at))
                .collect();
            let is_free = |&at: &usize| self.plies[at].cost.upper == Margin::ZERO;
            if row.len() >= 2 && row.iter().all(is_free) {
                reasons.push(Reason::BonusTurns {
                    turns: u32::try_from(row.len()).unwrap(),
                });
            }
        }
        reasons
    }
}

fn seeds_of(reason: Reason) -> u16 {
    match reason {
        Reason::MissedCapture { seeds, .. } => seeds.get(),
        _ => 0,
    }
}

/// Boards with the number of games under each preset, and whether the naive reference can search
/// them.
const BOARDS: [(u8, u64, usize, bool); 5] = [
    (2, 2, 20, true),
    (3, 1, 10, true),
    (3, 3, 20, false),
    (4, 3, 20, false),
    (6, 4, 10, false),
];

/// All games of [`BOARDS`] are this many times as many as the sample.
const ALL_FACTOR: usize = 2;

#[test]
fn reasons_are_those_of_their_definitions() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut positions = 0;
    for (preset, board) in Rules::PRESETS
        .iter()
        .flat_map(|preset| BOARDS.map(|board| (preset, board)))
    {
        let (houses, seeds, games, is_small) = board;
        let start = Position::start(houses, seeds, preset.rules).unwrap();
        let mut engine = Engine::new().with_memory(1 << 20);
        for seed in 0..sample_or_all(games, ALL_FACTOR * games) as u64 {
            let game = mixed_game(&mut engine, start.clone(), seed);
            let reports = Review::analyze_positions(&game, |at| analyze(&mut engine, at));
            let review = Review::from_reports(&game, &reports);
            let commentary = Commentary::new(&game, &reports, &review);
            for (index, reasons) in commentary.reasons.iter().enumerate() {
                let case = PlyCase {
                    game: &game,
                    reports: &reports,
                    plies: &review.plies,
                    index,
                };
                let mut expected = case.reasons();
                expected.truncate(Reason::MAX_COUNT);
                let at = case.position(index);
                assert_eq!(
                    *reasons, expected,
                    "{} {at} {:?}",
                    preset.name, review.plies[index]
                );
                for reason in reasons {
                    assert_eq!(
                        reason.is_praise(),
                        !review.plies[index].has_cost(),
                        "{reason:?}"
                    );
                    let name = format!("{reason:?}");
                    *kinds
                        .entry(name.split(' ').next().unwrap().to_owned())
                        .or_default() += 1;
                    if is_small {
                        check_results(*reason, at, review.plies[index].mv);
                    }
                }
            }
            positions += commentary.reasons.len();
        }
    }
    println!("{kinds:?}");
    assert!(positions > 2_000, "{positions}");
    assert_eq!(kinds.len(), 11, "each kind occurs: {kinds:?}");
}

/// Checks the claims about results of games by the naive reference.
fn check_results(reason: Reason, position: &Position, made: Move) {
    let own = move_margin(position, made).0.seeds();
    let mut others = (position.legal_moves().filter(|&mv| mv != made))
        .map(|mv| (mv, move_margin(position, mv).0.seeds()));
    match reason {
        Reason::OnlyWin => assert!(own > 0 && others.all(|(_, other)| other <= 0)),
        Reason::OnlyTie => assert!(own == 0 && others.all(|(_, other)| other < 0)),
        Reason::Beautiful { tempting, .. } => {
            let other = others.find(|&(mv, _)| mv == Move::Sow(tempting)).unwrap().1;
            assert!(own > other, "{position}");
        }
        _ => {}
    }
}

/// The least part of the sample whose range contains the level, in percent. The range contains it
/// with a probability of 80 %, and the sample has few games.
const MIN_CONTAINED_PERCENT: usize = 60;

#[test]
fn the_level_of_a_player_is_mostly_in_the_range_of_the_estimate() {
    let start = Position::start(6, 4, Rules::STANDARD).unwrap();
    let mut engine = Engine::new().with_books(BookSet::embedded());
    let (mut estimates, mut contained) = (0, 0);
    for number in [1, 4, 8] {
        let level = LevelNumber::new(number).unwrap();
        for seed in 0..sample_or_all(2, 5) {
            let player = |seed| LevelPlayer::new("Level", level, seed, || Duration::ZERO);
            let mut players = BySide::new(player(2 * seed), player(2 * seed + 1));
            let mut game = Game::new(start.clone());
            while !game.position().is_over() {
                let player = &mut players[game.position().to_move()];
                let mv = player.choose_move(game.position(), Duration::ZERO).unwrap();
                game.play(mv).unwrap();
            }
            let limits = Limits {
                nodes: Some(60_000),
                goal: AnalysisGoal::AllMargins,
                ..Limits::default()
            };
            let reports = Review::analyze_positions(&game, |position| {
                engine.analyze(position, limits, &|| Duration::ZERO)
            });
            let review = Review::from_reports(&game, &reports);
            let commentary = Commentary::new(&game, &reports, &review);
            let levels = [&commentary.levels.south, &commentary.levels.north];
            for estimate in levels.into_iter().flatten() {
                estimates += 1;
                contained += usize::from((estimate.lowest..=estimate.highest).contains(&level));
            }
        }
    }
    assert!(estimates > 0);
    assert!(
        100 * contained >= MIN_CONTAINED_PERCENT * estimates,
        "{contained} of {estimates}"
    );
}
