//! PostgreSQL's types as Duet's.

use std::collections::HashMap;
use std::sync::Arc;

use duet_model::{Comparability, DomainCasts, NativeType, TextForm, Type};
use tokio_postgres::Error;

use super::CatalogReader;

/// The schemas that statements search, as `searched`: the transaction that reads catalogs has set others.
pub(super) const SEARCHED: &str = "searched AS MATERIALIZED
       (SELECT CASE pg_catalog.btrim(p, ' \"') WHEN '$user' THEN session_user::text
                    ELSE pg_catalog.btrim(p, ' \"') END AS name
          FROM pg_catalog.pg_settings s, unnest(string_to_array(s.reset_val, ',')) AS p
         WHERE s.name = 'search_path')";

/// Every type a column or argument can have, but the row types of tables; and how two values of it compare: by the
/// default operator class of the type, or of one that its values are too (PostgreSQL's manual, "Operator Classes"). The
/// order counts where its operators have their usual names, which those of `hstore` have not.
///
/// The parameters are not needed; naming them keeps those of all queries the same.
const QUERY: &str = "
WITH classes AS MATERIALIZED
       (SELECT c.opcintype AS id,
               bool_or(m.amname = 'btree' AND EXISTS
                 (SELECT 1 FROM pg_catalog.pg_amop a
                    JOIN pg_catalog.pg_operator o ON o.oid = a.amopopr AND o.oprname = '<'
                   WHERE a.amopfamily = c.opcfamily AND a.amopstrategy = 1
                     AND a.amoplefttype = c.opcintype AND a.amoprighttype = c.opcintype)) AS ordered
          FROM pg_catalog.pg_opclass c JOIN pg_catalog.pg_am m ON m.oid = c.opcmethod
         WHERE c.opcdefault AND m.amname IN ('btree', 'hash')
         GROUP BY c.opcintype),
     compared AS MATERIALIZED
       (SELECT id, bool_or(ordered) AS ordered
          FROM (SELECT id, ordered FROM classes
                 UNION ALL
                SELECT k.castsource, o.ordered
                  FROM pg_catalog.pg_cast k JOIN classes o ON o.id = k.casttarget
                 WHERE k.castmethod = 'b' AND k.castcontext = 'i') AS either
         GROUP BY id),
     casts AS MATERIALIZED
       (SELECT domain, max(name) FILTER (WHERE source = domain AND target = 'pg_catalog.json'::regtype) AS to_json,
               max(name) FILTER (WHERE source = 'pg_catalog.json'::regtype) AS from_json,
               max(name) FILTER (WHERE source = 'pg_catalog.text'::regtype) AS from_text
          FROM (SELECT d.oid AS domain, k.castsource AS source, k.casttarget AS target,
                       pg_catalog.quote_ident(fn.nspname) || '.' || pg_catalog.quote_ident(f.proname) AS name
                  FROM pg_catalog.pg_cast k
                  JOIN pg_catalog.pg_type d ON d.oid IN (k.castsource, k.casttarget) AND d.typtype = 'd'
                  JOIN pg_catalog.pg_proc f ON f.oid = k.castfunc
                  JOIN pg_catalog.pg_namespace fn ON fn.oid = f.pronamespace
                 WHERE k.castcontext = 'i' AND k.castmethod = 'f'
                   AND has_schema_privilege(fn.oid, 'USAGE') AND has_function_privilege(f.oid, 'EXECUTE')) AS each
         GROUP BY domain),
     {SEARCHED}
SELECT t.oid, n.nspname = 'pg_catalog' AS own, t.typname::text, t.typtype::text,
       CASE WHEN e.typarray = t.oid THEN t.typelem ELSE 0 END AS element,
       t.typbasetype, t.typtypmod, t.typnotnull, t.typdefault,
       l.labels, k.names, k.conditions, o.ordered,
       pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(t.typname),
       n.nspname = ANY (ARRAY(SELECT name FROM searched)),
       c.to_json, c.from_json, c.from_text
  FROM pg_catalog.pg_type t
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_class r ON r.oid = t.typrelid
  LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
  LEFT JOIN pg_catalog.pg_class er ON er.oid = e.typrelid
  LEFT JOIN compared o ON o.id = t.oid
  LEFT JOIN casts c ON c.domain = t.oid
  LEFT JOIN (SELECT enumtypid, array_agg(enumlabel::text ORDER BY enumsortorder) AS labels
               FROM pg_catalog.pg_enum GROUP BY enumtypid) l ON l.enumtypid = t.oid
  LEFT JOIN (SELECT contypid, array_agg(conname::text ORDER BY conname) AS names,
                    array_agg(pg_catalog.pg_get_expr(conbin, 0) ORDER BY conname) AS conditions
               FROM pg_catalog.pg_constraint WHERE contypid <> 0 AND contype = 'c'
              GROUP BY contypid) k ON k.contypid = t.oid
 WHERE coalesce(r.relkind, 'c') = 'c' AND coalesce(er.relkind, 'c') = 'c'
   AND ($1::text[] IS NULL OR $2::oid[] IS NULL OR true)";

