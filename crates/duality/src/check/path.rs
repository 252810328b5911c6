//! Generated members that follow a path: `@generated(path: "$.driver.points.sum()")`.
//!
//! The path starts at the JSON object of the member's own table and is resolved here, once: what it leads to is a
//! value of the same row, or a function over rows of the tables below.

use std::cell::RefCell;

use duet_model::catalog::TableRef;
use duet_model::key::parse_text;
use duet_model::{
    Aggregate, AggregateFunction, Arithmetic, Code, Compare, Expr, FieldRef, Link, Member,
    MemberKind, NodeId, Type, Value,
};

use super::item::{self, TypedValue};
use super::joined::JoinedRows;
use super::types::{Family, calculated, comparable, family, signed};
use super::{Checker, elements};
use crate::ast::ItemMethod;
use crate::diagnostic::Diagnostic;
use crate::json_path::{self, Condition, PathExpr, Step, Walk};
use crate::rules;
use crate::source::Span;

/// A member whose path is not resolved yet.
#[derive(Clone, Debug)]
pub(super) struct PathUse {
    /// Positions in the members, through groups.
    pub(super) place: Vec<usize>,
    pub(super) text: String,
    pub(super) span: Span,
}

impl PathUse {
    /// The placeholder of the member until the path is resolved.
    pub(super) fn pending() -> (Expr, Type) {
        (Expr::Literal(Value::Null), Type::Text)
    }
}

/// Why a path has no value.
enum NoValue {
    /// It leads to a member that follows a path itself, not resolved yet.
    Pending,
    /// What it leads through has a mistake that is reported.
    Reported,
    Problem(String, Option<String>),
}

type Followed<T> = Result<T, NoValue>;

fn problem<T>(message: impl Into<String>) -> Followed<T> {
    Err(NoValue::Problem(message.into(), None))
}

/// Where a walk has come to.
struct Position<'d> {
    /// The members of the object.
    members: &'d [Member],
    /// Their positions through groups, while it is an object of the path's own table.
    place: Vec<usize>,
    /// The nodes that lead here from the path's own table.
    chain: Vec<NodeId>,
    /// Whether it leads through an array.
    many: bool,
    /// Whether the last step led into an array.
    at_array: bool,
    /// Whether positions select elements of an array.
    by_position: bool,
    /// What filters and positions demand of the rows of the chain.
    filters: Vec<Expr>,
}

/// What the steps of a walk lead to.
enum Target {
    /// A value of the row of the last node.
    Value(Expr, Type),
    /// The rows of the last node.
    Rows,
}

impl Checker<'_> {
    /// Resolves the paths of a node, each after those it needs.
    pub(super) fn follow_paths(&mut self, node: NodeId) {
        let mut open = std::mem::take(&mut self.drafts[node].paths);
        while !open.is_empty() {
            let mut waiting = Vec::new();
            let places: Vec<_> = open.iter().map(|path| path.place.clone()).collect();
            let count = open.len();
            for path in open {
                match self.value_of_path(node, &path, &places) {
                    Ok((expr, ty)) => self.settle(node, &path.place, &expr, &ty),
                    Err(NoValue::Pending) => waiting.push(path),
                    Err(NoValue::Reported) => {}
                    Err(NoValue::Problem(message, hint)) => self.report_path(&path, message, hint),
                }
            }
            if waiting.len() == count {
                for path in waiting {
                    let message = format!("the path {} leads back to itself", shown(&path.text));
                    self.report_path(&path, message, None);
                }
                return;
            }
            open = waiting;
        }
    }

    fn report_path(&mut self, path: &PathUse, message: String, hint: Option<String>) {
        let mut diagnostic = Diagnostic::new(Code::ViewPredicate, path.span, message);
        diagnostic.hint = hint;
        self.report(diagnostic.rule(rules::GENERATED_PATH));
    }

    fn value_of_path(
        &mut self,
        node: NodeId,
        path: &PathUse,
        open: &[Vec<usize>],
    ) -> Followed<TypedValue> {
        let Some(read) = json_path::read(&path.text) else {
            return problem(format!("the path {} cannot be followed", shown(&path.text)));
        };
        let aggregates = RefCell::new(self.drafts[node].node.aggregates.clone());
        let follower = Follower { checker: self, node, open, aggregates: &aggregates };
        let value = follower.value(&read)?;
        self.drafts[node].node.aggregates = aggregates.into_inner();
        Ok(value)
    }

    fn settle(&mut self, node: NodeId, place: &[usize], found: &Expr, found_type: &Type) {
        let mut members = &mut self.drafts[node].node.members;
        for &position in place {
            let Some(member) = members.get_mut(position) else { return };
            match &mut member.kind {
                MemberKind::Group(inner) => members = inner,
                MemberKind::Generated { expr, ty, .. } => {
                    (**expr).clone_from(found);
                    ty.clone_from(found_type);
                    return;
                }
                _ => return,
            }
        }
    }
}

