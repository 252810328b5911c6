//! Representations: a resource's whole document, or the members that `fields=` asks for, each
//! with its plans and its writer compiled once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use duet_auth::ReadRight;
use duet_document::{Format, LineWriter, Program};
use duet_filter::FieldIndex;
use duet_model::shape::{FlexColumn, FlexField};
use duet_model::{
    Code, ColumnMember, Error, Expr, Member, MemberKind, NodeId, Page, Place, ReadPlan, Result,
    Shape,
};
use duet_sql::{Dialect, Texts};
use duet_store::{CountOf, KeyedRead, PageRead};
use duet_text::name;

use super::related_documents::RelatedNode;

/// A shape, ready to be read and written.
#[derive(Debug)]
pub(crate) struct Representation {
    pub(crate) shape: Arc<Shape>,
    /// The name that distinguishes its etags.
    name: String,
    dialect: Arc<dyn Dialect>,
    /// Both are compiled by the first request that needs them: most tables of a large schema are never asked for.
    item: OnceLock<Option<ItemRead>>,
    page: OnceLock<Program>,
    /// The fields that filters and orders may name, where they are not the resource's.
    pub(crate) fields: Option<FieldIndex>,
    /// The related documents that filters may name.
    pub(crate) related: Vec<RelatedNode>,
    /// The writers of streams, one for each format, created at the first request.
    lines: [OnceLock<LineWriter>; Format::ALL.len()],
    reads: Mutex<PageReads>,
}

/// The read of items by key, and the writer of its rows.
pub(crate) type ItemRead = (Arc<KeyedRead>, Arc<Program>);

/// The reads of pages, one for each order.
#[derive(Debug, Default)]
struct PageReads {
    known: Vec<Arc<PageRead>>,
    texts: Texts,
}

/// How many orders are kept; beyond it all are forgotten once.
const ORDERS: usize = 16;

impl Representation {
    /// Of a shape. `name` distinguishes its etags.
    pub(crate) fn new(shape: Shape, name: &str, dialect: &dyn Dialect) -> Self {
        Self {
            shape: Arc::new(shape),
            name: name.to_owned(),
            dialect: dialect.shared(),
            item: OnceLock::new(),
            page: OnceLock::new(),
            fields: None,
            related: Vec::new(),
            lines: [const { OnceLock::new() }; Format::ALL.len()],
            reads: Mutex::default(),
        }
    }

    /// The read by key and its writer; `None` where the shape has no key.
    pub(crate) fn item(&self) -> Option<&ItemRead> {
        let compile = || {
            let plan = ReadPlan::by_keys(Arc::clone(&self.shape));
            let program = Program::compile(&plan, &self.name);
            (Arc::new(KeyedRead::new(plan, &*self.dialect)), Arc::new(program))
        };
        self.item.get_or_init(|| (!self.shape.key.is_empty()).then(compile)).as_ref()
    }

    /// The writer of pages: the same for every filter and order, because they only add columns
    /// behind those of the members.
    pub(crate) fn page(&self) -> &Program {
        self.page.get_or_init(|| Program::compile(&any_page(&self.shape), &self.name))
    }

    /// The read of a page. What it has in common with others of its order is planned once, and texts of
    /// statements are shared by all that differ in values alone.
    pub(crate) fn read_page(&self, page: Page, dialect: &dyn Dialect, count: CountOf) -> PageRead {
        // If another thread is planning it, it is planned again, which costs less than waiting.
        let Ok(mut reads) = self.reads.try_lock() else {
            return self.plan_page(page, dialect, count);
        };
        let PageReads { known, texts } = &mut *reads;
        if let Some(read) = known.iter().find(|read| read.plan.has_order_of(&page)) {
            return read.of_another_page(page, dialect, count, texts);
        }
        if known.len() >= ORDERS {
            known.clear();
        }
        let of_order = Page { filter: Expr::all(), after: None, offset: 0, ..page.clone() };
        known.push(Arc::new(self.plan_page(of_order, dialect, CountOf::Nothing)));
        drop(reads);
        self.plan_page(page, dialect, count)
    }

