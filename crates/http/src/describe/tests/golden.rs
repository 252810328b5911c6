//! Whole texts. `DUET_ACCEPT=1` writes them again; review the difference in version control.

use std::fs;
use std::path::Path;

use duet_model::Operations;
use duet_service::ResourceKind;
use serde_json::Value;

use super::sample::{
    ALL, SITE, described, driver_dv, table_shape, team_dv, team_table, types_table, with_routines,
    written,
};
use crate::describe::{DescribedResource, Site, document, metadata, openapi};

#[track_caller]
pub(super) fn expect(case: &str, file: &str, actual: &str) {
    let value: Value = serde_json::from_str(actual).unwrap();
    let actual = format!("{}\n", serde_json::to_string_pretty(&value).unwrap());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/openapi");
    let path = root.join(case).join(file);
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        fs::create_dir_all(root.join(case)).unwrap();
        fs::write(&path, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let lines = actual.lines().zip(expected.lines()).enumerate();
    let first = lines.into_iter().find(|(_, (actual, expected))| actual != expected);
    assert!(
        actual == expected,
        "{case}/{file} differs from line {:?} on (DUET_ACCEPT=1 accepts the new text)",
        first.map(|(at, (actual, expected))| (at + 1, actual, expected)),
    );
}

fn cars(check: impl Fn(&[DescribedResource<'_>])) {
    let team = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let drivers = Operations { delete: false, ..ALL };
    let (mut team_dv, driver_dv) = (written(team_dv(), &[ALL, drivers]), driver_dv());
    team_dv.notice = Some(duet_model::view_notice::ViewNotice::default());
    let mut table = described("team", &team, ResourceKind::Table);
    table.comment = Some("The teams of the season");
    table.operations = ALL;
    let mut view = described("team_dv", &team_dv, ResourceKind::DualityView);
    view.operations = ALL;
    check(&[described("driver_dv", &driver_dv, ResourceKind::DualityView), table, view]);
}

#[test]
fn car_racing() {
    cars(|resources| {
        expect("car-racing", "document.json", &openapi::document(&SITE, resources, &[], &[]));
    });
}

#[test]
fn one_object() {
    cars(|resources| {
        let site = Site { transactions: false, ..SITE };
        expect("team", "document.json", &openapi::document(&site, &resources[1..2], &[], &[]));
    });
}

/// The form that a document of many resources has.
#[test]
fn brief() {
    cars(|resources| {
        let document = openapi::brief_document(&SITE, resources, &[], &[]);
        expect("brief", "document.json", &document);
    });
}

#[test]
fn entries() {
    cars(|resources| {
        for resource in resources {
            let name = resource.name;
            let entry = metadata::entry(&SITE, resource);
            expect("car-racing", &format!("{name}.entry.json"), &entry);
            let schema = document::schema(&SITE, resource);
            expect("car-racing", &format!("{name}.schema.json"), &schema);
        }
        let item = metadata::item_entry(&SITE, &resources[1]);
        expect("car-racing", "team.item.json", &item);
    });
}

#[test]
fn routines() {
    with_routines(|routines| {
        let site = Site { transactions: false, ..SITE };
        expect("routines", "document.json", &openapi::document(&site, &[], routines, &[]));
        for routine in routines {
            let entry = metadata::routine_entry(&SITE, routine);
            expect("routines", &format!("{}.entry.json", routine.name.replace(' ', "-")), &entry);
        }
    });
}

#[test]
fn every_type_open_and_without_items() {
    let table = types_table();
    let keyed = written(table_shape(&table, vec![0, 1, 2]), &[ALL]);
    let keyless = table_shape(&table, vec![]);
    let mut open = described("all types", &keyed, ResourceKind::Table);
    open.protected = false;
    open.operations = ALL;
    let mut view = described("all_types_view", &keyless, ResourceKind::View);
    view.protected = false;
    let site = Site { mount: "", application: "Types", ..SITE };
    expect("types", "document.json", &openapi::document(&site, &[open, view], &[], &[]));
    expect("types", "all_types.entry.json", &metadata::entry(&site, &open));
}
