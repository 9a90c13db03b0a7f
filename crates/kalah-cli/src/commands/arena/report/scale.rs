//! Numbers along a line of a picture.

/// From where to where a picture goes, in numbers and in its own units.
pub(super) struct Scale {
    lower: f64,
    upper: f64,
    left: f64,
    right: f64,
}

/// A place in a picture, which is written with one decimal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SvgCoordinate(pub(super) f64);

impl std::ops::Sub for SvgCoordinate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl std::fmt::Display for SvgCoordinate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

/// At most so many steps are between the numbers written along a line, and one number more.
const MAX_TICKS: u8 = 8;

impl Scale {
    /// From `lower` to `upper`, finite numbers, drawn from `left` to `right`. What has no width is given some.
    pub(super) fn new(lower: f64, upper: f64, left: f64, right: f64) -> Self {
        let (lower, upper) = if lower < upper {
            (lower, upper)
        } else {
            (lower - 1.0, lower + 1.0)
        };
        Self {
            lower,
            upper,
            left,
            right,
        }
    }

    /// Where a number lies, to a tenth of a unit; what is beyond an end, at that end.
    pub(super) fn coordinate(&self, number: f64) -> SvgCoordinate {
        let share = (number - self.lower) / (self.upper - self.lower);
        SvgCoordinate(self.left + share.clamp(0.0, 1.0) * (self.right - self.left))
    }

    /// Round numbers from end to end: multiples of one, two or five times a power of ten.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let apart = (self.upper - self.lower) / f64::from(MAX_TICKS);
        let power = 10_f64.powf(apart.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|round| round * power);
        let step = steps.into_iter().find(|&step| step >= apart);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.lower / step).ceil();
        (0..=MAX_TICKS)
            .map(|number| (first + f64::from(number)) * step)
            .take_while(|&mark| mark <= self.upper)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn marks_are_round_and_within() {
        let marks = |lower, upper| {
            let marks = Scale::new(lower, upper, 0.0, 1.0).ticks();
            let texts: Vec<String> = marks.iter().map(|mark| format!("{mark:.1}")).collect();
            texts.join(" ")
        };
        assert_eq!(marks(-230.0, 310.0), "-200.0 -100.0 0.0 100.0 200.0 300.0");
        assert_eq!(marks(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(marks(5.0, 5.0), "4.0 4.5 5.0 5.5 6.0");
        assert_eq!(
            marks(-300.0, 300.0),
            "-300.0 -200.0 -100.0 0.0 100.0 200.0 300.0"
        );
    }

    #[test]
    fn what_is_beyond_an_end_is_drawn_there() {
        let scale = Scale::new(-10.0, 10.0, 100.0, 200.0);
        let places =
            [-20.0, -10.0, 0.0, 5.0, 30.0].map(|number| scale.coordinate(number).to_string());
        assert_eq!(places, ["100.0", "100.0", "150.0", "175.0", "200.0"]);
    }
}
