//! What an index names: a key, or a value of a document as text.

use duet_model::collection::KEY;
use duet_model::shape::Field;
use duet_model::{
    Compare, DeclaredSearch, Expr, FieldRef, Folding, NodeId, Scope, SearchForm, SearchRules, Type,
    Value,
};
use duet_text::Fold;

use super::super::labels;
use crate::fields::FieldIndex;

/// A value that a query names.
#[derive(Clone, Debug)]
pub(super) struct SearchedValue<'a> {
    field: Option<&'a Field>,
    /// The value inside the stored document; `None` where it is a column alone.
    pub(super) inside: Option<FieldRef>,
    /// The value as text.
    pub(super) text: Expr,
    /// What is ignored when texts are compared.
    pub(super) fold: Option<Fold>,
    /// Whether a declared index has its values in order, folded.
    is_indexed: bool,
    /// How a `schema.json` has it searched; `None` without such a file.
    declared: Option<Declared<'a>>,
}

/// What a `schema.json` declares for a path, if anything, and the joined texts that it names.
#[derive(Clone, Debug)]
struct Declared<'a> {
    search: Option<&'a DeclaredSearch>,
    joined: Vec<(&'a str, Expr)>,
}

/// What relations there are, as indexes serve them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchedBy {
    /// `==` and `<>`.
    Whole,
    /// `<`, `<=`, `>` and `>=`.
    Order,
    /// `=`, `adj`, `all` and `any`.
    Words,
}

/// A text that is compared, and what it and the term are without.
pub(super) struct ComparedText<'s> {
    pub(super) text: &'s Expr,
    /// What an empty term looks for.
    pub(super) member: &'s Expr,
    pub(super) value: Option<Fold>,
    pub(super) term: Option<Fold>,
    /// Why the search is refused.
    pub(super) refused: Option<&'s str>,
}

/// What is behind the name of joined texts in the names of fields.
const OF_JOINED: &str = "[*]";

impl<'a> SearchedValue<'a> {
    /// The value of a path, whose letters count. One that is not declared may be there nevertheless: in the related
    /// documents whose name the path begins with, else in the document itself.
    pub(super) fn find(fields: &'a FieldIndex, path: &str) -> Self {
        let along = fields.rules().along_alias(path);
        let path = along.as_deref().unwrap_or(path);
        // RMB has no ranges and no points: no document has a member of such a name.
        let is_member = |field: &&Field| {
            field.path == path && !matches!(field.ty, Type::Pair(_)) && !path.ends_with(OF_JOINED)
        };
        if let Some(field) = fields.find(path).filter(is_member) {
            return Self::of_field(fields, field);
        }
        let related = path
            .rmatch_indices('.')
            .find_map(|(dot, _)| Some((related_node(fields, &path[..dot])?, &path[dot + 1..])));
        let (node, path) = related.unwrap_or((0, path));
        Self::in_document(fields, node, path)
    }

    /// The value that orders documents by a path. Related documents give no order, so a member of the document
    /// itself counts that their name hides from conditions.
    pub(super) fn find_for_order(fields: &'a FieldIndex, path: &str) -> Self {
        let found = Self::find(fields, path);
        let own = fields.document_at(0).filter(|_| found.is_related());
        let is_hidden = own.is_some_and(|own| own.fields.iter().any(|one| one.path == path));
        if is_hidden && !fields.is_merged(node(&found.text)) {
            return Self::in_document(fields, 0, path);
        }
        found
    }

    /// An undeclared value of a node's document.
    fn in_document(fields: &'a FieldIndex, node: NodeId, path: &str) -> Self {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let column = fields.document_at(node).map_or(0, |document| document.column);
        let declared = declared(fields, node, &path.join("."));
        Self { declared, ..Self::undeclared(FieldRef { scope: Scope::Node(node), column, path }) }
    }

    /// A value inside a document of which nothing is declared.
    pub(super) fn undeclared(reference: FieldRef) -> Self {
        Self {
            field: None,
            text: Expr::Extracted(reference.clone(), Type::Json),
            inside: Some(reference),
            fold: Some(Fold::Both),
            is_indexed: false,
            declared: None,
        }
    }

    fn of_field(fields: &'a FieldIndex, field: &'a Field) -> Self {
        let inside = inside(fields, field);
        let is_text = matches!(
            field.ty,
            Type::Text | Type::Char | Type::Dynamic | Type::Other | Type::Enum(_)
        );
        let text = match &inside {
            Some(reference) if !is_text => Expr::Extracted(reference.clone(), Type::Json),
            _ => field.value.clone(),
        };
        let fold = match field.folding {
            Folding::Always(fold) => Some(fold),
            Folding::Never if is_text => None,
            _ => Some(Fold::Both),
        };
        let is_indexed = fields.has_ordered_index(field);
        let node = node(&field.value);
        let path = inside.as_ref().map_or_else(|| field.path.clone(), |at| at.path.join("."));
        let declared = declared(fields, node, &path);
        Self { field: Some(field), inside, text, fold, is_indexed, declared }
    }

