//! The statement that runs a function or procedure: with values, or with the parameters of a service.

use crate::parts::affixes::Affixes;
use duet_model::catalog::{Argument, Routine, RoutineKind};
use duet_model::{Piece, QueryParameter, ServiceQuery, Type, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// The result of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutineResult {
    /// Nothing.
    Nothing,
    /// One value per row.
    Value(Type),
    /// These columns, by their names in the database.
    Columns(Vec<(String, Type)>),
}

/// The statement that runs a routine with these arguments, each by its position among the routine's.
/// Those that are left out have their defaults. A function gives what `returned` says; a procedure one
/// row with its output arguments.
pub fn call_statement(
    dialect: &dyn Dialect,
    routine: &Routine,
    arguments: &[(usize, Value)],
    returned: &RoutineResult,
) -> Statement {
    let mut writer = Writer::new(dialect);
    let positions: Vec<usize> = arguments.iter().map(|(position, _)| *position).collect();
    let form = CallForm { routine, returned, positions: &positions, value: "v", is_query: false };
    form.write(&mut writer, |writer, position, argument| {
        if let Some((_, value)) = arguments.iter().find(|(at, _)| *at == position) {
            writer.assign(value.clone(), &argument.ty, "");
        }
    });
    writer.finish()
}

/// A call of a routine by a service, with its parameters as arguments.
#[derive(Clone, Copy, Debug)]
pub struct ServiceCall<'c> {
    /// What is called.
    pub routine: &'c Routine,
    /// What a function gives.
    pub returned: &'c RoutineResult,
    /// The position of each argument that is given, and that of its parameter.
    pub given: &'c [(usize, usize)],
    /// The service's parameters.
    pub parameters: &'c [QueryParameter],
}

/// The same statement for a service. A single value is a column called `value`; a function that gives one row of NULLs gives
/// no row. All of its pieces are at the position `at` of the service's file.
pub fn call_query(
    dialect: &dyn Dialect,
    call: &ServiceCall<'_>,
    value: &str,
    at: usize,
) -> ServiceQuery {
    let ServiceCall { routine, returned, given, parameters } = *call;
    let mut writer = Writer::new(dialect);
    let positions: Vec<usize> = given.iter().map(|(position, _)| *position).collect();
    let form = CallForm { routine, returned, positions: &positions, value, is_query: true };
    let mut cuts = Vec::with_capacity(given.len());
    form.write(&mut writer, |writer, position, argument| {
        if let Some((_, index)) = given.iter().find(|(of, _)| *of == position) {
            cuts.push((writer.length(), *index));
            writer.cast(&argument.declared);
        }
    });
    let sql = writer.finish().sql;
    let (mut pieces, mut from) = (Vec::with_capacity(2 * cuts.len() + 1), 0);
    for (end, index) in cuts {
        pieces.push(Piece::Text { text: sql[from..end].to_owned(), at });
        pieces.push(Piece::Parameter { index, at });
        from = end;
    }
    pieces.push(Piece::Text { text: sql[from..].to_owned(), at });
    ServiceQuery { pieces, parameters: parameters.to_vec() }
}

/// How a routine is called.
struct CallForm<'a> {
    routine: &'a Routine,
    returned: &'a RoutineResult,
    /// The positions of the arguments that are given.
    positions: &'a [usize],
    /// The name of a single value.
    value: &'a str,
    /// Whether the statement is part of another one, which converts its columns.
    is_query: bool,
}

