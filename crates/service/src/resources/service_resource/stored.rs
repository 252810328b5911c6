//! Services that name a stored function or procedure: the call of it becomes their statement.

use std::sync::Arc;

use duet_duality::{Diagnostic, Span};
use duet_model::catalog::{Routine, RoutineKind};
use duet_model::{Catalog, Code, ServiceQuery};
use duet_sql::{Affixes, Dialect, RoutineResult, ServiceCall, call_query};
use duet_text::name;
use duet_text::problem::{did_you_mean, quoted};

use crate::resources::routine::{form, inputs};
use crate::services::{ServiceFile, ServiceResult, ServiceRoutine};

/// The file with the call of its routine as its statement; a file with statements of its own stays as it is.
///
/// # Errors
/// Why the routine cannot be called, at its place in the file.
pub(super) fn with_call(
    file: &Arc<ServiceFile>,
    catalog: &Catalog,
    schema: Option<&str>,
    dialect: &dyn Dialect,
) -> Result<Arc<ServiceFile>, Box<Diagnostic>> {
    let Some(named) = &file.routine else { return Ok(Arc::clone(file)) };
    let called = match dialect.has_routines() {
        true => found(file, named, catalog, schema)
            .and_then(|routine| call(file, named, routine, dialect).map(|query| (routine, query))),
        false => Err(Refused {
            message: format!("This database has no stored functions, but `routine` names {}.", quoted(&named.name)),
            hint: "Call the file NAME.postgres.sql to serve it on PostgreSQL alone, or write statements instead of `routine`.".to_owned(),
        }),
    };
    let (routine, query) = called.map_err(|refused| Box::new(refused.at(named)))?;
    let description = file.description.clone().or_else(|| routine.comment.clone());
    Ok(Arc::new(ServiceFile { statements: vec![query], description, ..(**file).clone() }))
}

/// Why a routine cannot be called, and what to do.
struct Refused {
    message: String,
    hint: String,
}

impl Refused {
    fn new(message: String, hint: impl Into<String>) -> Self {
        Self { message, hint: hint.into() }
    }

    fn at(self, named: &ServiceRoutine) -> Diagnostic {
        Diagnostic {
            code: Code::ServiceStatement,
            message: self.message,
            rule: None,
            hint: Some(self.hint),
            span: Span::new(named.span.start, named.span.end),
        }
    }
}

/// The name of a routine as a header has it: `refund`, `shop.refund`, `shop.refund(text, integer)`.
struct RoutineName<'n> {
    schema: Option<&'n str>,
    bare: &'n str,
    types: Option<Vec<String>>,
}

impl<'n> RoutineName<'n> {
    fn read(text: &'n str) -> Self {
        let (name, types) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest.trim_end().trim_end_matches(')'))),
            None => (text, None),
        };
        let types = types.map(|list| {
            let each = list.split(',').map(|one| one.trim().to_ascii_lowercase());
            each.filter(|one| !one.is_empty()).collect()
        });
        match name.trim().split_once('.') {
            Some((schema, bare)) => Self { schema: Some(schema), bare, types },
            None => Self { schema: None, bare: name.trim(), types },
        }
    }

    fn means(&self, routine: &Routine, schema: Option<&str>) -> bool {
        let types = || inputs(routine).map(|(.., argument)| argument.declared.to_ascii_lowercase());
        (routine.name == self.bare || name::served(&routine.name) == self.bare)
            && self.schema.or(schema).is_none_or(|schema| routine.schema == schema)
            && self.types.as_ref().is_none_or(|wanted| types().eq(wanted.iter().cloned()))
            && !routine.is_trigger
    }
}

/// The routine that a service names: the only one of its name, or the only one that takes its parameters.
fn found<'c>(
    file: &ServiceFile,
    named: &ServiceRoutine,
    catalog: &'c Catalog,
    schema: Option<&str>,
) -> Result<&'c Routine, Refused> {
    let name = RoutineName::read(&named.name);
    let all: Vec<&Routine> =
        catalog.routines.iter().filter(|routine| name.means(routine, schema)).collect();
    let fitting: Vec<&Routine> =
        all.iter().copied().filter(|routine| matched(file, routine).is_ok()).collect();
    match (&all[..], &fitting[..]) {
        ([only], _) | (_, [only]) => Ok(only),
        ([], _) => {
            let names: Vec<&str> = catalog.routines.iter().map(|one| one.name.as_str()).collect();
            let hint = name::nearest(name.bare, names).map_or_else(
                || "Write `routine = \"schema.name\"`, and grant EXECUTE on it to the user of the database.".to_owned(),
                did_you_mean,
            );
            let message = format!(
                "There is no function or procedure {} that the user of the database may run.",
                quoted(&named.name)
            );
            Err(Refused::new(message, hint))
        }
        (all, fitting) => {
            let listed = if fitting.is_empty() { all } else { fitting };
            let listed: Vec<String> = listed.iter().map(|routine| signature(routine)).collect();
            let message = format!("There are {} routines {}.", listed.len(), quoted(&named.name));
            let hint = format!("Name one of them with its types: `{}`.", listed.join("`, `"));
            Err(Refused::new(message, hint))
        }
    }
}

