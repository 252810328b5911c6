//! SQL text and its parameters, written together.

use std::collections::HashSet;
use std::sync::Arc;

use crate::parts::affixes::Affixes;
use duet_model::{Column, Derivation, Piece, Relation, ServiceQuery, Type, Value};
use duet_text::numeric_digits::NumericDigits;

use crate::dialect::Dialect;

/// A statement to prepare: its text and the meaning of each placeholder, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The SQL text.
    pub sql: Arc<str>,
    /// The parameters, first placeholder first.
    pub parameters: Vec<Parameter>,
}

/// The value that a placeholder represents.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A part of the key, given when the statement runs: one value, or an array of them where
    /// the dialect reads many documents in one statement.
    Key {
        /// Position of the part in the shape's key.
        part: usize,
        /// The type of its column.
        ty: Type,
    },
    /// A value known from the plan.
    Value {
        /// The value.
        value: Value,
        /// The type of the column it is compared with.
        ty: Type,
    },
}

/// The texts of statements that have been written. Values are no part of a text, so requests that
/// differ in their values alone share one, and none is allocated for them.
#[derive(Debug, Default)]
pub struct Texts {
    known: HashSet<Arc<str>>,
    buffer: String,
    written: u64,
}

/// How many texts are kept; beyond it all are forgotten once.
const TEXTS: usize = 128;

/// The longest text that is kept, in bytes; longer ones have lists of values.
const LONGEST: usize = 16 * 1024;

impl Texts {
    /// How many texts were allocated.
    pub fn written(&self) -> u64 {
        self.written
    }

    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        self.written += 1;
        let new: Arc<str> = text.into();
        if self.known.len() >= TEXTS {
            self.known.clear();
        }
        if text.len() <= LONGEST {
            self.known.insert(Arc::clone(&new));
        } else {
            self.buffer.shrink_to(LONGEST);
        }
        new
    }
}

