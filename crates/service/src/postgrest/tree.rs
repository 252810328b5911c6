//! The shape of a request: the rows of a table, with the columns and related rows that `select` names.

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_filter::Limits;
use duet_filter::postgrest::{
    self, CastRow, ColumnPath, Columns as _, Condition, Embed, Join, NativeKind, NodeParameters,
    OrderTerm, Request, SelectAggregate, SelectField, SelectItem,
};
use duet_model::catalog::RelationName;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::shape::{Elements, Field};
use duet_model::{
    Cardinality, ColumnRef, Error, Expr, GroupAggregate, GroupedValue, Link, Member, MemberKind,
    Node, NodeId, Operations, OrderBy, Place, Result, Shape, Type, Value,
};

use super::columns::{NodeColumns, member};
use super::embedded_aggregates::{CountedRows, EmbeddedRows};
use super::given_rows::GivenRows;
use super::grouped_rows::{AggregateMember, GroupedRows};
use super::relationship::{self, Relationship, Step};
use super::zone::check_offsets;
use crate::build::mount::Mount;
use crate::resources::resource::Resource;
use crate::resources::routine::RoutineResource;

/// What a request reads.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The documents.
    pub(super) shape: Shape,
    /// Which rows.
    pub(super) filter: Expr,
    /// In which order.
    pub(super) order: Vec<OrderBy>,
    /// Whether the request says something of embedded rows, so that the shape is its own.
    pub(super) is_own: bool,
    /// Whether the documents are groups of rows: the filter is in the shape, and the order is total.
    pub(super) is_grouped: bool,
}

/// What trees are built from.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) mount: &'a Mount,
    pub(super) request: &'a Request,
    /// Whether the caller may read all of a resource.
    pub(super) readable: &'a dyn Fn(&Resource) -> bool,
    /// Whether the caller may run a function.
    pub(super) runnable: &'a dyn Fn(&RoutineResource) -> bool,
    pub(super) limits: &'a Limits,
    /// How many resources may be embedded.
    pub(super) most: usize,
    /// Whether values may be computed of many rows.
    pub(super) aggregates: bool,
    /// Whether moments without an offset would be of another time zone than UTC.
    pub(super) zoned: bool,
}

impl<'a> Ground<'a> {
    /// Builds the tree of a request for a resource.
    ///
    /// # Errors
    /// The errors of PostgREST for what cannot be selected, filtered and ordered.
    pub(super) fn tree(self, resource: &'a Resource) -> Result<Tree> {
        let mut shape = (*resource.shape).clone();
        shape.nodes[0].members.clear();
        shape.metadata = false;
        let (used, aggregates) = (vec![Vec::new()], Vec::new());
        let mut builder = Builder { ground: self, shape, used, embedded: 0, aggregates };
        let (path, is_below_array, is_given) = (Vec::new(), false, false);
        let at = Branch { resource, node: 0, path, is_below_array, is_given };
        let mut mistakes = self.request.mistakes.clone();
        mistakes.extend(self.refused_aggregates());
        let built = taken(builder.branch(&at, &self.request.select), &mut mistakes);
        // What cannot be selected may be what others name.
        let is_selected = built.is_some() && !mistakes.iter().any(is_of_select);
        let mut built = built.unwrap_or_default();
        builder.shape.nodes[0].members = std::mem::take(&mut built.members);
        let root = match is_selected {
            true => {
                taken(builder.check_paths(), &mut mistakes);
                self.request.root().clone()
            }
            false => without_embeds(self.request),
        };
        let filter = taken(builder.conditions(&at, &root, &built.embeds), &mut mistakes);
        let order = taken(builder.order(&at, &root.order, &built.embeds), &mut mistakes);
        if let Some(error) = Error::all_of(mistakes) {
            return Err(error);
        }
        let (filter, order) = (filter.unwrap_or_else(Expr::all), order.unwrap_or_default());
        let required = built.required.into_iter().map(|rows| rows.exists);
        let filter = required.fold(filter.at_node(0), Expr::and);
        let is_own = self.request.nodes.len() > 1;
        let (shape, aggregates) = (builder.shape, builder.aggregates);
        if aggregates.is_empty() {
            return Ok(Tree { shape, filter, order, is_own, is_grouped: false });
        }
        let (shape, aggregates, limits) = (&shape, &aggregates, self.limits);
        let rows = GroupedRows { shape, filter, order: &order, aggregates, limits };
        let groups = rows.documents()?;
        let (shape, order, filter) = (groups.shape, groups.order, Expr::all());
        Ok(Tree { shape, filter, order, is_own: true, is_grouped: true })
    }
}

