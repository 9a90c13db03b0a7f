//! A reviewed game in words: the cost of a mistake, and a summary of the game.

use kalah::record::Turn;
use kalah::{BySide, Ending, Game, Margin, Move, Side, Termination, format_count};
use kalah_engine::{GameValue, Review, ReviewedPly};

use crate::describe::{Notation, termination_phrase};

/// A reviewed game with its ending and the names of its players.
#[derive(Clone, Debug)]
pub struct ReviewOutput {
    /// The game.
    pub game: Game,
    /// The ending of the game.
    pub ending: Ending,
    /// The names of the players, by the side on which they began.
    pub names: BySide<String>,
    /// The review of the game.
    pub review: Review,
}

impl ReviewOutput {
    /// Combines a review with its game and the names of its players, by the side on which they
    /// began. A player without a name is called by that side.
    pub fn new(game: Game, ending: Ending, names: BySide<String>, review: Review) -> Self {
        Self {
            game,
            ending,
            names,
            review,
        }
    }

    /// Returns the player who began on `side`: `South (Marge)`, or `South` without a name. After a
    /// swap it is `Marge (South until the swap)`.
    pub fn player_label(&self, side: Side) -> String {
        let name = &self.names[side];
        match (*name == side.to_string(), self.game.is_swapped()) {
            (false, false) => format!("{side} ({name})"),
            (false, true) => format!("{name} ({side} until the swap)"),
            (true, false) => side.to_string(),
            (true, true) => format!("{side} (until the swap)"),
        }
    }

    /// Returns the plies with their numbers, from 1, and their turns.
    pub fn plies(&self) -> impl Iterator<Item = (usize, Turn, &ReviewedPly)> {
        let turns = ply_turns(&self.game);
        let plies = (1..).zip(&self.review.plies).zip(turns);
        plies.map(|((number, ply), turn)| (number, turn, ply))
    }
}

/// Returns the turn of every ply, as a record numbers turns.
pub fn ply_turns(game: &Game) -> impl Iterator<Item = Turn> {
    let first = Turn {
        number: 1,
        side: game.start().to_move(),
    };
    game.plies().iter().scan(first, |turn, ply| {
        if ply.side != turn.side {
            *turn = turn.next();
        }
        Some(*turn)
    })
}

/// Names a ply of a game as its record does, by its turn and the moves of the turn up to the ply:
/// `5. CF`, or `6... b`. Returns `None` if the game has no ply with this index.
///
/// ```
/// use kalah::{Game, House, Labels, Move, Position, Rules};
/// use kalah_text::{Notation, ply_name};
///
/// let sow = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
/// let game = Game::replay(Position::start(6, 4, Rules::CS32)?, [sow(3), sow(6), sow(2)])?;
/// let notation = Notation::new(game.start(), Labels::Letters);
/// let names = [0, 1, 2, 3].map(|index| ply_name(&game, index, notation).unwrap_or_default());
/// assert_eq!(names, ["1. C", "1. CF", "1... b", ""]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ply_name(game: &Game, index: usize, notation: Notation) -> Option<String> {
    let plies = game.plies().get(..=index)?;
    let turn = ply_turns(game).nth(index)?;
    let of_turn = plies.iter().rev().take_while(|ply| ply.side == turn.side);
    let mut moves: Vec<(Side, Move)> = of_turn.map(|ply| (ply.side, ply.mv)).collect();
    moves.reverse();
    Some(format!("{turn} {}", notation.format_line(&moves)))
}

/// Returns the cost of a mistake: `6 seeds`, `at least 2 seeds` and, where a result is not proven,
/// the lost chance: `at least 2 seeds, about 23 % of a point`.
pub fn format_cost(ply: &ReviewedPly) -> String {
    let least = format_count(ply.cost.lower.seeds().unsigned_abs().into(), "seed");
    let seeds = match (ply.is_costly(), ply.cost.is_exact()) {
        (true, true) => Some(least),
        (true, false) => Some(format!("at least {least}")),
        (false, _) => None,
    };
    let chance = lost_percent(ply).map(|percent| format!("about {percent} % of a point"));
    let costs: Vec<String> = seeds.into_iter().chain(chance).collect();
    costs.join(", ")
}

/// Returns the lost chance in percent of a point, if it is an estimate and not 0.
pub fn lost_percent(ply: &ReviewedPly) -> Option<u16> {
    const THOUSANDTHS_PER_PERCENT: u16 = 10;
    let lost = ply.estimated_lost_chance()? / THOUSANDTHS_PER_PERCENT;
    (lost > 0).then_some(lost)
}

