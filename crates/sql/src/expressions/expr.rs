//! Expressions over one row as SQL: conditions of requests, row filters and generated members of view
//! definitions.

use crate::parts::affixes::Affixes;
use duet_model::catalog::Placement;
use duet_model::{
    Column, ColumnRef, Comparability, Compare, Expr, FieldRef, IndexKind, JOINED, JsonTest, NodeId,
    PairKind, Scope, Shape, Type, Value,
};
use duet_text::arithmetic::NumberRules;
use duet_text::{Fold, JsonStep};

use super::form::in_form;
use super::json_elements::array;
use super::{index_range, json_range};
use crate::dialect::ExtractionPart;
use crate::parts::joined::JoinedPiece;
use crate::parts::spellings::{literal_prefix, successor};
use crate::parts::trigrams::fts5_parts;
use crate::writer::Writer;

/// What becomes of a condition's truth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// Only true counts: false and unknown are the same.
    Selecting,
    /// It is negated, or its truth is a value: false and unknown differ.
    Exact,
}

/// Writes what joins and negates conditions; `leaf` writes the others.
pub(crate) fn connect(
    writer: &mut Writer<'_>,
    expr: &Expr,
    context: Context,
    leaf: &dyn Fn(&mut Writer<'_>, &Expr, Context),
) {
    let group = |writer: &mut Writer<'_>, parts: &[Expr], separator| {
        balanced(writer, parts, separator, &|writer, part| connect(writer, part, context, leaf));
    };
    match expr {
        Expr::And(parts) if parts.is_empty() => truth(writer, true),
        Expr::Or(parts) if parts.is_empty() => truth(writer, false),
        Expr::And(parts) => group(writer, parts, " AND "),
        Expr::Or(parts) => group(writer, parts, " OR "),
        Expr::Not(inner) => {
            writer.text("(NOT ");
            connect(writer, inner, Context::Exact, leaf);
            writer.text(")");
        }
        Expr::NotTrue(inner) => {
            writer.text("((");
            connect(writer, inner, Context::Selecting, leaf);
            writer.text(") IS NOT TRUE)");
        }
        condition => leaf(writer, condition, context),
    }
}

/// The conditions that stand side by side at most. Databases read a longer row of them as a tree that is as deep as
/// it is long: SQLite refuses one of 1,000 levels.
const SIDE_BY_SIDE: usize = 64;

/// Writes conditions joined by `AND` or `OR`: many of them as a tree of halves, which means the same.
fn balanced(
    writer: &mut Writer<'_>,
    parts: &[Expr],
    separator: &'static str,
    one: &dyn Fn(&mut Writer<'_>, &Expr),
) {
    writer.text("(");
    if parts.len() <= SIDE_BY_SIDE {
        writer.list(parts, separator, one);
    } else {
        let (first, second) = parts.split_at(parts.len() / 2);
        balanced(writer, first, separator, one);
        writer.text(separator);
        balanced(writer, second, separator, one);
    }
    writer.text(")");
}

pub(crate) fn truth(writer: &mut Writer<'_>, value: bool) {
    let truth = writer.dialect.truth(value);
    writer.text(truth);
}

/// Prints expressions whose row is that of a node.
#[derive(Clone, Copy)]
pub(crate) struct Printer<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) node: NodeId,
}

impl<'a> Printer<'a> {
    /// Expressions over the row of a node.
    pub(crate) fn of(shape: &'a Shape, node: NodeId) -> Self {
        Self { shape, node }
    }

    /// Writes a condition, in parentheses where it has parts.
    pub(crate) fn write(self, writer: &mut Writer<'_>, expr: &Expr) {
        self.condition(writer, expr, Context::Selecting);
    }

    /// Writes a generated member as it is selected: decimals in a form that both stores give.
    pub(crate) fn select(self, writer: &mut Writer<'_>, expr: &Expr, ty: &Type) {
        let selected = writer.dialect.selected(ty);
        writer.text(selected.before);
        self.computed(writer, expr, ty);
        writer.text(selected.after);
    }

