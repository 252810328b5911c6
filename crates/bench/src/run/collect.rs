//! Merges the reports of the processes into one timeline and one sum.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use duet_verdict::result::{Answer, CheckRow, Percentiles, Second};
use duet_verdict::times::pack;

use super::event::{Ended, Event};
use super::plan::Plan;
use super::sample_log::SampleCount;
use crate::record::{ProcessTotals, Tallies, Tally};

/// A second, merged over all processes.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The second's number.
    pub second: u64,
    /// The most users with a connection.
    pub users: u32,
    /// The number of the workload's types.
    pub types: usize,
    /// The transactions that ended in it.
    pub kinds: Tallies,
    /// All types together.
    pub all: Tally,
    /// CPU time of the client's processes in it.
    pub cpu: Duration,
    /// What each process reported, by its number.
    pub parts: BTreeMap<u32, Part>,
}

/// A process's part of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The most users with a connection.
    pub users: u32,
    /// Transactions that succeeded.
    pub completed: u64,
    /// Transactions that failed.
    pub failed: u64,
    /// Its processor time.
    pub cpu: Duration,
}

impl Merged {
    fn add(&mut self, process: u32, mut part: Part, kinds: Tallies) {
        self.users += part.users;
        self.cpu += part.cpu;
        for (kind, tally) in kinds.into_iter().filter(|(kind, _)| *kind < self.types) {
            self.all.add(&tally);
            part.completed += tally.completed();
            part.failed += tally.failed();
            match self.kinds.entry(kind) {
                Entry::Occupied(mut sum) => sum.get_mut().add(&tally),
                Entry::Vacant(sum) => drop(sum.insert(tally)),
            }
        }
        self.parts.insert(process, part);
    }

    /// The row in the result.
    pub fn row(&self, plan: &Plan) -> Second {
        Second {
            at_s: self.second,
            phase: plan.phases.name(Duration::from_secs(self.second)).into(),
            users: self.users,
            completed: self.all.completed(),
            failed: self.all.failed(),
            offered_per_s: plan.offered(self.second),
            service: Percentiles::of(&self.all.service.histogram()),
            response: Percentiles::of(&self.all.response.histogram()),
            by_type: self.by_type(Tally::completed),
            mean_us_by_type: self.by_type(|tally| (tally.service.mean() * 10.0).round() / 10.0),
            failed_by_type: self.by_type(Tally::failed),
            response_histogram: pack(&self.all.response.histogram()),
            observed: BTreeMap::new(),
        }
    }

    /// A figure of every type, those without transactions included.
    fn by_type<T: Clone + Default>(&self, figure: impl Fn(&Tally) -> T) -> Vec<T> {
        let mut figures = vec![T::default(); self.types];
        for (kind, tally) in &self.kinds {
            figures[*kind] = figure(tally);
        }
        figures
    }
}

/// Merges the reports of processes.
#[derive(Debug)]
pub struct Collector {
    processes: u32,
    kinds: usize,
    /// Incomplete seconds, with the processes that have reported them.
    open: BTreeMap<u64, (BTreeSet<u32>, Merged)>,
    /// Processes that report no more.
    gone: BTreeSet<u32>,
    /// Processes in which everything due in the window has ended.
    drained: BTreeSet<u32>,
    totals: ProcessTotals,
    ended: Vec<Ended>,
    lost: Vec<(u32, String)>,
}

