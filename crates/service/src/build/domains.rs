//! Columns of domains whose values have a form of their own in JSON, in profiles that follow the casts of domains: the
//! database shows, reads and compares them by the functions of these casts.

use std::borrow::Cow;
use std::sync::Arc;

use duet_model::{Catalog, Column, Comparability, NativeType, Relation, Type};

/// The catalog with such columns of a schema's relations. Columns of keys and of references stay as they are.
pub(super) fn with<'c>(mut catalog: Cow<'c, Catalog>, schema: &str) -> Cow<'c, Catalog> {
    for place in 0..catalog.relations.len() {
        let relation = &catalog.relations[place];
        if relation.schema != schema {
            continue;
        }
        let shown = shown_columns(relation);
        if shown.is_empty() {
            continue;
        }
        let relation = Arc::make_mut(&mut catalog.to_mut().relations[place]);
        for column in shown {
            let column = &mut relation.columns[column];
            column.ty = type_of(column);
        }
        // Rows of several requests come as arrays of plain values.
        relation.batchable = false;
    }
    catalog
}

/// The columns that have casts, and link no rows.
fn shown_columns(relation: &Relation) -> Vec<usize> {
    let links = |at: &usize| {
        relation.identity().contains(at)
            || relation.links.contains(at)
            || relation.unique_keys.iter().any(|key| key.columns.contains(at))
            || relation.foreign_keys.iter().any(|key| key.columns.contains(at))
    };
    let all = relation.columns.iter().enumerate();
    let cast = all.filter(|(_, column)| column.casts.is_some()).map(|(at, _)| at);
    cast.filter(|at| !links(at)).collect()
}

/// The type of a column with casts: its values compare as those of its base type.
fn type_of(column: &Column) -> Type {
    let comparison =
        if column.ty == Type::Json { Comparability::None } else { Comparability::Order };
    let (cast, casts) = (column.declared.clone(), column.casts.clone());
    Type::Native(Arc::new(NativeType { cast, comparison, casts }))
}

#[cfg(test)]
mod tests {
    use duet_model::DomainCasts;

    use super::*;

    #[test]
    fn keys_stay_as_they_are() {
        let casts = DomainCasts { to_json: "s.j".into(), from_json: None, from_text: None };
        let column = |name| Column {
            casts: Some(Arc::new(casts.clone())),
            ..Column::new(name, Type::Integer { bits: 32 })
        };
        let table = Relation::table("s", "t", vec![column("id"), column("color")]);
        let table = Relation { primary_key: vec![0], batchable: true, ..table };
        let relations = vec![Arc::new(table)];
        let catalog = Catalog { relations, ..Catalog::default() };
        let changed = with(Cow::Borrowed(&catalog), "s");
        let table = &changed.relations[0];
        assert_eq!(table.columns[0].ty, Type::Integer { bits: 32 });
        assert!(table.columns[1].ty.domain_casts().is_some() && !table.batchable);
        assert!(matches!(with(Cow::Borrowed(&catalog), "other"), Cow::Borrowed(_)));
    }
}
