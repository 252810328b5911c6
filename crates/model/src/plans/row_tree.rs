//! Row trees: a document decomposed into table rows.
//!
//! Both the body of a request and the stored document are decomposed; the difference between the two
//! trees becomes a [`crate::WritePlan`].

use duet_text::json::Json;

use crate::expressions::reference::NodeId;
use crate::shapes::shape::ColumnMember;

/// A row of a document, with the rows below it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowTree<'t> {
    /// The node of the row.
    pub node: NodeId,
    /// Its position in the document, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The given columns, each once, in document order.
    pub fields: Vec<GivenField<'t>>,
    /// The nodes directly below this one, in document order.
    pub children: Vec<GivenRows<'t>>,
}

/// A column given in a document.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenField<'t> {
    /// The member: column and annotations.
    pub member: ColumnMember,
    /// Its position in the document, as a JSON pointer.
    pub pointer: String,
    /// The value as given.
    pub value: Json<'t>,
}

/// The rows of one node below one row of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenRows<'t> {
    /// The node.
    pub node: NodeId,
    /// Their position in the document: the array or object, or the enclosing object of unnested
    /// members.
    pub pointer: String,
    /// Whether the document contains them. If not, they are left unchanged.
    pub given: bool,
    /// The rows, at most one for a to-one node.
    pub rows: Vec<RowTree<'t>>,
}

impl<'t> RowTree<'t> {
    /// The field of a column.
    pub fn field(&self, column: usize) -> Option<&GivenField<'t>> {
        self.fields.iter().find(|field| field.member.column == column)
    }

    /// The value of a column; `None` if it is missing or `null`.
    pub fn value(&self, column: usize) -> Option<&Json<'t>> {
        self.field(column).map(|field| &field.value).filter(|value| !value.is_null())
    }

    /// The rows of a node directly below.
    pub fn below(&self, node: NodeId) -> Option<&GivenRows<'t>> {
        self.children.iter().find(|child| child.node == node)
    }
}

/// Appends a part to a JSON pointer.
pub fn pointer(parent: &str, part: &str) -> String {
    let mut pointer = String::with_capacity(parent.len() + part.len() + 1);
    pointer.push_str(parent);
    push_part(&mut pointer, part);
    pointer
}

/// The parts of a JSON pointer.
pub fn pointer_parts(pointer: &str) -> Vec<String> {
    let parts = pointer.split('/').skip(1);
    parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

/// Appends a part to a JSON pointer in place.
pub fn push_part(pointer: &mut String, part: &str) {
    pointer.push('/');
    if !part.contains(['~', '/']) {
        pointer.push_str(part);
        return;
    }
    for char in part.chars() {
        match char {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            char => pointer.push(char),
        }
    }
}
