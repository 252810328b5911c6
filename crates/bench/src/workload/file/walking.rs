//! How a session goes through the steps of a flow, and what a user of a group does next.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::definition::{Each, Go, KeepCookies, Pace, PauseDistribution};
use super::flow::{Op, Pause, Share};
use super::functions::number::NumberKind;
use super::program::{Action, Script, Seats};
use super::scope::Scope;
use super::session::FileSession;
use super::template::Template;
use super::walk::{Event, Seat, Walk};
use crate::workload::{Failed, Next, TransactionContext};

/// The longest computed pause.
const LONGEST_MS: f64 = 24.0 * 3_600_000.0;
/// More than a file has calls, limits and paces.
const GROUP_NUMBERS: usize = 1 << 32;

impl FileSession {
    /// What the user of a group does next.
    pub(super) async fn next_of_group(
        &mut self,
        context: &mut TransactionContext,
        is_stopped: &dyn Fn() -> bool,
    ) -> Next {
        let program = self.program.clone();
        let Some(mut seat) = self.seat.take() else { return Next::End };
        let script = &program.scripts[seat.group];
        let next = loop {
            if !seat.has_begun {
                if !seat.begins(is_stopped).await {
                    break Next::End;
                }
                seat.has_begun = true;
                break Next::Begin;
            }
            if seat.leaving.is_none() && seat.is_over(is_stopped) {
                seat.leaving = Some(Go::EndUser);
            }
            if seat.leaving.is_some() && seat.walk.open > 0 {
                seat.walk.open -= 1;
                break Next::Leave;
            }
            if seat.leaves().await {
                break if seat.rests(is_stopped) { Next::Rest } else { Next::End };
            }
            if !seat.is_inside && !self.begins(&mut seat, script, context) {
                break Next::End;
            }
            self.seat = Some(seat);
            let event = self.walked(script, context, is_stopped).await;
            let Some(back) = self.seat.take() else { return Next::End };
            seat = back;
            match event {
                Event::Step(number) if seat.takes(number, script, context, is_stopped).await => {
                    if self.is_fresh(script, number) {
                        continue;
                    }
                    break Next::Run(script.kinds.get(number).copied().unwrap_or_default());
                }
                Event::Step(_) => {}
                Event::Enter(block) => {
                    seat.walk.open += 1;
                    break Next::Enter(block);
                }
                Event::Leave => {
                    seat.walk.open = seat.walk.open.saturating_sub(1);
                    break Next::Leave;
                }
                Event::Go(go) => seat.leaving = Some(go),
                Event::End => seat.leaving = Some(Go::NextIteration),
            }
        };
        self.seat = Some(seat);
        next
    }

    /// Begins an iteration of the user's group, if there is one.
    fn begins(
        &mut self,
        seat: &mut Seat,
        script: &Script,
        context: &mut TransactionContext,
    ) -> bool {
        let most = seat.seats().iterations;
        if most.is_some_and(|most| seat.done >= most) || !self.draw(script, context) {
            return false;
        }
        let seats = seat.seats();
        let each = seats.cookies == Some(KeepCookies::EachIteration);
        if each {
            self.wires.forget_cookies();
        }
        if each || seat.done == 0 {
            seats.jar.iter().for_each(|cookie| self.wires.add_cookie(cookie));
        }
        self.wires.begin_iteration();
        seat.walk.at = 0;
        seat.is_inside = true;
        true
    }

    /// Whether the response of a step is kept and fresh, so that it is not sent.
    fn is_fresh(&self, script: &Script, number: usize) -> bool {
        match script.actions.get(number) {
            Some(Action::Http(http)) => http.is_fresh(&self.values, &self.wires),
            _ => false,
        }
    }

    /// The step of a group that is to run, with its group.
    pub(super) fn chosen(&self) -> Option<(usize, usize)> {
        self.seat.as_ref().map(|seat| (seat.group, seat.action))
    }

