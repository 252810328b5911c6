//! Conditions of the syntax tree as expressions over the columns of one row.

use std::borrow::Cow;

use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::shape::Field;
use duet_model::{Code, Compare, Error, Expr, NativeTest, Place, Result, TextTest, Type, Value};
use duet_text::json::{Json, JsonKind};
use duet_text::{JsonStep, like};

use super::column_path::ColumnPath;
use super::conditions::{Condition, OperatorArgument, Quantifier, Test};
use super::operators::{NativeKind, NativeOperator, OperatorKind};
use super::value_text::as_read;
use crate::limits::Limits;
use crate::operator_row::Test as OwnTest;
use crate::{predicate, text_search};

/// The columns that conditions of a row may name.
pub trait Columns {
    /// The column of a name, whose value is of [`Scope::Row`](duet_model::reference::Scope).
    fn column(&self, name: &str) -> Option<Field>;

    /// Whether there is a row of the embed of a name: for `rel=is.null`.
    fn embed(&self, name: &str) -> Option<Expr>;

    /// What a column is to the operators of PostgreSQL; `None` on a store that has none of them.
    fn native_kind(&self, name: &str) -> Option<NativeKind>;

    /// The name of the table, for messages.
    fn table(&self) -> &str;
}

/// A condition as an expression.
///
/// # Errors
/// The errors of PostgREST and of its database, as [`PostgrestCode`] has them.
pub fn condition(condition: &Condition, columns: &dyn Columns, limits: &Limits) -> Result<Expr> {
    let all = |parts: &[Condition]| -> Result<Vec<Expr>> {
        parts.iter().map(|part| self::condition(part, columns, limits)).collect()
    };
    Ok(match condition {
        Condition::And(parts) => Expr::And(all(parts)?),
        Condition::Or(parts) => Expr::Or(all(parts)?),
        Condition::Not(inner) => self::condition(inner, columns, limits)?.negated(),
        Condition::Test(test) => {
            let place = || Place::Parameter(test.parameter.clone());
            let made = TestCompiler { test, limits }.condition(columns);
            made.map_err(|error| error.at(place()))?
        }
    })
}

/// The value that a path means: of a column, or inside it.
///
/// # Errors
/// [`PostgrestCode::NoColumn`], and where the path leads into a column without JSON.
pub fn value_at(path: &ColumnPath, columns: &dyn Columns) -> Result<Field> {
    let Some(field) = columns.column(&path.column) else {
        let message = format!("column {}.{} does not exist", columns.table(), path.column);
        return Err(PostgrestCode::NoColumn.error(message));
    };
    if path.steps.is_empty() {
        return Ok(field);
    }
    let Expr::Field(column) = &field.value else {
        return Err(Error::internal("a column that is computed"));
    };
    let kind = columns.native_kind(&path.column);
    let is_json = field.ty == Type::Json;
    if !is_json && matches!(kind, None | Some(NativeKind::Text)) {
        let message = format!("operator does not exist: {} -> unknown", type_name(&field.ty));
        return Err(PostgrestCode::NoOperator.error(message));
    }
    // PostgreSQL has every value as JSON: arrays and composite values by their elements and attributes.
    let whole = match is_json {
        true => field.value.clone(),
        false => Expr::Function("to_jsonb", vec![field.value.clone()]),
    };
    let member = |step: &JsonStep| match step {
        JsonStep::Member(name) => Some(name.clone()),
        _ => None,
    };
    let names: Option<Vec<String>> = path.steps.iter().map(member).collect();
    let steps = || Expr::Literal(Value::Text(JsonStep::encode(&path.steps)));
    let (value, ty) = match (path.as_text, names) {
        (true, Some(path)) if is_json && kind != Some(NativeKind::Json) => {
            let inside = duet_model::FieldRef { path, ..column.clone() };
            (Expr::Extracted(inside, Type::Json), Type::Text)
        }
        (true, _) => (Expr::Function("json_inside_text", vec![whole, steps()]), Type::Text),
        (false, _) => (Expr::Function("json_inside", vec![whole, steps()]), Type::Json),
    };
    let name = path.column.clone();
    Ok(Field { path: name, value, ty, generated: true, ranges: false, ..field })
}

/// A test that becomes an expression.
struct TestCompiler<'t> {
    test: &'t Test,
    limits: &'t Limits,
}

