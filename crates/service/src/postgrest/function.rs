//! Functions of the database as PostgREST calls them: one is chosen by the names of its arguments, and what it gives is
//! read as the rows of a table are.
//!
//! A function that may write runs in a transaction of its own, in the statement that reads its rows; the others run in
//! those of reads.

use std::sync::Arc;

use async_trait::async_trait;
use duet_auth::Principal;
use duet_document::FetchedRows;
pub use duet_model::catalog::ANY_MEDIA;
use duet_model::catalog::{Argument, Derivation, Volatility, is_media_type};
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::{
    Column, Error, MemberKind, Node, Operations, Relation, RelationKind, Result, Shape, Type, Value,
};
use duet_sql::{Dialect, FunctionInput, RoutineResult, function_query};
use duet_store::{Call, CountOf, Ending, PageRead, Session, Write, Writes};
use serde_json::json;

use super::read::{TableCount, TableForm, TableQuery, TableRows, array_text};
use super::resemblance::nearest;
use super::summary::{not_singular, too_many};
use crate::build::mount::Mount;
use crate::documents::Document;
use crate::hosting::context::RequestContext;
use crate::resources::representation::Representation;
use crate::resources::resource::{Resource, ResourceKind};
use crate::resources::routine::{RoutineAnswer, RoutineResource};

/// The column of a result without columns.
const VALUE: &str = "pgrst_scalar";

/// What a request gives to a function.
#[derive(Clone, Debug)]
pub enum GivenArguments {
    /// Texts by name; a name may be repeated.
    Texts(Vec<(String, String)>),
    /// A JSON object, with its names.
    Members {
        /// The names.
        names: Vec<String>,
        /// The object.
        object: String,
        /// The body, for a function whose only argument has no name.
        body: String,
    },
    /// The body, for a function whose only argument has no name, and is of this type.
    Whole {
        /// The type.
        ty: &'static str,
        /// The body as the database reads it.
        text: String,
    },
}

/// A function with its arguments.
#[derive(Debug)]
pub struct FunctionCall {
    routine: Arc<RoutineResource>,
    rows: Arc<Resource>,
    arguments: Arc<[Value]>,
}

/// What a call of a function that may write must give, and how it ends.
#[derive(Clone, Copy, Debug)]
pub struct CallEnding {
    /// Whether everything is undone in the end.
    pub dry_run: bool,
    /// Whether there must be exactly one row.
    pub singular: bool,
    /// How many rows there may be at most.
    pub most: Option<u64>,
}

/// A function that takes what is given, and how.
struct Candidate<'f> {
    routine: &'f Arc<RoutineResource>,
    input: FunctionInput,
}

impl FunctionCall {
    /// The call of the only one of some functions of one name that takes these arguments.
    ///
    /// # Errors
    /// [`PostgrestCode::NoFunction`] and [`PostgrestCode::ManyFunctions`].
    fn of(
        mount: &Mount,
        functions: &[Arc<RoutineResource>],
        given: &GivenArguments,
        dialect: &dyn Dialect,
    ) -> Result<Self> {
        let named = functions.iter().filter_map(|routine| by_names(routine, given));
        let mut found: Vec<Candidate<'_>> = named.collect();
        if found.is_empty() {
            found = functions.iter().filter_map(|routine| unnamed(routine, given)).collect();
        }
        let [Candidate { routine, input }] = &found[..] else {
            return Err(match found.is_empty() {
                true => not_found(functions, given),
                false => several(&found),
            });
        };
        let arguments = values(routine, input, given)?;
        let rows = routine.rows(input, || rows(mount, routine, input, dialect));
        Ok(Self { routine: Arc::clone(routine), rows, arguments })
    }

    /// What it gives, as the rows of a resource.
    pub fn rows(&self) -> &Arc<Resource> {
        &self.rows
    }

