//! What an error of the driver or a SQLSTATE of the server means for a statement.
//!
//! The client's text never holds SQL or the server's words: those go into the cause, for the log.
//! Codes are those of PostgreSQL's manual, appendix A.
//!
//! What a missing name means follows from where the server found it. A position in the statement:
//! the schema has changed. Inside a function: the function is broken. Neither: a value was
//! malformed (`regclass`, `tsquery`).

use std::error::Error as StdError;

use duet_model::{Code, Error, ForeignCode, RaisedError, Violation};
use tokio_postgres::error::{DbError, ErrorPosition};

pub use duet_pgconnect::chain;
use duet_store::refusal::refusal;

use crate::citus;

/// When to try again after something that passes, in seconds.
pub const RETRY_SECONDS: u32 = 1;

/// What the caller can do about a failure, before it goes to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing.
    None,
    /// The same statement again, on the same connection, once the transaction is over.
    Again,
    /// The whole write again, one thing after the other; see [`Session::finish`](duet_store::Session::finish).
    Singly,
    /// Prepare the statement again: the connection no longer has it, or its result has changed.
    /// If that fails too, the catalog is out of date.
    Prepare,
    /// Load the catalog again: an object that the statement names has changed.
    Reload,
    /// Another connection: this one is of no more use.
    Reconnect,
}

/// What the failure of a statement means for its client, with the cause for the log.
pub fn error_of(error: &tokio_postgres::Error) -> Error {
    let made = match (meaning(error).0, error.as_db_error()) {
        (Code::DistributedStatement, Some(db_error)) => {
            citus::error(db_error.message(), db_error.detail().unwrap_or_default())
        }
        (code, _) => message(code),
    };
    let mut made = made.cause(chain(error));
    made.parameter = error.as_db_error().and_then(DbError::where_).and_then(parameter);
    let made = match error.as_db_error().and_then(violation) {
        Some(violation) => made.violation(violation),
        None => made,
    };
    match error.as_db_error().filter(|_| made.code == Code::ValueOutOfRange) {
        Some(db_error) => {
            made.reported_as(ForeignCode::of_value(db_error.code().code().to_owned()))
        }
        None => made,
    }
}

/// Which rule was broken, where the server names it.
fn violation(db_error: &DbError) -> Option<Violation> {
    let owned = |name: Option<&str>| name.map(str::to_owned);
    let fields = ErrorFields::from(db_error);
    let state = fields.state;
    let is_raised = fields.routine == Some(RAISE) || by_state(fields).0 == Code::TriggerRefused;
    let broken = db_error.constraint().is_some() || state.starts_with("23") || is_raised;
    let raised = || RaisedError {
        message: db_error.message().to_owned(),
        hint: owned(db_error.hint()),
        detail: owned(db_error.detail()),
        state: Some(state.to_owned()),
    };
    let is_passed_on = matches!(db_error.routine(), Some(citus::PASSED_ON | citus::COPIED));
    let passed_on =
        is_passed_on.then(|| citus::PassedRule::of(state, db_error.message())).flatten();
    if let Some(citus::PassedRule { table, column, rule }) = passed_on {
        let columns = column.into_iter().collect();
        return Some(Violation { table, columns, constraint: rule, ..Violation::default() });
    }
    broken.then(|| Violation {
        // Without a table, it is the schema of a domain.
        schema: db_error.table().and_then(|_| owned(db_error.schema())),
        table: owned(db_error.table()),
        columns: match db_error.column() {
            Some(column) => vec![column.to_owned()],
            None if state == "23514" && db_error.constraint().is_none() => {
                db_error.detail().map(partition_key).unwrap_or_default()
            }
            None => Vec::new(),
        },
        constraint: owned(db_error.constraint()),
        call: None,
        raised: is_raised.then(raised),
        ..Violation::default()
    })
}

/// The columns that choose a partition, where the row has none: the detail has them in any language
/// as `(a, b) = (1, 2)`.
fn partition_key(detail: &str) -> Vec<String> {
    let key = detail.split_once(") = (").and_then(|(before, _)| before.rsplit_once('('));
    let names =
        key.map(|(_, names)| names.split(", ").map(|name| name.trim_matches('"').to_owned()));
    names.map(Iterator::collect).unwrap_or_default()
}

