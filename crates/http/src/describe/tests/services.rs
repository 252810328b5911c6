//! Services in documents of OpenAPI.

use std::collections::BTreeMap;

use duet_model::{Type, Value as Datum};
use duet_service::ResourceKind;
use duet_service::services::{
    Answers, BodyTemplate, DeclaredAnswer, JsonTemplate, PathTemplate, ServiceFile,
    ServiceParameter, ServiceResult, Template, ValueLimits,
};
use serde_json::{Value, json};

use super::sample::{SITE, described, table_shape, team_table};
use crate::describe::{DescribedResource, DescribedService, Site, metadata, openapi};

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

/// What a service that pays declares to answer.
fn declared_answers() -> Answers {
    let text = |text: &str| Template::read(text).unwrap();
    let json = |pairs: &[(&str, &str)]| {
        let member =
            |(name, value): &(&str, &str)| ((*name).to_owned(), JsonTemplate::Text(text(value)));
        BodyTemplate::Json(JsonTemplate::Object(pairs.iter().map(member).collect()))
    };
    Answers(BTreeMap::from([
        (
            "ok".to_owned(),
            DeclaredAnswer {
                status: Some(202),
                headers: vec![("X-Sale".into(), text("{id}"))],
                body: Some(json(&[("id", "{id}"), ("all", "{result}"), ("state", "done")])),
                media: None,
            },
        ),
        (
            "duplicate".to_owned(),
            DeclaredAnswer {
                status: Some(202),
                body: Some(json(&[("least", "{least}"), ("why", "{error.code}")])),
                ..DeclaredAnswer::default()
            },
        ),
        (
            "not_found".to_owned(),
            DeclaredAnswer {
                media: Some("text/plain".into()),
                body: Some(BodyTemplate::Text(text("no {id}"))),
                ..DeclaredAnswer::default()
            },
        ),
        ("malformed".to_owned(), DeclaredAnswer { status: Some(418), ..DeclaredAnswer::default() }),
    ]))
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
    let pay = ServiceFile {
        answers: declared_answers(),
        ..file("pay", "POST", "/pay/{id}", ServiceResult::Row)
    };
    let remove = file("remove", "PUT", "/team/{id}", ServiceResult::Nothing);
    let total = file("total", "GET", "/total", ServiceResult::Count);
    let members = [("id".to_owned(), Type::Text), ("at".to_owned(), Type::Timestamp)];
    let called = |file| DescribedService { name: "sell", file, members: &members, protected: true };
    let collection = |file, name| DescribedResource {
        service: Some(file),
        has_items: false,
        ..described(name, &shape, ResourceKind::Service)
    };
    let resources = [
        described("team", &shape, ResourceKind::Table),
        collection(&large, "large"),
        collection(&below, "below"),
    ];
    let services = [
        called(&sell),
        DescribedService { name: "pay", ..called(&pay) },
        DescribedService { name: "remove", ..called(&remove) },
        DescribedService { name: "total", ..called(&total) },
    ];
    for service in &services {
        let file = format!("{}.entry.json", service.name);
        super::golden::expect("services", &file, &metadata::service_entry(&SITE, service));
    }
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

#[test]
fn declared_answers_are_described_with_their_bodies() {
    let document = document();
    let post = &document["paths"]["/pay/{id}"]["post"];
    let responses = post["responses"].as_object().unwrap();
    let mut statuses: Vec<&str> = responses.keys().map(String::as_str).collect();
    statuses.sort_unstable();
    // 400 may be `invalid` too; 408, 413 and 415 are `malformed` alone, which is 418.
    assert_eq!(statuses.join(" "), "202 400 401 403 404 406 409 418 422 429 501 503 504 default");
    let done = &responses["202"]["content"]["application/json"]["schema"]["anyOf"];
    assert_eq!(done[0]["properties"]["state"], json!({ "type": "string", "const": "done" }));
    assert_eq!(done[0]["properties"]["all"]["properties"]["id"]["type"], json!(["string", "null"]));
    assert_eq!(done[1]["required"], json!(["least", "why"]));
    assert_eq!(done[1]["properties"]["least"]["type"], json!(["integer", "null"]));
    assert!(responses["202"]["headers"]["X-Sale"].is_object());
    let text = &responses["404"]["content"];
    assert_eq!(text.as_object().unwrap().keys().collect::<Vec<_>>(), ["text/plain"]);
    let malformed = &responses["418"]["content"]["application/problem+json"]["schema"];
    assert_eq!(malformed["$ref"], "#/components/schemas/Problem");
}

#[test]
fn batches_keys_and_time_limits_are_described() {
    let document = document();
    let batch = &document["paths"]["/pay/{id}/_/batch"]["post"];
    let body = &batch["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!((&body["type"], &body["items"]["required"]), (&json!("array"), &json!(["account"])));
    let references = |value: &Value| -> Vec<String> {
        let all = value.as_array().unwrap().iter();
        all.filter_map(|one| one["$ref"].as_str())
            .map(|one| one.rsplit('/').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(references(&batch["parameters"]), ["Atomic", "IdempotencyKey", "Prefer"]);
    assert_eq!(document["paths"].get("/total/_/batch"), None);
    for (path, item) in document["paths"].as_object().unwrap() {
        let takes = item
            .get("parameters")
            .is_some_and(|all| references(all).contains(&"RequestTimeout".to_owned()));
        assert_eq!(takes, !path.ends_with("/batchload"), "{path}");
    }
    let pattern = &document["components"]["parameters"]["RequestTimeout"]["schema"]["pattern"];
    assert_eq!(pattern, "^[0-9]{1,12}(\\.[0-9]{1,12})?(s|ms)?$");
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
