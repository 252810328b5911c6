//! A response as checks of texts and extractors read it, and what is done with it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use duet_model::Value;
use serde_json::Value as Json;

use super::check_counter::{CheckCounter, cut};
use super::definition::{After, Capture, How, Part, Scalar, Step, TextCheck};
use super::formats::css::CssSelector;
use super::formats::jmes_path::{self, JmesPath};
use super::formats::json_path::{self, JsonPath};
use super::functions::number::NumberKind;
use super::names::{Names, settable};
use super::pieces::Call;
use super::problem::Problem;
use super::scope::Scope;
use super::template::{Template, TextPosition};
use crate::pattern::{GaveUp, Pattern};
use crate::targets::http::{Length, Response};
use crate::workload::Failed;

/// A response.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// 0 where there was none.
    pub(super) status: u16,
    /// The head with `\n` at the ends of its lines.
    pub(super) head: String,
    pub(super) body: String,
    pub(super) url: String,
    pub(super) elapsed: Duration,
    /// The text in place of the status where there was none.
    pub(super) code: String,
    /// The content and the header fields of the request.
    pub(super) asked: String,
    pub(super) asked_head: String,
}

impl Answer {
    pub(super) fn of(response: &Response<'_>, url: String, elapsed: Duration) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            status: response.status,
            head: text(response.head).replace("\r\n", "\n"),
            body: text(response.body),
            url,
            elapsed,
            ..Self::default()
        }
    }

    /// The response as it came, for checks of `request` steps.
    pub(super) fn response(&self) -> Response<'_> {
        let (head, body) = (self.head.as_bytes(), self.body.as_bytes());
        Response { status: self.status, head, body, length: Length::Undeclared }
    }

    /// The values of a header field.
    pub(super) fn fields<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.head.lines().filter_map(move |line| {
            let (of, value) = line.split_once(':')?;
            of.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn part(&self, part: Part) -> Cow<'_, str> {
        match part {
            Part::Asked => Cow::Borrowed(&self.asked),
            Part::AskedHead => Cow::Borrowed(&self.asked_head),
            Part::Message => {
                let line = self.head.lines().next().unwrap_or_default();
                Cow::Borrowed(line.splitn(3, ' ').nth(2).unwrap_or_default())
            }
            Part::Body => Cow::Borrowed(&self.body),
            Part::Head => Cow::Borrowed(&self.head),
            Part::Url => Cow::Borrowed(&self.url),
            Part::Status => match self.status {
                0 => Cow::Borrowed(&self.code),
                status => Cow::Owned(status.to_string()),
            },
        }
    }
}

/// What is done with a response: extractors and values in their order, then checks.
#[derive(Debug)]
pub(super) struct Reading {
    after: Vec<Taking>,
    /// The calls of the checks.
    calls: Vec<Call>,
    texts: Vec<Text>,
    within_ms: Vec<(Template, CheckCounter)>,
    /// Whether failures say what came: captured values may be secrets.
    shows: bool,
}

/// Captures, then values that are set.
#[derive(Debug, Default)]
struct Taking {
    captures: Vec<Extractor>,
    setting: Setting,
}

/// Values that a step sets.
#[derive(Debug, Default)]
pub(super) struct Setting {
    pub(super) calls: Vec<Call>,
    pub(super) set: Vec<(String, Template)>,
    pub(super) share: Vec<(String, Template)>,
    /// The names whose values are numbers of expressions, which keep their type.
    computed: BTreeSet<String>,
}

impl Setting {
    pub(super) fn compile(
        set: &std::collections::BTreeMap<String, Scalar>,
        share: &std::collections::BTreeMap<String, Scalar>,
        names: &mut Names,
        key: &str,
    ) -> Result<Self, Problem> {
        let mut setting = Self::default();
        for (word, from, to) in
            [("set", set, &mut setting.set), ("share", share, &mut setting.share)]
        {
            for (name, value) in from {
                let key = format!("{key}.{word}.{name}");
                settable(name, &key)?;
                let value = template(value, names, &key)?;
                if word == "set" {
                    let slot = names.add(name);
                    if value.only_value().is_some_and(|from| names.is_computed(from)) {
                        names.note_computed(slot);
                        setting.computed.insert(name.clone());
                    }
                }
                to.push((name.clone(), value));
            }
        }
        setting.calls = names.take_calls();
        Ok(setting)
    }

