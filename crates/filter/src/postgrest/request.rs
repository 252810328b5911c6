//! The query string of a request: what it selects, from which rows, in which order.

use duet_model::key::percent_decode;
use duet_model::profiles::PostgrestCode;
use duet_model::{Error, Place, Result};

use super::conditions::{self, Condition};
use super::cursor::Cursor;
use super::order::{self, OrderTerm};
use super::select::{self, Embed, SelectItem};
use crate::limits::{Counter, Limits};

/// How deep resources are embedded in each other.
const EMBEDDED: usize = 16;

/// What a query string says.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What of the rows is shown.
    pub select: Vec<SelectItem>,
    /// What is said of the rows themselves, which have the empty path, and of those embedded in them.
    pub nodes: Vec<NodeParameters>,
    /// The columns that a body writes, where it is said.
    pub columns: Option<Vec<String>>,
    /// The columns by which a row is known to exist.
    pub on_conflict: Option<Vec<String>>,
    /// What cannot be read: to be told with what the rest names wrongly.
    pub mistakes: Vec<Error>,
    /// Embedded resources whose parameters have their names in place of their aliases, which stand behind them.
    pub renamed: Vec<(String, String)>,
}

/// What is said of the rows of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeParameters {
    /// The keys of the embeds that lead to it; none for the rows of the request.
    pub path: Vec<String>,
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// Their order.
    pub order: Vec<OrderTerm>,
    /// How many there are at most.
    pub limit: Option<u64>,
    /// How many are skipped.
    pub offset: u64,
    /// Whether a limit is below zero.
    pub has_negative_limit: bool,
}

impl NodeParameters {
    /// Adds what other parameters say of the same rows.
    fn add(&mut self, other: Self) {
        self.conditions.extend(other.conditions);
        if !other.order.is_empty() {
            self.order = other.order;
        }
        if other.limit.is_some() {
            (self.limit, self.has_negative_limit) = (other.limit, other.has_negative_limit);
        }
        self.offset = self.offset.max(other.offset);
    }
}

/// The embed of a key; or the only one of a name, whose key is another one.
fn named<'s>(items: &'s [SelectItem], name: &str) -> Option<&'s Embed> {
    let embeds = || {
        items.iter().filter_map(|item| match item {
            SelectItem::Embed(embed) => Some(embed),
            _ => None,
        })
    };
    let by_key = embeds().find(|embed| embed.key() == name);
    let mut by_name = embeds().filter(|embed| embed.name == name);
    by_key.or_else(|| by_name.next().filter(|_| by_name.next().is_none()))
}

impl Request {
    /// Reads a query string as it was sent. What cannot be read is in [`Self::mistakes`], with parameter, line and
    /// column.
    ///
    /// # Errors
    /// What is not percent-encoded.
    pub fn read(query: Option<&str>, limits: &Limits) -> Result<Self> {
        let mut request = Self {
            select: vec![SelectItem::All],
            nodes: Vec::new(),
            columns: None,
            on_conflict: None,
            mistakes: Vec::new(),
            renamed: Vec::new(),
        };
        request.node(&[]);
        let mut counter = Counter::new(limits);
        let mut mistakes = Vec::new();
        for pair in query.unwrap_or_default().split('&') {
            let Some((key, value)) = pair.split_once('=') else { continue };
            let read = request.parameter(&decoded(key)?, &decoded(value)?, limits);
            let counted = counter
                .count(0)
                .map_err(|error| error.at(Place::Parameter(decoded(key).unwrap_or_default())));
            match read.and(counted) {
                Err(error) if mistakes.is_empty() || error.foreign().is_some() => {
                    mistakes.push(error);
                }
                _ => {}
            }
        }
        request.mistakes = mistakes;
        request.use_aliases();
        Ok(request)
    }

    /// Gives parameters that name a resource of one alias by its name this alias.
    fn use_aliases(&mut self) {
        let nodes = std::mem::take(&mut self.nodes);
        for mut node in nodes {
            let (mut items, mut renamed) = (self.select.as_slice(), Vec::new());
            for step in &mut node.path {
                let Some(embed) = named(items, step) else { break };
                if embed.key() != step {
                    renamed.push((step.clone(), embed.key().to_owned()));
                    embed.key().clone_into(step);
                }
                items = &embed.items;
            }
            let is_new = |pair: &(String, String)| !self.renamed.contains(pair);
            let renamed: Vec<_> = renamed.into_iter().filter(is_new).collect();
            self.renamed.extend(renamed);
            match self.nodes.iter_mut().find(|known| known.path == node.path) {
                Some(known) => known.add(node),
                None => self.nodes.push(node),
            }
        }
    }

