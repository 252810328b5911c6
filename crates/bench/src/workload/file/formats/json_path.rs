//! The paths of JSON extractors: members, `[*]`, `[n]`, `..name`, and filters such as `[?(@.n > 1)]`.

use serde_json::Value;

use crate::pattern::Pattern;

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload::file) struct JsonPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Member(String),
    /// A member at any depth.
    Below(String),
    Every,
    /// Some of the elements, from the end where it is negative.
    At(Vec<i64>),
    /// Some of the members, as one object where they are several.
    Members(Vec<String>),
    /// From an element on, before another one.
    Slice(Option<i64>, Option<i64>),
    Where(Filter),
}

/// Which elements a filter lets through.
#[derive(Clone, Debug, PartialEq)]
enum Filter {
    Any(Vec<Filter>),
    All(Vec<Filter>),
    Not(Box<Filter>),
    Is(Vec<String>, Test),
}

/// What a filter asks of a member.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    IsThere,
    Equal(Value),
    Unequal(Value),
    Less(f64),
    LessOrEqual(f64),
    More(f64),
    MoreOrEqual(f64),
    /// A regular expression, by its text.
    Matches(String),
}

impl JsonPath {
    /// Reads a path; `None` where it has functions, slices, or other filters.
    pub(in crate::workload::file) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        rest = rest.strip_prefix('$').unwrap_or(rest);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix("[?(") {
                let (filter, behind) = inside.split_once(")]")?;
                steps.push(Step::Where(filter_of(filter, 0)?));
                rest = behind;
                continue;
            }
            if let Some(inside) = rest.strip_prefix('[') {
                let (index, behind) = inside.split_once(']')?;
                steps.push(inside_brackets(index)?);
                rest = behind;
                continue;
            }
            let (below, name) = match (rest.strip_prefix(".."), rest.strip_prefix('.')) {
                (Some(name), _) => (true, name),
                (None, Some(name)) => (false, name),
                // JMeter takes a path without `$.` too.
                (None, None) if steps.is_empty() => (false, rest),
                (None, None) => return None,
            };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, behind) = name.split_at(end);
            steps.push(match name {
                "*" if !below => Step::Every,
                name if name.is_empty() && behind.starts_with('[') && !below => {
                    rest = behind;
                    continue;
                }
                name if is_plain(name) => match below {
                    true => Step::Below(name.to_owned()),
                    false => Step::Member(name.to_owned()),
                },
                _ => return None,
            });
            rest = behind;
        }
        Some(Self(steps))
    }

    /// The values at the path.
    pub(in crate::workload::file) fn values<'v>(&self, document: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![document];
        for step in &self.0 {
            found = found.into_iter().flat_map(|value| step.from(value)).collect();
        }
        found
    }

    /// The values at the path as texts, without those that are null.
    pub(in crate::workload::file) fn find_values(&self, document: &Value) -> Vec<String> {
        let mut found = self.values(document);
        found.retain(|value| !value.is_null());
        // Several members at the end are one object.
        if let Some(Step::Members(names)) = self.0.last() {
            let parts = found.chunks(names.len());
            let object = |part: &[&Value]| {
                let pairs = names.iter().cloned().zip(part.iter().map(|value| (*value).clone()));
                text(&Value::Object(pairs.collect()))
            };
            return parts.map(object).collect();
        }
        found.into_iter().map(text).collect()
    }
}

/// A value as a text: a number without zeros behind its fraction.
pub(in crate::workload::file) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            number.as_f64().map_or_else(|| number.to_string(), double)
        }
        other => other.to_string(),
    }
}

/// A number with a fraction as Java writes it.
fn double(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e7).contains(&size) {
        let text = format!("{number:E}");
        let (digits, exponent) = text.split_once('E').unwrap_or((&text, "0"));
        let fraction = if digits.contains('.') { "" } else { ".0" };
        return format!("{digits}{fraction}E{exponent}");
    }
    let text = number.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

