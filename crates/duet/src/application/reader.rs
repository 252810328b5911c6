//! Reads tables of a TOML file key by key: unknown keys and wrong types are mistakes. Mistakes are
//! collected with their position instead of returned, so that one run reports all of them.

use std::collections::BTreeMap;
use std::ops::Range;

use duet_text::name;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::expand;
use super::problem::Problems;
use crate::settings::Environment;

/// A value with its position in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At<T> {
    /// The value.
    pub(crate) value: T,
    /// Its position, in bytes.
    pub(crate) span: Range<usize>,
}

/// The context of reading at every level.
#[derive(Clone, Copy)]
pub(crate) struct Context<'t> {
    /// Collects the mistakes.
    pub(crate) problems: &'t Problems<'t>,
    /// The variables for `${NAME}`.
    pub(crate) environment: Environment<'t>,
}

/// A table whose keys are being read.
pub(crate) struct Table<'t> {
    context: Context<'t>,
    /// `[resources.album]`, or empty for the file itself.
    title: String,
    span: Range<usize>,
    left: BTreeMap<String, Entry<'t>>,
    known_keys: Vec<&'static str>,
}

struct Entry<'t> {
    key: Range<usize>,
    value: &'t Spanned<DeValue<'t>>,
}

/// A value that is short where little is said.
pub(crate) enum TextOrTable<'t> {
    /// The short form.
    Text(At<String>),
    /// The long one.
    Table(Table<'t>),
}

impl<'t> Table<'t> {
    /// The file itself.
    pub(crate) fn root(context: Context<'t>, table: &'t DeTable<'t>) -> Self {
        Self::new(context, String::new(), 0..0, table)
    }

