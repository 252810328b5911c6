//! Functions and procedures of the database, run by name with arguments by name.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use duet_auth::ResourceAccess;
use duet_document::{Codec, MISTAKES, RowSet, typed_value};
use duet_model::catalog::{Argument, Routine, RoutineKind};
use duet_model::row_tree::pointer;
use duet_model::{
    Catalog, Code, DocumentStyle, Error, ProfileRef, Relation, Result, Type, Value, steps,
};
use duet_sql::{FunctionInput, RoutineResult};
use duet_text::error::Place;
use duet_text::json::body::Body;
use duet_text::json::{JsonKind, JsonMember};
use duet_text::name;
use duet_text::problem::{did_you_mean, quoted};

use super::json_rows::{items, object};
use super::raised;
use super::resource::Resource;
use crate::definition::Mount;

/// A routine that is served.
#[derive(Debug)]
pub struct RoutineResource {
    /// The name in the path.
    pub name: String,
    /// The routine.
    pub routine: Routine,
    /// The access rules.
    pub access: ResourceAccess,
    /// What a run answers with.
    pub answer: RoutineAnswer,
    /// The form of its values, and whether its arguments have names without regard to case.
    pub style: DocumentStyle,
    pub(crate) returned: RoutineResult,
    /// Whether clients receive what it raises.
    raised_messages: bool,
    /// Its rows by how its arguments are given, the oldest forgotten first.
    rows: Mutex<VecDeque<(FunctionInput, Arc<Resource>)>>,
    /// What it gives for all rows of the relation of which it takes one.
    row_table: OnceLock<Arc<Relation>>,
}

/// The form of a routine's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutineAnswer {
    /// `{}`.
    Nothing,
    /// One value under this name: the output argument's, or `~ret` for a function's result.
    Value(String, Type),
    /// A member per column.
    Row(Vec<(String, Type)>),
    /// `items`, an array of values, and `count`.
    Values(Type),
    /// `items`, an array of objects, and `count`.
    Rows(Vec<(String, Type)>),
}

/// How many ways to give the arguments of one function are kept compiled.
const KEPT_INPUTS: usize = 16;

/// The member of a function's result, as in ORDS.
const RESULT: &str = "~ret";

impl RoutineResource {
    /// Prepares the call of a routine.
    ///
    /// # Errors
    /// Why it cannot be served, in words for the operator.
    pub(crate) fn new(
        routine: &Routine,
        access: ResourceAccess,
        style: DocumentStyle,
        raised_messages: bool,
    ) -> Result<Self, String> {
        can_give_outputs(routine)?;
        let (returned, answer) = match style.profile.overloads_functions() {
            true => form_of_record(routine),
            false => None,
        }
        .map_or_else(|| form(routine), Ok)?;
        let name = name_of(routine, style.profile);
        let routine = routine.clone();
        let (rows, row_table) = (Mutex::default(), OnceLock::new());
        let made = Self {
            name,
            routine,
            access,
            answer,
            style,
            returned,
            raised_messages,
            rows,
            row_table,
        };
        Ok(made)
    }

    /// Whether it gives rows of a table or view.
    pub(crate) fn gives_rows(&self) -> bool {
        self.routine.rows_of.is_some()
    }

    /// What it gives for all rows of the relation of which it takes one; made when first needed.
    pub(crate) fn row_table(&self, made: impl FnOnce() -> Relation) -> Arc<Relation> {
        Arc::clone(self.row_table.get_or_init(|| Arc::new(made())))
    }

