use super::cross_table::{Contestant, CrossTable};
use super::elo::ELO_PER_NEPER;
use super::pentanomial::{GameScore, PairScore};

/// The most likely strengths of a group, and how far chance may have moved them.
///
/// Strengths are powers of e within, Elo to those who ask.
pub(super) struct RatingFit {
    /// Added to all, so that they are counted from the anchor.
    shift: f64,
    strengths: Vec<f64>,
    /// The variance of each strength, `None` for the anchor.
    variances: Vec<Option<f64>>,
}

/// Newton's method doubles the right digits in every step; this is far more than it takes.
const MAX_NEWTON_STEPS: u32 = 100;

/// Halvings of a step that goes too far.
const MAX_STEP_HALVINGS: u32 = 40;

/// Steps shorter than this, as powers of e, change nothing that anybody sees.
const MIN_STEP: f64 = 1e-12;

/// What two members have played.
#[derive(Clone, Copy)]
struct MemberGames {
    count: f64,
    points: f64,
}

impl RatingFit {
    /// Of members among whom everybody is connected with everybody.
    pub(super) fn new(
        table: &CrossTable,
        members: &[Contestant],
        anchor: Option<(Contestant, f64)>,
    ) -> Self {
        let games = game_matrix(table, members);
        let strengths = maximum_likelihood(&games);
        let anchored =
            anchor.and_then(|(who, points)| Some((members.binary_search(&who).ok()?, points)));
        let shift = match anchored {
            Some((place, points)) => points / ELO_PER_NEPER - strengths[place],
            None => -mean(&strengths),
        };
        let variances = variances(table, members, &strengths, anchored.map(|(place, _)| place));
        Self {
            shift,
            strengths,
            variances,
        }
    }

    /// The Elo of the member at that place.
    pub(super) fn elo(&self, place: usize) -> f64 {
        (self.strengths[place] + self.shift) * ELO_PER_NEPER
    }

    /// The variance of its strength, `None` for the anchor, whose strength is given.
    pub(super) fn variance(&self, place: usize) -> Option<f64> {
        self.variances[place]
    }

    /// A variance of strengths as a standard deviation in Elo.
    pub(super) fn standard_deviation(variance: f64) -> f64 {
        variance.sqrt() * ELO_PER_NEPER
    }
}

fn mean(numbers: &[f64]) -> f64 {
    let (sum, count) = (numbers.iter()).fold((0.0, 0.0), |(sum, count), number| {
        (sum + number, count + 1.0)
    });
    if count > 0.0 { sum / count } else { 0.0 }
}

/// For each member its games against each.
fn game_matrix(table: &CrossTable, members: &[Contestant]) -> Vec<Vec<MemberGames>> {
    let row = |&one: &Contestant| {
        let against = members.iter().map(move |&other| {
            let games = table.head_to_head(one, other).games;
            let (wins, draws) = (f64::from(games.wins), f64::from(games.draws));
            MemberGames {
                count: wins + draws + f64::from(games.losses),
                points: wins + draws / 2.0,
            }
        });
        against.collect()
    };
    members.iter().map(row).collect()
}

/// The share of the points that one can expect who is that much stronger.
fn expected_score(stronger_by: f64) -> f64 {
    1.0 / (1.0 + (-stronger_by).exp())
}

/// The strengths by which the games are most likely, that of the first member 0: Newton's method on the logarithm
/// of the likelihood, which is concave. A step that leads so far down behind the top that it is steeper there is
/// halved; the slope tells that where the likelihood itself hardly changes any more.
fn maximum_likelihood(games: &[Vec<MemberGames>]) -> Vec<f64> {
    let mut strengths = vec![0.0; games.len()];
    for _ in 0..MAX_NEWTON_STEPS {
        let beyond = gradient(games, &strengths);
        let steps = matrix_vector(
            &grounded_inverse(fisher_information(games, &strengths)),
            &beyond,
        );
        let steepness = |beyond: &[f64], steps: &[f64]| dot(beyond, steps).abs();
        let steep = steepness(&beyond, &steps);
        let mut part = 1.0;
        let mut moved = add(&strengths, &steps);
        for _ in 0..MAX_STEP_HALVINGS {
            if steepness(&gradient(games, &moved), &steps) <= steep {
                break;
            }
            part /= 2.0;
            moved = add(&strengths, &scaled(&steps, part));
        }
        strengths = moved;
        if steps.iter().all(|step| step.abs() < MIN_STEP) {
            break;
        }
    }
    strengths
}

