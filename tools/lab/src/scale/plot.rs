//! The picture of a simulation as SVG: speed-up and efficiency, readable in light and dark mode.

use maud::{Markup, html};

use super::ScaleResult;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 340.0;
/// The left ends of the two plots, and their width.
const SPEED_UP_LEFT: f64 = 60.0;
const EFFICIENCY_LEFT: f64 = 440.0;
const PLOT_WIDTH: f64 = 280.0;

/// The axes end here: workers and speed-up, and the least efficiency.
const MAX_WORKERS: f64 = 4096.0;
const MIN_EFFICIENCY: f64 = 0.001;
const WORKER_TICKS: [f64; 7] = [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0];
const EFFICIENCY_TICKS: [f64; 6] = [0.001, 0.01, 0.1, 0.33, 0.7, 1.0];

const STYLE: &str = "\
svg { color-scheme: light dark; font: 13px system-ui, sans-serif }
.paper { fill: #ffffff } text { fill: #24292f } .grid { stroke: #d0d7de }
.ideal { stroke: #57606a; stroke-dasharray: 6 4 } .line { fill: none; stroke-width: 2 }
.s0 { stroke: #0550ae; fill: #0550ae } .s1 { stroke: #bc4c00; fill: #bc4c00 }
.s2 { stroke: #1a7f37; fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d }
.ideal { stroke: #9198a1 } .s0 { stroke: #79c0ff; fill: #79c0ff }
.s1 { stroke: #ffa657; fill: #ffa657 } .s2 { stroke: #7ee787; fill: #7ee787 } }
path.line { fill: none } text.name { stroke: none }";

/// A plot with logarithmic axes. The horizontal axis has the workers.
struct Plot {
    title: &'static str,
    left: f64,
    min: f64,
    max: f64,
    ticks: &'static [f64],
    value: fn(&ScaleResult) -> f64,
    /// The value of each number of workers without any loss, for 1 worker and for the most.
    ideal: [f64; 2],
}

const PLOTS: [Plot; 2] = [
    Plot {
        title: "Speed-up",
        left: SPEED_UP_LEFT,
        min: 1.0,
        max: MAX_WORKERS,
        ticks: &WORKER_TICKS,
        value: |result| result.speed_up,
        ideal: [1.0, MAX_WORKERS],
    },
    Plot {
        title: "Efficiency",
        left: EFFICIENCY_LEFT,
        min: MIN_EFFICIENCY,
        max: 1.0,
        ticks: &EFFICIENCY_TICKS,
        value: |result| result.efficiency,
        ideal: [1.0, 1.0],
    },
];

/// Draws the results: a line for each board.
pub(super) fn draw(results: &[ScaleResult]) -> String {
    let mut boards: Vec<&str> = results.iter().map(|result| &*result.board).collect();
    boards.dedup();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}"))
            width=(WIDTH) height=(HEIGHT) {
            title { "Speed-up and efficiency of simulated workers" }
            style { (maud::PreEscaped(STYLE)) }
            rect.paper width=(WIDTH) height=(HEIGHT) {}
            @for plot in &PLOTS {
                (plot.draw_axes())
                @for (number, board) in boards.iter().enumerate() {
                    (plot.draw_line(results, board, number))
                }
            }
            @for (board, (x, number)) in boards.iter().zip((0..).map(|n: u8| (f64::from(n), n))) {
                text.name.(format!("s{number}")) x=(SPEED_UP_LEFT + 12.0)
                    y=(TOP + 20.0 + 18.0 * x) { (board) }
            }
        }
    };
    picture.into_string() + "\n"
}

impl Plot {
    fn x(&self, workers: f64) -> f64 {
        round(self.left + PLOT_WIDTH * workers.ln() / MAX_WORKERS.ln())
    }

    fn y(&self, value: f64) -> f64 {
        let part = (value.clamp(self.min, self.max) / self.min).ln() / (self.max / self.min).ln();
        round(BOTTOM - (BOTTOM - TOP) * part)
    }

    fn draw_axes(&self) -> Markup {
        let right = self.left + PLOT_WIDTH;
        let [first, last] = self.ideal.map(|value| self.y(value));
        html! {
            text x=(self.left) y=(TOP - 16.0) { (self.title) }
            @for &tick in self.ticks {
                @let y = self.y(tick);
                line.grid x1=(self.left) x2=(right) y1=(y) y2=(y) {}
                text x=(self.left - 8.0) y=(y + 4.0) text-anchor="end" { (tick) }
            }
            @for tick in WORKER_TICKS {
                @let x = self.x(tick);
                line.grid x1=(x) x2=(x) y1=(TOP) y2=(BOTTOM) {}
                text x=(x) y=(BOTTOM + 20.0) text-anchor="middle" { (tick) }
            }
            text x=(self.left + PLOT_WIDTH / 2.0) y=(BOTTOM + 44.0) text-anchor="middle" { "Workers" }
            line.ideal x1=(self.left) x2=(right) y1=(first) y2=(last) {}
        }
    }

    fn draw_line(&self, results: &[ScaleResult], board: &str, number: usize) -> Markup {
        let results = results.iter().filter(|result| result.board == board);
        let points: Vec<(f64, f64)> = results
            .map(|result| (self.x(result.workers.into()), self.y((self.value)(result))))
            .collect();
        let steps: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
        let class = format!("s{number}");
        html! {
            path.line.(class) d=(format!("M{}", steps.join("L"))) {}
            @for (x, y) in points {
                circle.(class) cx=(x) cy=(y) r="3.5" {}
            }
        }
    }
}

/// Rounds a coordinate to one decimal.
fn round(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}
