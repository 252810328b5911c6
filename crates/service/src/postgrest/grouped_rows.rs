//! Aggregates of the rows of a request: its tree becomes groups of these rows, by all that is selected beside the
//! aggregates. A to-one resource is a key by its content; one of the rows of a group says which row it is read from.

use std::sync::Arc;

use duet_filter::Limits;
use duet_filter::postgrest::CastRow;
use duet_model::group_function::is_key;
use duet_model::groups::column_name;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::{
    Cardinality, Code, ColumnMember, ColumnRef, Direction, Error, Expr, FieldRef, GroupAggregate,
    GroupFunction, GroupedValue, Groups, Link, Member, MemberKind, NodeId, OrderBy, Place, Result,
    Shape, Type, Value,
};

/// An aggregate at the place of a member.
#[derive(Clone, Debug)]
pub(super) struct AggregateMember {
    /// The node whose member it is.
    pub(super) node: NodeId,
    /// The place among the members of the node.
    pub(super) at: usize,
    /// The function, of a value of the row of the node.
    pub(super) aggregate: GroupAggregate,
    /// What the result is cast to.
    pub(super) cast: Option<&'static CastRow>,
}

/// A tree of rows with aggregates among its members.
pub(super) struct GroupedRows<'t> {
    pub(super) shape: &'t Shape,
    pub(super) filter: Expr,
    pub(super) order: &'t [OrderBy],
    pub(super) aggregates: &'t [AggregateMember],
    pub(super) limits: &'t Limits,
}

/// The groups as documents, and their order.
pub(super) struct GroupDocuments {
    pub(super) shape: Shape,
    pub(super) order: Vec<OrderBy>,
}

/// A member of the document of a group.
struct GroupMember {
    name: String,
    content: GroupContent,
}

/// What a member of the document of a group is.
enum GroupContent {
    /// The key at a position.
    Key(usize),
    /// The aggregate at a position, cast.
    Aggregate(usize, Option<&'static CastRow>),
    /// The row of a node, which has the columns of its link at these places.
    Object(NodeId, Vec<GroupColumn>),
}

/// A column of the groups.
enum GroupColumn {
    /// The key at a position.
    Key(usize),
    /// The aggregate at a position.
    Aggregate(usize),
}

impl GroupedRows<'_> {
    /// Makes the groups.
    ///
    /// # Errors
    /// Where a value is no key of groups, and where the order names what is no key.
    pub(super) fn documents(self) -> Result<GroupDocuments> {
        let mut parts = GroupParts {
            shape: self.shape,
            known: self.aggregates,
            keys: Vec::new(),
            aggregates: Vec::new(),
            members: Vec::new(),
        };
        parts.read(0)?;
        let GroupParts { keys, aggregates, members, .. } = parts;
        let most = self.limits.nodes;
        if keys.len() + aggregates.len() > most {
            let message = format!("Groups have at most {most} keys and aggregates.");
            return Err(Error::new(Code::FilterLimit, message).at(select()));
        }
        let order = of_groups(self.order, &keys, self.shape)?;
        let (first, count) = (keys.len(), keys.len() + aggregates.len());
        let shape = Arc::new(self.shape.clone());
        let groups = Groups { shape, filter: self.filter, elements: None, keys, aggregates };
        let names: Vec<String> = (0..count).map(column_name).collect();
        let relation = Arc::new(groups.relation(&names));
        let mut documents = Shape::of_relation(&relation);
        documents.name.clone_from(&self.shape.name);
        documents.style = self.shape.style;
        documents.nodes[0].members.clear();
        let mut made = Documents { of: self.shape, shape: documents, first };
        let members = members.into_iter().map(|member| made.member(member)).collect();
        made.shape.nodes[0].members = members;
        let order = total(&made.shape, order, first);
        Ok(GroupDocuments { shape: made.shape, order })
    }
}

/// What groups are made of.
struct GroupParts<'t> {
    shape: &'t Shape,
    known: &'t [AggregateMember],
    keys: Vec<GroupedValue>,
    aggregates: Vec<GroupAggregate>,
    members: Vec<GroupMember>,
}

