//! Steps that decide whether and how often others run, as a list of operations with jumps. A user's place in it is a
//! number, so that the engine can take the next measured step from it at any time.

mod condition;
#[cfg(test)]
mod tests;

use super::answered::{Setting, number};
use super::definition::{Choose, Each, Go, Limit, Pace, PauseDistribution, Scalar, Step, Wait};
use super::functions::number::NumberKind;
use super::names::{Names, settable};
use super::pieces::Call;
use super::problem::Problem;
use super::template::Template;
use crate::workload::Block;
pub(super) use condition::Condition;

/// The number of a target that is not known yet.
const OPEN: usize = usize::MAX;
/// How deeply steps may be in each other.
const MOST_NESTED: usize = 64;

/// A list of operations.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) ops: Vec<Op>,
    /// How many loops it has.
    pub(super) loops: usize,
}

/// An operation.
#[derive(Debug)]
pub(super) enum Op {
    /// Computes the calls of the next one.
    Compute(Vec<Call>),
    Wait(Vec<Pause>),
    /// The action of this number.
    Step(usize),
    Set(Setting),
    /// Begins a loop: how often it runs, `None` without an end. What runs once runs in its first pass again.
    Loop {
        counter: usize,
        times: Option<Template>,
        once: Vec<usize>,
    },
    /// Leaves a loop that is done.
    Pass {
        counter: usize,
        end: usize,
    },
    /// The next pass.
    Again {
        counter: usize,
        head: usize,
    },
    Unless(Condition, usize),
    Jump(usize),
    /// Leaves what ran once.
    Once {
        number: usize,
        end: usize,
        again: bool,
    },
    Limit {
        number: usize,
        limit: Share,
        each_user: bool,
        end: usize,
    },
    /// Begins a loop over values.
    Each {
        counter: usize,
        after: u64,
    },
    /// Takes its next value, or leaves it.
    Value {
        counter: usize,
        each: Each,
        end: usize,
    },
    /// Goes to one of several places.
    Choose {
        number: usize,
        choose: Choose,
        places: Vec<usize>,
    },
    /// Goes to one of several places that it has not been at, and on behind them once it has been at all.
    Shuffle {
        number: usize,
        places: Vec<usize>,
        end: usize,
    },
    /// A condition is to be computed once more.
    Mark(usize),
    /// Computes it once more, where that is marked.
    Recheck {
        counter: usize,
        head: usize,
    },
    /// Begins a loop that lasts so many seconds.
    Lasts {
        counter: usize,
        seconds: Template,
    },
    /// Leaves it once they have passed.
    InTime {
        counter: usize,
        end: usize,
    },
    /// Begins what is measured together, of this type.
    Enter(Block),
    Leave,
    Go(Go),
}

/// Which passes a limit lets through.
#[derive(Debug)]
pub(super) enum Share {
    Percent(Template),
    Times(Template),
}

/// A computed pause.
#[derive(Debug)]
pub(super) struct Pause {
    pub(super) ms: Template,
    pub(super) random: Option<Template>,
    pub(super) shape: PauseDistribution,
    /// Who keeps a pace together, and its number among what is counted.
    pub(super) pace: Option<(Pace, usize)>,
}

/// What the compiler of a script does for its flow.
pub(super) trait Leaves {
    /// Compiles a request or a statement, and gives its number.
    fn leaf(&mut self, step: &Step, key: &str) -> Result<usize, Problem>;

    /// The names of values.
    fn names(&mut self) -> &mut Names;

    /// The number of the type with this name; `None` where nothing is measured for itself.
    fn kind(&self, name: &str) -> Option<usize>;
}

/// Compiles steps.
pub(super) fn compile(steps: &[Step], key: &str, leaves: &mut dyn Leaves) -> Result<Flow, Problem> {
    let mut builder = Builder { flow: Flow::default(), leaves, around: Vec::new(), depth: 0 };
    builder.steps(steps, key)?;
    Ok(builder.flow)
}

struct Builder<'a> {
    flow: Flow,
    leaves: &'a mut dyn Leaves,
    /// The loops and measured blocks around the present place.
    around: Vec<Around>,
    depth: usize,
}

/// Where a loop begins.
#[derive(Clone, Copy)]
struct LoopHead {
    counter: usize,
    /// The operation that each pass begins with.
    head: usize,
    /// The one that leaves the loop.
    leave: Option<usize>,
}

enum Around {
    Loop {
        counter: usize,
        head: usize,
        /// The jumps behind it.
        leaving: Vec<usize>,
    },
    Measured,
}

