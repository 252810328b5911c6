//! What a search means, by brute force over the documents: made to be plainly right, not fast.

use std::cmp::Ordering;

use serde_json::Value;

use super::query::{Key, Piece, Query, Search, Test};
use super::world::{ENDS, Field, Kind, MOMENTS, Place, World, text};

/// The keys of the documents that a search finds, in its order.
pub(super) fn found(search: &Search, world: &World) -> Vec<String> {
    let listed = if search.list == "lines" { &world.lines } else { &world.orders };
    let holds = |document: &&Value| {
        rows(search, world, document).into_iter().any(|row| row.holds(&search.query))
    };
    let mut found: Vec<&Value> = listed.iter().filter(holds).collect();
    found.sort_by(|a, b| {
        let orders = search.order.iter().map(|key| compare_by(key, world, a, b));
        let by_key = text(&a["id"]).cmp(&text(&b["id"]));
        orders.fold(Ordering::Equal, Ordering::then).then(by_key)
    });
    found.into_iter().map(|it| text(&it["id"])).collect()
}

/// What conditions are tested on: a document, and in the joined list one line of it, if it has lines.
struct Row<'w> {
    world: &'w World,
    document: &'w Value,
    line: Option<&'w Value>,
}

fn rows<'w>(search: &Search, world: &'w World, document: &'w Value) -> Vec<Row<'w>> {
    let row = |line| Row { world, document, line };
    let mut rows = Vec::new();
    if search.list == "orders-and-lines" {
        rows.extend(world.lines_of(document).map(|line| row(Some(line))));
    }
    if rows.is_empty() {
        rows.push(row(None));
    }
    rows
}

impl Row<'_> {
    fn holds(&self, query: &Query) -> bool {
        match query {
            Query::All => true,
            Query::Test(test) => test.alternatives().iter().all(|test| {
                self.documents(test.place).into_iter().any(|document| test.holds(document))
            }),
            Query::Same(a, b) => self
                .documents(a.place)
                .into_iter()
                .any(|it| elements(a, it).iter().any(|it| a.holds(it) && b.holds(it))),
            Query::And(a, b) => self.holds(a) && self.holds(b),
            Query::Or(a, b) => self.holds(a) || self.holds(b),
            Query::Not(a, b) => self.holds(a) && !self.holds(b),
        }
    }

    /// The documents of which one must satisfy a condition.
    fn documents(&self, place: Place) -> Vec<&Value> {
        match place {
            Place::Own => vec![self.document],
            Place::Row => self.line.into_iter().collect(),
            Place::Lines => self.world.lines_of(self.document).collect(),
            Place::Order => self.world.order_of(self.document).into_iter().collect(),
        }
    }
}

/// The parts of a document on one of which conditions of `prox/unit=element` are: the document of a line
/// itself, or documents with one element of the array.
fn elements(test: &Test, document: &Value) -> Vec<Value> {
    match test.field.path.split_once('.') {
        Some((array, _)) if test.field.kind == Kind::Element => {
            let elements = document[array].as_array().cloned().unwrap_or_default();
            elements.into_iter().map(|it| serde_json::json!({ array: [it] })).collect()
        }
        _ => vec![document.clone()],
    }
}

impl Test {
    /// The conditions that may hold for different lines: one for each of the values that are all wanted.
    fn alternatives(&self) -> Vec<Self> {
        let is_value = matches!(self.field.kind, Kind::Number | Kind::Element);
        if self.relation != "all" || self.place != Place::Lines || !is_value {
            return vec![self.clone()];
        }
        let one = |term: &Vec<Piece>| Self { term: vec![term.clone()], ..self.clone() };
        self.term.iter().map(one).collect()
    }

    fn holds(&self, document: &Value) -> bool {
        let values = self.field.values(document);
        let is_loose = matches!(self.relation, "=" | "adj" | "all" | "any")
            && !self.modifiers.contains("string");
        match self.term.as_slice() {
            [only] if is_loose && only == &[Piece::Any] => return true,
            [only] if is_loose && only.is_empty() => return !values.is_empty(),
            _ => {}
        }
        if self.field.kind == Kind::Range {
            return self.holds_of_range(document);
        }
        if self.field.kind == Kind::Element {
            return self.holds_of_elements(&values);
        }
        values.iter().any(|value| self.holds_of(value))
    }

