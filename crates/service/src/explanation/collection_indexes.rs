//! Which declared index of a collection serves a condition on its documents.

use duet_model::catalog::{Index, IndexedPart};
use duet_model::{
    CollectionDocument, CollectionIndex, Compare, DocumentField, Expr, FieldRef, IndexCondition,
    IndexKind, JsonTest, Relation, TextTest, Type, Value,
};
use duet_sql::{Dialect, FOLDED_LIST, literal_prefix};
use duet_text::Fold;

/// Why a pattern is not served.
const SHORT: &str =
    "no index: a part of less than three characters is looked for in every document";

/// The index that serves a condition of a filter; or that there is none, and what to declare. `None` where the condition is on
/// no value of a document.
pub(crate) fn serves(
    document: &CollectionDocument,
    table: &Relation,
    expr: &Expr,
    filter: &Expr,
    dialect: &dyn Dialect,
) -> Option<Result<String, String>> {
    if let Expr::Json(field, test) = expr {
        return elements(document, table, field, test, dialect);
    }
    let served = by_value(document, table, expr, filter, dialect)?;
    // The condition of an index is served by it, though no index is of its value.
    let of_condition = |index: &&CollectionIndex| {
        let has = |it: &IndexCondition| it.all.contains(&document.canonical(expr));
        index.condition.as_ref().is_some_and(has)
            && document.is_covered(index, filter)
            && index.is_in(table)
    };
    Some(served.or_else(|why| {
        let found = document.indexes.iter().find(of_condition);
        found.map(|index| format!("index {}", index.shown(&table.name))).ok_or(why)
    }))
}

/// The same by an index of the condition's own value.
fn by_value(
    document: &CollectionDocument,
    table: &Relation,
    expr: &Expr,
    filter: &Expr,
    dialect: &dyn Dialect,
) -> Option<Result<String, String>> {
    let operand = *expr.parts().first()?;
    let (value, fold) = match operand {
        pair if document.field_of(pair).is_some() => (pair, None),
        Expr::Function(name, arguments) => (arguments.first()?, Fold::named(name)),
        value => (value, None),
    };
    let field = document.field_of(value)?;
    let kinds = kinds(expr, dialect);
    if kinds.is_empty() && matches!(expr, Expr::Like { .. }) {
        return Some(Err(SHORT.to_owned()));
    }
    if kinds.is_empty() {
        return Some(Err("no index: such a condition reads every document".to_owned()));
    }
    let serving = |index: &&CollectionIndex| {
        index.field.path == field.path
            && kinds.contains(&dialect.collection_kind(index.kind))
            && index.holds(fold)
            && (document.is_covered(index, filter) || !dialect.has_conditions(index.kind))
    };
    let serving: Vec<_> = document.indexes.iter().filter(serving).collect();
    // A smaller index is read instead of a larger one.
    let partial = serving.iter().find(|index| index.condition.is_some() && index.is_in(table));
    let found = partial.or(serving.first());
    let is_equality = match expr {
        Expr::Compare(operator, ..) => *operator == Compare::Eq,
        Expr::In(_, list) => list.len() <= FOLDED_LIST,
        _ => false,
    };
    if found.is_none()
        && is_equality
        && let Some(folded) = document.folded_index(operand, table)
    {
        return Some(Ok(format!("index {}", folded.name(&table.name))));
    }
    let Some(found) = found else {
        // Keys and references are columns with indexes of their own, and so are values on SQLite.
        let is_indexed =
            |column| table.indexes.iter().any(|it| it.columns.first() == Some(&column));
        if fold.is_none() && field.column.is_some_and(is_indexed) {
            return None;
        }
        let (name, _) = IndexKind::NAMES.into_iter().find(|(_, kind)| *kind == kinds[0])?;
        let path = &field.path;
        return Some(Err(format!("no index; declare {name} = [{path:?}] for the collection")));
    };
    let name = found.name(&table.name);
    let is_it = |index: &&Index| {
        let holds = match index.part {
            // One of an earlier declaration may leave out of texts what counts now.
            Some(IndexedPart::Search { fold: without, .. }) => without == fold,
            Some(IndexedPart::Pair { ref pair, .. }) => {
                matches!(&field.ty, Type::Pair(declared) if **declared == *pair)
            }
            _ => true,
        };
        index.name == name && holds
    };
    Some(match table.indexes.iter().any(|index| is_it(&index)) {
        true => Ok(format!("index {}", found.shown(&table.name))),
        false => Err(format!(
            "index {name} is declared and does not exist; run `duet collection prepare`"
        )),
    })
}

/// The index that has the elements of an array; `None` where other rules say what serves.
fn elements(
    document: &CollectionDocument,
    table: &Relation,
    field: &FieldRef,
    test: &JsonTest,
    dialect: &dyn Dialect,
) -> Option<Result<String, String>> {
    if field.column != document.column || !dialect.has_collection_index(IndexKind::Elements) {
        return None;
    }
    if let Some(index) = document.elements_index(&field.path, table).filter(|_| test.is_equality())
    {
        return Some(Ok(format!("index {}", index.name(&table.name))));
    }
    let is_it = |known: &&DocumentField| known.repeated && known.steps() == field.path;
    let known = document.fields.iter().find(is_it).filter(|_| test.is_equality())?;
    // One of all values in the documents serves too.
    let has_all =
        |index: &Index| index.method == "gin" && index.columns.first() == Some(&document.column);
    let missing = !table.indexes.iter().any(has_all);
    missing.then(|| Err(format!("no index; declare array = [{:?}] for the collection", known.path)))
}

/// The kinds of indexes that serve a condition, the one to declare first.
fn kinds(expr: &Expr, dialect: &dyn Dialect) -> Vec<IndexKind> {
    let there = |kind: IndexKind| dialect.has_collection_index(kind).then_some(kind);
    let trigrams = |pattern| {
        let kinds = IndexKind::all(IndexKind::has_trigrams).filter_map(there);
        kinds.filter(|_| dialect.finds_parts(pattern)).collect::<Vec<_>>()
    };
    match expr {
        Expr::Compare(Compare::Ne, ..) => Vec::new(),
        Expr::Compare(Compare::Eq, ..) | Expr::In(..) => {
            IndexKind::all(IndexKind::finds_values).collect()
        }
        Expr::Compare(..) | Expr::Between(..) => IndexKind::all(IndexKind::finds_ranges).collect(),
        Expr::Like { pattern, .. } => match &**pattern {
            Expr::Operand(Value::Text(text), _) if !literal_prefix(text).is_empty() => {
                IndexKind::all(IndexKind::finds_prefixes).chain(trigrams(text)).collect()
            }
            Expr::Operand(Value::Text(text), _) => trigrams(text),
            _ => Vec::new(),
        },
        Expr::Search(_, TextTest::Similar(_)) if dialect.finds_similar() => {
            [IndexKind::Nearest, IndexKind::Trigram].into_iter().filter_map(there).collect()
        }
        Expr::Search(_, TextTest::Range(..)) => there(IndexKind::Range).into_iter().collect(),
        Expr::Search(_, TextTest::InArea(_)) => there(IndexKind::Point).into_iter().collect(),
        Expr::Search(_, TextTest::Lexemes(_)) => there(IndexKind::FullText).into_iter().collect(),
        _ => Vec::new(),
    }
}
