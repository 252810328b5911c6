//! A body checked against its shape while it is read, value by value, so that a large body that is
//! wrong costs little. What a good one holds is noted for the write, which need not read it again.
//!
//! It finds mistakes that do not depend on stored data: members that the shape does not have, values of the
//! wrong kind. It collects
//! 20 ([`MISTAKES`]) of them, or those within 64 KiB ([`READ_ON`]) after the first, and stops at
//! the first token that is not JSON.

use std::borrow::Cow;
use std::fmt::Display;

use duet_model::row_tree::push_part;
use duet_model::shape::SERVER_MEMBERS;
use duet_model::{
    Code, Column, Error, ForeignCode, MemberKind, MemberOrigin, NodeId, Place, Shape, Type, shape,
};
use duet_text::json::body::Body;
use duet_text::json::cursor::{Cursor, Token};
use duet_text::json::tape::Tape;
use duet_text::json::{BODY, JsonLimits};
use duet_text::name;
use duet_text::problem::{QuotedText, did_you_mean, quoted};

use super::value::{expected, fits, sqlstate};

/// Mistakes that are reported at most.
pub const MISTAKES: usize = 20;
/// Bytes that are read after the first mistake.
pub const READ_ON: usize = 64 << 10;

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPurpose {
    /// A new document.
    New,
    /// A complete document that replaces another.
    Whole,
    /// A merge patch.
    Patch,
}

/// What a check has found.
#[derive(Debug)]
pub struct BodyCheck {
    /// The mistakes, in the order of the body.
    pub mistakes: Vec<Error>,
    /// Values that were read or passed over.
    pub nodes: usize,
    /// The content of the body, if there is no error.
    pub tape: Option<Tape>,
}

/// Checks a body.
pub fn check(shape: &Shape, text: &str, form: BodyPurpose, bounds: JsonLimits) -> BodyCheck {
    run(text, bounds, |cursor| Checker::new(shape, form, cursor), Checker::body)
}

/// Checks a body that is an array of new documents.
pub fn check_array(shape: &Shape, text: &str, bounds: JsonLimits) -> BodyCheck {
    run(text, bounds, |cursor| Checker::new(shape, BodyPurpose::New, cursor), Checker::documents)
}

fn run<'s, 't>(
    text: &'t str,
    bounds: JsonLimits,
    checker: impl FnOnce(Cursor<'t>) -> Checker<'s, 't>,
    check: impl FnOnce(&mut Checker<'s, 't>) -> Step,
) -> BodyCheck {
    let cursor = match Cursor::noting(text, &BODY, bounds) {
        Ok(cursor) => cursor,
        Err(error) => return BodyCheck { mistakes: vec![error], nodes: 0, tape: None },
    };
    let mut checker = checker(cursor);
    // Where it stops, the mistakes say why.
    drop(check(&mut checker));
    let Checker { mistakes, cursor, .. } = checker;
    BodyCheck { mistakes, nodes: cursor.nodes(), tape: cursor.into_tape() }
}

/// Checks documents in one body, each of a shape of its own. All of them together have
/// the mistakes of one body.
#[derive(Debug, Default)]
pub struct PartsCheck {
    found: usize,
    /// The byte of the body behind which nothing is checked any more.
    end: Option<usize>,
}

impl PartsCheck {
    /// The mistakes of the next document, with pointers into it.
    pub fn check(&mut self, shape: &Shape, document: &Body, form: BodyPurpose) -> Vec<Error> {
        let (text, at) = document.place();
        if self.found >= MISTAKES || self.end.is_some_and(|end| at >= end) {
            return Vec::new();
        }
        // The body is within its bounds.
        let mut cursor = Cursor::new(text, &BODY, JsonLimits::depth(usize::MAX));
        cursor.go_to(at);
        if let Some(end) = self.end {
            cursor.cut_after(end - at);
        }
        let mut checker =
            Checker { left: MISTAKES - self.found, ..Checker::new(shape, form, cursor) };
        drop(checker.document(&checker.what()));
        self.found += checker.mistakes.len();
        self.end = self.end.or(checker.end);
        checker.mistakes
    }
}

struct Checker<'s, 't> {
    shape: &'s Shape,
    form: BodyPurpose,
    cursor: Cursor<'t>,
    /// Where the cursor is: a pointer is made of it for a mistake only.
    path: Vec<Part<'t>>,
    mistakes: Vec<Error>,
    /// How many mistakes are collected.
    left: usize,
    /// Where reading ends since the first mistake.
    end: Option<usize>,
}

/// A part of a pointer.
enum Part<'t> {
    Name(Cow<'t, str>),
    Index(usize),
}

/// Enough was read; what for is noted.
#[derive(Debug)]
struct Stop;

type Step = Result<(), Stop>;

/// Whose members an object has.
#[derive(Clone, Copy)]
struct Level<'s> {
    node: NodeId,
    members: &'s [shape::Member],
    /// Whether the object is merged into a stored one.
    merged: bool,
    /// Whether a flex column takes members of any name.
    open: bool,
    /// Whether it is the document itself, which may bring members that the writer adds.
    is_document: bool,
}