/// A domain in a domain in a domain … must end somewhere.
const DEEPEST_DOMAIN: usize = 64;

/// The types of the database by their object id.
#[derive(Debug)]
pub(super) struct Types {
    by_id: HashMap<u32, Declared>,
}

#[derive(Debug)]
struct Declared {
    /// One of PostgreSQL's own, in `pg_catalog`.
    own: bool,
    name: String,
    /// `b` base, `d` domain, `e` enum, `r` range, `m` multirange, `c` composite, `p` pseudo.
    kind: String,
    /// The element's type, for true arrays.
    element: u32,
    /// The base type of a domain, and what modifies it.
    base: u32,
    base_modifier: i32,
    not_null: bool,
    default: Option<String>,
    labels: Option<Arc<[String]>>,
    /// Names and conditions of a domain's checks.
    checks: Vec<(String, String)>,
    /// How two values compare by the operator classes of the type itself.
    comparison: Comparability,
    /// The name with its schema, quoted.
    quoted: String,
    /// Whether statements find it and its operators without naming its schema.
    visible: bool,
    /// The casts of a domain that shows its values as JSON.
    casts: Option<Arc<DomainCasts>>,
}

/// What a column of a type is to Duet.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) ty: Type,
    /// A domain on the way refuses NULL.
    pub(super) not_null: bool,
    /// The default of a domain on the way.
    pub(super) default: Option<String>,
    /// Equal values may differ in their bytes, as with `citext`.
    pub(super) loose_equality: bool,
    /// What values of a domain over `citext` are cast to, so that they are compared as that type does.
    pub(super) compared_as: Option<String>,
    /// A range, or a set of ranges.
    pub(super) ranges: bool,
    /// Names and conditions (on `VALUE`) of the checks of the domains on the way.
    pub(super) checks: Vec<(String, String)>,
    /// The casts of the domain.
    pub(super) casts: Option<Arc<DomainCasts>>,
}

impl Types {
    pub(super) async fn read(source: &CatalogReader<'_>) -> Result<Self, Error> {
        let mut by_id = HashMap::new();
        let take = |row: &tokio_postgres::Row| {
            let names: Option<Vec<String>> = row.try_get(10)?;
            let conditions: Option<Vec<String>> = row.try_get(11)?;
            let checks = names.unwrap_or_default().into_iter().zip(conditions.unwrap_or_default());
            let declared = Declared {
                own: row.try_get(1)?,
                name: row.try_get(2)?,
                kind: row.try_get(3)?,
                element: row.try_get(4)?,
                base: row.try_get(5)?,
                base_modifier: row.try_get(6)?,
                not_null: row.try_get(7)?,
                default: row.try_get(8)?,
                labels: row.try_get::<_, Option<Vec<String>>>(9)?.map(Into::into),
                checks: checks.collect(),
                comparison: match row.try_get::<_, Option<bool>>(12)? {
                    Some(true) => Comparability::Order,
                    Some(false) => Comparability::Equality,
                    None => Comparability::None,
                },
                quoted: row.try_get(13)?,
                visible: row.try_get(14)?,
                casts: match row.try_get(15)? {
                    None => None,
                    Some(to_json) => {
                        let (from_json, from_text) = (row.try_get(16)?, row.try_get(17)?);
                        Some(Arc::new(DomainCasts { to_json, from_json, from_text }))
                    }
                },
            };
            by_id.insert(row.try_get(0)?, declared);
            Ok(())
        };
        source.each(&QUERY.replace("{SEARCHED}", SEARCHED), take).await?;
        Ok(Self { by_id })
    }

    /// Follows domains to the type below them; unknown types are [`Type::Other`].
    pub(super) fn resolve(&self, id: u32, modifier: i32) -> Resolved {
        let mut resolved = Resolved {
            ty: Type::Other,
            not_null: false,
            default: None,
            loose_equality: false,
            compared_as: None,
            ranges: false,
            checks: Vec::new(),
            casts: self.by_id.get(&id).and_then(|declared| declared.casts.clone()),
        };
        let (mut id, mut modifier) = (id, modifier);
        for depth in 0..DEEPEST_DOMAIN {
            let Some(declared) = self.by_id.get(&id) else { return resolved };
            if declared.kind != "d" {
                resolved.ty = self.plain(declared, modifier);
                if depth > 0 && declared.labels.is_some() {
                    // The operators of enums take no domains over them.
                    let native =
                        NativeType { comparison: Comparability::None, ..declared.native() };
                    resolved.ty = Type::Native(Arc::new(native));
                }
                resolved.loose_equality = is_citext(declared);
                let is_domain_over_citext = depth > 0 && resolved.loose_equality;
                resolved.compared_as = is_domain_over_citext.then(|| declared.quoted.clone());
                resolved.ranges = matches!(declared.kind.as_str(), "r" | "m");
                return resolved;
            }
            resolved.not_null |= declared.not_null;
            resolved.default = resolved.default.or_else(|| declared.default.clone());
            resolved.checks.extend(declared.checks.iter().cloned());
            (id, modifier) = (declared.base, declared.base_modifier);
        }
        resolved
    }

