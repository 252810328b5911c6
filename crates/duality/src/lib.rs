//! The view language: definition text to a checked [`Shape`].
//!
//! [`compile`] reads both syntaxes, SQL style and GraphQL style, into one syntax tree and checks
//! it against the catalog. Pure: no IO, no database. Any text is answered by shapes or by
//! [`Diagnostic`]s, never by a panic.
//!
//! ```
//! use duet_duality::{DefinitionFile, Options, compile, render};
//! use duet_model::{Catalog, Column, Relation, Type};
//!
//! let columns = vec![Column::new("id", Type::Integer { bits: 64 }), Column::new("total", Type::Text)];
//! let table = Relation::table("main", "orders", columns);
//! let catalog = Catalog { relations: vec![table.into()], ..Catalog::default() };
//!
//! let text = "CREATE JSON DUALITY VIEW order_dv AS orders @update { _id: id, total }";
//! let source = DefinitionFile::new("order_dv.sql", text);
//! let views = compile(&source, &catalog, &Options::default()).unwrap();
//! assert_eq!((views[0].name.as_str(), views[0].shape.is_writable()), ("order_dv", true));
//!
//! // Without the table, a diagnostic points at its name.
//! let problems = compile(&source, &Catalog::default(), &Options::default()).unwrap_err();
//! assert!(render(&problems[0], &source).contains("there is no table orders"));
//! ```

mod ast;
mod check;
mod diagnostic;
mod joins;
mod json_path;
mod kept;
mod lexer;
mod names;
mod options;
mod parse;
mod print;
mod rules;
mod script;
mod script_block;
mod script_scanner;
mod source;
mod updates;
pub mod write;

use std::collections::HashSet;

use duet_model::{Catalog, Code, Shape};

pub use diagnostic::{Diagnostic, render};
pub use kept::{RuledWrite, check_rules, has_rules};
pub use options::{Options, ViewLimits};
pub use print::{AddedAt, print, print_with};
pub use script::{SkippedStatement, skipped};
pub use source::{DefinitionFile, Span};

/// A view that was defined and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The name it is served under: as quoted in the definition, else in lower case.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// The position of its name in the text.
    pub span: Span,
}

/// Whether a definition with `FORCE` only lacks tables.
fn is_forced(definition: &ast::ViewDefinition, found: &[Diagnostic]) -> bool {
    definition.force && found.iter().all(|one| one.code == Code::ViewTable)
}

/// What is taken of `CREATE DIRECTIVE`: each clause, with why it is refused or that it is taken, and what a condition is made
/// of. The manual has the same table.
pub fn directive_table() -> Vec<(String, String)> {
    let clause = |one: &parse::Clause| {
        let fate = match one.fate {
            parse::Fate::Taken => "taken".to_owned(),
            parse::Fate::Skipped(instead) => format!("skipped: {instead}"),
            parse::Fate::Refused(why) => format!("refused: {why}"),
        };
        (one.words.to_owned(), fate)
    };
    let conditions = parse::CONDITIONS.iter().map(|form| ((*form).to_owned(), "taken".to_owned()));
    parse::CLAUSES.iter().map(clause).chain(conditions).collect()
}

/// What expressions are made of: each operator and function as the manual writes it, with what it gives on both stores.
/// The manual has the same table.
pub fn expression_table() -> Vec<(String, String)> {
    let operators = check::functions::OPERATORS.iter().copied();
    let functions = check::functions::FUNCTIONS.iter().map(|it| (it.form, it.meaning));
    let owned = |(form, meaning): (&str, &str)| (form.to_owned(), meaning.to_owned());
    operators.chain(functions).map(owned).collect()
}

/// The names of the views of a text whose writes become events (`NOTIFY`), as far as it can be read.
pub fn notified(source: &DefinitionFile) -> Vec<String> {
    let (definitions, _) = parse::parse(source, &ViewLimits::default());
    let has_events = |definition: &&ast::ViewDefinition| {
        let mut annotations = definition.root.annotations.iter();
        definition.notice.is_some() || annotations.any(|one| one.kind == ast::Kind::Notify)
    };
    let named = definitions.iter().filter(has_events);
    named.map(|definition| check::view_name(&definition.name)).collect()
}

/// The views of a text that are defined with `FORCE` and lack a table, each with the first one. They are not compiled,
/// until their tables are there.
pub fn forced(
    source: &DefinitionFile,
    catalog: &Catalog,
    options: &Options,
) -> Vec<(String, Diagnostic)> {
    let (definitions, _) = parse::parse(source, &options.limits);
    let lacks = |definition: &ast::ViewDefinition| {
        let found = check::check(definition, catalog, options).err()?;
        let is_forced = is_forced(definition, &found);
        let first = found.into_iter().next().filter(|_| is_forced)?;
        Some((check::view_name(&definition.name), first))
    };
    definitions.iter().filter_map(lacks).collect()
}

/// Compiles all views that a text defines, without those of [`forced`].
///
/// # Errors
/// All mistakes of the text, in its order; no view is returned then.
pub fn compile(
    source: &DefinitionFile,
    catalog: &Catalog,
    options: &Options,
) -> Result<Vec<View>, Vec<Diagnostic>> {
    let (definitions, mut diagnostics) = parse::parse(source, &options.limits);
    let mut views: Vec<View> = Vec::new();
    let mut names = HashSet::new();
    for definition in &definitions {
        let (name, span) = (check::view_name(&definition.name), definition.name.span);
        if !names.insert(name.clone()) {
            let message = format!("the view {name} is defined twice");
            diagnostics.push(Diagnostic::new(Code::ViewDuplicate, span, message));
        }
        match check::check(definition, catalog, options) {
            Ok(shape) => views.push(View { name, shape, span }),
            Err(found) if is_forced(definition, &found) => {}
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() {
        return Ok(views);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    diagnostics.truncate(options.limits.diagnostics);
    Err(diagnostics)
}
