//! Feeders, the sources of values: lists, files, and generators. A transaction keeps the values
//! that it draws from a feeder until its end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use duet_model::Value;
use fastrand::Rng;

use super::definition::{AfterLast, Counter, Feeder, OneOrMore, Pick, Scalar, Sequence, Zipf};
use super::formats::csv;
use super::functions::decimal;
use super::names::{Names, is_name, settable};
use super::problem::Problem;

/// The longest random text.
const LONGEST: u32 = 1_000_000;
/// The kinds of feeders.
const WAYS: &str =
    "`csv`, `list`, `uniform`, `zipf`, `sequence`, `uuid`, `text`, `timestamp` or `counter`";

/// A compiled feeder.
#[derive(Debug)]
pub(super) struct Feed {
    /// Its slots: one, or one for each column.
    pub(super) slots: Vec<usize>,
    /// Whether setup captures its bounds.
    pub(super) is_late: bool,
    source: ValueSource,
}

/// The captures of setup: the names, and the values once it has run.
#[derive(Debug)]
pub(super) struct Captured<'a> {
    pub(super) names: BTreeSet<&'a str>,
    pub(super) values: Option<&'a BTreeMap<String, Scalar>>,
}

impl Captured<'_> {
    /// A numeric bound; `None` while setup has not captured it.
    fn bound(&self, bound: &Scalar, key: &str) -> Result<Option<i64>, Problem> {
        let whole = |scalar: &Scalar| match scalar {
            Scalar::Whole(number) => Some(*number),
            Scalar::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let name = match bound {
            Scalar::Text(text) => text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')),
            _ => None,
        };
        let wrong = || {
            Problem::new(
                key,
                "A bound is a whole number, or `${name}` for one that setup captures.",
            )
        };
        match (bound, name.map(str::trim)) {
            (Scalar::Whole(number), _) => Ok(Some(*number)),
            (_, None) => Err(wrong()),
            (_, Some(name)) if !self.names.contains(name) => {
                let message = format!("No step of `setup` captures `{name}`.");
                Err(Problem::unknown(key, message, name, self.names.iter().copied()))
            }
            (_, Some(name)) => match self.values.map(|values| values.get(name)) {
                None => Ok(None),
                Some(None) => {
                    Err(Problem::new(key, format!("Setup captured no value as `{name}`.")))
                }
                Some(Some(value)) => match whole(value) {
                    Some(number) => Ok(Some(number)),
                    None => {
                        let message = format!(
                            "The value that setup captured as `{name}` is not a whole number."
                        );
                        Err(Problem::new(key, message))
                    }
                },
            },
        }
    }

    /// The values of a list that is one `${name}`; `None` if it is any other list, an empty one while
    /// setup has not captured it.
    fn list(&self, list: &[Scalar], key: &str) -> Result<Option<Vec<Value>>, Problem> {
        let [Scalar::Text(text)] = list else { return Ok(None) };
        let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).map(str::trim);
        let Some(name) = name.filter(|name| self.names.contains(name)) else { return Ok(None) };
        let Some(values) = self.values else { return Ok(Some(Vec::new())) };
        let parsed = match values.get(name) {
            Some(Scalar::Text(text)) => serde_json::from_str::<Vec<Scalar>>(text).ok(),
            _ => None,
        };
        match parsed.filter(|values| !values.is_empty()) {
            Some(values) => Ok(Some(values.iter().map(plain).collect())),
            None => {
                let message = format!("Setup captured no list of values as `{name}`: use `each`.");
                Err(Problem::new(key, message))
            }
        }
    }

    /// Both bounds, and whether one comes from setup. Until setup has captured it, both are 0.
    fn bounds(&self, [from, to]: [&Scalar; 2], key: &str) -> Result<([i64; 2], bool), Problem> {
        let is_late = [from, to].iter().any(|bound| !matches!(bound, Scalar::Whole(_)));
        Ok(match (self.bound(from, key)?, self.bound(to, key)?) {
            (Some(from), Some(to)) => ([from, to], is_late),
            _ => ([0, 0], is_late),
        })
    }
}