    /// Takes into account how the chosen step ended.
    pub(super) fn chosen_ended(&mut self, passed: bool) {
        self.last_ok = passed;
        let Some(seat) = &mut self.seat else { return };
        let go = seat.program.groups[seat.group].on_failure;
        if !passed && go != Go::On {
            seat.leaving = Some(go);
        }
    }

    /// Goes on to the next step of the user's group.
    async fn walked(
        &mut self,
        script: &Script,
        context: &mut TransactionContext,
        is_stopped: &dyn Fn() -> bool,
    ) -> Event {
        let Some(seat) = &mut self.seat else { return Event::End };
        let mut walk = std::mem::take(&mut seat.walk);
        let event = self.walk(script, &mut walk, context, is_stopped).await;
        if let Some(seat) = &mut self.seat {
            seat.walk = walk;
        }
        event
    }

    /// Goes on to the next step of a flow.
    pub(super) async fn walk(
        &mut self,
        script: &Script,
        walk: &mut Walk,
        context: &mut TransactionContext,
        is_stopped: &dyn Fn() -> bool,
    ) -> Event {
        let Some(flow) = &script.flow else { return Event::End };
        walk.passes.resize(flow.loops, [0; 2]);
        loop {
            let Some(op) = flow.ops.get(walk.at) else { return Event::End };
            walk.at += 1;
            match op {
                Op::Step(number) => return Event::Step(*number),
                Op::Enter(block) => return Event::Enter(*block),
                Op::Leave => return Event::Leave,
                Op::Go(go) => return Event::Go(*go),
                Op::Compute(calls) => self.note_broken(context, |scope| scope.compute(calls)),
                Op::Set(setting) => self.note_broken(context, |scope| setting.run(scope)),
                Op::Wait(pauses) => {
                    let mut length = Duration::ZERO;
                    for pause in pauses {
                        length += self.length(pause, context);
                    }
                    let began = Instant::now();
                    let goes_on = match &self.seat {
                        Some(seat) => seat.sleep_until(began + length, is_stopped).await,
                        None => {
                            tokio::time::sleep(length).await;
                            true
                        }
                    };
                    context.slept += began.elapsed();
                    if !goes_on {
                        return Event::Go(Go::EndUser);
                    }
                }
                Op::Again { counter, head } => {
                    walk.passes[*counter][0] += 1;
                    walk.at = *head;
                    if self.seat.as_ref().is_some_and(|seat| seat.is_over(is_stopped)) {
                        return Event::Go(Go::EndUser);
                    }
                    tokio::task::yield_now().await;
                }
                Op::Once { number, end, .. } => {
                    if !walk.once.insert(*number) {
                        walk.at = *end;
                    }
                }
                Op::Limit { number, limit, each_user, end } => {
                    if !self.lets_through(*number, limit, *each_user) {
                        walk.at = *end;
                    }
                }
                Op::Choose { number, choose, places } => {
                    let next = walk.chosen_place(*number, *choose, places, &mut context.random);
                    walk.at = next.unwrap_or(walk.at);
                }
                Op::Shuffle { number, places, end } => {
                    let next = walk.shuffled_place(*number, places, &mut context.random);
                    walk.at = next.unwrap_or(*end);
                }
                Op::Each { counter, after } => walk.passes[*counter] = [*after, 0],
                Op::Value { counter, each, end } => {
                    if !self.takes(each, walk.passes[*counter][0] + 1, context) {
                        walk.at = *end;
                    }
                }
                decision => self.decide(decision, walk),
            }
        }
    }

    /// A number of a step. The next step fails where it is none.
    fn number(&mut self, template: &Template, kind: NumberKind, what: &str) -> Option<f64> {
        let words_are_0 = self.program.words_are_0;
        let found = template.text(&self.values).and_then(|text| {
            kind.read(&text)
                .or_else(|| words_are_0.then(|| kind.in_jmeter(&text)))
                .ok_or_else(|| Failed::check(format!("{what}: {}", kind.refusal(&text))))
        });
        found.map_err(|failed| self.broken = Some(failed)).ok()
    }