    /// # Errors
    /// A function that has no value.
    pub(super) fn run(&self, scope: &mut Scope<'_>) -> Result<(), Failed> {
        scope.compute(&self.calls)?;
        for (name, value) in &self.set {
            let number = value.only_value().filter(|_| self.computed.contains(name));
            let value = match number {
                Some(slot) => scope.values[slot].clone(),
                None => typed(value.text(scope.values).unwrap_or_default()),
            };
            scope.set(name, value);
        }
        for (name, value) in &self.share {
            scope.shared.set(name, value.text(scope.values).unwrap_or_default());
        }
        Ok(())
    }
}

/// A value that is set: whole numbers are numbers, which parameters of statements may need.
fn typed(text: String) -> Value {
    match text.parse::<i64>() {
        // A number in another form, such as 007, remains text.
        Ok(number) if number.to_string() == text => Value::Int(number),
        _ => Value::Text(text),
    }
}

/// A scalar as a text with placeholders.
pub(super) fn template(value: &Scalar, names: &Names, key: &str) -> Result<Template, Problem> {
    let text = match value {
        Scalar::Text(text) => text.clone(),
        other => super::feed::plain(other).to_string(),
    };
    Template::compile(&text, TextPosition::Plain, names, key)
}

/// A number as a text with placeholders. One without placeholders is checked.
pub(super) fn number(
    value: &Scalar,
    kind: NumberKind,
    names: &Names,
    key: &str,
) -> Result<Template, Problem> {
    let template = template(value, names, key)?;
    match template.only_text().filter(|text| kind.read(text).is_none()) {
        Some(text) => Err(Problem::new(key, format!("{}.", kind.refusal(text)))),
        None => Ok(template),
    }
}

impl Reading {
    /// What a step does with its response beside plain checks and captures; `None` if nothing.
    pub(super) fn compile(
        step: &Step,
        names: &mut Names,
        key: &str,
    ) -> Result<Option<Self>, Problem> {
        let mut after = Vec::new();
        for (number, one) in step.after.iter().enumerate() {
            let key = format!("{key}.after[{}]", number + 1);
            after.push(Taking::compile(one, names, &key)?);
        }
        let mut own = Taking::default();
        for (name, capture) in step.capture.iter().filter(|(_, capture)| is_extractor(capture)) {
            own.captures.push(Extractor::compile(
                name,
                capture,
                names,
                &format!("{key}.capture.{name}"),
            )?);
        }
        if !own.captures.is_empty() {
            after.push(own);
        }
        let mut texts = Vec::new();
        for (number, check) in step.check.text.iter().enumerate() {
            texts.push(Text::compile(check, names, &format!("{key}.check.text[{}]", number + 1))?);
        }
        let mut within_ms = Vec::new();
        for most in step.check.within_ms.iter().flat_map(|list| &list.0) {
            let words = format!("within {} ms", super::check_counter::written(most));
            let key = format!("{key}.check.within_ms");
            let most = number(most, NumberKind::Count, names, &key)?;
            within_ms.push((most, CheckCounter::new(words)));
        }
        let calls = names.take_calls();
        let is_empty = after.is_empty() && texts.is_empty() && within_ms.is_empty();
        let shows = after.is_empty() && step.capture.is_empty();
        Ok((!is_empty).then_some(Self { after, calls, texts, within_ms, shows }))
    }

    /// The counts of its checks.
    pub(super) fn held(&self) -> impl Iterator<Item = &CheckCounter> {
        let texts = self.texts.iter().map(|text| &text.held);
        texts.chain(self.within_ms.iter().map(|(_, held)| held))
    }

    /// Takes the values of a response.
    ///
    /// # Errors
    /// A capture that finds nothing and has no default.
    pub(super) fn take(&self, answer: &Answer, scope: &mut Scope<'_>) -> Result<(), Failed> {
        for taking in &self.after {
            taking.captures.iter().try_for_each(|capture| capture.take(answer, scope))?;
            taking.setting.run(scope)?;
        }
        Ok(())
    }

    /// Makes the checks.
    ///
    /// # Errors
    /// The first that does not hold.
    pub(super) fn hold(&self, answer: &Answer, scope: &mut Scope<'_>) -> Result<(), Failed> {
        scope.compute(&self.calls)?;
        for text in &self.texts {
            text.hold(answer, scope, self.shows)?;
        }
        self.within_ms.iter().try_for_each(|(most, held)| within(answer, scope, most, held))
    }
}

