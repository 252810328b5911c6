//! From a read plan to the writer's steps.

use std::sync::Arc;

use duet_model::collection::KEY;
use duet_model::shape::SERVER_MEMBERS;
use duet_model::{ColumnRef, LevelColumn, Member, MemberKind, NodeId, ReadPlan, Shape, Type};

use crate::cells::codec::Codec;
use crate::cells::flex::Flex;
use crate::cells::json::write_string;
use crate::etag::EtagKey;
use crate::program::{Program, Step};

impl Program {
    /// Compiles the writer of a plan's documents. `name` goes into every etag: the resource's
    /// name, with the representation where it is not the whole document.
    pub fn compile(plan: &ReadPlan, name: &str) -> Self {
        let mut compiler = Compiler::new(plan);
        match plan.shape.document() {
            Some(document) if document.shown => {
                let column = compiler.position(0, 0, document.column);
                compiler.steps.push(Step::Document { column });
            }
            _ => compiler.object(0, 0, &plan.shape.root().members, Brace::Open),
        }
        compiler.into_program(name)
    }
}

pub(crate) struct Compiler<'a> {
    plan: &'a ReadPlan,
    shape: &'a Shape,
    steps: Vec<Step>,
    literals: Vec<u8>,
    flexes: Vec<Flex>,
}

/// The stored members of an object that a projection has picked; `None` for all.
fn picked(shape: &Shape, members: &[Member]) -> Option<Vec<String>> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Flex(flex) => flex.only.clone(),
        MemberKind::Unnest(child) => picked(shape, &shape.nodes[*child].members),
        _ => None,
    })
}

/// Whether an object's brace is closed where its members end. The document's own stays open, for
/// what the server adds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    Open,
    Closed,
}

/// Where a member's value is, and how it is written.
struct ValueColumn {
    column: usize,
    codec: Codec,
    /// Whether the value counts for the etag.
    check: bool,
}

/// What an object has before its next member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// Members that may all be left out, some of them outside of the etag.
    Perhaps {
        unchecked: bool,
    },
    /// A member.
    Some,
}

