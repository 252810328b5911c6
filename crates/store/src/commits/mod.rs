//! How commits leave a store: the changes of a transaction are gathered by [`Changes`] while it
//! runs, and delivered to the consumers of the store by [`Commits`] once it is committed.

pub mod captured;
pub mod freshness;

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use duet_model::catalog::{Reach, RelationKind, TableRef};
use duet_model::commit::{
    Cause, ChangedRelation, CommitConsumer, CommitEvent, Extent, Image, MOST_ROWS, RelationChange,
    RowChange, key_of,
};
use smallvec::SmallVec;

use crate::commits::freshness::Freshness;
use crate::queues::admit::hash_values;

type Consumers = Arc<[Arc<dyn CommitConsumer>]>;

/// The consumers of a store's commits.
#[derive(Default)]
pub struct Commits {
    consumers: RwLock<Consumers>,
    needs_rows: AtomicBool,
    /// How far the database's own log is known, where the store can read it.
    captured: OnceLock<Arc<Freshness>>,
}

impl fmt::Debug for Commits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commits").field("consumers", &self.consumers().len()).finish()
    }
}

impl Commits {
    /// Adds a consumer. Transactions that have begun already name no rows to it.
    pub fn subscribe(&self, consumer: Arc<dyn CommitConsumer>) {
        self.change(|consumers| consumers.push(consumer));
    }

    /// Removes a consumer.
    pub fn unsubscribe(&self, consumer: &Arc<dyn CommitConsumer>) {
        self.change(|consumers| consumers.retain(|known| !Arc::ptr_eq(known, consumer)));
    }

    /// Whether a consumer needs the rows that change.
    pub fn needs_rows(&self) -> bool {
        self.needs_rows.load(Ordering::Relaxed)
    }

    /// Says that the schema has changed, and with it possibly every document.
    pub fn schema_changed(&self) {
        self.deliver(&CommitEvent { cause: Cause::Schema, everything: true, relations: &[] });
    }

    /// Says that others may have changed any row.
    pub fn foreign(&self) {
        self.deliver(&CommitEvent { cause: Cause::Foreign, everything: true, relations: &[] });
    }

    /// Says what a transaction changed that was read from the database's log. It may be another's, or
    /// one of this store, whose own event came before.
    pub fn foreign_changes(&self, mut relations: Vec<RelationChange>) {
        relations.iter_mut().for_each(merge);
        self.deliver(&CommitEvent {
            cause: Cause::Foreign,
            everything: false,
            relations: &relations,
        });
    }

    /// Commits also arrive from the database's log, as far as this says.
    pub fn are_captured(&self, freshness: &Arc<Freshness>) {
        // A store sets it once, when it is made.
        drop(self.captured.set(Arc::clone(freshness)));
    }

    /// How far the log is known that names the rows which these changes cannot name; `None` where they name all
    /// of them, or not every table is captured.
    pub fn names_the_rows_of(&self, changes: &Changes) -> Option<&Arc<Freshness>> {
        let log = self.captured.get()?;
        (self.needs_rows() && changes.are_vague() && log.coverage().complete).then_some(log)
    }

    /// The changes of a transaction that begins now.
    pub fn begin(&self) -> Changes {
        Changes { needs_rows: self.needs_rows(), layers: SmallVec::new() }
    }

    /// A transaction with these changes was committed. Where it changed nothing there is no event.
    pub fn committed(&self, changes: Changes) {
        let Some(layer) = changes.folded() else { return };
        self.deliver(&layer.event(Cause::Commit));
    }

    /// Whether a transaction with these changes was committed is not known, or was not.
    pub fn unknown(&self, changes: &Changes, cause: Cause) {
        let Some(layer) = changes.clone().folded() else { return };
        self.deliver(&layer.whole().event(cause));
    }

    fn deliver(&self, event: &CommitEvent<'_>) {
        for consumer in &*self.consumers() {
            // The write is done: nothing may keep its answer from the client.
            let taken = catch_unwind(AssertUnwindSafe(|| consumer.committed(event)));
            if taken.is_err() {
                tracing::error!("a consumer of commits has panicked");
            }
        }
    }

