//! The syntax tree of both syntaxes, with positions, unchecked.

use duet_model::view_notice::ViewNotice;
use duet_model::view_rule::ViewRule;
use duet_model::{AggregateFunction, Arithmetic, Compare};
use duet_text::JsonStep;

use crate::source::Span;

/// A name as written.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether it was quoted.
    pub(crate) quoted: bool,
}

/// `[schema.]table`
#[derive(Clone, Debug)]
pub(crate) struct TableName {
    pub(crate) schema: Option<Name>,
    pub(crate) name: Name,
}

impl TableName {
    pub(crate) fn span(&self) -> Span {
        self.schema.as_ref().map_or(self.name.span, |schema| schema.span.to(self.name.span))
    }
}

/// `[alias.]column`
#[derive(Clone, Debug)]
pub(crate) struct ColumnName {
    pub(crate) qualifier: Option<Name>,
    pub(crate) name: Name,
}

impl ColumnName {
    pub(crate) fn span(&self) -> Span {
        self.qualifier.as_ref().map_or(self.name.span, |name| name.span.to(self.name.span))
    }
}

/// One view definition.
#[derive(Clone, Debug)]
pub(crate) struct ViewDefinition {
    pub(crate) name: Name,
    /// Whether it may be over tables that are missing.
    pub(crate) force: bool,
    pub(crate) root: TableUse,
    /// The rules of its directives.
    pub(crate) rules: Vec<ViewRule>,
    /// What its directive `NOTIFY` makes events of.
    pub(crate) notice: Option<ViewNotice>,
}

/// `CREATE DIRECTIVE name FOR view …`
#[derive(Clone, Debug)]
pub(crate) struct DirectiveDefinition {
    pub(crate) name: Name,
    pub(crate) view: Name,
    pub(crate) directive: ViewDirective,
}

/// What a directive adds to its view.
#[derive(Clone, Debug)]
pub(crate) enum ViewDirective {
    /// `VALIDATE …`
    Rule(ViewRule),
    /// `NOTIFY …`
    Notice(ViewNotice),
}

/// Which of the two syntaxes something was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Sql,
    GraphQl,
}

/// The cardinality that the syntax around a table's object requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// Nothing: GraphQL braces.
    Natural,
    /// A single object: SQL `( … )`.
    Object,
    /// An array: brackets.
    Array,
    /// The parent's own members: SQL `UNNEST( … )`.
    Unnest,
}

/// One table at one place.
#[derive(Clone, Debug)]
pub(crate) struct TableUse {
    /// What `JSON_ARRAYAGG` is ordered by: columns, and whether the largest is first.
    pub(crate) order: Vec<(ColumnName, bool)>,
    pub(crate) table: TableName,
    pub(crate) alias: Option<Name>,
    pub(crate) annotations: Vec<Annotation>,
    /// Row conditions; in SQL style the join is among them.
    pub(crate) conditions: Vec<Condition>,
    pub(crate) form: Nesting,
    pub(crate) style: Style,
    pub(crate) body: Body,
}

impl TableUse {
    /// The name that qualifies the table's columns.
    pub(crate) fn alias(&self) -> &Name {
        self.alias.as_ref().unwrap_or(&self.table.name)
    }
}

/// What a table gives.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// An object per row.
    Object(Object),
    /// One column's value per row.
    Scalar(ColumnName),
}

/// The members between braces.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) members: Vec<MemberDefinition>,
    /// Whether values that are NULL are left out.
    pub(crate) absent: bool,
    /// Whether a member could not be read and was left out.
    pub(crate) broken: bool,
}

/// A condition on a table's rows.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) expr: Expr,
    /// Whether a write must leave the row inside it.
    pub(crate) check_option: bool,
}

/// One member of an object.
#[derive(Clone, Debug)]
pub(crate) struct MemberDefinition {
    pub(crate) key: Option<Name>,
    pub(crate) content: Content,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) span: Span,
}

/// What a member is made of.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Column(ColumnName),
    Table(Box<TableUse>),
    Group(Group),
    /// `*`
    Star,
    /// The source is in the annotation `@generated` or here (SQL style).
    Generated(GeneratedSource),
}

/// Columns of the table itself in an object of their own.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The table as the definition names it again, as in `name: table @nest {…}`.
    pub(crate) table: Option<TableName>,
    pub(crate) object: Object,
}

/// How a generated member gets its value.
#[derive(Clone, Debug)]
pub(crate) enum GeneratedSource {
    Path { text: String, span: Span },
    Sql(Expr),
}