    /// Loops and conditions.
    fn decide(&mut self, op: &Op, walk: &mut Walk) {
        match op {
            Op::Loop { counter, times, once } => {
                for number in once {
                    walk.once.remove(number);
                }
                let text = times.as_ref().map(|times| times.text(&self.values).unwrap_or_default());
                let is_forever = text.is_none_or(|text| text.trim() == "forever");
                let times = times.as_ref().filter(|_| !is_forever);
                let times = times.map(|times| self.number(times, NumberKind::Loops, "loop"));
                walk.passes[*counter] = match times {
                    None => [0, u64::MAX],
                    Some(Some(-1.0)) => [0, u64::MAX],
                    Some(Some(times)) => [0, times as u64],
                    // The first step in it fails.
                    Some(None) => [0, 1],
                };
            }
            Op::Pass { counter, end } => {
                let [done, times] = walk.passes[*counter];
                if done >= times {
                    walk.at = *end;
                }
            }
            Op::Mark(counter) => {
                walk.marked.insert(*counter);
            }
            Op::Recheck { counter, head } if walk.marked.remove(counter) => walk.at = *head,
            Op::Lasts { counter, seconds } => {
                walk.passes[*counter] = [0, 0];
                let seconds = self.number(seconds, NumberKind::Amount, "for_seconds");
                let length = |seconds: f64| Duration::from_secs_f64(seconds.min(LONGEST_MS / 1e3));
                let until = seconds.map(|seconds| Instant::now() + length(seconds));
                walk.until.insert(*counter, until);
            }
            Op::InTime { counter, end } => {
                let is_over = match walk.until.get(counter) {
                    Some(Some(until)) => Instant::now() >= *until,
                    Some(None) => walk.passes[*counter][0] > 0,
                    None => true,
                };
                if is_over {
                    walk.at = *end;
                }
            }
            Op::Unless(condition, _) if condition.holds(&self.values) => {}
            Op::Unless(_, to) | Op::Jump(to) => walk.at = *to,
            _ => {}
        }
    }

    /// Takes the next value of a loop over values; whether there is one.
    fn takes(&mut self, each: &Each, number: u64, context: &mut TransactionContext) -> bool {
        if each.to.is_some_and(|to| number > to) {
            self.scope(context).rewind(each, number);
            return false;
        }
        let name = format!("{}{}{number}", each.of, each.separator);
        let mut scope = self.scope(context);
        let Some(value) = scope.get(&name).cloned() else {
            scope.rewind(each, number);
            return false;
        };
        scope.set(&each.value, value);
        true
    }

    /// Whether a limit lets this pass through, by JMeter's rule of throughput controllers.
    fn lets_through(&mut self, number: usize, limit: &Share, each_user: bool) -> bool {
        let most = match limit {
            Share::Times(times) => self.number(times, NumberKind::Count, "limit.times"),
            Share::Percent(percent) => self.number(percent, NumberKind::Percent, "limit.percent"),
        };
        // The first step in it fails.
        let Some(most) = most else { return true };
        let count = |[executions, passes]: &mut [u64; 2]| {
            let is_due = match limit {
                Share::Times(_) => (*executions as f64) < most,
                Share::Percent(_) => {
                    (100.0 * *executions as f64 + 50.0) / (*passes as f64 + 1.0) < most
                }
            };
            *passes += 1;
            *executions += u64::from(is_due);
            is_due
        };
        match each_user {
            true => count(self.counts.entry(number).or_default()),
            false => self.program.shared.count(number, count),
        }
    }