    fn consumers(&self) -> Consumers {
        Arc::clone(&self.consumers.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Arc<dyn CommitConsumer>>)) {
        let mut known = self.consumers.write().unwrap_or_else(PoisonError::into_inner);
        let mut consumers = known.to_vec();
        change(&mut consumers);
        let needs_rows = consumers.iter().any(|consumer| consumer.needs_rows());
        *known = consumers.into();
        self.needs_rows.store(needs_rows, Ordering::Relaxed);
    }
}

/// What a statement does to rows of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It adds rows.
    Insert,
    /// It changes rows. `follows`: also columns that rows of other tables follow
    /// ([`followed`](duet_model::Column::followed)).
    Update {
        /// Whether such a column is among the columns to set.
        follows: bool,
    },
    /// It adds rows, or changes those of the same key.
    Upsert,
    /// It removes rows.
    Delete,
}

impl Action {
    /// The update of these columns.
    pub fn update(table: &TableRef, set: impl IntoIterator<Item = usize>) -> Self {
        let mut set = set.into_iter();
        let is_followed = |at: usize| table.columns.get(at).is_some_and(|column| column.followed);
        Self::Update { follows: set.any(is_followed) }
    }

    /// What it reaches beyond the rows that it names.
    fn reaches(self, table: &TableRef) -> [&Reach; 2] {
        const OWN: &Reach = &Reach::Own;
        let effects = &table.effects;
        match self {
            Self::Insert => [&effects.insert, OWN],
            Self::Update { follows: false } => [&effects.update, OWN],
            Self::Update { follows: true } => [&effects.follow, OWN],
            Self::Upsert => [&effects.insert, &effects.follow],
            Self::Delete => [&effects.delete, OWN],
        }
    }
}

/// The changes of a transaction under way.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    needs_rows: bool,
    /// One for each savepoint, and one below them.
    layers: SmallVec<[Layer; 1]>,
}

impl Changes {
    /// Whether rows are gathered.
    pub fn needs_rows(&self) -> bool {
        self.needs_rows
    }

    /// So many rows of a relation change. `rows` gives them; it is not called where no consumer needs
    /// them. Where it gives `None`, or a row whose identity is unknown, any row may have changed.
    pub fn rows(
        &mut self,
        table: &TableRef,
        action: Action,
        count: u64,
        rows: impl FnOnce() -> Option<Vec<RowChange>>,
    ) {
        if count == 0 {
            return;
        }
        let needs_rows = self.needs_rows;
        let layer = self.layer();
        if !layer.reach(table, action) {
            return;
        }
        let change = layer.change(ChangedRelation::Table(Arc::clone(table)));
        change.count = change.count.saturating_add(count);
        let (extent, count) = (&mut change.extent, change.count);
        let rows = match (&mut *extent, needs_rows) {
            (Extent::Any, _) => return,
            _ if table.identity().is_empty() || count > MOST_ROWS => None,
            (_, false) => return,
            (_, true) => rows().filter(|rows| rows.iter().all(|row| row.key(table).is_some())),
        };
        match (rows, extent) {
            (Some(more), Extent::Rows(known)) => known.extend(more),
            (Some(rows), extent) => *extent = Extent::Rows(rows),
            (None, extent) => *extent = Extent::Any,
        }
    }

    /// Any row of a relation may change.
    pub fn any(&mut self, table: &TableRef, action: Action) {
        let layer = self.layer();
        if layer.reach(table, action) {
            layer.any(ChangedRelation::Table(Arc::clone(table)));
        }
    }

    /// Whether code of the database has run that may have done anything: a routine, or a trigger.
    pub fn ran_code(&self) -> bool {
        self.layers.iter().any(|layer| layer.everything)
    }

    /// Any row of any relation may change.
    pub fn everything(&mut self) {
        self.layer().set_everything();
    }