impl Collector {
    /// For this many processes and types of transaction.
    pub fn new(processes: u32, kinds: usize) -> Self {
        Self {
            processes,
            kinds,
            open: BTreeMap::new(),
            gone: BTreeSet::new(),
            drained: BTreeSet::new(),
            totals: ProcessTotals::new(kinds),
            ended: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Adds an event; returns the seconds that it completes, in order.
    pub fn take(&mut self, event: Event) -> Vec<Merged> {
        match event {
            Event::Second { process, second, users, kinds, cpu } => {
                let (reported_by, merged) = self.entry(second);
                reported_by.insert(process);
                merged.add(process, Part { users, cpu, ..Part::default() }, kinds);
            }
            Event::Drained { process } => {
                self.drained.insert(process);
            }
            Event::Ended(ended) => {
                self.totals.add(&ended.totals);
                self.gone.insert(ended.share.process);
                self.ended.push(*ended);
            }
            Event::Lost { process, message } => {
                self.lost.push((process, message));
                self.gone.insert(process);
            }
        }
        self.completed()
    }

    /// Marks all processes that have not ended as gone; returns the seconds that this completes.
    pub(super) fn give_up(&mut self, message: &str) -> Vec<Merged> {
        let silent: Vec<u32> = (0..self.processes).filter(|it| !self.gone.contains(it)).collect();
        let lost = |process| self.take(Event::Lost { process, message: message.to_owned() });
        silent.into_iter().flat_map(lost).collect()
    }

    fn entry(&mut self, second: u64) -> &mut (BTreeSet<u32>, Merged) {
        let types = self.kinds;
        let empty = || Merged {
            second,
            users: 0,
            types,
            kinds: Tallies::new(),
            all: Tally::default(),
            cpu: Duration::ZERO,
            parts: BTreeMap::new(),
        };
        self.open.entry(second).or_insert_with(|| (BTreeSet::new(), empty()))
    }

    fn completed(&mut self) -> Vec<Merged> {
        let mut completed = Vec::new();
        while let Some(entry) = self.open.first_entry() {
            let reported_by = &entry.get().0;
            let missing =
                |process: &u32| !reported_by.contains(process) && !self.gone.contains(process);
            if (0..self.processes).any(|process| missing(&process)) {
                break;
            }
            completed.push(entry.remove().1);
        }
        completed
    }

    /// Whether all processes have ended or are gone.
    pub fn is_done(&self) -> bool {
        self.gone.len() >= self.processes as usize
    }

    /// Whether everything that was due in the windows of all processes has ended.
    pub(super) fn is_drained(&self) -> bool {
        let is = |process: &u32| self.drained.contains(process) || self.gone.contains(process);
        (0..self.processes).all(|process| is(&process))
    }

    /// The sum of all processes.
    pub fn totals(&self) -> &ProcessTotals {
        &self.totals
    }

    /// The processes that ended normally, by number.
    pub fn ended(&mut self) -> &[Ended] {
        self.ended.sort_by_key(|ended| ended.share.process);
        &self.ended
    }

    /// The answers by question, from the first process, and the questions to which another process
    /// got a different answer.
    pub fn answers(&self) -> (BTreeMap<String, Answer>, BTreeSet<String>) {
        let (mut answers, mut differ) = (BTreeMap::new(), BTreeSet::new());
        for (question, answer) in self.ended.iter().flat_map(|ended| &ended.answers) {
            let first = answers.entry(question.clone()).or_insert_with(|| answer.clone());
            if first != answer {
                differ.insert(question.clone());
            }
        }
        (answers, differ)
    }

    /// How often each check passed, by name, over all processes.
    pub fn checks(&self) -> Vec<CheckRow> {
        CheckRow::sum(self.ended.iter().flat_map(|ended| &ended.checks))
    }

    /// The samples that all processes wrote.
    pub fn samples(&self) -> SampleCount {
        let mut all = SampleCount::default();
        self.ended.iter().for_each(|ended| all.add(&ended.samples));
        all
    }

    /// Users that panicked, over all processes.
    pub(super) fn panicked(&self) -> u32 {
        self.ended.iter().map(|ended| ended.panicked).sum()
    }

    /// The processes that were lost, with the reason.
    pub fn lost(&self) -> &[(u32, String)] {
        &self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(process: u32, second: u64) -> Event {
        let mut tally = Tally::default();
        tally.outcomes[0] = 1;
        // No type has the number 1: a process that says so is of another version.
        let kinds = [(0, tally.clone()), (1, tally)].into();
        Event::Second { process, second, users: 2, kinds, cpu: Duration::ZERO }
    }

    #[test]
    fn a_second_is_complete_when_all_have_reported_it() {
        let mut collector = Collector::new(2, 1);
        assert!(collector.take(second(0, 0)).is_empty());
        assert!(collector.take(second(0, 1)).is_empty());
        let merged = collector.take(second(1, 0));
        assert_eq!((merged.len(), merged[0].second, merged[0].users), (1, 0, 4));
        assert_eq!(merged[0].all.completed(), 2);
        let part = Part { users: 2, completed: 1, ..Part::default() };
        assert_eq!(merged[0].parts, BTreeMap::from([(0, part), (1, part)]));
        let rest = collector.take(Event::Lost { process: 1, message: "killed".into() });
        assert_eq!(rest.len(), 1);
        assert!(!collector.is_done());
        assert!(collector.give_up("it panicked").is_empty() && collector.is_done());
        assert_eq!(collector.lost()[1], (0, "it panicked".to_owned()));
    }

    #[test]
    fn the_load_ends_when_all_are_drained_or_gone() {
        let mut collector = Collector::new(3, 1);
        let drained = |process| Event::Drained { process };
        assert!(!collector.is_drained());
        collector.take(drained(0));
        collector.take(drained(2));
        collector.take(drained(2));
        assert!(!collector.is_drained());
        collector.take(Event::Lost { process: 1, message: "killed".into() });
        assert!(collector.is_drained() && !collector.is_done());
    }

    #[test]
    fn different_answers_of_processes_are_noticed() {
        let mut collector = Collector::new(2, 1);
        let row = |passed, failed| CheckRow {
            name: "A: c".into(),
            transaction: "A".into(),
            passed,
            failed,
            ..CheckRow::default()
        };
        for process in 0..2 {
            let answer = |hash: &str| Answer { rows: 1, hash: hash.into() };
            let differs = answer(["1", "2"][process as usize]);
            collector.take(Event::Ended(Box::new(Ended {
                share: super::super::plan::Share { process, first_user: process, users: 1 },
                totals: ProcessTotals::new(1),
                panicked: process,
                answers: [("same".into(), answer("0")), ("other".into(), differs)].into(),
                checks: vec![row(2, 1)],
                cost: super::super::event::Cost::default(),
                samples: SampleCount::default(),
            })));
        }
        assert_eq!(collector.panicked(), 1);
        let (answers, differ) = collector.answers();
        assert_eq!(answers.len(), 2);
        assert_eq!(differ.into_iter().collect::<Vec<_>>(), ["other"]);
        assert_eq!(collector.checks(), [row(4, 2)]);
    }
}