impl<'a> Ground<'a> {
    /// The refusal of aggregates where they are switched off. A count of the rows of a resource that is embedded for
    /// nothing else is a value of PostgreSQL's own, which PostgREST does not know as an aggregate.
    fn refused_aggregates(&self) -> Option<Error> {
        let is_any = self.request.select.iter().any(SelectItem::has_aggregates);
        (is_any && !self.aggregates).then(|| {
            let message = "Use of aggregate functions is not allowed";
            PostgrestCode::Aggregates.error(message).at(select())
        })
    }

    /// The function of this name that takes a row of a branch, and that the caller may run.
    fn runs(&self, at: &Branch<'_>, name: &str) -> Option<&'a Arc<RoutineResource>> {
        let table = &at.resource.shape.root().table;
        let takes = |of: &RelationName| (&of.schema, &of.name) == (&table.schema, &table.name);
        let mut known = self.mount.functions(name).iter().filter(|_| !at.is_given);
        known.find(|own| own.routine.row_of.as_ref().is_some_and(takes) && (self.runnable)(own))
    }

    /// Refuses related rows that the caller may not read.
    fn admit(&self, resource: &Resource) -> Result<()> {
        if (self.readable)(resource) {
            return Ok(());
        }
        let message = format!("permission denied for table {}", resource.name);
        Err(PostgrestCode::Denied.error(message).at(select()))
    }
}

/// What leads to related rows.
enum Related<'a> {
    /// Foreign keys.
    Keys(Relationship<'a>),
    /// A function of the row.
    Given(GivenRows<'a>),
}

impl Related<'_> {
    fn is_many(&self) -> bool {
        match self {
            Self::Keys(found) => found.is_many(),
            Self::Given(rows) => rows.is_many(),
        }
    }
}

/// The rows of a resource at a node.
struct Branch<'a> {
    resource: &'a Resource,
    node: NodeId,
    /// The keys of the embeds that lead to it.
    path: Vec<String>,
    is_below_array: bool,
    /// Whether its rows are what a function gives for those around them, without fields that functions compute.
    is_given: bool,
}

/// What the items of a `select` list give.
#[derive(Default)]
struct NodeContent {
    members: Vec<Member>,
    embeds: Embeds,
    /// What must hold of embeds so that the row is shown.
    required: Vec<RequiredRows>,
}

/// The rows of an embed that a row must have so that it is shown.
struct RequiredRows {
    /// That there are some, seen from the root.
    exists: Expr,
    /// The same, seen from the row.
    counted: CountedRows,
}

/// The embeds of a list, by their keys.
#[derive(Default)]
struct Embeds {
    /// Whether there is a row.
    exists: BTreeMap<String, Expr>,
    /// Of those to one: the node, and the name of the resource, for orders.
    nodes: BTreeMap<String, (NodeId, String)>,
}

struct Builder<'a> {
    ground: Ground<'a>,
    shape: Shape,
    /// The paths that `select` embeds.
    used: Vec<Vec<String>>,
    embedded: usize,
    /// The aggregates that are no members yet.
    aggregates: Vec<AggregateMember>,
}

impl<'a> Builder<'a> {
    fn branch(&mut self, at: &Branch<'a>, items: &[SelectItem]) -> Result<NodeContent> {
        let (mut built, mut mistakes) = (NodeContent::default(), Vec::new());
        for item in items {
            let added = match item {
                SelectItem::All => {
                    let members = &at.resource.shape.root().members;
                    let shown = |member: &&Member| matches!(&member.kind, MemberKind::Column(column) if !column.hidden);
                    built.members.extend(members.iter().filter(shown).cloned());
                    Ok(())
                }
                SelectItem::Field(field) if self.is_count(at, field, items) => {
                    let count = SelectAggregate { alias: field.alias.clone(), ..count_of(field) };
                    self.aggregate(at, &count, &mut built)
                }
                SelectItem::Field(field) => {
                    self.field(at, field).map(|member| built.members.push(member))
                }
                SelectItem::Aggregate(item) => self.aggregate(at, item, &mut built),
                SelectItem::Embed(embed) => self.embed(at, embed, &mut built),
            };
            if let Err(error) = added {
                mistakes.extend(error.mistakes().cloned());
            }
        }
        Error::all_of(mistakes).map_or(Ok(built), Err)
    }

