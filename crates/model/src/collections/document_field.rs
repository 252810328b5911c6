//! A value inside a stored document.

use std::sync::Arc;

use duet_text::fold::Fold;

use super::joined::JOINED;
use crate::expressions::expr::Expr;
use crate::expressions::reference::{ColumnRef, FieldRef, NodeId, Scope};
use crate::values::pair::Pair;
use crate::values::types::Type;
use crate::values::value::Value;

/// A value inside a stored document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentField {
    /// Member names joined by dots; array steps are implicit.
    pub path: String,
    /// Its type. [`Type::Json`] for what lies in an array.
    pub ty: Type,
    /// The column of the table that is computed from it, if there is one.
    pub column: Option<usize>,
    /// How texts compare.
    pub folding: Folding,
    /// Whether the path leads through an array or to one.
    pub repeated: bool,
    /// The members whose texts it is made of, one behind the other, as [`JOINED`] joins them; `None` for a member.
    pub joined: Option<Arc<str>>,
}

impl DocumentField {
    /// The member names.
    pub fn steps(&self) -> Vec<String> {
        steps(&self.path)
    }

    /// The value as an expression over the rows of a node whose table holds the document in `column`.
    pub fn value(&self, node: NodeId, column: usize) -> Expr {
        if let Some(column) = self.column {
            return ColumnRef { node, column }.into();
        }
        if let Some(paths) = &self.joined {
            let document = ColumnRef { node, column }.into();
            let paths = Expr::Literal(Value::Text(paths.to_string()));
            return Expr::Function(JOINED, vec![document, paths]);
        }
        if let Type::Pair(pair) = &self.ty {
            let member = |path: &String| {
                let path = steps(path);
                Expr::Extracted(FieldRef { scope: Scope::Node(node), column, path }, Type::Json)
            };
            let members = pair.members.iter().map(member).collect();
            return Expr::Function(pair.kind.function(), members);
        }
        let field = FieldRef { scope: Scope::Node(node), column, path: self.steps() };
        match self.ty {
            Type::Json => Expr::Field(field),
            _ => Expr::Extracted(field, self.ty.clone()),
        }
    }
}

fn steps(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Whether a function of these arguments joins the texts at these paths.
pub(crate) fn is_joined(paths: &str, function: &str, arguments: &[Expr]) -> bool {
    let is_same =
        |given: &Expr| matches!(given, Expr::Literal(Value::Text(given)) if given == paths);
    function == JOINED && arguments.get(1).is_some_and(is_same)
}

/// Whether a function of these arguments is what two members are together.
pub(crate) fn is_value_of(pair: &Pair, function: &str, arguments: &[Expr]) -> bool {
    let is_member = |(path, argument): (&String, &Expr)| match argument {
        Expr::Extracted(field, _) => field.path == steps(path),
        _ => false,
    };
    function == pair.kind.function()
        && arguments.len() == pair.members.len()
        && pair.members.iter().zip(arguments).all(is_member)
}

/// How the texts of a field compare in CQL, unless a modifier says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folding {
    /// As the relation says: equality ignores case and accents, an order does not.
    #[default]
    ByRelation,
    /// Every relation and order ignores this.
    Always(Fold),
    /// Nothing is ignored.
    Never,
}