/// A directive (`@update`) or tag (`UPDATE`).
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) kind: Kind,
    /// `false` for the `no` form.
    pub(crate) on: bool,
    pub(crate) arguments: Arguments,
    pub(crate) style: Style,
    pub(crate) span: Span,
}

impl Annotation {
    /// The annotation as one would write it: `@noupdate` or `NOUPDATE`.
    pub(crate) fn label(&self) -> String {
        let no = if self.on { "" } else { "no" };
        match self.style {
            Style::GraphQl => format!("@{no}{}", self.kind.name()),
            Style::Sql => format!("{no}{}", self.kind.name()).to_uppercase(),
        }
    }
}

/// The kinds of annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Insert,
    Update,
    Delete,
    Check,
    Unnest,
    Nest,
    Link,
    Array,
    Object,
    Where,
    Flex,
    Generated,
    Hidden,
    Cast,
    OnNull,
    Validate,
    Notify,
}

impl Kind {
    pub(crate) const ALL: [Self; 17] = [
        Self::Insert,
        Self::Update,
        Self::Delete,
        Self::Check,
        Self::Unnest,
        Self::Nest,
        Self::Link,
        Self::Array,
        Self::Object,
        Self::Where,
        Self::Flex,
        Self::Generated,
        Self::Hidden,
        Self::Cast,
        Self::OnNull,
        Self::Validate,
        Self::Notify,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Check => "check",
            Self::Unnest => "unnest",
            Self::Nest => "nest",
            Self::Link => "link",
            Self::Array => "array",
            Self::Object => "object",
            Self::Where => "where",
            Self::Flex => "flex",
            Self::Generated => "generated",
            Self::Hidden => "hidden",
            Self::Cast => "cast",
            Self::OnNull => "onnull",
            Self::Validate => "validate",
            Self::Notify => "notify",
        }
    }

    /// Whether there is a `no` form.
    pub(crate) fn has_opposite(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Delete | Self::Check)
    }
}

/// The arguments of an annotation.
#[derive(Clone, Debug)]
pub(crate) enum Arguments {
    None,
    Link {
        from: Vec<Name>,
        to: Vec<Name>,
    },
    Where(Condition),
    Generated {
        source: GeneratedSource,
        /// Whether it is for documents alone that lack the member; `None` where nothing is said of that.
        if_missing: Option<bool>,
    },
    /// Whether values that are NULL are left out.
    OnNull {
        absent: bool,
    },
    Validate(Box<ViewRule>),
    Notify(ViewNotice),
}

/// A literal as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

/// A binary operator as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    And,
    Or,
    Compare(Compare),
    Arithmetic(Arithmetic),
}

/// `SUM([DISTINCT] operand)`, or `COUNT(*)`.
#[derive(Clone, Debug)]
pub(crate) struct AggregateCall {
    pub(crate) function: AggregateFunction,
    pub(crate) distinct: bool,
    pub(crate) operand: Option<Box<Expr>>,
    /// What follows the operand of `LISTAGG`.
    pub(crate) list: Option<ListCall>,
}

/// `, 'separator') WITHIN GROUP (ORDER BY …)`
#[derive(Clone, Debug)]
pub(crate) struct ListCall {
    pub(crate) separator: String,
    /// What they are ordered by, and whether the largest is first.
    pub(crate) terms: Vec<(Expr, bool)>,
}

impl AggregateCall {
    fn operands(&self) -> impl Iterator<Item = &Expr> {
        let terms = self.list.iter().flat_map(|list| list.terms.iter().map(|(term, _)| term));
        self.operand.as_deref().into_iter().chain(terms)
    }

    fn operands_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let list = self.list.iter_mut();
        let terms = list.flat_map(|list| list.terms.iter_mut().map(|(term, _)| term));
        self.operand.as_deref_mut().into_iter().chain(terms)
    }
}

/// `SELECT expression FROM table [alias] [JOIN table [alias] ON condition]… [WHERE condition]`
#[derive(Clone, Debug)]
pub(crate) struct RowsQuery {
    pub(crate) selected: Expr,
    pub(crate) tables: Vec<RowsTable>,
    /// Those behind ON and WHERE.
    pub(crate) conditions: Vec<Expr>,
    pub(crate) span: Span,
}

/// A table of a query.
#[derive(Clone, Debug)]
pub(crate) struct RowsTable {
    pub(crate) table: TableName,
    pub(crate) alias: Option<Name>,
}