    /// A savepoint is made.
    pub fn savepoint(&mut self) {
        self.layer();
        self.layers.push(Layer::default());
    }

    /// The last savepoint is released: its changes stay.
    pub fn release(&mut self) {
        if self.layers.len() > 1
            && let Some(above) = self.layers.pop()
        {
            self.layer().take(above);
        }
    }

    /// What was done since the last savepoint is undone.
    pub fn roll_back(&mut self) {
        if self.layers.len() > 1 {
            self.layers.pop();
        }
    }

    /// The changes of another write of the same transaction come behind.
    pub fn append(&mut self, other: Self) {
        self.needs_rows |= other.needs_rows;
        for layer in other.layers {
            self.layer().take(layer);
        }
    }

    /// Whether rows may have changed that are not named.
    fn are_vague(&self) -> bool {
        let is_any = |change: &RelationChange| change.extent == Extent::Any;
        self.layers.iter().any(|layer| layer.everything || layer.relations.iter().any(is_any))
    }

    fn layer(&mut self) -> &mut Layer {
        if self.layers.is_empty() {
            self.layers.push(Layer::default());
        }
        let last = self.layers.len() - 1;
        &mut self.layers[last]
    }

    /// All of it, each row once; `None` where nothing has changed.
    fn folded(self) -> Option<Layer> {
        let mut layers = self.layers.into_iter();
        let mut all = layers.next()?;
        layers.for_each(|layer| all.take(layer));
        all.relations.iter_mut().for_each(merge);
        // A row that came and went again leaves nothing.
        all.relations.retain(|change| change.extent.rows().is_none_or(|rows| !rows.is_empty()));
        (all.everything || !all.relations.is_empty()).then_some(all)
    }
}

/// What was changed since a savepoint.
#[derive(Clone, Debug, Default)]
struct Layer {
    everything: bool,
    relations: SmallVec<[RelationChange; 2]>,
}

impl Layer {
    fn event(&self, cause: Cause) -> CommitEvent<'_> {
        CommitEvent { cause, everything: self.everything, relations: &self.relations }
    }

    /// The same relations, any row of which may have changed.
    fn whole(mut self) -> Self {
        self.relations.iter_mut().for_each(|change| change.extent = Extent::Any);
        self
    }

    fn set_everything(&mut self) {
        self.everything = true;
        self.relations.clear();
    }

    /// Records the effects of a statement beyond its rows. Whether the rows still matter.
    fn reach(&mut self, table: &TableRef, action: Action) -> bool {
        if table.kind != RelationKind::Table {
            // What is behind a view is not known.
            self.set_everything();
        }
        for reach in action.reaches(table) {
            match reach {
                _ if self.everything => return false,
                Reach::Own => {}
                Reach::Relations(reached) => {
                    for name in &**reached {
                        self.any(ChangedRelation::Named(Arc::clone(name)));
                    }
                }
                Reach::Everything => self.set_everything(),
            }
        }
        !self.everything
    }

    fn any(&mut self, relation: ChangedRelation) {
        self.change(relation).extent = Extent::Any;
    }

    fn change(&mut self, relation: ChangedRelation) -> &mut RelationChange {
        let at = self.relations.iter().position(|known| known.relation == relation);
        let at = at.unwrap_or_else(|| {
            self.relations.push(RelationChange { relation, count: 0, extent: Extent::Counted });
            self.relations.len() - 1
        });
        &mut self.relations[at]
    }

    /// Adds later changes.
    fn take(&mut self, later: Self) {
        if self.everything || later.everything {
            return self.set_everything();
        }
        for RelationChange { relation, count, extent } in later.relations {
            let known = self.change(relation);
            let is_first = known.count == 0 && known.extent == Extent::Counted;
            known.count = known.count.saturating_add(count);
            match (&mut known.extent, extent) {
                (known, extent) if is_first => *known = extent,
                (Extent::Any, _) => {}
                (Extent::Rows(rows), Extent::Rows(more)) if known.count <= MOST_ROWS => {
                    rows.extend(more);
                }
                (Extent::Counted, Extent::Counted) if known.count <= MOST_ROWS => {}
                (known, _) => *known = Extent::Any,
            }
        }
    }
}

