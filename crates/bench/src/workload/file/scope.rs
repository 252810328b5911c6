//! A user's values while it runs its steps: those with a slot, those whose names are computed, and what calls give.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use duet_client::confinement;
use duet_model::Value;
use fastrand::Rng;

use super::definition::Each;
use super::functions::decimal;
use super::functions::expression::{self, Number};
use super::functions::moment::{Pattern, period};
use super::functions::{Function, call, closing, divided};
use super::names::unset;
use super::pieces::Call;
use super::shared::SharedValues;
use crate::workload::Failed;

/// The longest random text.
const LONGEST: usize = 1 << 20;

/// What a user's values are read from and written to.
pub(super) struct Scope<'a> {
    pub(super) values: &'a mut [Value],
    /// Values without a slot.
    pub(super) named: &'a mut BTreeMap<String, Value>,
    /// The slots by name.
    pub(super) names: &'a BTreeMap<String, usize>,
    pub(super) shared: &'a SharedValues,
    pub(super) folder: &'a Path,
    pub(super) random: &'a mut Rng,
    /// The user's number in its group, from 1, and the group's name.
    pub(super) seat: (u32, &'a str),
    pub(super) last_ok: bool,
    /// Whether calls without a value have that of JMeter, instead of failing.
    pub(super) jmeter: bool,
    /// The user's own counts.
    pub(super) counts: &'a mut BTreeMap<usize, [u64; 2]>,
}