    /// The type as the database declares it that an expression's value has from a column.
    pub(crate) fn declared(self, expr: &Expr) -> &'a str {
        self.source(expr).map_or("text", |column| &column.declared)
    }

    /// A computed value with the digits that both stores give.
    pub(crate) fn computed(self, writer: &mut Writer<'_>, expr: &Expr, ty: &Type) {
        // What is stored has these digits, and an index holds it as it is.
        if matches!(expr, Expr::Extracted(..)) || expr.whole_column().is_some() {
            return self.value(writer, expr);
        }
        let generated = writer.dialect.generated(ty);
        writer.text(generated.before);
        self.value(writer, expr);
        writer.text(generated.after);
    }

    fn condition(self, writer: &mut Writer<'_>, expr: &Expr, context: Context) {
        connect(writer, expr, context, &|writer, expr, context| self.leaf(writer, expr, context));
    }

    /// Writes a condition without `And`, `Or` or `Not` at its top.
    pub(crate) fn leaf(self, writer: &mut Writer<'_>, expr: &Expr, context: Context) {
        if context == Context::Selecting && self.is_of_index(expr) {
            let before = writer.with_declared_values(true);
            self.plain_leaf(writer, expr, context);
            writer.with_declared_values(before);
        } else {
            self.plain_leaf(writer, expr, context);
        }
    }

    /// Whether a partial index has the documents of which this condition holds.
    fn is_of_index(self, expr: &Expr) -> bool {
        let node = expr.first_field().map(|field| field.column_at(self.node).node);
        node.is_some_and(|node| {
            let document = self.shape.document_of(node);
            document.is_some_and(|it| it.is_of_index(expr, &self.shape.nodes[node].table))
        })
    }

    fn plain_leaf(self, writer: &mut Writer<'_>, expr: &Expr, context: Context) {
        let column = expr.parts().first().and_then(|operand| self.column_of(operand));
        if column
            .is_some_and(|column| index_range::write_index_range(writer, self.shape, column, expr))
        {
            return;
        }
        match expr {
            Expr::In(_, list) if list.is_empty() => truth(writer, false),
            Expr::Compare(operator, left, right) => {
                let narrowed = *operator == Compare::Eq
                    && self.folded_equal(writer, left, std::slice::from_ref(&**right));
                let pair = self.alike([&**left, &**right]);
                let negated = *operator == Compare::Ne && pair.has_equality_alone();
                writer.text(if negated { "(NOT " } else { "" });
                self.compared(writer, left, &pair);
                writer.text(compare(if negated { Compare::Eq } else { *operator }));
                self.compared(writer, right, &pair);
                writer.text(if narrowed || negated { ")" } else { "" });
            }
            Expr::In(operand, list) => {
                let narrowed = self.folded_equal(writer, operand, list);
                let alike = self.alike(std::iter::once(&**operand).chain(list));
                self.compared(writer, operand, &alike);
                writer.text(" IN (");
                writer.list(list, ", ", |writer, item| self.compared(writer, item, &alike));
                writer.text(if narrowed { "))" } else { ")" });
            }
            Expr::Between(operand, low, high) => {
                self.between(writer, operand, low.as_deref(), high.as_deref());
            }
            Expr::Like { operand, pattern, ignore_case } => {
                // Values of other types are outside of every text range, although they may match.
                let may_narrow = !ignore_case && context == Context::Selecting;
                let narrowed = may_narrow && self.parts(writer, operand, pattern);
                self.like(writer, operand, pattern, *ignore_case, may_narrow);
                writer.text(if narrowed { ")" } else { "" });
            }
            Expr::Search(operand, test) => self.search(writer, operand, test, context),
            Expr::IsNull(operand) => {
                self.value(writer, operand);
                writer.text(" IS NULL");
            }
            Expr::Json(field, test) => self.inside(writer, field, test, context),
            Expr::SameRow(inner) => self.condition(writer, inner, context),
            Expr::AnyElement(array, holds) => self.any_element(writer, array, holds),
            value => self.value(writer, value),
        }
    }

    /// A value, in parentheses where it has parts.
    pub(crate) fn value(self, writer: &mut Writer<'_>, expr: &Expr) {
        match expr {
            Expr::Field(field) => {
                let column = field.column_at(self.node);
                in_form(writer, self.shape, column, Affixes::NONE);
            }
            Expr::Extracted(field, ty) => self.extracted(writer, field, ty),
            Expr::Literal(value) => literal(writer, value, None),
            Expr::Operand(value, ty) => writer.bind(value.clone(), ty, "text"),
            Expr::Arithmetic(operator, left, right) => {
                let rules = self.common_rules([&**left, &**right]);
                let [before, between, after] = writer.dialect.calculation(*operator, rules);
                writer.text(before);
                self.shown_value(writer, left);
                writer.text(between);
                self.shown_value(writer, right);
                writer.text(after);
            }
            Expr::Negate(operand) => {
                let operand = std::slice::from_ref(&**operand);
                if !self.in_pieces(writer, "negate", operand) {
                    writer.text("(- ");
                    self.value(writer, &operand[0]);
                    writer.text(")");
                }
            }
            Expr::Function("positions", _) => self.positions_of_row(writer, expr),
            Expr::Function(name, arguments) => self.function(writer, name, arguments),
            Expr::Aggregate(outer, _) => self.aggregate(writer, expr, outer),
            Expr::Case { branches, otherwise } => {
                self.case(writer, branches, otherwise.as_deref());
            }
            condition => {
                writer.text("(");
                self.condition(writer, condition, Context::Exact);
                writer.text(")");
            }
        }
    }

    /// A value inside a stored document, or inside an element of an array in it.
    fn extracted(self, writer: &mut Writer<'_>, field: &FieldRef, ty: &Type) {
        if *ty == Type::Json {
            return self.json_text(writer, field);
        }
        let parts = writer.dialect.extraction(ty);
        if !self.by_parts(writer, field, parts) {
            writer.text("NULL");
        }
    }

    /// The text of any value inside a stored document.
    fn json_text(self, writer: &mut Writer<'_>, field: &FieldRef) {
        let Some(path) = writer.dialect.json_text_path(&field.path) else {
            return writer.text("NULL");
        };
        if self.text_at_steps(writer, field) {
            return;
        }
        let [before, between, after] = writer.dialect.json_text();
        writer.text(before);
        self.document(writer, field);
        writer.text(between);
        writer.bind(Value::Text(path), &Type::Text, "text");
        writer.text(after);
    }

    /// The same for documents that an engine spreads over machines, where it has a form of its own; false, with nothing
    /// written, elsewhere.
    fn text_at_steps(self, writer: &mut Writer<'_>, field: &FieldRef) -> bool {
        let form = writer.dialect.json_text_at_steps().filter(|_| self.shape.is_distributed());
        // A character that no step has stands between them.
        let is_free = |one: &char| !field.path.iter().any(|step| step.contains(*one));
        let separator = ('\u{1}'..).find(is_free).unwrap_or('\u{1}').to_string();
        let steps = field.path.join(&separator);
        let Some([before, between, and, after]) = form.filter(|_| !steps.is_empty()) else {
            return false;
        };
        writer.text(before);
        self.document(writer, field);
        writer.text(between);
        writer.bind(Value::Text(steps), &Type::Text, "text");
        writer.text(and);
        writer.bind(Value::Text(separator), &Type::Text, "text");
        writer.text(after);
        true
    }

    /// The text of the value that steps inside a JSON column lead to.
    fn value_at_steps(self, writer: &mut Writer<'_>, column: &FieldRef, steps: &str) {
        let steps = JsonStep::decode(steps).unwrap_or_default();
        let [before, between, after] = writer.dialect.json_value();
        writer.text(before);
        self.document(writer, column);
        writer.text(between);
        let path = writer.dialect.json_value_path(&steps);
        writer.bind(Value::Text(path), &Type::Text, "text");
        writer.text(after);
    }

    /// The JSON that steps inside a JSON column, or another JSON value, lead to, or its text.
    fn json_inside(self, writer: &mut Writer<'_>, json: &Expr, steps: &Value, as_text: bool) {
        let steps = JsonStep::decode(&steps.to_string()).unwrap_or_default();
        let [before, between, after] = writer.dialect.json_inside(as_text);
        writer.text(before);
        match json {
            // The text as `json` has it, which `jsonb` would write in a form of its own.
            Expr::Field(field) if as_text => {
                let at = field.column_at(self.node);
                writer.column(at.node, &self.shape.column(at).name);
            }
            Expr::Field(column) => self.document(writer, column),
            json => self.value(writer, json),
        }
        writer.text(between);
        let path = writer.dialect.json_inside_path(&steps);
        writer.bind(Value::Text(path), &Type::Text, "text");
        writer.text(after);
    }

    /// The texts at paths of a declaration, joined by blanks.
    fn joined(self, writer: &mut Writer<'_>, column: &FieldRef, paths: &str) {
        for piece in writer.dialect.joined_texts(paths) {
            match piece {
                JoinedPiece::Text(text) => writer.text(text),
                JoinedPiece::Document => self.document(writer, column),
                JoinedPiece::Quoted(text) => writer.quoted(&text),
            }
        }
    }

    /// The stored document that a value is in, or the element of an array.
    pub(crate) fn document(self, writer: &mut Writer<'_>, field: &FieldRef) {
        if field.scope == Scope::Element {
            let element = writer.dialect.element();
            return writer.text(element);
        }
        let at = field.column_at(self.node);
        let column = self.shape.column(at);
        writer.column(at.node, &column.name);
        let cast = writer.dialect.json_column(&column.declared);
        writer.text(cast);
    }

    /// Writes the parts of a value inside a document; false where the engine has no form for its path.
    fn by_parts(self, writer: &mut Writer<'_>, field: &FieldRef, parts: &[ExtractionPart]) -> bool {
        let Some(path) = writer.dialect.extraction_path(&field.path) else { return false };
        for part in parts {
            match part {
                ExtractionPart::Text(text) => writer.text(text),
                ExtractionPart::Column => self.document(writer, field),
                ExtractionPart::Path => writer.quoted(&path),
            }
        }
        true
    }

    /// A condition that some element of an array of objects satisfies.
    fn any_element(self, writer: &mut Writer<'_>, array: &FieldRef, holds: &Expr) {
        if writer.dialect.extraction_path(&array.path).is_none() {
            return truth(writer, false);
        }
        writer.text("EXISTS (SELECT 1 FROM ");
        let elements = writer.dialect.elements();
        self.by_parts(writer, array, elements);
        writer.text(" WHERE ");
        self.condition(writer, holds, Context::Selecting);
        writer.text(")");
    }

    /// The node whose row a value is of.
    pub(crate) fn node_of(self, expr: &Expr) -> Option<NodeId> {
        expr.first_field().map(|field| field.column_at(self.node).node)
    }

    /// The column that a value is.
    pub(crate) fn column_of(self, expr: &Expr) -> Option<ColumnRef> {
        match expr {
            Expr::Field(field) if field.path.is_empty() => Some(field.column_at(self.node)),
            _ => None,
        }
    }

    fn column(self, field: &FieldRef) -> &'a Column {
        self.shape.column(field.column_at(self.node))
    }

    /// What values that are compared with each other have in common.
    fn alike<'e>(self, operands: impl IntoIterator<Item = &'e Expr> + Clone) -> SharedType<'e, 'a> {
        let parameter_type = operands.clone().into_iter().find_map(|operand| match operand {
            Expr::Operand(_, ty) => Some(ty),
            _ => None,
        });
        let lead = self.lead(operands.clone());
        let is_beyond = lead
            .is_some_and(|lead| operands.clone().into_iter().any(|it| is_beyond(&lead.ty, it)))
            && operands.into_iter().any(|operand| self.says_where_rows_are(operand));
        SharedType { lead, parameter_type, is_beyond }
    }

    /// Whether a value is the column by which an engine distributes the rows of a table.
    fn says_where_rows_are(self, operand: &Expr) -> bool {
        let Some(at) = self.column_of(operand) else { return false };
        match &self.shape.nodes[at.node].table.placement {
            Placement::Distributed { column, .. } => *column == self.shape.column(at).name,
            Placement::Mixed => true,
            Placement::Local | Placement::Reference | Placement::Single { .. } => false,
        }
    }

    /// The column whose type the literals beside it have; where dates meet timestamps, a
    /// timestamp.
    fn lead<'e>(self, operands: impl IntoIterator<Item = &'e Expr>) -> Option<&'a Column> {
        let has_time = |ty: &Type| matches!(ty, Type::Timestamp | Type::TimestampTz);
        let columns = operands.into_iter().filter_map(|operand| self.source(operand));
        columns.reduce(
            |lead, next| {
                if has_time(&next.ty) && !has_time(&lead.ty) { next } else { lead }
            },
        )
    }

    /// The column that an expression takes its value from, unchanged.
    pub(crate) fn source(self, expr: &Expr) -> Option<&'a Column> {
        match expr {
            Expr::Field(field) => Some(self.column(field)),
            Expr::Function("coalesce" | "nullif", arguments) => self.lead(arguments),
            Expr::Case { branches, otherwise } => {
                self.lead(branches.iter().map(|(_, result)| result).chain(otherwise.as_deref()))
            }
            _ => None,
        }
    }

    /// Whether different texts of a value may be equal: by the collation of its column, or as citext.
    pub(crate) fn is_loose(self, expr: &Expr) -> bool {
        self.source(expr).is_some_and(|column| column.loose_equality)
    }

    /// An operand of a comparison, in the form in which the type compares.
    fn compared(self, writer: &mut Writer<'_>, expr: &Expr, alike: &SharedType<'_, '_>) {
        match (expr, alike.lead, alike.parameter_type) {
            (Expr::Literal(value), lead, _) => literal(writer, value, lead),
            (Expr::Operand(value, _), Some(lead), _) => {
                let ty = operand_type(&lead.ty, value);
                let form = writer.dialect.comparable(&ty);
                writer.bind_in(form, value.clone(), &ty, &lead.declared);
            }
            (_, Some(lead), _) if self.source(expr).is_some() => {
                let Affixes { before, after } = match alike.is_beyond {
                    true => writer.dialect.beyond_type(),
                    false => writer.dialect.comparable(&lead.ty),
                };
                writer.text(before);
                self.value(writer, expr);
                writer.text(after);
            }
            // A condition on a computed value applies to the value that is shown.
            (computed, _, Some(ty)) if !matches!(computed, Expr::Operand(..)) => {
                self.computed(writer, computed, ty);
            }
            _ => self.value(writer, expr),
        }
    }

    fn between(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        low: Option<&Expr>,
        high: Option<&Expr>,
    ) {
        let given = [(low, " >= "), (high, " <= ")];
        let given = given.into_iter().filter_map(|(end, op)| end.map(|end| (end, op)));
        let alike = self.alike([Some(operand), low, high].into_iter().flatten());
        writer.text("(");
        if low.is_none() && high.is_none() {
            self.value(writer, operand);
            writer.text(" IS NOT NULL");
        }
        writer.list(given, " AND ", |writer, (end, op)| {
            self.compared(writer, operand, &alike);
            writer.text(op);
            self.compared(writer, end, &alike);
        });
        writer.text(")");
    }

    fn like(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        pattern: &Expr,
        ignore_case: bool,
        may_narrow: bool,
    ) {
        let parts = writer.dialect.like(ignore_case, self.is_loose(operand));
        let Expr::Operand(Value::Text(text), _) = pattern else {
            let [before, between, after] = parts;
            writer.text(before);
            self.value(writer, operand);
            writer.text(between);
            self.value(writer, pattern);
            return writer.text(after);
        };
        let column = self.column_of(operand).filter(|_| may_narrow);
        let range =
            column.and_then(|column| index_range::prefix_range(writer, self.shape, column, text));
        let Some((column, range)) = column.zip(range) else {
            let narrowed = may_narrow && self.begins(writer, operand, text);
            self.call(writer, operand, parts, text);
            return writer.text(if narrowed { ")" } else { "" });
        };
        writer.text("(");
        index_range::begins(writer, self.shape, column, range);
        self.call(writer, operand, parts, text);
        writer.text(")");
    }

    /// What an index of parts of texts finds for a pattern, followed by `AND`; false, with nothing written, where there
    /// is none.
    fn parts(self, writer: &mut Writer<'_>, operand: &Expr, pattern: &Expr) -> bool {
        let Expr::Operand(Value::Text(pattern), _) = pattern else { return false };
        let index = self.search_index(operand, IndexKind::Trigram, Context::Selecting);
        let found = index.and_then(|index| Some((index, fts5_parts(pattern)?)));
        let Some((index, query)) = found else { return false };
        writer.text("(");
        self.found_by(writer, index, query);
        writer.text(" AND ");
        true
    }

    /// The range in which an index of a collection has the texts that a pattern matches, followed by `AND`; false, with
    /// nothing written, where there is none. Such values compare by code point on every store.
    fn begins(self, writer: &mut Writer<'_>, operand: &Expr, pattern: &str) -> bool {
        let is_value = match operand {
            Expr::Function(name, _) => Fold::named(name).is_some(),
            operand => matches!(operand, Expr::Extracted(..)),
        };
        let prefix = literal_prefix(pattern);
        if !is_value || self.shape.document().is_none() || prefix.is_empty() {
            return false;
        }
        let behind = successor(&prefix);
        writer.text("(");
        for (operator, end) in [(" >= ", Some(prefix)), (" < ", behind)] {
            let Some(end) = end else { continue };
            self.value(writer, operand);
            writer.text(operator);
            writer.bind(Value::Text(end), &Type::Text, "text");
            writer.text(" AND ");
        }
        true
    }

    /// A function of two texts; the text of a column is its selected form.
    pub(crate) fn call(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        [before, between, after]: [&'static str; 3],
        text: &str,
    ) {
        writer.text(before);
        self.shown_value(writer, operand);
        writer.text(between);
        writer.bind(Value::Text(text.to_owned()), &Type::Text, "text");
        writer.text(after);
    }

    /// A test of the values inside a JSON column; where it is negated, NULL has none of them.
    fn inside(self, writer: &mut Writer<'_>, field: &FieldRef, test: &JsonTest, context: Context) {
        let is_element = field.scope == Scope::Element;
        let column = field.column_at(self.node);
        let [before, between, after] = writer.dialect.json_test();
        let elements = self.indexed_elements(writer, field, test);
        let path = if elements.is_some() { &[] } else { field.path.as_slice() };
        let operand = writer.dialect.json_operand(path, test);
        writer.text(if context == Context::Exact { "coalesce(" } else { "(" });
        if context == Context::Selecting && !is_element {
            json_range::narrow(writer, self.shape, column, &field.path, test);
        }
        writer.text(before);
        match (is_element, elements) {
            (true, _) => self.document(writer, field),
            (_, Some(parts)) => array(writer, self.shape, column, &field.path, parts),
            _ => in_form(writer, self.shape, column, Affixes::NONE),
        }
        writer.text(between);
        writer.bind(Value::Text(operand), &Type::Text, "text");
        writer.text(after);
        if context == Context::Exact {
            writer.text(", ");
            truth(writer, false);
        }
        writer.text(")");
    }

    /// How the values that a test is of are written where an index of the collection has them.
    fn indexed_elements(
        self,
        writer: &Writer<'_>,
        field: &FieldRef,
        test: &JsonTest,
    ) -> Option<[&'static str; 3]> {
        let parts = writer.dialect.json_elements()?;
        let at = field.column_at(self.node);
        let is_of_row = field.scope != Scope::Element && test.is_equality();
        let document =
            self.shape.document_of(at.node).filter(|it| is_of_row && it.column == at.column)?;
        document.elements_index(&field.path, &self.shape.nodes[at.node].table).map(|_| parts)
    }

    fn function(self, writer: &mut Writer<'_>, name: &'static str, arguments: &[Expr]) {
        if let (Some(fold), [argument]) = (Fold::named(name), arguments) {
            let [before, after] = writer.dialect.fold(fold);
            writer.text(before);
            self.value(writer, argument);
            return writer.text(after);
        }
        if let ("number" | "moment", [argument]) = (name, arguments) {
            let (last, before) = match name {
                "number" => writer.dialect.number_of_text(),
                _ => writer.dialect.moment_of_text(),
            };
            for text in before {
                writer.text(text);
                self.value(writer, argument);
            }
            return writer.text(last);
        }
        if let ("distance", [one, other]) = (name, arguments) {
            let [before, between, after] = writer.dialect.distance();
            writer.text(before);
            self.value(writer, one);
            writer.text(between);
            self.value(writer, other);
            return writer.text(after);
        }
        if let (Some(kind), [first, second]) = (PairKind::of_function(name), arguments) {
            return self.pair(writer, kind, [first, second]);
        }
        if let ("point_distance", [point, from]) = (name, arguments) {
            return self.point_distance(writer, point, from);
        }
        if let ("relevance", [text, words]) = (name, arguments) {
            return self.relevance(writer, text, words);
        }
        if let (JOINED, [Expr::Field(column), Expr::Literal(Value::Text(paths))]) =
            (name, arguments)
        {
            return self.joined(writer, column, paths);
        }
        if let ("json_value", [Expr::Field(column), Expr::Literal(Value::Text(steps))]) =
            (name, arguments)
        {
            return self.value_at_steps(writer, column, steps);
        }
        if let ("json_inside" | "json_inside_text", [json, Expr::Literal(steps)]) =
            (name, arguments)
        {
            return self.json_inside(writer, json, steps, name == "json_inside_text");
        }
        if let ("shown", [value]) = (name, arguments) {
            return match self.source(value) {
                Some(column) => writer.shown(&column.ty, |writer| self.value(writer, value)),
                None => self.value(writer, value),
            };
        }
        if let (Some(ty), [value]) = (name.strip_prefix(CAST), arguments) {
            writer.text("(");
            self.value(writer, value);
            writer.text(")::");
            return writer.text(ty);
        }
        self.called(writer, name, arguments);
    }

    /// A function of definitions.
    fn called(self, writer: &mut Writer<'_>, name: &'static str, arguments: &[Expr]) {
        if let ("nullif", [value, other]) = (name, arguments)
            && self.lead(arguments).is_some_and(|lead| !lead.ty.is_number())
        {
            return self.unless_equal(writer, value, other);
        }
        if self.in_pieces(writer, name, arguments) {
            return;
        }
        // The values that one of these chooses from have one type.
        let chooses = matches!(name, "coalesce" | "nullif");
        let lead = if chooses { self.lead(arguments) } else { None };
        writer.text(name);
        writer.text("(");
        writer.list(arguments, ", ", |writer, argument| self.chosen(writer, argument, lead));
        writer.text(")");
    }

    /// Writes a function in the engine's form that means the same everywhere; false, with nothing written, where its name
    /// does.
    fn in_pieces(self, writer: &mut Writer<'_>, name: &str, arguments: &[Expr]) -> bool {
        let rules = arguments.first().map_or(NumberRules::Whole, |it| self.number_rules(it));
        let Some(pieces) = writer.dialect.function(name, arguments.len(), rules) else {
            return false;
        };
        let mut pieces = pieces.iter();
        for argument in arguments {
            writer.text(pieces.next().unwrap_or(&""));
            self.shown_value(writer, argument);
        }
        pieces.for_each(|piece| writer.text(piece));
        true
    }

    /// `nullif`, whose values are compared as conditions compare them.
    fn unless_equal(self, writer: &mut Writer<'_>, value: &Expr, other: &Expr) {
        let alike = self.alike([value, other]);
        writer.text("(CASE WHEN ");
        self.compared(writer, value, &alike);
        writer.text(compare(Compare::Eq));
        self.compared(writer, other, &alike);
        writer.text(" THEN NULL ELSE ");
        self.chosen(writer, value, alike.lead);
        writer.text(" END)");
    }

    /// A value; the text of a column is its selected form.
    fn shown_value(self, writer: &mut Writer<'_>, expr: &Expr) {
        let form = match self.column_of(expr).map(|column| self.shape.column_type(column)) {
            Some(ty @ Type::Formatted(_)) => writer.dialect.selected(ty),
            _ => Affixes::NONE,
        };
        writer.text(form.before);
        self.value(writer, expr);
        writer.text(form.after);
    }

    fn case(self, writer: &mut Writer<'_>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>) {
        let results = branches.iter().map(|(_, result)| result);
        let lead = self.lead(results.chain(otherwise));
        writer.text("(CASE");
        for (condition, result) in branches {
            writer.text(" WHEN ");
            self.condition(writer, condition, Context::Selecting);
            writer.text(" THEN ");
            self.chosen(writer, result, lead);
        }
        if let Some(otherwise) = otherwise {
            writer.text(" ELSE ");
            self.chosen(writer, otherwise, lead);
        }
        writer.text(" END)");
    }

    /// A value in a comparison with others of its type, without conversion.
    fn chosen(self, writer: &mut Writer<'_>, expr: &Expr, lead: Option<&Column>) {
        match (expr, lead) {
            (Expr::Literal(Value::Text(text)), Some(lead)) => {
                writer.bind(Value::Text(text.clone()), &lead.ty, &lead.declared);
            }
            _ => self.value(writer, expr),
        }
    }
}

