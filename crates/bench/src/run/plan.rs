//! The plan of a run, as data: every process of the layout gets the same one.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::load::{Arrivals, LoadProfile};
use crate::record::Measured;

/// The load: users or arrivals, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Users that wait for their responses (a closed workload).
    Closed,
    /// Arrivals that do not wait for responses (an open workload).
    Open {
        /// Arrivals per second.
        rate: f64,
        /// Whether their gaps are random (exponential) instead of even.
        poisson: bool,
        /// Levels in sequence instead of one rate, each for this many seconds.
        steps: Vec<(f64, f64)>,
    },
}

/// The parts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Ramp-up: users start one after the other, or the rate grows.
    pub ramp_up: Duration,
    /// Warm-up: full load, not counted.
    pub warm_up: Duration,
    /// The measured time; without an end, a number of transactions ends it.
    pub measure: Option<Duration>,
    /// Cool-down: full load, not counted.
    pub cool_down: Duration,
}

impl Phases {
    /// The measured time, from the run's start.
    pub fn measured(&self) -> Measured {
        let from = self.ramp_up + self.warm_up;
        Measured { from, to: self.measure.map(|length| from + length) }
    }

    /// The end, if time ends the run. The load continues behind it until everything due in the
    /// window has ended.
    pub fn end(&self) -> Option<Duration> {
        self.measured().to.map(|to| to + self.cool_down)
    }

    /// The name of the phase at a moment.
    pub fn name(&self, at: Duration) -> &'static str {
        let measured = self.measured();
        match () {
            () if at < self.ramp_up => "ramp",
            () if at < measured.from => "warm-up",
            () if measured.to.is_none_or(|to| at < to) => "measure",
            () if self.end().is_none_or(|end| at < end) => "cool-down",
            () => "drain",
        }
    }
}

/// The plan of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Processes.
    pub processes: u32,
    /// Users of all processes together.
    pub users: u32,
    /// The load: users or arrivals, and when.
    pub model: Model,
    /// The phases.
    pub phases: Phases,
    /// Ends the run after this many transactions of all processes together, counted after the
    /// warm-up.
    pub transactions: Option<u64>,
    /// Ends each user after this many transactions.
    pub iterations: Option<u64>,
    /// The number of each user's first transactions that never count.
    #[serde(default)]
    pub uncounted: u64,
    /// Think time from one transaction's end to the next one's start.
    pub think: [Duration; 2],
    /// Think time inside transactions.
    pub think_inside: [Duration; 2],
    /// Pacing: the time from start to start of a user's transactions.
    pub pacing: Option<Duration>,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The timeout of responses, which fail after it.
    pub timeout: Duration,
    /// How long after the window's end the transactions due in it are followed; by default, for the
    /// timeout.
    #[serde(default)]
    pub grace: Option<Duration>,
    /// Files that the counted transactions are written to, one by one.
    #[serde(default)]
    pub samples: SampleFiles,
}

/// Files of samples, which have been begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleFiles {
    /// JMeter's JTL.
    pub jtl: Option<PathBuf>,
    /// Gatling's `simulation.log`.
    pub gatling: Option<PathBuf>,
    /// The address of the target in each sample, without secrets; empty where it is not known.
    pub url: String,
}

impl SampleFiles {
    /// Whether there are any.
    pub fn are_wanted(&self) -> bool {
        self.jtl.is_some() || self.gatling.is_some()
    }
}

impl Plan {
    /// A closed workload without think time or end; callers override the rest with `..`.
    pub fn closed(processes: u32, users: u32) -> Self {
        Self {
            processes,
            users,
            model: Model::Closed,
            phases: Phases::default(),
            transactions: None,
            iterations: None,
            uncounted: 0,
            think: [Duration::ZERO; 2],
            think_inside: [Duration::ZERO; 2],
            pacing: None,
            seed: 1,
            timeout: Duration::from_secs(30),
            grace: None,
            samples: SampleFiles::default(),
        }
    }

    /// Whether users of groups end by themselves.
    pub fn ends_by_groups(&self) -> bool {
        self.phases.measure.is_none() && self.transactions.is_none() && self.iterations.is_none()
    }

    /// How long after the window's end the transactions due in it are followed.
    pub fn grace(&self) -> Duration {
        self.grace.unwrap_or(self.timeout)
    }

    /// The last moment at which a transaction may begin, if time ends the run.
    pub fn last_begin(&self) -> Option<Duration> {
        let followed = self.phases.measured().to.map(|to| to + self.grace());
        followed.max(self.phases.end())
    }

    /// The users of one process: the first number, and the count.
    pub fn share(&self, process: u32) -> Share {
        let (whole, rest) = (self.users / self.processes, self.users % self.processes);
        let first_user = process * whole + process.min(rest);
        Share { process, first_user, users: whole + u32::from(process < rest) }
    }

