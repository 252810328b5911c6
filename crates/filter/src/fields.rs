//! The fields of a resource by name, as a request may spell them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use duet_model::shape::{Field, FlexField, NAME_CONFLICTS};
use duet_model::{
    Cardinality, Code, CollectionDocument, ColumnRef, DocumentField, DocumentStyle, Error, Expr,
    IndexKind, MemberKind, NodeId, Result, SearchRules, Shape, Type,
};
use duet_text::name::nearest;

use duet_text::problem::{did_you_mean, quoted};

/// The visible fields of a shape by path. Built once for a resource, then shared.
#[derive(Clone, Debug)]
pub struct FieldIndex {
    resource: String,
    fields: Vec<Field>,
    exact: HashMap<String, usize>,
    folded: HashMap<String, Folded>,
    /// The objects and arrays on the paths of fields, by folded path.
    objects: HashMap<String, Object>,
    /// The flex columns by the folded path of their object; the root's is empty.
    flexes: HashMap<String, FlexField>,
    /// The columns with a full-text index.
    words: HashSet<ColumnRef>,
    /// For each node whether it has a row.
    rows: Vec<Expr>,
    /// The nodes whose fields have names of their own: the root, and what is joined to it.
    merged: Vec<NodeId>,
    /// The stored documents by their nodes.
    documents: Vec<(NodeId, CollectionDocument)>,
    /// The rules of a collection's searches.
    rules: Arc<SearchRules>,
    /// The form in which documents are given, whose rules filters follow.
    style: DocumentStyle,
}

/// Which field a path without case names.
#[derive(Clone, Copy, Debug)]
enum Folded {
    One(usize),
    /// Two fields that differ in case only.
    Ambiguous(usize, usize),
}

/// An object or array of the document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// Whether every field below it is in an array.
    pub(crate) repeated: bool,
    /// A field below it.
    example: usize,
}

impl FieldIndex {
    /// Collects the fields of a shape.
    pub fn new(shape: &Shape) -> Self {
        let mut index = Self {
            resource: shape.name.clone(),
            style: shape.style,
            fields: shape.fields(),
            exact: HashMap::new(),
            folded: HashMap::new(),
            objects: HashMap::new(),
            flexes: shape
                .flex_fields()
                .into_iter()
                .map(|flex| (flex.field.path.to_lowercase(), flex))
                .collect(),
            words: HashSet::new(),
            rows: (0..shape.nodes.len()).map(|node| row_exists(shape, node)).collect(),
            merged: merged(shape, 0),
            documents: documents_of(shape),
            rules: shape
                .document()
                .map(|document| Arc::clone(&document.search))
                .unwrap_or_default(),
        };
        index.words = words_of(shape, &index.fields);
        for (position, field) in index.fields.iter().enumerate() {
            index.exact.entry(field.path.clone()).or_insert(position);
            let folded = field.path.to_lowercase();
            for (dot, _) in folded.match_indices('.') {
                let object = index
                    .objects
                    .entry(folded[..dot].to_owned())
                    .or_insert(Object { repeated: true, example: position });
                object.repeated &= field.repeated;
            }
            index
                .folded
                .entry(folded)
                .and_modify(|known| {
                    if let Folded::One(first) = *known {
                        *known = Folded::Ambiguous(first, position);
                    }
                })
                .or_insert(Folded::One(position));
        }
        index
    }

    /// The form in which documents are given.
    pub(crate) fn style(&self) -> DocumentStyle {
        self.style
    }

    /// The same for the groups of a resource, as errors name them.
    pub(crate) fn of_groups(self) -> Self {
        Self { resource: format!("A group of {}", self.resource), ..self }
    }

    /// Whether a full-text index of the database defines the words of a field.
    pub(crate) fn has_words(&self, field: &Field) -> bool {
        field.value.whole_column().is_some_and(|column| self.words.contains(&column))
    }

    /// Whether there is a row that a value belongs to: always for values of the root.
    pub(crate) fn row_exists(&self, value: &Expr) -> Expr {
        let node = value.first_field().map_or(0, |field| field.column_at(0).node);
        self.rows.get(node).cloned().unwrap_or_else(Expr::all)
    }

    /// Whether the fields of a node are named like the document's own: not below a name of related documents.
    pub(crate) fn is_merged(&self, node: NodeId) -> bool {
        self.merged.contains(&node)
    }

    /// The rules of a collection's searches; of other resources those that say nothing.
    pub(crate) fn rules(&self) -> &SearchRules {
        &self.rules
    }

