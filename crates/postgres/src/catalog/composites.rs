//! The composite types that functions give: the attributes of each, found from the results of functions on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use duet_model::{Attribute, Type};
use tokio_postgres::{Error, Row};

use super::CatalogReader;
use super::types::Types;

/// The types that functions give, and the types that those consist of: element, base type, attributes. A row for each
/// attribute of a composite one, and one without attribute for each array and domain.
const QUERY: &str = "
WITH RECURSIVE reached(oid) AS (
  SELECT DISTINCT result.oid
    FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
   CROSS JOIN LATERAL unnest(coalesce(p.proallargtypes, '{}'::oid[]) || p.prorettype) AS result(oid)
   WHERE p.prokind IN ('f', 'p') AND result.oid <> 0
     AND CASE WHEN $1::text[] IS NULL
              THEN n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'duet')
              ELSE n.nspname = ANY ($1) AND n.nspname <> 'duet' END
  UNION
  SELECT part.oid
    FROM reached r
    JOIN pg_catalog.pg_type t ON t.oid = r.oid
   CROSS JOIN LATERAL (
     SELECT t.typelem WHERE t.typcategory = 'A' AND t.typelem <> 0
     UNION ALL SELECT t.typbasetype WHERE t.typbasetype <> 0
     UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
                WHERE t.typrelid <> 0 AND a.attrelid = t.typrelid AND a.attnum > 0
                  AND NOT a.attisdropped) AS part(oid))
SELECT t.oid, t.typtype::text, CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END, t.typbasetype,
       a.attname::text, a.atttypid, a.atttypmod, t.typrelid
  FROM reached r
  JOIN pg_catalog.pg_type t ON t.oid = r.oid
  LEFT JOIN pg_catalog.pg_attribute a
    ON t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE t.typtype IN ('c', 'd') OR t.typcategory = 'A'
 ORDER BY t.oid, a.attnum";

/// Composite values inside each other; what is deeper is text.
const DEEPEST: usize = 16;

/// The composite types, and the arrays and domains that lead to them.
#[derive(Default)]
pub(super) struct Composites {
    by_id: HashMap<u32, Reached>,
    /// The relations whose rows these are.
    pub(super) relations: HashSet<u32>,
}

#[derive(Default)]
struct Reached {
    is_composite: bool,
    /// The type of the elements of an array.
    element: u32,
    /// The type below a domain.
    base: u32,
    /// Names, types and type modifiers.
    attributes: Vec<(String, u32, i32)>,
}

impl Composites {
    pub(super) async fn read(source: &CatalogReader<'_>) -> Result<Self, Error> {
        let (mut by_id, mut relations) = (HashMap::<u32, Reached>::new(), HashSet::new());
        let take = |row: &Row| {
            relations.insert(row.try_get(7)?);
            let reached = by_id.entry(row.try_get(0)?).or_default();
            reached.is_composite = row.try_get::<_, String>(1)? == "c";
            (reached.element, reached.base) = (row.try_get(2)?, row.try_get(3)?);
            if let Some(name) = row.try_get::<_, Option<String>>(4)? {
                reached.attributes.push((name, row.try_get(5)?, row.try_get(6)?));
            }
            Ok(())
        };
        source.each(QUERY, take).await?;
        Ok(Self { by_id, relations })
    }

    /// The type of a result or of an output argument.
    pub(super) fn resolve(&self, types: &Types, id: u32) -> Type {
        self.within(types, id, -1, DEEPEST)
    }

    fn within(&self, types: &Types, id: u32, modifier: i32, depth: usize) -> Type {
        let plain = || types.resolve(id, modifier).ty;
        let Some((reached, depth)) = self.by_id.get(&id).zip(depth.checked_sub(1)) else {
            return plain();
        };
        if reached.is_composite {
            let attribute = |(name, id, modifier): &(String, u32, i32)| Attribute {
                name: name.clone(),
                ty: self.within(types, *id, *modifier, depth),
            };
            let attributes: Vec<Attribute> = reached.attributes.iter().map(attribute).collect();
            return Type::Composite(Arc::from(attributes));
        }
        let inner = if reached.element == 0 { reached.base } else { reached.element };
        match self.within(types, inner, -1, depth) {
            inner if !inner.has_attributes() => plain(),
            inner if reached.element == 0 => inner,
            inner => Type::Array(Box::new(inner)),
        }
    }
}
