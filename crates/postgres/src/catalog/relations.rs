//! Tables and views with their columns.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use duet_model::catalog::{
    Check, Column, Effects, GeneratedValue, Placement, Relation, RelationKind, RelationName,
    Withheld,
};
use duet_model::{Comparability, Type, steps};
use duet_store::catalog::{listed, unwrapped};
use tokio_postgres::{Error, Row};

use super::types::{Types, configuration_of};
use super::{CatalogReader, SEEN};

/// A partitioned table has no estimate of its own: its leaves have.
const RELATIONS: &str = "
SELECT s.oid, s.nspname::text, s.relname::text, s.relkind::text, s.may_enter,
       CASE WHEN s.relkind = 'p' AND s.reltuples <= 0
            THEN (SELECT sum(l.reltuples) FILTER (WHERE l.reltuples >= 0)
                    FROM pg_catalog.pg_partition_tree(s.oid) p
                    JOIN pg_catalog.pg_class l ON l.oid = p.relid WHERE p.isleaf)
            ELSE s.reltuples END::float8 AS estimate,
       d.description,
       s.relkind IN ('r', 'p') AND coalesce(f.enabled, 0) & 4 = 0
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint c
                        WHERE c.conrelid = s.oid AND c.condeferrable)
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = s.oid) AS batchable,
       s.relkind = 'r' AND NOT t.relrowsecurity AND NOT t.relhassubclass AND NOT t.relhasrules
       AND coalesce(f.declared, 0) & 16 = 0 AS plain,
       t.relispopulated, {rights}
  FROM seen s
  JOIN pg_catalog.pg_class t ON t.oid = s.oid
  LEFT JOIN fired f ON f.relid = s.oid
  LEFT JOIN pg_catalog.pg_description d
    ON d.objoid = s.oid AND d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
 ORDER BY s.nspname, s.relname";

const COLUMNS: &str = "
SELECT a.attrelid, a.attnum, a.attname::text, a.atttypid, a.atttypmod,
       pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
       a.attidentity <> '' AS identity, a.attgenerated <> '' AS computed,
       pg_catalog.pg_get_expr(v.adbin, v.adrelid) AS expression,
       coalesce(NOT c.collisdeterministic, false) AS loose,
       s.may_read OR has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS readable,
       d.description
  FROM seen s
  JOIN pg_catalog.pg_attribute a ON a.attrelid = s.oid
  LEFT JOIN pg_catalog.pg_attrdef v ON v.adrelid = a.attrelid AND v.adnum = a.attnum
  LEFT JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation
  LEFT JOIN pg_catalog.pg_description d
    ON d.objoid = a.attrelid AND d.classoid = 'pg_catalog.pg_class'::regclass
   AND d.objsubid = a.attnum
 WHERE a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attrelid, a.attnum";

/// Whether the user, or a role that it may take, has a privilege on a table or on a column of it.
fn may(privilege: &str) -> String {
    let of_columns = match privilege {
        // There is none on columns.
        "DELETE" => String::new(),
        _ => format!(
            " OR has_any_column_privilege(s.oid, '{privilege}')
         OR EXISTS (SELECT FROM pg_catalog.pg_attribute c, aclexplode(c.attacl) a
                     WHERE c.attrelid = s.oid AND c.attacl IS NOT NULL AND a.privilege_type = '{privilege}'
                       AND a.grantee <> 0 AND pg_has_role(a.grantee, 'MEMBER'))"
        ),
    };
    format!(
        "(has_table_privilege(s.oid, '{privilege}')
         OR EXISTS (SELECT FROM aclexplode(t.relacl) a WHERE a.privilege_type = '{privilege}'
                       AND a.grantee <> 0 AND pg_has_role(a.grantee, 'MEMBER')){of_columns})"
    )
}

fn relations_query() -> String {
    let rights = ["INSERT", "UPDATE", "DELETE"].map(may).join(", ");
    format!("{SEEN}{}", RELATIONS.replace("{rights}", &rights))
}

/// The relations while they are put together.
pub(super) struct Relations {
    /// In the order of schema and name.
    drafts: Vec<Draft>,
    by_id: HashMap<u32, usize>,
}

/// One relation, with the facts that only reading needs.
pub(super) struct Draft {
    /// Its number in the system catalogs.
    id: u32,
    pub(super) relation: Relation,
    may_enter: bool,
    /// Position of each column by its number in the system catalogs.
    positions: HashMap<i16, usize>,
    /// Columns without the privilege to read them.
    unreadable: Vec<String>,
    /// False for a materialized view that was never filled.
    populated: bool,
    /// A key WITHOUT OVERLAPS, by its name.
    pub(super) over_periods: Option<String>,
}

