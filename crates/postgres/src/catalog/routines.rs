//! Functions and procedures.

use std::collections::BTreeMap;

use duet_model::catalog::{
    ANY_MEDIA, Argument, MediaAggregate, RelationName, Routine, RoutineKind, Volatility,
    is_media_type,
};
use duet_store::catalog::listed;
use tokio_postgres::{Error, Row};

use super::CatalogReader;
use super::composites::Composites;
use super::memory::Routines;
use super::types::{SEARCHED, Types};

const QUERY: &str = "
SELECT n.nspname::text, p.proname::text, p.prokind = 'p' AS is_procedure,
       coalesce(p.proallargtypes, p.proargtypes::oid[]) AS types,
       ARRAY(SELECT pg_catalog.format_type(t, NULL)
               FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]))
                    WITH ORDINALITY AS a (t, place) ORDER BY place) AS declared,
       p.proargmodes::text[], p.proargnames, p.pronargdefaults,
       pg_catalog.format_type(p.prorettype, NULL) AS returns, p.proretset, p.prosecdef,
       EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_proc'::regclass
                  AND d.objid = p.oid AND d.deptype = 'e') AS from_extension,
       p.prorettype IN ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype)
         AS is_trigger,
       has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
         AS may_run,
       d.description, p.prorettype,
       CASE WHEN l.lanname = 'plpgsql' AND p.prokind = 'p' THEN p.prosrc END AS source,
       p.provolatile::text, rn.nspname::text, r.relname::text, an.nspname::text, ar.relname::text,
       NOT p.proretset OR p.prorows = 1 AS one_row,
       p.prokind = 'a' AS is_aggregate, lower(t.typname), t.typbasetype = 'pg_catalog.bytea'::regtype AS is_binary,
       EXISTS (SELECT FROM pg_catalog.pg_aggregate g
                 JOIN pg_catalog.pg_proc s ON s.oid IN (g.aggtransfn, g.aggfinalfn)
                WHERE g.aggfnoid = p.oid AND s.prosecdef) AS owners_step
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  JOIN pg_catalog.pg_type t ON t.oid = p.prorettype
  LEFT JOIN pg_catalog.pg_class r ON r.oid = t.typrelid AND r.relkind <> 'c'
  LEFT JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
  LEFT JOIN pg_catalog.pg_type a
    ON a.oid = p.proargtypes[0] AND p.pronargs = 1 AND p.proallargtypes IS NULL AND p.provariadic = 0
   AND (p.prokind = 'a' OR n.nspname = ANY (ARRAY(SELECT name FROM searched)))
  LEFT JOIN pg_catalog.pg_class ar ON ar.oid = a.typrelid AND ar.relkind <> 'c'
  LEFT JOIN pg_catalog.pg_namespace an ON an.oid = ar.relnamespace
  LEFT JOIN pg_catalog.pg_description d
    ON d.objoid = p.oid AND d.classoid = 'pg_catalog.pg_proc'::regclass AND d.objsubid = 0
 WHERE (p.prokind IN ('f', 'p')
        OR p.prokind = 'a' AND p.pronargs = 1 AND t.typtype = 'd' AND strpos(t.typname, '/') > 0
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_type b WHERE b.oid = t.typbasetype AND b.typtype = 'd')
           AND (ar.oid IS NOT NULL OR p.proargtypes[0] = 'pg_catalog.anyelement'::regtype))
   AND CASE WHEN $1::text[] IS NULL
            THEN n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'duet')
            ELSE n.nspname = ANY ($1) AND n.nspname <> 'duet' END";

/// All routines with what there is to say of them.
pub(super) async fn all(source: &CatalogReader<'_>, types: &Types) -> Result<Routines, Error> {
    let composites = Composites::read(source).await?;
    let mut found = Routines { relations: composites.relations.clone(), ..Routines::default() };
    read(source, types, &composites, &mut found).await?;
    Ok(found)
}