/// What is in brackets: `*`, a number or several, a slice, a name or several.
fn inside_brackets(index: &str) -> Option<Step> {
    if index.trim() == "*" {
        return Some(Step::Every);
    }
    if index.starts_with(['\'', '"']) {
        let mut names = Vec::new();
        for name in index.split(',').map(str::trim) {
            let inside = |quote| name.strip_prefix(quote)?.strip_suffix(quote);
            names.push(inside('\'').or_else(|| inside('"'))?.to_owned());
        }
        return Some(match names.len() {
            1 => Step::Member(names.remove(0)),
            _ => Step::Members(names),
        });
    }
    if let Some((from, to)) = index.split_once(':') {
        let bound = |text: &str| match text.trim() {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        return Some(Step::Slice(bound(from)?, bound(to)?));
    }
    let each: Option<Vec<i64>> = index.split(',').map(|at| at.trim().parse().ok()).collect();
    each.map(Step::At)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-@".contains(&byte))
}

/// How deeply filters may be nested.
const MOST_NESTED: usize = 16;

/// A filter: comparisons of `@.name`, joined by `&&`, `||`, `!` and parentheses.
fn filter_of(text: &str, depth: usize) -> Option<Filter> {
    let text = text.trim();
    if depth > MOST_NESTED {
        return None;
    }
    for (word, make) in [("||", Filter::Any as fn(Vec<Filter>) -> Filter), ("&&", Filter::All)] {
        let parts = outside(text, word);
        if parts.len() > 1 {
            let parts: Option<Vec<Filter>> =
                parts.into_iter().map(|part| filter_of(part, depth + 1)).collect();
            return parts.map(make);
        }
    }
    if let Some(inside) = text.strip_prefix('!') {
        return filter_of(inside, depth + 1).map(|filter| Filter::Not(Box::new(filter)));
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return filter_of(inside, depth + 1);
    }
    comparison(text)
}

/// The parts of a text between words outside of quotes and parentheses.
fn outside<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0usize, None);
    for (at, next) in text.char_indices() {
        match (next, quote) {
            (next, Some(open)) if next == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(next),
            ('(', None) => depth += 1,
            (')', None) => depth = depth.saturating_sub(1),
            _ if depth == 0 && at >= from && text[at..].starts_with(word) => {
                parts.push(&text[from..at]);
                from = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// `@.name`, perhaps compared with a text, a number or a regular expression.
fn comparison(text: &str) -> Option<Filter> {
    let rest = text.strip_prefix("@.")?;
    let end =
        rest.find(|char: char| !is_plain(&char.to_string()) && char != '.').unwrap_or(rest.len());
    let (names, rest) = rest.split_at(end);
    let names: Vec<String> = names.split('.').map(str::to_owned).collect();
    names.iter().all(|name| is_plain(name)).then_some(())?;
    let rest = rest.trim();
    let test = match rest.find(|char: char| !"=!<>~".contains(char)) {
        None if rest.is_empty() => Test::IsThere,
        None => return None,
        Some(end) => {
            let (operator, value) = rest.split_at(end);
            let value = value.trim();
            if operator == "=~" {
                let (inside, flags) = value.strip_prefix('/')?.rsplit_once('/')?;
                let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
                let pattern = format!("{flags}{inside}");
                Pattern::whole(&pattern).ok()?;
                return Some(Filter::Is(names, Test::Matches(pattern)));
            }
            let inside = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
            let value = match inside('\'') {
                Some(text) if !text.contains('\'') => Value::String(text.to_owned()),
                Some(_) => return None,
                None => serde_json::from_str(value).ok()?,
            };
            let number = value.as_f64();
            match operator {
                "==" => Test::Equal(value),
                "!=" => Test::Unequal(value),
                "<" => Test::Less(number?),
                "<=" => Test::LessOrEqual(number?),
                ">" => Test::More(number?),
                ">=" => Test::MoreOrEqual(number?),
                _ => return None,
            }
        }
    };
    Some(Filter::Is(names, test))
}

impl Filter {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Any(parts) => parts.iter().any(|part| part.holds(value)),
            Self::All(parts) => parts.iter().all(|part| part.holds(value)),
            Self::Not(part) => !part.holds(value),
            Self::Is(names, test) => {
                test.holds(names.iter().try_fold(value, |value, name| value.get(name)))
            }
        }
    }
}

impl Test {
    fn holds(&self, found: Option<&Value>) -> bool {
        let number = found.and_then(Value::as_f64);
        let is = |wanted: &Value| match (found, wanted.as_f64()) {
            (Some(found), Some(wanted)) => found.as_f64() == Some(wanted),
            (found, _) => found == Some(wanted),
        };
        match self {
            Self::IsThere => found.is_some(),
            Self::Equal(wanted) => is(wanted),
            Self::Unequal(wanted) => !is(wanted),
            Self::Less(most) => number.is_some_and(|number| number < *most),
            Self::LessOrEqual(most) => number.is_some_and(|number| number <= *most),
            Self::More(least) => number.is_some_and(|number| number > *least),
            Self::MoreOrEqual(least) => number.is_some_and(|number| number >= *least),
            Self::Matches(pattern) => found.is_some_and(|found| {
                Pattern::whole(pattern)
                    .is_ok_and(|pattern| pattern.is_match(&text(found)) == Ok(true))
            }),
        }
    }
}

impl Step {
    fn from<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Member(name), value) => value.get(name).into_iter().collect(),
            (Self::At(indexes), Value::Array(elements)) => {
                let element = |index: &i64| elements.get(place(*index, elements.len())?);
                indexes.iter().filter_map(element).collect()
            }
            (Self::Slice(from, to), Value::Array(elements)) => {
                let bound = |index: &Option<i64>, default: usize| {
                    index.map_or(default, |index| {
                        place(index, elements.len()).unwrap_or(0).min(elements.len())
                    })
                };
                let (from, to) = (bound(from, 0), bound(to, elements.len()));
                elements.get(from..to).map(|part| part.iter().collect()).unwrap_or_default()
            }
            (Self::At(_) | Self::Slice(..), _) => Vec::new(),
            (Self::Members(names), value) => {
                names.iter().filter_map(|name| value.get(name)).collect()
            }
            (Self::Every, value) => inside(value),
            (Self::Where(filter), value) => {
                inside(value).into_iter().filter(|value| filter.holds(value)).collect()
            }
            (Self::Below(name), value) => {
                let mut found: Vec<&Value> = value.get(name).into_iter().collect();
                found.extend(inside(value).into_iter().flat_map(|inner| self.from(inner)));
                found
            }
        }
    }
}

