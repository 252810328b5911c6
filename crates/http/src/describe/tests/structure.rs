//! What must hold of every document.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_model::{Column, MemberKind, Shape, Type};
use duet_service::ResourceKind;
use serde_json::{Value, json};

use super::sample::{
    ALL, SITE, column, described, driver_dv, member, node, table, table_shape, team_dv, team_table,
    types_table, with_routines, written,
};
use crate::describe::{DescribedResource, Site, document, openapi};

fn documents() -> Vec<Value> {
    let (team, types) =
        (table_shape(&team_table(), vec![0]), table_shape(&types_table(), vec![0, 1, 2]));
    let (team_dv, driver_dv) = (team_dv(), driver_dv());
    let changed = written(team_dv.clone(), &[ALL, ALL]);
    let all = [
        described("team", &team, ResourceKind::Table),
        described("team_dv", &team_dv, ResourceKind::DualityView),
        described("teamDv", &team_dv, ResourceKind::DualityView),
        described("driver dv", &driver_dv, ResourceKind::DualityView),
        described("team_page", &team, ResourceKind::View),
        described("list_team", &team, ResourceKind::View),
        described("types", &types, ResourceKind::Table),
        DescribedResource {
            operations: ALL,
            ..described("changed", &changed, ResourceKind::DualityView)
        },
    ];
    let site = Site { transactions: false, ..SITE };
    let parse = |text: String| serde_json::from_str(&text).unwrap();
    let each =
        all.iter().map(|one| parse(openapi::document(&site, std::slice::from_ref(one), &[], &[])));
    [parse(openapi::document(&site, &all, &[], &[]))].into_iter().chain(each).collect()
}

fn visit(value: &Value, look: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            look(object);
            object.values().for_each(|value| visit(value, look));
        }
        Value::Array(list) => list.iter().for_each(|value| visit(value, look)),
        _ => {}
    }
}

#[test]
fn references_lead_somewhere_and_nothing_is_unused() {
    documents().iter().for_each(hold_together);
}

fn hold_together(document: &Value) {
    {
        let mut used = BTreeSet::new();
        visit(document, &mut |object| {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                let pointer = reference.trim_start_matches('#');
                assert!(document.pointer(pointer).is_some(), "{reference}");
                used.insert(pointer.to_owned());
            }
            // Generators leave out operations that use an array without them.
            let is_array = object.get("type").is_some_and(|ty| match ty {
                Value::Array(several) => several.contains(&json!("array")),
                one => one == "array",
            });
            assert!(!is_array || object.contains_key("items"), "{object:?}");
        });
        for kind in ["schemas", "parameters", "headers", "responses"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let pointer = format!("/components/{kind}/{name}");
                assert!(used.contains(&pointer), "{pointer} is unused");
            }
        }
    }
}

/// A mount of 2,000 tables, all of them writable: its document stays below 4 kB for each, holds
/// together, and has the operation ids and schema names of the complete form.
#[test]
fn a_document_of_2000_tables() {
    let columns = vec![
        column("order_id", Type::Integer { bits: 64 }),
        column("customer_id", Type::Integer { bits: 64 }),
        column("placed_at", Type::TimestampTz),
        column("status", Type::Text),
        Column::new("total", Type::Decimal { scale: Some(2) }),
        Column::new("note", Type::Text),
        Column::new("paid", Type::Boolean),
        Column::new("delivery_date", Type::Date),
    ];
    let table = Arc::new(table("sales_orders", columns, vec![0]));
    let shape = written(table_shape(&table, vec![0]), &[ALL]);
    let names: Vec<String> = (0..2_000).map(|number| format!("sales_orders_{number}")).collect();
    let many: Vec<_> = names
        .iter()
        .map(|name| DescribedResource {
            operations: ALL,
            ..described(name, &shape, ResourceKind::Table)
        })
        .collect();
    let text = openapi::document(&SITE, &many, &[], &[]);
    assert!(text.len() / many.len() < 4_096, "{} bytes each", text.len() / many.len());
    let document: Value = serde_json::from_str(&text).unwrap();
    hold_together(&document);
    assert_eq!(document["paths"].as_object().unwrap().len(), 2_000 * 4 + 1);
    // What the transaction's parameters are answered with.
    let headers = &document["paths"]["/_/transaction"]["post"]["responses"]["200"]["headers"];
    for name in ["Preference-Applied", "Idempotent-Replayed"] {
        assert!(headers[name]["$ref"].is_string(), "{name}: {headers}");
    }
    let site = Site { transactions: false, ..SITE };
    let one: Value = serde_json::from_str(&openapi::document(&site, &many[..1], &[], &[])).unwrap();
    for (path, item) in one["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let brief = &document["paths"][path][method]["operationId"];
            let left_out = method == "head" || method == "patch" && path.ends_with('/');
            let left_out = left_out || method == "delete" && path.ends_with('/');
            let left_out = left_out || path.ends_with("/_/batch");
            assert!(left_out || operation["operationId"] == *brief, "{method} {path}");
        }
    }
    let schema = |document: &Value| document["components"]["schemas"]["SalesOrders_0Item"].clone();
    assert!(schema(&document).is_object() && schema(&one).is_object());
}