#[derive(Debug)]
enum ValueSource {
    /// Rows of values, and the position of the next one if they come in order.
    Rows {
        rows: Vec<Vec<Value>>,
        next: Option<UniqueNumbers>,
    },
    Uniform(i64, i64),
    Zipf {
        from: i64,
        ranks: Ranks,
    },
    Sequence {
        start: i64,
        step: i64,
        turns: UniqueNumbers,
    },
    /// Rows of a file that are read in order.
    Read(Reading),
    /// Numbers that count.
    Count {
        counter: Counter,
        counts: Counts,
    },
    Uuid,
    Text(u32, u32),
    Now,
    Between(Duration, Duration),
}

/// How far the users are: all together, or each alone.
#[derive(Debug)]
enum Counts {
    Together(AtomicU64),
    Alone(Vec<AtomicU64>),
}

impl Counts {
    fn new(alone: bool, users: u32) -> Self {
        match alone {
            true => Self::Alone((0..users.max(1)).map(|_| AtomicU64::new(0)).collect()),
            false => Self::Together(AtomicU64::new(0)),
        }
    }

    fn next(&self, user: u32) -> u64 {
        match self {
            Self::Together(count) => count.fetch_add(1, Ordering::Relaxed),
            Self::Alone(counts) => {
                counts.get(user as usize).map_or(0, |count| count.fetch_add(1, Ordering::Relaxed))
            }
        }
    }
}

/// A file whose rows are read in order.
#[derive(Debug)]
struct Reading {
    rows: Vec<Vec<Value>>,
    end: AfterLast,
    counts: Counts,
    /// Whether an empty row is the end of the file, and a short one leaves values as they are.
    jmeter: bool,
}

impl Reading {
    /// Takes the next row; whether there is one.
    fn next(&self, user: u32, slots: &[usize], values: &mut [Value]) -> bool {
        let at = self.counts.next(user);
        let at = match (usize::try_from(at).unwrap_or(usize::MAX), self.end) {
            (at, AfterLast::Again) => at % self.rows.len().max(1),
            (at, _) => at,
        };
        let row = self.rows.get(at);
        let ends = self.jmeter && row.is_some_and(Vec::is_empty);
        match (row.filter(|_| !ends), self.end) {
            (Some(row), _) if self.jmeter => {
                slots.iter().zip(row).for_each(|(slot, value)| values[*slot].clone_from(value));
                true
            }
            (Some(row), _) => {
                for (place, slot) in slots.iter().enumerate() {
                    values[*slot] = row.get(place).cloned().unwrap_or(Value::Text(String::new()));
                }
                true
            }
            (None, AfterLast::Mark | AfterLast::Again) => {
                slots.iter().for_each(|slot| values[*slot] = Value::Text("<EOF>".into()));
                true
            }
            (None, _) => false,
        }
    }
}

/// Unique numbers: each user counts alone, in steps of the number of users.
#[derive(Debug)]
struct UniqueNumbers {
    users: u64,
    /// The count of each user; it survives a reconnect.
    taken: Vec<AtomicU64>,
}

impl UniqueNumbers {
    fn new(users: u32) -> Self {
        let users = users.max(1);
        Self { users: users.into(), taken: (0..users).map(|_| AtomicU64::new(0)).collect() }
    }

    fn next(&self, user: u32) -> u64 {
        let taken = self.taken.get(user as usize);
        let taken = taken.map_or(0, |taken| taken.fetch_add(1, Ordering::Relaxed));
        taken * self.users + u64::from(user)
    }
}

impl Feed {
    /// Compiles a feeder, and names its values.
    pub(super) fn new(
        name: &str,
        feeder: &Feeder,
        folder: &Path,
        users: u32,
        captured: &Captured<'_>,
        names: &mut Names,
    ) -> Result<Self, Problem> {
        let key = format!("feeders.{name}");
        let is_taken = names.has(name) && feeder.counter.is_none() && feeder.layout.is_none();
        if !is_name(name) || is_taken || name == "env" {
            let message = "A name consists of letters, digits, `_` and `-`, begins with a letter, and is not `user` or `env`.";
            return Err(Problem::new(key, message));
        }
        let (source, columns, is_late) = source(feeder, folder, users, captured, &key)?;
        let is_list = matches!(source, ValueSource::Rows { .. } | ValueSource::Read(_));
        if feeder.pick.is_some() && !is_list {
            return Err(Problem::new(format!("{key}.pick"), "`pick` is for `csv` and `list`."));
        }
        let is_plain = feeder.layout.is_some() || feeder.counter.is_some();
        let slots = match columns.is_empty() {
            true => vec![names.add(name)],
            false if is_plain => {
                for column in &columns {
                    settable(column, &key)?;
                }
                columns.iter().map(|column| names.add(column)).collect()
            }
            false => columns.iter().map(|column| names.add(&format!("{name}.{column}"))).collect(),
        };
        Ok(Self { slots, is_late, source })
    }

