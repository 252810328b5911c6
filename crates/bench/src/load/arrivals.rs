//! The arrival times of an open workload: they do not depend on how earlier transactions went.

use std::time::Duration;

use fastrand::Rng;

use super::LoadProfile;

/// The arrivals of one process among several. Together they follow the profile: even arrivals are
/// dealt to the processes round-robin; random ones are split by rate (a split Poisson process is
/// Poisson again).
#[derive(Clone, Debug)]
pub struct Arrivals {
    profile: LoadProfile,
    /// The position of the next arrival, as an area under the profile.
    area: f64,
    /// The mean distance between arrivals, as an area.
    step: f64,
    random: Option<Rng>,
}

impl Arrivals {
    /// The arrivals of one process: random with a seed, evenly spaced without.
    pub fn new(profile: LoadProfile, process: u32, processes: u32, seed: Option<u64>) -> Self {
        let step = f64::from(processes);
        let mut random = seed.map(Rng::with_seed);
        let area = match &mut random {
            Some(random) => exponential(random) * step,
            None => f64::from(process),
        };
        Self { profile, area, step, random }
    }

    /// Returns the next arrival's moment without taking it.
    pub fn peek(&self) -> Option<Duration> {
        self.profile.moment(self.area)
    }

    /// Takes the next arrival's moment; `None` after the last one.
    pub fn next_moment(&mut self) -> Option<Duration> {
        let moment = self.profile.moment(self.area)?;
        self.area += match &mut self.random {
            Some(random) => exponential(random) * self.step,
            None => self.step,
        };
        Some(moment)
    }
}

/// An exponential random number with mean 1.
fn exponential(random: &mut Rng) -> f64 {
    -(1.0 - random.f64()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_arrivals_are_dealt_round_robin() {
        let mut moments: Vec<Duration> = (0..3)
            .flat_map(|process| {
                let mut arrivals = Arrivals::new(LoadProfile::constant(10.0), process, 3, None);
                (0..10).map(move |_| arrivals.next_moment().unwrap())
            })
            .collect();
        moments.sort();
        for (number, moment) in moments.iter().enumerate() {
            assert_eq!(moment.as_millis(), number as u128 * 100);
        }
    }

    #[test]
    fn every_process_takes_its_part_of_a_ramp() {
        let of = |process| {
            let profile = LoadProfile::ramp(Duration::from_secs(1), 60.0);
            let mut arrivals = Arrivals::new(profile, process, 3, None);
            std::iter::from_fn(move || arrivals.next_moment())
                .take_while(|moment| *moment < Duration::from_secs(2))
                .count()
        };
        assert_eq!([of(0), of(1), of(2)], [30, 30, 30]);
    }

    #[test]
    fn random_arrivals_have_the_rate() {
        let within = |process| {
            let mut arrivals = Arrivals::new(
                LoadProfile::constant(1000.0),
                process,
                2,
                Some(7 + u64::from(process)),
            );
            std::iter::from_fn(move || arrivals.next_moment())
                .take_while(|moment| *moment < Duration::from_secs(100))
                .count()
        };
        // 100,000 are expected; the standard deviation is 316.
        let all = within(0) + within(1);
        assert!((98_500..101_500).contains(&all), "{all}");
    }
}