impl CallForm<'_> {
    /// Writes the statement; `argument` writes the value of an argument.
    fn write(
        &self,
        writer: &mut Writer<'_>,
        argument: impl FnMut(&mut Writer<'_>, usize, &Argument),
    ) {
        match (self.routine.kind, self.returned) {
            (RoutineKind::Procedure, _) => {
                writer.text("CALL ");
                self.call(writer, argument);
            }
            (RoutineKind::Function, RoutineResult::Nothing) => {
                writer.text("SELECT 1 FROM ");
                self.call(writer, argument);
            }
            (RoutineKind::Function, RoutineResult::Value(ty)) => {
                writer.text("SELECT ");
                self.column(writer, self.value, ty);
                // Behind FROM, a composite value would become its attributes.
                let is_composite = matches!(ty, Type::Composite(_));
                writer.text(if is_composite { " FROM (SELECT " } else { " FROM " });
                self.call(writer, argument);
                writer.text(if is_composite { " AS " } else { " AS f(" });
                writer.identifier(self.value);
                writer.text(if is_composite { " OFFSET 0) AS f" } else { ")" });
            }
            (RoutineKind::Function, RoutineResult::Columns(columns)) => {
                writer.text("SELECT ");
                writer.list(columns, ", ", |writer, (name, ty)| self.column(writer, name, ty));
                writer.text(" FROM ");
                self.call(writer, argument);
                writer.text(" AS f");
                if self.is_query && !self.routine.returns_set {
                    writer.text(" WHERE NOT (f IS NULL)");
                }
            }
        }
    }

    fn column(&self, writer: &mut Writer<'_>, name: &str, ty: &Type) {
        let column = |writer: &mut Writer<'_>| {
            writer.text("f.");
            writer.identifier(name);
        };
        match self.is_query {
            true => column(writer),
            false => selected(writer, ty, &column, 0),
        }
    }

    fn call(
        &self,
        writer: &mut Writer<'_>,
        mut write: impl FnMut(&mut Writer<'_>, usize, &Argument),
    ) {
        let Self { routine, positions, .. } = self;
        writer.identifier(&routine.schema);
        writer.text(".");
        writer.identifier(&routine.name);
        writer.text("(");
        let is_procedure = routine.kind == RoutineKind::Procedure;
        let arguments = routine.arguments.iter().enumerate();
        // A call with names is none of a function whose VARIADIC argument is left out.
        let is_left_out = |(position, argument): (usize, &Argument)| {
            argument.mode == 'v' && !positions.contains(&position)
        };
        let has_names = !arguments.clone().any(is_left_out);
        let passed = arguments.filter(|(position, argument)| {
            positions.contains(position) || (is_procedure && argument.mode == 'o')
        });
        writer.list(passed, ", ", |writer, (position, argument)| {
            if argument.mode == 'v' {
                writer.text("VARIADIC ");
            }
            if has_names && !argument.name.is_empty() {
                writer.identifier(&argument.name);
                writer.text(" => ");
            }
            match positions.contains(&position) {
                true => write(writer, position, argument),
                false => writer.text("NULL"),
            }
        });
        writer.text(")");
    }
}