/// Follows the paths of one node.
struct Follower<'c> {
    checker: &'c Checker<'c>,
    node: NodeId,
    /// The places of members whose paths are not resolved yet.
    open: &'c [Vec<usize>],
    /// The functions over other rows that the node has.
    aggregates: &'c RefCell<Vec<Aggregate>>,
}

impl<'c> Follower<'c> {
    fn value(&self, expr: &PathExpr) -> Followed<TypedValue> {
        match expr {
            PathExpr::Number(number) => match (number.parse(), number.parse()) {
                // As the same literal of an expression.
                (Ok(whole), _) => {
                    let bits = if i32::try_from(whole).is_ok() { 32 } else { 64 };
                    Ok((Expr::Literal(Value::Int(whole)), Type::Integer { bits }))
                }
                (_, Ok(number)) => {
                    Ok((Expr::Literal(Value::Float(number)), Type::Decimal { scale: None }))
                }
                _ => problem(format!("{number} is no number")),
            },
            PathExpr::Text(text) => Ok((Expr::Literal(Value::Text(text.clone())), Type::Text)),
            PathExpr::Negate(operand) => {
                let (operand, ty) = self.number(operand)?;
                Ok((Expr::Negate(Box::new(operand)), signed(ty)))
            }
            PathExpr::Arithmetic(operator, left, right) => {
                let (left, left_type) = self.number(left)?;
                let (right, right_type) = self.number(right)?;
                let ty = match operator {
                    Arithmetic::Divide => Type::Decimal { scale: None },
                    _ => calculated(&left_type, &right_type),
                };
                Ok((Expr::Arithmetic(*operator, Box::new(left), Box::new(right)), ty))
            }
            PathExpr::Truth(value) => Ok((Expr::Literal(Value::Bool(*value)), Type::Boolean)),
            PathExpr::Null => problem("null has no value"),
            PathExpr::Walk(walk) | PathExpr::OfElement(walk) => self.walk(walk),
        }
    }

    /// What a filter demands of a row of the node.
    fn condition(&self, condition: &Condition) -> Followed<Expr> {
        Ok(match condition {
            Condition::Not(inner) => Expr::Not(Box::new(self.condition(inner)?)),
            Condition::And(left, right) => self.condition(left)?.and(self.condition(right)?),
            Condition::Or(left, right) => {
                Expr::Or(vec![self.condition(left)?, self.condition(right)?])
            }
            Condition::Exists(value) => {
                let (value, _) = self.own_value(value)?;
                Expr::Not(Box::new(Expr::IsNull(Box::new(value))))
            }
            Condition::Compare(operator, left, PathExpr::Null)
            | Condition::Compare(operator, PathExpr::Null, left) => {
                let is_null = Expr::IsNull(Box::new(self.own_value(left)?.0));
                match operator {
                    Compare::Eq => is_null,
                    Compare::Ne => Expr::Not(Box::new(is_null)),
                    _ => return problem("null has no order"),
                }
            }
            Condition::Compare(operator, left, right) => {
                let (left, right) = (self.own_value(left)?, self.own_value(right)?);
                let (left, right) = alike(left, right)?;
                Expr::compare(*operator, left, right)
            }
        })
    }

    /// A value of the row itself, which a filter may compare.
    fn own_value(&self, expr: &PathExpr) -> Followed<TypedValue> {
        let (value, ty) = self.value(expr)?;
        match reads_rows(&value) {
            true => problem("a filter compares values of its own rows alone"),
            false => Ok((value, ty)),
        }
    }

    fn number(&self, expr: &PathExpr) -> Followed<TypedValue> {
        let (value, ty) = self.value(expr)?;
        if family(&ty) == Family::Number {
            return Ok((value, ty));
        }
        let message = format!("expected a number, found {}", ty.name());
        let hint = (family(&ty) == Family::Text).then(|| "End the path with .number().".to_owned());
        Err(NoValue::Problem(message, hint))
    }