    /// Draws new values into its slots; `false` if there are none left and the user ends.
    pub(super) fn draw(&self, user: u32, random: &mut Rng, values: &mut [Value]) -> bool {
        let value = match &self.source {
            ValueSource::Rows { rows, next } => {
                let row = match next {
                    None => random.usize(..rows.len()),
                    Some(turns) => (turns.next(user) % rows.len() as u64) as usize,
                };
                for (slot, value) in self.slots.iter().zip(&rows[row]) {
                    values[*slot].clone_from(value);
                }
                return true;
            }
            ValueSource::Read(reading) => return reading.next(user, &self.slots, values),
            ValueSource::Count { counter, counts } => {
                let count = i64::try_from(counts.next(user)).unwrap_or(i64::MAX);
                let number = counted(counter, count);
                match &counter.format {
                    Some(format) => Value::Text(decimal::written(format, number)),
                    None => Value::Int(number),
                }
            }
            ValueSource::Uniform(from, to) => Value::Int(random.i64(from..=to)),
            ValueSource::Zipf { from, ranks } => {
                Value::Int(from.saturating_add_unsigned(ranks.draw(random)))
            }
            ValueSource::Sequence { start, step, turns } => {
                // Behind the last number of its type there is none.
                let number = i64::try_from(turns.next(user)).ok();
                let number = number.and_then(|number| number.checked_mul(*step));
                match number.and_then(|number| start.checked_add(number)) {
                    Some(number) => Value::Int(number),
                    None => return false,
                }
            }
            ValueSource::Uuid => Value::Text(uuid(random)),
            ValueSource::Text(from, to) => {
                let length = random.u32(from..=to);
                Value::Text((0..length).map(|_| random.lowercase()).collect())
            }
            ValueSource::Now => Value::Text(moment(SystemTime::now())),
            ValueSource::Between(from, to) => {
                let seconds = random.u64(from.as_secs()..=to.as_secs());
                Value::Text(moment(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))
            }
        };
        values[self.slots[0]] = value;
        true
    }
}

/// The number of a counter after so many: behind the last comes the first.
fn counted(counter: &Counter, count: i64) -> i64 {
    let Counter { start, step, end, .. } = counter;
    let count = match end {
        Some(end) if *step != 0 => {
            let passes = (i128::from(*end) - i128::from(*start)) / i128::from(*step) + 1;
            i128::from(count).rem_euclid(passes.max(1)) as i64
        }
        _ => count,
    };
    start.wrapping_add(step.wrapping_mul(count))
}