    /// Its rows where its arguments are given so; made when first needed.
    pub(crate) fn rows(
        &self,
        input: &FunctionInput,
        made: impl FnOnce() -> Resource,
    ) -> Arc<Resource> {
        let mut known = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rows)) = known.iter().find(|(own, _)| own == input) {
            return Arc::clone(rows);
        }
        steps::step();
        let rows = Arc::new(made());
        if known.len() >= KEPT_INPUTS {
            known.pop_front();
        }
        known.push_back((input.clone(), Arc::clone(&rows)));
        rows
    }

    /// Whether both are run and answered alike.
    pub(crate) fn serves_same(&self, other: &Self) -> bool {
        (&self.name, &self.routine, self.style, self.raised_messages)
            == (&other.name, &other.routine, other.style, other.raised_messages)
    }

    /// The arguments that a caller gives, with their names.
    pub fn inputs(&self) -> impl Iterator<Item = (String, &Argument)> {
        self.positions().map(|(_, name, argument)| (name, argument))
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = (usize, String, &Argument)> {
        let is_kept = self.style.profile.keeps_names();
        inputs(&self.routine).map(move |(at, name, argument)| match is_kept {
            true if !argument.name.is_empty() => (at, argument.name.clone(), argument),
            _ => (at, name, argument),
        })
    }

    /// The values of the arguments in a body.
    pub(crate) fn arguments(&self, body: &Body) -> Result<Vec<(usize, Value)>> {
        let json = body.json();
        let JsonKind::Object(members) = &json.kind else {
            let message = format!("The arguments must be an object, not {}.", json.kind.noun());
            return Err(wrong(Code::MemberValue, "", message));
        };
        let (mut given, mut mistakes) = (Vec::new(), Vec::new());
        for member in members {
            match self.argument(member) {
                Ok(argument) => given.push(argument),
                Err(mistake) => mistakes.push(mistake),
            }
            if mistakes.len() >= MISTAKES {
                break;
            }
        }
        let named = |name: &str| members.iter().any(|member| self.is_named(&member.name, name));
        for (_, name, argument) in self.positions() {
            if !argument.has_default && !named(&name) && mistakes.len() < MISTAKES {
                let message =
                    format!("The argument {} is missing; it has no default.", quoted(&name));
                mistakes.push(wrong(Code::MissingMember, &pointer("", &name), message));
            }
        }
        mistakes.extend(self.gap(&named).filter(|_| mistakes.is_empty()));
        Error::all_of(mistakes).map_or(Ok(given), Err)
    }

    /// An argument of a VARIADIC routine that is left out before one that is given: PostgreSQL finds such a routine only
    /// where no argument is left out, or all behind some position.
    fn gap(&self, named: &dyn Fn(&str) -> bool) -> Option<Error> {
        let inputs: Vec<(String, &Argument)> = self.inputs().collect();
        inputs.iter().find(|(_, argument)| argument.mode == 'v')?;
        let last = inputs.iter().rposition(|(name, _)| named(name))?;
        let (gap, _) = inputs[..last].iter().find(|(name, _)| !named(name))?;
        let message = format!(
            "The argument {} is missing: it can be left out only together with {}.",
            quoted(gap),
            quoted(&inputs[last].0),
        );
        Some(wrong(Code::MissingMember, &pointer("", gap), message))
    }

    /// Whether a member names an argument, without regard to case where the profile says so.
    fn is_named(&self, member: &str, argument: &str) -> bool {
        member == argument
            || self.style.profile.takes_names_in_any_case() && name::served(member) == argument
    }

    /// The error of a run as its caller may see it.
    pub(crate) fn client_error(&self, mut error: Error) -> Error {
        if error.code == Code::TriggerRefused {
            error.message = format!(
                "{} has raised an error: it, or code of the database that it runs, checks rules of its own.",
                self.name
            );
        }
        raised::shown(error, self.raised_messages)
    }

    /// The place and value of an argument.
    fn argument(&self, member: &JsonMember<'_>) -> Result<(usize, Value)> {
        let found = self.positions().find(|(_, name, _)| self.is_named(&member.name, name));
        let at = pointer("", &member.name);
        let Some((position, name, argument)) = found else {
            let names: Vec<String> = self.positions().map(|(_, name, _)| name).collect();
            let nearest = name::nearest(&member.name, names.iter().map(String::as_str));
            let message = format!("{} has no argument {}.", self.name, quoted(&member.name));
            let error = wrong(Code::UnknownMember, &at, message);
            return Err(error.maybe_hint(nearest.map(did_you_mean)));
        };
        let value = typed_value(&argument.ty, &member.value).map_err(|expected| {
            let message = format!("{} must be {expected}.", quoted(&name));
            wrong(Code::MemberValue, &at, message)
        })?;
        Ok((position, value))
    }

    /// How the driver reads the columns of a run.
    pub(crate) fn codecs(&self) -> Vec<Codec> {
        self.codecs_in(DocumentStyle::default())
    }

    fn codecs_in(&self, style: DocumentStyle) -> Vec<Codec> {
        let codec = |ty: &Type| Codec::in_style(ty, style);
        let of = |columns: &[(String, Type)]| columns.iter().map(|(_, ty)| codec(ty)).collect();
        match &self.answer {
            RoutineAnswer::Nothing if self.routine.kind == RoutineKind::Procedure => Vec::new(),
            RoutineAnswer::Nothing => vec![Codec::Integer],
            RoutineAnswer::Value(_, ty) | RoutineAnswer::Values(ty) => vec![codec(ty)],
            RoutineAnswer::Row(columns) | RoutineAnswer::Rows(columns) => of(columns),
        }
    }

    /// The answer as JSON.
    pub(crate) fn write(&self, rows: &RowSet) -> Vec<u8> {
        let codecs = self.codecs_in(self.style);
        let mut out = Vec::with_capacity(256);
        match &self.answer {
            RoutineAnswer::Nothing => out.extend_from_slice(b"{}"),
            RoutineAnswer::Value(name, _) => {
                object(rows, 0, std::slice::from_ref(name), &codecs, &mut out);
            }
            RoutineAnswer::Row(columns) => {
                let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
                object(rows, 0, &names, &codecs, &mut out);
            }
            RoutineAnswer::Values(_) => items(rows, &mut out, |row, out| {
                codecs[0].write(rows.get(row, 0), out);
            }),
            RoutineAnswer::Rows(columns) => {
                let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
                items(rows, &mut out, |row, out| object(rows, row, &names, &codecs, out));
            }
        }
        out
    }
}

