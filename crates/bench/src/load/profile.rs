//! A piecewise linear level over time: arrivals per second, or users.

use std::time::Duration;

/// A piece of a profile: a straight line from one level to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its length.
    pub length: Duration,
    /// The level at its beginning.
    pub from: f64,
    /// The level at its end.
    pub to: f64,
}

/// A level over time. After the last piece it keeps that piece's final level.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadProfile {
    segments: Vec<Segment>,
    last: f64,
}

impl LoadProfile {
    /// A constant level.
    pub fn constant(level: f64) -> Self {
        Self { segments: Vec::new(), last: level.max(0.0) }
    }

    /// Pieces in sequence. Levels under 0 count as 0.
    pub fn of(mut segments: Vec<Segment>) -> Self {
        for segment in &mut segments {
            segment.from = segment.from.max(0.0);
            segment.to = segment.to.max(0.0);
        }
        let last = segments.last().map_or(0.0, |segment| segment.to);
        Self { segments, last }
    }

    /// A straight line from 0 to a level, then that level.
    pub fn ramp(length: Duration, level: f64) -> Self {
        if length.is_zero() {
            return Self::constant(level);
        }
        Self::of(vec![Segment { length, from: 0.0, to: level }])
    }

    /// Levels in sequence, each with its length in seconds; the last one continues.
    pub fn stairs(steps: &[(f64, f64)]) -> Self {
        let segment = |(level, seconds): &(f64, f64)| Segment {
            length: Duration::from_secs_f64(seconds.max(0.001)),
            from: *level,
            to: *level,
        };
        Self::of(steps.iter().map(segment).collect())
    }

    /// The level at a moment.
    pub fn level(&self, at: Duration) -> f64 {
        let mut begin = Duration::ZERO;
        for segment in &self.segments {
            if at < begin + segment.length {
                let share = (at - begin).as_secs_f64() / segment.length.as_secs_f64();
                return segment.from + (segment.to - segment.from) * share;
            }
            begin += segment.length;
        }
        self.last
    }

    /// The area under the level until a moment: the number of arrivals planned before it.
    pub fn planned(&self, until: Duration) -> f64 {
        let mut begin = Duration::ZERO;
        let mut area = 0.0;
        for segment in &self.segments {
            if until <= begin {
                return area;
            }
            let length = segment.length.min(until - begin);
            let end = begin + length;
            area += length.as_secs_f64() * (segment.from + self.level_in(segment, length)) / 2.0;
            begin = end;
            if length < segment.length {
                return area;
            }
        }
        area + self.last * until.saturating_sub(begin).as_secs_f64()
    }

    fn level_in(&self, segment: &Segment, after: Duration) -> f64 {
        let share = after.as_secs_f64() / segment.length.as_secs_f64();
        segment.from + (segment.to - segment.from) * share
    }

    /// The moment at which the area reaches a size, which is the arrival with that number; `None`
    /// if it never does.
    pub fn moment(&self, area: f64) -> Option<Duration> {
        let mut rest = area;
        let mut begin = 0.0;
        for Segment { length, from, to } in &self.segments {
            let length = length.as_secs_f64();
            let whole = length * (from + to) / 2.0;
            if rest < whole {
                return soon(begin + within(rest, *from, *to, length));
            }
            rest -= whole;
            begin += length;
        }
        (self.last > 0.0).then(|| soon(begin + rest / self.last)).flatten()
    }
}

/// Limits a moment to a hundred years, more than any run takes.
fn soon(seconds: f64) -> Option<Duration> {
    (seconds < 3.2e9).then(|| Duration::try_from_secs_f64(seconds).ok()).flatten()
}

/// The time within a piece until its area is `area`: the root of `from·t + (to −
/// from)/(2·length)·t²`.
fn within(area: f64, from: f64, to: f64, length: f64) -> f64 {
    if area <= 0.0 {
        // A ramp begins at level 0, by which nothing can be divided.
        return 0.0;
    }
    let slope = (to - from) / length;
    if slope.abs() < f64::EPSILON {
        return area / from;
    }
    // This form of the root loses no digits for small slopes.
    2.0 * area / (from + (from * from + 2.0 * slope * area).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_constant_rate_has_even_moments() {
        let profile = LoadProfile::constant(4.0);
        assert_eq!(profile.moment(0.0), Some(Duration::ZERO));
        assert_eq!(profile.moment(10.0), Some(seconds(2.5)));
        assert!((profile.planned(seconds(2.5)) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_ramp_grows_with_the_square() {
        let profile = LoadProfile::ramp(seconds(10.0), 100.0);
        assert!((profile.level(seconds(5.0)) - 50.0).abs() < 1e-9);
        assert!((profile.planned(seconds(5.0)) - 125.0).abs() < 1e-9);
        assert!((profile.planned(seconds(20.0)) - 1500.0).abs() < 1e-9);
        let moment = profile.moment(125.0).unwrap();
        assert!((moment.as_secs_f64() - 5.0).abs() < 1e-6);
    }

    #[test]
    fn a_ramp_has_a_first_arrival() {
        let profile = LoadProfile::ramp(seconds(1.0), 50.0);
        assert_eq!(profile.moment(0.0), Some(Duration::ZERO));
        let falling = LoadProfile::of(vec![Segment { length: seconds(1.0), from: 0.0, to: 0.0 }]);
        assert_eq!(falling.moment(0.0), None);
    }

    #[test]
    fn nothing_arrives_at_rate_zero() {
        assert_eq!(LoadProfile::constant(0.0).moment(1.0), None);
        assert_eq!(LoadProfile::constant(f64::MIN_POSITIVE).moment(1.0), None);
        assert_eq!(LoadProfile::constant(0.5e-6).moment(1.0), Some(seconds(2e6)));
    }

    proptest! {
        #[test]
        fn moments_are_the_inverse_of_what_is_planned(
            pieces in prop::collection::vec((0.1..20.0_f64, 0.0..500.0_f64, 0.0..500.0_f64), 0..5),
            area in 0.0..5000.0_f64,
        ) {
            let pieces = pieces.into_iter();
            let segments = pieces.map(|(length, from, to)| Segment { length: seconds(length), from, to });
            let mut segments: Vec<Segment> = segments.collect();
            segments.push(Segment { length: seconds(1.0), from: 10.0, to: 10.0 });
            let profile = LoadProfile::of(segments);
            let moment = profile.moment(area).unwrap();
            prop_assert!((profile.planned(moment) - area).abs() < 1e-3 * area.max(1.0));
        }
    }
}