/// The source, the names of its columns if it has several, and whether setup captures its bounds.
fn source(
    feeder: &Feeder,
    folder: &Path,
    users: u32,
    captured: &Captured<'_>,
    key: &str,
) -> Result<(ValueSource, Vec<String>, bool), Problem> {
    let Feeder { csv, list, uniform, zipf, sequence, uuid, text, timestamp, counter, pick, .. } =
        feeder;
    let given = [
        csv.is_some(),
        list.is_some(),
        uniform.is_some(),
        zipf.is_some(),
        sequence.is_some(),
        *uuid == Some(true),
        text.is_some(),
        timestamp.is_some(),
        counter.is_some(),
    ];
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        return Err(Problem::new(key, format!("A feeder has exactly one of {WAYS}.")));
    }
    let next = (*pick == Some(Pick::InTurn)).then(|| UniqueNumbers::new(users));
    if let Some(found) = counted_source(feeder, folder, users, key)? {
        return Ok(found);
    }
    if let Some(file) = csv {
        let (columns, rows) = csv::read(&folder.join(file), &format!("{key}.csv"))?;
        return Ok((ValueSource::Rows { rows, next }, columns, false));
    }
    let mut is_late = false;
    let source = if let Some(list) = list {
        if list.is_empty() {
            return Err(Problem::new(format!("{key}.list"), "The list is empty."));
        }
        let rows = match captured.list(list, &format!("{key}.list"))? {
            None => literals(list, &format!("{key}.list"), captured)?,
            Some(values) => {
                is_late = true;
                let values = if values.is_empty() { vec![Value::Null] } else { values };
                values.into_iter().map(|value| vec![value]).collect()
            }
        };
        ValueSource::Rows { rows, next }
    } else if let Some([from, to]) = uniform {
        let key = format!("{key}.uniform");
        let ([from, to], late) = captured.bounds([from, to], &key)?;
        ordered(from <= to, &key)?;
        is_late = late;
        ValueSource::Uniform(from, to)
    } else if let Some(Zipf { from, to, theta }) = zipf {
        let key = format!("{key}.zipf");
        let (bounds, late) = captured.bounds([from, to], &key)?;
        is_late = late;
        ValueSource::Zipf { from: bounds[0], ranks: Ranks::new(bounds, *theta, &key)? }
    } else if let Some(Sequence { start, step }) = sequence {
        moving(*step, &format!("{key}.sequence.step"))?;
        ValueSource::Sequence { start: *start, step: *step, turns: UniqueNumbers::new(users) }
    } else if let Some([from, to]) = text {
        ordered(from <= to && *to <= LONGEST, &format!("{key}.text"))?;
        ValueSource::Text(*from, *to)
    } else if let Some(moments) = timestamp {
        moments_of(moments, &format!("{key}.timestamp"))?
    } else {
        ValueSource::Uuid
    };
    Ok((source, Vec::new(), is_late))
}

/// The source of a counter, or of a file of another form or order; `None` if it is another.
fn counted_source(
    feeder: &Feeder,
    folder: &Path,
    users: u32,
    key: &str,
) -> Result<Option<(ValueSource, Vec<String>, bool)>, Problem> {
    let Feeder { csv, counter, pick, .. } = feeder;
    let in_order = matches!(pick, Some(Pick::InOrder | Pick::EachInOrder));
    if in_order && csv.is_none() {
        return Err(Problem::new(format!("{key}.pick"), "Files are read in order, by `csv`."));
    }
    if (feeder.end.is_some() && !in_order) || (feeder.layout.is_some() && csv.is_none()) {
        let message = "`end` belongs to files that are read in order, and `layout` to `csv`.";
        return Err(Problem::new(key, message));
    }
    if let Some(counter) = counter {
        let Counter { start, step, end, .. } = counter;
        let is_behind = |end: &i64| *step > 0 && end < start || *step < 0 && end > start;
        if end.as_ref().is_some_and(is_behind) {
            let message = "`end` is not on the way of `step` from `start`.";
            return Err(Problem::new(format!("{key}.counter"), message));
        }
        let counts = Counts::new(counter.each_user, users);
        let columns = counter.value.iter().cloned().collect();
        return Ok(Some((ValueSource::Count { counter: counter.clone(), counts }, columns, false)));
    }
    let Some(file) = csv.as_ref().filter(|_| in_order || feeder.layout.is_some()) else {
        return Ok(None);
    };
    let key = format!("{key}.csv");
    let path = folder.join(file);
    let (columns, rows) = match &feeder.layout {
        Some(layout) => csv::plain(&path, layout, &key)?,
        None => csv::read(&path, &key)?,
    };
    let source = if in_order {
        let counts = Counts::new(*pick == Some(Pick::EachInOrder), users);
        let jmeter = feeder.layout.as_ref().is_some_and(|layout| layout.jmeter);
        ValueSource::Read(Reading { rows, end: feeder.end.unwrap_or_default(), counts, jmeter })
    } else {
        let next = (*pick == Some(Pick::InTurn)).then(|| UniqueNumbers::new(users));
        ValueSource::Rows { rows, next }
    };
    Ok(Some((source, columns, false)))
}

/// The values of a list, a row for each.
fn literals(
    list: &[Scalar],
    key: &str,
    captured: &Captured<'_>,
) -> Result<Vec<Vec<Value>>, Problem> {
    let known: Vec<&str> = captured.names.iter().copied().collect();
    list.iter().map(|value| Ok(vec![literal(value, key, &known)?])).collect()
}

