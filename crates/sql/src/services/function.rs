//! What a function gives as a relation, of which requests filter, order and count the rows.

use duet_model::catalog::{Argument, Routine};
use duet_model::{Column, Piece, QueryParameter, Relation, ServiceQuery, Type};

use super::routine::RoutineResult;
use crate::dialect::Dialect;
use crate::parts::affixes::Affixes;
use crate::writer::Writer;

/// How the arguments of a function are given. Positions are those among the arguments of the routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionInput {
    /// Each as a text, which the database reads as its type: a parameter for each position.
    Texts(Vec<usize>),
    /// As members of one JSON object, which the database converts: one parameter.
    Members(Vec<usize>),
    /// As the only argument, which has no name: one parameter.
    Whole(usize),
}

/// The statement whose rows are those of a function. A result without columns is one column called `value`; values with
/// attributes, and arrays of such, become JSON.
pub fn function_query(
    dialect: &dyn Dialect,
    routine: &Routine,
    returned: &RoutineResult,
    input: &FunctionInput,
    value: &str,
) -> ServiceQuery {
    let mut form = FunctionForm { routine, writer: Writer::new(dialect), cuts: Vec::new() };
    form.write(returned, input, value);
    let parameters = match input {
        FunctionInput::Texts(positions) => positions.len(),
        FunctionInput::Members(_) | FunctionInput::Whole(_) => 1,
    };
    let FunctionForm { writer, cuts, .. } = form;
    let sql = writer.finish().sql;
    let (mut pieces, mut from) = (Vec::with_capacity(2 * cuts.len() + 1), 0);
    for (end, index) in cuts {
        pieces.push(Piece::Text { text: sql[from..end].to_owned(), at: 0 });
        pieces.push(Piece::Parameter { index, at: 0 });
        from = end;
    }
    pieces.push(Piece::Text { text: sql[from..].to_owned(), at: 0 });
    let text =
        |at| QueryParameter { name: format!("p{at}"), ty: Type::Text, declared: "text".to_owned() };
    ServiceQuery { pieces, parameters: (0..parameters).map(text).collect() }
}

/// The rows that a function gives for the row of a relation, with the key of that row behind them.
#[derive(Clone, Copy, Debug)]
pub struct RowFunction<'a> {
    /// The function.
    pub routine: &'a Routine,
    /// The relation whose row is its argument.
    pub of: &'a Relation,
    /// The positions of the columns of that relation's key.
    pub key: &'a [usize],
    /// The columns of what it gives.
    pub columns: &'a [Column],
    /// The names of the columns with the key.
    pub names: &'a [String],
}

/// The statement whose rows are those that a function gives for all rows of a relation.
pub fn row_function_query(dialect: &dyn Dialect, function: &RowFunction<'_>) -> ServiceQuery {
    let RowFunction { routine, of, key, columns, names } = *function;
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.list(columns, ", ", |writer, column| {
        writer.text("f.");
        writer.identifier(&column.name);
    });
    for (&column, name) in key.iter().zip(names) {
        writer.text(", p.");
        writer.identifier(&of.columns[column].name);
        writer.text(" AS ");
        writer.identifier(name);
    }
    writer.text(" FROM ");
    writer.relation(of);
    writer.text(" AS p CROSS JOIN LATERAL ");
    let is_cut = routine.returns_set && routine.one_row;
    writer.text(if is_cut { "(SELECT * FROM " } else { "" });
    writer.identifier(&routine.schema);
    writer.text(".");
    writer.identifier(&routine.name);
    writer.text(if is_cut { "(p) LIMIT 1) AS f" } else { "(p) AS f" });
    let text = writer.finish().sql.to_string();
    ServiceQuery { pieces: vec![Piece::Text { text, at: 0 }], parameters: Vec::new() }
}

struct FunctionForm<'a> {
    routine: &'a Routine,
    writer: Writer<'a>,
    /// Where in the text the value of a parameter belongs.
    cuts: Vec<(usize, usize)>,
}