impl GroupParts<'_> {
    /// The members of a node, which are those of the document.
    fn read(&mut self, node: NodeId) -> Result<()> {
        let shape = self.shape;
        for (at, member) in shape.nodes[node].members.iter().enumerate() {
            let known = self.known.iter().find(|known| (known.node, known.at) == (node, at));
            let content = match (known, &member.kind) {
                (Some(known), _) => {
                    let of = known.aggregate.of.clone();
                    let of = of.map(|of| GroupedValue { value: of.value.at_node(node), ty: of.ty });
                    self.aggregates.push(GroupAggregate { of, ..known.aggregate.clone() });
                    GroupContent::Aggregate(self.aggregates.len() - 1, known.cast)
                }
                (None, MemberKind::Unnest(inner)) => {
                    self.read(*inner)?;
                    continue;
                }
                (None, MemberKind::Object(inner)) => self.object(*inner)?,
                (None, kind) => match self.value(node, &member.name, kind)? {
                    Some(key) => GroupContent::Key(key),
                    None => continue,
                },
            };
            self.members.push(GroupMember { name: member.name.clone(), content });
        }
        Ok(())
    }

    /// The key that a member is.
    fn value(&mut self, node: NodeId, name: &str, kind: &MemberKind) -> Result<Option<usize>> {
        match kind {
            MemberKind::Column(ColumnMember { column, hidden: false, .. }) => {
                let column = ColumnRef { node, column: *column };
                let ty = self.shape.column_type(column).clone();
                self.key(GroupedValue { value: column.into(), ty }, name).map(Some)
            }
            MemberKind::Generated { expr, ty, hidden: false, .. } => {
                let value = (**expr).clone().at_node(node);
                self.key(GroupedValue { value, ty: ty.clone() }, name).map(Some)
            }
            MemberKind::Array(_) | MemberKind::Scalars(_) => {
                Err(PostgrestGap::ArrayOfGroup.refusal(name).at(select()))
            }
            _ => Ok(None),
        }
    }

    /// The place of a key, which is there once.
    fn key(&mut self, key: GroupedValue, name: &str) -> Result<usize> {
        if !is_key(&key.ty) {
            return Err(PostgrestGap::GroupKey.refusal(name).at(select()));
        }
        let known = self.keys.iter().position(|known| *known == key);
        Ok(known.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        }))
    }

    /// The object of a to-one node: its content is in the keys.
    fn object(&mut self, node: NodeId) -> Result<GroupContent> {
        self.content(node)?;
        let link = self.shape.nodes[node].link.as_ref();
        let columns = link.map_or(&[][..], |link| &link.child_columns);
        let places = columns.iter().map(|&column| self.link_column(node, column, columns.len()));
        let places = places.collect::<Vec<_>>();
        let mut found = Vec::with_capacity(places.len());
        for place in places {
            found.push(self.linked(place?));
        }
        Ok(GroupContent::Object(node, found))
    }

    /// The keys that the content of a to-one node is, and whether there is a row.
    fn content(&mut self, node: NodeId) -> Result<()> {
        let shape = self.shape;
        for member in &shape.nodes[node].members {
            match &member.kind {
                MemberKind::Object(inner) | MemberKind::Unnest(inner) => self.content(*inner)?,
                kind => drop(self.value(node, &member.name, kind)?),
            }
        }
        let link = shape.nodes[node].link.as_ref();
        let Some(&column) = link.and_then(|link| link.child_columns.first()) else { return Ok(()) };
        let column = ColumnRef { node, column };
        if self.keys.iter().any(|key| key.value == Expr::from(column)) {
            return Ok(());
        }
        let is_missing = Expr::IsNull(Box::new(column.into()));
        let number = |number| Expr::Literal(Value::Int(number));
        let value = Expr::Case {
            branches: vec![(is_missing, number(0))],
            otherwise: Some(Box::new(number(1))),
        };
        self.key(GroupedValue { value, ty: Type::Integer { bits: 32 } }, "").map(drop)
    }

    /// Where the rows of a group have a column by which the row of a node is found: in a key, or in any of them, since
    /// the content of all these rows is the same.
    fn link_column(&self, node: NodeId, column: usize, of: usize) -> Result<LinkColumn> {
        let column = ColumnRef { node, column };
        let ty = self.shape.column_type(column).clone();
        let value = GroupedValue { value: column.into(), ty };
        if let Some(key) = self.keys.iter().position(|known| *known == value) {
            return Ok(LinkColumn::Known(key));
        }
        if of == 1 && GroupFunction::Min.result(&value.ty).is_some() {
            return Ok(LinkColumn::Any(value));
        }
        let name = &self.shape.column(column).name;
        Err(PostgrestGap::ObjectOfGroup.refusal(name).at(select()))
    }

    fn linked(&mut self, column: LinkColumn) -> GroupColumn {
        match column {
            LinkColumn::Known(key) => GroupColumn::Key(key),
            LinkColumn::Any(value) => {
                self.aggregates
                    .push(GroupAggregate { function: GroupFunction::Min, of: Some(value) });
                GroupColumn::Aggregate(self.aggregates.len() - 1)
            }
        }
    }
}