    fn holds_of_range(&self, document: &Value) -> bool {
        let [least, most] = ENDS.map(|name| document[name].as_f64());
        if least.is_none() && most.is_none() {
            return false;
        }
        let (least, most) = (least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY));
        let end = |at: usize, open: f64| {
            let term = self.term.get(at).unwrap_or(&self.term[0]);
            if term == &[Piece::Any] { open } else { number(&plain(term)).unwrap() }
        };
        let (from, to) = (end(0, f64::NEG_INFINITY), end(1, f64::INFINITY));
        least <= most
            && match (self.relation, self.modifiers) {
                (_, "/partial") => least <= to && from <= most,
                ("within", _) => from <= least && most <= to,
                _ => least <= from && to <= most,
            }
    }

    fn holds_of_elements(&self, values: &[Value]) -> bool {
        let any = |test: &dyn Fn(&Value) -> bool| values.iter().any(test);
        match self.relation {
            "<>" => !values.is_empty() && !any(&|it| self.equals_element(it, &self.pieces())),
            "all" => self.term.iter().all(|term| any(&|it| self.equals_element(it, term))),
            "any" => self.term.iter().any(|term| any(&|it| self.equals_element(it, term))),
            "==" => any(&|it| self.equals_element(it, &self.pieces())),
            "within" => {
                let [low, high] = [0, 1].map(|at| plain(&self.term[at]));
                any(&|it| {
                    let at = |end: &str| self.compare_element(it, end);
                    let both_numbers = number(&low).is_some() && number(&high).is_some();
                    (it.is_string() || both_numbers)
                        && at(&low).is_some_and(Ordering::is_ge)
                        && at(&high).is_some_and(Ordering::is_le)
                })
            }
            relation => any(&|it| {
                self.compare_element(it, &self.literal())
                    .is_some_and(|order| by_order(relation, order))
            }),
        }
    }

    fn equals_element(&self, value: &Value, term: &[Piece]) -> bool {
        if term.iter().any(|it| matches!(it, Piece::Any | Piece::One)) {
            return value.as_str().is_some_and(|text| matches(term, &chars(text)));
        }
        self.compare_element(value, &plain(term)) == Some(Ordering::Equal)
    }

    /// A string compares with the term, a number with its number.
    fn compare_element(&self, value: &Value, term: &str) -> Option<Ordering> {
        match value {
            Value::String(text) => Some(text.as_str().cmp(term)),
            Value::Number(value) if self.modifiers.is_empty() => {
                value.as_f64()?.partial_cmp(&number(term)?)
            }
            _ => None,
        }
    }

    fn holds_of(&self, value: &Value) -> bool {
        match self.field.kind {
            Kind::Number => self.compares(|term| value.as_f64().partial_cmp(&number(term))),
            Kind::Boolean => self.compares(|term| Some(text(value).as_str().cmp(term))),
            Kind::Moment if self.modifiers == "/isoDate" => {
                self.compares(|term| Some(moment(&text(value)).cmp(&moment(term))))
            }
            _ => self.holds_of_text(&text(value)),
        }
    }

    fn compares(&self, order: impl Fn(&str) -> Option<Ordering>) -> bool {
        let holds = |relation: &str, term: &[Piece]| {
            order(&plain(term)).is_some_and(|order| by_order(relation, order))
        };
        match self.relation {
            "within" => holds(">=", &self.term[0]) && holds("<=", &self.term[1]),
            "any" => self.term.iter().any(|term| holds("==", term)),
            "all" => self.term.iter().all(|term| holds("==", term)),
            relation => holds(relation, &self.pieces()),
        }
    }

    fn holds_of_text(&self, value: &str) -> bool {
        let is_exact = matches!(self.field.kind, Kind::Exact | Kind::Moment);
        let has = |name: &str| self.modifiers.contains(name);
        let case = has("ignoreCase") || !is_exact && !has("respectCase");
        let accents = has("ignoreAccents") || !is_exact && !has("respectAccents");
        let fold = |text: &str| folded(text, case, accents);
        match self.relation {
            "=" | "adj" | "all" | "any" if !has("string") => {
                let words = words(&folded(value, true, accents));
                let term: Vec<_> =
                    self.term.iter().map(|it| folded_pieces(it, true, accents)).collect();
                has_words(self.relation, &term, &words)
            }
            "==" | "=" | "<>" => {
                let value = fold(value);
                let term = folded_pieces(&self.pieces(), case, accents);
                let equal = if has("substring") {
                    value.contains(&plain(&term))
                } else {
                    matches(&term, &chars(&value))
                };
                equal == (self.relation != "<>")
            }
            _ => self.compares(|term| Some(fold(value).cmp(&fold(term)))),
        }
    }

    /// The whole term.
    fn pieces(&self) -> Vec<Piece> {
        self.term.join(&Piece::Char(' '))
    }

    fn literal(&self) -> String {
        plain(&self.pieces())
    }
}