impl TestCompiler<'_> {
    fn condition(&self, columns: &dyn Columns) -> Result<Expr> {
        let Test { path, operator, operand, .. } = self.test;
        if let (OperatorKind::Is, OperatorArgument::Value(value)) = (operator.kind, operand)
            && path.steps.is_empty()
            && let Some(exists) = columns.embed(&path.column)
        {
            match value.to_ascii_lowercase().as_str() {
                "null" => return Ok(Expr::NotTrue(Box::new(exists))),
                "not_null" => return Ok(exists),
                _ => {}
            }
        }
        let field = value_at(path, columns)?;
        let kind = columns.native_kind(&path.column).map(|kind| match (&path.steps[..], kind) {
            ([], kind) => kind,
            _ if !path.as_text => NativeKind::Jsonb,
            _ => NativeKind::Text,
        });
        let one = |value: &String| self.one(&field, kind, value);
        let expr = match operand {
            OperatorArgument::Value(value) => one(value)?,
            OperatorArgument::List(values) => self.list(&field, kind, values)?,
            OperatorArgument::Quantified(quantifier, values) => {
                self.limits.check_list(values.len(), 0)?;
                let parts: Result<Vec<Expr>> = values.iter().map(one).collect();
                match quantifier {
                    Quantifier::Any => Expr::Or(parts?),
                    Quantifier::All => Expr::And(parts?),
                }
            }
        };
        self.limits.checked(expr, 0)
    }

    fn one(&self, field: &Field, kind: Option<NativeKind>, value: &str) -> Result<Expr> {
        match self.test.operator.kind {
            OperatorKind::Compare(operator) => compare(field, operator, kind, value),
            OperatorKind::Distinct => {
                let equal = compare(field, Compare::Eq, kind, value)?;
                Ok(Expr::NotTrue(Box::new(equal)))
            }
            OperatorKind::Like { ignore_case } => self.like(field, value, ignore_case),
            OperatorKind::Match => {
                self.check_text(field)?;
                let pattern = self.limits.check_regex(value, 0);
                let pattern = pattern.map_err(|error| PostgrestCode::Operand.of(error))?;
                Ok(Expr::Search(Box::new(field.value.clone()), TextTest::matches(pattern)))
            }
            OperatorKind::Is => self.is(field, value),
            OperatorKind::Native(operator) => self.native(field, operator, kind, value),
            OperatorKind::In => self.list(field, kind, std::slice::from_ref(&value.to_owned())),
        }
    }

    fn list(&self, field: &Field, kind: Option<NativeKind>, values: &[String]) -> Result<Expr> {
        self.limits.check_list(values.len(), 0)?;
        if kind == Some(NativeKind::Array) {
            let ty = type_name(&field.ty);
            let message = format!("operator does not exist: {ty} = the type of its elements");
            return Err(PostgrestCode::NoOperator.error(message));
        }
        if values.is_empty() {
            return Ok(Expr::In(Box::new(field.value.clone()), Vec::new()));
        }
        let is_native =
            matches!(kind, Some(NativeKind::Json | NativeKind::Jsonb | NativeKind::Range));
        if is_native || field.ty == Type::Json {
            let equal = values.iter().map(|value| compare(field, Compare::Eq, kind, value));
            return Ok(Expr::Or(equal.collect::<Result<_>>()?));
        }
        let values: Vec<Cow<'_, str>> = values.iter().map(|value| read(field, value)).collect();
        values.iter().try_for_each(|value| check_value(field, value))?;
        let list = Json::new(JsonKind::List(values.iter().map(|value| text(value)).collect()));
        predicate::test(OwnTest::In, field, &list, self.limits)
            .map_err(|error| invalid(field, &values.join(","), error))
    }

    fn like(&self, field: &Field, value: &str, ignore_case: bool) -> Result<Expr> {
        self.check_text(field)?;
        let pattern = value.replace('*', "%");
        match like::is_complete(&pattern) {
            true => Ok(text_search::liked(field, pattern, ignore_case)),
            false => {
                Err(PostgrestCode::Operand.error("LIKE pattern must not end with escape character"))
            }
        }
    }

    fn is(&self, field: &Field, value: &str) -> Result<Expr> {
        let is_null = || Expr::IsNull(Box::new(field.value.clone()));
        let boolean = |truth: &str| -> Result<()> {
            if field.ty == Type::Boolean {
                return Ok(());
            }
            let (word, name) = (truth.to_ascii_uppercase(), type_name(&field.ty));
            let message = format!("argument of IS {word} must be type boolean, not type {name}");
            Err(PostgrestCode::NoBoolean.error(message))
        };
        let is = |truth: &str| -> Result<Expr> {
            boolean(truth)?;
            let equal = compare(field, Compare::Eq, None, truth)?;
            Ok(Expr::NotTrue(Box::new(equal)).negated())
        };
        match value.to_ascii_lowercase().as_str() {
            "null" => Ok(is_null()),
            "unknown" => boolean("unknown").map(|()| is_null()),
            "not_null" => Ok(is_null().negated()),
            truth @ ("true" | "false") => is(truth),
            _ => {
                let message = format!("\"failed to parse filter (is.{value})\" (line 1, column 4)");
                let details = "\"expecting isVal: (null, not_null, true, false, unknown)\"";
                Err(PostgrestCode::Grammar.with_details(message, details.to_owned()))
            }
        }
    }

    fn check_text(&self, field: &Field) -> Result<()> {
        if field.ty.is_text() {
            return Ok(());
        }
        let (ty, operator) = (type_name(&field.ty), self.test.operator.sql);
        let message = format!("operator does not exist: {ty} {operator} unknown");
        Err(PostgrestCode::NoOperator.error(message))
    }

    /// A test by an operator of PostgreSQL.
    fn native(
        &self,
        field: &Field,
        operator: NativeOperator,
        kind: Option<NativeKind>,
        value: &str,
    ) -> Result<Expr> {
        let (name, ty) = (self.test.operator.name, type_name(&field.ty));
        let Some(kind) = kind else {
            return Err(PostgrestGap::Operator.refusal(&format!("{name} on {}", field.path)));
        };
        if !operator.takes(kind) {
            let message = match operator {
                NativeOperator::Words(_) => format!("function to_tsvector({ty}) does not exist"),
                _ => format!("operator does not exist: {ty} {} unknown", self.test.operator.sql),
            };
            return Err(PostgrestCode::NoOperator.error(message));
        }
        check_no_nul(value)?;
        let value = match operator {
            NativeOperator::AnyCaseRegex => {
                let pattern = self.limits.check_regex(value, 0);
                pattern.map_err(|error| PostgrestCode::Operand.of(error))?
            }
            _ => value.to_owned(),
        };
        let test = operator.test(self.test.configuration.as_deref());
        Ok(Expr::Search(Box::new(field.value.clone()), TextTest::Native(test, value)))
    }
}