/// The name that a routine is served under.
pub(crate) fn name_of(routine: &Routine, profile: ProfileRef) -> String {
    if profile.keeps_names() { routine.name.clone() } else { name::served(&routine.name) }
}

fn is_input(argument: &Argument) -> bool {
    matches!(argument.mode, 'i' | 'b' | 'v')
}

/// Refuses a procedure whose outputs would have to be cast: what a call gives is as it is declared.
fn can_give_outputs(routine: &Routine) -> Result<(), String> {
    let is_output = |argument: &&Argument| matches!(argument.mode, 'o' | 'b');
    let mut outputs = routine.arguments.iter().filter(is_output);
    let unread = outputs.find(|argument| !is_sent_as_read(&argument.ty));
    if let Some(output) = unread.filter(|_| routine.kind == RoutineKind::Procedure) {
        return Err(format!(
            "the call of a procedure cannot give its output argument {} of the type {} as text; a function can",
            output.name, output.declared
        ));
    }
    Ok(())
}

/// Whether a value arrives in a form that is read without a cast in the statement.
fn is_sent_as_read(ty: &Type) -> bool {
    match ty {
        Type::Other | Type::Formatted(_) => false,
        Type::Array(inner) => is_sent_as_read(inner),
        Type::Composite(attributes) => attributes.iter().all(|one| is_sent_as_read(&one.ty)),
        _ => true,
    }
}

/// The arguments that a caller gives, with their positions and the names that they are given by.
pub(crate) fn inputs(routine: &Routine) -> impl Iterator<Item = (usize, String, &Argument)> {
    routine.arguments.iter().enumerate().filter(|(_, it)| is_input(it)).map(
        |(position, argument)| {
            let name = match argument.name.as_str() {
                "" => format!("arg{}", position + 1),
                name => name::served(name),
            };
            (position, name, argument)
        },
    )
}