impl Draft {
    /// The position of a column by its number; `None` for expressions and unreadable columns.
    pub(super) fn position(&self, number: i16) -> Option<usize> {
        self.positions.get(&number).copied()
    }

    /// The positions of all these columns, if every one exists.
    pub(super) fn positions(&self, numbers: &[i16]) -> Option<Vec<usize>> {
        numbers.iter().map(|&number| self.position(number)).collect()
    }

    /// Whether a statement can find rows by these columns. The operators of enums take no domains over them.
    pub(super) fn finds_rows_by(&self, columns: &[usize]) -> bool {
        let is_domain_over_enum = |column: &Column| match &column.ty {
            Type::Native(native) => {
                native.comparison == Comparability::None && native.cast != column.declared
            }
            _ => false,
        };
        !columns.iter().any(|&at| is_domain_over_enum(&self.relation.columns[at]))
    }

    fn take_column(&mut self, row: &Row, types: &Types) -> Result<(), Error> {
        let name: String = row.try_get(2)?;
        if !row.try_get::<_, bool>(11)? {
            self.unreadable.push(name);
            return Ok(());
        }
        let resolved = types.resolve(row.try_get(3)?, row.try_get(4)?);
        let expression: Option<String> = row.try_get(9)?;
        let generated = generated(row.try_get(7)?, row.try_get(8)?, expression.as_deref());
        let words = expression.as_deref().and_then(configuration_of);
        let declared: String = row.try_get(5)?;
        let ty = resolved.column_type(&declared);
        let declared = resolved.compared_as.unwrap_or(declared);
        for (check, condition) in resolved.checks {
            let condition = with_value(unwrapped(&condition), &name);
            self.relation.checks.push(Check { name: check, condition });
        }
        self.positions.insert(row.try_get(1)?, self.relation.columns.len());
        self.relation.columns.push(Column {
            declared,
            not_null: row.try_get::<_, bool>(6)? || resolved.not_null,
            default: match generated {
                // The expression of a computed column is no default.
                GeneratedValue::Computed => None,
                GeneratedValue::No | GeneratedValue::Identity => expression.or(resolved.default),
            },
            generated,
            loose_equality: row.try_get::<_, bool>(10)? || resolved.loose_equality,
            ranges: resolved.ranges,
            casts: resolved.casts,
            words,
            comment: row.try_get(12)?,
            ..Column::new(name, ty)
        });
        Ok(())
    }
}

impl Relations {
    pub(super) async fn read(source: &CatalogReader<'_>, types: &Types) -> Result<Self, Error> {
        let mut relations = Self { drafts: Vec::new(), by_id: HashMap::new() };
        let take = |row: &Row| {
            relations.by_id.insert(row.try_get(0)?, relations.drafts.len());
            relations.drafts.push(draft(row)?);
            Ok(())
        };
        source.each(&relations_query(), take).await?;
        let take = |row: &Row| match relations.of(row.try_get(0)?) {
            Some(draft) => draft.take_column(row, types),
            None => Ok(()),
        };
        source.each(&format!("{SEEN}{COLUMNS}"), take).await?;
        Ok(relations)
    }

    /// The relation of an object id.
    pub(super) fn of(&mut self, id: u32) -> Option<&mut Draft> {
        self.by_id.get(&id).and_then(|&at| self.drafts.get_mut(at))
    }

    /// The relations with what there is to say of each.
    pub(super) fn finish(self) -> Vec<Entry> {
        self.drafts.into_iter().map(Draft::finish).collect()
    }
}

impl Draft {
    fn finish(mut self) -> Entry {
        steps::step();
        let Relation { schema, name, columns, .. } = &self.relation;
        let mut entry = Entry {
            id: self.id,
            name: RelationName { schema: schema.clone(), name: name.clone() },
            relation: None,
            notes: Vec::new(),
            is_forbidden: false,
        };
        if !self.may_enter || (columns.is_empty() && !self.unreadable.is_empty()) {
            entry.is_forbidden = true;
            return entry;
        }
        if columns.is_empty() {
            entry.notes.push(format!("table {schema}.{name} is left out: it has no column"));
            return entry;
        }
        if !self.unreadable.is_empty() {
            let columns = listed(&self.unreadable);
            entry.notes.push(format!(
                "table {schema}.{name}: left out for lack of the privilege to read: {columns}"
            ));
        }
        if let Some(key) = self.over_periods.filter(|_| self.relation.identity().is_empty()) {
            entry.notes.push(format!(
                "table {schema}.{name} is served without items: its key {key} is WITHOUT OVERLAPS, so equal values do not name one row. Give the table `key` in app.toml, or a primary key of plain columns"
            ));
        }
        if !self.populated {
            entry.notes.push(format!(
                "materialized view {schema}.{name} holds no data yet: run REFRESH MATERIALIZED VIEW"
            ));
        }
        self.relation.checks.sort_by(|a, b| a.name.cmp(&b.name));
        // They have grown one by one, and are kept.
        self.relation.columns.shrink_to_fit();
        entry.relation = Some(Arc::new(self.relation));
        entry
    }
}

