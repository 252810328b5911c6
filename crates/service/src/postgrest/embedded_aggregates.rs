//! Aggregates of all rows of an embedded resource: the row around them is joined to itself, once, and has a member for
//! each, which is computed of the rows that belong to it.

use duet_model::catalog::TableRef;
use duet_model::profiles::PostgrestGap;
use duet_model::shape::{Aggregate, AggregateFunction, Elements};
use duet_model::{
    Cardinality, Compare, Expr, FieldRef, GroupFunction, Link, Member, MemberKind, Node, NodeId,
    Operations, Place, Result, Shape, Type, Value,
};

use super::grouped_rows::AggregateMember;

/// The rows of an embed whose members are aggregates.
pub(super) struct EmbeddedRows {
    /// The first node of the embed.
    pub(super) top: NodeId,
    /// The node with the members.
    pub(super) node: NodeId,
    /// The node around it.
    pub(super) parent: NodeId,
    pub(super) aggregates: Vec<AggregateMember>,
}

impl EmbeddedRows {
    /// Puts a node with the values in the place of the nodes of the rows.
    ///
    /// # Errors
    /// Where there are other members, and where the row around them has no key.
    pub(super) fn replace(self, shape: &mut Shape, name: &str) -> Result<()> {
        let place = || Place::Parameter("select".to_owned());
        let own = &shape.nodes[self.node];
        let are_alone = own.members.len() == self.aggregates.len()
            && self.node + 1 == shape.nodes.len()
            && self.aggregates.iter().all(|one| one.node == self.node);
        let elements = &shape.nodes[self.top].elements;
        if !are_alone || elements.is_window() || !elements.order.is_empty() {
            return Err(PostgrestGap::GroupsOfArray.refusal(name).at(place()));
        }
        let around = TableRef::clone(&shape.nodes[self.parent].table);
        let key = around.identity().to_vec();
        if key.is_empty() || around.query.is_some() {
            return Err(PostgrestGap::RowWithoutKey.refusal(name).at(place()));
        }
        let members = std::mem::take(&mut shape.nodes[self.node].members);
        let rows = shape.nodes.split_off(self.top);
        let Some(link) = rows.first().and_then(|node| node.link.clone()) else {
            return Err(duet_model::Error::internal("an embed without a link"));
        };
        let (aggregates, members) = self.computed(&rows, &link, members, shape);
        let link = Link {
            parent: self.parent,
            parent_columns: key.clone(),
            child_columns: key,
            cardinality: link.cardinality,
        };
        shape.nodes.push(Node {
            table: around,
            link: Some(link),
            members,
            filter: None,
            check_option: false,
            operations: Operations::default(),
            aggregates,
            derived: Vec::new(),
            elements: Elements::default(),
        });
        Ok(())
    }

    /// The functions over the rows, and the members that have their values.
    fn computed(
        &self,
        nodes: &[Node],
        link: &Link,
        members: Vec<Member>,
        shape: &Shape,
    ) -> (Vec<Aggregate>, Vec<Member>) {
        let JoinedNodes { rows, filter, outer } = JoinedNodes::of(shape, nodes, self.top, link);
        let node = self.node - self.top;
        let one = |(at, (member, own)): (usize, (Member, &AggregateMember))| {
            let of = own.aggregate.of.as_ref();
            let integer = Type::Integer { bits: 64 };
            let aggregate = Aggregate {
                function: function(own.aggregate.function),
                distinct: false,
                operand: of.map(|of| of.value.clone().at_node(node)),
                ty: of.map_or(integer, |of| of.ty.clone()),
                rows: rows.clone(),
                columns: link.child_columns.clone(),
                filter: filter.clone(),
                list: None,
            };
            let value = Expr::Aggregate(outer.clone(), at);
            let result = result(aggregate.function, of.map(|of| &of.ty));
            let (expr, ty) = match own.cast {
                Some(row) => row.cast(value),
                None => (value, result),
            };
            let kind =
                MemberKind::Generated { expr: Box::new(expr), ty, hidden: false, absent: false };
            (aggregate, Member { name: member.name, kind })
        };
        members.into_iter().zip(&self.aggregates).enumerate().map(one).unzip()
    }
}

/// The type of a function over rows for values of a type.
fn result(function: AggregateFunction, ty: Option<&Type>) -> Type {
    match (function, ty) {
        (AggregateFunction::Sum, Some(Type::Integer { .. })) => Type::Integer { bits: 64 },
        (AggregateFunction::Sum | AggregateFunction::Average, _) => Type::Decimal { scale: None },
        (AggregateFunction::Least | AggregateFunction::Greatest, Some(ty)) => ty.clone(),
        _ => Type::Integer { bits: 64 },
    }
}

/// The function over rows that a function of groups is.
fn function(function: GroupFunction) -> AggregateFunction {
    match function {
        GroupFunction::Count | GroupFunction::CountDistinct => AggregateFunction::Count,
        GroupFunction::Sum => AggregateFunction::Sum,
        GroupFunction::Average => AggregateFunction::Average,
        GroupFunction::Min => AggregateFunction::Least,
        GroupFunction::Max => AggregateFunction::Greatest,
    }
}

/// Nodes of an embed as the rows of a function over rows.
struct JoinedNodes {
    rows: Shape,
    filter: Option<Expr>,
    outer: Vec<Expr>,
}

impl JoinedNodes {
    /// The nodes, the first of which has the place `top` in the shape and is linked to the row around it.
    fn of(shape: &Shape, nodes: &[Node], top: NodeId, link: &Link) -> Self {
        let mut rows = Shape {
            name: String::new(),
            nodes: nodes.to_vec(),
            key: Vec::new(),
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: shape.style,
        };
        for (at, node) in rows.nodes.iter_mut().enumerate() {
            node.members.clear();
            node.elements = Elements::default();
            node.link = node.link.take().filter(|_| at > 0);
            if let Some(link) = &mut node.link {
                link.parent -= top;
            }
        }
        let filter = rows.nodes[0].filter.take().map(|filter| filter.at_node(0));
        let outer =
            link.parent_columns.iter().map(|&column| FieldRef::row(column).into()).collect();
        Self { rows, filter, outer }
    }
}

/// The number of rows of an embed that belong to the row around it.
#[derive(Clone)]
pub(super) struct CountedRows {
    outer: Vec<Expr>,
    count: Aggregate,
}

impl CountedRows {
    /// Those of the nodes from `top` to `node`.
    pub(super) fn of(shape: &Shape, top: NodeId, node: NodeId) -> Self {
        let nodes = &shape.nodes[top..=node];
        let none = || Link {
            parent: 0,
            parent_columns: Vec::new(),
            child_columns: Vec::new(),
            cardinality: Cardinality::Many,
        };
        let link = nodes[0].link.clone().unwrap_or_else(none);
        let JoinedNodes { rows, filter, outer } = JoinedNodes::of(shape, nodes, top, &link);
        let count = Aggregate {
            function: AggregateFunction::Count,
            distinct: false,
            operand: None,
            ty: Type::Integer { bits: 64 },
            rows,
            columns: link.child_columns,
            filter,
            list: None,
        };
        Self { outer, count }
    }

    /// That there are any, as a condition on the row of a node, which gets the function.
    pub(super) fn in_node(self, node: &mut Node) -> Expr {
        node.aggregates.push(self.count);
        let count = Expr::Aggregate(self.outer, node.aggregates.len() - 1);
        Expr::compare(Compare::Gt, count, Expr::Literal(Value::Int(0)))
    }
}
