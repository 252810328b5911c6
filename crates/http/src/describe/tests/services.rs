//! Services in documents of OpenAPI.

use duet_model::{Type, Value as Datum};
use duet_service::services::{
    PathTemplate, ServiceFile, ServiceParameter, ServiceResult, ValueLimits,
};
use serde_json::{Value, json};

use super::sample::{SITE, described, table_shape, team_table};
use crate::describe::{Described, DescribedService, Kind, Site, openapi};

fn parameter(name: &str, ty: Type, limits: ValueLimits) -> ServiceParameter {
    ServiceParameter {
        name: name.into(),
        ty,
        optional: false,
        default: None,
        limits,
        items: Default::default(),
        answer: Default::default(),
    }
}

fn file(name: &str, method: &str, path: &str, result: ServiceResult) -> ServiceFile {
    let least = ValueLimits { minimum: Some(0), ..ValueLimits::default() };
    let named = ValueLimits { values: vec!["ann".into(), "bob".into()], ..ValueLimits::default() };
    let long = ValueLimits { max_length: Some(20), min_length: Some(8), ..ValueLimits::default() };
    let integer = Type::Integer { bits: 64 };
    let least = ServiceParameter {
        optional: true,
        default: Some(Datum::Int(5)),
        ..parameter("least", integer, least)
    };
    ServiceFile {
        name: name.into(),
        method: method.into(),
        path: PathTemplate::read(path).unwrap(),
        result,
        parameters: vec![
            parameter("id", Type::Text, long),
            least,
            parameter("account", Type::Text, named),
        ],
        ..ServiceFile::default()
    }
}

fn document() -> Value {
    let shape = table_shape(&team_table(), vec![0]);
    let below = file("below", "GET", "/team/{id}/large", ServiceResult::Rows);
    let large = file("large", "GET", "/large", ServiceResult::Rows);
    let sell = ServiceFile {
        status: Some(201),
        location: Some("/team/{id}".into()),
        description: Some("Sells".into()),
        ..file("sell", "POST", "/sell", ServiceResult::Row)
    };
    let remove = file("remove", "PUT", "/team/{id}", ServiceResult::Nothing);
    let total = file("total", "GET", "/total", ServiceResult::Count);
    let members = [("id".to_owned(), Type::Text), ("at".to_owned(), Type::Timestamp)];
    let called = |file| DescribedService { name: "sell", file, members: &members, protected: true };
    let collection = |file, name| Described {
        service: Some(file),
        has_items: false,
        ..described(name, &shape, Kind::Service)
    };
    let resources = [
        described("team", &shape, Kind::Table),
        collection(&large, "large"),
        collection(&below, "below"),
    ];
    let services = [
        called(&sell),
        DescribedService { name: "remove", ..called(&remove) },
        DescribedService { name: "total", ..called(&total) },
    ];
    let site = Site { transactions: false, ..SITE };
    let text = openapi::document(&site, &resources, &[], &services);
    super::golden::expect("services", "document.json", &text);
    let brief = openapi::brief_document(&site, &resources, &[], &services);
    super::golden::expect("services-brief", "document.json", &brief);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn services_are_described_with_their_limits() {
    let document = document();
    let paths = &document["paths"];
    let find = |operation: &Value, name: &str| {
        let all = operation["parameters"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    let least = find(&paths["/large/"]["get"], "least");
    assert_eq!(
        (
            &least["in"],
            &least["required"],
            &least["schema"]["minimum"],
            &least["schema"]["default"]
        ),
        (&json!("query"), &json!(false), &json!(0), &json!(5))
    );
    let below = &paths["/team/{id}/large"]["get"];
    assert_eq!(find(below, "id")["in"], "path");
    assert_eq!(paths.get("/team/{id}/largesearch"), None);
    let post = &paths["/sell"]["post"];
    let body = &post["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["required"], json!(["id", "account"]));
    assert_eq!(body["properties"]["account"]["enum"], json!(["ann", "bob"]));
    assert_eq!(body["properties"]["id"]["maxLength"], 20);
    assert!(post["responses"]["201"]["headers"]["Location"].is_object());
    for status in ["400", "404", "409", "422"] {
        assert!(post["responses"][status].is_object(), "{status}");
    }
    assert_eq!(
        paths["/total"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["required"],
        json!(["count"])
    );
}

/// Templates that differ in the names of their parameters alone would be one path twice.
#[test]
fn a_service_at_the_path_of_an_item_shares_it() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    assert!(!paths.contains_key("/team/{id}"), "{:?}", paths.keys().collect::<Vec<_>>());
    let put = &document["paths"]["/team/{team_id}"]["put"];
    assert_eq!(put["parameters"][0]["name"], "team_id");
    assert!(put["responses"]["204"].is_object());
}