impl RowsTable {
    /// The name that qualifies the table's columns.
    pub(crate) fn alias(&self) -> &Name {
        self.alias.as_ref().unwrap_or(&self.table.name)
    }
}

/// What an item method makes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemMethod {
    Abs,
    Boolean,
    Ceiling,
    Date,
    Floor,
    Length,
    Lower,
    Number,
    Text,
    Type,
    Upper,
}

impl ItemMethod {
    /// The method of a name, without case and without a prefix.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match &*name.to_ascii_lowercase() {
            "abs" => Self::Abs,
            "boolean" | "booleanonly" => Self::Boolean,
            "ceiling" => Self::Ceiling,
            "date" | "timestamp" | "datewithtime" => Self::Date,
            "floor" => Self::Floor,
            "length" => Self::Length,
            "lower" => Self::Lower,
            "number" | "numberonly" | "double" | "float" => Self::Number,
            "string" | "stringonly" => Self::Text,
            "type" => Self::Type,
            "upper" => Self::Upper,
            _ => return None,
        })
    }
}

/// An expression over the columns of a table.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// The depth of the tree.
    pub(crate) depth: usize,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Column(ColumnName),
    Literal(Literal),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// An item method of a path or of a filter by example.
    Item(ItemMethod, Box<Expr>),
    IsNull {
        operand: Box<Expr>,
        negated: bool,
    },
    In {
        operand: Box<Expr>,
        list: Vec<Expr>,
        negated: bool,
    },
    Between {
        operand: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        negated: bool,
    },
    Like {
        operand: Box<Expr>,
        pattern: Box<Expr>,
        negated: bool,
    },
    Function(Name, Vec<Expr>),
    /// A value inside a JSON column, as text.
    JsonValue(ColumnName, Vec<JsonStep>),
    /// A function over the rows of a query; without an operand it counts them.
    Aggregate(AggregateCall),
    /// A query of the rows that belong to the row.
    Rows(Box<RowsQuery>),
    Case {
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
}

impl Expr {
    /// The parts of an expression that are ANDed at its top.
    pub(crate) fn conjuncts(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let mut parts = left.conjuncts();
                parts.extend(right.conjuncts());
                parts
            }
            _ => vec![self],
        }
    }
}

impl ExprKind {
    /// The operands, in order.
    pub(crate) fn operands(&self) -> Vec<&Expr> {
        match self {
            Self::Column(_) | Self::Literal(_) | Self::JsonValue(..) | Self::Rows(_) => Vec::new(),
            Self::Aggregate(call) => call.operands().collect(),
            Self::Binary(_, left, right) => vec![left, right],
            Self::Not(operand)
            | Self::Negate(operand)
            | Self::Item(_, operand)
            | Self::IsNull { operand, .. } => vec![operand],
            Self::In { operand, list, .. } => std::iter::once(&**operand).chain(list).collect(),
            Self::Between { operand, low, high, .. } => vec![operand, low, high],
            Self::Like { operand, pattern, .. } => vec![operand, pattern],
            Self::Function(_, arguments) => arguments.iter().collect(),
            Self::Case { branches, otherwise } => {
                let pairs = branches.iter().flat_map(|(condition, result)| [condition, result]);
                pairs.chain(otherwise.as_deref()).collect()
            }
        }
    }

    /// The operands, in order, to be changed.
    pub(crate) fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Column(_) | Self::Literal(_) | Self::JsonValue(..) | Self::Rows(_) => Vec::new(),
            Self::Aggregate(call) => call.operands_mut().collect(),
            Self::Binary(_, left, right) => vec![left, right],
            Self::Not(operand)
            | Self::Negate(operand)
            | Self::Item(_, operand)
            | Self::IsNull { operand, .. } => vec![operand],
            Self::In { operand, list, .. } => std::iter::once(&mut **operand).chain(list).collect(),
            Self::Between { operand, low, high, .. } => vec![operand, low, high],
            Self::Like { operand, pattern, .. } => vec![operand, pattern],
            Self::Function(_, arguments) => arguments.iter_mut().collect(),
            Self::Case { branches, otherwise } => {
                let pairs = branches.iter_mut().flat_map(|(condition, result)| [condition, result]);
                pairs.chain(otherwise.as_deref_mut()).collect()
            }
        }
    }

    /// The expression at a place.
    pub(crate) fn at(self, span: Span) -> Expr {
        let depth = 1 + self.operands().iter().map(|operand| operand.depth).max().unwrap_or(0);
        Expr { kind: self, span, depth }
    }
}
