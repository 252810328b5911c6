//! The values of variables and functions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::function::Function;
use super::line::fields;
use super::template::{Piece, Template};

/// What a thread of a plan knows: its variables, and what it shares with the others.
#[derive(Debug)]
pub(super) struct Values<'a> {
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) shared: &'a mut SharedValues,
    /// The number of the thread in its group, from 1.
    pub(super) thread: usize,
}

/// What all threads of a plan share.
#[derive(Debug, Default)]
pub(super) struct SharedValues {
    /// Properties, as those of `-J` and `props`.
    pub(super) properties: BTreeMap<String, String>,
    /// The folder of the plan.
    pub(super) folder: PathBuf,
    /// The counts of `__counter`, by thread; 0 is that of all.
    counters: BTreeMap<usize, u64>,
    /// The rows of the files that `__CSVRead` has read, with how many were taken of each.
    files: BTreeMap<String, Vec<Vec<String>>>,
}

impl SharedValues {
    /// What is known before a run.
    pub(super) fn new(properties: BTreeMap<String, String>, folder: PathBuf) -> Self {
        Self { properties, folder, ..Self::default() }
    }
}

impl Values<'_> {
    /// The text of a template. A variable that is not known stays as it is written.
    pub(super) fn text(&mut self, template: &Template) -> String {
        let mut out = String::new();
        for piece in &template.0 {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Variable(name) => match self.variables.get(name) {
                    Some(value) => out.push_str(value),
                    None => {
                        out.push_str("${");
                        out.push_str(name);
                        out.push('}');
                    }
                },
                Piece::Call(function, arguments) => {
                    let given: Vec<String> =
                        arguments.iter().map(|argument| self.text(argument)).collect();
                    out.push_str(&self.call(*function, &given));
                }
            }
        }
        out
    }

    fn call(&mut self, function: Function, given: &[String]) -> String {
        let argument = |at: usize| given.get(at).map_or("", |text| text.trim());
        match function {
            Function::Property | Function::LongProperty => {
                let default = argument(if function == Function::Property { 1 } else { 2 });
                // Without a default, JMeter gives 1 for __P and the name for __property.
                let default = match (default, function) {
                    ("", Function::Property) => "1",
                    ("", _) => argument(0),
                    (default, _) => default,
                };
                self.shared.properties.get(argument(0)).map_or(default, String::as_str).to_owned()
            }
            Function::Random => {
                let bound = |at| argument(at).parse::<i64>().unwrap_or_default();
                let (low, high) = (bound(0).min(bound(1)), bound(0).max(bound(1)));
                fastrand::i64(low..=high).to_string()
            }
            Function::RandomString => {
                let length = argument(0).parse().unwrap_or(0).min(1 << 20);
                let of: Vec<char> = match argument(1) {
                    "" => ('a'..='z').collect(),
                    characters => characters.chars().collect(),
                };
                (0..length).map(|_| of[fastrand::usize(..of.len())]).collect()
            }
            Function::Uuid => uuid(),
            Function::Time => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                match argument(0) {
                    "/1000" => now.as_secs().to_string(),
                    _ => now.as_millis().to_string(),
                }
            }
            Function::ThreadNumber => self.thread.to_string(),
            Function::Counter => {
                let own = argument(0).eq_ignore_ascii_case("true");
                let count = self.shared.counters.entry(if own { self.thread } else { 0 });
                let count = count.or_default();
                *count += 1;
                count.to_string()
            }
            Function::CsvRead => {
                let rows = self.rows(argument(0));
                let column = argument(1).parse::<usize>().unwrap_or_default();
                rows.first().and_then(|row| row.get(column)).cloned().unwrap_or_default()
            }
            Function::FileToString => {
                std::fs::read_to_string(self.shared.folder.join(argument(0))).unwrap_or_default()
            }
            Function::Eval => {
                let inner = Template::read(given.first().map_or("", String::as_str), 0);
                inner.map(|inner| self.text(&inner)).unwrap_or_default()
            }
            Function::Variable => self.variables.get(argument(0)).cloned().unwrap_or_default(),
            Function::BaseFolder => self.shared.folder.display().to_string(),
        }
    }

    /// The rows of a file, which is read once.
    fn rows(&mut self, name: &str) -> &[Vec<String>] {
        let folder: &Path = &self.shared.folder;
        let read = || {
            let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            text.lines().map(|line| fields(line, ',', true)).collect()
        };
        let read: Vec<Vec<String>> =
            if self.shared.files.contains_key(name) { Vec::new() } else { read() };
        self.shared.files.entry(name.to_owned()).or_insert(read)
    }
}

/// A random UUID.
fn uuid() -> String {
    let number = fastrand::u128(..) & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let hex = format!("{number:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_values() {
        let variables = BTreeMap::from([("n".to_owned(), "3".to_owned())]);
        let mut shared = SharedValues::default();
        shared.properties.insert("host".into(), "h".into());
        let mut values = Values { variables: &variables, shared: &mut shared, thread: 2 };
        let mut text = |text: &str| values.text(&Template::read(text, 1).unwrap());
        assert_eq!(text("${__P(host)}:${__P(port,80)} ${x} ${n}"), "h:80 ${x} 3");
        assert_eq!(text("${__property(none,,d)}${__threadNum}${__counter(FALSE)}"), "d21");
        assert_eq!(text("${__Random(${n},3)}"), "3");
        let uuid = text("${__UUID()}");
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
        assert!("89ab".contains(&uuid[19..20]), "{uuid}");
        assert_eq!(text("${__eval(${n}4)}"), "34");
    }
}