fn by_order(relation: &str, order: Ordering) -> bool {
    match relation {
        "==" | "=" => order.is_eq(),
        "<>" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        other => panic!("{other} is no order"),
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn moment(text: &str) -> i64 {
    let quoted = format!("\"{text}\"");
    MOMENTS.iter().find(|(moment, _)| *moment == quoted).unwrap().1
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// The characters of a term without masks.
fn plain(pieces: &[Piece]) -> String {
    let char = |piece: &Piece| match piece {
        Piece::Char(char) => *char,
        Piece::Any => '*',
        Piece::One => '?',
    };
    pieces.iter().map(char).collect()
}

fn fold_char(char: char, case: bool, accents: bool) -> char {
    let plain = match char {
        'É' if accents => 'E',
        'é' if accents => 'e',
        'Ü' if accents => 'U',
        other => other,
    };
    if case { plain.to_lowercase().next().unwrap() } else { plain }
}

fn folded(text: &str, case: bool, accents: bool) -> String {
    text.chars().map(|char| fold_char(char, case, accents)).collect()
}

fn folded_pieces(term: &[Piece], case: bool, accents: bool) -> Vec<Piece> {
    let fold = |piece: &Piece| match piece {
        Piece::Char(char) => Piece::Char(fold_char(*char, case, accents)),
        mask => *mask,
    };
    term.iter().map(fold).collect()
}

/// Whether a text fits a masked term.
fn matches(term: &[Piece], text: &[char]) -> bool {
    match term.split_first() {
        None => text.is_empty(),
        Some((Piece::Any, rest)) => (0..=text.len()).any(|skipped| matches(rest, &text[skipped..])),
        Some((Piece::One, rest)) => !text.is_empty() && matches(rest, &text[1..]),
        Some((Piece::Char(char), rest)) => text.first() == Some(char) && matches(rest, &text[1..]),
    }
}

fn words(text: &str) -> Vec<Vec<char>> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(chars).collect()
}

fn has_words(relation: &str, term: &[Vec<Piece>], words: &[Vec<char>]) -> bool {
    let has = |term: &Vec<Piece>| words.iter().any(|word| matches(term, word));
    match relation {
        "any" => term.iter().any(has),
        "all" => term.iter().all(has),
        _ => words
            .windows(term.len())
            .any(|run| run.iter().zip(term).all(|(word, term)| matches(term, word))),
    }
}

/// The order of two documents by a key: those without a value come last in both directions.
fn compare_by(key: &Key, world: &World, a: &Value, b: &Value) -> Ordering {
    let value = |document: &Value| match key.place {
        Place::Order => world.order_of(document).and_then(|order| only(&key.field, order)),
        _ => only(&key.field, document),
    };
    match (value(a), value(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => {
            let order = compare_values(key, &a, &b);
            if key.descending { order.reverse() } else { order }
        }
    }
}

fn only(field: &Field, document: &Value) -> Option<Value> {
    field.values(document).into_iter().next()
}

fn compare_values(key: &Key, a: &Value, b: &Value) -> Ordering {
    let has = |name: &str| key.modifiers.contains(name);
    match key.field.kind {
        Kind::Number => a.as_f64().partial_cmp(&b.as_f64()).unwrap(),
        Kind::Text => {
            let fold = |it: &Value| folded(&text(it), !has("respectCase"), !has("respectAccents"));
            fold(a).cmp(&fold(b))
        }
        _ => text(a).cmp(&text(b)),
    }
}