    /// The value at the end of the steps, changed by the methods: by those in front of a function over many values
    /// each of them, by those behind it its result.
    fn walk(&self, walk: &Walk) -> Followed<TypedValue> {
        elements::of_one("the object", &walk.elements)?;
        let (position, target) = self.steps(&walk.steps)?;
        let mut methods = walk.methods.iter();
        let mut value = match target {
            Target::Value(value, ty) => Some((value, ty)),
            Target::Rows => None,
        };
        // An element that may be missing is counted.
        let is_counted =
            position.by_position && walk.methods.first().is_some_and(|method| method == "count");
        let mut open = position.many || value.is_none() || is_counted;
        while open {
            let Some(method) = methods.next() else {
                return no_function(&walk.steps, &value, position.many);
            };
            let function = function_over_rows(method, value.is_none());
            match (function, value.take()) {
                (Some(function), operand) => {
                    value = Some(self.aggregate(&position, function, operand)?);
                    open = false;
                }
                (None, Some(each)) => value = Some(applied(method, each)?),
                (None, None) => return problem(format!("{method}() does not take objects")),
            }
        }
        let Some(mut value) = value else { return problem("the path leads nowhere") };
        if !position.many && !position.chain.is_empty() && !matches!(value.0, Expr::Aggregate(..)) {
            value = self.aggregate(&position, AggregateFunction::Only, Some(value))?;
        }
        for method in methods {
            value = match &**method {
                // One value is its own sum, mean and ends.
                "sum" | "avg" | "min" | "max" | "minnumber" | "maxnumber" | "minstring"
                | "maxstring" => value,
                "size" if elements::size(&value.0, &value.1).is_some() => applied(method, value)?,
                "size" | "count" => (Expr::Literal(Value::Int(1)), Type::Integer { bits: 64 }),
                method => applied(method, value)?,
            };
        }
        Ok(value)
    }

    fn steps(&self, steps: &[Step]) -> Followed<(Position<'c>, Target)> {
        let mut position = Position {
            members: &self.checker.drafts[self.node].node.members,
            place: Vec::new(),
            chain: Vec::new(),
            many: false,
            at_array: false,
            by_position: false,
            filters: Vec::new(),
        };
        for (index, step) in steps.iter().enumerate() {
            let rest = &steps[index + 1..];
            position.at_array = false;
            let target = self.step(&mut position, step, rest)?;
            if let Some(filter) = &step.filter {
                self.filter(&mut position, &step.name, filter, target.is_some())?;
            }
            let is_many = position.many || position.by_position;
            match target {
                Some(target) => return Ok((position, target)),
                None if rest.is_empty() && position.place.is_empty() && is_many => {
                    return Ok((position, Target::Rows));
                }
                None if rest.is_empty() => return problem(format!("`{}` is an object", step.name)),
                None => {}
            }
        }
        problem("the path leads nowhere")
    }

    /// Adds a filter on the rows of the array that a step has led to.
    fn filter(
        &self,
        position: &mut Position<'c>,
        step: &str,
        filter: &Condition,
        is_value: bool,
    ) -> Followed<()> {
        let place = position.chain.len().saturating_sub(1);
        let Some(node) = position.chain.last().copied().filter(|_| position.at_array && !is_value)
        else {
            return problem(format!(
                "`{step}` is no array of objects, which a filter could select"
            ));
        };
        let (checker, aggregates) = (self.checker, self.aggregates);
        let rows = Follower { checker, node, open: &[], aggregates };
        position.filters.push(rows.condition(filter)?.at_node(place));
        Ok(())
    }

    /// Goes one step; the value where the walk ends with it.
    fn step(
        &self,
        position: &mut Position<'c>,
        at: &Step,
        rest: &[Step],
    ) -> Followed<Option<Target>> {
        let step = &*at.name;
        let Some((member, unnested)) = self.member(position.members, step) else {
            return self.stored_member(position, at, rest).map(Some);
        };
        position.chain.extend(unnested);
        let holds_json = |column: usize| self.table(position).columns[column].ty == Type::Json;
        match &member.kind {
            MemberKind::Array(_) | MemberKind::Scalars(_) => {}
            MemberKind::Column(column) if holds_json(column.column) => {}
            _ => elements::of_one(&format!("`{step}`"), &at.elements)?,
        }
        let own = position.chain.is_empty();
        if own {
            let at = position.members.iter().position(|known| std::ptr::eq(known, member));
            position.place.extend(at);
        }
        match &member.kind {
            MemberKind::Column(column) => {
                let table = self.table(position);
                let ty = table.columns[column.column].ty.clone();
                let field = FieldRef::row(column.column);
                self.inside(field, ty, at, rest).map(Some)
            }
            MemberKind::Generated { .. } if own && self.open.contains(&position.place) => {
                Err(NoValue::Pending)
            }
            MemberKind::Generated { .. } if !rest.is_empty() => {
                problem(format!("`{step}` has no members"))
            }
            MemberKind::Generated { expr, ty, .. } => {
                if !own && reads_rows(expr) {
                    return problem(format!("`{step}` reads other rows itself"));
                }
                Ok(Some(Target::Value(Expr::clone(expr), ty.clone())))
            }
            MemberKind::Group(inner) => {
                position.members = inner;
                Ok(None)
            }
            MemberKind::Object(child) => {
                self.enter(position, *child);
                Ok(None)
            }
            MemberKind::Array(child) => {
                self.enter_array(position, *child, at)?;
                Ok(None)
            }
            MemberKind::Scalars(child) => {
                self.enter_array(position, *child, at)?;
                let MemberKind::Column(column) =
                    position.members.first().map_or(&member.kind, |scalar| &scalar.kind)
                else {
                    return problem(format!("`{step}` has no values"));
                };
                let ty = self.table(position).columns[column.column].ty.clone();
                Ok(Some(Target::Value(FieldRef::row(column.column).into(), ty)))
            }
            _ => problem(format!("`{step}` has no members")),
        }
    }