#[test]
fn operation_ids_are_unique_and_do_not_depend_on_neighbours() {
    let ids = |document: &Value| {
        let mut ids = Vec::new();
        visit(document, &mut |object| {
            ids.extend(object.get("operationId").and_then(Value::as_str).map(str::to_owned));
        });
        ids
    };
    let documents = documents();
    let all = ids(&documents[0]);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
    let single: Vec<_> = documents[1..].iter().flat_map(ids).collect();
    assert_eq!(all, single);
}

#[test]
fn routines_beside_resources_and_alone() {
    let team = table_shape(&team_table(), vec![0]);
    let team = [described("team", &team, ResourceKind::Table)];
    with_routines(|routines| {
        for resources in [&team[..], &[]] {
            let text = openapi::document(&SITE, resources, routines, &[]);
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                document["paths"]["/one%20value"]["post"]["operationId"],
                "runOneValue_f665a662"
            );
            hold_together(&document);
        }
    });
}

#[test]
fn the_same_twice() {
    assert_eq!(documents(), documents());
}

#[test]
fn nothing_served_is_a_document_too() {
    let text = openapi::document(&SITE, &[], &[], &[]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["paths"], json!({}));
    assert_eq!(document.get("security"), None);
}

#[test]
fn open_resources_beside_protected_ones() {
    let shape = table_shape(&team_table(), vec![0]);
    let closed = described("closed", &shape, ResourceKind::Table);
    let open = DescribedResource { name: "open", protected: false, ..closed };
    let text = openapi::document(&SITE, &[closed, open], &[], &[]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["security"], json!([{ "oauth2": [] }, { "apiKey": [] }]));
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["apiKey"]["name"], "x-api-key");
    let site = Site { api_key_header: None, ..SITE };
    let without: Value =
        serde_json::from_str(&openapi::document(&site, &[closed], &[], &[])).unwrap();
    assert_eq!(without["security"], json!([{ "oauth2": [] }]));
    assert_eq!(without["components"]["securitySchemes"].get("apiKey"), None);
    let get = |path: &str| document["paths"][path]["get"].clone();
    assert_eq!(get("/closed/").get("security"), None);
    assert_eq!(get("/open/")["security"], json!([]));
    assert_eq!(get("/open/")["responses"].get("401"), None);
    assert_eq!(
        document["components"]["securitySchemes"]["oauth2"]["flows"]["clientCredentials"],
        json!({ "tokenUrl": "http://127.0.0.1:8080/ords/hr/oauth/token", "scopes": {} })
    );
}

#[test]
fn mounts_at_the_root() {
    let site = Site { mount: "/", ..SITE };
    let document: Value = serde_json::from_str(&openapi::document(&site, &[], &[], &[])).unwrap();
    assert_eq!(document["servers"][0]["url"], json!("http://127.0.0.1:8080"));
}

#[test]
fn members_that_may_be_missing() {
    let shape = driver_dv();
    let resource = described("driver_dv", &shape, ResourceKind::DualityView);
    let document: Value =
        serde_json::from_str(&openapi::document(&SITE, &[resource], &[], &[])).unwrap();
    let item = &document["components"]["schemas"]["DriverDvItem"];
    let properties = &item["properties"];
    assert_eq!(properties["team"]["type"], json!(["string", "null"]));
    assert_eq!(properties["current"].get("required"), None);
    assert_eq!(properties.get("secret"), None);
    let race = &properties["race"]["items"];
    // `fields` leaves members out at every level.
    assert_eq!(race.get("required"), None);
    assert_eq!(race["properties"]["raceId"]["type"], json!("integer"));
    assert_eq!(race["additionalProperties"], json!(true));
    assert_eq!(item.get("required"), None);
    // The schema of a whole document says what is always there.
    let whole: Value = serde_json::from_str(&document::schema(&SITE, &resource)).unwrap();
    let race = &whole["properties"]["race"]["items"];
    assert_eq!(race["required"], json!(["driverRaceMapId", "raceId", "date"]));
    let all =
        ["_id", "about", "score", "team", "current", "race", "positions", "_metadata", "links"];
    assert_eq!(whole["required"], json!(all));
}

#[test]
fn a_document_of_nothing_to_filter_by() {
    let table = Arc::new(table("blobs", vec![column("data", Type::Json)], Vec::new()));
    let members = vec![member("", MemberKind::Flex(0.into()))];
    let nodes = vec![node(&table, members)];
    let shape = Shape {
        name: "blobs".into(),
        nodes,
        key: Vec::new(),
        metadata: false,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    };
    let resource = described("blobs", &shape, ResourceKind::Table);
    let document: Value =
        serde_json::from_str(&openapi::document(&SITE, &[resource], &[], &[])).unwrap();
    assert_eq!(document["components"]["schemas"].get("BlobsOrder"), None);
    assert_eq!(document["paths"].as_object().unwrap().len(), 2);
}