/// The routines the user may run, by schema, name and argument types, and the aggregates.
async fn read(
    source: &CatalogReader<'_>,
    types: &Types,
    composites: &Composites,
    found: &mut Routines,
) -> Result<(), Error> {
    let Routines { all: routines, media_aggregates, notes, .. } = found;
    let mut forbidden: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let take = |row: &Row| {
        if !row.try_get(13)? {
            forbidden.entry(row.try_get(0)?).or_default().push(row.try_get(1)?);
        } else if row.try_get(23)? {
            media_aggregates.extend(media_aggregate(row)?);
        } else {
            routines.push(routine(row, types, composites)?);
        }
        Ok(())
    };
    source.each(&format!("WITH {SEARCHED}{QUERY}"), take).await?;
    routines.sort_by_cached_key(|routine| {
        let arguments: Vec<_> = routine.arguments.iter().map(|a| a.declared.clone()).collect();
        (routine.schema.clone(), routine.name.clone(), arguments)
    });
    media_aggregates.sort_by(|one, other| {
        (&one.schema, &one.name, &one.of).cmp(&(&other.schema, &other.name, &other.of))
    });
    for (schema, mut names) in forbidden {
        names.sort_unstable();
        let names = listed(&names);
        notes.push(format!("schema {schema}: left out for lack of the privilege to run: {names}"));
    }
    Ok(())
}

/// An aggregate, if its result is called like a media type.
fn media_aggregate(row: &Row) -> Result<Option<MediaAggregate>, Error> {
    let media: String = row.try_get(24)?;
    if media != ANY_MEDIA && !is_media_type(&media) {
        return Ok(None);
    }
    let (has_owners_rights, has_owners_step): (bool, bool) = (row.try_get(10)?, row.try_get(26)?);
    Ok(Some(MediaAggregate {
        schema: row.try_get(0)?,
        name: row.try_get(1)?,
        of: row_of(row)?,
        media,
        is_binary: row.try_get(25)?,
        security_definer: has_owners_rights || has_owners_step,
    }))
}

/// The relation of whose rows it takes one.
fn row_of(row: &Row) -> Result<Option<RelationName>, Error> {
    let (schema, name): (Option<String>, Option<String>) = (row.try_get(20)?, row.try_get(21)?);
    Ok(schema.zip(name).map(|(schema, name)| RelationName { schema, name }))
}

fn routine(row: &Row, types: &Types, composites: &Composites) -> Result<Routine, Error> {
    let is_procedure: bool = row.try_get(2)?;
    let result: u32 = row.try_get(15)?;
    let is_void = result == tokio_postgres::types::Type::VOID.oid();
    Ok(Routine {
        schema: row.try_get(0)?,
        name: row.try_get(1)?,
        kind: if is_procedure { RoutineKind::Procedure } else { RoutineKind::Function },
        arguments: arguments(row, types, composites)?,
        // A procedure's result type is only there for its output arguments.
        returns: row.try_get::<_, Option<String>>(8)?.filter(|_| !is_procedure),
        result: (!is_procedure && !is_void).then(|| composites.resolve(types, result)),
        returns_set: row.try_get(9)?,
        one_row: row.try_get(22)?,
        security_definer: row.try_get(10)?,
        from_extension: row.try_get(11)?,
        is_trigger: row.try_get(12)?,
        commits: row.try_get::<_, Option<&str>>(16)?.is_some_and(ends_transactions),
        volatility: match row.try_get(17)? {
            "i" => Volatility::Immutable,
            "s" => Volatility::Stable,
            _ => Volatility::Volatile,
        },
        rows_of: match (row.try_get(18)?, row.try_get(19)?) {
            (Some(schema), Some(name)) => Some(RelationName { schema, name }),
            _ => None,
        },
        row_of: row_of(row)?,
        comment: row.try_get(14)?,
    })
}

