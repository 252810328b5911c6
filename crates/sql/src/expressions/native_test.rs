//! Tests by operators that PostgreSQL alone has.

use duet_model::{Column, Expr, NativeTest, Type, Value};

use super::expr::{Printer, truth};
use crate::writer::Writer;

impl Printer<'_> {
    /// A test by an operator of the database's own, which reads the operand as the type of the value.
    pub(super) fn native(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        test: &NativeTest,
        text: &str,
    ) {
        if !writer.dialect.has_native_tests() {
            return truth(writer, false);
        }
        let column = self.source(operand).filter(|_| matches!(operand, Expr::Field(_)));
        let is_vector = column.is_some_and(Column::is_vector);
        let of_text = matches!(test, NativeTest::Words(..) | NativeTest::AnyCaseRegex);
        match test {
            NativeTest::Words(_, configuration) if !is_vector => {
                writer.text("to_tsvector(");
                bind_configuration(writer, configuration.as_deref());
                self.value(writer, operand);
                writer.text(")");
            }
            _ if of_text || column.is_some() => self.value(writer, operand),
            // What is inside JSON.
            _ => {
                writer.text("(");
                self.value(writer, operand);
                writer.text(")::jsonb");
            }
        }
        writer.text(" ");
        writer.text(test.operator());
        writer.text(" ");
        match (test, column) {
            (NativeTest::Words(form, configuration), _) => {
                writer.text(form.function());
                writer.text("(");
                bind_configuration(writer, configuration.as_deref());
                writer.bind(Value::Text(text.to_owned()), &Type::Text, "text");
                writer.text(")");
            }
            (NativeTest::AnyCaseRegex, _) => {
                writer.bind(Value::Text(text.to_owned()), &Type::Text, "text");
            }
            (_, Some(column)) => {
                // Read as its type when it is bound, so that an error names the parameter.
                writer.assign(Value::Text(text.to_owned()), &Type::Text, "");
                writer.cast_from_text(&column.ty, &column.declared);
            }
            (_, None) => {
                writer.assign(Value::Text(text.to_owned()), &Type::Text, "");
                writer.cast_from_text(&Type::Json, "jsonb");
            }
        }
    }
}

fn bind_configuration(writer: &mut Writer<'_>, configuration: Option<&str>) {
    let Some(name) = configuration else { return };
    writer.bind(Value::Text(name.to_owned()), &Type::Text, "text");
    writer.text("::regconfig, ");
}