    fn new(
        context: Context<'t>,
        title: String,
        span: Range<usize>,
        table: &'t DeTable<'t>,
    ) -> Self {
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<_>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.to_string(), Entry { key: key.span(), value })
        };
        let left = table.iter().map(entry).collect();
        Self { context, title, span, left, known_keys: Vec::new() }
    }

    /// The position of the table.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn take(&mut self, key: &'static str) -> Option<Entry<'t>> {
        self.known_keys.push(key);
        self.left.remove(key)
    }

    /// The variables for `${NAME}`.
    pub(crate) fn environment(&self) -> Environment<'t> {
        self.context.environment
    }

    /// Collects its mistakes.
    pub(crate) fn problems(&self) -> &'t Problems<'t> {
        self.context.problems
    }

    /// Reports a mistake in a value of this table.
    pub(crate) fn wrong(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.context.problems.add(span, message, hint);
    }

    fn wrong_type(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let found = value.get_ref().type_str();
        self.wrong(value.span(), format!("`{key}` must be {wanted}, not {found}."), None);
    }

    /// A string.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<At<String>> {
        let Entry { value, .. } = self.take(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(self.expand(text, value.span())),
            _ => {
                self.wrong_type(key, value, "a text");
                None
            }
        }
    }

    /// Reports a missing key; returns `None` for one.
    fn require(&mut self, key: &'static str) -> Option<()> {
        if self.left.contains_key(key) {
            return Some(());
        }
        self.known_keys.push(key);
        let message = format!("{} needs `{key}`.", self.called());
        self.wrong(self.span(), message, None);
        None
    }

    /// A string that must not be empty.
    pub(crate) fn required_text(&mut self, key: &'static str) -> Option<At<String>> {
        self.require(key)?;
        let text = self.text(key)?;
        if text.value.is_empty() {
            self.wrong(text.span.clone(), format!("`{key}` must not be empty."), None);
            return None;
        }
        Some(text)
    }

    /// A required list of strings.
    pub(crate) fn required_texts(&mut self, key: &'static str) -> Option<At<Vec<At<String>>>> {
        self.require(key)?;
        self.texts(key)
    }

    /// A list of strings; a single string is accepted too.
    pub(crate) fn texts(&mut self, key: &'static str) -> Option<At<Vec<At<String>>>> {
        let Entry { value, .. } = self.take(key)?;
        let span = value.span();
        let texts = match value.get_ref() {
            DeValue::String(text) => vec![self.expand(text, value.span())],
            DeValue::Array(items) => items.iter().filter_map(|item| self.item(key, item)).collect(),
            _ => {
                self.wrong_type(key, value, "a list of texts");
                return None;
            }
        };
        Some(At { value: texts, span })
    }

    fn item(&self, key: &str, item: &Spanned<DeValue<'_>>) -> Option<At<String>> {
        match item.get_ref() {
            DeValue::String(text) => Some(self.expand(text, item.span())),
            _ => {
                self.wrong_type(key, item, "a list of texts");
                None
            }
        }
    }

    /// A list of strings or tables.
    pub(crate) fn list(&mut self, key: &'static str) -> Vec<TextOrTable<'t>> {
        let Some(Entry { value, .. }) = self.take(key) else { return Vec::new() };
        let one = |item: &'t Spanned<DeValue<'t>>| match item.get_ref() {
            DeValue::String(text) => Some(TextOrTable::Text(self.expand(text, item.span()))),
            DeValue::Table(_) => self.open(key, item.span(), item).map(TextOrTable::Table),
            _ => {
                self.wrong_type(key, item, "a list of texts or tables");
                None
            }
        };
        match value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(one).collect(),
            _ => one(value).into_iter().collect(),
        }
    }

    /// A boolean.
    pub(crate) fn switch(&mut self, key: &'static str) -> Option<At<bool>> {
        let Entry { value, .. } = self.take(key)?;
        let switch = value.get_ref().as_bool();
        if switch.is_none() {
            self.wrong_type(key, value, "`true` or `false`");
        }
        switch.map(|switch| At { value: switch, span: value.span() })
    }

    /// A whole number that is not negative.
    pub(crate) fn number(&mut self, key: &'static str) -> Option<At<u64>> {
        let Entry { value, .. } = self.take(key)?;
        let number = value.get_ref().as_integer();
        let number =
            number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        if number.is_none() {
            self.wrong_type(key, value, "a whole number from 0");
        }
        number.map(|number| At { value: number, span: value.span() })
    }

    /// The value of a setting of any type, in the form of a flag's values.
    pub(crate) fn setting(&mut self, key: &'static str) -> Option<At<Vec<String>>> {
        let Entry { value, .. } = self.take(key)?;
        let one = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::String(text) => Some(self.expand(text, value.span()).value),
            DeValue::Integer(number) => Some(number.as_str().to_owned()),
            DeValue::Boolean(switch) => Some(switch.to_string()),
            _ => {
                self.wrong_type(key, value, "a text, a number, a switch or a list");
                None
            }
        };
        let texts = match value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(one).collect(),
            _ => vec![one(value)?],
        };
        Some(At { value: texts, span: value.span() })
    }

    /// A value of any type.
    pub(crate) fn value(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.take(key).map(|entry| entry.value)
    }

    /// A text of a value, with `${NAME}` replaced.
    pub(crate) fn expanded(&self, text: &str, span: Range<usize>) -> String {
        self.expand(text, span).value
    }

    /// A table in this one.
    pub(crate) fn table(&mut self, key: &'static str) -> Option<Self> {
        let Entry { key: key_span, value } = self.take(key)?;
        self.open(key, key_span, value)
    }

    /// A list of tables: `[[key]]`.
    pub(crate) fn tables(&mut self, key: &'static str) -> Vec<Self> {
        let Some(Entry { value, .. }) = self.take(key) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(key, value, &format!("a list of tables, written `[[{key}]]`"));
            return Vec::new();
        };
        items.iter().filter_map(|item| self.open(key, item.span(), item)).collect()
    }

    /// All entries of this table as tables, by name: `[this.NAME]`.
    pub(crate) fn named_tables(mut self) -> Vec<(At<String>, Self)> {
        let entries = std::mem::take(&mut self.left);
        let tables = entries.into_iter().filter_map(|(name, Entry { key, value })| {
            let table = self.open(&name, key.clone(), value)?;
            Some((At { value: name, span: key }, table))
        });
        tables.collect()
    }

    /// All entries of this table as texts, by name.
    pub(crate) fn named_texts(mut self) -> Vec<(At<String>, At<String>)> {
        let entries = std::mem::take(&mut self.left);
        let texts = entries.into_iter().filter_map(|(name, Entry { key, value })| {
            let text = match value.get_ref() {
                DeValue::String(text) => self.expand(text, value.span()),
                _ => {
                    self.wrong_type(&name, value, "a text");
                    return None;
                }
            };
            Some((At { value: name, span: key }, text))
        });
        texts.collect()
    }

    /// All entries that are left, each with its name: texts, or tables.
    pub(crate) fn texts_or_tables(mut self) -> Vec<(At<String>, TextOrTable<'t>)> {
        let entries = std::mem::take(&mut self.left);
        let found = entries.into_iter().filter_map(|(name, Entry { key, value })| {
            let given = match value.get_ref() {
                DeValue::String(text) => TextOrTable::Text(self.expand(text, value.span())),
                DeValue::Table(_) => TextOrTable::Table(self.open(&name, key.clone(), value)?),
                _ => {
                    self.wrong_type(&name, value, "a text or a table");
                    return None;
                }
            };
            Some((At { value: name, span: key }, given))
        });
        found.collect()
    }

    fn open(&self, key: &str, span: Range<usize>, value: &'t Spanned<DeValue<'t>>) -> Option<Self> {
        let title =
            if self.title.is_empty() { key.into() } else { format!("{}.{key}", self.title) };
        match value.get_ref().as_table() {
            Some(table) => Some(Self::new(self.context, title, span, table)),
            None => {
                self.wrong_type(key, value, &format!("a table, written `[{title}]`"));
                None
            }
        }
    }

    fn expand(&self, text: &str, span: Range<usize>) -> At<String> {
        let value = expand::expand(text, self.context.environment).unwrap_or_else(|problem| {
            self.wrong(span.clone(), problem.to_string(), problem.hint());
            text.to_owned()
        });
        At { value, span }
    }

    fn called(&self) -> String {
        if self.title.is_empty() { "The file".into() } else { format!("[{}]", self.title) }
    }

    /// Ends reading: the remaining keys are unknown. `elsewhere` says where a key of another table
    /// belongs.
    pub(crate) fn finish(self, elsewhere: impl Fn(&str) -> Option<String>) {
        for (name, entry) in &self.left {
            let message = format!("{} has no key `{name}`.", self.called());
            let near = || name::nearest(name, self.known_keys.iter().copied());
            let hint = elsewhere(name)
                .or_else(|| near().map(|near| format!("Did you mean `{near}`?")))
                .unwrap_or_else(|| format!("It can have {}.", list(&self.known_keys)));
            self.wrong(entry.key.clone(), message, Some(hint));
        }
    }
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
