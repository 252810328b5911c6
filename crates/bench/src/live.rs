//! A live view of a run on a terminal, redrawn in place every second.

use std::collections::VecDeque;
use std::fmt::Write as _;

use duet_verdict::result::Second;
use duet_verdict::text::{counted, cut, duration};

use crate::run::{Plan, Rates};
use crate::workload::TransactionType;

/// Bars of rising height, one per second.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The most seconds that are drawn.
const DRAWN: usize = 60;
/// The widest name of a type beside three figures.
const NAME: usize = 48;
/// Moves the cursor up by this many lines and clears the screen from there.
const UP: &str = "\u{1b}[";

/// The content of the view.
#[derive(Debug)]
pub struct Live {
    title: String,
    plan: Plan,
    kinds: Vec<TransactionType>,
    last: VecDeque<u64>,
    completed: Vec<u64>,
    failed: u64,
    /// Lines of the drawing that the terminal shows now.
    drawn: usize,
}

impl Live {
    /// For a run; the title names what is measured.
    pub fn new(title: &str, plan: &Plan, kinds: &[TransactionType]) -> Self {
        Self {
            title: title.into(),
            plan: plan.clone(),
            kinds: kinds.to_vec(),
            last: VecDeque::new(),
            completed: vec![0; kinds.len()],
            failed: 0,
            drawn: 0,
        }
    }

    /// Returns the text that replaces the previous drawing, for a terminal of this width.
    pub fn frame(&mut self, second: &Second, rates: &Rates, width: usize) -> String {
        self.last.push_back(second.completed);
        if self.last.len() > DRAWN {
            self.last.pop_front();
        }
        self.failed += second.failed;
        for (sum, count) in self.completed.iter_mut().zip(&second.by_type) {
            *sum += count;
        }
        let lines = self.lines(second, rates);
        let mut text = self.erased();
        for line in &lines {
            text.extend(line.chars().take(width.max(20)));
            text.push('\n');
        }
        self.drawn = lines.len();
        text
    }

    /// Returns the text that leaves the title alone: what is drawn last are the figures of a second in which the
    /// run ended, and its summary follows.
    pub fn end(&mut self) -> String {
        let erased = self.erased();
        self.drawn = 0;
        format!("{erased}{}\n", self.title)
    }

    /// The text that takes the drawing away.
    fn erased(&self) -> String {
        match self.drawn {
            0 => String::new(),
            lines => format!("{UP}{lines}A{UP}J"),
        }
    }

    fn lines(&self, second: &Second, rates: &Rates) -> Vec<String> {
        let mut lines = vec![
            self.title.clone(),
            self.progress(second),
            String::new(),
            format!(
                "{:>9} transactions/s   {}   {:>7} failed",
                rates.tps,
                self.minute(rates),
                self.failed
            ),
            format!("{:>9} {}", "", self.bars()),
            times("service", &second.service),
        ];
        if self.plan.arrivals(0).is_some() {
            lines.push(times("response", &second.response));
        }
        lines.push(String::new());
        self.types(second, &mut lines);
        let observed = observed(second);
        if !observed.is_empty() {
            lines.push(String::new());
            lines.extend(observed);
        }
        lines
    }

    /// The sum of the last minute, or of all seconds if there were fewer.
    fn minute(&self, rates: &Rates) -> String {
        match self.last.len() {
            DRAWN => format!("{:>9} in the last minute", rates.tpm),
            seconds => format!("{:>9} in {seconds} s", rates.tpm),
        }
    }

    fn progress(&self, second: &Second) -> String {
        let end = self.plan.phases.end().map(|end| end.as_secs_f64().ceil() as u64);
        let so_far = second.at_s + 1;
        if let Some(end) = end.filter(|end| so_far > *end) {
            let bar = "━".repeat(30);
            let over = so_far - end;
            return format!("{bar} {end} of {end} s · drain: waiting for responses, {over} s");
        }
        let share = end.map(|end| so_far as f64 / end.max(1) as f64).unwrap_or(0.0).min(1.0);
        let full = (share * 30.0) as usize;
        let of = end.map_or_else(String::new, |end| format!(" of {end}"));
        let bar = match end {
            Some(_) => format!("{}{}", "━".repeat(full), "╌".repeat(30 - full)),
            None => String::new(),
        };
        format!(
            "{bar} {so_far}{of} s · {} · {}/{}",
            second.phase,
            second.users,
            counted(self.plan.users.into(), "user")
        )
    }

    fn bars(&self) -> String {
        let most = self.last.iter().copied().max().unwrap_or(0).max(1);
        let height = |count: &u64| BARS[(count * 7 / most) as usize];
        self.last.iter().map(height).collect()
    }