/// Names each row of a relation once.
fn merge(change: &mut RelationChange) {
    if let (Extent::Rows(rows), ChangedRelation::Table(table)) =
        (&mut change.extent, &change.relation)
    {
        *rows = merged(std::mem::take(rows), table);
    }
}

/// Each row once, as it was before all changes and is after them.
fn merged(rows: Vec<RowChange>, table: &TableRef) -> Vec<RowChange> {
    if rows.len() < 2 {
        return rows;
    }
    let key = |image: &Option<Image>| key_of(table.identity(), image.as_ref()?);
    let mut all: Vec<RowChange> = Vec::with_capacity(rows.len());
    // Rows by the hash of the key that they have now, or had when they went.
    let mut by_key: HashMap<u64, SmallVec<[usize; 1]>> = HashMap::with_capacity(rows.len());
    for row in rows {
        let was = key(&row.before).or_else(|| key(&row.after)).unwrap_or_default();
        let places = by_key.entry(hash_values(0, &was)).or_default();
        let known = places.iter().position(|at| all[*at].key(table).as_ref() == Some(&was));
        let at = match known {
            Some(place) => {
                let at = places.swap_remove(place);
                all[at].after = row.after;
                at
            }
            None => {
                all.push(row);
                all.len() - 1
            }
        };
        let is = all[at].key(table).unwrap_or(was);
        by_key.entry(hash_values(0, &is)).or_default().push(at);
    }
    all.retain(|row| row.before.is_some() || row.after.is_some());
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use duet_model::catalog::{Effects, RelationName};
    use duet_model::{Column, Relation, Type, Value};

    use super::*;

    #[derive(Default)]
    struct Recorder {
        needs_rows: bool,
        panics: bool,
        seen: Mutex<Vec<String>>,
    }

    impl CommitConsumer for Recorder {
        fn needs_rows(&self) -> bool {
            self.needs_rows
        }

        fn committed(&self, event: &CommitEvent<'_>) {
            assert!(!self.panics, "on purpose");
            let relation = |change: &RelationChange| {
                let extent = match &change.extent {
                    Extent::Any => "any".to_owned(),
                    Extent::Counted => change.count.to_string(),
                    Extent::Rows(rows) => rows.iter().map(row_text).collect::<Vec<_>>().join(","),
                };
                format!("{} {extent}", change.relation.name())
            };
            let relations: Vec<_> = event.relations.iter().map(relation).collect();
            let everything = if event.everything { " everything" } else { "" };
            let seen = format!("{:?}{everything} {}", event.cause, relations.join("; "));
            self.seen.lock().unwrap().push(seen);
        }
    }

    /// `before>after` of a row's numbers; nothing where there is no row.
    fn row_text(row: &RowChange) -> String {
        let image = |image: &Option<Image>| {
            let values = image.iter().flatten().map(|(_, value)| value.to_string());
            values.collect::<Vec<_>>().join("/")
        };
        format!("{}>{}", image(&row.before), image(&row.after))
    }

    fn commits(needs_rows: bool) -> (Commits, Arc<Recorder>) {
        let commits = Commits::default();
        let recorder = Arc::new(Recorder { needs_rows, ..Recorder::default() });
        commits.subscribe(Arc::clone(&recorder) as _);
        (commits, recorder)
    }

    impl Recorder {
        fn take(&self) -> Vec<String> {
            std::mem::take(&mut *self.seen.lock().unwrap())
        }
    }

    fn table(name: &str, effects: Effects) -> TableRef {
        let column = |name| Column::new(name, Type::Integer { bits: 64 });
        let table = Relation::table("main", name, vec![column("id"), column("parent")]);
        Relation { links: vec![0, 1], effects, ..table }.into()
    }

    fn plain(name: &str) -> TableRef {
        table(name, Effects::default())
    }

    fn image(id: i64, parent: i64) -> Option<Image> {
        Some(vec![(0, Value::Int(id)), (1, Value::Int(parent))])
    }

    const UPDATE: Action = Action::Update { follows: false };

    fn note(changes: &mut Changes, table: &TableRef, action: Action, rows: Vec<RowChange>) {
        changes.rows(table, action, rows.len() as u64, || Some(rows));
    }

    #[test]
    fn nothing_is_gathered_where_no_consumer_needs_rows() {
        let (team, driver) = (plain("team"), plain("driver"));
        for commits in [Commits::default(), commits(false).0] {
            let mut changes = commits.begin();
            let holders = (Arc::strong_count(&team), Arc::strong_count(&driver));
            for table in [&team, &driver, &team] {
                changes.rows(table, UPDATE, 2, || panic!("rows are asked for"));
            }
            // Neither is anything on the heap: two relations are held in place.
            assert!(!changes.layers.spilled());
            assert!(!changes.layers[0].relations.spilled());
            assert_eq!(Arc::strong_count(&team), holders.0 + 1);
            commits.committed(changes);
        }
        let (commits, recorder) = commits(false);
        let mut changes = commits.begin();
        changes.rows(&team, UPDATE, 2, || panic!("rows are asked for"));
        commits.committed(changes);
        assert_eq!(recorder.take(), ["Commit team 2"]);
        // What has begun before a consumer of rows came says that any row may have changed.
        let mut begun = commits.begin();
        let late = Arc::new(Recorder { needs_rows: true, ..Recorder::default() });
        let consumer: Arc<dyn CommitConsumer> = Arc::clone(&late) as _;
        commits.subscribe(Arc::clone(&consumer));
        begun.rows(&team, UPDATE, 1, || panic!("rows are asked for"));
        commits.committed(begun);
        assert_eq!(late.take(), ["Commit team 1"]);
        assert!(commits.needs_rows());
        commits.unsubscribe(&consumer);
        assert!(!commits.needs_rows());
    }

    #[test]
    fn each_row_comes_once_as_it_was_and_is() {
        let (commits, recorder) = commits(true);
        let driver = plain("driver");
        let change = |before, after| vec![RowChange { before, after }];
        let mut changes = commits.begin();
        let mut add = |action, before, after| {
            note(&mut changes, &driver, action, change(before, after));
        };
        add(UPDATE, image(1, 1), image(1, 2));
        add(UPDATE, image(1, 2), image(1, 3));
        add(Action::Insert, None, image(2, 1));
        add(Action::Delete, image(2, 1), None);
        add(Action::Delete, image(3, 1), None);
        add(Action::Insert, None, image(3, 2));
        // Its key changes, and another row gets the key that it had.
        add(UPDATE, image(4, 1), image(5, 1));
        add(Action::Insert, None, image(4, 9));
        add(UPDATE, image(5, 1), image(5, 2));
        commits.committed(changes);
        assert_eq!(recorder.take(), ["Commit driver 1/1>1/3,3/1>3/2,4/1>5/2,>4/9"]);
    }

    #[test]
    fn a_rollback_discards_changes() {
        let (commits, recorder) = commits(true);
        let driver = plain("driver");
        let insert = |changes: &mut Changes, id| {
            let row = RowChange { before: None, after: image(id, 1) };
            note(changes, &driver, Action::Insert, vec![row]);
        };
        let mut changes = commits.begin();
        insert(&mut changes, 1);
        changes.savepoint();
        insert(&mut changes, 2);
        changes.savepoint();
        changes.everything();
        changes.roll_back();
        insert(&mut changes, 3);
        changes.release();
        changes.savepoint();
        insert(&mut changes, 4);
        changes.roll_back();
        commits.committed(changes);
        assert_eq!(recorder.take(), ["Commit driver >1/1,>2/1,>3/1"]);
        // A transaction that changes nothing is no event.
        let mut nothing = commits.begin();
        nothing.savepoint();
        insert(&mut nothing, 1);
        nothing.roll_back();
        commits.committed(nothing);
        let mut none = commits.begin();
        none.rows(&driver, UPDATE, 0, || None);
        commits.unknown(&none, Cause::Unknown);
        assert_eq!(recorder.take(), Vec::<String>::new());
    }

    #[test]
    fn beyond_the_bound_any_row_may_have_changed() {
        for needs_rows in [true, false] {
            let (commits, recorder) = commits(needs_rows);
            let (many, few) = (plain("many"), plain("few"));
            let row = |id| RowChange { before: None, after: image(id, 1) };
            let most = i64::try_from(MOST_ROWS).unwrap();
            let mut changes = commits.begin();
            note(&mut changes, &many, Action::Insert, (0..most).map(row).collect());
            changes.savepoint();
            note(&mut changes, &many, Action::Insert, vec![row(most)]);
            note(&mut changes, &few, Action::Insert, vec![row(1)]);
            changes.release();
            commits.committed(changes);
            let few = if needs_rows { ">1/1" } else { "1" };
            assert_eq!(recorder.take(), [format!("Commit many any; few {few}")]);
        }
    }

    #[test]
    fn effects_reach_other_relations() {
        let (commits, recorder) = commits(true);
        let name = |name: &str| Arc::new(RelationName { schema: "main".into(), name: name.into() });
        let effects = Effects {
            delete: Reach::Relations([name("driver"), name("team")].into()),
            follow: Reach::Everything,
            ..Effects::default()
        };
        let team = table("team", effects);
        let delete = |id| RowChange { before: image(id, 0), after: None };
        for (action, expected) in [
            (Action::Insert, "Commit team 1/0>"),
            (UPDATE, "Commit team 1/0>"),
            (Action::Update { follows: true }, "Commit everything "),
            (Action::Upsert, "Commit everything "),
            (Action::Delete, "Commit driver any; team any"),
        ] {
            let mut changes = commits.begin();
            note(&mut changes, &team, action, vec![delete(1)]);
            commits.committed(changes);
            assert_eq!(recorder.take(), [expected], "{action:?}");
        }
        // What is behind a view, and a row without a key, cannot be named.
        let view = Relation { kind: RelationKind::View, ..Relation::clone(&plain("view")) };
        let keyless = Relation { primary_key: Vec::new(), ..Relation::clone(&plain("keyless")) };
        let mut changes = commits.begin();
        note(&mut changes, &keyless.into(), Action::Delete, vec![delete(1)]);
        note(
            &mut changes,
            &plain("odd"),
            Action::Delete,
            vec![RowChange { before: Some(vec![(1, Value::Int(1))]), after: None }],
        );
        commits.committed(changes.clone());
        note(&mut changes, &view.into(), Action::Delete, vec![delete(1)]);
        commits.committed(changes);
        assert_eq!(recorder.take(), ["Commit keyless any; odd any", "Commit everything "]);
    }

    #[test]
    fn an_unknown_outcome_names_no_rows() {
        let (commits, recorder) = commits(true);
        let mut changes = commits.begin();
        let row = RowChange { before: None, after: image(1, 1) };
        note(&mut changes, &plain("team"), Action::Insert, vec![row]);
        commits.unknown(&changes, Cause::Unknown);
        commits.unknown(&changes, Cause::Settled);
        commits.schema_changed();
        let expected = ["Unknown team any", "Settled team any", "Schema everything "];
        assert_eq!(recorder.take(), expected);
    }

    #[test]
    fn a_panicking_consumer_does_not_affect_others() {
        let (commits, recorder) = commits(false);
        let wrong = Recorder { panics: true, ..Recorder::default() };
        commits.unsubscribe(&(Arc::clone(&recorder) as _));
        commits.subscribe(Arc::new(wrong));
        commits.subscribe(Arc::clone(&recorder) as _);
        commits.schema_changed();
        assert_eq!(recorder.take(), ["Schema everything "]);
    }
}