    /// Whether a name means the number of rows: PostgreSQL takes `count` of rows without such a column for it.
    fn is_count(&self, at: &Branch<'_>, field: &SelectField, items: &[SelectItem]) -> bool {
        let is_named = field.path.column == "count" && field.path.steps.is_empty();
        let is_taken = items.len() == 1 || self.ground.aggregates;
        is_named && is_taken && self.column(at, &field.path.column).is_none()
    }

    fn column(&self, at: &Branch<'_>, name: &str) -> Option<Field> {
        let none = BTreeMap::new();
        let runs = |name: &str| self.ground.runs(at, name).is_some();
        NodeColumns { resource: at.resource, embeds: &none, runs: &runs }.column(name)
    }

    /// An aggregate, which has the place of the next member.
    fn aggregate(
        &mut self,
        at: &Branch<'_>,
        item: &SelectAggregate,
        built: &mut NodeContent,
    ) -> Result<()> {
        let none = BTreeMap::new();
        let runs = |name: &str| self.ground.runs(at, name).is_some();
        let columns = NodeColumns { resource: at.resource, embeds: &none, runs: &runs };
        let of = match &item.of {
            None => None,
            Some(of) => {
                let mut value =
                    postgrest::value_at(&of.path, &columns).map_err(|error| error.at(select()))?;
                if let Some(cast) = &of.cast {
                    (value.value, value.ty) =
                        cast_row(at.resource, &of.path.column, cast)?.cast(value.value);
                }
                Some(GroupedValue { value: value.value, ty: value.ty })
            }
        };
        if let Some(of) = of.as_ref().filter(|of| item.function.result(&of.ty).is_none()) {
            return Err(no_aggregate(item, &of.ty));
        }
        let cast = item.cast.as_deref();
        let cast = cast.map(|cast| cast_row(at.resource, item.key(), cast)).transpose()?;
        let aggregate = GroupAggregate { function: item.function, of };
        self.aggregates.push(AggregateMember {
            node: at.node,
            at: built.members.len(),
            aggregate,
            cast,
        });
        let expr = Box::new(Expr::Literal(Value::Null));
        let (ty, hidden, absent) = (Type::Text, false, false);
        let kind = MemberKind::Generated { expr, ty, hidden, absent };
        built.members.push(Member { name: item.key().to_owned(), kind });
        Ok(())
    }

    fn field(&self, at: &Branch<'_>, field: &SelectField) -> Result<Member> {
        let none = BTreeMap::new();
        let runs = |name: &str| self.ground.runs(at, name).is_some();
        let columns = NodeColumns { resource: at.resource, embeds: &none, runs: &runs };
        let mut value =
            postgrest::value_at(&field.path, &columns).map_err(|error| error.at(select()))?;
        if let Some(cast) = &field.cast {
            let row = cast_row(at.resource, &field.path.column, cast)?;
            if value.ty.domain_casts().is_some() {
                // What is cast is what its domain shows.
                value.value = Expr::Function("shown", vec![value.value]);
            }
            (value.value, value.ty) = row.cast(value.value);
        }
        let is_plain = field.path.steps.is_empty() && field.cast.is_none();
        let known = member(at.resource, &field.path.column);
        let kind = match known.filter(|column| is_plain && !column.hidden) {
            Some(column) => MemberKind::Column(*column),
            None => MemberKind::Generated {
                expr: Box::new(value.value),
                ty: value.ty,
                hidden: false,
                absent: false,
            },
        };
        Ok(Member { name: field.key().to_owned(), kind })
    }