/// Whether a rule of a table has refused a row, and Citus, which copied it, does not say which kind of rule.
pub fn hides_rule(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|db_error| {
        db_error.code().code() == "XX000" && db_error.routine() == Some(citus::COPIED)
    })
}

/// What the caller can do about the failure of a statement.
pub fn remedy_for(error: &tokio_postgres::Error) -> Recovery {
    meaning(error).1
}

fn meaning(error: &tokio_postgres::Error) -> (Code, Recovery) {
    match error.as_db_error() {
        Some(db_error) => by_state(db_error.into()),
        None if is_broken(error) => (Code::DatabaseUnavailable, Recovery::Reconnect),
        None => (Code::Internal, Recovery::None),
    }
}

/// A lock was waited for in vain.
pub fn locked() -> Error {
    message(Code::DatabaseLocked)
}

/// The connection ended, or its bytes do not get through.
fn is_broken(error: &tokio_postgres::Error) -> bool {
    let io = |error: &(dyn StdError + 'static)| error.is::<std::io::Error>();
    error.is_closed() || error.source().is_some_and(io)
}

/// The fields of an error that determine its meaning.
#[derive(Clone, Copy, Debug)]
struct ErrorFields<'a> {
    state: &'a str,
    /// The place in the server's source, which no locale translates.
    routine: Option<&'a str>,
    /// The file of the server's source, without folders from PostgreSQL 14 on.
    file: Option<&'a str>,
    origin: Origin,
}

/// Where an error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The statement: it names an object that does not exist, or has another type. The server points at a
    /// place of it.
    Statement,
    /// A value that the statement was given, read while it ran.
    Value,
    /// A statement inside of a function, a trigger or a procedure.
    Function,
}

impl<'a> From<&'a DbError> for ErrorFields<'a> {
    fn from(db_error: &'a DbError) -> Self {
        let context = db_error.where_().filter(|context| !is_of_value(context));
        let origin = match db_error.position() {
            Some(ErrorPosition::Internal { .. }) => Origin::Function,
            Some(ErrorPosition::Original(_)) => Origin::Statement,
            None if context.is_some() => Origin::Function,
            None => Origin::Value,
        };
        let copied = || citus::state_of_copied(db_error.message());
        let is_copied = db_error.routine() == Some(citus::COPIED);
        Self {
            state: is_copied.then(copied).flatten().unwrap_or_else(|| db_error.code().code()),
            routine: match db_error.routine() {
                Some(citus::PASSED_ON) if citus::is_row_security(db_error.message()) => {
                    Some(ROW_SECURITY)
                }
                routine => routine,
            },
            file: db_error.file(),
            origin,
        }
    }
}

/// Whether the context of an error is a value: a line and column of `COPY`, or a parameter.
fn is_of_value(context: &str) -> bool {
    context.starts_with("COPY ") || parameter(context).is_some()
}

/// The parameter that the context of an error names, in any language, as in `unnamed portal parameter
/// $2 = '...'` (from PostgreSQL 14 on). What functions and their statements say ends with the function,
/// in a line of its own.
fn parameter(context: &str) -> Option<u16> {
    let number = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    let is_copy = context.starts_with("COPY ") || context.contains('\n');
    context.split('$').skip(1).filter(|_| !is_copy).find_map(number)
}

/// The message of a statement that took too long.
pub const TIMEOUT: &str = "The database took longer than the limit. Ask for less, or filter more.";

/// States of names that do not exist, or whose type has changed.
const MISSING: [&str; 8] = ["42P01", "42703", "42704", "42883", "42804", "42809", "42846", "3F000"];

/// States of texts that are no `tsquery`, `jsonpath`, `ltree`, `hstore`, `regclass` and the like,
/// where a value is read; the same states of a statement mean that a name is missing or its syntax
/// is wrong.
const MALFORMED: [&str; 8] =
    ["42601", "42602", "42P01", "42703", "42704", "42725", "42883", "3F000"];

impl ErrorFields<'_> {
    /// Whether a value was read that has not the form of its type.
    fn is_malformed_value(self) -> bool {
        self.origin == Origin::Value
            && MALFORMED.contains(&self.state)
            && self.routine != Some("exec_parse_message")
    }
}