    /// The function.
    pub fn routine(&self) -> &RoutineResource {
        &self.routine
    }

    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        reads(&self.routine)
    }

    /// Whether it gives nothing at all.
    pub fn is_void(&self) -> bool {
        self.routine.answer == RoutineAnswer::Nothing
    }

    /// Whether it gives one row or value, which is answered without an array around it.
    pub fn is_single(&self) -> bool {
        !self.routine.routine.returns_set
    }

    /// The media type of what it gives, where that is one value of a domain that is called so: its name, or `*/*` where
    /// it is of any.
    pub fn media_type(&self) -> Option<&str> {
        let is_value = matches!(self.routine.answer, RoutineAnswer::Value(..));
        let returns = self.routine.routine.returns.as_deref().filter(|_| is_value)?;
        let quoted = returns.strip_suffix('"')?;
        let name = &quoted[quoted.rfind('"')? + 1..];
        (name == ANY_MEDIA || is_media_type(name)).then_some(name)
    }

    /// Whether it gives values instead of rows.
    pub fn gives_values(&self) -> bool {
        let is_rows = matches!(self.routine.answer, RoutineAnswer::Row(_) | RoutineAnswer::Rows(_));
        !is_rows && outputs(&self.routine).next().is_none()
    }
}

/// The function as it is called by the names of its arguments; `None` where it is not.
fn by_names<'f>(
    routine: &'f Arc<RoutineResource>,
    given: &GivenArguments,
) -> Option<Candidate<'f>> {
    let inputs: Vec<_> = routine.positions().collect();
    let names: Vec<&str> = match given {
        GivenArguments::Texts(texts) => texts.iter().map(|(name, _)| name.as_str()).collect(),
        GivenArguments::Members { names, .. } => names.iter().map(String::as_str).collect(),
        GivenArguments::Whole { .. } => return None,
    };
    let is_given = |name: &str| names.contains(&name);
    let all_known = names.iter().all(|name| inputs.iter().any(|(_, own, _)| own == name));
    let all_there = inputs.iter().all(|(_, name, argument)| argument.has_default || is_given(name));
    let has_names = inputs.iter().all(|(.., argument)| !argument.name.is_empty());
    if !(all_known && all_there && has_names) {
        return None;
    }
    let positions: Vec<usize> =
        inputs.iter().filter(|(_, name, _)| is_given(name)).map(|(at, ..)| *at).collect();
    let input = match given {
        GivenArguments::Members { .. } => FunctionInput::Members(positions),
        _ => FunctionInput::Texts(positions),
    };
    Some(Candidate { routine, input })
}

/// Whether a function can be called by names, or with a body as its only argument.
fn takes_requests(routine: &RoutineResource) -> bool {
    let mut inputs = routine.positions();
    match (inputs.next(), inputs.next()) {
        (Some((.., only)), None) if only.name.is_empty() => WHOLE.contains(&&*only.declared),
        _ => true,
    }
}

/// The types of an argument without a name that a body is.
const WHOLE: [&str; 5] = ["json", "jsonb", "text", "xml", "bytea"];

/// The function as it is called with the whole body as its only argument.
fn unnamed<'f>(routine: &'f Arc<RoutineResource>, given: &GivenArguments) -> Option<Candidate<'f>> {
    let inputs: Vec<_> = routine.positions().collect();
    let [(position, _, argument)] = inputs[..] else { return None };
    let is_it = match given {
        GivenArguments::Texts(_) => false,
        GivenArguments::Members { .. } => matches!(&*argument.declared, "json" | "jsonb"),
        GivenArguments::Whole { ty, .. } => argument.declared == *ty,
    };
    (is_it && argument.name.is_empty())
        .then_some(Candidate { routine, input: FunctionInput::Whole(position) })
}

/// The values of the parameters.
fn values(
    routine: &RoutineResource,
    input: &FunctionInput,
    given: &GivenArguments,
) -> Result<Arc<[Value]>> {
    let texts: Vec<String> = match (input, given) {
        (FunctionInput::Texts(positions), GivenArguments::Texts(texts)) => positions
            .iter()
            .filter_map(|&position| {
                let (.., name, argument) = routine.positions().find(|(at, ..)| *at == position)?;
                let mut own = texts.iter().filter(|(given, _)| *given == name);
                match argument.mode {
                    'v' => Some(array_literal(own.map(|(_, text)| text.as_str()))),
                    _ => own.next_back().map(|(_, text)| text.clone()),
                }
            })
            .collect(),
        (FunctionInput::Whole(_), GivenArguments::Members { body, .. }) => vec![body.clone()],
        (_, GivenArguments::Members { object, .. }) => vec![object.clone()],
        (_, GivenArguments::Whole { text, .. }) => vec![text.clone()],
        _ => Vec::new(),
    };
    if texts.iter().any(|text| text.contains('\0')) {
        let message = "Text cannot contain the NUL character (U+0000).";
        return Err(Error::new(duet_model::Code::NulCharacter, message));
    }
    Ok(texts.into_iter().map(Value::Text).collect())
}