    fn embed(&mut self, at: &Branch<'a>, embed: &Embed, built: &mut NodeContent) -> Result<()> {
        self.embedded += 1;
        if self.embedded > self.ground.most {
            let message = format!("`select` may embed {} resources.", self.ground.most);
            return Err(Error::new(duet_model::Code::ExpandLimit, message).at(select()));
        }
        let found = match self.ground.runs(at, &embed.name).filter(|own| own.gives_rows()) {
            Some(function) => {
                Related::Given(GivenRows::of(self.ground.mount, at.resource, embed, function)?)
            }
            None => Related::Keys(relationship::find(self.ground.mount, at.resource, embed)?),
        };
        let mut path = at.path.clone();
        path.push(embed.key().to_owned());
        self.used.push(path.clone());
        let (top, branch) = match &found {
            Related::Keys(found) => self.grow(at, found, path)?,
            Related::Given(rows) => self.given(at, rows, path)?,
        };
        let inner = self.branch(&branch, &embed.items)?;
        self.shape.nodes[branch.node].members = inner.members;
        let parameters = self.parameters(&branch.path);
        self.restrict(&branch, top, &parameters, &inner.embeds)?;
        if self.aggregates.iter().any(|one| one.node >= top) {
            match (embed.spread, found.is_many()) {
                (true, true) => return Err(aggregates_of_spread()),
                // They are those of the rows around it.
                (true, false) => {}
                (false, _) => return self.aggregated(at, top, &branch, embed, built),
            }
        }
        let mut required = inner.required;
        if embed.join == Join::Left && !found.is_many() {
            // A row without these is none, and that around it stays.
            for rows in required.drain(..) {
                self.restrict_by(branch.node, rows.counted);
            }
        }
        let counted = CountedRows::of(&self.shape, top, branch.node);
        let required = required.into_iter().map(|rows| rows.exists).collect();
        let exists = self.exists(&branch, top, required)?;
        if embed.join != Join::Left {
            self.require(at, top, &exists, counted.clone(), built);
        }
        let exists = match at.node != 0 && self.is_tested(at, embed.key()) {
            true => counted.in_node(&mut self.shape.nodes[at.node]),
            false => exists,
        };
        let name = embed.key().to_owned();
        if !found.is_many() {
            built.embeds.nodes.insert(name.clone(), (branch.node, branch.resource.name.clone()));
        }
        built.embeds.exists.insert(name.clone(), exists);
        if embed.spread && found.is_many() && !embed.shows_nothing() {
            return self.spread_many(top, embed, built);
        }
        let kind = match (embed.shows_nothing(), embed.spread, found.is_many()) {
            (true, ..) => MemberKind::Related(top),
            (_, true, _) => MemberKind::Unnest(top),
            (_, _, true) => MemberKind::Array(top),
            (_, _, false) => MemberKind::Object(top),
        };
        let name = if embed.spread { String::new() } else { name };
        built.members.push(Member { name, kind });
        Ok(())
    }

    /// The only object of an embed whose members are computed of all its rows: it is there without any row too.
    fn aggregated(
        &mut self,
        at: &Branch<'a>,
        top: NodeId,
        branch: &Branch<'a>,
        embed: &Embed,
        built: &mut NodeContent,
    ) -> Result<()> {
        let (own, others) =
            std::mem::take(&mut self.aggregates).into_iter().partition(|one| one.node >= top);
        self.aggregates = others;
        let rows = EmbeddedRows { top, node: branch.node, parent: at.node, aggregates: own };
        rows.replace(&mut self.shape, embed.key())?;
        let name = embed.key().to_owned();
        built.embeds.exists.insert(name.clone(), Expr::all());
        let kind = match self.shape.is_many(top) {
            true => MemberKind::Array(top),
            false => MemberKind::Object(top),
        };
        built.members.push(Member { name, kind });
        Ok(())
    }

