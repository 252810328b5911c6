//! The paths of JSON extractors: members, `[*]`, `[n]`, `..name`, and filters such as `[?(@.n > 1)]`.

use serde_json::Value;

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Member(String),
    /// A member at any depth.
    Below(String),
    Every,
    /// From the end where it is negative.
    At(i64),
    Where(Vec<String>, Test),
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
}

impl JsonPath {
    /// Reads a path; `None` where it has functions, slices, or other filters.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        rest = rest.strip_prefix('$').unwrap_or(rest);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix("[?(") {
                let (filter, behind) = inside.split_once(")]")?;
                steps.push(filter_of(filter)?);
                rest = behind;
                continue;
            }
            if let Some(inside) = rest.strip_prefix('[') {
                let (index, behind) = inside.split_once(']')?;
                let name = |quote| index.strip_prefix(quote)?.strip_suffix(quote);
                steps.push(match (index, name('\'').or_else(|| name('"'))) {
                    ("*", _) => Step::Every,
                    (_, Some(name)) => Step::Member(name.to_owned()),
                    (index, None) => Step::At(index.parse().ok()?),
                });
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

    /// The values at the path, as texts.
    pub(super) fn find(&self, document: &Value) -> Vec<String> {
        let mut found = vec![document];
        for step in &self.0 {
            found = found.into_iter().flat_map(|value| step.from(value)).collect();
        }
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        found.into_iter().map(text).collect()
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-@".contains(&byte))
}

/// A filter: `@.name`, perhaps compared with a text or a number.
fn filter_of(text: &str) -> Option<Step> {
    let rest = text.trim().strip_prefix("@.")?;
    let end =
        rest.find(|char: char| !is_plain(&char.to_string()) && char != '.').unwrap_or(rest.len());
    let (names, rest) = rest.split_at(end);
    let names: Vec<String> = names.split('.').map(str::to_owned).collect();
    names.iter().all(|name| is_plain(name)).then_some(())?;
    let rest = rest.trim();
    let test = match rest.find(|char: char| !"=!<>".contains(char)) {
        None if rest.is_empty() => Test::IsThere,
        None => return None,
        Some(end) => {
            let (operator, value) = rest.split_at(end);
            let value = value.trim();
            let quoted = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
            let value = match quoted {
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
    Some(Step::Where(names, test))
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
        }
    }
}

impl Step {
    fn from<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Member(name), value) => value.get(name).into_iter().collect(),
            (Self::At(index), Value::Array(elements)) => {
                let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
                let at = if *index < 0 { length + index } else { *index };
                usize::try_from(at).ok().and_then(|at| elements.get(at)).into_iter().collect()
            }
            (Self::At(_), _) => Vec::new(),
            (Self::Every, value) => inside(value),
            (Self::Where(names, test), value) => {
                let holds = |value: &&Value| {
                    let found = names.iter().try_fold(*value, |value, name| value.get(name));
                    test.holds(found)
                };
                inside(value).into_iter().filter(holds).collect()
            }
            (Self::Below(name), value) => {
                let mut found: Vec<&Value> = value.get(name).into_iter().collect();
                found.extend(inside(value).into_iter().flat_map(|inner| self.from(inner)));
                found
            }
        }
    }
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
        let find = |path: &str| JsonPath::read(path).unwrap().find(&document);
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
        for wrong in
            ["$.list[?(@.id =~ /a/)]", "$.a.length()", "$.list[0:1]", "$.list[?(@.a == 1 && @.b)]"]
        {
            assert_eq!(JsonPath::read(wrong), None, "{wrong}");
        }
    }
}