/// Whether a response took no longer than the longest time.
///
/// # Errors
/// If it did, or the time is no number.
fn within(
    answer: &Answer,
    scope: &Scope<'_>,
    most: &Template,
    held: &CheckCounter,
) -> Result<(), Failed> {
    let text = most.text(scope.values)?;
    let Some(most) = NumberKind::Count.read(&text) else {
        held.note(false);
        let why = NumberKind::Count.refusal(&text);
        return Err(Failed::check(format!("check.within_ms: {why}")));
    };
    let most = Duration::from_millis(most as u64);
    if held.note(answer.elapsed <= most) {
        return Ok(());
    }
    let (took, most) = (answer.elapsed.as_millis(), most.as_millis());
    Err(Failed::check(format!("check.within_ms: it took {took} ms, more than {most}")))
}

/// Whether a capture reads by a path, a selector or a regular expression.
pub(super) fn is_extractor(capture: &Capture) -> bool {
    let Capture { path, jmes, css, regex, .. } = capture;
    [path, jmes, css, regex].into_iter().any(Option::is_some)
}

impl Taking {
    fn compile(after: &After, names: &mut Names, key: &str) -> Result<Self, Problem> {
        let mut captures = Vec::new();
        for (name, capture) in &after.capture {
            captures.push(Extractor::compile(
                name,
                capture,
                names,
                &format!("{key}.capture.{name}"),
            )?);
        }
        let setting = Setting::compile(&after.set, &after.share, names, key)?;
        Ok(Self { captures, setting })
    }
}

/// Takes values out of a response.
#[derive(Debug)]
struct Extractor {
    name: String,
    from: From,
    nth: i64,
    default: Option<Fallback>,
    keep: bool,
    joined: bool,
    /// The name of the value that is read instead of the response.
    value: Option<String>,
}

/// The value where nothing is found.
#[derive(Debug)]
struct Fallback {
    calls: Vec<Call>,
    text: Template,
}

impl Fallback {
    fn compile(text: &str, names: &mut Names, key: &str) -> Result<Self, Problem> {
        let text = Template::compile(text, TextPosition::Plain, names, &format!("{key}.default"))?;
        Ok(Self { calls: names.take_calls(), text })
    }

    /// # Errors
    /// A function that has no value.
    fn set(&self, name: &str, scope: &mut Scope<'_>) -> Result<(), Failed> {
        scope.compute(&self.calls)?;
        let text = self.text.text(scope.values).unwrap_or_default();
        scope.set(name, Value::Text(text));
        Ok(())
    }
}

/// Refuses keys that would do nothing in a capture of its kind, and numbers of matches that there are not.
fn refuse_idle(capture: &Capture, key: &str) -> Result<(), Problem> {
    let idle = [
        ("of", capture.of.is_some() && capture.regex.is_none(), "belongs to `regex`"),
        ("joined", capture.joined && capture.jmes.is_some(), "does not belong to `jmes`"),
        ("keep", capture.keep && capture.default.is_some(), "has no meaning beside `default`"),
        (
            "nth",
            capture.nth.is_some_and(|nth| nth < -1),
            "is -1 for all matches, 0 for any, or a number from 1 on",
        ),
    ];
    match idle.iter().find(|(_, is_given, _)| *is_given) {
        Some((word, _, why)) => {
            Err(Problem::new(format!("{key}.{word}"), format!("`{word}` {why}.")))
        }
        None => Ok(()),
    }
}

#[derive(Debug)]
enum From {
    Path(JsonPath),
    Jmes(JmesPath),
    Css(CssSelector),
    Regex(Part, Pattern, String),
}