    /// An array for each value of a spread of many rows, all of which are read once.
    fn spread_many(&self, top: NodeId, embed: &Embed, built: &mut NodeContent) -> Result<()> {
        let names = self.shape.visible_names(&self.shape.nodes[top].members);
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                let given = format!("{} of {}", name, embed.key());
                return Err(PostgrestGap::SpreadOfMany.refusal(&given).at(select()));
            }
        }
        let values = names
            .iter()
            .map(|name| Member { name: (*name).to_owned(), kind: MemberKind::Scalars(top) });
        built.members.extend(values);
        Ok(())
    }

    /// The nodes of a relationship: that which is linked to the parent, and that of the other table.
    fn grow(
        &mut self,
        at: &Branch<'a>,
        found: &Relationship<'a>,
        path: Vec<String>,
    ) -> Result<(NodeId, Branch<'a>)> {
        let is_below_array = at.is_below_array || found.is_many();
        let cardinality = if found.first.is_one() { Cardinality::One } else { Cardinality::Many };
        let top = self.node(at.node, &found.first, cardinality)?;
        let Some(second) = &found.second else {
            let resource = found.first.resource;
            let is_given = false;
            return Ok((top, Branch { resource, node: top, path, is_below_array, is_given }));
        };
        let node = self.node(top, second, Cardinality::One)?;
        self.shape.nodes[node].elements.required = true;
        let kind = MemberKind::Unnest(node);
        self.shape.nodes[top].members.push(Member { name: String::new(), kind });
        let (resource, is_given) = (second.resource, false);
        Ok((top, Branch { resource, node, path, is_below_array, is_given }))
    }

    fn node(
        &mut self,
        parent: NodeId,
        step: &Step<'a>,
        cardinality: Cardinality,
    ) -> Result<NodeId> {
        self.ground.admit(step.resource)?;
        let link = Link {
            parent,
            parent_columns: step.expandable.own_columns.clone(),
            child_columns: step.expandable.other_columns.clone(),
            cardinality,
        };
        self.shape.nodes.push(Node {
            link: Some(link),
            operations: Operations::default(),
            members: Vec::new(),
            ..step.resource.shape.root().clone()
        });
        Ok(self.shape.nodes.len() - 1)
    }

    /// The node of what a function gives for the rows around it.
    fn given(
        &mut self,
        at: &Branch<'a>,
        rows: &GivenRows<'a>,
        path: Vec<String>,
    ) -> Result<(NodeId, Branch<'a>)> {
        self.ground.admit(rows.resource)?;
        let is_many = rows.is_many();
        let link = Link {
            parent: at.node,
            parent_columns: rows.key.clone(),
            child_columns: rows.key_columns(),
            cardinality: if is_many { Cardinality::Many } else { Cardinality::One },
        };
        self.shape.nodes.push(Node {
            table: Arc::clone(&rows.table),
            link: Some(link),
            operations: Operations::default(),
            members: Vec::new(),
            ..rows.resource.shape.root().clone()
        });
        let (node, resource) = (self.shape.nodes.len() - 1, rows.resource);
        let is_below_array = at.is_below_array || is_many;
        Ok((node, Branch { resource, node, path, is_below_array, is_given: true }))
    }

    fn parameters(&self, path: &[String]) -> NodeParameters {
        self.ground.request.at(path).cloned().unwrap_or_default()
    }

    /// Restricts the rows of an embed by what the request says of them.
    fn restrict(
        &mut self,
        branch: &Branch<'a>,
        top: NodeId,
        parameters: &NodeParameters,
        embeds: &Embeds,
    ) -> Result<()> {
        let filter = self.conditions(branch, parameters, embeds)?;
        if !filter.is_all() {
            add_filter(&mut self.shape.nodes[branch.node], filter);
        }
        let order = self.order(branch, &parameters.order, embeds)?;
        let is_array = self.shape.is_many(top);
        let (offset, limit) = (parameters.offset, parameters.limit);
        if parameters.has_negative_limit {
            return Err(PostgrestCode::Range.error("Requested range not satisfiable"));
        }
        let required = self.shape.nodes[top].elements.required;
        if is_array {
            self.shape.nodes[top].elements = Elements { required, order, offset, limit };
        }
        Ok(())
    }

    fn conditions(
        &self,
        branch: &Branch<'_>,
        parameters: &NodeParameters,
        embeds: &Embeds,
    ) -> Result<Expr> {
        let runs = |name: &str| self.ground.runs(branch, name).is_some();
        let columns =
            NodeColumns { resource: branch.resource, embeds: &embeds.exists, runs: &runs };
        let one = |condition| {
            if self.ground.zoned {
                check_offsets(condition, branch.resource)?;
            }
            postgrest::condition(condition, &columns, self.ground.limits)
        };
        let (mut parts, mut mistakes) = (Vec::new(), Vec::new());
        for made in parameters.conditions.iter().map(one) {
            match made {
                Ok(part) => parts.push(part),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        Error::all_of(mistakes).map_or(Ok(Expr::And(parts)), Err)
    }

    fn order(
        &self,
        branch: &Branch<'_>,
        terms: &[OrderTerm],
        embeds: &Embeds,
    ) -> Result<Vec<OrderBy>> {
        let mut order: Vec<OrderBy> = Vec::new();
        for term in terms {
            let (resource, node) = match &term.relation {
                None => (branch.resource, branch.node),
                Some(name) => {
                    let Some((node, resource)) = embeds.nodes.get(name) else {
                        return Err(match embeds.exists.contains_key(name) {
                            true => not_to_one(&branch.resource.name, name),
                            false => not_embedded(name),
                        });
                    };
                    (&**self.ground.mount.resource(resource)?, *node)
                }
            };
            let is_own = term.relation.is_none();
            let runs = |name: &str| is_own && self.ground.runs(branch, name).is_some();
            let (value, ty) = match ordered(resource, &runs, &term.path) {
                Ok(field) => (field.value.at_node(node), field.ty),
                // A spread resource has the names that its values are given.
                Err(error) => {
                    let shown = (!is_own).then(|| self.shown_value(node, &term.path)).flatten();
                    shown.ok_or(error)?
                }
            };
            let by =
                OrderBy { value, ty, direction: term.direction, nulls_first: term.nulls_first() };
            if !order.iter().any(|known| known.value == by.value) {
                order.push(by);
            }
        }
        Ok(order)
    }

    /// The value of a member of a node by its name, where it can be put in order.
    fn shown_value(&self, node: NodeId, path: &ColumnPath) -> Option<(Expr, Type)> {
        let members = self.shape.nodes[node].members.iter();
        let mut named = members.filter(|member| member.name == path.column);
        let is_plain = path.steps.is_empty();
        let found = named.find_map(|member| match &member.kind {
            MemberKind::Column(column) if is_plain => {
                let column = ColumnRef { node, column: column.column };
                Some((Expr::from(column), self.shape.column_type(column).clone()))
            }
            _ => None,
        });
        found.filter(|(_, ty)| ty.comparison() == duet_model::Comparability::Order)
    }

    /// That an embed has a row, seen from the root.
    fn exists(&self, branch: &Branch<'_>, top: NodeId, required: Vec<Expr>) -> Result<Expr> {
        let mut parts = Vec::new();
        for node in if top == branch.node { vec![top] } else { vec![top, branch.node] } {
            let Node { link, filter, .. } = &self.shape.nodes[node];
            let Some(column) = link.as_ref().and_then(|link| link.child_columns.first()) else {
                return Err(Error::internal("an embed without a link"));
            };
            let value = Expr::from(ColumnRef { node, column: *column });
            parts.push(Expr::IsNull(Box::new(value)).negated());
            parts.extend(filter.clone().map(|filter| filter.at_node(node)));
        }
        parts.extend(required);
        let all = Expr::And(parts);
        Ok(if branch.is_below_array { Expr::SameRow(Box::new(all)) } else { all })
    }

    /// Leaves out the rows of the parent without a row of an inner embed. Of the rows of an array, those with a joined
    /// row are read; those with an array of their own that is not empty are counted.
    fn require(
        &mut self,
        at: &Branch<'a>,
        top: NodeId,
        exists: &Expr,
        counted: CountedRows,
        built: &mut NodeContent,
    ) {
        if at.is_below_array && self.shape.is_many(top) {
            return self.restrict_by(at.node, counted);
        }
        let exists = match exists {
            Expr::SameRow(inner) if at.is_below_array => (**inner).clone(),
            other => other.clone(),
        };
        self.shape.nodes[top].elements.required |= at.is_below_array;
        built.required.push(RequiredRows { exists, counted });
    }

    /// Leaves out the rows of a node to which no such row belongs.
    fn restrict_by(&mut self, node: NodeId, rows: CountedRows) {
        let node = &mut self.shape.nodes[node];
        let exists = rows.in_node(node);
        add_filter(node, exists);
    }

    /// Whether a condition of a branch is about an embed of it.
    fn is_tested(&self, at: &Branch<'_>, name: &str) -> bool {
        let said = self.ground.request.at(&at.path);
        let conditions = said.into_iter().flat_map(|said| &said.conditions);
        conditions.into_iter().any(|condition| names_any(condition, &|column| column == name))
    }

    /// Refuses parameters of embeds that `select` does not have.
    fn check_paths(&self) -> Result<()> {
        let unused = self.ground.request.nodes.iter().find(|node| !self.used.contains(&node.path));
        let Some(unused) = unused else { return Ok(()) };
        Err(not_embedded(unused.path.last().map_or("", String::as_str)))
    }
}

/// The value that a term orders by.
fn ordered(resource: &Resource, runs: &dyn Fn(&str) -> bool, path: &ColumnPath) -> Result<Field> {
    let none = BTreeMap::new();
    let columns = NodeColumns { resource, embeds: &none, runs };
    let place = || Place::Parameter("order".to_owned());
    let value = postgrest::value_at(path, &columns).map_err(|error| error.at(place()))?;
    // What is inside `jsonb`, and values of other types as such, PostgreSQL puts in order.
    let kind = columns.native_kind(&path.column).filter(|_| !path.steps.is_empty());
    let is_jsonb = value.ty == Type::Json && kind.is_some_and(|kind| kind != NativeKind::Json);
    if !is_jsonb && value.ty.comparison() != duet_model::Comparability::Order {
        return Err(PostgrestGap::Order.refusal(&path.column).at(place()));
    }
    Ok(value)
}

/// Adds a condition to those of the rows of a node.
fn add_filter(node: &mut Node, filter: Expr) {
    node.filter = Some(match node.filter.take() {
        Some(before) => before.and(filter),
        None => filter,
    });
}

/// The cast to a type.
fn cast_row(resource: &Resource, of: &str, cast: &str) -> Result<&'static CastRow> {
    let known = CastRow::named(cast).filter(|_| resource.dialect().has_native_tests());
    known.ok_or_else(|| PostgrestGap::Cast.refusal(&format!("{of}::{cast}")).at(select()))
}