/// The place of an element, from the end where it is negative.
fn place(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    usize::try_from(if index < 0 { length + index } else { index }).ok()
}

/// The elements of an array, or the members of an object.
fn inside(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_values() {
        let document =
            serde_json::json!({ "id": 7, "list": [{ "id": "a", "n": 1 }, { "id": "b" }] });
        let find = |path: &str| JsonPath::read(path).unwrap().find_values(&document);
        assert_eq!(find("$.list[*].id"), ["a", "b"]);
        assert_eq!(find(".list[1].id"), ["b"]);
        assert_eq!(find(".list[-1].id"), ["b"]);
        assert_eq!(
            (find("id"), find(".id"), find("$['id']")),
            (vec!["7".into()], vec!["7".into()], vec!["7".into()])
        );
        assert_eq!(find("$..id"), ["7", "a", "b"]);
        assert_eq!(find("$.list[?(@.n)].id"), ["a"]);
        assert_eq!(find("$.list[?(@.id == 'b')].id"), ["b"]);
        assert_eq!(find("$.list[?(@.n>=1.0)].id"), ["a"]);
        assert_eq!(find("$.list[?(@.n!=1)].id"), ["b"]);
        assert!(find("$.none").is_empty());
        assert_eq!(
            (double(12.5), double(2e10), double(3.0)),
            ("12.5".into(), "2.0E10".into(), "3.0".into())
        );
        for wrong in ["$.a.length()", "$.list[0:1:2]", "$.list[?(@.a == )]", "$.list[?(1)]"] {
            assert_eq!(JsonPath::read(wrong), None, "{wrong}");
        }
    }
}
