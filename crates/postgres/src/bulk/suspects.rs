//! Rows that break a unique key or a reference, looked up before they are written.
//!
//! PostgreSQL refuses a whole statement for one row of it, so finding many bad rows by cutting
//! around each costs several statements a row. Instead one statement names the *suspects* of a
//! batch: rows with a key that the table or an earlier row has, and rows that refer to nothing. The
//! others go by `COPY`. That is as if all had been written in their order: a row that is in conflict
//! with an earlier one is a suspect itself, so no suspect blocks a row written before
//! it. The suspects are then tried, many at a time, so that the reason is always the database's own;
//! from the first one that it does not refuse on, they are written like any rows.
//!
//! This holds where nothing but these keys makes one row depend on another: not with triggers,
//! constraints that are deferred, unique indexes of expressions or of some rows, references of a
//! table to itself. There the rows are found by cutting.

use std::sync::Arc;

use duet_document::bulk::{Group, RefusedRow};
use duet_model::catalog::GeneratedValue;
use duet_model::{Code, Relation, Result};
use duet_sql::{Dialect, Rule, suspects_statement};
use duet_text::error::Violation;
use futures_util::future::{join, join_all};

use tokio_postgres::types::ToSql;

use super::repeats::{among, is_exact, repeated, span, whole_number};
use super::{Failure, LOOKED_UP, Method, PostgresLoad, UNDO, arrays, parameters, settling};

/// After how many batches without a suspect the next one goes without being looked up.
const EXPECTED: u8 = 8;

/// At most one row in this many may exist already for conflicts to count as rare in a batch.
const FEW: usize = 8;

/// How many suspects are tried in one flush.
const TRIES: usize = 64;

/// Whether a table has no partitions, and no rule between rows that the catalog does not show.
const IS_PLAIN: &str = "
SELECT c.relkind = 'r' AND NOT c.relhassubclass
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_index x
                        WHERE x.indrelid = c.oid
                          AND (x.indisexclusion
                               OR x.indisunique
                                  AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL
                                       OR to_jsonb(x) ->> 'indnullsnotdistinct' = 'true')))
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = $1::text AND c.relname = $2::text";

/// A row that may break rules, by their numbers.
struct Suspect {
    row: usize,
    rules: Vec<usize>,
}

/// The statement that looks up rows of these columns. `by_span`: without the keys that are found by
/// the span of their numbers.
pub(super) fn statement(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    by_span: bool,
) -> String {
    let rules = looked_up(table, columns, by_span);
    suspects_statement(dialect, table, &columns_of(&rules), &rules)
}

/// The rules that a query checks for each row, with their numbers among all.
fn looked_up<'t>(table: &'t Relation, given: &[usize], by_span: bool) -> Vec<(usize, Rule<'t>)> {
    let rules = rules(table, given).into_iter().enumerate();
    let looked_up = rules.filter_map(|(number, (rule, _))| match rule {
        Rule::Unique(key) if by_span && whole_number(table, key).is_some() => None,
        Rule::Unique(key) if is_exact(table, key) => Some((number, Rule::NotThere(key))),
        rule => Some((number, rule)),
    });
    looked_up.collect()
}

/// The rules that rows of these columns can be looked up by, with their names.
fn rules<'t>(table: &'t Relation, given: &[usize]) -> Vec<(Rule<'t>, Option<&'t str>)> {
    let keys = unique_keys(table).map(|(columns, name)| (Rule::Unique(columns), name));
    let references =
        table.foreign_keys.iter().map(|key| (Rule::Reference(key), Some(key.name.as_str())));
    let is_given = |rule: &Rule<'_>| rule.columns().iter().all(|column| given.contains(column));
    keys.chain(references).filter(|(rule, _)| is_given(rule)).collect()
}

/// The unique keys of a table with the names of their indexes.
fn unique_keys(table: &Relation) -> impl Iterator<Item = (&[usize], Option<&str>)> {
    let key = Some(&table.primary_key[..]).filter(|key| !key.is_empty());
    let index = |key: &[usize]| {
        let mut unique = table.indexes.iter().filter(|index| index.unique);
        unique.find(|index| {
            index.columns == key && !table.unique_keys.iter().any(|other| other.name == index.name)
        })
    };
    let key = key.map(|key| (key, index(key).map(|index| index.name.as_str())));
    let others = table.unique_keys.iter().filter(|key| !key.is_declared);
    let others = others.map(|key| (&key.columns[..], Some(key.name.as_str())));
    key.into_iter().chain(others)
}