/// The number of rows, cast as a field is.
fn count_of(field: &SelectField) -> SelectAggregate {
    SelectAggregate { cast: field.cast.clone(), ..SelectAggregate::count() }
}

/// The error for a function without a meaning for values of a type, or without one on both stores.
fn no_aggregate(item: &SelectAggregate, ty: &Type) -> Error {
    let called = format!("{}({})", item.name(), postgrest::type_name(ty));
    let error = match ty {
        Type::Text | Type::Char | Type::Boolean | Type::Json | Type::Uuid | Type::Enum(_) => {
            PostgrestCode::NoOperator.error(format!("function {called} does not exist"))
        }
        _ => PostgrestGap::AggregateType.refusal(&called),
    };
    error.at(select())
}

/// The error of PostgREST for what it does not compute either.
fn aggregates_of_spread() -> Error {
    let details = "\"Aggregates are not implemented for one-to-many or many-to-many spreads.\"";
    let error =
        PostgrestCode::NotImplemented.with_details("Feature not implemented", details.to_owned());
    error.at(select())
}

fn not_to_one(table: &str, name: &str) -> Error {
    let message = format!("A related order on '{name}' is not possible");
    let details =
        format!("'{table}' and '{name}' do not form a many-to-one or one-to-one relationship");
    let details = serde_json::Value::from(details).to_string();
    let error = PostgrestCode::RelatedOrder.with_details(message, details);
    error.at(Place::Parameter("order".to_owned()))
}

