//! A consumer of commit events that keeps them, as JSON.

use std::sync::{Arc, Mutex, PoisonError};

use duet_model::commit::{
    Cause, ChangedRelation, CommitConsumer, CommitEvent, Extent, Image, RelationChange, RowChange,
};
use duet_model::{Relation, Value};
use duet_store::SharedStore;
use duet_text::name;
use serde_json::{Map, Value as Json, json};

/// The events so far.
#[derive(Default)]
pub(crate) struct Recorder(Mutex<Vec<Json>>);

impl Recorder {
    /// Consumes the commits of a store.
    pub(crate) fn of(store: &SharedStore) -> Arc<Self> {
        let recorder = Arc::new(Self::default());
        let consumer: Arc<dyn CommitConsumer> = Arc::clone(&recorder) as _;
        store.commits().subscribe(consumer);
        recorder
    }

    /// The events since the last time.
    pub(crate) fn take(&self) -> Vec<Json> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CommitConsumer for Recorder {
    fn committed(&self, event: &CommitEvent<'_>) {
        let mut all = Map::new();
        if event.cause != Cause::Commit {
            all.insert("cause".into(), format!("{:?}", event.cause).to_lowercase().into());
        }
        let mut relations: Vec<_> = event.relations.iter().map(relation).collect();
        relations.sort_by(|a, b| a.0.cmp(&b.0));
        all.extend(relations);
        if event.everything {
            all.insert("everything".into(), true.into());
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Json::Object(all));
    }
}

fn relation(change: &RelationChange) -> (String, Json) {
    let rows = match &change.extent {
        Extent::Any => "any".into(),
        Extent::Counted => json!(change.count),
        Extent::Rows(rows) => {
            let ChangedRelation::Table(table) = &change.relation else {
                panic!("rows of a relation that is not described: {change:?}")
            };
            assert!(rows.iter().all(|row| row.key(table).is_some()), "{change:?}");
            let mut rows: Vec<Json> = rows.iter().map(|change| row(table, change)).collect();
            rows.sort_by_key(ToString::to_string);
            rows.into()
        }
    };
    (name::served(change.relation.name()), rows)
}

fn row(table: &Relation, change: &RowChange) -> Json {
    let image = |image: &Option<Image>| image.as_ref().map(|image| values(table, image));
    json!({ "before": image(&change.before), "after": image(&change.after) })
}

fn values(table: &Relation, image: &Image) -> Json {
    let value = |value: &Value| match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value),
        other => json!(other.to_string()),
    };
    let each = image.iter().map(|(at, it)| (name::served(&table.columns[*at].name), value(it)));
    Json::Object(each.collect())
}