fn arguments(row: &Row, types: &Types, composites: &Composites) -> Result<Vec<Argument>, Error> {
    let ids: Vec<u32> = row.try_get(3)?;
    let declared: Vec<String> = row.try_get(4)?;
    // Both are absent where they would say nothing: all are inputs, none has a name.
    let modes: Vec<String> = row.try_get::<_, Option<_>>(5)?.unwrap_or_default();
    let names: Vec<String> = row.try_get::<_, Option<_>>(6)?.unwrap_or_default();
    let mode = |at: usize| modes.get(at).and_then(|mode| mode.chars().next()).unwrap_or('i');
    let is_input = |at: usize| matches!(mode(at), 'i' | 'b' | 'v');
    // The last inputs have the defaults.
    let inputs = (0..ids.len()).filter(|&at| is_input(at)).count();
    let defaults = usize::try_from(row.try_get::<_, i16>(7)?).unwrap_or_default();
    let mut input = 0;
    let arguments = ids.iter().zip(declared).enumerate().map(|(at, (&id, declared))| {
        input += usize::from(is_input(at));
        Argument {
            name: names.get(at).cloned().unwrap_or_default(),
            // What is sent for a composite argument is its text.
            ty: match mode(at) {
                'i' | 'v' => types.resolve(id, -1).ty,
                _ => composites.resolve(types, id),
            },
            declared,
            mode: mode(at),
            has_default: is_input(at) && input + defaults > inputs,
        }
    });
    Ok(arguments.collect())
}

/// Whether the source of a PL/pgSQL procedure has a `COMMIT` or `ROLLBACK`, which are statements of a word and perhaps
/// `AND CHAIN`. Comments and texts are passed over.
fn ends_transactions(source: &str) -> bool {
    let words = words(source);
    words.iter().enumerate().any(|(at, word)| {
        let begins =
            at == 0 || matches!(&*words[at - 1], ";" | "begin" | "then" | "else" | "loop" | ">");
        let ends = match words.get(at + 1).map(String::as_str) {
            Some("and") => words[at + 1..].iter().any(|word| word == "chain"),
            next => next == Some(";"),
        };
        begins && ends && matches!(&**word, "commit" | "rollback")
    })
}

/// The words of a source in lower case, and its other characters but blanks.
fn words(source: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if first == '\'' || first == '"' {
            let end = rest[1..].find(first).map_or(rest.len(), |end| end + 2);
            words.push("''".to_owned());
            end
        } else if let Some(end) = dollar_quoted(rest) {
            words.push("''".to_owned());
            end
        } else if first.is_alphanumeric() || first == '_' {
            let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '$';
            let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
            words.push(rest[..end].to_lowercase());
            end
        } else {
            if !first.is_whitespace() {
                words.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    words
}

/// The length of a comment between `/*` and `*/`, which nest.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        at += match rest {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of a text between `$tag$` and `$tag$`.
fn dollar_quoted(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('$')?;
    let end = inside.find('$')?;
    let tag = &inside[..end];
    let is_tag = tag.chars().all(|char| char.is_alphanumeric() || char == '_')
        && !tag.starts_with(|char: char| char.is_ascii_digit());
    let mark = is_tag.then(|| &text[..end + 2])?;
    let behind = text[mark.len()..].find(mark);
    Some(behind.map_or(text.len(), |behind| behind + 2 * mark.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures_that_end_transactions() {
        for source in [
            "BEGIN COMMIT; END",
            "BEGIN INSERT INTO t VALUES (1); commit and chain; END",
            "BEGIN IF a THEN ROLLBACK AND NO CHAIN; END IF; END",
            "BEGIN LOOP -- é\n COMMIT; END LOOP; END",
            "BEGIN /* a /* b */ c */ COMMIT; END",
        ] {
            assert!(ends_transactions(source), "{source}");
        }
        for source in [
            "BEGIN -- COMMIT;\n RAISE 'then COMMIT;'; END",
            "BEGIN /* ; COMMIT; */ PERFORM commit(1); END",
            "BEGIN x := $a$; COMMIT; $a$; END",
            "BEGIN UPDATE t SET commit = 1; END",
            "BEGIN EXECUTE 'ROLLBACK'; commit := 2; END",
            "BEGIN RAISE '; é COMMIT;",
        ] {
            assert!(!ends_transactions(source), "{source}");
        }
    }
}