    /// Reads a query string as it was sent.
    ///
    /// # Errors
    /// What cannot be read; all such mistakes in one.
    pub fn parse(query: Option<&str>, limits: &Limits) -> Result<Self> {
        let mut request = Self::read(query, limits)?;
        Error::all_of(std::mem::take(&mut request.mistakes)).map_or(Ok(request), Err)
    }

    /// What is said of the rows of a path.
    pub fn at(&self, path: &[String]) -> Option<&NodeParameters> {
        self.nodes.iter().find(|node| node.path == path)
    }

    /// What is said of the rows of the request themselves.
    pub fn root(&self) -> &NodeParameters {
        &self.nodes[0]
    }

    fn node(&mut self, path: &[String]) -> &mut NodeParameters {
        let at = self.nodes.iter().position(|node| node.path == path).unwrap_or_else(|| {
            self.nodes.push(NodeParameters { path: path.to_owned(), ..NodeParameters::default() });
            self.nodes.len() - 1
        });
        &mut self.nodes[at]
    }

    fn parameter(&mut self, key: &str, value: &str, limits: &Limits) -> Result<()> {
        match key {
            "select" => {
                self.select = select::read(value, EMBEDDED)?;
                return Ok(());
            }
            "columns" => {
                self.columns = Some(names("columns", value)?);
                return Ok(());
            }
            "on_conflict" => {
                self.on_conflict = Some(names("on_conflict", value)?);
                return Ok(());
            }
            _ => {}
        }
        let (mut path, last) = split(key)?;
        match last {
            "order" => self.node(&path).order = order::read(key, value)?,
            "limit" => {
                if let Ok(number) = value.parse::<i64>() {
                    let node = self.node(&path);
                    node.has_negative_limit = number < 0;
                    node.limit = Some(u64::try_from(number).unwrap_or(0));
                }
            }
            "offset" => {
                if let Ok(number) = value.parse::<i64>() {
                    self.node(&path).offset = u64::try_from(number).unwrap_or(0);
                }
            }
            "and" | "or" => {
                let negated = path.pop_if(|step| step == "not").is_some();
                let condition = conditions::logic(key, last, value, limits.effective_depth())?;
                let condition =
                    if negated { Condition::Not(Box::new(condition)) } else { condition };
                self.node(&path).conditions.push(condition);
            }
            last => {
                let mut cursor = Cursor::new(key, "field", last);
                let column = cursor.column_path()?;
                if !cursor.is_end() {
                    return Err(cursor.expected("end of input"));
                }
                let condition = conditions::test(key, column, value)?;
                self.node(&path).conditions.push(condition);
            }
        }
        Ok(())
    }
}

/// The steps of a key before its last dot outside of quotes, and what follows.
fn split(key: &str) -> Result<(Vec<String>, &str)> {
    let (mut path, mut from, mut is_quoted) = (Vec::new(), 0, false);
    for (at, char) in key.char_indices() {
        match char {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => {
                path.push(Cursor::new(key, "field", &key[from..at]).name()?);
                from = at + 1;
            }
            _ => {}
        }
    }
    Ok((path, &key[from..]))
}

/// Names joined by commas, each perhaps in quotes.
fn names(parameter: &str, value: &str) -> Result<Vec<String>> {
    let mut cursor = Cursor::new(parameter, "columns parameter", value);
    let mut names = Vec::new();
    loop {
        names.push(cursor.name()?);
        cursor.skip_blanks();
        if !cursor.eat(",") {
            break;
        }
    }
    match cursor.is_end() {
        true => Ok(names),
        false => Err(cursor.expected("\",\" or end of input")),
    }
}

/// A part of a query string: `+` is a blank.
fn decoded(text: &str) -> Result<String> {
    let text = text.replace('+', " ");
    let is_code = |at: usize| {
        let digits = text.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    // A sign that no digits follow is itself.
    let mut whole = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        whole.push(char);
        if char == '%' && !is_code(at) {
            whole.push_str("25");
        }
    }
    percent_decode(&whole).map_err(|error| PostgrestCode::Grammar.of(error))
}