/// The points that each has made beyond those that its strength lets expect: the slope of the likelihood.
fn gradient(games: &[Vec<MemberGames>], strengths: &[f64]) -> Vec<f64> {
    let row = |(row, strength): (&Vec<MemberGames>, &f64)| -> f64 {
        let beyond = (row.iter().zip(strengths))
            .map(|(played, other)| played.points - played.count * expected_score(strength - other));
        beyond.sum()
    };
    games.iter().zip(strengths).map(row).collect()
}

/// How fast the points that each can expect change with the strength of each.
fn fisher_information(games: &[Vec<MemberGames>], strengths: &[f64]) -> Vec<Vec<f64>> {
    laplacian(strengths.len(), |one, other| {
        let share = expected_score(strengths[one] - strengths[other]);
        games[one][other].count * share * (1.0 - share)
    })
}

/// The matrix with these weights between members, and on the diagonal what makes rows add up to nothing.
fn laplacian(members: usize, weight: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let row = |one: usize| {
        let mut row: Vec<f64> = (0..members).map(|other| -weight(one, other)).collect();
        row[one] = 0.0;
        row[one] = -row.iter().sum::<f64>();
        row
    };
    (0..members).map(row).collect()
}

/// The inverse of a matrix whose rows add up to nothing, where the first member is held fast: its row and column
/// are 0.
///
/// By elimination; without the first member the matrix is positive definite, so that any order of pivots will do.
fn grounded_inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let members = matrix.len();
    let mut inverse: Vec<Vec<f64>> = (0..members)
        .map(|place| {
            let mut row = vec![0.0; members];
            if place > 0 {
                row[place] = 1.0;
            }
            row
        })
        .collect();
    for pivot in 1..members {
        let scale = matrix[pivot][pivot].recip();
        let (pivot_row, pivot_inverse) = (
            scaled(&matrix[pivot], scale),
            scaled(&inverse[pivot], scale),
        );
        for place in (1..members).filter(|&place| place != pivot) {
            let factor = matrix[place][pivot];
            subtract_scaled(&mut matrix[place], &pivot_row, factor);
            subtract_scaled(&mut inverse[place], &pivot_inverse, factor);
        }
        matrix[pivot] = pivot_row;
        inverse[pivot] = pivot_inverse;
    }
    inverse
}

fn scaled(row: &[f64], by: f64) -> Vec<f64> {
    row.iter().map(|number| number * by).collect()
}

fn subtract_scaled(row: &mut [f64], other: &[f64], times: f64) {
    for (number, other) in row.iter_mut().zip(other) {
        *number -= times * other;
    }
}

fn add(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one + other)
        .collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn matrix_vector(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

/// The variance of each strength, counted from the anchor or from the mean of all.
fn variances(
    table: &CrossTable,
    members: &[Contestant],
    strengths: &[f64],
    anchor: Option<usize>,
) -> Vec<Option<f64>> {
    let games = game_matrix(table, members);
    let inverse = grounded_inverse(fisher_information(&games, strengths));
    let surprise = laplacian(members.len(), |one, other| {
        let share = expected_score(strengths[one] - strengths[other]);
        squared_residuals(table, members[one], members[other], share)
    });
    // How each strength, counted from what the list is counted from, follows from the points of all.
    let from = match anchor {
        Some(anchor) => inverse[anchor].clone(),
        None => (0..members.len())
            .map(|column| mean(&inverse.iter().map(|row| row[column]).collect::<Vec<_>>()))
            .collect(),
    };
    let variance = |place: usize| {
        let mut follows = inverse[place].clone();
        subtract_scaled(&mut follows, &from, 1.0);
        let spread = matrix_vector(&surprise, &follows);
        let sum: f64 = follows
            .iter()
            .zip(spread)
            .map(|(one, other)| one * other)
            .sum();
        (anchor != Some(place)).then_some(sum)
    };
    (0..members.len()).map(variance).collect()
}

/// The squares of the points that pairs brought beyond what was expected, a game without its pair being one of its
/// own.
fn squared_residuals(table: &CrossTable, one: Contestant, other: Contestant, share: f64) -> f64 {
    let meeting = table.head_to_head(one, other);
    let pairs = PairScore::ALL.into_iter().map(|score| {
        let beyond = 2.0 * (score.share() - share);
        f64::from(meeting.pairs.count(score)) * beyond * beyond
    });
    let single = [
        (GameScore::Loss, meeting.unpaired.losses),
        (GameScore::Draw, meeting.unpaired.draws),
        (GameScore::Win, meeting.unpaired.wins),
    ];
    let singles = single.into_iter().map(|(score, count)| {
        let beyond = f64::from(score.half_points()) / 2.0 - share;
        f64::from(count) * beyond * beyond
    });
    pairs.sum::<f64>() + singles.sum::<f64>()
}