/// A value as PostgreSQL reads it: blanks around it are passed over in all but texts.
fn read<'v>(field: &Field, value: &'v str) -> Cow<'v, str> {
    if field.ty.is_text() { Cow::Borrowed(value) } else { as_read(&field.ty, value.trim()) }
}

fn check_no_nul(value: &str) -> Result<()> {
    match value.contains('\0') {
        true => Err(Error::new(Code::NulCharacter, "Text cannot contain U+0000.")),
        false => Ok(()),
    }
}

fn text(value: &str) -> Json<'_> {
    Json::new(JsonKind::Text(Cow::Borrowed(value)))
}

fn compare(
    field: &Field,
    operator: Compare,
    kind: Option<NativeKind>,
    value: &str,
) -> Result<Expr> {
    if matches!(kind, Some(NativeKind::Array | NativeKind::Jsonb | NativeKind::Range)) {
        check_no_nul(value)?;
        let test = TextTest::Native(NativeTest::Compare(operator), value.to_owned());
        return Ok(Expr::Search(Box::new(field.value.clone()), test));
    }
    if kind == Some(NativeKind::Json) {
        let message = "operator does not exist: json = unknown";
        return Err(PostgrestCode::NoOperator.error(message));
    }
    if field.ty == Type::Json {
        return Err(PostgrestGap::JsonComparison.refusal(&field.path));
    }
    let value = read(field, value);
    check_value(field, &value)?;
    predicate::compare(field, operator, &text(&value))
        .map_err(|error| invalid(field, &value, error))
}

/// Refuses what PostgreSQL reads as no whole number of the column, which Duet's own filters compare with whole numbers.
fn check_value(field: &Field, value: &str) -> Result<()> {
    let Type::Integer { bits } = field.ty else { return Ok(()) };
    let Ok(number) = value.trim().parse::<i128>() else {
        return Err(invalid(field, value, Error::new(Code::FilterOperand, "")));
    };
    let most = 1_i128 << (bits - 1);
    if (-most..most).contains(&number) {
        return Ok(());
    }
    let shown: String = value.chars().take(64).collect();
    let message = format!("value {shown:?} is out of range for type {}", type_name(&field.ty));
    Err(PostgrestCode::OutOfRange.error(message))
}

/// The error for a value that is none of a type, as PostgreSQL has it; others as they are.
fn invalid(field: &Field, value: &str, error: Error) -> Error {
    if error.code != Code::FilterOperand {
        return error;
    }
    let shown: String = value.chars().take(64).collect();
    let message = format!("invalid input syntax for type {}: {shown:?}", type_name(&field.ty));
    PostgrestCode::Operand.error(message)
}

/// The name of a type as PostgreSQL's messages have it.
pub fn type_name(ty: &Type) -> String {
    let name = match ty {
        Type::Boolean => "boolean",
        Type::Integer { bits: 16 } => "smallint",
        Type::Integer { bits: 32 } => "integer",
        Type::Integer { .. } => "bigint",
        Type::Decimal { .. } => "numeric",
        Type::Float { bits: 32 } => "real",
        Type::Float { .. } => "double precision",
        Type::Text => "text",
        Type::Char => "character",
        Type::Binary => "bytea",
        Type::Time => "time without time zone",
        Type::TimeTz => "time with time zone",
        Type::Timestamp => "timestamp without time zone",
        Type::TimestampTz => "timestamp with time zone",
        ty => return ty.name().to_lowercase(),
    };
    name.to_owned()
}