    fn plain(&self, declared: &Declared, modifier: i32) -> Type {
        if let Some(labels) = &declared.labels {
            return Type::Enum(Arc::clone(labels));
        }
        if declared.element != 0 {
            return Type::Array(Box::new(self.resolve(declared.element, modifier).ty));
        }
        if is_citext(declared) {
            return Type::Text;
        }
        // A row, whose columns only the description of its type has; or of a type that each call chooses.
        if matches!(declared.kind.as_str(), "c" | "p") {
            return Type::Other;
        }
        let own = if declared.own { own_type(&declared.name, modifier) } else { None };
        own.unwrap_or_else(|| Type::Native(Arc::new(declared.native())))
    }
}

impl Declared {
    fn native(&self) -> NativeType {
        let comparison = match self.kind.as_str() {
            // By the classes of all ranges and multiranges.
            "r" | "m" => Comparability::Order,
            // By that of all arrays, as which this one is not declared.
            _ if self.own && self.name == "int2vector" => Comparability::Order,
            // The operators of an extension in a schema that statements do not search are not found.
            _ if !self.own && !self.visible => Comparability::None,
            _ => self.comparison,
        };
        NativeType { cast: self.quoted.clone(), comparison, casts: None }
    }
}

impl Resolved {
    /// The type of a column that is declared so. A row travels in its text form; whether the values in it compare is not
    /// looked at.
    pub(super) fn column_type(&self, declared: &str) -> Type {
        let cast = || declared.to_owned();
        let native = || NativeType { cast: cast(), comparison: Comparability::None, casts: None };
        match &self.ty {
            Type::Other => Type::Native(Arc::new(native())),
            ty => ty.clone(),
        }
    }
}

/// The type of the extension, in whatever schema it was put.
fn is_citext(declared: &Declared) -> bool {
    declared.kind == "b" && !declared.own && declared.name == "citext"
}

/// PostgreSQL's own types. What is missing (`"char"`, whose bytes above 127 are no characters, `oid`, `money`, `xml`,
/// `cidr`, bit strings, ranges, geometry, text search …) travels as its text form.
fn own_type(name: &str, modifier: i32) -> Option<Type> {
    Some(match name {
        "bool" => Type::Boolean,
        "int2" => Type::Integer { bits: 16 },
        "int4" => Type::Integer { bits: 32 },
        "int8" => Type::Integer { bits: 64 },
        "float4" => Type::Float { bits: 32 },
        "float8" => Type::Float { bits: 64 },
        "numeric" => Type::Decimal { scale: numeric_scale(modifier) },
        "text" | "varchar" | "name" => Type::Text,
        "bpchar" => Type::Char,
        "bytea" => Type::Binary,
        "uuid" => Type::Uuid,
        "date" => Type::Date,
        "time" => Type::Time,
        "timetz" => Type::TimeTz,
        "timestamp" => Type::Timestamp,
        "timestamptz" => Type::TimestampTz,
        "interval" => Type::Interval,
        "json" | "jsonb" => Type::Json,
        name => return TextForm::of(name).map(Type::Formatted),
    })
}

/// The configuration of the first `to_tsvector` in an expression.
pub(super) fn configuration_of(expression: &str) -> Option<String> {
    let (_, behind) = expression.split_once("to_tsvector('")?;
    let (configuration, _) = behind.split_once("'::regconfig")?;
    (!configuration.contains('\'')).then(|| configuration.to_owned())
}

/// The scale in a type modifier of `numeric`: its low 11 bits, signed, after an offset of 4.
/// PostgreSQL alone rounds to a scale below zero: a number rounded to whole ones first would be rounded twice.
fn numeric_scale(modifier: i32) -> Option<u8> {
    const OFFSET: i32 = 4;
    const SIGN: i32 = 1024;
    if modifier < OFFSET {
        return None;
    }
    let scale = (((modifier - OFFSET) & 0x7ff) ^ SIGN) - SIGN;
    (scale >= 0).then(|| u8::try_from(scale).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_of_numeric() {
        let modifier = |precision: i32, scale: i32| ((precision << 16) | (scale & 0x7ff)) + 4;
        assert_eq!(numeric_scale(-1), None);
        assert_eq!(numeric_scale(modifier(10, 2)), Some(2));
        assert_eq!(numeric_scale(modifier(10, 0)), Some(0));
        assert_eq!(numeric_scale(modifier(3, -2)), None);
        assert_eq!(numeric_scale(modifier(1000, 1000)), Some(u8::MAX));
    }
}