/// All columns of rules, each once.
fn columns_of(rules: &[(usize, Rule<'_>)]) -> Vec<usize> {
    let mut columns: Vec<usize> =
        rules.iter().flat_map(|(_, rule)| rule.columns()).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Whether rows of these columns depend on each other only by rules that can be looked up.
fn can_be_looked_up(table: &Relation, given: &[usize]) -> bool {
    let refers_to_itself = table
        .foreign_keys
        .iter()
        .any(|key| key.references_table == table.name && key.references_schema == table.schema);
    // A key that is not given is new, or NULL, or unknown.
    let is_known = |&column: &usize| {
        let column = &table.columns[column];
        column.generated == GeneratedValue::No && column.default.is_none()
    };
    let can = |key: &[usize]| {
        let missing: Vec<usize> =
            key.iter().copied().filter(|column| !given.contains(column)).collect();
        let is_new = |&column: &usize| table.columns[column].generated == GeneratedValue::Identity;
        !key.iter().any(|&column| table.columns[column].loose_equality)
            && (missing.is_empty() || missing.iter().any(is_new) || missing.iter().all(is_known))
    };
    // `ON CONFLICT` is not for keys that may be checked later.
    let is_deferrable = table.indexes.iter().any(|index| index.unique && index.deferrable);
    table.batchable
        && !is_deferrable
        && !refers_to_itself
        && unique_keys(table).all(|(key, _)| can(key))
        && !rules(table, given).is_empty()
}

/// The positions of the table's columns in a group.
fn positions(group: &Group, columns: &[usize]) -> Vec<usize> {
    let position = |column: &usize| group.columns.iter().position(|given| given == column);
    columns.iter().filter_map(position).collect()
}

impl PostgresLoad {
    /// Whether the rows that a failure is about can be looked up.
    pub(super) async fn can_look_up(&mut self, failure: &Failure, group: &Group) -> Result<bool> {
        let broken = matches!(failure.code, Code::UniqueViolation | Code::ForeignKeyViolation);
        if !broken || !self.by_copy || !can_be_looked_up(&self.plan.table, &group.columns) {
            return Ok(false);
        }
        if self.looks_up.is_none() {
            self.settle().await.map_err(|error| self.failed(&error))?;
            let (schema, name) = (&self.plan.table.schema, &self.plan.table.name);
            let row = self.client.query_opt(IS_PLAIN, &[schema, name]).await;
            let row = row.map_err(|error| self.failed(&error))?;
            self.looks_up = Some(row.is_some_and(|row| row.try_get(0).unwrap_or(false)));
        }
        let looks_up = self.looks_up == Some(true);
        self.expects = if looks_up { EXPECTED } else { 0 };
        Ok(looks_up)
    }

    /// Writes rows, the suspects among them apart from the others.
    pub(super) async fn apart(
        &mut self,
        group: &Group,
        rows: &[usize],
        allowed: u64,
        found: &mut Vec<RefusedRow>,
    ) -> Result<()> {
        let suspects = match can_be_looked_up(&self.plan.table, &group.columns) {
            true => self.suspects(group, rows).await?,
            false => Vec::new(),
        };
        let mut kept = suspects.iter().map(|suspect| suspect.row).peekable();
        let others: Vec<usize> =
            rows.iter().copied().filter(|row| kept.next_if_eq(row).is_none()).collect();
        // Both stop where they alone have found too many.
        self.cut(group, &others, allowed, false, found).await?;
        self.tried(group, suspects, allowed, found).await
    }

    /// The suspects among rows, in their order. If no look-up is possible there are none, and it
    /// is not attempted again.
    async fn suspects(&mut self, group: &Group, rows: &[usize]) -> Result<Vec<Suspect>> {
        let pairs = match self.look_up(group, rows).await {
            Ok(pairs) => pairs,
            Err(error) if error.as_db_error().is_some() => {
                // Such as a key that does not fit its type, or a table that may not be read.
                self.pending = UNDO;
                self.looks_up = Some(false);
                self.expects = 0;
                return Ok(Vec::new());
            }
            Err(error) => return Err(self.failed(&error)),
        };
        self.expects = if pairs.is_empty() { self.expects.saturating_sub(1) } else { EXPECTED };
        let mut suspects: Vec<Suspect> = Vec::new();
        for (at, rule) in pairs {
            let Some(&row) = rows.get(at) else { continue };
            match suspects.last_mut() {
                Some(last) if last.row == row => last.rules.push(rule),
                _ => suspects.push(Suspect { row, rules: vec![rule] }),
            }
        }
        Ok(suspects)
    }

    /// Positions of suspects and the rules that they may break, in order, each pair once.
    async fn look_up(
        &mut self,
        group: &Group,
        rows: &[usize],
    ) -> Result<Vec<(usize, usize)>, tokio_postgres::Error> {
        let table = Arc::clone(&self.plan.table);
        let mut pairs = Vec::new();
        for (number, (rule, _)) in rules(&table, &group.columns).into_iter().enumerate() {
            if let Rule::Unique(key) = rule
                && is_exact(&table, key)
            {
                let again = repeated(group, &positions(group, key), rows);
                pairs.extend(again.into_iter().map(|at| (at, number)));
            }
        }
        let by_span = self.in_spans(&table, group, rows, &mut pairs).await?;
        let looked_up = looked_up(&table, &group.columns, by_span);
        if !looked_up.is_empty() {
            self.look_up_each(&looked_up, by_span, group, rows, &mut pairs).await?;
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    /// Looks at the keys of the table that lie among those of the rows, where a key is one whole
    /// number. Whether they are few; if not, each row is looked up from then on.
    async fn in_spans(
        &mut self,
        table: &Relation,
        group: &Group,
        rows: &[usize],
        pairs: &mut Vec<(usize, usize)>,
    ) -> Result<bool, tokio_postgres::Error> {
        let few = LOOKED_UP.max(rows.len() / FEW);
        for (number, (rule, _)) in rules(table, &group.columns).into_iter().enumerate() {
            let Rule::Unique(key) = rule else { continue };
            let Some(column) = whole_number(table, key).filter(|_| self.by_span) else { continue };
            for position in positions(group, key) {
                let Some((least, largest)) = span(group, position, rows) else { continue };
                let there = self.between(column, least, largest, few).await?;
                self.by_span &= there.len() <= few;
                pairs.extend(among(group, position, rows, &there).map(|at| (at, number)));
            }
        }
        Ok(self.by_span)
    }

    /// The numbers of a column between two, in order: one more than `few` at most.
    async fn between(
        &mut self,
        column: usize,
        least: i64,
        largest: i64,
        few: usize,
    ) -> Result<Vec<i64>, tokio_postgres::Error> {
        let statement = self.statement(Method::Span, &[column]).await?;
        let most = i64::try_from(few).unwrap_or(i64::MAX).saturating_add(1);
        let parameters: [&(dyn ToSql + Sync); 3] = [&least, &largest, &most];
        let found = self.client.query(&statement, &parameters);
        let found = settling(&self.client, &mut self.pending, found).await?;
        found.iter().map(|row| row.try_get(0)).collect()
    }

    /// Looks up each row.
    async fn look_up_each(
        &mut self,
        looked_up: &[(usize, Rule<'_>)],
        by_span: bool,
        group: &Group,
        rows: &[usize],
        pairs: &mut Vec<(usize, usize)>,
    ) -> Result<(), tokio_postgres::Error> {
        let method = if by_span { Method::LookUpOthers } else { Method::LookUp };
        let statement = self.statement(method, &group.columns).await?;
        let columns = arrays(group, positions(group, &columns_of(looked_up)), rows);
        let parameters = parameters(&columns);
        let found = self.client.query(&statement, &parameters);
        for row in settling(&self.client, &mut self.pending, found).await? {
            let (at, rule): (i64, i32) = (row.try_get(0)?, row.try_get(1)?);
            let at = usize::try_from(at).ok().and_then(|at| at.checked_sub(1));
            pairs.extend(at.zip(usize::try_from(rule).ok()));
        }
        Ok(())
    }

    /// Finds out of suspects whether they are refused, and why; the others are written.
    async fn tried(
        &mut self,
        group: &Group,
        mut suspects: Vec<Suspect>,
        allowed: u64,
        found: &mut Vec<RefusedRow>,
    ) -> Result<()> {
        let (before, were_some) = (found.len(), !suspects.is_empty());
        self.drop_duplicates(group, &mut suspects, found).await?;
        for some in suspects.chunks(TRIES) {
            let refusals = self.refusals(group, some).await?;
            let certain = refusals.iter().take_while(|refusal| refusal.is_some()).count();
            for (suspect, failure) in some.iter().zip(refusals.iter().flatten()).take(certain) {
                found.push(self.refused(group, suspect.row, failure));
            }
            let open: Vec<usize> = some[certain..].iter().map(|suspect| suspect.row).collect();
            let mut own = Vec::new();
            self.cut(group, &open, allowed, false, &mut own).await?;
            found.append(&mut own);
        }
        if were_some && found.len() == before {
            // The look-up sees other rows than the database, such as under row security.
            self.looks_up = Some(false);
            self.expects = 0;
        }
        Ok(())
    }

    /// Takes away the suspects that break one unique key and nothing else, if all of them do: where
    /// each of them conflicts with an existing row, and none breaks another rule, the reason is known.
    async fn drop_duplicates(
        &mut self,
        group: &Group,
        suspects: &mut Vec<Suspect>,
        found: &mut Vec<RefusedRow>,
    ) -> Result<()> {
        let table = Arc::clone(&self.plan.table);
        let rules = rules(&table, &group.columns);
        let unique = |rule: &usize| matches!(rules.get(*rule), Some((Rule::Unique(_), Some(_))));
        let all_given = rules.iter().filter(|(rule, _)| matches!(rule, Rule::Unique(_))).count()
            == unique_keys(&table).count();
        let is_plain = |suspect: &Suspect| matches!(&suspect.rules[..], [rule] if unique(rule));
        let rows: Vec<usize> =
            suspects.iter().filter(|it| is_plain(it)).map(|suspect| suspect.row).collect();
        if !all_given || rows.is_empty() || !self.are_there(group, &rows).await? {
            return Ok(());
        }
        for suspect in suspects.iter().filter(|it| is_plain(it)) {
            let name = suspect.rules.first().and_then(|rule| rules[*rule].1);
            let violation = Violation {
                schema: Some(table.schema.clone()),
                table: Some(table.name.clone()),
                constraint: name.map(str::to_owned),
                ..Violation::default()
            };
            let failure = Failure { code: Code::UniqueViolation, violation, pointed: None };
            found.push(self.refused(group, suspect.row, &failure));
        }
        suspects.retain(|suspect| !is_plain(suspect));
        Ok(())
    }

    /// Whether each of some rows conflicts with an existing one, and breaks no other rule.
    async fn are_there(&mut self, group: &Group, rows: &[usize]) -> Result<bool> {
        let written = match self.statement(Method::NewArrays, &group.columns).await {
            Ok(statement) => self.write_arrays(&statement, group, rows).await,
            Err(error) => Err(error),
        };
        self.pending = UNDO;
        match written {
            Ok(written) => Ok(written == 0),
            Err(error) => self.failure(&error).map(|_| false),
        }
    }

    /// Tries rows, each alone, and undoes the writes; `None` if the refusal could be another
    /// one after the rows before it have been written.
    async fn refusals(
        &mut self,
        group: &Group,
        suspects: &[Suspect],
    ) -> Result<Vec<Option<Failure>>> {
        let statement = self.statement(Method::Arrays, &group.columns).await;
        let statement = statement.map_err(|error| self.failed(&error))?;
        self.settle().await.map_err(|error| self.failed(&error))?;
        let client = &self.client;
        let tries = suspects.iter().map(|suspect| {
            let columns = arrays(group, 0..group.columns.len(), &[suspect.row]);
            let statement = &statement;
            async move {
                let parameters = parameters(&columns);
                join(client.execute(statement, &parameters), client.batch_execute(UNDO)).await
            }
        });
        let mut refusals = Vec::with_capacity(suspects.len());
        for (tried, undone) in join_all(tries).await {
            undone.map_err(|error| self.failed(&error))?;
            let failure = tried.err().map(|error| self.failure(&error)).transpose()?;
            refusals.push(failure.filter(|failure| failure.code.is_constraint()));
        }
        Ok(refusals)
    }
}