    /// The text that a relation compares, and how.
    pub(super) fn compared_by(&self, by: SearchedBy) -> ComparedText<'_> {
        let both = Some(Fold::Both);
        let (text, member) = (&self.text, &self.text);
        let plain = |value, term| ComparedText { text, member, value, term, refused: None };
        let Some(declared) = &self.declared else {
            let fold = match by {
                SearchedBy::Whole => self.fold,
                SearchedBy::Order => self.fold.filter(|_| self.is_indexed),
                SearchedBy::Words => both,
            };
            return plain(fold, fold);
        };
        let form: Option<&SearchForm> = declared.search.and_then(|search| match by {
            SearchedBy::Whole => search.whole.as_ref(),
            SearchedBy::Order => search.order.as_ref(),
            SearchedBy::Words => search.words.as_ref(),
        });
        let Some(form) = form else {
            let fold = both.filter(|_| by != SearchedBy::Order);
            return plain(fold, fold);
        };
        let joined = form.joined.as_deref().and_then(|name| {
            declared.joined.iter().find(|(known, _)| *known == name).map(|(_, text)| text)
        });
        ComparedText {
            text: joined.unwrap_or(text),
            member,
            value: form.value,
            term: form.term,
            refused: form.refused.as_deref(),
        }
    }

    /// What an order ignores without a modifier.
    pub(super) fn order_fold(&self) -> Option<Fold> {
        let is_folded = self.field.is_none_or(|field| field.folding != Folding::Never);
        match self.declared {
            Some(_) if is_folded => Some(Fold::Both),
            _ => self.fold,
        }
    }

    /// The text of a field as a value of its own.
    pub(super) fn of_text(&self, field: &'a Field) -> Self {
        Self { field: Some(field), inside: None, text: field.value.clone(), ..self.clone() }
    }

    /// The field, where the schema lists its texts.
    pub(super) fn labelled(&self) -> Option<(&'a Field, &'a [String])> {
        let field = self.field?;
        labels::of(field).map(|labels| (field, labels))
    }

    /// The field, where it is a key or a reference.
    pub(super) fn id(&self) -> Option<&'a Field> {
        self.field.filter(|field| field.ty == Type::Uuid)
    }

    /// The field, if it has such a type by the schema.
    pub(super) fn typed(&self, is_it: fn(&Type) -> bool) -> Option<&'a Field> {
        self.field.filter(|field| is_it(&field.ty))
    }

    /// Whether it is of related documents.
    pub(super) fn is_related(&self) -> bool {
        node(&self.text) != 0
    }

    /// Why it gives documents no order, if so: it is not theirs, or they have several.
    pub(super) fn without_order(&self, fields: &FieldIndex) -> Option<&'static str> {
        if !self.is_related() {
            None
        } else if !fields.is_merged(node(&self.text)) {
            Some("Only fields of the collection itself order its documents.")
        } else if self.field.is_some_and(|field| field.repeated) {
            Some("The listed documents have several of these values, so they give them no order.")
        } else {
            None
        }
    }
}

/// How a `schema.json` has a path of a node's documents searched.
fn declared<'a>(fields: &'a FieldIndex, node: NodeId, path: &str) -> Option<Declared<'a>> {
    let document = fields.document_at(node);
    let rules: &SearchRules = document.map_or(fields.rules(), |document| &document.search);
    rules.declared.as_ref()?;
    let search = rules.declared(path);
    let forms = search.into_iter().flat_map(|it| [&it.whole, &it.order, &it.words]);
    let names = forms.flatten().filter_map(|form| form.joined.as_deref());
    let joined = names.filter_map(|name| {
        let document = document?;
        let field = document.fields.iter().find(|field| field.path == name)?;
        Some((name, field.value(node, document.column)))
    });
    Some(Declared { search, joined: joined.collect() })
}

/// A value, folded.
pub(super) fn folded(value: Expr, fold: Option<Fold>) -> Expr {
    match fold {
        Some(fold) => Expr::Function(fold.name(), vec![value]),
        None => value,
    }
}

/// A value is not NULL; of related documents, that of some one.
pub(super) fn defined(value: Expr) -> Expr {
    if node(&value) == 0 {
        return Expr::IsNull(Box::new(value)).negated();
    }
    let pattern = Box::new(Expr::operand(Value::Text("%".to_owned()), &Type::Text));
    Expr::Like { operand: Box::new(value), pattern, ignore_case: false }
}

/// The node of the related documents of this name: that of their key.
fn related_node(fields: &FieldIndex, name: &str) -> Option<NodeId> {
    let key = format!("{name}.{KEY}");
    let field = fields.find(&key).filter(|field| field.path == key)?;
    Some(node(&field.value)).filter(|node| !fields.is_merged(*node))
}

fn node(value: &Expr) -> NodeId {
    value.first_field().map_or(0, |field| field.column_at(0).node)
}

/// Where in a stored document the value of a field is.
fn inside(fields: &FieldIndex, field: &Field) -> Option<FieldRef> {
    match &field.value {
        Expr::Field(reference) | Expr::Extracted(reference, _) if !reference.path.is_empty() => {
            Some(reference.clone())
        }
        Expr::Field(reference) => {
            let node = reference.column_at(0).node;
            let document = fields.document_at(node)?;
            let mut known = document.fields.iter();
            let known = known.find(|known| known.column == Some(reference.column))?;
            Some(FieldRef {
                scope: Scope::Node(node),
                column: document.column,
                path: known.steps(),
            })
        }
        _ => None,
    }
}

/// The negation of a condition on a value. Of related documents some one has to fail it, which is one condition
/// on a row.
pub(super) fn negated(target: &SearchedValue<'_>, expr: Expr) -> Expr {
    match target.is_related() {
        false => expr.negated(),
        true => Expr::compare(Compare::Eq, expr, Expr::Literal(Value::Bool(false))),
    }
}