/// `shop.refund(text, integer)`.
fn signature(routine: &Routine) -> String {
    let types: Vec<&str> = inputs(routine).map(|(.., own)| own.declared.as_str()).collect();
    format!("{}.{}({})", routine.schema, routine.name, types.join(", "))
}

/// The position of each argument, with that of the parameter that supplies it.
fn matched(file: &ServiceFile, routine: &Routine) -> Result<Vec<(usize, usize)>, Refused> {
    let mut given = Vec::with_capacity(file.parameters.len());
    for (index, parameter) in file.parameters.iter().enumerate() {
        let own = inputs(routine).find(|(_, name, _)| *name == parameter.name);
        let Some((position, ..)) = own else {
            let names: Vec<String> = inputs(routine).map(|(_, name, _)| name).collect();
            let near = name::nearest(&parameter.name, names.iter().map(String::as_str));
            let message = format!(
                "{} has no argument {}, which is a parameter of the service.",
                signature(routine),
                quoted(&parameter.name)
            );
            let all = || match names.is_empty() {
                true => "It has no arguments: remove the parameter.".to_owned(),
                false => format!("Its arguments are {}.", names.join(", ")),
            };
            return Err(Refused::new(message, near.map_or_else(all, did_you_mean)));
        };
        given.push((position, index));
    }
    for (position, name, argument) in inputs(routine) {
        if !argument.has_default && given.iter().all(|(at, _)| *at != position) {
            let message = format!(
                "{} needs the argument {}, which is no parameter of the service.",
                signature(routine),
                quoted(&name)
            );
            let hint =
                "Declare it below [parameters]; only arguments with a default can be left out.";
            return Err(Refused::new(message, hint));
        }
    }
    // Arguments without names are given by their order.
    given.sort_unstable();
    Ok(given)
}

/// The call of a routine with the parameters of a service.
fn call(
    file: &ServiceFile,
    named: &ServiceRoutine,
    routine: &Routine,
    dialect: &dyn Dialect,
) -> Result<ServiceQuery, Refused> {
    let given = matched(file, routine)?;
    let (returned, _) = form(routine).map_err(|why| {
        let hint = match routine.commits {
            true => "A request is one transaction: take COMMIT and ROLLBACK out of it.",
            false => "Call it in a statement of the service instead.",
        };
        Refused::new(format!("{} cannot be called: {why}.", signature(routine)), hint)
    })?;
    let outputs: Vec<_> =
        routine.arguments.iter().filter(|own| matches!(own.mode, 'o' | 'b' | 't')).collect();
    if routine.kind == RoutineKind::Procedure {
        if file.reads() {
            let message = format!("{} is a procedure, and the service reads.", signature(routine));
            let hint = "Use the method POST, or `writes = true` for a service with the method GET.";
            return Err(Refused::new(message, hint));
        }
        let unread = outputs.iter().find(|own| dialect.selected(&own.ty) != Affixes::NONE);
        if let Some(own) = unread {
            let message = format!(
                "The output argument {} of {} has the type {}, which a call of a procedure cannot give.",
                quoted(&own.name),
                signature(routine),
                own.declared
            );
            return Err(Refused::new(message, "Declare it as `text`, or write a function."));
        }
    }
    let gives_nothing = match routine.kind {
        RoutineKind::Procedure => outputs.is_empty(),
        RoutineKind::Function => returned == RoutineResult::Nothing,
    };
    if gives_nothing && file.result != ServiceResult::Nothing {
        let message = format!("{} gives nothing.", signature(routine));
        return Err(Refused::new(message, "Set `result` to \"nothing\"."));
    }
    let value = match &outputs[..] {
        [only] => only.name.as_str(),
        _ => routine.name.as_str(),
    };
    let call =
        ServiceCall { routine, returned: &returned, given: &given, parameters: &named.parameters };
    Ok(call_query(dialect, &call, value, named.span.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_routines() {
        let parts = |text| {
            let RoutineName { schema, bare, types } = RoutineName::read(text);
            (schema, bare, types)
        };
        assert_eq!(parts("refund"), (None, "refund", None));
        assert_eq!(parts("shop.refund"), (Some("shop"), "refund", None));
        let types = Some(vec!["text".to_owned(), "double precision".to_owned()]);
        assert_eq!(parts("shop.refund (Text, double precision)"), (Some("shop"), "refund", types));
        assert_eq!(parts("f()"), (None, "f", Some(Vec::new())));
    }
}
