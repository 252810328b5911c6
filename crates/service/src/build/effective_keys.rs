//! The keys of `[resources.NAME]`, and on what each has an effect.
//!
//! A key without an effect hides nothing, keeps nothing and allows nothing, so a mistake names it.

use duet_model::commit_class::CommitClass;

use crate::definition::{RequestClass, Resource, UnindexedPolicy};

/// What `[resources.NAME]` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A table or view of the database.
    Relation,
    /// The same with `excluded = true`.
    Excluded,
    /// A duality view or a collection.
    Defined,
    /// A function or procedure.
    Routine,
    /// A service.
    Service,
}

use Subject::{Defined, Excluded, Relation, Routine, Service};

/// A key of a resource.
struct Key {
    name: &'static str,
    /// Whether a resource has another value than the default.
    is_given: fn(&Resource) -> bool,
    /// What it has an effect on.
    subjects: &'static [Subject],
}

const KEYS: [Key; 17] = [
    Key {
        name: "mount",
        is_given: |resource| resource.mount.is_some(),
        subjects: &[Relation, Defined, Routine],
    },
    Key {
        name: "table",
        is_given: |resource| resource.table != resource.name,
        subjects: &[Relation, Excluded, Defined],
    },
    // Views may join an excluded table by it.
    Key {
        name: "key",
        is_given: |resource| !resource.key.is_empty(),
        subjects: &[Relation, Excluded],
    },
    Key {
        name: "columns",
        is_given: |resource| !resource.columns.is_empty(),
        // `key` has names as served.
        subjects: &[Relation, Excluded],
    },
    Key { name: "hidden", is_given: |resource| !resource.hidden.is_empty(), subjects: &[Relation] },
    Key {
        name: "excluded",
        is_given: |resource| resource.excluded,
        subjects: &[Relation, Excluded],
    },
    Key { name: "expand", is_given: |resource| !resource.expand.is_empty(), subjects: &[Relation] },
    Key {
        name: "page_size",
        is_given: |resource| resource.page_size.is_some(),
        subjects: &[Relation, Defined, Service],
    },
    Key {
        name: "rowstore",
        is_given: |resource| resource.rowstore > 0,
        subjects: &[Relation, Defined, Service],
    },
    Key {
        name: "rowstore_populate",
        is_given: |resource| resource.rowstore_populate,
        subjects: &[Relation, Defined, Service],
    },
    Key {
        name: "serve_stale",
        is_given: |resource| resource.serve_stale.is_some(),
        subjects: &[Relation, Defined, Service],
    },
    Key {
        name: "unindexed",
        is_given: |resource| resource.unindexed != UnindexedPolicy::Allow,
        subjects: &[Relation, Defined, Service],
    },
    Key {
        name: "class",
        is_given: |resource| resource.class != RequestClass::Interactive,
        subjects: &[Relation, Defined],
    },
    Key {
        name: "commit",
        is_given: |resource| resource.commit.class != CommitClass::default(),
        subjects: &[Relation, Defined],
    },
    Key {
        name: "commit_allowed",
        is_given: |resource| resource.commit.allowed.is_some(),
        subjects: &[Relation, Defined],
    },
    Key {
        name: "assign",
        is_given: |resource| !resource.assign.is_empty(),
        subjects: &[Relation, Defined],
    },
    Key {
        name: "raised_messages",
        is_given: |resource| resource.raised_messages,
        subjects: &[Relation, Defined, Routine],
    },
];

/// A key that has no effect.
pub(super) struct Ineffective {
    pub(super) key: &'static str,
    pub(super) message: String,
    pub(super) hint: &'static str,
    /// Whether the resource must not be served without its correction: it was to hide something.
    pub(super) hides: bool,
}

/// The keys of a resource that have no effect, in the order of the manual.
pub(super) fn of(resource: &Resource, subject: Subject) -> impl Iterator<Item = Ineffective> {
    let name = &resource.name;
    let is_ineffective = move |key: &&Key| {
        let names_key = subject != Excluded || key.name != "columns" || !resource.key.is_empty();
        (key.is_given)(resource) && !(key.subjects.contains(&subject) && names_key)
    };
    KEYS.iter().filter(is_ineffective).map(move |&Key { name: key, .. }| {
        let (is, hint) = match (subject, key) {
            (Excluded, _) => {
                let message = format!(
                    "{name} is not served, because of `excluded = true`: `{key}` has no effect."
                );
                return Ineffective { key, message, hint: "Remove one of them.", hides: false };
            }
            (Defined, "excluded") => {
                ("a duality view", "Remove the definition of the view instead.")
            }
            (Defined, _) => ("a duality view", "Change the definition of the view instead."),
            (Routine, _) => {
                ("a routine", "Only `mount` and `raised_messages` can be given for a routine.")
            }
            (Service, "commit" | "commit_allowed") => {
                ("a service", "Remove it: services commit as `group`.")
            }
            (Service | Relation, _) => {
                ("a service", "Change the header or the statement of its file instead.")
            }
        };
        let message = format!("{name} is {is}: `{key}` is for tables and views.");
        let hides = subject == Defined && matches!(key, "hidden" | "excluded");
        Ineffective { key, message, hint, hides }
    })
}

#[cfg(test)]
mod tests {
    use duet_model::commit_class::CommitPolicy;

    use super::*;

    /// The manual's table of keys is this one.
    #[test]
    fn the_manual_lists_the_keys() {
        let manual = include_str!("../../../../docs/app-toml.md");
        let (_, section) = manual.split_once("## [resources.NAME]").unwrap();
        let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let rows = rows.take_while(|line| line.starts_with('|'));
        let listed: Vec<&str> = rows
            .flat_map(|row| row.split('|').nth(1).unwrap_or_default().split(','))
            .map(|name| name.trim().trim_matches('`'))
            .collect();
        let mut known: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        known.sort_unstable();
        assert_eq!(sorted, known);
    }

    #[test]
    fn keys_without_effect_are_found_together() {
        let text = |name: &str| [(name.to_owned(), name.to_owned())].into();
        let whole = Resource {
            name: "t".into(),
            table: "u".into(),
            mount: Some("/m".into()),
            key: vec!["a".into()],
            columns: text("a"),
            hidden: vec!["b".into()],
            excluded: true,
            expand: text("c"),
            page_size: Some(1),
            raised_messages: true,
            rowstore: 1,
            rowstore_populate: true,
            serve_stale: Some(std::time::Duration::ZERO),
            unindexed: UnindexedPolicy::Warn,
            class: RequestClass::Batch,
            commit: CommitPolicy { class: CommitClass::Async, allowed: Some(Vec::new()) },
            assign: text("d"),
        };
        let found = |resource: &Resource, subject| -> Vec<&str> {
            of(resource, subject).map(|one| one.key).collect()
        };
        assert_eq!(found(&whole, Relation), [""; 0]);
        assert_eq!(found(&whole, Excluded).len(), KEYS.len() - 4);
        assert_eq!(found(&whole, Routine).len(), KEYS.len() - 2);
        let of_service = found(&whole, Service);
        assert!(of_service.contains(&"commit") && of_service.contains(&"assign"), "{of_service:?}");
        // Without `key`, nothing reads `columns` of an excluded table.
        let keyless = Resource { key: Vec::new(), ..whole };
        assert!(found(&keyless, Excluded).contains(&"columns"));
        for subject in [Relation, Excluded, Defined, Routine, Service] {
            let name = "t".to_owned();
            let plain = Resource { table: name.clone(), name, ..Resource::default() };
            assert_eq!(found(&plain, subject), [""; 0], "{subject:?}");
        }
    }
}