/// A subject and what it did.
struct Clause {
    subject: String,
    predicate: String,
}

/// The subject of clauses about neither player.
const THE_GAME: &str = "the game";

/// Returns a summary of the game: the player with the better start, or the better position after
/// the opening of a tournament, the decisive mistake, and the
/// ending, each with the side and the name of the player. The decisive mistake is the last one that
/// is proven to have changed the result or, without one, the most severe.
///
/// An example is `South (Marge) was winning by 8, sowed house C in turn 9 at a cost of 10 seeds (a
/// win became a loss), and lost 23-25.` The summary says so where a statement is not proven.
pub fn review_summary(reviewed: &ReviewOutput, notation: Notation) -> String {
    let mistakes = || reviewed.plies().filter(|(_, _, ply)| ply.has_cost());
    let value_changes = || mistakes().filter(|(_, _, ply)| ply.value_change().is_some());
    // The first one of equally severe mistakes.
    let worst = || {
        mistakes().reduce(|one, next| {
            if next.2.severity() > one.2.severity() {
                next
            } else {
                one
            }
        })
    };
    let decisive = value_changes().last().or_else(worst);
    let mistake = decisive.map(|(_, turn, ply)| mistake_clause(reviewed, turn, ply, notation));
    let graded = || {
        let plies = reviewed.review.plies.iter();
        plies.filter(|ply| !ply.is_opening_ply)
    };
    let unproven = graded().filter(|ply| !ply.cost.is_exact()).count();
    let mut sentences = Vec::new();
    match (mistake, value_changes().count()) {
        (Some(Clause { subject, predicate }), changes @ 2..) => {
            sentences.extend(start_clause(reviewed).map(|start| join_clauses(&[start])));
            let at_least = if unproven > 0 { "at least " } else { "" };
            sentences.push(format!(
                "The result changed {at_least}{changes} times, last when {subject} {predicate}."
            ));
            sentences.push(join_clauses(&[ending_clause(reviewed, None)]));
        }
        (mistake, _) => {
            let end = ending_clause(reviewed, decisive.map(|(_, _, ply)| ply.player));
            let start = start_clause(reviewed).into_iter();
            let clauses: Vec<Clause> = start.chain(mistake).chain([end]).collect();
            sentences.push(join_clauses(&clauses));
        }
    }
    if unproven > 0 {
        let all = format_count(graded().count() as u64, "ply");
        sentences.push(format!(
            "The exact cost of {unproven} of {all} is not proven."
        ));
    }
    sentences.join(" ")
}

/// Joins clauses to a sentence. A clause names its subject, unless all clauses before it have the
/// same one.
fn join_clauses(clauses: &[Clause]) -> String {
    let mut sentence = String::new();
    for (index, clause) in clauses.iter().enumerate() {
        let mut before = clauses[..index].iter();
        let is_same_subject = index > 0 && before.all(|other| other.subject == clause.subject);
        if index > 0 {
            // Two predicates of one subject need no comma.
            sentence += if is_same_subject && clauses.len() == 2 {
                " "
            } else {
                ", "
            };
            if index + 1 == clauses.len() {
                sentence += "and ";
            }
        }
        if index == 0 && clause.subject == THE_GAME {
            sentence += "The game ";
        } else if !is_same_subject {
            sentence += &clause.subject;
            sentence.push(' ');
        }
        sentence += &clause.predicate;
    }
    sentence.push('.');
    sentence
}

/// Returns the clause about the position before the first ply of a player, if its value is proven.
fn start_clause(reviewed: &ReviewOutput) -> Option<Clause> {
    let review = &reviewed.review;
    let (start, when) = match review.opening_plies() {
        0 => (review.start, ""),
        plies => (review.value_after(plies)?, " after the opening"),
    };
    let winning_phrase = |margin: Margin| {
        if start.bounds.is_exact() {
            format!("was winning by {}{when}", margin.seeds().abs())
        } else {
            format!("was winning{when}")
        }
    };
    let (subject, predicate) = match start.value()? {
        GameValue::Tie if when.is_empty() => ("The start".to_owned(), "was a tie".to_owned()),
        GameValue::Tie => ("The position".to_owned(), format!("was a tie{when}")),
        GameValue::Win => (
            reviewed.player_label(Side::South),
            winning_phrase(start.bounds.lower),
        ),
        GameValue::Loss => (
            reviewed.player_label(Side::North),
            winning_phrase(start.bounds.upper),
        ),
    };
    Some(Clause { subject, predicate })
}