impl Scope<'_> {
    /// A value by its name; `None` where it is not set.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        match self.names.get(name) {
            Some(slot) => match &self.values[*slot] {
                Value::Null => None,
                Value::Text(text) if *text == unset(name) => None,
                value => Some(value),
            },
            None => self.named.get(name),
        }
    }

    /// Sets a value by its name.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        match self.names.get(name) {
            Some(slot) => self.values[*slot] = value,
            None => drop(self.named.insert(name.to_owned(), value)),
        }
    }

    /// Forgets a value by its name.
    pub(super) fn unset(&mut self, name: &str) {
        match self.names.get(name) {
            Some(slot) => self.values[*slot] = Value::Text(unset(name)),
            None => drop(self.named.remove(name)),
        }
    }

    /// Gives the name of a loop over values the first one again, behind the last.
    pub(super) fn rewind(&mut self, each: &Each, number: u64) {
        if !each.rewind || number <= each.after + 1 {
            return;
        }
        let first = format!("{}{}{}", each.of, each.separator, each.after + 1);
        if let Some(first) = self.get(&first).cloned() {
            self.set(&each.value, first);
        }
    }

    /// Computes calls, in their order. One without a value leaves its place empty.
    ///
    /// # Errors
    /// The first that has no value.
    pub(super) fn compute(&mut self, calls: &[Call]) -> Result<(), Failed> {
        let mut first = Ok(());
        for one in calls {
            let given: Vec<String> = one
                .arguments
                .iter()
                .map(|argument| argument.text(self.values).unwrap_or_default())
                .collect();
            if one.function == Function::Compute {
                // Commas divide arguments of functions, and those within the expression.
                let number = expression::computed(&given.join(","), self.random);
                self.values[one.slot] = match number {
                    Number::Null => Value::Null,
                    Number::Truth(truth) => Value::Bool(truth),
                    Number::Whole(number) => Value::Int(number),
                    Number::Fraction(number) => Value::Float(number),
                };
                continue;
            }
            let text = self.call(one.function, &given, one.number).unwrap_or_else(|failed| {
                if first.is_ok() {
                    first = Err(failed);
                }
                String::new()
            });
            if let Some(name) = &one.keeps {
                self.set(name, Value::Text(text.clone()));
            }
            self.values[one.slot] = Value::Text(text);
        }
        first
    }

    fn call(
        &mut self,
        function: Function,
        given: &[String],
        number: usize,
    ) -> Result<String, Failed> {
        let argument = |at: usize| given.get(at).map_or("", |text| text.trim());
        Ok(match function {
            Function::Shared => self.shared_value(given)?,
            Function::Random => {
                let [low, high] = [self.whole(argument(0))?, self.whole(argument(1))?];
                if low > high {
                    return Err(Failed::check(format!("random: {low} is more than {high}")));
                }
                self.random.i64(low..=high).to_string()
            }
            Function::RandomText => {
                let of: Vec<char> = match argument(1) {
                    "" => ('a'..='z').collect(),
                    characters => characters.chars().collect(),
                };
                let length = usize::try_from(self.whole(argument(0))?).unwrap_or(0).min(LONGEST);
                (0..length).map(|_| of[self.random.usize(..of.len())]).collect()
            }
            Function::Uuid => uuid(self.random),
            Function::Time => time(argument(0), 0),
            Function::TimeShift => time(argument(0), period(argument(2)).unwrap_or_default()),
            Function::UserNumber => self.seat.0.to_string(),
            Function::GroupName => self.seat.1.to_owned(),
            Function::Count => {
                let add = |count: &mut [u64; 2]| {
                    count[0] += 1;
                    count[0]
                };
                let count = match argument(0).eq_ignore_ascii_case("true") {
                    true => add(self.counts.entry(number).or_default()),
                    false => self.shared.count(number, add),
                };
                count.to_string()
            }
            Function::CsvCell => self.cell([argument(0), argument(1)])?,
            Function::File => self.file(argument(0))?,
            Function::Eval => self.filled(given.first().map_or("", String::as_str), number)?,
            Function::Value => {
                let default = if given.len() > 1 { argument(1) } else { argument(0) };
                self.get(argument(0)).map_or_else(|| default.to_owned(), ToString::to_string)
            }
            Function::Folder => self.folder.display().to_string(),
            Function::UrlEncode => encoded(given.first().map_or("", String::as_str)),
            Function::UrlDecode => decoded(argument(0)),
            Function::LastOk => self.last_ok.to_string(),
            Function::Sum => self.sum(given),
            Function::Text => given.first().cloned().unwrap_or_default(),
            Function::Upper => argument(0).to_uppercase(),
            Function::Lower => argument(0).to_lowercase(),
            Function::Nothing => String::new(),
            other => self.more(other, given)?,
        })
    }

    /// A whole number; in plans of JMeter a text that is none is 0.
    fn whole(&self, text: &str) -> Result<i64, Failed> {
        match text.parse() {
            Ok(number) => Ok(number),
            Err(_) if self.jmeter => Ok(0),
            Err(_) => Err(Failed::check(format!("{text:?} is not a whole number"))),
        }
    }

    /// A value that all users share, or its default; in plans of JMeter nothing without both.
    fn shared_value(&self, given: &[String]) -> Result<String, Failed> {
        let name = given.first().map_or("", |name| name.trim());
        let default = given.get(1).map(|default| default.trim().to_owned());
        let default = default.or_else(|| self.jmeter.then(String::new));
        self.shared.get(name).or(default).ok_or_else(|| {
            Failed::check(format!("no value is shared as {name}: give it by -J {name}=VALUE"))
        })
    }

    /// The text of a file; where there is none, JMeter's text.
    fn file(&self, name: &str) -> Result<String, Failed> {
        match confinement::read_text(&self.folder.join(name)) {
            Ok(text) => Ok(text),
            Err(_) if self.jmeter => Ok("**ERR**".to_owned()),
            Err(error) => Err(Failed::check(format!("the file {name} cannot be read: {error}"))),
        }
    }

    /// A field of the first row of a file; in plans of JMeter nothing where there is none.
    fn cell(&self, [name, column]: [&str; 2]) -> Result<String, Failed> {
        let number = column.parse().ok();
        let found = number.and_then(|column| self.shared.cell(self.folder, name, column));
        let found = found.or_else(|| self.jmeter.then(String::new));
        found.ok_or_else(|| Failed::check(format!("the file {name} has no column {column}")))
    }

    /// The functions of texts and values that plans have beside the usual ones.
    fn more(&mut self, function: Function, given: &[String]) -> Result<String, Failed> {
        let argument = |at: usize| given.get(at).map_or("", |text| text.trim());
        Ok(match function {
            Function::Capitalize => {
                let mut rest = argument(0).chars();
                let first = rest.next().map(|first| first.to_uppercase().collect::<String>());
                first.unwrap_or_default() + rest.as_str()
            }
            Function::Pick => {
                let count = given.len().saturating_sub(1).max(1);
                let number = argument(0).parse::<usize>().ok().filter(|number| *number > 0);
                let Some(number) = number else {
                    let message = format!("pick: {:?} is no number from 1 on", argument(0));
                    return Err(Failed::check(message));
                };
                given.get(1 + (number - 1) % count).cloned().unwrap_or_default()
            }
            Function::Decimal => {
                let pattern = given.get(1).map_or("", String::as_str);
                argument(0).parse().map_or_else(
                    |_| argument(0).to_owned(),
                    |number| decimal::written(pattern, number),
                )
            }
            Function::SetShared => {
                let before = self.shared.get(argument(0));
                self.shared.set(argument(0), given.get(1).cloned().unwrap_or_default());
                match argument(2).eq_ignore_ascii_case("true") {
                    true => before.unwrap_or_else(|| "null".to_owned()),
                    false => String::new(),
                }
            }
            Function::IsSet => self.get(argument(0)).is_some().to_string(),
            Function::IsShared => self.shared.get(argument(0)).is_some().to_string(),
            Function::Split => self.split(given),
            Function::Characters => {
                let number = |text: &String| match text.trim().strip_prefix("0x") {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => text.trim().parse().ok(),
                };
                given.iter().filter_map(number).filter_map(char::from_u32).collect()
            }
            Function::OneOf => {
                let names: Vec<&str> = argument(0).split('|').collect();
                let name = names[self.random.usize(..names.len())];
                self.get(name).map(ToString::to_string).unwrap_or_default()
            }
            _ => String::new(),
        })
    }

    /// Sets the parts of a text, and gives it back.
    fn split(&mut self, given: &[String]) -> String {
        let part = |at: usize| given.get(at).map_or("", String::as_str);
        let (text, name) = (part(0).to_owned(), part(1).trim().to_owned());
        let separator = if part(2).is_empty() { "," } else { part(2) };
        let mut count = 0;
        for (at, value) in text.split(separator).enumerate() {
            // JMeter's word for an empty part.
            let value = if value.is_empty() { "?" } else { value };
            self.set(&format!("{name}_{}", at + 1), Value::Text(value.to_owned()));
            count = at + 1;
        }
        self.set(&format!("{name}_n"), Value::Text(count.to_string()));
        self.set(&name, Value::Text(text.clone()));
        text
    }

    /// The sum of the arguments. A last one that is no number names a value that keeps it.
    fn sum(&mut self, given: &[String]) -> String {
        let number = |text: &String| text.trim().parse::<i64>().ok();
        let sum = given.iter().filter_map(number).fold(0_i64, i64::wrapping_add).to_string();
        if let Some(name) = given.last().filter(|last| number(last).is_none() && !last.is_empty()) {
            self.set(name.trim(), Value::Text(sum.clone()));
        }
        sum
    }

    /// A text that holds placeholders, filled in.
    ///
    /// # Errors
    /// A function that has no value.
    fn filled(&mut self, text: &str, number: usize) -> Result<String, Failed> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            out.push_str(&rest[..at]);
            let inside = &rest[at + 2..];
            let Some(end) = closing(inside) else {
                out.push_str(&rest[at..]);
                return Ok(out);
            };
            let word = inside[..end].trim();
            let known = call(word).and_then(|(name, given)| Some((Function::named(name)?, given)));
            match known {
                // Texts of values may call functions, and not each other.
                Some((row, given)) if row.function != Function::Eval => {
                    let given = divided(given);
                    out.push_str(&self.call(row.function, &given, number)?);
                }
                _ => match self.get(word) {
                    Some(value) => {
                        // Writing to a String cannot fail.
                        let _ = write!(out, "{value}");
                    }
                    None => out.push_str(&unset(&inside[..end])),
                },
            }
            rest = &inside[end + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// The present moment and a period in milliseconds: milliseconds without a format, seconds for `/1000`, and otherwise
/// by a pattern.
fn time(format: &str, period: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let ms = i64::try_from(now.as_millis()).unwrap_or(i64::MAX).saturating_add(period);
    match format {
        "" => ms.to_string(),
        "/1000" => ms.div_euclid(1_000).to_string(),
        pattern => Pattern::read(pattern).map(|pattern| pattern.of(ms)).unwrap_or_default(),
    }
}

/// A random UUID.
fn uuid(random: &mut Rng) -> String {
    let number = random.u128(..) & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let hex = format!("{number:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// A value of a form.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The text of a value of a form.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let hex = behind.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let hex = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &behind[2..];
            }
            (b'+', _) => {
                out.push(b' ');
                rest = behind;
            }
            (byte, _) => {
                out.push(*byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::names::Names;
    use super::super::template::{Template, TextPosition};
    use super::*;

    #[test]
    fn functions_have_values() {
        let mut names = Names::default();
        let slot = names.add("n");
        let shared = SharedValues::new([("host".to_owned(), "h".to_owned())].into());
        let named = [("a_3", "${n}!"), ("low", "${random(2,1)}")];
        let named = named.map(|(name, text)| (name.to_owned(), Value::Text(text.into())));
        let named = BTreeMap::from(named);
        let mut text = |text: &str| {
            let template = Template::compile(text, TextPosition::Plain, &names, "k").unwrap();
            let (calls, by_name) = (names.take_calls(), names.by_name());
            let mut values = names.initial();
            values[slot] = Value::Int(3);
            let mut scope = Scope {
                values: &mut values,
                named: &mut named.clone(),
                names: &by_name,
                shared: &shared,
                folder: Path::new("/x"),
                random: &mut Rng::with_seed(1),
                seat: (2, "G"),
                last_ok: true,
                jmeter: false,
                counts: &mut BTreeMap::new(),
            };
            match scope.compute(&calls) {
                Ok(()) => template.text(&values).unwrap(),
                Err(failed) => format!("! {}", failed.message),
            }
        };
        assert_eq!(text("${shared(host)}:${shared(port,80)} ${n}"), "h:80 3");
        for (call, why) in [
            ("${shared(none)}", "no value is shared as none: give it by -J none=VALUE"),
            ("${random(5,${n})}", "random: 5 is more than 3"),
            ("${random(x,${n})}", "\"x\" is not a whole number"),
            ("${random_text(x)}", "\"x\" is not a whole number"),
            ("${pick(0,a,b)}", "pick: \"0\" is no number from 1 on"),
            ("${csv_cell(none.csv,0)}", "the file none.csv has no column 0"),
            ("${eval(${value(low)})}", "random: 2 is more than 1"),
        ] {
            assert_eq!(text(call), format!("! {why}"));
        }
        assert!(text("${file(none.json)}").starts_with("! the file none.json cannot be read"));
        assert_eq!(text("${pick(${n},a,b)}${shared(none,)}"), "a");
        assert_eq!(text("${user_number()}${count(FALSE)}${count(true)}${group_name()}"), "211G");
        assert_eq!(text("${random(${n},3)} ${sum(1,-4,${n})} ${last_ok()}"), "3 0 true");
        assert_eq!(
            text("${eval(${n}4)} ${value(a_${n})} ${eval(${value(a_${n})})}"),
            "34 ${n}! 3!"
        );
        assert_eq!(text("${value(none)} ${value(none,d)} ${text($)}${n}"), "none d $3");
        assert_eq!(text("${url_encode(a b&c)} ${url_decode(a+b%26c)}"), "a+b%26c a b&c");
        assert_eq!((text("${time(/1000)}").len(), text("${time()}").len()), (10, 13));
        let uuid = text("${uuid()}");
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
        assert!("89ab".contains(&uuid[19..20]), "{uuid}");
    }
}