/// The name of the value in each row of an array of values; `None` for an array of objects.
pub(crate) fn value_of(member: &Member) -> Option<&str> {
    matches!(member.kind, MemberKind::Scalars(_)).then_some(member.name.as_str())
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(plan: &'a ReadPlan) -> Self {
        let (steps, literals, flexes) = (Vec::new(), Vec::new(), Vec::new());
        Self { plan, shape: &plan.shape, steps, literals, flexes }
    }

    /// The program of the steps so far.
    pub(crate) fn into_program(self, name: &str) -> Program {
        let Self { plan, steps, literals, flexes, .. } = self;
        let root = plan.shape.root();
        let codec = |column: usize| Codec::of(&root.table.columns[column].ty);
        Program {
            etag: EtagKey::new(name),
            resource: plan.shape.name.clone(),
            steps,
            literals,
            flexes,
            as_of: plan.levels[0].position(&LevelColumn::AsOf),
            key: plan
                .key
                .iter()
                .zip(&plan.shape.key)
                .map(|(&position, &column)| (position, codec(column)))
                .collect(),
            list: plan.shape.document().map(|document| Arc::clone(&document.list)),
        }
    }

    fn literal(&mut self, text: &[u8]) {
        let start = self.literals.len();
        self.literals.extend_from_slice(text);
        let end = self.literals.len();
        // Two literals in a row are one, unless a jump could land between them.
        if let Some(Step::Literal { end: last, .. }) = self.steps.last_mut() {
            *last = end;
        } else {
            self.steps.push(Step::Literal { start, end });
        }
    }

    /// A place that a jump lands on: the next literal must not be merged into the last one, or
    /// a jump would miss it.
    pub(crate) fn landing(&mut self) -> usize {
        if !matches!(self.steps.last(), Some(Step::Literal { .. })) {
            return self.steps.len();
        }
        let here = self.literals.len();
        self.steps.push(Step::Literal { start: here, end: here });
        self.steps.len() - 1
    }

    fn object(&mut self, level: usize, node: NodeId, members: &[Member], brace: Brace) {
        self.literal(b"{");
        let mut before = Before::Nothing;
        self.members(level, node, members, &mut before);
        self.flex(level, node, members, brace, before);
        if brace == Brace::Closed {
            self.literal(b"}");
        }
    }

    fn members(&mut self, level: usize, node: NodeId, members: &[Member], before: &mut Before) {
        for member in members {
            self.member(level, node, member, before);
        }
    }

    /// The stored members of an object come behind all others: only they can be absent.
    fn flex(
        &mut self,
        level: usize,
        node: NodeId,
        members: &[Member],
        brace: Brace,
        before: Before,
    ) {
        let Some(field) = self.shape.flex_column(node, members) else { return };
        let server: &[&str] = if brace == Brace::Open { &SERVER_MEMBERS } else { &[] };
        let taken = self.shape.visible_names(members).into_iter().chain(server.iter().copied());
        let taken = taken.map(str::to_owned).collect();
        // The document of a collection repeats its key, which is a member of the row.
        let is_document = self.shape.document_of(field.node).is_some();
        let repeated = is_document.then(|| KEY.to_owned());
        let name = self.shape.nodes[field.node].table.columns[field.column].served_name();
        let column = self.position(level, field.node, field.column);
        let (first, begun) = (before != Before::Some, matches!(before, Before::Perhaps { .. }));
        self.steps.push(Step::Flex { column, flex: self.flexes.len(), begun });
        let hidden = self.shape.hidden_names(members).into_iter().map(str::to_owned).collect();
        let only = picked(self.shape, members);
        self.flexes.push(Flex { name, taken, hidden, only, repeated, first });
    }

    /// The stored members of an object as an object of their own: those that are shown, whatever the names of others.
    pub(crate) fn flex_object(&mut self, node: NodeId, members: &[Member], column: usize) {
        self.literal(b"{");
        let name = self.shape.nodes[node].table.columns[column].served_name();
        let hidden = self.shape.hidden_names(members).into_iter().map(str::to_owned).collect();
        let only = picked(self.shape, members);
        let column = self.position(0, node, column);
        self.steps.push(Step::Flex { column, flex: self.flexes.len(), begun: false });
        let taken = Vec::new();
        self.flexes.push(Flex { name, taken, hidden, only, repeated: None, first: true });
        self.literal(b"}");
    }

    /// The name of a member that is always there, with the comma before it.
    fn name(&mut self, member: &Member, before: &mut Before) {
        self.separate(*before, false);
        *before = Before::Some;
        self.bare_name(member);
    }

    fn bare_name(&mut self, member: &Member) {
        let mut text = Vec::new();
        write_string(member.name.as_bytes(), &mut text);
        text.push(b':');
        self.literal(&text);
    }

    /// The comma before a member; `outside` where the member is outside of the etag. Such a member never changes the
    /// etag by the comma behind it.
    fn separate(&mut self, before: Before, outside: bool) {
        match before {
            Before::Nothing => {}
            Before::Some => self.literal(b","),
            Before::Perhaps { unchecked: true } if !outside => {
                self.steps.extend([Step::Unchecked, Step::Separate, Step::Checked]);
            }
            Before::Perhaps { .. } => self.steps.push(Step::Separate),
        }
    }

    fn member(&mut self, level: usize, node: NodeId, member: &Member, before: &mut Before) {
        match &member.kind {
            MemberKind::Column(column) if column.hidden => {}
            MemberKind::Column(column) => {
                let position = self.position(level, node, column.column);
                let codec = self.codec(&self.shape.nodes[node].table.columns[column.column].ty);
                let value = ValueColumn { column: position, codec, check: column.check };
                self.value(member, value, before);
            }
            MemberKind::Generated { hidden: true, .. }
            | MemberKind::Flex(_)
            | MemberKind::Document(_)
            | MemberKind::Related(_) => {}
            MemberKind::Generated { expr, ty, .. } => {
                let wanted = LevelColumn::generated(node, expr, ty);
                let position = self.plan.levels[level].position(&wanted).unwrap_or_default();
                let value = ValueColumn { column: position, codec: self.codec(ty), check: false };
                self.value(member, value, before);
            }
            MemberKind::Group(inner) => {
                self.name(member, before);
                self.object(level, node, inner, Brace::Closed);
            }
            MemberKind::Object(child) => {
                self.name(member, before);
                self.object_or_empty(level, *child);
            }
            MemberKind::Unnest(child) => {
                self.members(level, *child, &self.shape.nodes[*child].members, before);
            }
            MemberKind::Array(child) | MemberKind::Scalars(child) => {
                self.name(member, before);
                self.array(*child, value_of(member));
            }
        }
    }

    fn value(&mut self, member: &Member, value: ValueColumn, before: &mut Before) {
        let ValueColumn { column, codec, check } = value;
        let is_absent = member.is_absent_on_null();
        if is_absent && *before == Before::Nothing {
            self.steps.push(Step::Begin);
            *before = Before::Perhaps { unchecked: false };
        }
        let test = self.steps.len();
        if is_absent {
            self.steps.push(Step::Present { column, otherwise: 0 });
        }
        if !check {
            self.steps.push(Step::Unchecked);
        }
        self.separate(*before, !check);
        self.bare_name(member);
        self.steps.push(Step::Value { column, codec });
        if !check {
            self.steps.push(Step::Checked);
        }
        match before {
            _ if !is_absent => *before = Before::Some,
            Before::Perhaps { unchecked } => *unchecked |= !check,
            Before::Nothing | Before::Some => {}
        }
        if is_absent {
            self.steps[test] = Step::Present { column, otherwise: self.steps.len() };
        }
    }

    fn object_or_empty(&mut self, level: usize, child: NodeId) {
        let node = &self.shape.nodes[child];
        let presence = node.link.as_ref().map_or(0, |link| link.child_columns[0]);
        let presence = self.position(level, child, presence);
        let null = self.shape.style.profile.has_null_objects();
        let test = self.steps.len();
        self.steps.push(Step::Object { presence, otherwise: 0, null });
        self.object(level, child, &node.members, Brace::Closed);
        let after = self.landing();
        self.steps[test] = Step::Object { presence, otherwise: after, null };
    }

    /// The array of a node's objects; or of the values that one of its members has, by its name.
    pub(crate) fn array(&mut self, child: NodeId, value: Option<&str>) {
        let Some(level) = self.plan.level_of[child] else { return };
        let start = self.steps.len();
        self.steps.push(Step::Array { level, end: 0 });
        let members = &self.shape.nodes[child].members;
        match value {
            Some(name) if self.named_value(level, child, name) => {}
            Some(_) => self.only_column(level, child, members),
            None => self.object(level, child, members, Brace::Closed),
        }
        let end = self.landing();
        self.steps[start] = Step::Array { level, end };
    }

    /// The value of the member of this name; `false` where there is none.
    fn named_value(&mut self, level: usize, node: NodeId, name: &str) -> bool {
        let shape = self.shape;
        for member in &shape.nodes[node].members {
            match &member.kind {
                MemberKind::Unnest(child) if self.named_value(level, *child, name) => return true,
                MemberKind::Unnest(_) => continue,
                _ if member.name != name => continue,
                MemberKind::Column(column) if column.hidden => continue,
                MemberKind::Generated { hidden: true, .. } => continue,
                MemberKind::Column(column) => self.cell(level, node, column.column),
                MemberKind::Generated { expr, ty, .. } => {
                    let wanted = LevelColumn::generated(node, expr, ty);
                    let column = self.plan.levels[level].position(&wanted).unwrap_or_default();
                    self.steps.push(Step::Value { column, codec: self.codec(ty) });
                }
                MemberKind::Object(child) => self.object_or_empty(level, *child),
                MemberKind::Array(child) | MemberKind::Scalars(child) => {
                    self.array(*child, value_of(member));
                }
                MemberKind::Group(inner) => self.object(level, node, inner, Brace::Closed),
                MemberKind::Flex(_) | MemberKind::Document(_) | MemberKind::Related(_) => continue,
            }
            return true;
        }
        false
    }

    fn only_column(&mut self, level: usize, node: NodeId, members: &[Member]) {
        let column = members.iter().find_map(|member| match &member.kind {
            MemberKind::Column(column) => Some(column.column),
            _ => None,
        });
        if let Some(column) = column {
            self.cell(level, node, column);
        }
    }

    fn cell(&mut self, level: usize, node: NodeId, column: usize) {
        let codec = self.codec(&self.shape.nodes[node].table.columns[column].ty);
        let column = self.position(level, node, column);
        self.steps.push(Step::Value { column, codec });
    }

    /// The codec of a member.
    pub(crate) fn codec(&self, ty: &Type) -> Codec {
        Codec::in_style(ty, self.shape.style)
    }

    /// The planner has selected every column that a member needs.
    pub(crate) fn position(&self, level: usize, node: NodeId, column: usize) -> usize {
        let wanted = LevelColumn::Column(ColumnRef { node, column });
        self.plan.levels[level].position(&wanted).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use duet_model::{Column, Relation};

    use super::*;

    /// The steps of a table with a key and two texts, of which some members are left out where they are NULL.
    fn steps(absent: [bool; 3]) -> Vec<Step> {
        let long = Type::Integer { bits: 64 };
        let columns = [("id", long), ("a", Type::Text), ("b", Type::Text)];
        let columns = columns.map(|(name, ty)| Column::new(name, ty)).to_vec();
        let mut table = Relation::table("main", "t", columns);
        table.primary_key = vec![0];
        let mut shape = Shape::of_relation(&Arc::new(table));
        for (member, absent) in shape.nodes[0].members.iter_mut().zip(absent) {
            let MemberKind::Column(column) = &mut member.kind else { continue };
            column.absent = absent;
        }
        Program::compile(&ReadPlan::by_keys(Arc::new(shape)), "t").steps
    }

    /// Only members that may be left out take steps of their own, and commas only before the first that is always there.
    #[test]
    fn only_marked_members_are_tested() {
        let count = |absent: [bool; 3], is_it: fn(&Step) -> bool| {
            steps(absent).iter().filter(|step| is_it(step)).count()
        };
        let tests = |step: &Step| matches!(step, Step::Present { .. });
        let commas = |step: &Step| matches!(step, Step::Begin | Step::Separate);
        assert_eq!(steps([false; 3]).len(), 6);
        for (absent, expected) in [
            ([false; 3], (0, 0)),
            ([false, true, false], (1, 0)),
            ([false, true, true], (2, 0)),
            ([true, false, false], (1, 3)),
            ([true; 3], (3, 4)),
        ] {
            assert_eq!((count(absent, tests), count(absent, commas)), expected, "{absent:?}");
        }
    }
}