    fn enter(&self, position: &mut Position<'c>, child: NodeId) {
        position.chain.push(child);
        position.members = &self.checker.drafts[child].node.members;
        position.place.clear();
    }

    /// Goes to the elements of an array, or to those at positions.
    fn enter_array(&self, position: &mut Position<'c>, child: NodeId, at: &Step) -> Followed<()> {
        self.enter(position, child);
        position.at_array = true;
        let Some(positions) = elements::of_rows(&at.name, &at.elements)? else {
            position.many = true;
            return Ok(());
        };
        let place = position.chain.len() - 1;
        let node = &self.checker.drafts[child].node;
        let Some(condition) = elements::at_positions(node, place, positions) else {
            return problem(format!("the elements of `{}` have no key to order them by", at.name));
        };
        position.filters.push(condition);
        position.by_position = true;
        position.many |= positions.single().is_none();
        Ok(())
    }

    fn table(&self, position: &Position<'_>) -> &'c TableRef {
        let node = position.chain.last().copied().unwrap_or(self.node);
        &self.checker.drafts[node].node.table
    }

    /// The member of this name, and the unnested nodes that it comes from.
    fn member(&self, members: &'c [Member], name: &str) -> Option<(&'c Member, Vec<NodeId>)> {
        if let Some(found) = members.iter().find(|member| member.name == name) {
            return Some((found, Vec::new()));
        }
        members.iter().find_map(|member| {
            let MemberKind::Unnest(child) = member.kind else { return None };
            let (found, inner) = self.member(&self.checker.drafts[child].node.members, name)?;
            Some((found, std::iter::once(child).chain(inner).collect()))
        })
    }

    /// A value in a column; below a JSON column the steps that are left.
    fn inside(&self, field: FieldRef, ty: Type, at: &Step, rest: &[Step]) -> Followed<Target> {
        if ty == Type::Json && at.filter.is_some() {
            return problem(json_path::several(&at.name));
        }
        if rest.is_empty() && (at.elements.is_empty() || ty != Type::Json) {
            return Ok(Target::Value(field.into(), ty));
        }
        if ty != Type::Json {
            return problem(format!("`{}` has no members", at.name));
        }
        match elements::along(field, &at.name, &at.elements, rest) {
            Ok(value) => Ok(Target::Value(value, Type::Text)),
            Err(message) => problem(message),
        }
    }

    /// A member that no definition names: in the flex column of the object.
    fn stored_member(&self, position: &Position<'c>, at: &Step, rest: &[Step]) -> Followed<Target> {
        let step = &*at.name;
        let flex = position.members.iter().find_map(|member| match &member.kind {
            MemberKind::Flex(flex) => Some(flex.column),
            _ => None,
        });
        if let Some(column) = flex {
            let steps: Vec<_> = std::iter::once(at).chain(rest).cloned().collect();
            return self.inside(FieldRef::row(column), Type::Json, &Step::to(step), &steps);
        }
        let names = position.members.iter().map(|member| &*member.name);
        let hint = duet_text::name::nearest(step, names.filter(|name| !name.is_empty()));
        let hint = hint.map(|name| format!("Did you mean `{name}`?"));
        Err(NoValue::Problem(format!("there is no member `{step}` in this object"), hint))
    }

    /// A function over the rows of a chain of nodes below the path's own.
    fn aggregate(
        &self,
        position: &Position<'_>,
        function: AggregateFunction,
        operand: Option<TypedValue>,
    ) -> Followed<TypedValue> {
        let chain = &*position.chain;
        let last = chain.len().saturating_sub(1);
        let drafts = &self.checker.drafts;
        let links: Option<Vec<&Link>> =
            chain.iter().map(|&node| drafts[node].node.link.as_ref()).collect();
        // A table that is not joined has been reported.
        let Some((first, below)) = links.as_deref().and_then(<[_]>::split_first) else {
            return Err(NoValue::Reported);
        };
        let outer = first.parent_columns.iter().map(|&column| FieldRef::row(column).into());
        let outer: Vec<Expr> = outer.collect();
        let columns = first.child_columns.clone();
        let inner =
            below.iter().enumerate().map(|(at, link)| Link { parent: at, ..(*link).clone() });
        let links = std::iter::once(None).chain(inner.map(Some));
        let nodes = chain.iter().map(|&node| TableRef::clone(&drafts[node].node.table)).zip(links);
        let filters = chain.iter().enumerate().filter_map(|(at, &node)| {
            drafts[node].node.filter.clone().map(|filter| filter.at_node(at))
        });
        let filters = filters.chain(position.filters.iter().cloned());
        let rows = JoinedRows::new(nodes, columns, outer.clone(), filters.reduce(Expr::and));
        let operand = operand.map(|(value, ty)| (value.at_node(last), ty));
        let made = rows.aggregate(function, false, operand);
        let (aggregate, ty) = made.map_err(|message| NoValue::Problem(message, None))?;
        let mut known = self.aggregates.borrow_mut();
        let at = known.iter().position(|one| *one == aggregate).unwrap_or(known.len());
        if at == known.len() {
            known.push(aggregate);
        }
        Ok((Expr::Aggregate(outer, at), ty))
    }
}

/// A path short enough for a message.
fn shown(path: &str) -> String {
    const LONGEST: usize = 60;
    match path.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

/// The function over many values that a method is; over objects it can only count them.
fn function_over_rows(method: &str, objects: bool) -> Option<AggregateFunction> {
    match method {
        "count" => Some(AggregateFunction::Count),
        "size" if objects => Some(AggregateFunction::Count),
        _ if objects => None,
        "sum" => Some(AggregateFunction::Sum),
        "avg" => Some(AggregateFunction::Average),
        "min" | "minnumber" | "minstring" => Some(AggregateFunction::Least),
        "max" | "maxnumber" | "maxstring" => Some(AggregateFunction::Greatest),
        _ => None,
    }
}

impl From<elements::NoElements> for NoValue {
    fn from(none: elements::NoElements) -> Self {
        Self::Problem(none.message, Some(none.hint))
    }
}

fn no_function<T>(steps: &[Step], value: &Option<TypedValue>, many: bool) -> Followed<T> {
    let last = steps.last().map_or("", |step| &step.name);
    let hint = match value {
        Some(_) => {
            "End the path with .sum(), .avg(), .min(), .max() or .count(), or select an element, as in [0]."
        }
        None => "Name a member of its objects, or end the path with .count().",
    };
    let message = match many {
        true => format!("`{last}` has many values"),
        false => format!("`{last}` is an object"),
    };
    Err(NoValue::Problem(message, Some(hint.to_owned())))
}

fn applied(method: &str, (value, ty): TypedValue) -> Followed<TypedValue> {
    if let ("size", Some(size)) = (method, elements::size(&value, &ty)) {
        return Ok(size);
    }
    let Some(method) = ItemMethod::named(method) else {
        return problem(format!("there is no method {method}()"));
    };
    item::apply(method, value, &ty).map_err(|message| NoValue::Problem(message, None))
}

/// Two values of types that compare; a text beside a date is read as one.
fn alike(left: TypedValue, right: TypedValue) -> Followed<(Expr, Expr)> {
    let read = |(value, ty): TypedValue, lead: &Type| {
        let Expr::Literal(Value::Text(text)) = &value else { return (value, ty) };
        match family(lead) {
            Family::Date | Family::Time | Family::Interval | Family::Uuid | Family::Enum => {
                match parse_text(lead, text) {
                    Ok(read) => (Expr::Literal(read), lead.clone()),
                    Err(_) => (value, ty),
                }
            }
            _ => (value, ty),
        }
    };
    let (left_type, right_type) = (left.1.clone(), right.1.clone());
    let (left, right) = (read(left, &right_type), read(right, &left_type));
    match comparable(&left.1, &right.1) {
        true => Ok((left.0, right.0)),
        false => {
            problem(format!("{} cannot be compared with {}", left_type.name(), right_type.name()))
        }
    }
}

/// Whether an expression has a function over other rows.
fn reads_rows(expr: &Expr) -> bool {
    matches!(expr, Expr::Aggregate(..)) || expr.parts().into_iter().any(reads_rows)
}
