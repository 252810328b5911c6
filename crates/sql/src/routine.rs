//! The statement that runs a function or procedure.

use duet_model::catalog::{Routine, RoutineKind};
use duet_model::{Type, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// The result of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Returned {
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
    returned: &Returned,
) -> Statement {
    let mut writer = Writer::new(dialect);
    match (routine.kind, returned) {
        (RoutineKind::Procedure, _) => {
            writer.text("CALL ");
            call(&mut writer, routine, arguments);
        }
        (RoutineKind::Function, Returned::Nothing) => {
            writer.text("SELECT 1 FROM ");
            call(&mut writer, routine, arguments);
        }
        (RoutineKind::Function, Returned::Value(ty)) => {
            let (before, after) = dialect.selected(ty);
            writer.text("SELECT ");
            writer.text(before);
            writer.text("f.v");
            writer.text(after);
            writer.text(" FROM ");
            call(&mut writer, routine, arguments);
            writer.text(" AS f(v)");
        }
        (RoutineKind::Function, Returned::Columns(columns)) => {
            writer.text("SELECT ");
            writer.list(columns, ", ", |writer, (name, ty)| {
                let (before, after) = writer.dialect.selected(ty);
                writer.text(before);
                writer.text("f.");
                writer.identifier(name);
                writer.text(after);
            });
            writer.text(" FROM ");
            call(&mut writer, routine, arguments);
            writer.text(" AS f");
        }
    }
    writer.finish()
}

fn call(writer: &mut Writer<'_>, routine: &Routine, arguments: &[(usize, Value)]) {
    writer.identifier(&routine.schema);
    writer.text(".");
    writer.identifier(&routine.name);
    writer.text("(");
    let given = |position: usize| arguments.iter().find(|(at, _)| *at == position);
    let is_procedure = routine.kind == RoutineKind::Procedure;
    let passed = routine.arguments.iter().enumerate().filter(|(position, argument)| {
        given(*position).is_some() || (is_procedure && argument.mode == 'o')
    });
    writer.list(passed, ", ", |writer, (position, argument)| {
        if argument.mode == 'v' {
            writer.text("VARIADIC ");
        }
        if !argument.name.is_empty() {
            writer.identifier(&argument.name);
            writer.text(" => ");
        }
        match given(position) {
            Some((_, value)) => writer.assign(value.clone(), &argument.ty),
            None => writer.text("NULL"),
        }
    });
    writer.text(")");
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::Argument;

    use super::*;
    use crate::dialect::Postgres;

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
            comment: None,
        }
    }

    #[test]
    fn calls() {
        let dialect = Postgres { icu: true };
        let sql = |kind, modes, given: &[usize], returned: &Returned| {
            let arguments: Vec<_> = given.iter().map(|&at| (at, Value::Int(1))).collect();
            call_statement(&dialect, &routine(kind, modes), &arguments, returned).sql.to_string()
        };
        let function = RoutineKind::Function;
        assert_eq!(
            sql(function, "ii", &[1], &Returned::Value(Type::Other)),
            r#"SELECT f.v::text FROM "s"."f"("a1" => $1) AS f(v)"#
        );
        let columns = Returned::Columns(vec![("x".into(), Type::Text), ("y".into(), Type::Other)]);
        assert_eq!(
            sql(function, "io", &[0], &columns),
            r#"SELECT f."x", f."y"::text FROM "s"."f"("a0" => $1) AS f"#
        );
        assert_eq!(
            sql(function, "v", &[0], &Returned::Nothing),
            r#"SELECT 1 FROM "s"."f"(VARIADIC "a0" => $1)"#
        );
        assert_eq!(
            sql(RoutineKind::Procedure, "iob", &[0, 2], &Returned::Nothing),
            r#"CALL "s"."f"("a0" => $1, "a1" => NULL, "a2" => $2)"#
        );
    }
}