    fn plan_page(&self, page: Page, dialect: &dyn Dialect, count: CountOf) -> PageRead {
        PageRead::new(ReadPlan::page(Arc::clone(&self.shape), page), dialect, count)
    }

    /// Sees that the caller may read the related documents that a request names by their nodes: a search
    /// reveals their content.
    ///
    /// # Errors
    /// [`Code::Forbidden`] where they may not be read.
    pub(crate) fn check_related(&self, right: ReadRight<'_>, named: &[NodeId]) -> Result<()> {
        let hidden = self.related.iter().find(|related| {
            named.contains(&related.node) && !right.principal_may_read(&related.access)
        });
        let Some(hidden) = hidden else { return Ok(()) };
        let message = format!("You may not read {}, which this search names.", hidden.name);
        Err(Error::new(Code::Forbidden, message))
    }

    /// How many texts of statements for pages were allocated.
    #[cfg(test)]
    pub(crate) fn texts_written(&self) -> u64 {
        self.reads.lock().unwrap().texts.written()
    }

    /// The writer of a stream.
    pub(crate) fn lines(&self, format: Format) -> &LineWriter {
        self.lines[format as usize].get_or_init(|| format.compile(&any_page(&self.shape)))
    }
}

/// The plan of some page: of any, as far as the columns of members go.
pub(crate) fn any_page(shape: &Arc<Shape>) -> ReadPlan {
    let page = Page {
        filter: Expr::all(),
        order: Vec::new(),
        by_row_number: false,
        after: None,
        offset: 0,
        limit: 1,
        arguments: Arc::default(),
    };
    ReadPlan::page(Arc::clone(shape), page)
}

/// The shape with only the members that a `fields=` list names. Paths are as in filters; a path
/// to an object or array takes all of it. A name with dots or commas is given as it is.
///
/// # Errors
/// [`Code::BadParameter`] for a path that names nothing.
pub(crate) fn project(shape: &Shape, fields: &str) -> Result<Shape> {
    let mut paths = Vec::new();
    collect_paths(shape, &shape.root().members, "", &mut paths);
    // The document of a collection is one value, of which nothing is picked.
    let is_whole = |member: &Member| matches!(&member.kind, MemberKind::Document(document) if !document.spread);
    let flexes = match shape.nodes.iter().any(|node| node.members.iter().any(is_whole)) {
        true => Vec::new(),
        false => shape.flex_fields(),
    };
    let mut wanted = Wanted::default();
    for field in split(fields, &paths) {
        match stored_member(&flexes, &paths, field) {
            Some((object, name)) => wanted.stored.entry(object).or_default().push(name),
            None => drop(wanted.members.insert(find(shape, &paths, field)?)),
        }
    }
    let mut projected = shape.clone();
    projected.metadata = false;
    let members = keep(shape, &shape.root().members, "", &wanted, &mut projected);
    projected.nodes[0].members = members;
    Ok(projected)
}

/// The parts of a list between its commas; one that begins with a path that has commas is that path.
fn split<'f>(fields: &'f str, paths: &[String]) -> impl Iterator<Item = &'f str> {
    let with_commas: Vec<&String> = paths.iter().filter(|path| path.contains(',')).collect();
    let mut rest = Some(fields);
    std::iter::from_fn(move || {
        let list = rest?.trim_start();
        let is_end = |at: usize| list[at..].is_empty() || list[at..].starts_with(',');
        let known = with_commas.iter().filter(|path| list.starts_with(path.as_str()));
        let longest = known.map(|path| path.len()).filter(|at| is_end(*at)).max();
        let end = longest.or_else(|| list.find(',')).unwrap_or(list.len());
        rest = list.get(end + 1..);
        Some(list[..end].trim_end())
    })
}

/// What a projection keeps.
#[derive(Default)]
struct Wanted<'p> {
    /// The paths of members.
    members: BTreeSet<&'p str>,
    /// The names of members of flex columns, by the path of their object with a dot; empty for the root.
    stored: BTreeMap<String, Vec<String>>,
}

