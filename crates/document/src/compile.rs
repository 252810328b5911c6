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
        let mut first = true;
        self.members(level, node, members, &mut first);
        self.flex(level, node, members, brace, first);
        if brace == Brace::Closed {
            self.literal(b"}");
        }
    }

    fn members(&mut self, level: usize, node: NodeId, members: &[Member], first: &mut bool) {
        for member in members {
            self.member(level, node, member, first);
        }
    }

    /// The stored members of an object come behind all others: only they can be absent.
    fn flex(&mut self, level: usize, node: NodeId, members: &[Member], brace: Brace, first: bool) {
        let Some(field) = self.shape.flex_column(node, members) else { return };
        let server: &[&str] = if brace == Brace::Open { &SERVER_MEMBERS } else { &[] };
        let taken = self.shape.visible_names(members).into_iter().chain(server.iter().copied());
        let taken = taken.map(str::to_owned).collect();
        // The document of a collection repeats its key, which is a member of the row.
        let is_document = self.shape.document_of(field.node).is_some();
        let repeated = is_document.then(|| KEY.to_owned());
        let name = self.shape.nodes[field.node].table.columns[field.column].served_name();
        let column = self.position(level, field.node, field.column);
        self.steps.push(Step::Flex { column, flex: self.flexes.len() });
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
        self.steps.push(Step::Flex { column, flex: self.flexes.len() });
        let taken = Vec::new();
        self.flexes.push(Flex { name, taken, hidden, only, repeated: None, first: true });
        self.literal(b"}");
    }

    fn name(&mut self, member: &Member, first: &mut bool) {
        let mut text = Vec::new();
        if !*first {
            text.push(b',');
        }
        *first = false;
        write_string(member.name.as_bytes(), &mut text);
        text.push(b':');
        self.literal(&text);
    }

    fn member(&mut self, level: usize, node: NodeId, member: &Member, first: &mut bool) {
        match &member.kind {
            MemberKind::Column(column) if column.hidden => {}
            MemberKind::Column(column) => {
                let position = self.position(level, node, column.column);
                let codec = self.codec(&self.shape.nodes[node].table.columns[column.column].ty);
                self.value(member, position, codec, column.check, first);
            }
            MemberKind::Generated { hidden: true, .. }
            | MemberKind::Flex(_)
            | MemberKind::Document(_)
            | MemberKind::Related(_) => {}
            MemberKind::Generated { expr, ty, .. } => {
                let wanted = LevelColumn::generated(node, expr, ty);
                let position = self.plan.levels[level].position(&wanted).unwrap_or_default();
                self.value(member, position, self.codec(ty), false, first);
            }
            MemberKind::Group(inner) => {
                self.name(member, first);
                self.object(level, node, inner, Brace::Closed);
            }
            MemberKind::Object(child) => {
                self.name(member, first);
                self.object_or_empty(level, *child);
            }
            MemberKind::Unnest(child) => {
                self.members(level, *child, &self.shape.nodes[*child].members, first);
            }
            MemberKind::Array(child) | MemberKind::Scalars(child) => {
                self.name(member, first);
                let scalars = matches!(member.kind, MemberKind::Scalars(_));
                self.array(*child, scalars);
            }
        }
    }

    fn value(
        &mut self,
        member: &Member,
        column: usize,
        codec: Codec,
        check: bool,
        first: &mut bool,
    ) {
        if !check {
            self.steps.push(Step::Unchecked);
        }
        self.name(member, first);
        self.steps.push(Step::Value { column, codec });
        if !check {
            self.steps.push(Step::Checked);
        }
    }

    fn object_or_empty(&mut self, level: usize, child: NodeId) {
        let node = &self.shape.nodes[child];
        let presence = node.link.as_ref().map_or(0, |link| link.child_columns[0]);
        let presence = self.position(level, child, presence);
        let test = self.steps.len();
        self.steps.push(Step::Object { presence, otherwise: 0 });
        self.object(level, child, &node.members, Brace::Closed);
        let after = self.landing();
        self.steps[test] = Step::Object { presence, otherwise: after };
    }

    pub(crate) fn array(&mut self, child: NodeId, scalars: bool) {
        let Some(level) = self.plan.level_of[child] else { return };
        let start = self.steps.len();
        self.steps.push(Step::Array { level, end: 0 });
        let members = &self.shape.nodes[child].members;
        if scalars {
            self.scalar_element(level, child, members);
        } else {
            self.object(level, child, members, Brace::Closed);
        }
        let end = self.landing();
        self.steps[start] = Step::Array { level, end };
    }

    fn scalar_element(&mut self, level: usize, node: NodeId, members: &[Member]) {
        let column = members.iter().find_map(|member| match &member.kind {
            MemberKind::Column(column) => Some(column.column),
            _ => None,
        });
        if let Some(column) = column {
            let codec = self.codec(&self.shape.nodes[node].table.columns[column].ty);
            let column = self.position(level, node, column);
            self.steps.push(Step::Value { column, codec });
        }
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
