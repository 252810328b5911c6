//! The conditions of indexes: CQL about the members of one document, of a form that both stores can keep as the
//! condition of an index and find again in a search.

use duet_filter::{FieldIndex, FilterText, Limits, parse_text};
use duet_model::collection::{DOCUMENT, KEY};
use duet_model::{
    CollectionDocument, Column, Expr, IndexCondition, IndexKind, Member, MemberKind, Node,
    Operations, Relation, Shape, Type,
};
use duet_text::problem::quoted;

use crate::declaration::{DeclaredIndex, Mistake};

/// Why a condition cannot be one of an index.
const FORM: &str = "Conditions compare members with values, joined by `and`: `approved==true and workflowStatus==Open`. \
     Words, arrays, `or` and `not` cannot be part of it.";

/// The columns of a collection's table whose values have a type of their own: those of key and references.
pub(crate) fn table(name: &str, references: impl Iterator<Item = String>) -> Relation {
    let columns = [(KEY, Type::Uuid), (DOCUMENT, Type::Json)];
    let columns = columns.map(|(name, ty)| Column::new(name, ty)).into_iter();
    let references = references.map(|name| Column::new(name, Type::Uuid));
    Relation::table("", name, columns.chain(references).collect())
}

/// Reads the condition of an index of these documents.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(
    index: &DeclaredIndex,
    text: &str,
    document: &CollectionDocument,
    table: &Relation,
) -> Result<IndexCondition, Mistake> {
    let wrong = |message: String, hint: Option<String>| Mistake {
        path: Some(index.path.clone()),
        message: format!("`where` of the index of {}: {message}", quoted(&index.path)),
        hint,
    };
    if index.kind == IndexKind::Elements {
        let message = "indexes of arrays have all documents.".to_owned();
        return Err(wrong(message, None));
    }
    let fields = FieldIndex::new(&shape(document, table));
    let read = parse_text(FilterText::Cql(text), &fields, &Limits::default());
    let read = read.map_err(|error| wrong(error.message.clone(), error.hint.clone()))?;
    let all = match read.expr {
        Expr::And(parts) => parts,
        one => vec![one],
    };
    let unfit = || wrong("it is no condition for an index.".to_owned(), Some(FORM.to_owned()));
    if all.is_empty() || !read.order.is_empty() || !all.iter().all(is_plain) {
        return Err(unfit());
    }
    let mut named = Vec::new();
    for condition in &all {
        let value = condition.parts().first().and_then(|value| match value {
            Expr::Function(_, arguments) => arguments.first(),
            value => Some(*value),
        });
        let field = value.and_then(|value| document.field_of(value)).ok_or_else(unfit)?;
        named.push(field.clone());
    }
    let all = all.iter().map(|condition| document.canonical(condition)).collect();
    Ok(IndexCondition { text: text.trim().to_owned(), all, fields: named })
}

/// Whether a condition is a comparison of one value.
fn is_plain(condition: &Expr) -> bool {
    let compares = matches!(
        condition,
        Expr::Compare(..) | Expr::In(..) | Expr::Between(..) | Expr::Like { .. } | Expr::IsNull(_)
    );
    let is_given = |part: &&Expr| matches!(part, Expr::Operand(..));
    compares && condition.parts().iter().skip(1).all(is_given)
}

/// A shape of the documents alone.
fn shape(document: &CollectionDocument, table: &Relation) -> Shape {
    let node = Node {
        table: table.clone().into(),
        link: None,
        members: vec![Member {
            name: String::new(),
            kind: MemberKind::Document(Box::new(document.clone())),
        }],
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
        operations: Operations::default(),
    };
    Shape {
        name: table.name.clone(),
        nodes: vec![node],
        key: vec![0],
        metadata: false,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    }
}