/// The only function that appends text to a statement.
pub(crate) struct Writer<'a> {
    pub(crate) dialect: &'a dyn Dialect,
    sql: String,
    parameters: Vec<Parameter>,
    /// Columns are written without the alias of their node.
    alone: bool,
    /// Values are columns of the row `r`, which is that of a request among many.
    of_rows: bool,
    /// The values of a service's parameters.
    arguments: Arc<[Value]>,
    /// Values are written as they are, since a declaration has them too.
    declared: bool,
    /// How many subqueries over rows beside those of the shape are around what is written.
    depth: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(dialect: &'a dyn Dialect) -> Self {
        Self::into_buffer(dialect, String::with_capacity(256))
    }

    fn into_buffer(dialect: &'a dyn Dialect, sql: String) -> Self {
        let arguments = Arc::default();
        let (alone, of_rows, declared) = (false, false, false);
        let (parameters, depth) = (Vec::new(), 0);
        Self { dialect, sql, parameters, alone, of_rows, arguments, declared, depth }
    }

    /// Writes a statement whose values are columns of the row `r`: `r.p1` and so on.
    pub(crate) fn of_rows(dialect: &'a dyn Dialect) -> Self {
        Self { of_rows: true, ..Self::new(dialect) }
    }

    /// Whether values are columns of a row.
    pub(crate) fn is_of_rows(&self) -> bool {
        self.of_rows
    }

    /// A statement within this one.
    pub(crate) fn statement(&mut self, statement: &Statement) {
        self.sql.push_str(&statement.sql);
    }

    /// Whether something is bound.
    pub(crate) fn has_parameters(&self) -> bool {
        !self.parameters.is_empty()
    }

    /// From here on, the parameters of a service have these values.
    pub(crate) fn with_arguments(&mut self, arguments: &Arc<[Value]>) {
        self.arguments = Arc::clone(arguments);
    }

    /// Writes into memory that is used again for each statement.
    pub(crate) fn over(dialect: &'a dyn Dialect, texts: &mut Texts) -> Self {
        let mut sql = std::mem::take(&mut texts.buffer);
        sql.clear();
        Self::into_buffer(dialect, sql)
    }

    /// The statement, whose text is shared with all that were the same.
    pub(crate) fn finish_over(self, texts: &mut Texts) -> Statement {
        let sql = texts.shared(&self.sql);
        texts.buffer = self.sql;
        Statement { sql, parameters: self.parameters }
    }

    /// Appends constant text from this crate's source.
    pub(crate) fn text(&mut self, text: &'static str) {
        self.sql.push_str(text);
    }

    /// A number made by this crate.
    pub(crate) fn number(&mut self, number: usize) {
        self.sql.push_str(&number.to_string());
    }

    /// A text of the catalog as a literal.
    pub(crate) fn quoted(&mut self, text: &str) {
        self.sql.push('\'');
        self.sql.push_str(&text.replace('\'', "''"));
        self.sql.push('\'');
    }

    /// An integer of a definition.
    pub(crate) fn int(&mut self, number: i64) {
        self.sql.push_str(&number.to_string());
    }

    /// A decimal number of a definition; it is finite.
    pub(crate) fn float(&mut self, number: f64) {
        self.sql.push_str(&format!("{number:?}"));
    }

    /// A name of the catalog.
    pub(crate) fn identifier(&mut self, name: &str) {
        self.dialect.identifier(name, &mut self.sql);
    }

    /// A table, qualified by its schema; or the statement of a service in parentheses.
    pub(crate) fn relation(&mut self, relation: &Relation) {
        if let Some(Derivation::Statement(query)) = &relation.query {
            self.text("(");
            self.query(query);
            // A comment at the end of the statement would hide the parenthesis.
            self.text("\n)");
            return;
        }
        self.identifier(&relation.schema);
        self.text(".");
        self.identifier(&relation.name);
    }

    /// The statement of a service, as its file has it, with placeholders for its parameters.
    pub(crate) fn query(&mut self, query: &ServiceQuery) {
        for piece in &query.pieces {
            match piece {
                Piece::Text { text, .. } => self.sql.push_str(text),
                Piece::Parameter { index, .. } => {
                    let Some(parameter) = query.parameters.get(*index) else { continue };
                    let value = self.arguments.get(*index).cloned().unwrap_or(Value::Null);
                    self.bind(value, &parameter.ty, &parameter.declared);
                }
            }
        }
    }

    /// How long the statement is so far, in bytes.
    pub(crate) fn length(&self) -> usize {
        self.sql.len()
    }

    /// The alias of a node; in a subquery over rows beside those of the shape, of a node of theirs.
    pub(crate) fn alias(&mut self, node: usize) {
        if self.depth > 0 {
            self.text("a");
            self.number(self.depth);
            self.text("_");
        } else {
            self.text("t");
        }
        self.number(node);
    }

    /// From here on, nodes are those of a subquery over rows beside those of the shape.
    pub(crate) fn enter_rows(&mut self) {
        self.depth += 1;
    }

    /// From here on, nodes are those outside of the subquery.
    pub(crate) fn leave_rows(&mut self) {
        self.depth -= 1;
    }

    /// A column of a node: `t0."name"`.
    pub(crate) fn column(&mut self, node: usize, name: &str) {
        if !self.alone {
            self.alias(node);
            self.text(".");
        }
        self.identifier(name);
    }

    /// From here on there is but one table, whose columns need no alias: what an insert returns.
    pub(crate) fn with_one_table(&mut self) {
        self.alone = true;
    }

    /// From here on, values are those of a declaration and written as they are, or no longer: an engine compares
    /// conditions with that of a partial index when it plans, before it knows parameters. Returns how it was.
    pub(crate) fn with_declared_values(&mut self, declared: bool) -> bool {
        std::mem::replace(&mut self.declared, declared)
    }

    /// A placeholder for a value.
    pub(crate) fn bind(&mut self, value: Value, ty: &Type, declared: &str) {
        if self.declared {
            return self.constant(&value, ty, declared);
        }
        self.parameters.push(Parameter::Value { value, ty: ty.clone() });
        self.placeholder(self.parameters.len(), ty, declared);
    }

    /// A value of a declaration, with the cast that its placeholder would have.
    fn constant(&mut self, value: &Value, ty: &Type, declared: &str) {
        if let Some(function) = ty.domain_casts().and_then(|casts| casts.from_text.as_ref()) {
            self.sql.push_str(function);
            self.sql.push('(');
            self.quoted(&value.to_string());
            return self.sql.push_str("::text)");
        }
        match self.dialect.constant(value, ty) {
            Some(text) => self.sql.push_str(&text),
            None => self.quoted(&value.to_string()),
        }
        let mut placeholder = String::new();
        self.dialect.placeholder(1, ty, declared, &mut placeholder);
        // The sign of the placeholder and its number.
        self.sql.push_str(placeholder.get(2..).unwrap_or_default());
    }

    fn placeholder(&mut self, number: usize, ty: &Type, declared: &str) {
        if let Some(function) = ty.domain_casts().and_then(|casts| casts.from_text.as_ref()) {
            self.sql.push_str(function);
            self.sql.push('(');
            self.placeholder(number, &Type::Text, "text");
            return self.sql.push_str("::text)");
        }
        let begin = self.sql.len();
        self.dialect.placeholder(number, ty, declared, &mut self.sql);
        if self.of_rows {
            // The sign of the placeholder; its number and cast stay.
            self.sql.replace_range(begin..=begin, "r.p");
        }
    }

    /// A placeholder for a text, the same one each time where the first time's number is given.
    pub(crate) fn bind_once(&mut self, known: Option<usize>, text: &str) -> usize {
        let number = known.unwrap_or(self.parameters.len() + 1);
        if known.is_none() {
            let value = Value::Text(text.to_owned());
            self.parameters.push(Parameter::Value { value, ty: Type::Text });
        }
        self.placeholder(number, &Type::Text, "text");
        number
    }

    /// A placeholder for a value that a column is set to: the engine reads it by the column's type, so
    /// that a value that does not fit is an error and never cut.
    pub(crate) fn assign(&mut self, value: Value, ty: &Type, declared: &str) {
        self.parameters.push(Parameter::Value { value, ty: ty.clone() });
        self.assigned(self.parameters.len(), ty, declared);
    }

    /// The placeholder of a parameter that a column of a type is set to.
    pub(crate) fn assigned(&mut self, number: usize, ty: &Type, declared: &str) {
        let digits = self.dialect.checked_digits(ty, declared);
        if digits.is_some() {
            self.sql.push_str("duet_numeric(");
        }
        let casts = ty.domain_casts();
        let before = casts.and_then(|casts| casts.from_json.as_ref());
        if let Some(function) = before {
            self.sql.push_str(function);
            self.sql.push('(');
        }
        self.dialect.bare_placeholder(number, &mut self.sql);
        if let Some(NumericDigits { precision, scale }) = digits {
            self.sql.push_str(&format!(", {precision}, {scale})"));
        }
        match (casts, before, ty) {
            (_, Some(_), _) => self.sql.push_str("::text::json)"),
            (Some(_), None, Type::Native(native)) => {
                self.sql.push_str("::text");
                self.cast(&native.cast);
            }
            _ => {}
        }
    }

    /// A column as it is selected: in a form that the writer supports, or in that of its domain. `name` writes it.
    pub(crate) fn shown(&mut self, ty: &Type, name: impl FnOnce(&mut Self)) {
        match ty.domain_casts() {
            Some(casts) => {
                self.sql.push_str(&casts.to_json);
                self.sql.push('(');
                name(self);
                self.sql.push(')');
            }
            None => {
                let Affixes { before, after } = self.dialect.selected(ty);
                self.text(before);
                name(self);
                self.text(after);
            }
        }
    }

    /// The default of a column, as an update sets it.
    pub(crate) fn default_of(&mut self, column: &Column) {
        self.dialect.default_of(column.default.as_deref(), &mut self.sql);
    }

    /// A placeholder for a value in a form, such as that in which its type compares.
    pub(crate) fn bind_in(&mut self, form: Affixes, value: Value, ty: &Type, declared: &str) {
        self.text(form.before);
        self.bind(value, ty, declared);
        self.text(form.after);
    }

    /// The default of a serial column as the catalog has it: `nextval('…'::regclass)`.
    pub(crate) fn serial_default(&mut self, default: &str) {
        debug_assert!(default.starts_with("nextval('") && default.ends_with("'::regclass)"));
        self.sql.push_str(default);
    }

    /// A placeholder for a part of the key.
    pub(crate) fn bind_key(&mut self, part: usize, ty: &Type, declared: &str) {
        let known = self
            .parameters
            .iter()
            .position(|known| matches!(known, Parameter::Key { part: p, .. } if *p == part));
        let number = known.map_or_else(
            || {
                self.parameters.push(Parameter::Key { part, ty: ty.clone() });
                self.parameters.len()
            },
            |position| position + 1,
        );
        self.dialect.key_placeholder(number, ty, declared, &mut self.sql);
    }

    /// A part of the key in the table of keys, `k`.
    pub(crate) fn key_of_table(&mut self, part: usize, ty: &Type, declared: &str) {
        self.text("k.k");
        self.number(part);
        self.dialect.key_of_table(ty, declared, &mut self.sql);
    }

    /// ` = ANY(…)` of a part of the keys. Arrays and rows come as texts, and each is made of its own.
    pub(crate) fn is_any_key(&mut self, part: usize, ty: &Type, declared: &str) {
        let mut cast = String::new();
        self.dialect.key_of_table(ty, declared, &mut cast);
        if cast.is_empty() {
            self.text(" = ANY(");
            self.bind_key(part, ty, declared);
            return self.text(")");
        }
        self.text(" IN (SELECT k");
        self.sql.push_str(&cast);
        self.text(" FROM unnest(");
        self.bind_key(part, ty, declared);
        self.text(") AS k)");
    }

    /// A placeholder for a part of the only key, where the dialect could take many.
    pub(crate) fn bind_one_key(&mut self, part: usize, ty: &Type, declared: &str) {
        self.parameters.push(Parameter::Key { part, ty: ty.clone() });
        let number = self.parameters.len();
        self.dialect.placeholder(number, ty, declared, &mut self.sql);
    }

    /// A placeholder for a part of a row that a column gets: its type is the column's.
    pub(crate) fn assign_part(&mut self, part: usize, ty: &Type, declared: &str) {
        self.parameters.push(Parameter::Key { part, ty: ty.clone() });
        self.assigned(self.parameters.len(), ty, declared);
    }

    /// What makes a text a value of a column's type, as the dialect names it.
    pub(crate) fn cast_from_text(&mut self, ty: &Type, declared: &str) {
        self.dialect.cast_from_text(ty, declared, &mut self.sql);
    }

    /// The type of a column as the catalog declares it.
    pub(crate) fn declared(&mut self, column: &Column) {
        self.sql.push_str(&column.declared);
    }

    /// A cast to a type, as the catalog declares it.
    pub(crate) fn cast(&mut self, declared: &str) {
        self.sql.push_str("::");
        self.sql.push_str(declared);
    }

    /// A type as the catalog declares it.
    pub(crate) fn type_name(&mut self, declared: &str) {
        self.sql.push_str(declared);
    }

    /// A NULL of a type that the dialect has named.
    pub(crate) fn null(&mut self, ty: &str) {
        debug_assert!(!ty.contains([';', '\'', '-']));
        self.sql.push_str("NULL::");
        self.sql.push_str(ty);
    }

    /// Runs `write` for every item, with `separator` between them.
    pub(crate) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        separator: &'static str,
        mut write: impl FnMut(&mut Self, T),
    ) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.text(separator);
            }
            write(self, item);
        }
    }

    /// The text of a statement without values.
    pub(crate) fn finish_text(self) -> String {
        self.sql
    }

    pub(crate) fn finish(self) -> Statement {
        Statement { sql: self.sql.into(), parameters: self.parameters }
    }
}
