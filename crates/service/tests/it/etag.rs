//! At which changes etags change, and at which they do not.

use serde_json::Value;

use crate::application;
use crate::served::{Kind, Served};

/// The two tags of an item: the document's, and the response's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tags {
    document: String,
    header: String,
}

fn tags(served: &Served, target: &str) -> Tags {
    let response = served.get(target);
    assert_eq!(response.status, 200, "{response:?}");
    let document: Value = response.json();
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    Tags {
        document: text(document["_metadata"]["etag"].as_str()),
        header: text(response.header("etag")),
    }
}

fn each_store(name: &str, check: impl Fn(&Served)) {
    for kind in Kind::BOTH {
        check(&Served::start(kind, &format!("etag-{name}"), &application::named("car-racing")));
    }
}

const TEAM: &str = "/ords/hr/team_dv/2";
const OTHER_TEAM: &str = "/ords/hr/team_dv/302";
const DRIVER: &str = "/ords/hr/driver_dv/105";
const RACE: &str = "/ords/hr/race_dv/201";

#[test]
fn an_unchecked_change_keeps_the_documents_tag_but_not_the_responses() {
    each_store("unchecked", |served| {
        for (target, change) in [
            (TEAM, "UPDATE driver SET points = points + 1 WHERE driver_id = 105"),
            (RACE, "UPDATE race SET podium = '{\"a\":1}' WHERE race_id = 201"),
            (DRIVER, "UPDATE team SET name = 'Silver' WHERE team_id = 2"),
        ] {
            let before = tags(served, target);
            served.data.exec(change);
            let after = tags(served, target);
            assert_eq!(before.document, after.document, "{change}");
            assert_ne!(before.header, after.header, "{change}");
            let known = [("If-None-Match", before.header.as_str())];
            assert_eq!(served.get_with(target, &known).status, 200, "{change}");
            let known = [("If-None-Match", after.header.as_str())];
            assert_eq!(served.get_with(target, &known).status, 304, "{change}");
        }
    });
}

#[test]
fn a_checked_change_changes_both() {
    each_store("checked", |served| {
        for (target, change) in [
            (TEAM, "UPDATE team SET points = points + 1 WHERE team_id = 2"),
            (TEAM, "UPDATE driver SET name = 'Lewis' WHERE driver_id = 106"),
            (RACE, "UPDATE race SET race_date = '2022-03-21' WHERE race_id = 201"),
            (DRIVER, "UPDATE driver SET points = 7 WHERE driver_id = 105"),
        ] {
            let before = tags(served, target);
            served.data.exec(change);
            let after = tags(served, target);
            assert_ne!(before.document, after.document, "{change}");
            assert_ne!(before.header, after.header, "{change}");
            // The same data again give the same tags.
            assert_eq!(after, tags(served, target), "{change}");
        }
    });
}

#[test]
fn a_row_that_enters_or_leaves_an_array_changes_both_documents() {
    each_store("array", |served| {
        let before = [TEAM, OTHER_TEAM].map(|target| tags(served, target).document);
        served.data.exec("UPDATE driver SET team_id = 302 WHERE driver_id = 105");
        let after = [TEAM, OTHER_TEAM].map(|target| tags(served, target).document);
        assert_ne!(before[0], after[0]);
        assert_ne!(before[1], after[1]);
        served.data.exec("UPDATE driver SET team_id = 2 WHERE driver_id = 105");
        assert_eq!(before, [TEAM, OTHER_TEAM].map(|target| tags(served, target).document));
        // A result that another view made.
        let before = [RACE, DRIVER].map(|target| tags(served, target).document);
        served.data.exec("INSERT INTO driver_race_map VALUES (1, 201, 105, NULL)");
        let after = [RACE, DRIVER].map(|target| tags(served, target).document);
        assert!(before[0] != after[0] && before[1] != after[1]);
    });
}

#[test]
fn hidden_columns_do_not_change_the_etag() {
    each_store("hidden", |served| {
        let shown = |served: &Served| [DRIVER, RACE, OTHER_TEAM].map(|target| tags(served, target));
        let before = shown(served);
        served.data.exec("UPDATE team SET points = 99 WHERE team_id = 2");
        served.data.exec("INSERT INTO race (race_id, name, laps) VALUES (9, 'Other', 1)");
        assert_eq!(before, shown(served));
    });
}

#[test]
fn no_two_resources_or_representations_share_a_tag() {
    each_store("representations", |served| {
        let header = |target: &str| {
            let response = served.get(target);
            response.header("etag").unwrap().to_owned()
        };
        let mut seen: Vec<String> = [
            "/ords/hr/team/2",
            TEAM,
            "/ords/hr/team/2?fields=team_id,name,points",
            "/ords/hr/team_dv/2?fields=_id,name,points,driver",
            "/ords/hr/team/",
            "/ords/hr/team_dv/",
            "/ords/hr/team/?fields=team_id,name,points",
        ]
        .map(header)
        .to_vec();
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
    });
}

#[test]
fn a_page_has_a_new_tag_when_anything_in_it_changes() {
    each_store("pages", |served| {
        let page = "/ords/hr/team_dv/?limit=2";
        let header = || served.get(page).header("etag").unwrap().to_owned();
        let mut last = header();
        assert_eq!(last, header());
        for change in [
            "UPDATE driver SET points = points + 1 WHERE driver_id = 105",
            "UPDATE team SET points = 1 WHERE team_id = 301",
            "UPDATE driver SET team_id = NULL WHERE driver_id = 106",
            // The third team is on no page, but it was the reason for `hasMore`.
            "UPDATE driver SET team_id = NULL WHERE team_id = 302; DELETE FROM team WHERE team_id = 302",
        ] {
            served.data.exec(change);
            let now = header();
            assert_ne!(last, now, "{change}");
            let known = [("If-None-Match", now.as_str())];
            assert_eq!(served.get_with(page, &known).status, 304, "{change}");
            last = now;
        }
        served.data.exec("UPDATE race SET laps = 1");
        assert_eq!(last, header());
    });
}