fn not_embedded(name: &str) -> Error {
    let message = format!("'{name}' is not an embedded resource in this request");
    let hint = format!("Verify that '{name}' is included in the 'select' query parameter.");
    PostgrestCode::NotEmbedded.error(message).hint(hint).at(select())
}

/// A value; the mistakes in its place are added to the others.
fn taken<T>(result: Result<T>, mistakes: &mut Vec<Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            mistakes.extend(error.mistakes().cloned());
            None
        }
    }
}

/// Whether a mistake is one of `select`.
fn is_of_select(mistake: &Error) -> bool {
    mistake.place == Some(select())
}

/// What is said of the rows of a request, without what names embedded resources.
fn without_embeds(request: &Request) -> NodeParameters {
    let is_embed = |name: &str| {
        request
            .select
            .iter()
            .any(|item| matches!(item, SelectItem::Embed(own) if own.key() == name))
    };
    if request.mistakes.iter().any(is_of_select) {
        return NodeParameters::default();
    }
    let mut root = request.root().clone();
    root.conditions.retain(|condition| !names_any(condition, &is_embed));
    root.order.retain(|term| term.relation.is_none());
    root
}

/// Whether a condition names one of some columns.
fn names_any(condition: &Condition, is_it: &dyn Fn(&str) -> bool) -> bool {
    match condition {
        Condition::Test(test) => is_it(&test.path.column),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().any(|part| names_any(part, is_it))
        }
        Condition::Not(inner) => names_any(inner, is_it),
    }
}

fn select() -> Place {
    Place::Parameter("select".to_owned())
}