/// The result of a function whose columns are known from each row alone: a value that becomes JSON.
fn form_of_record(routine: &Routine) -> Option<(RoutineResult, RoutineAnswer)> {
    let has_outputs = routine.arguments.iter().any(|one| matches!(one.mode, 'o' | 'b' | 't'));
    let is_record = routine.returns.as_deref() == Some(RECORD) && !has_outputs;
    let ty = Type::Composite(Arc::default());
    let answer = RoutineAnswer::Value(RESULT.to_owned(), ty.clone());
    (is_record && can_be_called(routine).is_ok())
        .then(|| (RoutineResult::Value(ty), set_of(answer, routine.returns_set)))
}

/// The result of a routine, in SQL and in JSON.
///
/// # Errors
/// Why it cannot be run, in words for the operator.
pub(crate) fn form(routine: &Routine) -> Result<(RoutineResult, RoutineAnswer), String> {
    can_be_called(routine)?;
    let positional = routine.arguments.iter().position(|argument| argument.name.is_empty());
    let named = routine.arguments.iter().position(|argument| !argument.name.is_empty());
    if let (Some(positional), Some(named)) = (positional, named)
        && positional > named
    {
        return Err("an argument without a name follows one with a name".to_owned());
    }
    let outputs: Vec<(String, Type)> = routine
        .arguments
        .iter()
        .filter(|argument| matches!(argument.mode, 'o' | 'b' | 't'))
        .map(|argument| (argument.name.clone(), argument.ty.clone()))
        .collect();
    let served = |columns: &[(String, Type)]| {
        columns.iter().map(|(name, ty)| (name::served(name), ty.clone())).collect::<Vec<_>>()
    };
    if routine.kind == RoutineKind::Procedure {
        let columns = served(&outputs);
        let answer =
            if columns.is_empty() { RoutineAnswer::Nothing } else { RoutineAnswer::Row(columns) };
        return Ok((RoutineResult::Nothing, answer));
    }
    let (columns, answer) = match (&outputs[..], &routine.result) {
        ([], None) => return Ok((RoutineResult::Nothing, RoutineAnswer::Nothing)),
        ([], Some(Type::Composite(attributes))) => {
            let columns: Vec<_> =
                attributes.iter().map(|one| (one.name.clone(), one.ty.clone())).collect();
            let named = served(&columns);
            (columns, RoutineAnswer::Row(named))
        }
        ([], Some(_)) if routine.returns.as_deref() == Some(RECORD) => {
            return Err("it returns records whose columns are not declared".to_owned());
        }
        ([], Some(ty)) => (Vec::new(), RoutineAnswer::Value(RESULT.to_owned(), ty.clone())),
        ([(name, ty)], _) => {
            let answer = match routine.returns_set {
                // One output column of a table of results.
                true => RoutineAnswer::Row(served(&outputs)),
                false => RoutineAnswer::Value(name::served(name), ty.clone()),
            };
            return Ok((RoutineResult::Value(ty.clone()), set_of(answer, routine.returns_set)));
        }
        (columns, _) => (columns.to_vec(), RoutineAnswer::Row(served(columns))),
    };
    let returned = match &answer {
        RoutineAnswer::Value(_, ty) => RoutineResult::Value(ty.clone()),
        _ => RoutineResult::Columns(columns),
    };
    Ok((returned, set_of(answer, routine.returns_set)))
}

fn set_of(answer: RoutineAnswer, is_set: bool) -> RoutineAnswer {
    match answer {
        RoutineAnswer::Value(_, ty) if is_set => RoutineAnswer::Values(ty),
        RoutineAnswer::Row(columns) if is_set => RoutineAnswer::Rows(columns),
        answer => answer,
    }
}

/// The type of rows without declared columns.
const RECORD: &str = "record";