impl Extractor {
    fn compile(
        name: &str,
        capture: &Capture,
        names: &mut Names,
        key: &str,
    ) -> Result<Self, Problem> {
        settable(name, key)?;
        let Capture { json, each, header, after, before, column, .. } = capture;
        let others = [json, each, header, after, before, column].into_iter().flatten().count();
        let ways = (&capture.path, &capture.jmes, &capture.css, &capture.regex);
        let texts =
            [&capture.path, &capture.jmes, &capture.css, &capture.regex, &capture.attribute];
        if texts.into_iter().flatten().any(|text| text.contains("${")) {
            let message = "Values are not filled in here: what captures is read before the run.";
            return Err(Problem::new(key, message));
        }
        refuse_idle(capture, key)?;
        let is_plain = others == 0 && capture.template.is_none() && capture.attribute.is_none();
        let from = match ways {
            (Some(path), None, None, None) if is_plain => {
                let message = format!(
                    "The JSON path {path:?} is not taken: it has members, `[n]`, `[*]`, `..name` and filters such as `[?(@.a == 'b')]`."
                );
                From::Path(JsonPath::read(path).ok_or_else(|| Problem::new(key, message))?)
            }
            (None, Some(jmes), None, None) if is_plain => {
                From::Jmes(JmesPath::read(jmes).map_err(|why| wrong_jmes(jmes, &why, key))?)
            }
            (None, None, Some(css), None) if others == 0 && capture.template.is_none() => {
                let read = CssSelector::read(css, capture.attribute.as_deref());
                From::Css(read.map_err(|why| wrong_css(css, &why, key))?)
            }
            (None, None, None, Some(regex)) if others == 0 && capture.attribute.is_none() => {
                let pattern = expression(regex, key)?;
                if capture.template.is_none() && !pattern.has_group() {
                    let message = "The regular expression has no group: put what is captured into parentheses, or give a `template` such as \"$0$\".";
                    return Err(Problem::new(key, message));
                }
                let template = capture.template.clone().unwrap_or_else(|| "$1$".into());
                From::Regex(capture.of.unwrap_or_default(), pattern, template)
            }
            _ => {
                let message = "Give one of `path`, `jmes`, `css` (perhaps with `attribute`) and `regex`, and no other way to capture beside it.";
                return Err(Problem::new(key, message));
            }
        };
        let nth = capture.nth.unwrap_or(1);
        names.add(name);
        if nth != 0 || capture.joined || capture.path.is_none() {
            names.all.insert(name.to_owned());
        }
        let Capture { keep, joined, value, .. } = capture.clone();
        let default = capture.default.as_ref();
        let default = default.map(|text| Fallback::compile(text, names, key)).transpose()?;
        Ok(Self { name: name.to_owned(), from, nth, default, keep, joined, value })
    }

    /// What it reads.
    fn text<'a>(&self, answer: &'a Answer, part: Part, scope: &Scope<'_>) -> Cow<'a, str> {
        match &self.value {
            None => answer.part(part),
            Some(name) => Cow::Owned(scope.get(name).map(ToString::to_string).unwrap_or_default()),
        }
    }

    fn take(&self, answer: &Answer, scope: &mut Scope<'_>) -> Result<(), Failed> {
        if let From::Jmes(path) = &self.from {
            let found = path.texts_in(&self.text(answer, Part::Body, scope));
            return self.take_one_or_all(found, scope);
        }
        // The groups of each match, as JMeter names them.
        let mut groups: Vec<Vec<String>> = Vec::new();
        let mut found: Vec<String> = match &self.from {
            From::Path(path) => {
                let text = self.text(answer, Part::Body, scope);
                let document: Json = serde_json::from_str(&text).unwrap_or_default();
                path.find_values(&document)
            }
            From::Css(selector) => selector.find_in(&self.text(answer, Part::Body, scope)),
            From::Jmes(_) => Vec::new(),
            From::Regex(part, regex, template) => {
                let text = self.text(answer, *part, scope);
                groups = regex
                    .groups(&text)
                    .map_err(|gave_up| Failed::check(format!("{}: {gave_up}", self.name)))?;
                groups.iter().map(|groups| filled(template, groups)).collect()
            }
        };
        let text = |text: String| Value::Text(text);
        if self.joined {
            scope.set(&format!("{}_ALL", self.name), text(found.join(",")));
        }
        if self.nth < 0 {
            let before = scope.get(&format!("{}_matchNr", self.name));
            let before = before.and_then(|number| number.to_string().parse().ok()).unwrap_or(0);
            let count = found.len();
            for (at, value) in found.drain(..).enumerate() {
                let name = format!("{}_{}", self.name, at + 1);
                set_groups(&name, groups.get(at), scope);
                scope.set(&name, text(value));
            }
            for at in count..before {
                scope.unset(&format!("{}_{}", self.name, at + 1));
            }
            scope.set(&format!("{}_matchNr", self.name), text(count.to_string()));
            // Those of JSON have it only where nothing is found.
            if (count == 0 || !matches!(self.from, From::Path(_)))
                && let Some(default) = &self.default
            {
                default.set(&self.name, scope)?;
            }
            return Ok(());
        }
        if self.nth > 0 && matches!(self.from, From::Path(_)) {
            scope.set(&format!("{}_matchNr", self.name), text(found.len().to_string()));
        }
        let at = match usize::try_from(self.nth).unwrap_or_default() {
            0 if found.is_empty() => 0,
            0 => scope.random.usize(..found.len()),
            nth => nth - 1,
        };
        set_groups(&self.name, groups.get(at), scope);
        match found.into_iter().nth(at) {
            Some(value) => scope.set(&self.name, text(value)),
            None => self.missing(scope)?,
        }
        Ok(())
    }