    /// When a user starts, with JMeter's meaning of ramp-up: user `k` of `n` after `k/n` of it.
    pub fn start_of(&self, user: u32) -> Duration {
        match self.model {
            Model::Closed => self.phases.ramp_up.mul_f64(f64::from(user) / f64::from(self.users)),
            Model::Open { .. } => Duration::ZERO,
        }
    }

    /// The arrivals of one process, in an open workload.
    pub fn arrivals(&self, process: u32) -> Option<Arrivals> {
        let Model::Open { poisson, .. } = &self.model else { return None };
        let profile = self.profile()?;
        let seed = poisson.then(|| self.seed.wrapping_add(u64::from(process)));
        Some(Arrivals::new(profile, process, self.processes, seed))
    }

    /// The rate of arrivals over time, of all processes.
    fn profile(&self) -> Option<LoadProfile> {
        let Model::Open { rate, steps, .. } = &self.model else { return None };
        Some(match steps.is_empty() {
            true => LoadProfile::ramp(self.phases.ramp_up, *rate),
            false => LoadProfile::stairs(steps),
        })
    }

    /// The arrivals that are planned in a second, of all processes; `None` in closed runs.
    pub fn offered(&self, second: u64) -> Option<f64> {
        let profile = self.profile()?;
        let until = |second| profile.planned(Duration::from_secs(second));
        Some(until(second + 1) - until(second))
    }

    /// The mean rate of arrivals in the measured time, if it has a length; `None` in closed runs.
    pub fn mean_rate(&self) -> Option<f64> {
        let profile = self.profile()?;
        let Measured { from, to } = self.phases.measured();
        let length = to?.saturating_sub(from).as_secs_f64();
        let planned = profile.planned(to?) - profile.planned(from);
        (length > 0.0).then(|| planned / length)
    }

    /// A process's share of the transactions that end the run.
    pub fn budget(&self, process: u32) -> Option<u64> {
        let all = self.transactions?;
        let processes = u64::from(self.processes);
        Some(all / processes + u64::from(u64::from(process) < all % processes))
    }
}

/// One process's share of the users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The process's number, from 0.
    pub process: u32,
    /// The number of its first user.
    pub first_user: u32,
    /// Its users.
    pub users: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(processes: u32, users: u32) -> Plan {
        Plan { transactions: Some(10), ..Plan::closed(processes, users) }
    }

    #[test]
    fn every_user_and_transaction_is_in_one_process() {
        let plan = plan(3, 16);
        let shares: Vec<Share> = (0..3).map(|process| plan.share(process)).collect();
        let firsts: Vec<(u32, u32)> =
            shares.iter().map(|share| (share.first_user, share.users)).collect();
        assert_eq!(firsts, [(0, 6), (6, 5), (11, 5)]);
        assert_eq!((0..3).filter_map(|process| plan.budget(process)).sum::<u64>(), 10);
    }

    #[test]
    fn the_rate_is_that_of_the_measured_time() {
        let model =
            |rate, steps: &[(f64, f64)]| Model::Open { rate, poisson: true, steps: steps.to_vec() };
        let rate = |model: Model, seconds: Option<u64>| {
            let measure = seconds.map(Duration::from_secs);
            Plan { model, phases: Phases { measure, ..Phases::default() }, ..plan(1, 1) }
                .mean_rate()
        };
        let steps = [(50.0, 1.0), (100.0, 1.0)];
        // The last step continues, and a shorter time ends within the first.
        assert_eq!(rate(model(0.0, &steps), Some(5)), Some(90.0));
        assert_eq!(rate(model(0.0, &steps), Some(1)), Some(50.0));
        assert_eq!(rate(model(0.0, &steps), None), None);
        assert_eq!(rate(model(7.0, &[]), Some(4)), Some(7.0));
        assert_eq!(rate(Model::Closed, Some(4)), None);
    }

    #[test]
    fn users_start_as_in_jmeter() {
        let mut plan = plan(1, 20);
        plan.phases.ramp_up = Duration::from_secs(1200);
        assert_eq!(plan.start_of(0), Duration::ZERO);
        assert_eq!(plan.start_of(1), Duration::from_secs(60));
        assert_eq!(plan.start_of(19), Duration::from_secs(1140));
    }

    #[test]
    fn phases_by_time() {
        let seconds = Duration::from_secs;
        let phases = Phases {
            ramp_up: seconds(2),
            warm_up: seconds(3),
            measure: Some(seconds(10)),
            cool_down: seconds(1),
        };
        let names: Vec<&str> =
            [0, 2, 5, 14, 15, 16].map(|at| phases.name(seconds(at))).into_iter().collect();
        assert_eq!(names, ["ramp", "warm-up", "measure", "measure", "cool-down", "drain"]);
        assert_eq!(phases.end(), Some(seconds(16)));
        let plan = Plan { phases, ..plan(1, 1) };
        assert_eq!(plan.last_begin(), Some(seconds(45)));
        let plan = Plan { grace: Some(Duration::ZERO), ..plan };
        assert_eq!(plan.last_begin(), Some(seconds(16)));
    }
}