    /// How long a user waits for its turn, at so many turns a minute: each after the last one of those that keep the pace
    /// together.
    fn turn(&mut self, per_minute: f64, pace: Pace, number: usize) -> Duration {
        let Some(seat) = &self.seat else { return Duration::ZERO };
        let groups = &self.program.groups;
        let running = |group: &Seats| f64::from(group.running.load(Ordering::Relaxed));
        let share = match pace {
            Pace::ShareOfAll => groups.iter().map(running).sum(),
            Pace::ShareOfGroup => running(seat.seats()),
            _ => 1.0_f64,
        };
        if per_minute <= 0.0 {
            return Duration::ZERO;
        }
        let between = Duration::from_secs_f64((60.0 * share.max(1.0) / per_minute).min(86_400.0));
        let now = self.program.began.elapsed();
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let take = |state: &mut [u64; 2]| {
            let is_first = std::mem::replace(&mut state[1], 1) == 0;
            let next = if is_first { micros(now) } else { state[0] + micros(between) };
            state[0] = next.max(micros(now));
            Duration::from_micros(state[0]).saturating_sub(now)
        };
        match pace {
            Pace::All => self.program.shared.count(number, take),
            // A number of its own for each group: those of calls and limits are far below.
            Pace::Group => {
                let group = seat.group;
                self.program.shared.count(number + (group + 1) * GROUP_NUMBERS, take)
            }
            _ => take(self.counts.entry(number).or_default()),
        }
    }

    /// The length of a computed pause.
    fn length(&mut self, pause: &Pause, context: &mut TransactionContext) -> Duration {
        if let Some((pace, number)) = pause.pace {
            let per_minute = self.number(&pause.ms, NumberKind::Amount, "wait.ms");
            return self.turn(per_minute.unwrap_or_default(), pace, number);
        }
        let least = self.number(&pause.ms, NumberKind::Amount, "wait.ms").unwrap_or_default();
        let most = pause.random.as_ref();
        let most = most.and_then(|most| self.number(most, NumberKind::Amount, "wait.random"));
        let most = most.unwrap_or_default();
        let random = &mut context.random;
        let added = match pause.shape {
            _ if most <= 0.0 => 0.0,
            PauseDistribution::Uniform => random.f64() * most,
            // Box and Muller, 1958.
            PauseDistribution::Gaussian => {
                let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
                let added = most * radius * (std::f64::consts::TAU * random.f64()).cos();
                // A length below zero is as long on the other side.
                (least + added).abs() - least
            }
            PauseDistribution::Poisson => poisson(random, most),
        };
        Duration::from_secs_f64((least + added).clamp(0.0, LONGEST_MS) / 1e3)
    }

    /// Lets the next step fail where a value could not be computed.
    fn note_broken(
        &mut self,
        context: &mut TransactionContext,
        compute: impl FnOnce(&mut Scope<'_>) -> Result<(), Failed>,
    ) {
        let computed = compute(&mut self.scope(context));
        if let (Err(failed), None) = (computed, &self.broken) {
            self.broken = Some(failed);
        }
    }

    /// The user's values with what they are read from.
    pub(super) fn scope<'a>(&'a mut self, context: &'a mut TransactionContext) -> Scope<'a> {
        let program = &*self.program;
        let seat = match &self.seat {
            Some(seat) => (seat.number() + 1, program.groups[seat.group].name.as_str()),
            None => (self.user + 1, ""),
        };
        Scope {
            values: &mut self.values,
            named: &mut self.named,
            names: &program.by_name,
            shared: &program.shared,
            folder: &program.folder,
            random: &mut context.random,
            seat,
            last_ok: self.last_ok,
            jmeter: program.words_are_0,
            counts: &mut self.counts,
        }
    }
}

/// A number by Poisson's law; by Gauss where the mean is large.
fn poisson(random: &mut fastrand::Rng, mean: f64) -> f64 {
    if mean > 500.0 {
        let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
        return mean + mean.sqrt() * radius * (std::f64::consts::TAU * random.f64()).cos();
    }
    let limit = (-mean).exp();
    let (mut number, mut product) = (0.0, random.f64());
    while product > limit {
        number += 1.0;
        product *= random.f64();
    }
    number
}