/// A relation that was looked at.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its number in the system catalogs.
    pub(super) id: u32,
    pub(super) name: RelationName,
    /// `None` where it cannot be served.
    pub(super) relation: Option<Arc<Relation>>,
    /// What there is to say of it.
    pub(super) notes: Vec<String>,
    /// Whether the user may not read it.
    pub(super) is_forbidden: bool,
}

/// What there is to say of the relations that the user may not read.
pub(super) fn forbidden_notes(entries: &[Entry]) -> Vec<String> {
    let mut forbidden: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Entry { name, .. } in entries.iter().filter(|entry| entry.is_forbidden) {
        forbidden.entry(&name.schema).or_default().push(name.name.clone());
    }
    let note = |(schema, tables): (&&str, &Vec<String>)| {
        let tables = listed(tables);
        format!("schema {schema}: left out for lack of the privilege to read: {tables}")
    };
    forbidden.iter().map(note).collect()
}

fn draft(row: &Row) -> Result<Draft, Error> {
    let kind: String = row.try_get(3)?;
    let estimate: Option<f64> = row.try_get(5)?;
    let relation = Relation {
        schema: row.try_get(1)?,
        name: row.try_get(2)?,
        kind: match kind.as_str() {
            "v" => RelationKind::View,
            "m" => RelationKind::MaterializedView,
            _ => RelationKind::Table,
        },
        columns: Vec::new(),
        primary_key: Vec::new(),
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
        comment: row.try_get(6)?,
        // Negative before the first ANALYZE; a view has none.
        alias: None,
        estimated_rows: estimate.filter(|&rows| rows >= 0.0 && kind != "v").map(|rows| rows as u64),
        batchable: row.try_get(7)?,
        plain: row.try_get(8)?,
        links: Vec::new(),
        effects: Effects::default(),
        query: None,
        withheld: Withheld {
            insert: !row.try_get::<_, bool>(10)?,
            update: !row.try_get::<_, bool>(11)?,
            delete: !row.try_get::<_, bool>(12)?,
        },
        placement: Placement::default(),
    };
    let (may_enter, populated) = (row.try_get(4)?, row.try_get(9)?);
    Ok(Draft {
        id: row.try_get(0)?,
        relation,
        may_enter,
        positions: HashMap::new(),
        unreadable: Vec::new(),
        populated,
        over_periods: None,
    })
}

fn generated(identity: bool, computed: bool, expression: Option<&str>) -> GeneratedValue {
    // `serial` is nothing but this default.
    let is_serial = expression
        .and_then(|text| text.strip_prefix("nextval('")?.strip_suffix("'::regclass)"))
        .is_some();
    if computed {
        GeneratedValue::Computed
    } else if identity || is_serial {
        GeneratedValue::Identity
    } else {
        GeneratedValue::No
    }
}

/// A domain's condition on a column: the keyword `VALUE` becomes the column's name.
fn with_value(condition: &str, column: &str) -> String {
    const KEYWORD: &str = "VALUE";
    let quoted = format!("\"{}\"", column.replace('"', "\"\""));
    let mut text = String::with_capacity(condition.len());
    let mut quote = None;
    let mut rest = condition;
    while let Some(next) = rest.chars().next() {
        let in_word = text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = rest.strip_prefix(KEYWORD);
        let ends = after
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if quote.is_none() && !in_word && ends {
            text.push_str(&quoted);
            rest = &rest[KEYWORD.len()..];
            continue;
        }
        quote = match quote {
            Some(open) if open == next => None,
            None if next == '\'' || next == '"' => Some(next),
            other => other,
        };
        text.push(next);
        rest = &rest[next.len_utf8()..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_is_identity() {
        let check = |text| generated(false, false, Some(text));
        assert_eq!(check("nextval('public.t_id_seq'::regclass)"), GeneratedValue::Identity);
        assert_eq!(check("(nextval('s'::regclass) + 1)"), GeneratedValue::No);
        assert_eq!(generated(true, false, None), GeneratedValue::Identity);
        assert_eq!(generated(false, true, Some("(a + 1)")), GeneratedValue::Computed);
    }

    #[test]
    fn a_domain_speaks_of_its_column() {
        assert_eq!(with_value("VALUE > 0 AND (VALUE < 9)", "a"), "\"a\" > 0 AND (\"a\" < 9)");
        assert_eq!(
            with_value("VALUE <> 'VALUE' AND XVALUE", "a\""),
            "\"a\"\"\" <> 'VALUE' AND XVALUE"
        );
    }
}