/// Texts as an array of PostgreSQL: `{"a","b\"c"}`.
fn array_literal<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", texts.map(quoted).collect::<Vec<_>>().join(","))
}

/// What a function gives, as a resource: one of the table whose rows these are, where the mount serves it.
fn rows(
    mount: &Mount,
    routine: &RoutineResource,
    input: &FunctionInput,
    dialect: &dyn Dialect,
) -> Resource {
    let table = table_of(mount, routine);
    let returned = match table {
        Some(table) => {
            let columns = table.shape.root().table.columns.iter().filter(|own| is_given(own));
            RoutineResult::Columns(columns.map(|own| (own.name.clone(), own.ty.clone())).collect())
        }
        None => of_outputs(routine),
    };
    let query = function_query(dialect, &routine.routine, &returned, input, VALUE);
    let query = Some(Derivation::Statement(Arc::new(query)));
    let shape = match table {
        Some(table) => of_table(&table.shape, query),
        None => {
            let columns = columns(routine, &returned, dialect);
            let (kind, primary_key) = (RelationKind::View, Vec::new());
            let table = Relation::table("", &routine.routine.name, columns);
            let relation = Arc::new(Relation { kind, primary_key, query, ..table });
            let name = routine.name.clone();
            Shape { name, style: routine.style, ..Shape::of_relation(&relation) }
        }
    };
    let access = routine.access.clone();
    let mut made = Resource::new(ResourceKind::View, shape, access, u64::MAX, dialect);
    if let Some(table) = table {
        made.expandables.clone_from(&table.expandables);
    }
    made
}

/// Whether rows of a function have a column: those that write while they are computed are not read with the others.
fn is_given(column: &Column) -> bool {
    column.computed_by != Some(Volatility::Volatile)
}

/// What a function gives; the only output argument is a column like one of several.
fn of_outputs(routine: &RoutineResource) -> RoutineResult {
    match (&routine.returned, outputs(routine).next()) {
        (RoutineResult::Value(ty), Some(only)) => {
            RoutineResult::Columns(vec![(only.name.clone(), ty.clone())])
        }
        (returned, _) => returned.clone(),
    }
}

/// The output arguments of a function that have names.
fn outputs(routine: &RoutineResource) -> impl Iterator<Item = &Argument> {
    let all = routine.routine.arguments.iter();
    all.filter(|own| matches!(own.mode, 'o' | 'b' | 't') && !own.name.is_empty())
}

/// The table whose rows a function gives, if it is served, under whatever name: what it hides stays hidden.
fn table_of<'m>(mount: &'m Mount, routine: &RoutineResource) -> Option<&'m Resource> {
    routine.routine.rows_of.as_ref().and_then(|of| mount.given_rows(of)).map(|found| &**found)
}

/// The shape of a table over other rows.
fn of_table(shape: &Shape, query: Option<Derivation>) -> Shape {
    let mut shape = shape.clone();
    shape.metadata = false;
    shape.nodes.truncate(1);
    let node: &mut Node = &mut shape.nodes[0];
    node.operations = Operations::default();
    let columns = Arc::clone(&node.table);
    node.members.retain(|member| match &member.kind {
        MemberKind::Column(column) => is_given(&columns.columns[column.column]),
        _ => true,
    });
    let (kind, indexes) = (RelationKind::View, Vec::new());
    let table = (*node.table).clone();
    node.table = Arc::new(Relation { kind, indexes, query, estimated_rows: None, ..table });
    shape
}

