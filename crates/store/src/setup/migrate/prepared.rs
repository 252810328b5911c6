//! Makes what a database lacks of what collections declare, and drops nothing of earlier declarations: a migration
//! without an observer, for commands that only say what they made.

use super::{Action, Indexes, Object, Options, Plan};

/// What was made; all else was there already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeObjects {
    /// The extensions of PostgreSQL.
    pub extensions: Vec<String>,
    /// The tables.
    pub tables: Vec<String>,
    /// The columns that were added to tables or made anew, each as `table.column`.
    pub columns: Vec<String>,
    /// The indexes and totals.
    pub indexes: Vec<String>,
    /// The indexes and totals that were dropped.
    pub dropped: Vec<String>,
}

impl MadeObjects {
    /// What the steps of a plan have made.
    pub fn of(plan: Plan) -> Self {
        let mut prepared = Self::default();
        for step in plan.steps {
            let made = match (step.action, step.object) {
                (Action::Analyze, _) | (_, Object::Statistics) => continue,
                (Action::Drop, _) => &mut prepared.dropped,
                (_, Object::Extension) => &mut prepared.extensions,
                (_, Object::Table) => &mut prepared.tables,
                (_, Object::Column | Object::Reference) => {
                    prepared.columns.push(format!("{}.{}", step.table, step.name));
                    continue;
                }
                (_, Object::Index | Object::Totals) => &mut prepared.indexes,
            };
            made.push(step.name);
        }
        prepared
    }
}

/// How such a migration is made.
pub fn options(indexes: Indexes) -> Options {
    Options { drops: false, indexes, ..Options::default() }
}
