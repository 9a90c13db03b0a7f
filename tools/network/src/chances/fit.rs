//! The fit of the model of results: maximum likelihood by a pattern search.

use kalah_engine::ResultModel;

use super::observation::Observation;

/// How often the search halves its steps.
const HALVINGS: u32 = 8;

/// The least likelihood of a result: the model rounds those of some ties to 0.
const MIN_LIKELIHOOD: f64 = 1e-4;

/// Returns the model with the greatest likelihood, from `start` on.
///
/// The search changes one parameter after the other by a step as long as the likelihood grows, and
/// then halves the step.
pub(super) fn fit(start: ResultModel, observations: &[Observation]) -> ResultModel {
    let mut best = start;
    let mut least = log_loss(best, observations);
    let mut size = 1.0;
    for _ in 0..HALVINGS {
        while let Some((model, loss)) = improve(best, least, size, observations) {
            (best, least) = (model, loss);
        }
        size /= 2.0;
    }
    best
}

/// Returns a model with a smaller loss, with each parameter changed by at most one step; `None` if
/// no change of a single parameter makes it smaller.
fn improve(
    start: ResultModel,
    loss: f64,
    size: f64,
    observations: &[Observation],
) -> Option<(ResultModel, f64)> {
    let mut best = (start, loss);
    for step in STEPS {
        for size in [size, -size] {
            let model = changed(best.0, step, size);
            let loss = log_loss(model, observations);
            if loss < best.1 {
                best = (model, loss);
            }
        }
    }
    (best.1 < loss).then_some(best)
}

/// The greatest steps of the search: one for each parameter, and two along valleys of the loss, on
/// which the scale stays nearly the same.
const STEPS: [ResultModel; 6] = [
    step([0.5, 0.0, 0.0, 0.0]),
    step([0.0, 0.02, 0.0, 0.0]),
    step([0.0, 0.0, 0.1, 0.0]),
    step([0.0, 0.0, 0.0, 0.2]),
    step([-0.5, 0.01, 0.0, 0.0]),
    step([-0.5, 0.0, 0.07, 0.0]),
];

const fn step([scale, scale_per_seed, scale_per_house, tie_width]: [f64; 4]) -> ResultModel {
    ResultModel {
        scale,
        scale_per_seed,
        scale_per_house,
        tie_width,
    }
}

/// Returns the model with a multiple of a step added.
fn changed(model: ResultModel, step: ResultModel, size: f64) -> ResultModel {
    ResultModel {
        scale: model.scale + size * step.scale,
        scale_per_seed: model.scale_per_seed + size * step.scale_per_seed,
        scale_per_house: model.scale_per_house + size * step.scale_per_house,
        tie_width: (model.tie_width + size * step.tie_width).max(0.0),
    }
}

/// Returns the mean of −ln p over the observations, where p is the probability of the result.
#[expect(clippy::cast_precision_loss, reason = "a number of observations")]
pub(super) fn log_loss(model: ResultModel, observations: &[Observation]) -> f64 {
    let loss = |observation: &Observation| -observation.likelihood(model).max(MIN_LIKELIHOOD).ln();
    observations.iter().map(loss).sum::<f64>() / observations.len() as f64
}