    /// The stored document of a node, where it is of a collection.
    pub(crate) fn document_at(&self, node: NodeId) -> Option<&CollectionDocument> {
        self.documents.iter().find(|(of, _)| *of == node).map(|(_, document)| document)
    }

    /// Whether a collection declares an index of the field's values in their order.
    pub(crate) fn has_ordered_index(&self, field: &Field) -> bool {
        self.has_declared(field, IndexKind::is_ordered)
    }

    /// Whether a collection declares an index of the trigrams of the field's texts.
    pub(crate) fn has_trigrams(&self, field: &Field) -> bool {
        !field.repeated && self.has_declared(field, IndexKind::has_trigrams)
    }

    /// Whether a collection declares an index of the words of the field's texts.
    pub(crate) fn has_word_index(&self, field: &Field) -> bool {
        !field.repeated && self.has_declared(field, |kind| kind == IndexKind::FullText)
    }

    fn has_declared(&self, field: &Field, is_it: fn(IndexKind) -> bool) -> bool {
        if matches!(field.ty, Type::Pair(_)) {
            return false;
        }
        let Some(at) = field.value.first_field() else { return false };
        let Some(document) = self.document_at(at.column_at(0).node) else { return false };
        let is_own = |known: &DocumentField| match at.path.is_empty() {
            true => known.column == Some(at.column),
            false => known.column.is_none() && known.steps() == at.path,
        };
        let own = document.fields.iter().find(|known| is_own(known));
        own.is_some_and(|own| {
            let indexes = document.indexes.iter().filter(|index| index.field.path == own.path);
            indexes.into_iter().any(|index| is_it(index.kind))
        })
    }

    /// All fields, in document order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field of this path: exactly so spelled, else without case where only one field
    /// matches. Steps are joined by dots, array steps implied.
    pub fn find(&self, path: &str) -> Option<&Field> {
        if let Some(&position) = self.exact.get(path) {
            return self.fields.get(position);
        }
        match self.folded.get(&path.to_lowercase()) {
            Some(Folded::One(position)) => self.fields.get(*position),
            _ => None,
        }
    }

    /// What a path means inside a JSON column: the column whose path is the longest beginning of it,
    /// or the flex column of the object that it begins with. Steps inside JSON are matched exactly.
    pub fn inside(&self, path: &str) -> Option<Field> {
        let steps = |rest: &str| -> Vec<String> { rest.split('.').map(str::to_owned).collect() };
        let named = |field: &Field, names| Some(field.inside(path, names));
        let member = |flex: &FlexField, mut steps: Vec<String>| {
            if steps.len() > 1 && steps[0] == NAME_CONFLICTS {
                steps.remove(0);
            } else if flex.taken.contains(&steps[0]) {
                return None;
            }
            named(&flex.field, steps)
        };
        for (dot, _) in path.rmatch_indices('.') {
            let (column, rest) = (&path[..dot], &path[dot + 1..]);
            if let Some(field) = self.find(column).filter(|field| field.json().is_some()) {
                return named(field, steps(rest));
            }
            if let Some(flex) = self.flexes.get(&column.to_lowercase()) {
                return member(flex, steps(rest));
            }
            if self.find(column).is_some() || self.object(column).is_some() {
                return None;
            }
        }
        let is_object = self.object(path).is_some();
        self.flexes.get("").filter(|_| !is_object).and_then(|flex| member(flex, steps(path)))
    }

    /// The field of this path, as [`Self::find`].
    ///
    /// # Errors
    /// [`Code::FilterField`] with the nearest path as a hint, without a place.
    pub fn resolve(&self, path: &str) -> Result<&Field> {
        self.find(path).ok_or_else(|| self.unknown(path))
    }

    /// The path closest to one that does not exist: for a single name the path that ends in it,
    /// if there is one, else the closest by spelling.
    pub fn nearest(&self, path: &str) -> Option<&str> {
        let paths = || self.fields.iter().map(|field| field.path.as_str());
        let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_lowercase();
        let wanted = last(path);
        let same_end = || paths().find(|path| last(path) == wanted);
        if path.contains('.') {
            nearest(path, paths()).or_else(same_end)
        } else {
            same_end().or_else(|| nearest(path, paths()))
        }
    }

    /// The object or array of this path, without case.
    pub(crate) fn object(&self, path: &str) -> Option<Object> {
        self.objects.get(&path.to_lowercase()).copied()
    }

