//! What is done with filters that no index serves, on both stores: allowed, remarked on, refused.

use duet_service::definition::{Mount, Resource, UnindexedPolicy};

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

const TABLES: &str = "
    CREATE TABLE rec (id INTEGER PRIMARY KEY, code VARCHAR(20), title VARCHAR(20), n INTEGER);
    CREATE INDEX rec_code ON rec (code);
    CREATE INDEX rec_n ON rec (n);
    INSERT INTO rec (id, code, title, n) VALUES (1, 'a', 'b', 2);";

/// Serves the table under three names, one for each policy.
fn serve(kind: Kind) -> Served {
    let data = Data::empty(kind, "unindexed");
    data.exec(TABLES);
    for (name, _) in UnindexedPolicy::NAMES {
        data.exec(&format!(
            "CREATE TABLE {name}_rec (id INTEGER PRIMARY KEY, code VARCHAR(20), title VARCHAR(20), n INTEGER);
             CREATE INDEX {name}_code ON {name}_rec (code);
             CREATE INDEX {name}_n ON {name}_rec (n);
             INSERT INTO {name}_rec SELECT * FROM rec;"
        ));
    }
    let resource = |(name, unindexed): (&str, UnindexedPolicy)| {
        let table = format!("{name}_rec");
        Resource { name: name.to_owned(), table, unindexed, ..Resource::default() }
    };
    let resources = UnindexedPolicy::NAMES.map(resource).into();
    let mount = Mount { path: MOUNT.into(), all_tables: true, resources, ..Mount::default() };
    let application: Application = of_mount(mount);
    Served::over(data, &application)
}

/// Each query and whether an index serves it.
const QUERIES: [(&str, bool); 16] = [
    ("", true),
    ("q={}", true),
    ("query=cql.allRecords=1", true),
    ("query=id=1", true),
    ("query=n=2", true),
    ("query=n%3C%3E5", false),
    ("query=title==b", false),
    ("query=code==a", false),
    ("query=code==/respectCase/respectAccents%20a", true),
    ("query=code%3C=m", true),
    ("query=code==/respectCase/respectAccents%20a%20and%20title==b", true),
    ("query=code==/respectCase/respectAccents%20a%20or%20title==b", false),
    ("query=n=2%20not%20title==c", true),
    ("query=cql.allRecords=1%20not%20title==c", false),
    ("q={%22title%22:%22b%22}", false),
    ("q={%22code%22:%22a%22}", true),
];

#[test]
fn filters_without_an_index_follow_the_policy() {
    for kind in Kind::BOTH {
        let served = serve(kind);
        for (query, is_served) in QUERIES {
            for (name, policy) in UnindexedPolicy::NAMES {
                for accept in ["application/json", "application/x-ndjson"] {
                    let what = format!("{}: {name} {query} {accept}", kind.name());
                    let target = format!("/t/{name}/?{query}");
                    let response = served.get_with(&target, &[("Accept", accept)]);
                    let refused = policy == UnindexedPolicy::Refuse && !is_served;
                    assert_eq!(response.status, if refused { 400 } else { 200 }, "{what}");
                    let remark = policy == UnindexedPolicy::Warn && !is_served;
                    assert_eq!(response.header("x-index"), remark.then_some("none"), "{what}");
                    if refused {
                        assert_eq!(response.json()["errors"][0]["code"], "DUET-2011", "{what}");
                    } else {
                        assert!(response.text().contains("\"title\":\"b\""), "{what}");
                    }
                }
            }
        }
    }
}