    fn types(&self, second: &Second, lines: &mut Vec<String>) {
        lines.push(format!("{:<NAME$} {:>10} {:>8} {:>10}", "", "count", "/s", "mean"));
        for (index, kind) in self.kinds.iter().enumerate().filter(|(_, kind)| kind.weight > 0.0) {
            let at = |list: &[u64]| list.get(index).copied().unwrap_or(0);
            let mean = second.mean_us_by_type.get(index).copied().unwrap_or(0.0);
            lines.push(format!(
                "{:<NAME$} {:>10} {:>8} {:>10}",
                cut(&kind.name, NAME),
                at(&self.completed),
                at(&second.by_type),
                duration(mean)
            ));
        }
    }
}

fn times(name: &str, times: &duet_verdict::result::Percentiles) -> String {
    let mut line = format!("{name:>8}");
    for (column, micros) in [
        ("avg", Some(times.mean_us)),
        ("p50", Some(times.p50_us as f64)),
        ("p95", Some(times.p95_us as f64)),
        ("p99", times.p99_us.map(|micros| micros as f64)),
        ("max", Some(times.max_us as f64)),
    ] {
        // Writing to a string cannot fail.
        let _ = write!(line, "  {column} {:>7}", micros.map_or_else(|| "n/a".into(), duration));
    }
    line
}

/// Observed values: processors, disk, and sessions by wait event.
fn observed(second: &Second) -> Vec<String> {
    let get = |name: &str| second.observed.get(name).copied();
    let mut lines = Vec::new();
    if let (Some(user), Some(system)) = (get("cpu.user"), get("cpu.system")) {
        lines.push(format!(
            "CPU {user:>3.0} % user {system:>3.0} % system  disk {:>5.1} MB/s written  network {:>6.1} Mbit/s",
            get("disk.write_mb").unwrap_or(0.0),
            get("net.mbit").unwrap_or(0.0) + get("net.lo_mbit").unwrap_or(0.0)
        ));
    }
    if let Some(commits) = get("db.commits") {
        let waits: Vec<String> = (second.observed.iter())
            .filter_map(|(name, sessions)| Some((name.strip_prefix("wait.")?, sessions)))
            .filter(|(_, sessions)| **sessions >= 0.05)
            .map(|(class, sessions)| format!("{class} {sessions:.1}"))
            .collect();
        lines.push(format!("database {commits:>7.0} commits/s   sessions: {}", waits.join(", ")));
    }
    lines
}

/// The width of the terminal behind standard output; 100 if it is unknown.
pub fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|width| *width > 0).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::run::Phases;

    #[test]
    fn each_second_takes_the_place_of_the_one_before() {
        let plan = Plan {
            phases: Phases { measure: Some(Duration::from_secs(10)), ..Phases::default() },
            ..Plan::closed(1, 4)
        };
        let mut live =
            Live::new("rest on a service", &plan, &[TransactionType::new("Get item", "GET", 1.0)]);
        let second = Second {
            completed: 7,
            users: 4,
            by_type: vec![7],
            mean_us_by_type: vec![250.0],
            phase: "measure".into(),
            observed: [("db.commits".to_owned(), 7.0), ("wait.Lock".to_owned(), 1.5)].into(),
            ..Second::default()
        };
        let mut rates = Rates::default();
        rates.add(7);
        let first = live.frame(&second, &rates, 200);
        assert!(
            first.contains("━━━╌") && first.contains("1 of 10 s · measure · 4/4 users"),
            "{first}"
        );
        assert!(first.contains("7 in 1 s") && !first.contains("minute"), "{first}");
        let late = Second { at_s: 11, phase: "cool-down".into(), ..second.clone() };
        let over = live.progress(&late);
        assert!(over.ends_with("10 of 10 s · drain: waiting for responses, 2 s"), "{over}");
        assert!(first.contains("Get item") && first.contains("250µs"), "{first}");
        assert!(first.contains("sessions: Lock 1.5"), "{first}");
        let lines = first.lines().count();
        let next = live.frame(&second, &rates, 200);
        assert!(next.starts_with(&format!("\u{1b}[{lines}A\u{1b}[J")), "{next:?}");
        let narrow = live.frame(&second, &rates, 30);
        assert!(narrow.lines().skip(1).all(|line| line.chars().count() <= 30), "{narrow}");
        let drawn = narrow.lines().count();
        assert_eq!(live.end(), format!("\u{1b}[{drawn}A\u{1b}[Jrest on a service\n"));
        assert_eq!(live.end(), "rest on a service\n");
    }
}