/// A value in the form in which the driver reads it. A composite one is made again of its attributes in that form, and so
/// is each element of an array of such. `depth` is how many elements it is inside.
fn selected(writer: &mut Writer<'_>, ty: &Type, value: &dyn Fn(&mut Writer<'_>), depth: usize) {
    match ty {
        Type::Composite(attributes) => {
            writer.text("(CASE WHEN ");
            value(writer);
            // A value of NULLs is none that is NULL.
            writer.text(" IS NOT DISTINCT FROM NULL THEN NULL ELSE ROW(");
            writer.list(attributes.iter(), ", ", |writer, attribute| {
                let part = |writer: &mut Writer<'_>| {
                    writer.text("(");
                    value(writer);
                    writer.text(").");
                    writer.identifier(&attribute.name);
                };
                selected(writer, &attribute.ty, &part, depth);
            });
            writer.text(") END)");
        }
        Type::Array(inner) if inner.has_attributes() => {
            let element = |writer: &mut Writer<'_>| {
                writer.text("e");
                writer.number(depth);
                writer.text(".v");
            };
            writer.text("(CASE WHEN ");
            value(writer);
            writer.text(" IS NOT NULL THEN ARRAY(SELECT ");
            selected(writer, inner, &element, depth + 1);
            writer.text(" FROM (SELECT pg_catalog.unnest(");
            value(writer);
            writer.text(") AS v OFFSET 0) AS e");
            writer.number(depth);
            writer.text(") END)");
        }
        ty => {
            let Affixes { before, after } = writer.dialect.selected(ty);
            writer.text(before);
            value(writer);
            writer.text(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Attribute;
    use duet_model::catalog::Argument;

    use super::*;
    use crate::postgres_dialect::Postgres;

    fn routine(kind: RoutineKind, modes: &str) -> Routine {
        let argument = |(at, mode): (usize, char)| Argument {
            name: format!("a{at}"),
            ty: Type::Text,
            declared: "text".into(),
            mode,
            has_default: false,
        };
        Routine {
            schema: "s".into(),
            name: "f".into(),
            kind,
            arguments: modes.chars().enumerate().map(argument).collect(),
            returns: None,
            result: None,
            returns_set: false,
            security_definer: false,
            from_extension: false,
            is_trigger: false,
            commits: false,
            volatility: Default::default(),
            rows_of: None,
            row_of: None,
            one_row: false,
            comment: None,
        }
    }

    #[test]
    fn calls() {
        let dialect = Postgres { icu: true };
        let sql = |kind, modes, given: &[usize], returned: &RoutineResult| {
            let arguments: Vec<_> = given.iter().map(|&at| (at, Value::Int(1))).collect();
            call_statement(&dialect, &routine(kind, modes), &arguments, returned).sql.to_string()
        };
        let function = RoutineKind::Function;
        assert_eq!(
            sql(function, "ii", &[1], &RoutineResult::Value(Type::Other)),
            r#"SELECT f."v"::text FROM "s"."f"("a1" => $1) AS f("v")"#
        );
        let columns =
            RoutineResult::Columns(vec![("x".into(), Type::Text), ("y".into(), Type::Other)]);
        assert_eq!(
            sql(function, "io", &[0], &columns),
            r#"SELECT f."x", f."y"::text FROM "s"."f"("a0" => $1) AS f"#
        );
        let attribute = |name: &str, ty| Attribute { name: name.into(), ty };
        let pair = vec![attribute("x", Type::Text), attribute("y", Type::Other)];
        let pair = Type::Composite(pair.into());
        assert_eq!(
            sql(function, "io", &[0], &RoutineResult::Value(pair.clone())),
            r#"SELECT (CASE WHEN f."v" IS NOT DISTINCT FROM NULL THEN NULL ELSE ROW((f."v")."x", (f."v")."y"::text) END) FROM (SELECT "s"."f"("a0" => $1) AS "v" OFFSET 0) AS f"#
        );
        let pairs = RoutineResult::Value(Type::Array(Box::new(pair)));
        assert_eq!(
            sql(function, "i", &[0], &pairs),
            r#"SELECT (CASE WHEN f."v" IS NOT NULL THEN ARRAY(SELECT (CASE WHEN e0.v IS NOT DISTINCT FROM NULL THEN NULL ELSE ROW((e0.v)."x", (e0.v)."y"::text) END) FROM (SELECT pg_catalog.unnest(f."v") AS v OFFSET 0) AS e0) END) FROM "s"."f"("a0" => $1) AS f("v")"#
        );
        assert_eq!(
            sql(function, "v", &[0], &RoutineResult::Nothing),
            r#"SELECT 1 FROM "s"."f"(VARIADIC "a0" => $1)"#
        );
        assert_eq!(
            sql(function, "iiv", &[0, 1], &RoutineResult::Nothing),
            r#"SELECT 1 FROM "s"."f"($1, $2)"#
        );
        assert_eq!(
            sql(RoutineKind::Procedure, "iob", &[0, 2], &RoutineResult::Nothing),
            r#"CALL "s"."f"("a0" => $1, "a1" => NULL, "a2" => $2)"#
        );
    }

    #[test]
    fn a_call_with_the_parameters_of_a_service() {
        let dialect = Postgres { icu: true };
        let parameter = |name: &str| QueryParameter {
            name: name.into(),
            ty: Type::Integer { bits: 64 },
            declared: "int8".into(),
        };
        let parameters = [parameter("a0"), parameter("a1")];
        let sql = |kind, modes, given: &[(usize, usize)], returned: &RoutineResult| {
            let routine = routine(kind, modes);
            let query = call_query(
                &dialect,
                &ServiceCall { routine: &routine, returned, given, parameters: &parameters },
                "f",
                7,
            );
            let arguments = vec![Value::Int(1), Value::Int(2)].into();
            let written = crate::query_statement(&dialect, &query, &arguments, &[]);
            let values: Vec<_> = written
                .parameters
                .iter()
                .map(|parameter| match parameter {
                    crate::Parameter::Value { value, .. } => value.clone(),
                    crate::Parameter::Key { .. } => Value::Null,
                })
                .collect();
            (written.sql.to_string(), values)
        };
        assert_eq!(
            sql(RoutineKind::Function, "ii", &[(1, 0)], &RoutineResult::Value(Type::Other)),
            (
                r#"SELECT f."f" FROM "s"."f"("a1" => $1::int8::text) AS f("f")"#.to_owned(),
                vec![Value::Int(1)]
            )
        );
        let columns = RoutineResult::Columns(vec![("x".into(), Type::Other)]);
        assert_eq!(
            sql(RoutineKind::Function, "ii", &[(0, 1), (1, 0)], &columns),
            (
                r#"SELECT f."x" FROM "s"."f"("a0" => $1::int8::text, "a1" => $2::int8::text) AS f WHERE NOT (f IS NULL)"#
                    .to_owned(),
                vec![Value::Int(2), Value::Int(1)]
            )
        );
        assert_eq!(
            sql(RoutineKind::Procedure, "io", &[(0, 0)], &RoutineResult::Nothing).0,
            r#"CALL "s"."f"("a0" => $1::int8::text, "a1" => NULL)"#
        );
    }
}