    /// What an expression of JMESPath finds, as JMeter takes it: matches of earlier responses go, and a value that is the
    /// only one is the value whatever its number should be. `None` where the response has no values.
    fn take_one_or_all(
        &self,
        found: Option<Vec<String>>,
        scope: &mut Scope<'_>,
    ) -> Result<(), Failed> {
        scope.unset(&format!("{}_matchNr", self.name));
        let of_match = |at: usize| format!("{}_{at}", self.name);
        let earlier = (1..).take_while(|at| scope.get(&of_match(*at)).is_some()).count();
        for at in 1..=earlier {
            scope.unset(&of_match(at));
        }
        let Some(mut found) = found else { return self.missing(scope) };
        let count = found.len();
        scope.set(&format!("{}_matchNr", self.name), Value::Text(count.to_string()));
        if self.nth < 0 && count > 0 {
            for (at, value) in found.into_iter().enumerate() {
                scope.set(&of_match(at + 1), Value::Text(value));
            }
            return Ok(());
        }
        let at = match usize::try_from(self.nth).unwrap_or_default() {
            _ if count < 2 => 0,
            0 => scope.random.usize(..count),
            nth => nth - 1,
        };
        if at < count {
            scope.set(&self.name, Value::Text(found.swap_remove(at)));
            return Ok(());
        }
        self.missing(scope)
    }

    /// Sets the default, or keeps the value.
    fn missing(&self, scope: &mut Scope<'_>) -> Result<(), Failed> {
        match &self.default {
            Some(default) => default.set(&self.name, scope),
            None if self.keep => Ok(()),
            None => Err(Failed::check(format!("capture.{} finds nothing", self.name))),
        }
    }
}

/// Sets the groups of a match as `NAME_g0`, `NAME_g1` …, and how many there are as `NAME_g`.
fn set_groups(name: &str, groups: Option<&Vec<String>>, scope: &mut Scope<'_>) {
    let Some(groups) = groups else { return };
    for (number, group) in groups.iter().enumerate() {
        scope.set(&format!("{name}_g{number}"), Value::Text(group.clone()));
    }
    let count = groups.len().saturating_sub(1).to_string();
    scope.set(&format!("{name}_g"), Value::Text(count));
}

/// The template with the groups of a match: `$1$`.
fn filled(template: &str, groups: &[String]) -> String {
    let mut out = template.to_owned();
    for (group, found) in groups.iter().enumerate() {
        out = out.replace(&format!("${group}$"), found);
    }
    out
}

fn expression(text: &str, key: &str) -> Result<Pattern, Problem> {
    Pattern::new(text).map_err(|why| wrong_pattern(&why, key))
}

fn wrong_css(text: &str, why: &str, key: &str) -> Problem {
    Problem::new(key, format!("The selector {text:?} is not taken: {why}."))
}

fn wrong_jmes(text: &str, why: &str, key: &str) -> Problem {
    Problem::new(key, format!("The expression {text:?} of JMESPath is not taken: {why}."))
}

/// A path of a check.
#[derive(Debug)]
enum Inside {
    Path(JsonPath),
    Jmes(JmesPath),
}

impl Inside {
    fn compile(how: How, text: &str, key: &str) -> Result<Self, Problem> {
        if matches!(how, How::Jmes | How::JmesMatches | How::JmesNull) {
            let read = JmesPath::read(text).map_err(|why| wrong_jmes(text, &why, key));
            return read.map(Self::Jmes);
        }
        let message = format!("The JSON path {text:?} is not taken.");
        JsonPath::read(text).map(Self::Path).ok_or_else(|| Problem::new(key, message))
    }
}

fn wrong_pattern(why: &str, key: &str) -> Problem {
    Problem::new(key, format!("The regular expression is not taken: {why}."))
}