impl<'s, 't> Checker<'s, 't> {
    fn new(shape: &'s Shape, form: BodyPurpose, cursor: Cursor<'t>) -> Self {
        let (path, mistakes) = Default::default();
        Self { shape, form, cursor, path, mistakes, left: MISTAKES, end: None }
    }

    fn place(&self) -> Place {
        let mut pointer = String::new();
        for part in &self.path {
            match part {
                Part::Name(name) => push_part(&mut pointer, name),
                Part::Index(index) => push_part(&mut pointer, &index.to_string()),
            }
        }
        Place::Pointer(pointer)
    }

    fn what(&self) -> &'static str {
        if self.form == BodyPurpose::Patch { "A patch" } else { "The body" }
    }

    fn body(&mut self) -> Step {
        self.document(&self.what())?;
        let end = self.cursor.end();
        self.read(end)
    }

    fn document(&mut self, what: &dyn Display) -> Step {
        if self.shape.whole_document().is_some() {
            return self.stored(what);
        }
        let root = Level {
            node: 0,
            members: &self.shape.root().members,
            merged: self.form == BodyPurpose::Patch,
            open: self.is_open(0, &self.shape.root().members),
            is_document: true,
        };
        self.object(root, what)
    }

    /// A document that is stored unchanged: its schema defines valid content.
    fn stored(&mut self, what: &dyn Display) -> Step {
        let next = self.cursor.peek();
        match self.read(next)? {
            Token::Object => self.skip(),
            other => self.wrong_kind(what, "an object", other),
        }
    }

    /// An array of documents.
    fn documents(&mut self) -> Step {
        self.elements(|it| it.document(&"An element of the array"))?;
        let end = self.cursor.end();
        self.read(end)
    }

    /// Records the cursor's mistake.
    fn read<T>(&mut self, result: Result<T, Error>) -> Result<T, Stop> {
        result.map_err(|error| {
            // Behind the cut there may be anything.
            if !self.cursor.is_cut() {
                let error = match error.code {
                    Code::BodyNodes => error.at(self.place()),
                    _ => error,
                };
                self.mistakes.push(error);
            }
            Stop
        })
    }

    fn wrong(&mut self, code: Code, message: String, hint: Option<String>) -> Step {
        if self.mistakes.is_empty() {
            self.cursor.forget();
            self.cursor.cut_after(READ_ON);
            self.end = Some(self.cursor.at() + READ_ON);
        }
        self.mistakes.push(Error::new(code, message).at(self.place()).maybe_hint(hint));
        if self.mistakes.len() >= self.left { Err(Stop) } else { Ok(()) }
    }

    fn skip(&mut self) -> Step {
        let skipped = self.cursor.skip().map(drop);
        self.read(skipped)
    }

    /// Whether an object with these members takes unknown ones too.
    fn is_open(&self, node: NodeId, members: &[shape::Member]) -> bool {
        self.shape.flex_column(node, members).is_some()
    }

    /// Whether a name is that of a hidden member. A flex column takes none of them: it would never be shown.
    fn is_hidden(&self, members: &[shape::Member], name: &str) -> bool {
        self.shape.hidden_names(members).contains(&name)
    }

    /// An object with the members of a level.
    fn object(&mut self, level: Level<'s>, what: &dyn Display) -> Step {
        let next = self.cursor.peek();
        let next = self.read(next)?;
        if next != Token::Object {
            return self.wrong_kind(what, "an object", next);
        }
        let entered = self.cursor.enter();
        let mut inside = self.read(entered)?;
        loop {
            let member = self.cursor.member(&mut inside);
            let Some(name) = self.read(member)? else { return Ok(()) };
            match find(self.shape, level.node, level.members, &name) {
                Some((node, member)) => {
                    self.path.push(Part::Name(name));
                    self.member(level, node, member)?;
                }
                None => {
                    self.path.push(Part::Name(name.clone()));
                    self.unknown(level, &name)?;
                }
            }
            self.path.pop();
        }
    }

    fn wrong_kind(&mut self, what: &dyn Display, wanted: &str, found: Token) -> Step {
        let message = format!("{what} must be {wanted}, not {}.", found.noun());
        self.wrong(Code::MemberValue, message, None)?;
        self.skip()
    }

    /// The value of a member that the shape has, of a row of this node.
    fn member(&mut self, level: Level<'s>, node: NodeId, member: &'s shape::Member) -> Step {
        let what = QuotedText(&member.name);
        let next = self.cursor.peek();
        let next = self.read(next)?;
        match &member.kind {
            MemberKind::Column(column) if column.origin == MemberOrigin::Always => {
                let message = format!("{what} is generated whenever its row is written.");
                let hint = "Leave it out; the response has its value.".to_owned();
                self.wrong(Code::MemberGenerated, message, Some(hint))?;
                self.skip()
            }
            MemberKind::Column(column) if column.ignored => self.skip(),
            MemberKind::Column(column) => {
                let column = &self.shape.nodes[node].table.columns[column.column];
                self.column(&what, column, next)
            }
            MemberKind::Group(members) => {
                let open = self.is_open(node, members);
                let group = Level { node, members, open, ..level };
                let level = Level { is_document: false, ..group };
                self.object(level, &what)
            }
            MemberKind::Object(_) if next == Token::Null => self.skip(),
            MemberKind::Object(child) => {
                let merged = level.merged;
                self.object(self.row(*child, merged), &what)
            }
            MemberKind::Array(child) if next == Token::List => self.rows(*child),
            MemberKind::Array(_) => self.wrong_kind(&what, "an array", next),
            // The member is read-only, so its value in the body is ignored.
            MemberKind::Generated { .. }
            | MemberKind::Scalars(_)
            | MemberKind::Unnest(_)
            | MemberKind::Flex(_)
            | MemberKind::Document(_)
            | MemberKind::Related(_) => self.skip(),
        }
    }

    /// The level of a row below another one; `merged` where a patch changes members of it.
    fn row(&self, node: NodeId, merged: bool) -> Level<'s> {
        Level {
            node,
            members: &self.shape.nodes[node].members,
            merged,
            open: self.is_open(node, &self.shape.nodes[node].members),
            is_document: false,
        }
    }

    fn rows(&mut self, node: NodeId) -> Step {
        // An array is replaced as a unit, also by a patch.
        let row = self.row(node, false);
        self.elements(|it| it.object(row, &"An element of the array"))
    }

    /// An array, element by element.
    fn elements(&mut self, mut each: impl FnMut(&mut Self) -> Step) -> Step {
        let entered = self.cursor.enter();
        let mut inside = self.read(entered)?;
        let mut index = 0;
        loop {
            let element = self.cursor.element(&mut inside);
            if !self.read(element)? {
                return Ok(());
            }
            self.path.push(Part::Index(index));
            each(self)?;
            self.path.pop();
            index += 1;
        }
    }

    /// A value of a column. Of a stored document only its kind is looked at: it may hold what its
    /// column does not take, and be sent back as it is.
    fn column(&mut self, what: &dyn Display, column: &Column, next: Token) -> Step {
        let nested = matches!(next, Token::Object | Token::List);
        match &column.ty {
            Type::Json => self.skip(),
            Type::Array(_) if next == Token::List => self.skip(),
            _ if nested => {
                self.misfit(what, column, expected(&column.ty))?;
                self.skip()
            }
            _ if self.form == BodyPurpose::New => {
                let value = self.cursor.value();
                let value = self.read(value)?;
                let Err(wanted) = fits(column, &value) else { return Ok(()) };
                let step = self.misfit(what, column, &wanted);
                if let Some(mistake) = self.mistakes.pop() {
                    let state = ForeignCode::of_value(sqlstate(&column.ty, &value));
                    self.mistakes.push(mistake.reported_as(state));
                }
                step
            }
            _ => self.skip(),
        }
    }

    fn misfit(&mut self, what: &dyn Display, column: &Column, wanted: &str) -> Step {
        let message = misfit(what, column, wanted);
        self.wrong(Code::MemberValue, message, None)
    }

    fn unknown(&mut self, level: Level<'s>, name: &str) -> Step {
        let next = self.cursor.peek();
        let is_null = self.read(next)? == Token::Null;
        let ours = level.is_document && SERVER_MEMBERS.contains(&name);
        let open = level.open && !self.is_hidden(level.members, name);
        if !(open || ours || level.merged && is_null) {
            let known = self.shape.visible_names(level.members);
            let nearest = name::nearest(name, known.iter().copied());
            let message = format!("{} has no member {} here.", self.shape.name, quoted(name));
            self.wrong(Code::UnknownMember, message, nearest.map(did_you_mean))?;
        }
        self.skip()
    }
}