fn moving(step: i64, key: &str) -> Result<(), Problem> {
    match step {
        0 => Err(Problem::new(key, "A step of 0 gives every transaction the same number.")),
        _ => Ok(()),
    }
}

fn ordered(holds: bool, key: &str) -> Result<(), Problem> {
    match holds {
        true => Ok(()),
        false => Err(Problem::new(
            key,
            "Give the minimum and the maximum, in this order; texts have up to 1000000 letters.",
        )),
    }
}

/// A value in which nothing is filled in: a placeholder is refused, and `$${` is `${`.
pub(super) fn literal(value: &Scalar, key: &str, known: &[&str]) -> Result<Value, Problem> {
    let Scalar::Text(text) = value else { return Ok(plain(value)) };
    let is_placeholder = |(at, _): &(usize, &str)| !text[..*at].ends_with('$');
    if let Some((at, _)) = text.match_indices("${").find(is_placeholder) {
        let name = text[at + 2..].split('}').next().unwrap_or_default();
        let message = format!(
            "`${{{name}}}` is not filled in here, except as the only text of a list, for values that setup captures; `$${{` writes it as it is."
        );
        return Err(match known {
            [] => Problem::new(key, message),
            known => Problem::unknown(key, message, name, known.iter().copied()),
        });
    }
    Ok(Value::Text(text.replace("$${", "${")))
}

/// A value without placeholders.
pub(super) fn plain(value: &Scalar) -> Value {
    match value {
        Scalar::Truth(truth) => Value::Bool(*truth),
        Scalar::Whole(number) => Value::Int(*number),
        Scalar::Number(number) => Value::Float(*number),
        Scalar::Text(text) => Value::Text(text.clone()),
    }
}