/// The object and the name that a path means in a flex column, where no member has this path: the object that the
/// path begins with has such a column, and one step follows.
fn stored_member(flexes: &[FlexField], paths: &[String], field: &str) -> Option<(String, String)> {
    let folded = field.to_lowercase();
    if field.is_empty() || paths.iter().any(|path| path.to_lowercase() == folded) {
        return None;
    }
    flexes.iter().find_map(|flex| {
        let object = &flex.field.path;
        let name = match object.is_empty() {
            true => field,
            false => field
                .get(..object.len())
                .filter(|head| head.eq_ignore_ascii_case(object))
                .and_then(|_| field[object.len()..].strip_prefix('.'))?,
        };
        let dot = if object.is_empty() { "" } else { "." };
        let is_one =
            !name.is_empty() && !name.contains('.') && !flex.taken.iter().any(|it| it == name);
        is_one.then(|| (format!("{object}{dot}"), name.to_owned()))
    })
}

/// The path of a member as it is spelled, else without case.
fn find<'p>(shape: &Shape, paths: &'p [String], field: &str) -> Result<&'p str> {
    if field.is_empty() {
        return Err(bad_fields(
            "`fields` takes names joined by commas, such as fields=name,points.",
        ));
    }
    let exact = paths.iter().find(|path| *path == field);
    let folded = || paths.iter().find(|path| path.to_lowercase() == field.to_lowercase());
    exact.or_else(folded).map(String::as_str).ok_or_else(|| {
        let nearest = name::nearest(field, paths.iter().map(String::as_str));
        let shown: String = field.chars().take(64).collect();
        bad_fields(&format!("{} has no member {shown:?}.", shape.name))
            .maybe_hint(nearest.map(|name| format!("Did you mean `{name}`?")))
    })
}

fn bad_fields(message: &str) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter("fields".into()))
}

/// The paths of all members that documents show, objects and arrays included, as `fields=` names them.
fn collect_paths(shape: &Shape, members: &[Member], prefix: &str, out: &mut Vec<String>) {
    for member in members {
        let path = format!("{prefix}{}", member.name);
        let below = format!("{path}.");
        match &member.kind {
            MemberKind::Unnest(child) => {
                collect_paths(shape, &shape.nodes[*child].members, prefix, out);
            }
            MemberKind::Flex(_)
            | MemberKind::Column(ColumnMember { hidden: true, .. })
            | MemberKind::Generated { hidden: true, .. } => {}
            MemberKind::Group(inner) => {
                out.push(path);
                collect_paths(shape, inner, &below, out);
            }
            MemberKind::Object(child) | MemberKind::Array(child) => {
                out.push(path);
                collect_paths(shape, &shape.nodes[*child].members, &below, out);
            }
            _ => out.push(path),
        }
    }
}

/// The members of one object that are wanted, or that hold something wanted.
fn keep(
    shape: &Shape,
    members: &[Member],
    prefix: &str,
    wanted: &Wanted<'_>,
    out: &mut Shape,
) -> Vec<Member> {
    let mut kept = Vec::new();
    for member in members {
        let path = format!("{prefix}{}", member.name);
        let unnamed = matches!(member.kind, MemberKind::Unnest(_) | MemberKind::Flex(_));
        if !unnamed && wanted.members.contains(path.as_str()) {
            kept.push(member.clone());
            continue;
        }
        match &member.kind {
            MemberKind::Group(group) => {
                let group = keep(shape, group, &format!("{path}."), wanted, out);
                if !group.is_empty() {
                    let kind = MemberKind::Group(group);
                    kept.push(Member { name: member.name.clone(), kind });
                }
            }
            MemberKind::Object(child) | MemberKind::Array(child) | MemberKind::Unnest(child) => {
                let prefix = if unnamed { prefix.to_owned() } else { format!("{path}.") };
                let below = keep(shape, &shape.nodes[*child].members, &prefix, wanted, out);
                if !below.is_empty() {
                    out.nodes[*child].members = below;
                    kept.push(member.clone());
                }
            }
            MemberKind::Flex(flex) => {
                if let Some(names) = wanted.stored.get(prefix) {
                    let flex = FlexColumn { only: Some(names.clone()), ..flex.clone() };
                    kept.push(Member { name: String::new(), kind: MemberKind::Flex(flex) });
                }
            }
            _ => {}
        }
    }
    kept
}
