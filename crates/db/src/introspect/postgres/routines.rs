//! Functions and procedures.

use std::collections::BTreeMap;

use duet_model::catalog::{Argument, Routine, RoutineKind};
use tokio_postgres::{Error, Row};

use super::super::listed;
use super::CatalogReader;
use super::types::Types;

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
       d.description, p.prorettype
  FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  LEFT JOIN pg_catalog.pg_description d
    ON d.objoid = p.oid AND d.classoid = 'pg_catalog.pg_proc'::regclass AND d.objsubid = 0
 WHERE p.prokind IN ('f', 'p')
   AND CASE WHEN $1::text[] IS NULL
            THEN n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'duet')
            ELSE n.nspname = ANY ($1) AND n.nspname <> 'duet' END";

/// The routines the user may run, by schema, name and argument types.
pub(super) async fn read(
    source: &CatalogReader<'_>,
    types: &Types,
    notes: &mut Vec<String>,
) -> Result<Vec<Routine>, Error> {
    let mut routines = Vec::new();
    let mut forbidden: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let take = |row: &Row| {
        if row.try_get(13)? {
            routines.push(routine(row, types)?);
        } else {
            forbidden.entry(row.try_get(0)?).or_default().push(row.try_get(1)?);
        }
        Ok(())
    };
    source.each(QUERY, take).await?;
    routines.sort_by_cached_key(|routine| {
        let arguments: Vec<_> = routine.arguments.iter().map(|a| a.declared.clone()).collect();
        (routine.schema.clone(), routine.name.clone(), arguments)
    });
    for (schema, mut names) in forbidden {
        names.sort_unstable();
        let names = listed(&names);
        notes.push(format!("schema {schema}: left out for lack of the privilege to run: {names}"));
    }
    Ok(routines)
}

fn routine(row: &Row, types: &Types) -> Result<Routine, Error> {
    let is_procedure: bool = row.try_get(2)?;
    let result: u32 = row.try_get(15)?;
    let is_void = result == tokio_postgres::types::Type::VOID.oid();
    Ok(Routine {
        schema: row.try_get(0)?,
        name: row.try_get(1)?,
        kind: if is_procedure { RoutineKind::Procedure } else { RoutineKind::Function },
        arguments: arguments(row, types)?,
        // A procedure's result type is only there for its output arguments.
        returns: row.try_get::<_, Option<String>>(8)?.filter(|_| !is_procedure),
        result: (!is_procedure && !is_void).then(|| types.resolve(result, -1).ty),
        returns_set: row.try_get(9)?,
        security_definer: row.try_get(10)?,
        from_extension: row.try_get(11)?,
        is_trigger: row.try_get(12)?,
        comment: row.try_get(14)?,
    })
}

fn arguments(row: &Row, types: &Types) -> Result<Vec<Argument>, Error> {
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
            ty: types.resolve(id, -1).ty,
            declared,
            mode: mode(at),
            has_default: is_input(at) && input + defaults > inputs,
        }
    });
    Ok(arguments.collect())
}