fn moments_of(moments: &OneOrMore<String>, key: &str) -> Result<ValueSource, Problem> {
    let wrong = || {
        Problem::new(
            key,
            "Give `\"now\"`, or two moments from 1970 on such as [\"2024-01-01T00:00:00Z\", \"2025-01-01T00:00:00Z\"].",
        )
    };
    let read = |text: &String| {
        let moment = humantime::parse_rfc3339_weak(text).ok()?;
        moment.duration_since(SystemTime::UNIX_EPOCH).ok()
    };
    match moments.0.as_slice() {
        [now] if now == "now" => Ok(ValueSource::Now),
        [from, to] => match (read(from), read(to)) {
            (Some(from), Some(to)) if from <= to => Ok(ValueSource::Between(from, to)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

fn moment(moment: SystemTime) -> String {
    humantime::format_rfc3339_millis(moment).to_string()
}

/// A UUID of version 7 (RFC 9562 §5.7): its timestamp makes it unique across runs.
fn uuid(random: &mut Rng) -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let bits = (since.as_millis() << 80) | (random.u128(..) & ((1 << 80) - 1));
    let bits = (bits & !(0xF << 76) & !(0b11 << 62)) | (7 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

/// Ranks from 0 by Zipf's law, for any exponent from 0, without a table (W. Hörmann and G.
/// Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions",
/// 1996).
#[derive(Clone, Copy, Debug)]
struct Ranks {
    count: f64,
    theta: f64,
    /// The integral of the density up to the half before the first rank and after the last one.
    bounds: (f64, f64),
    /// Ranks this close to their position are accepted without a further test.
    near: f64,
}

impl Ranks {
    fn new([from, to]: [i64; 2], theta: f64, key: &str) -> Result<Self, Problem> {
        let count = to.checked_sub(from).and_then(|range| range.checked_add(1));
        let count = count.filter(|count| *count > 0);
        let Some(count) = count.filter(|_| (0.0..=20.0).contains(&theta)) else {
            let message =
                "`from` must not be above `to`, and `theta` lies from 0 to 20; 0.99 is usual.";
            return Err(Problem::new(key, message));
        };
        let count = count as f64;
        let mut ranks = Self { count, theta, bounds: (0.0, 0.0), near: 0.0 };
        ranks.bounds = (ranks.integral(1.5) - 1.0, ranks.integral(count + 0.5));
        ranks.near = 2.0 - ranks.inverse(ranks.integral(2.5) - 2_f64.powf(-theta));
        Ok(ranks)
    }

    fn draw(&self, random: &mut Rng) -> u64 {
        loop {
            let area = self.bounds.1 + random.f64() * (self.bounds.0 - self.bounds.1);
            let place = self.inverse(area);
            let rank = place.round().clamp(1.0, self.count);
            let fits = rank - place <= self.near
                || area >= self.integral(rank + 0.5) - rank.powf(-self.theta);
            if fits {
                return rank as u64 - 1;
            }
        }
    }

    /// The integral of x^-theta.
    fn integral(&self, x: f64) -> f64 {
        let power = 1.0 - self.theta;
        if power.abs() < 1e-9 { x.ln() } else { (x.powf(power) - 1.0) / power }
    }

    fn inverse(&self, area: f64) -> f64 {
        let power = 1.0 - self.theta;
        if power.abs() < 1e-9 {
            area.exp()
        } else {
            (1.0 + area * power).max(0.0).powf(1.0 / power)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(feeder: &Feeder, users: u32) -> Result<Feed, Problem> {
        let captured = Captured { names: [].into(), values: None };
        Feed::new("a", feeder, Path::new("."), users, &captured, &mut Names::default())
    }

    fn draws(feeder: &Feeder, count: usize) -> Vec<Value> {
        let feed = feed(feeder, 2).unwrap();
        let mut random = Rng::with_seed(7);
        let mut values = vec![Value::Null];
        (0..count)
            .map(|number| {
                feed.draw((number % 2) as u32, &mut random, &mut values);
                values[0].clone()
            })
            .collect()
    }

    #[test]
    fn ranks_follow_the_law() {
        for theta in [0.0, 0.6, 1.0, 1.7] {
            let zipf = Some(Zipf { from: Scalar::Whole(10), to: Scalar::Whole(14), theta });
            let drawn = draws(&Feeder { zipf, ..Feeder::default() }, 100_000);
            let all: f64 = (1..=5).map(|rank| f64::from(rank).powf(-theta)).sum();
            for rank in 1..=5 {
                let count = drawn.iter().filter(|value| **value == Value::Int(9 + rank)).count();
                let expected = 100_000.0 * (rank as f64).powf(-theta) / all;
                assert!(
                    (count as f64 - expected).abs() < 900.0,
                    "{theta} {rank}: {count} {expected}"
                );
            }
        }
    }

    #[test]
    fn numbers_of_a_sequence_are_never_shared() {
        let sequence = Some(Sequence { start: 100, step: 10 });
        let mut drawn = draws(&Feeder { sequence, ..Feeder::default() }, 6);
        drawn.sort_by_key(|value| format!("{value:?}"));
        let expected: Vec<Value> = (10..16).map(|number| Value::Int(number * 10)).collect();
        assert_eq!(drawn, expected);
        let list = Some(["x", "y", "z"].map(|text| Scalar::Text(text.into())).to_vec());
        let in_turn = Feeder { list, pick: Some(Pick::InTurn), ..Feeder::default() };
        let texts: Vec<String> = draws(&in_turn, 6).iter().map(ToString::to_string).collect();
        assert_eq!(texts.concat(), "xyzxyz");
    }

    #[test]
    fn generated_texts() {
        let uuids = draws(&Feeder { uuid: Some(true), ..Feeder::default() }, 2);
        let text = uuids[0].to_string();
        assert!(
            text.len() == 36 && &text[14..15] == "7" && "89ab".contains(&text[19..20]),
            "{text}"
        );
        assert_ne!(uuids[0], uuids[1]);
        let text = draws(&Feeder { text: Some([3, 3]), ..Feeder::default() }, 1)[0].to_string();
        assert!(text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_lowercase()));
        let moments = ["2024-02-01 00:00:00", "2024-02-02 00:00:00"].map(str::to_owned).to_vec();
        let between = Feeder { timestamp: Some(OneOrMore(moments)), ..Feeder::default() };
        let text = draws(&between, 1)[0].to_string();
        assert!(text.starts_with("2024-02-0") && text.ends_with(".000Z"), "{text}");
    }

    #[test]
    fn bounds_that_setup_captures() {
        let uniform = Some([Scalar::Whole(1), Scalar::Text("${keys}".into())]);
        let feeder = Feeder { uniform, ..Feeder::default() };
        let made = |values: Option<&[(&str, Scalar)]>| {
            let owned = |(name, value): &(&str, Scalar)| ((*name).to_owned(), value.clone());
            let values = values.map(|values| values.iter().map(owned).collect());
            let captured = Captured { names: ["keys", "other"].into(), values: values.as_ref() };
            Feed::new("a", &feeder, Path::new("."), 1, &captured, &mut Names::default())
        };
        let source = |feed: Feed| format!("{:?} {}", feed.source, feed.is_late);
        assert_eq!(made(None).map(source).unwrap(), "Uniform(0, 0) true");
        let text = Scalar::Text("70".into());
        for value in [Scalar::Whole(70), text] {
            assert_eq!(made(Some(&[("keys", value)])).map(source).unwrap(), "Uniform(1, 70) true");
        }
        for (values, words) in [
            ([("keys", Scalar::Whole(0))], "minimum"),
            ([("keys", Scalar::Text("many".into()))], "not a whole number"),
            ([("other", Scalar::Whole(1))], "captured no value as `keys`"),
        ] {
            let message = made(Some(&values)).unwrap_err().message;
            assert!(message.contains(words), "{message}");
        }
        let wrong = |bound: Scalar| {
            let uniform = Some([Scalar::Whole(1), bound]);
            feed(&Feeder { uniform, ..Feeder::default() }, 1).unwrap_err().message
        };
        assert!(wrong(Scalar::Text("${keys}".into())).contains("No step of `setup` captures"));
        assert!(wrong(Scalar::Text("7".into())).contains("A bound is a whole number"));
    }

    #[test]
    fn lists_that_setup_captures() {
        let list = Some(vec![Scalar::Text("${keys}".into())]);
        let feeder = Feeder { list, ..Feeder::default() };
        let made = |text: Option<&str>| {
            let values =
                text.map(|text| BTreeMap::from([("keys".into(), Scalar::Text(text.into()))]));
            let captured = Captured { names: ["keys"].into(), values: values.as_ref() };
            Feed::new("a", &feeder, Path::new("."), 1, &captured, &mut Names::default())
        };
        let late = made(None).unwrap();
        assert!(late.is_late);
        let feed = made(Some(r#"[7,"b"]"#)).unwrap();
        let text = format!("{:?}", feed.source);
        assert!(text.contains("Int(7)") && text.contains("Text(\"b\")"), "{text}");
        for text in ["[]", "7", "[[1]]"] {
            let message = made(Some(text)).unwrap_err().message;
            assert!(message.contains("no list of values as `keys`"), "{message}");
        }
    }

    #[test]
    fn wrong_feeders() {
        let none = Feeder::default();
        for (feeder, words) in [
            (none.clone(), "exactly one of"),
            (Feeder { uuid: Some(true), text: Some([1, 2]), ..none.clone() }, "exactly one of"),
            (Feeder { uniform: Some([2, 1].map(Scalar::Whole)), ..none.clone() }, "minimum"),
            (Feeder { list: Some(Vec::new()), ..none.clone() }, "empty"),
            (
                Feeder { uuid: Some(true), pick: Some(Pick::InTurn), ..none.clone() },
                "`pick` is for",
            ),
            (
                Feeder {
                    zipf: Some(Zipf {
                        from: Scalar::Whole(i64::MIN),
                        to: Scalar::Whole(i64::MAX),
                        theta: 1.0,
                    }),
                    ..none.clone()
                },
                "theta",
            ),
            (
                Feeder {
                    zipf: Some(Zipf {
                        from: Scalar::Whole(1),
                        to: Scalar::Whole(2),
                        theta: f64::NAN,
                    }),
                    ..none.clone()
                },
                "theta",
            ),
            (Feeder { timestamp: Some(OneOrMore(vec!["soon".into()])), ..none.clone() }, "now"),
            (Feeder { csv: Some("absent.csv".into()), ..none }, "cannot be read"),
        ] {
            let problem = feed(&feeder, 1).unwrap_err();
            assert!(problem.message.contains(words), "{problem}");
        }
    }
}