fn by_state(db_error: ErrorFields<'_>) -> (Code, Recovery) {
    // A rule takes the place of a statement with RETURNING or ON CONFLICT.
    if (db_error.state, db_error.routine) == ("0A000", Some("RewriteQuery")) {
        return (Code::RowRefused, Recovery::None);
    }
    let is_refusal = matches!(db_error.state, "0A000" | "XX000");
    match is_refusal && db_error.file.is_some_and(citus::refuses) {
        true => (Code::DistributedStatement, Recovery::None),
        false => by_state_of_postgres(db_error),
    }
}

fn by_state_of_postgres(db_error: ErrorFields<'_>) -> (Code, Recovery) {
    let ErrorFields { state, routine, file, origin } = db_error;
    match state {
        // A function has chosen the state for its RAISE: what the server itself would mean by it is not the reason.
        state if routine == Some(RAISE) && !is_kept(state) => {
            (Code::TriggerRefused, Recovery::None)
        }
        // query_canceled; a transaction that idled or lasted too long.
        "57014" => (Code::Timeout, Recovery::None),
        "25P03" | "25P04" => (Code::Timeout, Recovery::Reconnect),
        // character_not_in_repertoire: of Unicode, only NUL is not.
        "22021" => (Code::NulCharacter, Recovery::None),
        // sequence_generator_limit_exceeded.
        "2200H" => (Code::KeysExhausted, Recovery::None),
        // LIKE's escapes, regular expressions.
        "22019" | "22025" | "2201B" => (Code::FilterOperand, Recovery::None),
        // Divisions by zero, logarithms and powers: computations of a view.
        "22012" | "2201E" | "2201F" | "2201G" => (Code::NotComputed, Recovery::None),
        // Whatever else a value that does not fit its type can cause.
        state if state.starts_with("22") => (Code::ValueOutOfRange, Recovery::None),
        _ if db_error.is_malformed_value() => (Code::ValueOutOfRange, Recovery::None),
        // hstore has no state of its own for its syntax.
        "XX000" if matches!(routine, Some("parse_hstore" | "get_val")) => {
            (Code::ValueOutOfRange, Recovery::None)
        }
        // What constraints refuse: unique_violation, foreign_key_violation, restrict_violation,
        // check_violation, with_check_option_violation, not_null_violation, exclusion_violation.
        "23505" => (Code::UniqueViolation, Recovery::None),
        "23503" | "23001" => (Code::ForeignKeyViolation, Recovery::None),
        "23514" | "44000" => (Code::CheckViolation, Recovery::None),
        "23502" => (Code::NotNullViolation, Recovery::None),
        "23P01" => (Code::ExclusionViolation, Recovery::None),
        // triggered_data_change_violation; raise_exception.
        "27000" | "P0001" => (Code::TriggerRefused, Recovery::None),
        // read_only_sql_transaction; a standby refuses to begin a transaction that writes.
        "25006" => (Code::DatabaseReadOnly, Recovery::None),
        "0A000" if routine == Some("call_bool_check_hook") => {
            (Code::DatabaseReadOnly, Recovery::None)
        }
        // object_not_in_prerequisite_state, where a plan begins to read a relation.
        "55000"
            if matches!(
                routine,
                Some("ExecOpenScanRelation" | "ExecCheckRelationsPopulated" | "InitPlan")
            ) =>
        {
            (Code::NotPopulated, Recovery::None)
        }
        // generated_always; views that cannot be changed.
        "428C9" => (Code::NotWritable, Recovery::None),
        "55000" | "0A000"
            if matches!(routine, Some("error_view_not_updatable" | "rewriteTargetView")) =>
        {
            (Code::NotWritable, Recovery::None)
        }
        // Row security's own insufficient_privilege.
        "42501" if routine == Some(ROW_SECURITY) => (Code::RowSecurity, Recovery::None),
        // insufficient_privilege.
        "42501" => (Code::DatabaseDenied, Recovery::None),
        // "cached plan must not change result type"; the prepared statement is gone.
        "0A000" if routine == Some("RevalidateCachedQuery") => {
            (Code::SchemaChanged, Recovery::Prepare)
        }
        "26000" => (Code::SchemaChanged, Recovery::Prepare),
        // A function that is not volatile runs a statement that writes.
        "0A000" if matches!(file, Some("spi.c" | "functions.c")) => {
            (Code::FunctionBroken, Recovery::None)
        }
        // Tables, columns, functions, types or schemas that do not exist, or are of another type.
        state if origin == Origin::Function && MISSING.contains(&state) => {
            (Code::FunctionBroken, Recovery::None)
        }
        state if MISSING.contains(&state) => (Code::SchemaChanged, Recovery::Reload),
        "XX000" if routine == Some("cache_lookup_failed") => {
            (Code::SchemaChanged, Recovery::Reload)
        }
        // serialization_failure (also a standby's conflict with recovery), deadlock_detected.
        "40001" | "40P01" => (Code::DatabaseLocked, Recovery::Again),
        // lock_not_available.
        "55P03" => (Code::DatabaseLocked, Recovery::None),
        // A statement too deep or complex: only a filter makes it so.
        "54001" => (Code::FilterLimit, Recovery::None),
        // A value that no index of its table can hold.
        "54000" if routine.is_some_and(|routine| INDEXING.contains(&routine)) => {
            (Code::ValueOutOfRange, Recovery::None)
        }
        "54000" => (Code::AnswerTooLarge, Recovery::None),
        // Out of disk, memory, connections.
        state if state.starts_with("53") => (Code::Overloaded, Recovery::None),
        // The server goes down or throws the session out; the connection broke.
        state if state.starts_with("57P") || state.starts_with("08") => {
            (Code::DatabaseUnavailable, Recovery::Reconnect)
        }
        // invalid_transaction_termination.
        "2D000" => (Code::RoutineCommits, Recovery::None),
        _ => (Code::Internal, Recovery::None),
    }
}