/// The columns of a result that is of no table.
fn columns(
    routine: &RoutineResource,
    returned: &RoutineResult,
    dialect: &dyn Dialect,
) -> Vec<Column> {
    let declared =
        |name: &str| outputs(routine).find(|own| own.name == name).map(|own| own.declared.clone());
    let column = |name: &str, ty: &Type| {
        let ty = if ty.has_attributes() { Type::Json } else { ty.clone() };
        let of_type = || dialect.null_type(&ty, "text").unwrap_or_else(|| "text".to_owned());
        let declared = match ty {
            Type::Json => "json".to_owned(),
            _ => declared(name).unwrap_or_else(of_type),
        };
        let alias = Some(name.to_owned());
        Column { declared, alias, ..Column::new(name, ty) }
    };
    match returned {
        RoutineResult::Nothing => vec![column(VALUE, &Type::Text)],
        RoutineResult::Value(ty) => vec![column(VALUE, ty)],
        RoutineResult::Columns(columns) => {
            columns.iter().map(|(name, ty)| column(name, ty)).collect()
        }
    }
}

impl RequestContext<'_> {
    /// The call of the function of a name that takes these arguments.
    ///
    /// # Errors
    /// [`PostgrestCode::NoFunction`], [`PostgrestCode::ManyFunctions`], and where the store has no functions.
    pub fn function_call(
        &self,
        mount: &Mount,
        who: &Principal,
        name: &str,
        given: &GivenArguments,
    ) -> Result<FunctionCall> {
        let dialect = self.dialect();
        if !dialect.has_routines() {
            return Err(PostgrestGap::Function.refusal(name));
        }
        let functions = mount.functions(name);
        match functions.iter().any(|routine| takes_requests(routine)) {
            false => Err(unknown(mount, who, name, given)),
            true => FunctionCall::of(mount, functions, given, dialect),
        }
    }

    /// Calls a function that only reads.
    ///
    /// # Errors
    /// Those of PostgREST for what the request names, and what the function or the database says.
    pub async fn function_rows(
        &self,
        call: &FunctionCall,
        query: TableQuery<'_>,
    ) -> Result<TableRows> {
        let query = TableQuery { arguments: Some(&call.arguments), ..query };
        let read = self.table_rows(&call.rows, query).await;
        read.map_err(|error| call.routine.client_error(error))
    }

    /// Calls a function that may write, in a transaction of its own.
    ///
    /// # Errors
    /// As [`Self::function_rows`]; nothing is changed then.
    pub async fn call_function(
        &self,
        call: &FunctionCall,
        query: TableQuery<'_>,
        ending: CallEnding,
    ) -> Result<TableRows> {
        let counts = query.count != TableCount::Nothing;
        if counts && (query.offset > 0 || query.limit < u64::MAX) {
            return Err(PostgrestGap::CountOfCall.refusal(&call.routine.name));
        }
        let query = TableQuery { arguments: Some(&call.arguments), ..query };
        let limit = query.limit.min(self.service().limits().max_page_size);
        let (representation, page) = self.planned_rows(&call.rows, limit, query)?;
        let dialect = self.service().store().dialect();
        let read = representation.read_page(page, dialect, CountOf::Nothing);
        if read.plan.levels.len() > 1 {
            return Err(PostgrestGap::EmbedOfCall.refusal(&call.routine.name));
        }
        let form = query.form;
        let job = FunctionJob { read, representation, limit, form, ending };
        let written = self.write_framed(job, &|_| false).await;
        let mut rows = written.map_err(|error| call.routine.client_error(error))?;
        rows.total = counts.then_some(rows.rows);
        Ok(rows)
    }
}

struct FunctionJob {
    read: PageRead,
    representation: Arc<Representation>,
    limit: u64,
    form: TableForm,
    ending: CallEnding,
}

#[async_trait(?Send)]
impl Write for FunctionJob {
    type Output = TableRows;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<TableRows>> {
        let (statement, codecs) = (self.read.statements.first(), self.read.codecs.first());
        let (Some(statement), Some(codecs)) = (statement, codecs) else {
            return Err(Error::internal("a page without a statement"));
        };
        let (statement, codecs) = (statement.clone(), codecs.clone());
        let call = Call { statement, codecs, writes: Writes::Everything };
        let done = session.run(&[call]).await?.pop();
        let done = done.ok_or_else(|| Error::internal("a call without an end"))?;
        let fetched = FetchedRows::of_root(done.rows, 0);
        let rows = (fetched.roots().len() as u64).min(self.limit);
        if self.ending.most.is_some_and(|most| rows > most) {
            return Err(too_many(rows));
        }
        if self.ending.singular && rows != 1 {
            return Err(not_singular(rows));
        }
        let (body, etag) = array_text(&self.representation, &fetched, self.limit, self.form)?;
        let document = Document { body, etag, fetched_at: Some(std::time::Instant::now()) };
        let written = TableRows { document, rows, total: None };
        Ok(if self.ending.dry_run { Ending::DryRun(written) } else { Ending::Commit(written) })
    }
}