/// Pseudo-types that take the type of what is given, or for nothing that SQL has values of.
const PSEUDO_TYPES: [&str; 15] = [
    "\"any\"",
    "anyarray",
    "anycompatible",
    "anycompatiblearray",
    "anycompatiblemultirange",
    "anycompatiblenonarray",
    "anycompatiblerange",
    "anyelement",
    "anyenum",
    "anymultirange",
    "anynonarray",
    "anyrange",
    "cstring",
    "internal",
    "language_handler",
];

/// Refuses what cannot be called by a request.
fn can_be_called(routine: &Routine) -> Result<(), String> {
    if routine.commits {
        return Err(
            "it ends transactions itself (COMMIT or ROLLBACK), and a request is one transaction"
                .to_owned(),
        );
    }
    let of_arguments = routine.arguments.iter().map(|argument| argument.declared.as_str());
    let mut all = of_arguments.chain(routine.returns.as_deref());
    match all.find(|ty| PSEUDO_TYPES.contains(&ty.trim_end_matches("[]"))) {
        Some(ty) => Err(format!(
            "its type {ty} is that of what it is given, and JSON does not say of which type a value is; a function with declared types that calls it can be served"
        )),
        None => Ok(()),
    }
}

fn wrong(code: Code, at: &str, message: String) -> Error {
    Error::new(code, message).at(Place::Pointer(at.to_owned()))
}

/// Whether a routine is served where the application does not name it.
pub(crate) fn is_served_unasked(routine: &Routine) -> bool {
    !routine.is_trigger && !routine.security_definer && !routine.from_extension
}

/// The routines of a schema that can be served by name: not those of extensions, triggers, with their
/// owner's rights, or with several of one name.
pub(crate) fn served<'c>(
    catalog: &'c Catalog,
    schema: &str,
    mount: &Mount,
    notes: &mut Vec<String>,
) -> Vec<&'c Routine> {
    let mut by_name: BTreeMap<String, Vec<&Routine>> = BTreeMap::new();
    let wanted: BTreeSet<&str> = mount.routines.iter().map(String::as_str).collect();
    for routine in catalog.routines_of(schema) {
        let is_named = wanted.contains(&*name::served(&routine.name));
        if is_served_unasked(routine) || is_named && !routine.is_trigger {
            by_name.entry(name::served(&routine.name)).or_default().push(routine);
        }
    }
    let mut served = Vec::new();
    for (name, routines) in by_name {
        match routines[..] {
            [only] => served.push(only),
            _ => notes.push(format!(
                "{schema}.{name} is not served as a routine: there are {} of this name.",
                routines.len()
            )),
        }
    }
    served
}

/// The functions of a schema that can be served where those of one name are told apart by their arguments.
pub(crate) fn functions<'c>(
    catalog: &'c Catalog,
    schema: &str,
    mount: &Mount,
) -> impl Iterator<Item = &'c Routine> {
    let wanted: BTreeSet<&str> = mount.routines.iter().map(String::as_str).collect();
    let is_served = move |routine: &&Routine| {
        let is_named = wanted.contains(&*name::served(&routine.name));
        let unasked = mount.all_tables && is_served_unasked(routine);
        routine.kind == RoutineKind::Function && (unasked || is_named && !routine.is_trigger)
    };
    catalog.routines_of(schema).iter().filter(is_served)
}

/// The names of the routines of a schema that run with their owner's rights and are therefore not served.
pub(crate) fn with_owners_rights(catalog: &Catalog, schema: &str, mount: &Mount) -> Vec<String> {
    let own = catalog.routines_of(schema).iter().filter(|routine| {
        mount.all_tables
            && routine.security_definer
            && !routine.from_extension
            && !routine.is_trigger
    });
    let names: BTreeSet<String> = own.map(|routine| name::served(&routine.name)).collect();
    names.into_iter().filter(|name| !mount.routines.contains(name)).collect()
}
