//! The syntax tree against the catalog: a checked shape, or everything that is wrong with it.
//!
//! Checking goes on behind a mistake. A table of which something was left out is marked broken,
//! so that the lack is not reported as a second mistake.

mod annotation;
mod derived;
mod elements;
mod expr;
pub(crate) mod functions;
mod identity;
mod item;
mod joined;
mod link;
mod member;
mod path;
mod rows;
mod table;
mod types;

use duet_model::view_notice::ViewNotice;
use duet_model::view_rule::ViewRule;
use duet_model::{Catalog, Node, NodeId, Shape};

use crate::ast::{Name, ViewDefinition};
use crate::diagnostic::Diagnostic;
use crate::options::Options;
use crate::source::Span;

/// Checks one definition.
pub(crate) fn check(
    view: &ViewDefinition,
    catalog: &Catalog,
    options: &Options,
) -> Result<Shape, Vec<Diagnostic>> {
    let mut checker = Checker {
        catalog,
        options,
        diagnostics: Vec::new(),
        drafts: Vec::new(),
        rules: view.rules.clone(),
        notice: view.notice.clone(),
    };
    checker.root(&view.root);
    checker.identities();
    if !checker.diagnostics.is_empty() || checker.drafts.is_empty() {
        return Err(checker.diagnostics);
    }
    let (rules, notice) = (checker.rules, checker.notice);
    let mut nodes: Vec<Node> = checker.drafts.into_iter().map(|draft| draft.node).collect();
    nodes.iter_mut().for_each(Node::order_aggregates);
    let key = nodes[0].table.identity().to_vec();
    Ok(Shape {
        name: view_name(&view.name),
        nodes,
        key,
        metadata: true,
        rules,
        notice,
        style: duet_model::DocumentStyle::default(),
    })
}

/// The name a view is served under: as quoted, else in lower case.
pub(crate) fn view_name(name: &Name) -> String {
    match name.quoted {
        true => name.text.clone(),
        false => duet_text::name::served(&name.text),
    }
}

struct Checker<'a> {
    catalog: &'a Catalog,
    options: &'a Options,
    diagnostics: Vec<Diagnostic>,
    drafts: Vec<Draft>,
    rules: Vec<ViewRule>,
    notice: Option<ViewNotice>,
}

/// A node while it is being made.
struct Draft {
    node: Node,
    parent: Option<NodeId>,
    /// The name that qualifies its columns.
    alias: String,
    /// Whether its columns take part in the etag unless they say otherwise.
    check: bool,
    /// Whether something of it was left out because of a mistake.
    broken: bool,
    /// Whether it gives scalars.
    scalar: bool,
    /// The table's name in the text.
    span: Span,
    /// The columns in its object, including hidden ones, with their positions.
    columns: Vec<(usize, Span)>,
    /// Its flex column.
    flex: Option<usize>,
    /// Its generated members that follow a path.
    paths: Vec<path::PathUse>,
    /// Its columns that are generated when a row is written.
    derived: Vec<derived::DerivedUse>,
}

impl Checker<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}
