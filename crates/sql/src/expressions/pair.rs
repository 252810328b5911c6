//! What two members of a document are together, in conditions and orders.

use duet_model::catalog::IndexedPart;
use duet_model::{Expr, FieldRef, NodeId, PairKind, TextTest, Type, Value};

use super::expr::{Context, Printer, truth};
use crate::pair_syntax::{FIRST, PairTemplate, SECOND};
use crate::sqlite_pair;
use crate::writer::Writer;

impl<'a> Printer<'a> {
    /// What two members are together; NULL where the engine has no form for the path of one.
    pub(crate) fn pair(self, writer: &mut Writer<'_>, kind: PairKind, members: [&Expr; 2]) {
        let fields = members.map(|member| match member {
            Expr::Extracted(field, _) => Some(field),
            _ => None,
        });
        let has_form = |field: &&FieldRef| writer.dialect.extraction_path(&field.path).is_some();
        let [Some(first), Some(second)] = fields.map(|field| field.filter(has_form)) else {
            return writer.text("NULL");
        };
        let syntax = writer.dialect.pairs();
        let PairTemplate(mut rest) = (syntax.value)(kind);
        while let Some(at) = rest.find([FIRST, SECOND]) {
            writer.text(&rest[..at]);
            let field = if rest[at..].starts_with(FIRST) { first } else { second };
            self.pair_member(writer, field, syntax.member);
            rest = &rest[at + 1..];
        }
        writer.text(rest);
    }

    fn pair_member(
        self,
        writer: &mut Writer<'_>,
        field: &FieldRef,
        [before, between, after]: [&'static str; 3],
    ) {
        let path = writer.dialect.extraction_path(&field.path).unwrap_or_default();
        writer.text(before);
        self.document(writer, field);
        writer.text(between);
        writer.quoted(&path);
        writer.text(after);
    }

    /// A test of what two members are together: of a range, or of a point. Where a table beside has candidates, these alone
    /// are tested.
    pub(crate) fn pair_test(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        kind: PairKind,
        test: &TextTest,
        context: Context,
    ) {
        let syntax = writer.dialect.pairs();
        let (parts, text) = match test {
            TextTest::Range(relation, range) => ((syntax.range)(*relation, kind), range.clone()),
            TextTest::InArea(area) => (syntax.area, area.to_string()),
            _ => return truth(writer, false),
        };
        let narrowed = context == Context::Selecting && self.candidates(writer, operand, test);
        self.call(writer, operand, parts, &text);
        writer.text(if narrowed { ")" } else { "" });
    }

    /// That the row is among the candidates of an R-tree, followed by `AND`; false, with nothing written, where there is
    /// none.
    fn candidates(self, writer: &mut Writer<'_>, operand: &Expr, test: &TextTest) -> bool {
        let Some((node, name, row_number)) = self.pair_index(operand) else { return false };
        let conditions = sqlite_pair::conditions(test);
        if conditions.is_empty() {
            return false;
        }
        writer.text("(");
        writer.column(node, row_number);
        writer.text(" IN (SELECT id FROM ");
        writer.identifier(&self.shape.nodes[node].table.schema);
        writer.text(".");
        writer.identifier(name);
        writer.text(" WHERE");
        writer.list(conditions, " AND", |writer, (test, value)| {
            writer.text(test);
            writer.bind(Value::Float(value), &Type::Float { bits: 64 }, "float8");
        });
        writer.text(") AND ");
        true
    }

    /// The R-tree of what an operand is: the node of its table, its name, and that of the row's number.
    fn pair_index(self, operand: &Expr) -> Option<(NodeId, &'a str, &'static str)> {
        let node = self.node_of(operand)?;
        let document = self.shape.document_of(node)?;
        let Type::Pair(declared) = &document.field_of(operand)?.ty else { return None };
        let indexes = &self.shape.nodes[node].table.indexes;
        indexes.iter().find_map(|index| match &index.part {
            Some(IndexedPart::Pair { pair, row_number }) if **declared == *pair => {
                Some((node, index.name.as_str(), *row_number))
            }
            _ => None,
        })
    }

    /// The distance of a point from another one.
    pub(crate) fn point_distance(self, writer: &mut Writer<'_>, point: &Expr, from: &Expr) {
        let Expr::Operand(Value::Text(from), _) = from else { return writer.text("NULL") };
        let [before, between, after] = writer.dialect.pairs().distance;
        writer.text(before);
        self.value(writer, point);
        writer.text(between);
        writer.bind(Value::Text(from.clone()), &Type::Text, "text");
        writer.text(after);
    }
}