/// A column by which a row is found.
enum LinkColumn {
    /// It is a key.
    Known(usize),
    /// That of any row of the group.
    Any(GroupedValue),
}

/// The documents of groups as they are made.
struct Documents<'t> {
    of: &'t Shape,
    shape: Shape,
    /// The column of the first aggregate.
    first: usize,
}

impl Documents<'_> {
    fn member(&mut self, member: GroupMember) -> Member {
        let kind = match member.content {
            GroupContent::Key(key) => MemberKind::Column(ColumnMember::read_only(key)),
            GroupContent::Aggregate(at, cast) => {
                let column = self.first + at;
                match cast {
                    None => MemberKind::Column(ColumnMember::read_only(column)),
                    Some(row) => {
                        let (expr, ty) = row.cast(FieldRef::row(column).into());
                        let expr = Box::new(expr);
                        MemberKind::Generated { expr, ty, hidden: false, absent: false }
                    }
                }
            }
            GroupContent::Object(node, columns) => {
                let column = |column: GroupColumn| match column {
                    GroupColumn::Key(key) => key,
                    GroupColumn::Aggregate(at) => self.first + at,
                };
                let parent_columns = columns.into_iter().map(column).collect();
                MemberKind::Object(self.node(node, 0, Some(parent_columns)))
            }
        };
        Member { name: member.name, kind }
    }

    /// The node of the tree with those below it; the columns of the parent, where these are others.
    fn node(&mut self, node: NodeId, parent: NodeId, columns: Option<Vec<usize>>) -> NodeId {
        let mut own = self.of.nodes[node].clone();
        own.link = own.link.map(|link| {
            let parent_columns = columns.unwrap_or(link.parent_columns);
            Link { parent, parent_columns, cardinality: Cardinality::One, ..link }
        });
        let mut members = std::mem::take(&mut own.members);
        self.shape.nodes.push(own);
        let made = self.shape.nodes.len() - 1;
        for member in &mut members {
            if let MemberKind::Object(inner) | MemberKind::Unnest(inner) = &mut member.kind {
                *inner = self.node(*inner, made, None);
            }
        }
        members.retain(|member| !matches!(member.kind, MemberKind::Related(_)));
        self.shape.nodes[made].members = members;
        made
    }
}

/// The requested order as one of the keys.
fn of_groups(order: &[OrderBy], keys: &[GroupedValue], shape: &Shape) -> Result<Vec<OrderBy>> {
    let term = |term: &OrderBy| {
        let key = keys.iter().position(|key| key.value == term.value).ok_or_else(|| {
            let column = term.value.first_field().map(|field| field.column_at(0));
            let name = column.map_or("", |column| &shape.column(column).name);
            let table = column.map_or("", |column| &shape.nodes[column.node].table.name);
            let message = format!(
                "column \"{table}.{name}\" must appear in the GROUP BY clause or be used in an aggregate function"
            );
            PostgrestCode::NotGrouped.error(message).at(Place::Parameter("order".to_owned()))
        })?;
        let column = ColumnRef { node: 0, column: key };
        Ok(OrderBy { value: column.into(), ..term.clone() })
    };
    order.iter().map(term).collect()
}

/// The order and behind it that of all keys, which no two groups have in common.
fn total(shape: &Shape, mut order: Vec<OrderBy>, keys: usize) -> Vec<OrderBy> {
    for column in (0..keys).map(|column| ColumnRef { node: 0, column }) {
        if !order.iter().any(|term| term.value.whole_column() == Some(column)) {
            order.push(shape.order_by(column, Direction::Ascending));
        }
    }
    order
}

fn select() -> Place {
    Place::Parameter("select".to_owned())
}