/// A check of a part of a response.
#[derive(Debug)]
struct Text {
    of: Part,
    how: How,
    not: bool,
    any: bool,
    texts: Vec<Template>,
    /// The expressions of the texts, where they are constant.
    regexes: Vec<Option<Pattern>>,
    inside: Option<Inside>,
    /// The name of the value that is read instead of the response.
    value: Option<String>,
    jmeter: bool,
    name: String,
    held: CheckCounter,
}

impl Text {
    fn compile(check: &TextCheck, names: &Names, key: &str) -> Result<Self, Problem> {
        let TextCheck { of, how, not, any, jmeter, .. } = check.clone();
        let mut given = &check.texts[..];
        let mut inside = None;
        if how.has_path() {
            let text = given.first().map_or("", String::as_str);
            inside = Some(Inside::compile(how, text, key)?);
            given = &given[given.len().min(1)..];
        } else if given.is_empty() {
            return Err(Problem::new(key, "`texts` has what it is compared with."));
        }
        let (mut texts, mut regexes) = (Vec::new(), Vec::new());
        for text in given {
            let template = Template::compile(text, TextPosition::Plain, names, key)?;
            if let (How::Size, Some(text)) = (how, template.only_text()) {
                let (operator, size) = size_of(text);
                if size.is_none() || !SIZES.contains(&operator) {
                    let message =
                        format!("{text:?} is not a size such as \"== 5\" or \"<= 1000\".");
                    return Err(Problem::new(key, message));
                }
            }
            regexes.push(match (how, template.only_text()) {
                (How::Finds, Some(text)) => Some(expression(text, key)?),
                (How::Matches | How::PathMatches | How::JmesMatches, Some(text)) => {
                    Some(Pattern::whole(text).map_err(|why| wrong_pattern(&why, key))?)
                }
                _ => None,
            });
            texts.push(template);
        }
        let word = match (of, not) {
            (Part::Body, false) => "content",
            (Part::Body, true) => "content not",
            (Part::Head, false) => "head",
            (Part::Head, true) => "head not",
            (Part::Status, false) => "status",
            (Part::Status, true) => "status not",
            (Part::Url, false) => "address",
            (Part::Url, true) => "address not",
            (Part::Message, false) => "message",
            (Part::Message, true) => "message not",
            (Part::Asked | Part::AskedHead, false) => "request",
            (Part::Asked | Part::AskedHead, true) => "request not",
        };
        let said = cut(&check.texts.join(if any { " or " } else { ", " }));
        let usual = format!("{word} {} {said}", how_word(how));
        let name = check.name.clone().filter(|name| !name.is_empty());
        let held = match &name {
            Some(name) => CheckCounter::new(format!("{name}: {usual}")),
            None => CheckCounter::new(usual.clone()),
        };
        let (name, value) = (name.unwrap_or(usual), check.value.clone());
        Ok(Self { of, how, not, any, texts, regexes, inside, value, jmeter, name, held })
    }

    /// # Errors
    /// If it does not hold.
    fn hold(&self, answer: &Answer, scope: &Scope<'_>, shows: bool) -> Result<(), Failed> {
        let part = match &self.value {
            None => answer.part(self.of),
            Some(name) => Cow::Owned(scope.get(name).map(ToString::to_string).unwrap_or_default()),
        };
        let mut texts = Vec::new();
        for text in &self.texts {
            texts.push(text.text(scope.values)?);
        }
        let holds = match &self.inside {
            Some(Inside::Path(path)) => {
                self.finds(path, &part, &texts).map(|finds| finds != self.not)
            }
            Some(Inside::Jmes(path)) => self.finds_jmes(path, &part, &texts),
            None if self.jmeter && part.is_empty() => Ok(self.not),
            None => self.holds_each(&part, &texts),
        };
        if self.held.note(holds == Ok(true)) {
            return Ok(());
        }
        if let Err(gave_up) = holds {
            return Err(Failed::check(format!("{}: {gave_up}", self.name)));
        }
        let came: String = part.chars().take(60).collect();
        let came = if shows { format!(": {came:?}") } else { String::new() };
        let word = if self.not { "not " } else { "" };
        let how = how_word(self.how);
        let texts = texts.join(", ");
        Err(Failed::check(format!("{}{came} should {word}be so that it {how} {texts}", self.name)))
    }

