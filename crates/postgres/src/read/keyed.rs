//! Documents that are read by key: which row answers which key.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use duet_auth::Identity;
use duet_document::{Datum, FetchedRows, RowSet};
use duet_model::{ReadPlan, Type, Value};
use duet_store::memory::row_limit::RowLimit;
use duet_store::read::{Answer, KeyedRead};
use foldhash::fast::RandomState;

use crate::connection::live::Live;
use crate::connection::run;
use crate::connection::stop::Stop;
use crate::read::batch::Shared;

impl Shared for Arc<KeyedRead> {
    type Reply = Answer;

    async fn fetch(
        &self,
        live: &Live,
        identity: Option<&Arc<Identity>>,
        keys: &[&[Value]],
        limit: &RowLimit,
    ) -> Result<Vec<Answer>, Stop> {
        let sets = run::by_keys(live, identity, self, keys, limit).await?;
        let (fetched, rows) = dispatch(self, sets, keys);
        let answer = |row| Answer { fetched: Rc::clone(&fetched), row };
        Ok(rows.into_iter().map(answer).collect())
    }
}

/// Finds the root row of every key, and the root of every row below.
pub(crate) fn dispatch(
    read: &KeyedRead,
    sets: Vec<RowSet>,
    keys: &[impl AsRef<[Value]>],
) -> (Rc<FetchedRows>, Vec<Option<usize>>) {
    let plan = &read.plan;
    let by_ordinal = plan.by_ordinal;
    if keys.len() == 1 && !by_ordinal {
        let row = (!sets[0].is_empty()).then_some(0);
        let fetched = FetchedRows::assemble(plan, sets, 0, |_, _, _| Some(0));
        return (Rc::new(fetched), vec![row]);
    }
    let matcher = Matcher::new(plan, keys);
    let mut row_of_key: Vec<Option<usize>> = vec![None; keys.len()];
    for row in 0..sets[0].len() {
        if let Some(key) = matcher.key(&sets[0], row, &plan.levels[0].root_key) {
            row_of_key[key] = Some(row);
        }
    }
    let fetched = FetchedRows::assemble(plan, sets, 0, |level, rows, row| {
        let key = matcher.key(rows, row, &plan.levels[level].root_key)?;
        row_of_key[key].and_then(|row| u32::try_from(row).ok())
    });
    let rows = (0..keys.len()).map(|key| row_of_key[matcher.same_as(key)]).collect();
    (Rc::new(fetched), rows)
}

/// Finds which key a row answers.
pub(crate) struct Matcher {
    by_ordinal: bool,
    ints: HashMap<i64, usize, RandomState>,
    bytes: HashMap<Vec<u8>, usize, RandomState>,
    /// For each key the first equal one: equal keys share their row.
    same: Vec<usize>,
}

impl Matcher {
    pub(crate) fn new(plan: &ReadPlan, keys: &[impl AsRef<[Value]>]) -> Self {
        let mut matcher = Self {
            by_ordinal: plan.by_ordinal,
            ints: HashMap::default(),
            bytes: HashMap::default(),
            same: Vec::with_capacity(keys.len()),
        };
        let columns = &plan.shape.root().table.columns;
        let is_uuid = plan.shape.key.first().is_some_and(|&key| columns[key].ty == Type::Uuid);
        for (index, key) in keys.iter().enumerate() {
            let first = match key.as_ref() {
                _ if plan.by_ordinal => index,
                [Value::Int(value)] => *matcher.ints.entry(*value).or_insert(index),
                [Value::Bool(value)] => *matcher.ints.entry(i64::from(*value)).or_insert(index),
                [Value::Text(text)] => {
                    let bytes = if is_uuid { uuid_bytes(text) } else { text.as_bytes().to_vec() };
                    *matcher.bytes.entry(bytes).or_insert(index)
                }
                _ => index,
            };
            matcher.same.push(first);
        }
        matcher
    }

    fn same_as(&self, key: usize) -> usize {
        self.same[key]
    }

    /// The position of the key that a row answers; `root_key` are the row's columns that say so.
    pub(crate) fn key(&self, rows: &RowSet, row: usize, root_key: &[usize]) -> Option<usize> {
        match rows.get(row, *root_key.first()?) {
            Datum::Int(ordinal) if self.by_ordinal => {
                usize::try_from(ordinal - 1).ok().filter(|&key| key < self.same.len())
            }
            Datum::Int(value) => self.ints.get(&value).copied(),
            Datum::Text(bytes) | Datum::Wire(bytes) => self.bytes.get(bytes).copied(),
            _ => None,
        }
    }
}

/// The 16 bytes of a canonical UUID, as the server sends them.
pub(crate) fn uuid_bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|char| char.to_digit(16))
        .filter_map(|d| u8::try_from(d).ok())
        .collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}
