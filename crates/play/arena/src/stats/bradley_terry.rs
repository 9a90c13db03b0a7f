//! The maximum-likelihood fit of the Bradley-Terry model, with variances.

use super::cross_table::{Contestant, CrossTable};
use super::elo::ELO_PER_NEPER;
use super::pentanomial::{GameScore, PairScore};

/// The most likely strengths of a group of contestants, and their variances.
///
/// Strengths are natural logarithms of odds inside this file, and Elo in the results.
pub(super) struct RatingFit {
    /// Added to all strengths to put the anchor at its rating.
    shift: f64,
    strengths: Vec<f64>,
    /// The variance of each strength, `None` for the anchor.
    variances: Vec<Option<f64>>,
}

/// The maximum number of Newton steps. Each one doubles the number of correct digits, so far fewer
/// are needed.
const MAX_NEWTON_STEPS: u32 = 100;

/// The maximum number of times that a step that is too long is halved.
const MAX_STEP_HALVINGS: u32 = 40;

/// The length of a step, in natural logarithms of odds, below which the iteration has converged.
const MIN_STEP: f64 = 1e-12;

/// The games between two members.
#[derive(Clone, Copy)]
struct MemberGames {
    count: f64,
    points: f64,
}

impl RatingFit {
    /// Fits the strengths of `members`, which must be sorted and strongly connected by points made
    /// against each other.
    ///
    /// The anchor is a member and its rating in Elo. Without one, the mean of all strengths is 0.
    pub(super) fn new(
        table: &CrossTable,
        members: &[Contestant],
        anchor: Option<(Contestant, f64)>,
    ) -> Self {
        let games = game_matrix(table, members);
        let strengths = maximum_likelihood(&games);
        let anchor = anchor.and_then(|(contestant, points)| {
            Some((members.binary_search(&contestant).ok()?, points))
        });
        let shift = match anchor {
            Some((member, points)) => points / ELO_PER_NEPER - strengths[member],
            None => -mean(&strengths),
        };
        let anchor = anchor.map(|(member, _)| member);
        let variances = variances(table, members, &strengths, anchor);
        Self {
            shift,
            strengths,
            variances,
        }
    }

    /// Returns the rating of a member in Elo.
    pub(super) fn elo(&self, member: usize) -> f64 {
        (self.strengths[member] + self.shift) * ELO_PER_NEPER
    }

    /// Returns the variance of a member's strength, `None` for the anchor, whose strength is given.
    pub(super) fn variance(&self, member: usize) -> Option<f64> {
        self.variances[member]
    }

    /// Converts the variance of a strength to a standard deviation in Elo.
    pub(super) fn standard_deviation(variance: f64) -> f64 {
        variance.sqrt() * ELO_PER_NEPER
    }
}