fn mistake_clause(
    reviewed: &ReviewOutput,
    turn: Turn,
    ply: &ReviewedPly,
    notation: Notation,
) -> Clause {
    let action = match ply.mv {
        Move::Sow(_) => format!("sowed {}", notation.describe_move(ply.side, ply.mv)),
        Move::Swap => "swapped sides".to_owned(),
    };
    let (turn, cost) = (turn.number, format_cost(ply));
    let change = ply.value_change().map_or_else(String::new, |(from, to)| {
        format!(" ({} became {})", value_noun(from), value_noun(to))
    });
    Clause {
        subject: reviewed.player_label(ply.player),
        predicate: format!("{action} in turn {turn} at a cost of {cost}{change}"),
    }
}

fn value_noun(value: GameValue) -> &'static str {
    match value {
        GameValue::Win => "a win",
        GameValue::Tie => "a tie",
        GameValue::Loss => "a loss",
    }
}

/// Returns the clause about the ending. Its subject is `player`, if the sentence already has a
/// player as its subject, or else the winner.
fn ending_clause(reviewed: &ReviewOutput, player: Option<Side>) -> Clause {
    let ReviewOutput { game, ending, .. } = reviewed;
    let game_clause = |predicate: &str| Clause {
        subject: THE_GAME.to_owned(),
        predicate: predicate.to_owned(),
    };
    if ending.termination == Termination::Unfinished {
        return game_clause("was not finished");
    }
    let manner = |loser| match (
        termination_phrase(ending.termination, loser),
        ending.outcome,
    ) {
        (Some(phrase), _) => format!(" {phrase}"),
        // South's seeds come first, as in all results.
        (None, Some(outcome)) => format!(" {outcome}"),
        (None, None) => String::new(),
    };
    let Some(winning_side) = ending.winner else {
        return game_clause(&format!("ended in a tie{}", manner(None)));
    };
    let winner = game.player_on(winning_side).started_as;
    let (subject, verb, manner) = match player {
        Some(player) if player != winner => (player, "lost", manner(None)),
        _ => (winner, "won", manner(Some(winning_side.opponent()))),
    };
    Clause {
        subject: reviewed.player_label(subject),
        predicate: format!("{verb}{manner}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::record::{Record, RecordEntry};
    use kalah::{Labels, Position, Rules, Setup};
    use kalah_engine::{AnalysisGoal, Engine, Limits};

    use super::*;

    /// Plays the first legal move until the game is over, and swaps where the rules allow it.
    fn play_first_moves(start: Position) -> Game {
        let mut game = Game::new(start);
        while !game.position().is_over() {
            let mv = if game.position().can_swap() {
                Some(Move::Swap)
            } else {
                game.position().legal_moves().next()
            };
            game.play(mv.expect("a move")).expect("a legal move");
        }
        game
    }

    /// Returns the summary of a record of a small game, between Marge and a player without a name.
    fn summary(record: &str) -> String {
        let record: Record = record.parse().expect("a record");
        let game = record.game();
        let limits = Limits {
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        let mut engine = Engine::new();
        let review = Review::from_game(&game, |position| {
            engine.analyze(position, limits, &|| Duration::ZERO)
        });
        let review = review.with_opening_plies(record.opening_plies());
        let notation = Notation::new(game.start(), Labels::Letters);
        let names = BySide::new("Marge".to_owned(), "North".to_owned());
        let reviewed = ReviewOutput::new(game, record.ending(), names, review);
        review_summary(&reviewed, notation)
    }

    #[test]
    fn summary_names_sides_players_moves_and_results() {
        for (record, expected) in [
            (
                "[Position \"3x2\"]\n\n1. A a 2. B a 3. C a *",
                "South (Marge) was winning by 4, sowed house A in turn 1 at a cost of 12 seeds (a win \
                 became a loss), and lost 2-10.",
            ),
            (
                "[Position \"3x2\"]\n[Termination \"resign\"]\n[Winner \"South\"]\n\n\
                 1. B C c *",
                "South (Marge) was winning by 4, North sowed house c in turn 1 at a cost of 2 \
                 seeds, and North lost by resignation.",
            ),
            (
                "[Position \"3x2\"]\n[Termination \"resign\"]\n[Winner \"South\"]\n\n\
                 1. B C a *",
                "South (Marge) was winning by 4 and won by resignation.",
            ),
            (
                "[Position \"3x2\"]\n\n1. B C *",
                "South (Marge) was winning by 4, and the game was not finished.",
            ),
            (
                "[Position \"3x2\"]\n[OpeningPlies \"1\"]\n\n1. A b *",
                "North was winning by 8 after the opening, and the game was not finished.",
            ),
            (
                "[Position \"3x2\"]\n[OpeningPlies \"3\"]\n\n1. A a 2. B a 3. C a *",
                "North was winning by 8 after the opening and won 2-10.",
            ),
            (
                "[Position \"3x2\"]\n[Rules \"mankalah\"]\n[Termination \"resign\"]\n\
                 [Winner \"South\"]\n\n1. A swap c *",
                "The start was a tie. The result changed 3 times, last when Marge (South until the \
                 swap) sowed house c in turn 1 at a cost of 10 seeds (a win became a loss). North \
                 (until the swap) won by resignation.",
            ),
        ] {
            assert_eq!(summary(record), expected, "{record}");
        }
    }

    #[test]
    fn costs_are_proven_seeds_and_lost_chances() {
        let mut game = Game::new(Position::start(8, 8, Rules::STANDARD).expect("a board"));
        let mv = game.position().legal_moves().next().expect("a move");
        game.play(mv).expect("a legal move");
        let limits = Limits {
            nodes: Some(1_000),
            ..Limits::default()
        };
        let mut engine = Engine::new();
        let review = Review::from_game(&game, |position| {
            engine.analyze(position, limits, &|| Duration::ZERO)
        });
        let cost = |lower, upper, lost_chance| {
            let bounds = |lower, upper| kalah_engine::Bounds {
                lower: Margin::new(lower),
                upper: Margin::new(upper),
            };
            format_cost(&ReviewedPly {
                cost: bounds(lower, upper),
                lost_chance: Some(lost_chance),
                ..review.plies[0].clone()
            })
        };
        assert_eq!(cost(2, 9, 239), "at least 2 seeds, about 23 % of a point");
        assert_eq!(cost(0, 9, 239), "about 23 % of a point");
        assert_eq!(cost(2, 2, 9), "2 seeds");
    }

    #[test]
    fn summary_names_the_most_severe_mistake_whose_result_is_not_proven() {
        let mut game = Game::new(Position::start(8, 8, Rules::STANDARD).expect("a board"));
        for _ in 0..3 {
            let mv = game.position().legal_moves().next().expect("a move");
            game.play(mv).expect("a legal move");
        }
        let limits = Limits {
            nodes: Some(100),
            ..Limits::default()
        };
        let mut engine = Engine::new();
        let review = Review::from_game(&game, |position| {
            engine.analyze(position, limits, &|| Duration::ZERO)
        });
        // Besides its lost chance, the first ply costs at least two seeds.
        let summary = |lost_chances: [u16; 3]| {
            let mut review = review.clone();
            for (ply, lost) in review.plies.iter_mut().zip(lost_chances) {
                (ply.cost.lower, ply.lost_chance) = (Margin::ZERO, Some(lost));
            }
            review.plies[0].cost.lower = Margin::new(2);
            let record = Record::from_game(&game);
            let names = BySide::from_fn(|side: Side| side.to_string());
            let notation = Notation::new(game.start(), Labels::Letters);
            let reviewed = ReviewOutput::new(game.clone(), record.ending(), names, review);
            review_summary(&reviewed, notation)
        };
        for (lost_chances, mistake) in [
            ([0, 99, 99], "turn 1 at a cost of at least 2 seeds,"),
            ([0, 120, 119], "at a cost of about 12 % of a point,"),
            ([0, 239, 405], "at a cost of about 40 % of a point,"),
            (
                [210, 150, 0],
                "turn 1 at a cost of at least 2 seeds, about 21 % of a point,",
            ),
        ] {
            let text = summary(lost_chances);
            assert!(text.contains(mistake), "{lost_chances:?}: {text}");
        }
    }

    #[test]
    fn turns_are_numbered_as_in_the_record() {
        for (setup, rules) in [
            ("6x4", Rules::CS32),
            ("6x4", Rules::MANKALAH),
            ("<3,0,0,2,2,2,2,2,2> n", Rules::CS32),
        ] {
            let setup: Setup = setup.parse().expect("a setup");
            let game = play_first_moves(setup.position(rules).expect("a position"));
            let record = Record::from_game(&game);
            let recorded = record.entries().iter().filter_map(|entry| match entry {
                RecordEntry::Ply { turn, .. } => Some(*turn),
                _ => None,
            });
            assert_eq!(
                ply_turns(&game).collect::<Vec<_>>(),
                recorded.collect::<Vec<_>>()
            );
        }
    }
}
