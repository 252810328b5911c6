//! The number of users over time, in stages: when each of them runs.

use std::time::Duration;

use super::super::definition::UserStage;
use super::super::problem::Problem;

/// Stages as points between which the number of users changes evenly.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload::file) struct Levels {
    /// Seconds from the beginning, and the number of users then.
    points: Vec<(f64, f64)>,
}

impl Levels {
    /// Of these stages; the first begins with no user.
    pub(in crate::workload::file) fn new(stages: &[UserStage], key: &str) -> Result<Self, Problem> {
        let mut points = vec![(0.0, 0.0)];
        let mut at = 0.0;
        for (number, stage) in stages.iter().enumerate() {
            let over = humantime::parse_duration(&stage.over).map_err(|_| {
                let key = format!("{key}.stages[{}].over", number + 1);
                Problem::new(key, "Give a time such as `30s`.")
            })?;
            at += over.as_secs_f64();
            points.push((at, f64::from(stage.users)));
        }
        if at == 0.0 {
            return Err(Problem::new(format!("{key}.stages"), "The stages take no time."));
        }
        Ok(Self { points })
    }

    /// The whole time.
    pub(in crate::workload::file) fn length(&self) -> Duration {
        Duration::from_secs_f64(self.points.last().map_or(0.0, |(at, _)| *at))
    }

    /// When a user runs for the `nth` time, from 0 on: it begins where the number of users reaches its own, and ends where
    /// it falls below. `None` if it does not run so often.
    pub(in crate::workload::file) fn turn(
        &self,
        user: u32,
        nth: usize,
    ) -> Option<(Duration, Duration)> {
        let own = f64::from(user) + 1.0;
        let mut turns = Vec::new();
        let mut began = None;
        for pair in self.points.windows(2) {
            let [(from, low), (to, high)] = [pair[0], pair[1]];
            let crossing = || from + (to - from) * ((own - low) / (high - low)).clamp(0.0, 1.0);
            match began {
                None if high >= own && low < own => began = Some(crossing()),
                Some(start) if high < own => {
                    turns.push((start, crossing()));
                    began = None;
                }
                _ => {}
            }
        }
        let end = self.points.last().map_or(0.0, |(at, _)| *at);
        turns.extend(began.map(|start| (start, end)));
        // A turn without any length, such as that of the peak of a stage up and one down, is none.
        let whole = turns.into_iter().filter(|(start, end)| end > start);
        let (start, end) = whole.into_iter().nth(nth)?;
        Some((Duration::from_secs_f64(start), Duration::from_secs_f64(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(stages: &[(u32, &str)]) -> Levels {
        let stage = |(users, over): &(u32, &str)| UserStage { users: *users, over: (*over).into() };
        let stages: Vec<UserStage> = stages.iter().map(stage).collect();
        Levels::new(&stages, "group[1]").unwrap()
    }

    #[test]
    fn users_run_while_the_number_is_theirs() {
        let levels = levels(&[(10, "10s"), (10, "5s"), (2, "4s"), (4, "0s"), (4, "1s"), (0, "0s")]);
        let turn = |user, nth| {
            levels.turn(user, nth).map(|(from, to)| (from.as_secs_f64(), to.as_secs_f64()))
        };
        assert_eq!(levels.length(), Duration::from_secs(20));
        assert_eq!(turn(0, 0), Some((1.0, 20.0)));
        assert_eq!(turn(9, 0), Some((10.0, 15.0)));
        assert_eq!(turn(9, 1), None);
        assert_eq!(turn(3, 0), Some((4.0, 18.0)));
        assert_eq!(turn(3, 1), Some((19.0, 20.0)));
        assert_eq!(turn(10, 0), None);
        assert_eq!(turn(1, 0), Some((2.0, 20.0)));
    }

    #[test]
    fn stages_have_a_length() {
        let wrong = |users, over: &str| {
            Levels::new(&[UserStage { users, over: over.into() }], "group[1]")
                .unwrap_err()
                .to_string()
        };
        assert!(wrong(1, "soon").contains("group[1].stages[1].over"));
        assert!(wrong(1, "0s").contains("take no time"));
    }
}