/// The error where there is no function of a name, with the nearest one that the caller may run.
fn unknown(mount: &Mount, who: &Principal, name: &str, given: &GivenArguments) -> Error {
    let schema = mount.schema_name();
    let shown: String = name.chars().take(64).collect();
    let near = nearest(name, mount.function_names(who), 0.75);
    let hint = near.map(|near| format!("Perhaps you meant to call the function {schema}.{near}"));
    no_function(&format!("{schema}.{shown}"), given).maybe_hint(hint)
}

/// The error where no function of a name takes what is given.
fn not_found(functions: &[Arc<RoutineResource>], given: &GivenArguments) -> Error {
    let Some(first) = functions.first() else { return no_function("", given) };
    let name = format!("{}.{}", first.routine.schema, first.routine.name);
    let signatures: Vec<String> = functions.iter().map(|own| signature(own)).collect();
    let wanted = format!("({})", names(given).join(", "));
    let near = nearest(&wanted, signatures.iter().map(String::as_str), 0.33);
    let near = near.filter(|_| !matches!(given, GivenArguments::Whole { .. }));
    let hint = near.map(|near| format!("Perhaps you meant to call the function {name}{near}"));
    no_function(&name, given).maybe_hint(hint)
}

/// The names of what is given, each once and in their order, cut to what a message shows.
fn names(given: &GivenArguments) -> Vec<String> {
    let names: Vec<&str> = match given {
        GivenArguments::Texts(texts) => texts.iter().map(|(name, _)| name.as_str()).collect(),
        GivenArguments::Members { names, .. } => names.iter().map(String::as_str).collect(),
        GivenArguments::Whole { .. } => Vec::new(),
    };
    let mut names: Vec<String> = names.iter().map(|name| name.chars().take(64).collect()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The error for a function that is not there.
fn no_function(name: &str, given: &GivenArguments) -> Error {
    let names = names(given);
    let joined = names.join(", ");
    let without = || " without parameters".to_owned();
    let (called, searched) = match given {
        GivenArguments::Whole { ty, .. } => {
            (String::new(), format!(" with a single unnamed {ty} parameter"))
        }
        _ => {
            let plural = if names.len() > 1 { "s" } else { "" };
            let none = names.is_empty();
            let called = if none { without() } else { format!("({joined})") };
            let searched =
                if none { without() } else { format!(" with parameter{plural} {joined}") };
            let is_body = matches!(given, GivenArguments::Members { .. });
            let or = " or with a single unnamed json/jsonb parameter";
            (called, if is_body { format!("{searched}{or}") } else { searched })
        }
    };
    let message = format!("Could not find the function {name}{called} in the schema cache");
    let details = format!(
        "Searched for the function {name}{searched}, but no matches were found in the schema cache."
    );
    PostgrestCode::NoFunction.with_details(message, json!(details).to_string())
}

/// The names of the arguments of a function: `(a, b)`.
fn signature(routine: &RoutineResource) -> String {
    let mut names: Vec<String> = routine.positions().map(|(_, name, _)| name).collect();
    names.sort_unstable();
    format!("({})", names.join(", "))
}

/// The error where several functions take what is given.
fn several(found: &[Candidate<'_>]) -> Error {
    let one = |candidate: &Candidate<'_>| {
        let inputs = candidate.routine.positions();
        let inputs = inputs
            .map(|(.., argument)| format!("{} => {}", argument.name, argument.declared))
            .collect::<Vec<_>>();
        let routine = &candidate.routine.routine;
        format!("{}.{}({})", routine.schema, routine.name, inputs.join(", "))
    };
    let all: Vec<String> = found.iter().map(one).collect();
    let message =
        format!("Could not choose the best candidate function between: {}", all.join(", "));
    let hint = "Try renaming the parameters or the function itself in the database so function overloading can be resolved";
    PostgrestCode::ManyFunctions.error(message).hint(hint)
}

/// Whether a function only reads.
pub fn reads(routine: &RoutineResource) -> bool {
    routine.routine.volatility != Volatility::Volatile
}