/// The message of a value that does not fit its column.
pub fn misfit(what: impl Display, column: &Column, wanted: &str) -> String {
    format!("{what} is {} and must be {wanted}.", column.ty.name())
}

/// The member of this name and the node of its row, those merged in included.
fn find<'s>(
    shape: &'s Shape,
    node: NodeId,
    members: &'s [shape::Member],
    name: &str,
) -> Option<(NodeId, &'s shape::Member)> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Unnest(child) => find(shape, *child, &shape.nodes[*child].members, name),
        MemberKind::Flex(_)
        | MemberKind::Document(_)
        | MemberKind::Related(_)
        | MemberKind::Generated { hidden: true, .. } => None,
        MemberKind::Column(column) if column.hidden => None,
        _ => (member.name == name).then_some((node, member)),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::shape::Elements;
    use duet_model::{ColumnMember, Link, Member, Node, Operations, Relation, RelationKind};

    use super::*;

    const BOUNDS: JsonLimits = JsonLimits { depth: 16, nodes: 1_000 };

    fn relation(name: &str, columns: Vec<Column>) -> Arc<Relation> {
        Arc::new(Relation {
            schema: "main".into(),
            name: name.into(),
            alias: None,
            kind: RelationKind::Table,
            columns,
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: false,
            plain: false,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        })
    }

    /// `{"id", "name", "any", "rows": [{"n"}]}`.
    fn shape() -> Shape {
        let id = Type::Integer { bits: 64 };
        let column = |name: &str, column| Member {
            name: name.into(),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let node = |table, members, link| Node {
            table,
            link,
            members,
            filter: None,
            check_option: false,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: Elements::default(),
            operations: Operations::default(),
        };
        let teams = relation(
            "team",
            vec![
                Column::new("id", id.clone()),
                Column::new("name", Type::Text),
                Column::new("any", Type::Json),
            ],
        );
        let rows = relation("row", vec![Column::new("n", id)]);
        let array = Member { name: "rows".into(), kind: MemberKind::Array(1) };
        let members = vec![column("id", 0), column("name", 1), column("any", 2), array];
        let link = Link {
            parent: 0,
            parent_columns: vec![0],
            child_columns: vec![0],
            cardinality: duet_model::Cardinality::Many,
        };
        let nodes = vec![node(teams, members, None), node(rows, vec![column("n", 0)], Some(link))];
        Shape {
            name: "team".into(),
            nodes,
            key: vec![0],
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        }
    }

    fn found(text: &str, form: BodyPurpose) -> Vec<String> {
        let place = |error: &Error| match &error.place {
            Some(Place::Pointer(pointer)) => format!("{:?} {pointer}", error.code),
            other => format!("{:?} {other:?}", error.code),
        };
        check(&shape(), text, form, BOUNDS).mistakes.iter().map(place).collect()
    }

    #[test]
    fn reports_all_errors() {
        let body = r#"{"id":"x","name":[1],"nmae":1,"rows":[{"n":{}},7,{"m":1}],"links":[],
            "any":{"nmae":[{}]}}"#;
        let expected = [
            "MemberValue /id",
            "MemberValue /name",
            "UnknownMember /nmae",
            "MemberValue /rows/0/n",
            "MemberValue /rows/1",
            "UnknownMember /rows/2/m",
        ];
        assert_eq!(found(body, BodyPurpose::New), expected);
        // The stored value may be sent back, even if the column would not accept it.
        assert_eq!(found(body, BodyPurpose::Whole), expected[1..]);
        assert_eq!(found(r#"{"id":1,"rows":null}"#, BodyPurpose::New), ["MemberValue /rows"]);
        assert_eq!(found("[]", BodyPurpose::New), ["MemberValue "]);
        assert!(found(r#"{"id":1}"#, BodyPurpose::New).is_empty());
        assert!(found(r#"{"nmae":null}"#, BodyPurpose::Patch).is_empty(), "nothing to remove");
    }

    #[test]
    fn stops_at_invalid_json() {
        let found = found(r#"{"nmae":1,"id":tru,"more":1}"#, BodyPurpose::New);
        assert_eq!(found, ["UnknownMember /nmae", "BodySyntax Some(Offset(15))"]);
    }

    /// Work is bounded by the mistakes and by the bytes after the first of them.
    #[test]
    fn bounds_the_cost_of_large_invalid_bodies() {
        let unknown: Vec<String> = (0..1_000).map(|number| format!("\"x{number}\":1")).collect();
        let checked =
            check(&shape(), &format!("{{{}}}", unknown.join(",")), BodyPurpose::New, BOUNDS);
        assert_eq!((checked.mistakes.len(), checked.nodes), (MISTAKES, MISTAKES));
        let bounds = JsonLimits { nodes: usize::MAX, ..BOUNDS };
        let ones = format!(r#"{{"name":[{}1]}}"#, "1,".repeat(8 << 20));
        let checked = check(&shape(), &ones, BodyPurpose::New, bounds);
        assert_eq!(checked.mistakes.len(), 1);
        assert!(checked.nodes <= READ_ON / 2 + 2, "{}", checked.nodes);
        assert!(checked.tape.is_none());
        let long = format!(r#"{{"x":1,"name":"{}"}}"#, "é".repeat(8 << 20));
        let checked = check(&shape(), &long, BodyPurpose::New, bounds);
        assert_eq!((checked.mistakes.len(), checked.nodes), (1, 2 + 1));
    }

    #[test]
    fn reports_the_position_of_too_many_values() {
        let many = format!(r#"{{"id":1,"any":{{"a":[{}1]}}}}"#, "1,".repeat(1_000));
        assert_eq!(found(&many, BodyPurpose::New), ["BodyNodes /any"]);
    }
}