/// The name of a function that casts, before its type.
const CAST: &str = "cast to ";

/// What values that are compared with each other have in common.
struct SharedType<'e, 'a> {
    /// The column whose type they have.
    lead: Option<&'a Column>,
    /// The type of a value of the request among them.
    parameter_type: Option<&'e Type>,
    /// Whether one of them is a number that does not fit the type, and the column says on which machine a row is.
    is_beyond: bool,
}

impl SharedType<'_, '_> {
    /// Whether the type is one of those of which not all have `<>`.
    fn has_equality_alone(&self) -> bool {
        self.lead.is_some_and(|lead| lead.ty.comparison() == Comparability::Equality)
    }
}

/// A literal of a definition. Numbers are printed, because their type follows from their digits;
/// text is bound, so that no quoting rule of an engine matters.
fn literal(writer: &mut Writer<'_>, value: &Value, lead: Option<&Column>) {
    let text = Type::Text;
    let (ty, declared) = lead.map_or((&text, "text"), |lead| (&lead.ty, lead.declared.as_str()));
    match value {
        Value::Null => writer.text("NULL"),
        Value::Bool(value) => truth(writer, *value),
        Value::Int(value) => writer.int(*value),
        Value::Float(value) => writer.float(*value),
        Value::Text(_) | Value::RawText(_) | Value::Bytes(_) => {
            let form = writer.dialect.comparable(ty);
            writer.bind_in(form, value.clone(), ty, declared);
        }
    }
}

/// The type by which a value of a request is bound: an integer column compared with a
/// decimal text is compared as a decimal.
fn operand_type(column: &Type, value: &Value) -> Type {
    match (column, value) {
        (Type::Integer { .. }, Value::Text(_)) => Type::Decimal { scale: None },
        (Type::Integer { .. }, Value::Float(_)) => Type::Float { bits: 64 },
        _ => column.clone(),
    }
}

/// Whether an operand is a number that an integer column cannot have.
fn is_beyond(column: &Type, operand: &Expr) -> bool {
    match (column, operand) {
        (Type::Integer { bits: 16 }, Expr::Operand(Value::Int(it), _)) => {
            i16::try_from(*it).is_err()
        }
        (Type::Integer { bits: 32 }, Expr::Operand(Value::Int(it), _)) => {
            i32::try_from(*it).is_err()
        }
        _ => false,
    }
}

fn compare(op: Compare) -> &'static str {
    match op {
        Compare::Eq => " = ",
        Compare::Ne => " <> ",
        Compare::Lt => " < ",
        Compare::Lte => " <= ",
        Compare::Gt => " > ",
        Compare::Gte => " >= ",
    }
}