    /// Whether all texts hold, or any of them where one is enough.
    fn holds_each(&self, part: &str, texts: &[String]) -> Result<bool, GaveUp> {
        for (text, regex) in texts.iter().zip(&self.regexes) {
            let holds = self.holds(part, text, regex.as_ref())? != self.not;
            if holds == self.any {
                return Ok(self.any);
            }
        }
        Ok(!self.any)
    }

    fn holds(&self, part: &str, text: &str, regex: Option<&Pattern>) -> Result<bool, GaveUp> {
        Ok(match self.how {
            How::Equals => part == text,
            How::Contains => part.contains(text),
            How::Finds => match regex {
                Some(regex) => regex.is_match(part)?,
                None => Pattern::new(text).map_or(Ok(false), |regex| regex.is_match(part))?,
            },
            How::Matches => whole_matches(regex, text, part)?,
            How::Size => {
                let (operator, size) = size_of(text);
                let Some(size) = size else { return Ok(false) };
                let found = part.len();
                match operator {
                    "!=" => found != size,
                    ">" => found > size,
                    "<" => found < size,
                    ">=" => found >= size,
                    "<=" => found <= size,
                    _ => found == size,
                }
            }
            How::Path
            | How::PathMatches
            | How::PathNull
            | How::Jmes
            | How::JmesMatches
            | How::JmesNull => false,
        })
    }

    /// Whether a path finds something, and where a value is given, that value. The value of a definite path may also be
    /// the whole array.
    fn finds(&self, path: &JsonPath, body: &str, texts: &[String]) -> Result<bool, GaveUp> {
        let Ok(document) = serde_json::from_str::<Json>(body) else {
            // A document that is none fails, whether it is to be so or not.
            return Ok(self.not);
        };
        let found = path.values(&document);
        if self.how == How::PathNull {
            return Ok(found.first().is_some_and(|found| found.is_null()));
        }
        let Some(wanted) = texts.first() else { return Ok(!found.is_empty()) };
        let regex = self.regexes.first().and_then(Option::as_ref);
        for found in found {
            let text = json_path::text(found);
            let is_it = match self.how {
                How::PathMatches => whole_matches(regex, wanted, &text)?,
                _ => {
                    let same = serde_json::from_str::<Json>(wanted);
                    text == *wanted
                        || !found.is_string() && same.is_ok_and(|same| is_same(&same, found))
                }
            };
            if is_it {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an expression of JMESPath finds what it should. Where it cannot be evaluated, it does not; what must not
    /// be found holds then, but for a response without content.
    fn finds_jmes(&self, path: &JmesPath, body: &str, texts: &[String]) -> Result<bool, GaveUp> {
        if body.is_empty() {
            return Ok(false);
        }
        let Some(found) = path.value_in(body) else { return Ok(self.not) };
        let text = jmes_path::text(&found);
        let finds = match (self.how, texts.first()) {
            (How::JmesNull, _) => found.is_null(),
            (_, None) => !found.is_null(),
            (How::JmesMatches, Some(wanted)) => {
                let regex = self.regexes.first().and_then(Option::as_ref);
                whole_matches(regex, wanted, &text)?
            }
            (_, Some(wanted)) if text == *wanted => true,
            (_, Some(wanted)) => match jmes_path::document(wanted) {
                Some(wanted) => jmes_path::is_same(&wanted, &found),
                None => return Ok(self.not),
            },
        };
        Ok(finds != self.not)
    }
}

/// The operators of sizes.
const SIZES: [&str; 6] = ["==", "!=", ">", "<", ">=", "<="];

/// The operator and the number of bytes of a text such as `<= 1000`.
fn size_of(text: &str) -> (&str, Option<usize>) {
    let (operator, size) = text.split_once(' ').unwrap_or(("==", text));
    (operator, size.trim().parse().ok())
}

/// Whether two documents are the same, numbers by their value.
fn is_same(one: &Json, other: &Json) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

fn whole_matches(regex: Option<&Pattern>, text: &str, part: &str) -> Result<bool, GaveUp> {
    match regex {
        Some(regex) => regex.is_match(part),
        None => Pattern::whole(text).map_or(Ok(false), |regex| regex.is_match(part)),
    }
}

fn how_word(how: How) -> &'static str {
    match how {
        How::Contains => "contains",
        How::Equals => "is",
        How::Finds => "has a match of",
        How::Matches => "matches",
        How::Path | How::PathMatches | How::Jmes | How::JmesMatches => "has at",
        How::PathNull | How::JmesNull => "has null at",
        How::Size => "has a size",
    }
}