impl FunctionForm<'_> {
    fn write(&mut self, returned: &RoutineResult, input: &FunctionInput, value: &str) {
        self.writer.text("SELECT ");
        match returned {
            // The server does not run a function whose value it is not asked for, unless that is volatile.
            RoutineResult::Nothing => {
                self.writer.text("CASE WHEN f.");
                self.writer.identifier(value);
                self.writer.text("::text IS NULL THEN NULL::text END AS ");
                self.writer.identifier(value);
            }
            RoutineResult::Value(ty) => self.column(value, ty),
            RoutineResult::Columns(columns) => {
                for (at, (name, ty)) in columns.iter().enumerate() {
                    self.writer.text(if at > 0 { ", " } else { "" });
                    self.column(name, ty);
                }
            }
        }
        self.writer.text(" FROM ");
        if let FunctionInput::Members(positions) = input
            && !positions.is_empty()
        {
            self.members(positions);
            self.writer.text(", LATERAL ");
        }
        match returned {
            RoutineResult::Columns(_) => {
                self.call(input);
                self.writer.text(" AS f");
            }
            RoutineResult::Nothing | RoutineResult::Value(_) => {
                self.writer.text("(SELECT ");
                self.call(input);
                self.writer.text(" AS ");
                self.writer.identifier(value);
                self.writer.text(") AS f");
            }
        }
    }

    /// A column of the result.
    fn column(&mut self, name: &str, ty: &Type) {
        let is_json = ty.has_attributes();
        self.writer.text(if is_json { "pg_catalog.to_json(f." } else { "f." });
        self.writer.identifier(name);
        if is_json {
            self.writer.text(") AS ");
            self.writer.identifier(name);
        }
    }

    /// The members of an object as a row of one table.
    fn members(&mut self, positions: &[usize]) {
        self.writer.text("pg_catalog.json_to_record(");
        self.parameter(0);
        self.writer.text("::json) AS a(");
        for (at, position) in positions.iter().enumerate() {
            let Some(argument) = self.routine.arguments.get(*position) else { continue };
            self.writer.text(if at > 0 { ", " } else { "" });
            self.writer.identifier(&argument.name);
            self.writer.text(" ");
            self.writer.type_name(
                base64(&argument.ty).map_or(unlimited(&argument.declared), |it| it.declared),
            );
        }
        self.writer.text(")");
    }

    fn parameter(&mut self, index: usize) {
        self.cuts.push((self.writer.length(), index));
    }

    fn call(&mut self, input: &FunctionInput) {
        self.writer.identifier(&self.routine.schema);
        self.writer.text(".");
        self.writer.identifier(&self.routine.name);
        self.writer.text("(");
        let mut given: Vec<(usize, usize)> = match input {
            FunctionInput::Texts(positions) | FunctionInput::Members(positions) => {
                positions.iter().copied().enumerate().collect()
            }
            FunctionInput::Whole(position) => vec![(0, *position)],
        };
        // A call with names is none of a function whose VARIADIC argument is left out.
        let is_left_out = |(at, argument): (usize, &Argument)| {
            argument.mode == 'v' && given.iter().all(|(_, position)| *position != at)
        };
        let has_names = !self.routine.arguments.iter().enumerate().any(is_left_out);
        if !has_names {
            given.sort_unstable_by_key(|(_, position)| *position);
        }
        for (at, (index, position)) in given.into_iter().enumerate() {
            let Some(argument) = self.routine.arguments.get(position) else { continue };
            self.writer.text(if at > 0 { ", " } else { "" });
            self.argument(input, index, argument, has_names);
        }
        self.writer.text(")");
    }

    fn argument(
        &mut self,
        input: &FunctionInput,
        index: usize,
        argument: &Argument,
        has_name: bool,
    ) {
        if argument.mode == 'v' {
            self.writer.text("VARIADIC ");
        }
        if has_name && !argument.name.is_empty() {
            self.writer.identifier(&argument.name);
            self.writer.text(" => ");
        }
        let base64 = base64(&argument.ty).filter(|_| !matches!(input, FunctionInput::Whole(_)));
        self.writer.text(base64.as_ref().map_or("", |bytes| bytes.affixes.before));
        match input {
            FunctionInput::Members(_) => {
                self.writer.text("a.");
                self.writer.identifier(&argument.name);
            }
            FunctionInput::Texts(_) | FunctionInput::Whole(_) => {
                self.parameter(index);
                let declared = base64.as_ref().map_or(&*argument.declared, |bytes| bytes.declared);
                self.writer.cast(unlimited(declared));
            }
        }
        self.writer.text(base64.map_or("", |bytes| bytes.affixes.after));
    }
}