    /// A path that leads through an object.
    pub(crate) fn example(&self, object: Object) -> &str {
        self.fields.get(object.example).map_or("", |field| field.path.as_str())
    }

    /// The generated member that holds JSON and is a beginning of this path.
    fn computed_json(&self, path: &str) -> Option<&Field> {
        let columns = path.rmatch_indices('.').map(|(dot, _)| &path[..dot]);
        let mut fields = columns.filter_map(|column| self.find(column));
        fields.find(|field| field.ty == Type::Json && field.json().is_none())
    }

    /// The error for a path that names no field.
    pub(crate) fn unknown(&self, path: &str) -> Error {
        if let Some(Folded::Ambiguous(a, b)) = self.folded.get(&path.to_lowercase()) {
            let paths = [a, b].map(|&at| quoted(&self.fields[at].path));
            let message =
                format!("{} can be {} or {}; spell it exactly.", quoted(path), paths[0], paths[1]);
            return Error::new(Code::FilterField, message);
        }
        if let Some(object) = self.object(path) {
            let message = format!(
                "{} is an object or array; name one of its fields, such as {}.",
                quoted(path),
                quoted(self.example(object))
            );
            return Error::new(Code::FilterField, message);
        }
        if let Some(computed) = self.computed_json(path) {
            let message = format!(
                "{} is computed; values inside it cannot be named.",
                quoted(&computed.path)
            );
            return Error::new(Code::FilterField, message);
        }
        let message = format!("{} has no field {}.", self.resource, quoted(path));
        Error::new(Code::FilterField, message).maybe_hint(self.nearest(path).map(did_you_mean))
    }
}

/// Whether a node has a row: one whose joined column has a value, as all have.
fn row_exists(shape: &Shape, node: NodeId) -> Expr {
    let link = shape.nodes[node].link.as_ref();
    let Some(column) = link.and_then(|link| link.child_columns.first().copied()) else {
        return Expr::all();
    };
    let exists = Expr::IsNull(Box::new(ColumnRef { node, column }.into())).negated();
    let links = std::iter::successors(link, |link| shape.nodes[link.parent].link.as_ref());
    let is_one = links.into_iter().all(|link| link.cardinality == Cardinality::One);
    if is_one { exists } else { Expr::SameRow(Box::new(exists)) }
}

/// A node and those whose fields are named like its own.
fn merged(shape: &Shape, node: NodeId) -> Vec<NodeId> {
    let below = shape.nodes[node].members.iter().filter_map(|member| match member.kind {
        MemberKind::Unnest(child) => Some(child),
        MemberKind::Related(child) if member.name.is_empty() => Some(child),
        _ => None,
    });
    std::iter::once(node).chain(below.flat_map(|child| merged(shape, child))).collect()
}

/// The stored documents of a shape by their nodes.
fn documents_of(shape: &Shape) -> Vec<(NodeId, CollectionDocument)> {
    let nodes = 0..shape.nodes.len();
    nodes.filter_map(|node| Some((node, shape.document_of(node)?.clone()))).collect()
}

/// The columns of fields with a full-text index, or that are one.
fn words_of(shape: &Shape, fields: &[Field]) -> HashSet<ColumnRef> {
    let has_words = |column: &ColumnRef| {
        let table = &shape.nodes[column.node].table;
        table.words_of(column.column).is_some() || shape.column(*column).words.is_some()
    };
    fields.iter().filter_map(|field| field.value.whole_column()).filter(has_words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;

    #[test]
    fn finds_exactly_then_without_case() {
        let index = FieldIndex::new(&sample::shape());
        assert_eq!(index.find("points").map(|field| &*field.path), Some("points"));
        assert_eq!(index.find("POINTS").map(|field| &*field.path), Some("points"));
        assert_eq!(index.find("Driver.Name").map(|field| &*field.path), Some("driver.name"));
        assert_eq!(index.find("Twin").map(|field| &*field.path), Some("Twin"));
        assert_eq!(index.find("twin"), None);
        assert!(index.resolve("twin").unwrap_err().message.contains("`Twin` or `TWIN`"));
        assert!(index.find("driver").is_none());
        assert!(index.resolve("Driver").unwrap_err().message.contains("driver.name"));
    }

    #[test]
    fn suggests_names() {
        let index = FieldIndex::new(&sample::shape());
        assert_eq!(index.nearest("pionts"), Some("points"));
        assert_eq!(index.nearest("team.laps"), Some("driver.laps"));
        assert_eq!(index.nearest("something else"), None);
    }

    #[test]
    fn can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<FieldIndex>();
    }
}