impl Builder<'_> {
    fn steps(&mut self, steps: &[Step], key: &str) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            let message = format!("Steps are nested more than {MOST_NESTED} levels deep.");
            return Err(Problem::new(key, message));
        }
        for (number, step) in steps.iter().enumerate() {
            self.one(step, &format!("{key}[{}]", number + 1))?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn one(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let kinds = step.kinds();
        let is_leaf = step.request.is_some() || step.sql.is_some() || step.http.is_some();
        let sets = !step.set.is_empty() || !step.share.is_empty();
        let parts = usize::from(is_leaf) + usize::from(sets) + kinds.len();
        let has_steps = !step.step.is_empty() || !step.otherwise.is_empty();
        if parts > 1 || parts == 0 && step.wait.is_empty() {
            let message = "A step is one of `request`, `http`, `sql`, `set` with `share`, `wait`, `loop`, `if`, `while`, `for_seconds`, `each`, `once`, `limit`, `choose`, `measure` and `go`.";
            return Err(Problem::new(key, message));
        }
        if has_steps != (!kinds.is_empty() && step.go.is_none()) {
            let message = "`step` has the steps of `loop`, `if`, `while`, `for_seconds`, `each`, `once`, `limit`, `choose` and `measure`.";
            return Err(Problem::new(key, message));
        }
        if !step.otherwise.is_empty() && step.condition.is_none() {
            return Err(Problem::new(format!("{key}.else"), "`else` belongs to `if`."));
        }
        for (word, is_given, owner) in [
            ("pauses", step.pauses, ("measure", step.measure.is_some())),
            ("whole", step.whole, ("measure", step.measure.is_some())),
            ("check_twice", step.check_twice, ("while", step.during.is_some())),
            ("once_again", step.once_again, ("once", step.once)),
        ] {
            let (owner, has_owner) = owner;
            if is_given && !has_owner {
                let message = format!("`{word}` belongs to `{owner}`.");
                return Err(Problem::new(format!("{key}.{word}"), message));
            }
        }
        let of_calls = step.of_calls();
        if !is_leaf && !of_calls.is_empty() {
            let message = format!(
                "This step sends nothing: give `{}` to the requests and statements in it.",
                of_calls.join("`, `")
            );
            return Err(Problem::new(format!("{key}.{}", of_calls[0]), message));
        }
        self.wait(&step.wait, key)?;
        if is_leaf {
            let number = self.leaves.leaf(step, key)?;
            self.computed();
            self.op(Op::Step(number));
            return Ok(());
        }
        if sets {
            let setting = Setting::compile(&step.set, &step.share, self.leaves.names(), key)?;
            self.op(Op::Set(setting));
            return Ok(());
        }
        match kinds.first() {
            Some(kind) => self.control(kind, step, key),
            None => Ok(()),
        }
    }

    fn control(&mut self, kind: &str, step: &Step, key: &str) -> Result<(), Problem> {
        let inside = format!("{key}.step");
        match kind {
            "loop" => self.repeat(step, key),
            "while" => self.during(step, key),
            "for_seconds" => self.lasts(step, key),
            "each" => self.each(step, key),
            "if" => self.choice(step, key),
            "once" => {
                let number = self.leaves.names().another_count();
                let at = self.op(Op::Once { number, end: OPEN, again: step.once_again });
                self.steps(&step.step, &inside)?;
                self.close(at);
                Ok(())
            }
            "limit" => self.limit(step, key),
            "choose" => self.choose(step, &inside),
            "measure" => {
                let name = step.measure.as_deref().unwrap_or_default();
                let Some(kind) = self.leaves.kind(name) else {
                    let message = "`measure` is for groups: a transaction is measured as a whole.";
                    return Err(Problem::new(format!("{key}.measure"), message));
                };
                self.op(Op::Enter(Block { kind, pauses: step.pauses, whole: step.whole }));
                self.around.push(Around::Measured);
                self.steps(&step.step, &inside)?;
                self.around.pop();
                self.op(Op::Leave);
                Ok(())
            }
            _ => {
                let go = step.go.unwrap_or_default();
                if go == Go::On {
                    let message = "`go` is \"next pass\", \"leave loop\", \"next iteration\", \"end user\" or \"end run\": without it the next step follows.";
                    return Err(Problem::new(format!("{key}.go"), message));
                }
                self.go(go);
                Ok(())
            }
        }
    }

    /// Adds an operation; its place.
    fn op(&mut self, op: Op) -> usize {
        self.flow.ops.push(op);
        self.flow.ops.len() - 1
    }

    /// Adds the calls that the last texts made.
    fn computed(&mut self) -> usize {
        let calls = self.leaves.names().take_calls();
        if !calls.is_empty() {
            self.op(Op::Compute(calls));
        }
        self.flow.ops.len()
    }

    /// Lets an operation end where the next one is.
    fn close(&mut self, at: usize) {
        let next = self.flow.ops.len();
        if let Some(
            Op::Pass { end, .. }
            | Op::Unless(_, end)
            | Op::Jump(end)
            | Op::Once { end, .. }
            | Op::Limit { end, .. }
            | Op::InTime { end, .. }
            | Op::Shuffle { end, .. }
            | Op::Value { end, .. },
        ) = self.flow.ops.get_mut(at)
        {
            *end = next;
        }
    }

    fn counter(&mut self) -> usize {
        self.flow.loops += 1;
        self.flow.loops - 1
    }

    fn wait(&mut self, waits: &[Wait], key: &str) -> Result<(), Problem> {
        let mut pauses = Vec::new();
        for wait in waits {
            let names = self.leaves.names();
            let key = format!("{key}.wait");
            let random =
                wait.random.as_ref().map(|random| number(random, NumberKind::Amount, names, &key));
            pauses.push(Pause {
                ms: number(&wait.ms, NumberKind::Amount, names, &key)?,
                random: random.transpose()?,
                shape: wait.shape,
                pace: wait.pace.map(|pace| (pace, names.another_count())),
            });
        }
        if !pauses.is_empty() {
            self.computed();
            self.op(Op::Wait(pauses));
        }
        Ok(())
    }

    /// The passes of a loop.
    fn passes(&mut self, steps: &[Step], key: &str, head: LoopHead) -> Result<(), Problem> {
        let LoopHead { counter, head, leave } = head;
        self.around.push(Around::Loop { counter, head, leaving: Vec::new() });
        self.steps(steps, &format!("{key}.step"))?;
        self.op(Op::Again { counter, head });
        if let Some(Around::Loop { leaving, .. }) = self.around.pop() {
            leave.into_iter().chain(leaving).for_each(|at| self.close(at));
        }
        Ok(())
    }

    fn repeat(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let times = match &step.times {
            Some(Scalar::Text(text)) if text == "forever" => None,
            Some(times) => {
                let key = format!("{key}.loop");
                Some(number(times, NumberKind::Loops, self.leaves.names(), &key)?)
            }
            None => None,
        };
        self.computed();
        let counter = self.counter();
        let begin = self.op(Op::Loop { counter, times, once: Vec::new() });
        let head = self.op(Op::Pass { counter, end: OPEN });
        self.passes(&step.step, key, LoopHead { counter, head, leave: Some(head) })?;
        // Those of a loop inside are of that one.
        let mut inner = 0_usize;
        let mut numbers = Vec::new();
        for op in &self.flow.ops[head..] {
            match op {
                Op::Loop { .. } => inner += 1,
                Op::Again { .. } => inner = inner.saturating_sub(1),
                Op::Once { number, again: true, .. } if inner == 0 => numbers.push(*number),
                _ => {}
            }
        }
        if let Some(Op::Loop { once, .. }) = self.flow.ops.get_mut(begin) {
            *once = numbers;
        }
        Ok(())
    }

    fn during(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let counter = self.counter();
        self.op(Op::Loop { counter, times: None, once: Vec::new() });
        let head = self.flow.ops.len();
        let leave = self.unless(step.during.as_deref(), &format!("{key}.while"))?;
        if !step.check_twice {
            return self.passes(&step.step, key, LoopHead { counter, head, leave: Some(leave) });
        }
        self.op(Op::Recheck { counter, head });
        self.around.push(Around::Loop { counter, head, leaving: Vec::new() });
        self.steps(&step.step, &format!("{key}.step"))?;
        self.op(Op::Mark(counter));
        self.op(Op::Again { counter, head });
        if let Some(Around::Loop { leaving, .. }) = self.around.pop() {
            leaving.into_iter().chain([leave]).for_each(|at| self.close(at));
        }
        Ok(())
    }

    fn lasts(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let Some(seconds) = &step.for_seconds else { return Ok(()) };
        let key_of = format!("{key}.for_seconds");
        let seconds = number(seconds, NumberKind::Amount, self.leaves.names(), &key_of)?;
        self.computed();
        let counter = self.counter();
        self.op(Op::Lasts { counter, seconds });
        let head = self.flow.ops.len();
        self.around.push(Around::Loop { counter, head, leaving: Vec::new() });
        for (number, one) in step.step.iter().enumerate() {
            let at = self.op(Op::InTime { counter, end: OPEN });
            if let Some(Around::Loop { leaving, .. }) = self.around.last_mut() {
                leaving.push(at);
            }
            self.one(one, &format!("{key}.step[{}]", number + 1))?;
        }
        self.op(Op::Again { counter, head });
        if let Some(Around::Loop { leaving, .. }) = self.around.pop() {
            leaving.into_iter().for_each(|at| self.close(at));
        }
        Ok(())
    }

    /// Adds a condition; the operation that jumps where it does not hold.
    fn unless(&mut self, condition: Option<&str>, key: &str) -> Result<usize, Problem> {
        let text = condition.unwrap_or_default();
        let condition = Condition::compile(text, self.leaves.names(), key)?;
        self.computed();
        Ok(self.op(Op::Unless(condition, OPEN)))
    }

    fn each(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let Some(each) = step.each.clone() else { return Ok(()) };
        settable(&each.value, &format!("{key}.each.value"))?;
        self.leaves.names().add(&each.value);
        let counter = self.counter();
        self.op(Op::Each { counter, after: each.after });
        let head = self.op(Op::Value { counter, each, end: OPEN });
        self.passes(&step.step, key, LoopHead { counter, head, leave: Some(head) })
    }

    fn choice(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let at = self.unless(step.condition.as_deref(), &format!("{key}.if"))?;
        self.steps(&step.step, &format!("{key}.step"))?;
        if step.otherwise.is_empty() {
            self.close(at);
            return Ok(());
        }
        let jump = self.op(Op::Jump(OPEN));
        self.close(at);
        self.steps(&step.otherwise, &format!("{key}.else"))?;
        self.close(jump);
        Ok(())
    }

    fn limit(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let Some(Limit { percent, times, each_user }) = step.limit.clone() else { return Ok(()) };
        let key_of = format!("{key}.limit");
        let names = self.leaves.names();
        let limit = match (percent, times) {
            (Some(percent), None) => {
                Share::Percent(number(&percent, NumberKind::Percent, names, &key_of)?)
            }
            (None, Some(times)) => Share::Times(number(&times, NumberKind::Count, names, &key_of)?),
            _ => return Err(Problem::new(key_of, "A limit has either `percent` or `times`.")),
        };
        let number = names.another_count();
        self.computed();
        let at = self.op(Op::Limit { number, limit, each_user, end: OPEN });
        self.steps(&step.step, &format!("{key}.step"))?;
        self.close(at);
        Ok(())
    }

    fn choose(&mut self, step: &Step, key: &str) -> Result<(), Problem> {
        let Some(choose) = step.choose else { return Ok(()) };
        let number = self.leaves.names().another_count();
        let is_all = choose == Choose::AllAtRandom;
        let at = match is_all {
            true => self.op(Op::Shuffle { number, places: Vec::new(), end: OPEN }),
            false => self.op(Op::Choose { number, choose, places: Vec::new() }),
        };
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for (number, one) in step.step.iter().enumerate() {
            starts.push(self.flow.ops.len());
            self.one(one, &format!("{key}[{}]", number + 1))?;
            ends.push(self.op(Op::Jump(if is_all { at } else { OPEN })));
        }
        if is_all {
            self.close(at);
        } else {
            ends.into_iter().for_each(|end| self.close(end));
        }
        if let Some(Op::Choose { places, .. } | Op::Shuffle { places, .. }) =
            self.flow.ops.get_mut(at)
        {
            *places = starts;
        }
        Ok(())
    }

    /// A jump within the innermost loop leaves the measured blocks in it first.
    fn go(&mut self, go: Go) {
        if !matches!(go, Go::NextPass | Go::LeaveLoop) {
            self.op(Op::Go(go));
            return;
        }
        let inner =
            self.around.iter().rev().take_while(|it| matches!(it, Around::Measured)).count();
        let at = self.flow.ops.len() + inner;
        let Some(Around::Loop { counter, head, leaving }) = self.around.iter_mut().nth_back(inner)
        else {
            // Outside of loops, the passes are those of the group.
            let go = if go == Go::NextPass { Go::NextIteration } else { Go::EndUser };
            self.op(Op::Go(go));
            return;
        };
        let op = match go {
            Go::NextPass => Op::Again { counter: *counter, head: *head },
            _ => {
                leaving.push(at);
                Op::Jump(OPEN)
            }
        };
        for _ in 0..inner {
            self.op(Op::Leave);
        }
        self.op(op);
    }
}