/// Whether a state means the same where a function raises it: that a rule of a table is broken, and that the transaction may
/// succeed when it is tried again.
fn is_kept(state: &str) -> bool {
    matches!(state.get(..2), Some("23" | "40"))
}

/// Where the server runs a RAISE of PL/pgSQL.
const RAISE: &str = "exec_stmt_raise";

/// Where the server finds that a new row would not be seen.
const ROW_SECURITY: &str = "ExecWithCheckOptions";

/// Where the server finds that a value is too large for an index.
const INDEXING: [&str; 4] =
    ["_bt_check_third_page", "index_form_tuple_context", "index_form_tuple", "gistformtuple"];

/// The client's text for each code of this file.
fn message(code: Code) -> Error {
    let text = match code {
        Code::Timeout => TIMEOUT,
        Code::NulCharacter => "Text cannot contain the NUL character. Leave it out.",
        Code::FilterOperand => "A pattern of the filter is malformed. Check its escapes.",
        Code::FilterLimit => "The filter is too deep or too large. Make it simpler.",
        Code::ValueOutOfRange => {
            "A value of the request does not fit the type of its column. Check its range and form."
        }
        Code::NotComputed => {
            "The database cannot compute a value. The server's operator finds the cause in its log."
        }
        Code::DatabaseDenied => {
            "The database does not let the server do this. Its operator has to grant the server's \
             database user the privilege (SELECT to read, INSERT, UPDATE or DELETE to change)."
        }
        Code::SchemaChanged => "The schema has just changed. Try again in a moment.",
        Code::DatabaseLocked => "Another program has locked the database. Try again in a moment.",
        Code::AnswerTooLarge => "The answer would be too large. Ask for less.",
        Code::FunctionBroken => duet_text::error::BROKEN,
        Code::NotPopulated => {
            "A materialized view was never filled. The database's operator has to run REFRESH \
             MATERIALIZED VIEW; the server's log names it."
        }
        Code::RoutineCommits => {
            "The procedure ends transactions itself, by COMMIT or ROLLBACK, and a request is one transaction. Nothing was \
             changed."
        }
        Code::DistributedStatement => return citus::error("", ""),
        Code::Overloaded => "The database is overloaded. Try again in a moment.",
        Code::DatabaseUnavailable => "The database cannot be reached. Try again in a moment.",
        code => return refusal(code),
    };
    let error = Error::new(code, text);
    if code.status() == 503 { error.retry_after(RETRY_SECONDS) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::Settings;

    fn meant(state: &str, routine: Option<&str>, origin: Origin) -> (Code, Recovery) {
        by_state(ErrorFields { state, routine, file: None, origin })
    }

    #[test]
    fn contexts_of_values_and_of_functions() {
        assert!(is_of_value("unnamed portal parameter $2 = '...'"));
        assert!(is_of_value("COPY doc, line 1, column search: \"'a\""));
        assert!(!is_of_value("PL/pgSQL function f() line 1 at PERFORM"));
        assert!(!is_of_value("SQL statement \"SELECT f($1)\"\nPL/pgSQL function g() line 1"));
    }

    #[test]
    fn the_origin_distinguishes_wrong_values_from_missing_names() {
        for state in ["42601", "42P01", "42883", "3F000"] {
            let of_value = meant(state, None, Origin::Value);
            assert_eq!(of_value, (Code::ValueOutOfRange, Recovery::None), "{state}");
        }
        for state in MISSING {
            let of_function = meant(state, None, Origin::Function);
            assert_eq!(of_function, (Code::FunctionBroken, Recovery::None), "{state}");
            let of_statement = meant(state, None, Origin::Statement);
            assert_eq!(of_statement, (Code::SchemaChanged, Recovery::Reload), "{state}");
        }
    }

    #[test]
    fn states() {
        for (state, code, remedy) in [
            ("57014", Code::Timeout, Recovery::None),
            ("22003", Code::ValueOutOfRange, Recovery::None),
            ("22P02", Code::ValueOutOfRange, Recovery::None),
            ("2200N", Code::ValueOutOfRange, Recovery::None),
            ("22021", Code::NulCharacter, Recovery::None),
            ("22025", Code::FilterOperand, Recovery::None),
            ("22012", Code::NotComputed, Recovery::None),
            ("22000", Code::ValueOutOfRange, Recovery::None),
            ("42501", Code::DatabaseDenied, Recovery::None),
            ("42P01", Code::SchemaChanged, Recovery::Reload),
            ("42703", Code::SchemaChanged, Recovery::Reload),
            ("26000", Code::SchemaChanged, Recovery::Prepare),
            ("0A000", Code::Internal, Recovery::None),
            ("42601", Code::Internal, Recovery::None),
            ("53300", Code::Overloaded, Recovery::None),
            ("57P01", Code::DatabaseUnavailable, Recovery::Reconnect),
            ("08006", Code::DatabaseUnavailable, Recovery::Reconnect),
            ("40001", Code::DatabaseLocked, Recovery::Again),
            ("40P01", Code::DatabaseLocked, Recovery::Again),
            ("XX000", Code::Internal, Recovery::None),
            ("23505", Code::UniqueViolation, Recovery::None),
            ("23503", Code::ForeignKeyViolation, Recovery::None),
            ("23514", Code::CheckViolation, Recovery::None),
            ("23502", Code::NotNullViolation, Recovery::None),
            ("23P01", Code::ExclusionViolation, Recovery::None),
            ("P0001", Code::TriggerRefused, Recovery::None),
            ("25006", Code::DatabaseReadOnly, Recovery::None),
            ("428C9", Code::NotWritable, Recovery::None),
            ("55000", Code::Internal, Recovery::None),
        ] {
            assert_eq!(meant(state, None, Origin::Statement), (code, remedy), "{state}");
        }
        let ruled = meant("0A000", Some("RewriteQuery"), Origin::Value);
        assert_eq!(ruled, (Code::RowRefused, Recovery::None));
        let cached = meant("0A000", Some("RevalidateCachedQuery"), Origin::Statement);
        assert_eq!(cached, (Code::SchemaChanged, Recovery::Prepare));
        for state in
            ["XY123", "22023", "42501", "42P01", "44000", "53300", "57P01", "57014", "08006"]
        {
            let raised = meant(state, Some(RAISE), Origin::Function);
            assert_eq!(raised, (Code::TriggerRefused, Recovery::None), "{state}");
        }
        let taken = meant("23505", Some(RAISE), Origin::Function);
        assert_eq!(taken, (Code::UniqueViolation, Recovery::None));
        let again = meant("40001", Some(RAISE), Origin::Function);
        assert_eq!(again, (Code::DatabaseLocked, Recovery::Again));
        let secured = meant("42501", Some(ROW_SECURITY), Origin::Statement);
        assert_eq!(secured, (Code::RowSecurity, Recovery::None));
    }

    /// Only what Citus's own planner and executor refuse: an internal error of PostgreSQL stays one.
    #[test]
    fn refusals_of_citus() {
        let meant = |state, file| {
            let fields = ErrorFields { state, routine: None, file, origin: Origin::Value };
            by_state(fields)
        };
        let refused = (Code::DistributedStatement, Recovery::None);
        for state in ["0A000", "XX000"] {
            assert_eq!(meant(state, Some("multi_logical_planner.c")), refused);
            assert_eq!(meant(state, Some("heapam.c")), (Code::Internal, Recovery::None));
            assert_eq!(meant(state, None), (Code::Internal, Recovery::None));
        }
        // What a worker has refused keeps its own state.
        let unique = meant("23505", Some("remote_commands.c"));
        assert_eq!(unique, (Code::UniqueViolation, Recovery::None));
        assert_eq!(meant("42P01", Some("multi_router_planner.c")).0, Code::ValueOutOfRange);
    }

    #[test]
    fn transient_errors_have_retry_after() {
        for code in Code::ALL {
            let error = message(*code);
            assert_eq!(error.retry_after.is_some(), error.code.status() == 503, "{code:?}");
        }
    }

    #[tokio::test]
    async fn states_of_a_real_server() {
        let database = duet_testkit::postgres::Server::shared().database("states");
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let (client, running) = settings.connector().unwrap().connect().await.unwrap();
        tokio::spawn(running);
        let setup = "CREATE TEMP TABLE t (a int); CREATE ROLE stranger";
        client.batch_execute(setup).await.unwrap();
        for (sql, code, remedy) in [
            ("SELECT * FROM gone", Code::SchemaChanged, Recovery::Reload),
            ("SELECT gone FROM t", Code::SchemaChanged, Recovery::Reload),
            ("SELECT 99999999999::int", Code::ValueOutOfRange, Recovery::None),
            ("SELECT 'x'::uuid", Code::ValueOutOfRange, Recovery::None),
            ("SELECT '2020-02-30'::date", Code::ValueOutOfRange, Recovery::None),
            (r"SELECT 'ab' LIKE 'a\'", Code::FilterOperand, Recovery::None),
            ("SELECT 1 / 0", Code::NotComputed, Recovery::None),
            ("SET statement_timeout = 1; SELECT pg_sleep(60)", Code::Timeout, Recovery::None),
            ("SET ROLE stranger; SELECT * FROM t", Code::DatabaseDenied, Recovery::None),
        ] {
            let error = client.batch_execute(sql).await.unwrap_err();
            let meant = error_of(&error);
            assert_eq!((meant.code, remedy_for(&error)), (code, remedy), "{sql}");
            assert!(!meant.message.contains("gone"), "{meant:?}");
            assert!(meant.cause.unwrap().contains("ERROR "), "{sql}");
        }

        let statement = client.prepare("SELECT * FROM t").await.unwrap();
        client.batch_execute("ALTER TABLE t ADD b int").await.unwrap();
        let error = client.query(&statement, &[]).await.unwrap_err();
        assert_eq!(error_of(&error).code, Code::SchemaChanged);
        assert_eq!(remedy_for(&error), Recovery::Prepare);
        client.batch_execute("DEALLOCATE ALL").await.unwrap();
        let error = client.query(&statement, &[]).await.unwrap_err();
        assert_eq!(remedy_for(&error), Recovery::Prepare);
        let error = client.query_one("SELECT $1::text", &[&"\0"]).await.unwrap_err();
        assert_eq!(error_of(&error).code, Code::NulCharacter);

        let quit = "SELECT pg_terminate_backend(pg_backend_pid())";
        let error = client.batch_execute(quit).await.unwrap_err();
        assert_eq!(remedy_for(&error), Recovery::Reconnect);
        let error = client.batch_execute("SELECT 1").await.unwrap_err();
        assert_eq!(error_of(&error).code, Code::DatabaseUnavailable);
    }
}