/// Returns the arithmetic mean, 0 for no numbers.
fn mean(numbers: &[f64]) -> f64 {
    let (sum, count) = (numbers.iter()).fold((0.0, 0.0), |(sum, count), number| {
        (sum + number, count + 1.0)
    });
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Returns the games of each member (row) against each member (column).
fn game_matrix(table: &CrossTable, members: &[Contestant]) -> Vec<Vec<MemberGames>> {
    let row = |&one: &Contestant| {
        let row = members.iter().map(move |&other| {
            let games = table.head_to_head(one, other).games;
            let (wins, ties) = (f64::from(games.wins), f64::from(games.ties));
            MemberGames {
                count: wins + ties + f64::from(games.losses),
                points: wins + ties / 2.0,
            }
        });
        row.collect()
    };
    members.iter().map(row).collect()
}

/// Returns the fraction of the points that a player expects that is stronger by `difference`.
fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Returns the strengths that maximize the likelihood of the games, with 0 for the first member.
///
/// Newton's method on the log-likelihood, which is concave. A step is halved while the slope in its
/// direction is steeper at its end than at its start, which means that it went too far past the
/// maximum. The slope shows this even where the likelihood itself hardly changes any more.
fn maximum_likelihood(games: &[Vec<MemberGames>]) -> Vec<f64> {
    let mut strengths = vec![0.0; games.len()];
    for _ in 0..MAX_NEWTON_STEPS {
        let slope = gradient(games, &strengths);
        let step = matrix_vector(
            &grounded_inverse(fisher_information(games, &strengths)),
            &slope,
        );
        let steepness = |slope: &[f64]| dot(slope, &step).abs();
        let initial_steepness = steepness(&slope);
        let mut scale = 1.0;
        let mut next = add(&strengths, &step);
        for _ in 0..MAX_STEP_HALVINGS {
            if steepness(&gradient(games, &next)) <= initial_steepness {
                break;
            }
            scale /= 2.0;
            next = add(&strengths, &scaled(&step, scale));
        }
        strengths = next;
        if step.iter().all(|component| component.abs() < MIN_STEP) {
            break;
        }
    }
    strengths
}

/// Returns the gradient of the log-likelihood: the points that each member made minus its expected
/// points.
fn gradient(games: &[Vec<MemberGames>], strengths: &[f64]) -> Vec<f64> {
    let component = |(row, strength): (&Vec<MemberGames>, &f64)| -> f64 {
        (row.iter().zip(strengths))
            .map(|(games, other)| games.points - games.count * expected_score(strength - other))
            .sum()
    };
    games.iter().zip(strengths).map(component).collect()
}

/// Returns the derivatives of the expected points of each member by the strength of each member.
fn fisher_information(games: &[Vec<MemberGames>], strengths: &[f64]) -> Vec<Vec<f64>> {
    laplacian(strengths.len(), |one, other| {
        let expected = expected_score(strengths[one] - strengths[other]);
        games[one][other].count * expected * (1.0 - expected)
    })
}

/// Returns the matrix with the negative weights between members off the diagonal, and on it the
/// values that make every row add up to 0.
fn laplacian(members: usize, weight: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let row = |one: usize| {
        let mut row: Vec<f64> = (0..members).map(|other| -weight(one, other)).collect();
        row[one] = 0.0;
        row[one] = -row.iter().sum::<f64>();
        row
    };
    (0..members).map(row).collect()
}

/// Returns the inverse of a Laplacian without the row and column of the first member, which are 0
/// in the result.
///
/// Gauss-Jordan elimination. The reduced matrix is positive definite, so that no pivoting is
/// needed.
fn grounded_inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let members = matrix.len();
    let mut inverse: Vec<Vec<f64>> = (0..members)
        .map(|index| {
            let mut row = vec![0.0; members];
            if index > 0 {
                row[index] = 1.0;
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
        for index in (1..members).filter(|&index| index != pivot) {
            let factor = matrix[index][pivot];
            subtract_scaled(&mut matrix[index], &pivot_row, factor);
            subtract_scaled(&mut inverse[index], &pivot_inverse, factor);
        }
        matrix[pivot] = pivot_row;
        inverse[pivot] = pivot_inverse;
    }
    inverse
}

fn scaled(row: &[f64], factor: f64) -> Vec<f64> {
    row.iter().map(|number| number * factor).collect()
}

fn subtract_scaled(row: &mut [f64], other: &[f64], factor: f64) {
    for (number, other) in row.iter_mut().zip(other) {
        *number -= factor * other;
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

/// Returns the variance of each strength relative to the anchor, or to the mean of all strengths.
fn variances(
    table: &CrossTable,
    members: &[Contestant],
    strengths: &[f64],
    anchor: Option<usize>,
) -> Vec<Option<f64>> {
    let games = game_matrix(table, members);
    let inverse = grounded_inverse(fisher_information(&games, strengths));
    let residuals = laplacian(members.len(), |one, other| {
        let expected = expected_score(strengths[one] - strengths[other]);
        squared_residuals(table, members[one], members[other], expected)
    });
    // The derivatives of the reference strength by the points of all members.
    let reference = match anchor {
        Some(anchor) => inverse[anchor].clone(),
        None => (0..members.len())
            .map(|column| mean(&inverse.iter().map(|row| row[column]).collect::<Vec<_>>()))
            .collect(),
    };
    let variance = |member: usize| {
        // The derivatives of the strength relative to the reference.
        let mut derivatives = inverse[member].clone();
        subtract_scaled(&mut derivatives, &reference, 1.0);
        let variance = dot(&derivatives, &matrix_vector(&residuals, &derivatives));
        (anchor != Some(member)).then_some(variance)
    };
    (0..members.len()).map(variance).collect()
}

/// Returns the sum of the squared differences between the points of pairs and their expectation. A
/// game without its partner counts as an experiment of its own.
fn squared_residuals(table: &CrossTable, one: Contestant, other: Contestant, expected: f64) -> f64 {
    let head_to_head = table.head_to_head(one, other);
    let pairs = PairScore::ALL.into_iter().map(|score| {
        let residual = 2.0 * (score.fraction() - expected);
        f64::from(head_to_head.pairs.count(score)) * residual * residual
    });
    let single = [
        (GameScore::Loss, head_to_head.unpaired.losses),
        (GameScore::Tie, head_to_head.unpaired.ties),
        (GameScore::Win, head_to_head.unpaired.wins),
    ];
    let singles = single.into_iter().map(|(score, count)| {
        let residual = f64::from(score.half_points()) / 2.0 - expected;
        f64::from(count) * residual * residual
    });
    pairs.sum::<f64>() + singles.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The change of a weight by which the counterpart measures a derivative.
    const WEIGHT_STEP: f64 = 1e-4;

    /// The rounds in which the counterpart adjusts all strengths.
    const ROUNDS: usize = 400;

    /// Games that count as one experiment: a pair, or a game without its partner.
    struct Experiment {
        one: usize,
        other: usize,
        games: f64,
        points: f64,
    }

    /// Returns the most likely strengths, with 0 for the reference member or as the mean, when each
    /// experiment counts with its weight.
    fn weighted_fit(
        members: usize,
        experiments: &[Experiment],
        weights: &[f64],
        anchor: Option<usize>,
    ) -> Vec<f64> {
        let mut strengths = vec![0.0; members];
        for round in 0..ROUNDS * members {
            let member = round % members;
            // The points beyond the expectation fall with the strength, which is found by Newton's
            // method for one number.
            let (mut surplus, mut slope) = (0.0, 0.0);
            for (experiment, weight) in experiments.iter().zip(weights) {
                let (sign, opponent) = match member {
                    _ if member == experiment.one => (1.0, experiment.other),
                    _ if member == experiment.other => (-1.0, experiment.one),
                    _ => continue,
                };
                let difference: f64 = strengths[member] - strengths[opponent];
                let expected = 1.0 / (1.0 + f64::exp(-difference));
                let points = if sign > 0.0 {
                    experiment.points
                } else {
                    experiment.games - experiment.points
                };
                surplus += weight * (points - experiment.games * expected);
                slope += weight * experiment.games * expected * (1.0 - expected);
            }
            strengths[member] += surplus / slope;
        }
        let zero = match anchor {
            Some(anchor) => strengths[anchor],
            None => mean(&strengths),
        };
        strengths.iter().map(|strength| strength - zero).collect()
    }

    /// Returns the variances as the sum of the squared derivatives of the strengths by the weight
    /// of each experiment (the infinitesimal jackknife; B. Efron, The jackknife, the bootstrap and
    /// other resampling plans, 1982, chapter 6).
    fn jackknife(members: usize, experiments: &[Experiment], anchor: Option<usize>) -> Vec<f64> {
        let mut variances = vec![0.0; members];
        for index in 0..experiments.len() {
            let fit = |change: f64| {
                let mut weights = vec![1.0; experiments.len()];
                weights[index] += change;
                weighted_fit(members, experiments, &weights, anchor)
            };
            let (more, less) = (fit(WEIGHT_STEP), fit(-WEIGHT_STEP));
            for (variance, (more, less)) in variances.iter_mut().zip(more.iter().zip(&less)) {
                *variance += ((more - less) / (2.0 * WEIGHT_STEP)).powi(2);
            }
        }
        variances
    }

    #[test]
    fn variance_of_unpaired_games_is_that_of_their_points() {
        let (one, other) = (Contestant(0), Contestant(1));
        let mut table = CrossTable::new(2);
        for (score, count) in [
            (GameScore::Win, 3),
            (GameScore::Tie, 2),
            (GameScore::Loss, 1),
        ] {
            for _ in 0..count {
                table.add_single(one, other, score);
            }
        }
        // Four points of six games: the expectation is 2/3, and the squared residuals are 3/9 +
        // 2/36 + 4/9 = 5/6. A point changes the strength by 1 / (6 * 2/3 * 1/3) = 3/4.
        let expected = 5.0 / 6.0 * (3.0_f64 / 4.0).powi(2);
        let fit = RatingFit::new(&table, &[one, other], Some((other, 100.0)));
        let variance = fit.variance(0).expect("it is not the anchor");
        assert!((variance - expected).abs() < 1e-12, "{variance}");
        assert_eq!(fit.variance(1), None);
        // Without an anchor each of the two has half of the difference.
        let fit = RatingFit::new(&table, &[one, other], None);
        for member in [0, 1] {
            let variance = fit.variance(member).expect("there is no anchor");
            assert!((variance - expected / 4.0).abs() < 1e-12, "{variance}");
        }
    }

    #[test]
    fn variances_match_the_jackknife_of_pairs_and_unpaired_games() {
        use GameScore::{Loss, Tie, Win};
        let pairs = [
            (0, 1, Win, Win),
            (0, 1, Win, Tie),
            (0, 1, Loss, Loss),
            (1, 2, Win, Loss),
            (1, 2, Tie, Tie),
            (1, 2, Tie, Loss),
            (2, 0, Win, Tie),
            (2, 0, Loss, Tie),
        ];
        let singles = [
            (0, 1, Loss),
            (1, 2, Win),
            (1, 2, Win),
            (0, 2, Tie),
            (0, 2, Win),
            (2, 1, Tie),
        ];
        let mut table = CrossTable::new(3);
        let mut experiments = Vec::new();
        let points = |score: GameScore| f64::from(score.half_points()) / 2.0;
        for (one, other, first, second) in pairs {
            table.add_pair(Contestant(one), Contestant(other), first, second);
            experiments.push(Experiment {
                one,
                other,
                games: 2.0,
                points: points(first) + points(second),
            });
        }
        for (one, other, score) in singles {
            table.add_single(Contestant(one), Contestant(other), score);
            experiments.push(Experiment {
                one,
                other,
                games: 1.0,
                points: points(score),
            });
        }
        let members = [0, 1, 2].map(Contestant);
        for anchor in [None, Some(0), Some(1), Some(2)] {
            let fit = RatingFit::new(
                &table,
                &members,
                anchor.map(|anchor| (members[anchor], 0.0)),
            );
            let expected = jackknife(members.len(), &experiments, anchor);
            for (member, expected) in expected.into_iter().enumerate() {
                let Some(variance) = fit.variance(member) else {
                    assert_eq!(anchor, Some(member));
                    continue;
                };
                let error = (variance / expected - 1.0).abs();
                assert!(error < 1e-6, "{anchor:?}, {member}: {variance}, {expected}");
            }
        }
    }
}