/// How an argument of bytes is given: in base64, as its bytes are answered.
struct Base64 {
    /// The type of its text.
    declared: &'static str,
    /// What makes bytes of the text.
    affixes: Affixes,
}

/// `None` for other types.
fn base64(ty: &Type) -> Option<Base64> {
    const ONE: Base64 = Base64 {
        declared: "text",
        affixes: Affixes { before: "pg_catalog.decode(", after: ", 'base64')" },
    };
    const LIST: Base64 = Base64 {
        declared: "text[]",
        affixes: Affixes {
            before: "(SELECT CASE WHEN l.v IS NOT NULL THEN ARRAY(SELECT pg_catalog.decode(e.v, 'base64') FROM pg_catalog.unnest(l.v) WITH ORDINALITY AS e(v, n) ORDER BY e.n) END FROM (SELECT ",
            after: " AS v) AS l)",
        },
    };
    match ty {
        Type::Binary => Some(ONE),
        Type::Array(inner) if **inner == Type::Binary => Some(LIST),
        _ => None,
    }
}

/// A type as it takes values of any length: that of an argument has none, and in a cast `character` is one character.
fn unlimited(declared: &str) -> &str {
    match declared {
        "character" => "bpchar",
        "character[]" => "bpchar[]",
        "bit" => "varbit",
        "bit[]" => "varbit[]",
        declared => declared,
    }
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::{RoutineKind, Volatility};
    use duet_model::{Attribute, Value};

    use super::*;
    use crate::postgres_dialect::Postgres;

    fn routine() -> Routine {
        let argument = |name: &str, declared: &str, mode| Argument {
            name: name.into(),
            ty: Type::Text,
            declared: declared.into(),
            mode,
            has_default: false,
        };
        Routine {
            schema: "s".into(),
            name: "f".into(),
            kind: RoutineKind::Function,
            arguments: vec![argument("a", "integer", 'i'), argument("b", "text[]", 'v')],
            returns: None,
            result: None,
            rows_of: None,
            row_of: None,
            one_row: false,
            returns_set: false,
            security_definer: false,
            from_extension: false,
            is_trigger: false,
            commits: false,
            volatility: Volatility::Volatile,
            comment: None,
        }
    }

    fn sql(returned: &RoutineResult, input: &FunctionInput) -> String {
        let dialect = Postgres { icu: true };
        let query = function_query(&dialect, &routine(), returned, input, "value");
        let values = vec![Value::Int(1); query.parameters.len()].into();
        crate::query_statement(&dialect, &query, &values, &[]).sql.to_string()
    }

    #[test]
    fn rows_of_functions() {
        let pair = Type::Composite(vec![Attribute { name: "x".into(), ty: Type::Text }].into());
        let columns = RoutineResult::Columns(vec![("x".into(), Type::Text), ("y".into(), pair)]);
        assert_eq!(
            sql(&columns, &FunctionInput::Texts(vec![0, 1])),
            r#"SELECT f."x", pg_catalog.to_json(f."y") AS "y" FROM "s"."f"("a" => $1::text::integer, VARIADIC "b" => $2::text::text[]) AS f"#
        );
        assert_eq!(
            sql(&RoutineResult::Value(Type::Text), &FunctionInput::Members(vec![0, 1])),
            r#"SELECT f."value" FROM pg_catalog.json_to_record($1::text::json) AS a("a" integer, "b" text[]), LATERAL (SELECT "s"."f"("a" => a."a", VARIADIC "b" => a."b") AS "value") AS f"#
        );
        assert_eq!(
            sql(&RoutineResult::Nothing, &FunctionInput::Members(Vec::new())),
            r#"SELECT CASE WHEN f."value"::text IS NULL THEN NULL::text END AS "value" FROM (SELECT "s"."f"() AS "value") AS f"#
        );
        assert_eq!(
            sql(&RoutineResult::Value(Type::Text), &FunctionInput::Whole(0)),
            r#"SELECT f."value" FROM (SELECT "s"."f"($1::text::integer) AS "value") AS f"#
        );
    }
}
