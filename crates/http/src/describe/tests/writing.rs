//! What may be written, described: methods, bodies, schemas.

use std::sync::Arc;

use duet_model::{Operations, ProfileRef};
use duet_service::ResourceKind;
use serde_json::{Value, json};

use super::sample::{
    ALL, SITE, described, driver_dv, table_shape, team_dv, team_table, types_table, written,
};
use crate::describe::{DescribedResource, Site, document, openapi};

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn methods(document: &Value, path: &str) -> Vec<String> {
    let known = ["get", "head", "post", "put", "patch", "delete"];
    let item = document["paths"][path].as_object().unwrap();
    known.iter().filter(|method| item.contains_key(**method)).map(|it| (*it).to_owned()).collect()
}

#[test]
fn methods_follow_what_is_allowed() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let none = Operations::default();
    for (operations, collection, item) in [
        (none, "get head", "get head"),
        (Operations { insert: true, ..none }, "get head post", "get head"),
        (Operations { update: true, ..none }, "get head patch", "get head put patch"),
        (Operations { delete: true, ..none }, "get head delete", "get head delete"),
        (ALL, "get head post patch delete", "get head put patch delete"),
    ] {
        let team =
            DescribedResource { operations, ..described("team", &shape, ResourceKind::Table) };
        let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
        assert_eq!(methods(&document, "/team/").join(" "), collection);
        assert_eq!(methods(&document, "/team/{team_id}").join(" "), item);
        let put = &document["paths"]["/team/{team_id}"]["put"];
        assert_eq!(put["responses"].get("201").is_some(), operations == ALL);
        let transaction = document["paths"].get("/_/transaction");
        assert_eq!(transaction.is_some(), operations != none);
        let alone = Site { transactions: false, ..SITE };
        let alone = parse(&openapi::document(&alone, &[team], &[], &[]));
        assert_eq!(alone["paths"].get("/_/transaction"), None);
    }
}

/// What takes an idempotency key says that the server may keep none; a plan has a media type of its own, which differs
/// by more than a parameter.
#[test]
fn keys_and_plans_have_answers_of_their_own() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let team =
        DescribedResource { operations: ALL, ..described("team", &shape, ResourceKind::Table) };
    let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
    let takes = |operation: &Value, name: &str| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let pointer = format!("#/components/parameters/{name}");
        parameters.filter_map(|one| one["$ref"].as_str()).any(|to| to == pointer)
    };
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let (mut keyed, mut planned) = (0, 0);
    for operation in operations.filter(|one| one["responses"].is_object()) {
        let has_key = takes(operation, "IdempotencyKey");
        assert_eq!(operation["responses"].get("501").is_some(), has_key, "{operation}");
        keyed += usize::from(has_key);
        let content = &operation["responses"]["200"]["content"];
        let has_plan = content.get("application/vnd.duet.plan+json").is_some();
        let explains = takes(operation, "Explain") || takes(operation, "ExplainPage");
        planned += usize::from(has_plan);
        // HEAD has no content, and the plans of a transaction are the bodies of its answers.
        let is_other = content.is_null() || operation["operationId"] == "transact";
        assert!(has_plan == explains || is_other, "{operation}");
    }
    assert!(keyed > 5 && planned > 5, "{keyed} {planned}");
    let example = &document["components"]["responses"]["NotImplemented"]["content"];
    assert_eq!(example["application/problem+json"]["example"]["status"], 501);
}

/// Loads are described where rows may be inserted, with the parameters that the caller may use.
#[test]
fn loads() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let none = Operations::default();
    let load = |operations, kind| {
        let team = DescribedResource { operations, ..described("team", &shape, kind) };
        let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
        let post = document["paths"]["/team/batchload"]["post"].clone();
        let parameters = post["parameters"].as_array().cloned().unwrap_or_default();
        let name = |parameter: &Value| {
            let pointer = parameter["$ref"].as_str().unwrap().trim_start_matches('#').to_owned();
            let parameter = document.pointer(&pointer).unwrap();
            assert!(parameter["schema"]["type"].is_string(), "{parameter}");
            parameter["name"].as_str().unwrap().to_owned()
        };
        let names: Vec<String> = parameters.iter().map(name).collect();
        (post, names.join(" "), document)
    };
    let csv = "delimiter enclosures lineEnd lineMax dateFormat timestampFormat timestampTZFormat";
    let every = "batchRows batchesPerCommit errors responseFormat";
    let insert = Operations { insert: true, ..none };
    let (post, names, document) = load(ALL, ResourceKind::Table);
    assert_eq!(names, format!("{every} upsert truncate {csv}"));
    assert_eq!(post["operationId"], "loadTeam");
    let rows = &post["requestBody"]["content"]["application/json"]["schema"]["items"]["$ref"];
    assert_eq!(rows, "#/components/schemas/TeamRow");
    let row = &document["components"]["schemas"]["TeamRow"];
    assert_eq!(row["properties"].get("links"), None);
    assert_eq!(load(insert, ResourceKind::Table).1, format!("{every} {csv}"));
    let (post, names, _) = load(insert, ResourceKind::DualityView);
    assert_eq!(names, every);
    assert_eq!(post["requestBody"]["content"].get("text/csv"), None);
    for (operations, kind) in [(none, ResourceKind::Table), (ALL, ResourceKind::View)] {
        assert_eq!(load(operations, kind).0, Value::Null);
    }
}

#[test]
fn bodies() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let team =
        DescribedResource { operations: ALL, ..described("team", &shape, ResourceKind::Table) };
    let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["TeamNew"]["required"], json!(["team_id", "name", "points"]));
    assert_eq!(schemas["TeamNew"]["properties"]["team_id"].get("readOnly"), None);
    assert_eq!(schemas["TeamWhole"]["required"], json!(["name", "points"]));
    assert_eq!(schemas["TeamPatch"]["properties"]["team_id"]["readOnly"], json!(true));
    assert_eq!(schemas["TeamPatch"].get("required"), None);
    assert_eq!(schemas["TeamPatch"]["additionalProperties"], json!(false));
    // A PUT makes a document where there is none, so it takes what a new one takes.
    assert_eq!(schemas["TeamWhole"]["properties"]["team_id"].get("readOnly"), None);
    let fixed = Operations { insert: false, ..ALL };
    let shape = written(table_shape(&team_table(), vec![0]), &[fixed]);
    let team =
        DescribedResource { operations: fixed, ..described("team", &shape, ResourceKind::Table) };
    let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
    let whole = &document["components"]["schemas"]["TeamWhole"];
    assert_eq!(whole["properties"]["team_id"]["readOnly"], json!(true));
}

/// A POST takes an array too, and a PATCH two media types.
#[test]
fn forms_of_bodies() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let team =
        DescribedResource { operations: ALL, ..described("team", &shape, ResourceKind::Table) };
    let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
    let collection = &document["paths"]["/team/"];
    for (content, name) in [
        (&collection["post"]["requestBody"]["content"], "TeamNew"),
        (&collection["post"]["responses"]["201"]["content"], "TeamItem"),
    ] {
        let forms = &content["application/json"]["schema"]["oneOf"];
        let one = json!(format!("#/components/schemas/{name}"));
        assert_eq!((&forms[0]["$ref"], &forms[1]["items"]["$ref"]), (&one, &one), "{content}");
    }
    for path in ["/team/", "/team/{team_id}"] {
        let content = document["paths"][path]["patch"]["requestBody"]["content"].as_object();
        let media: Vec<_> = content.unwrap().keys().map(String::as_str).collect();
        assert_eq!(media, ["application/json", "application/merge-patch+json"], "{path}");
    }
    // Generators of typed clients take a member with a default for required.
    let search = &document["components"]["schemas"]["TeamSearch"];
    assert!(!search["properties"].to_string().contains("\"default\""), "{search}");
}

/// Rows of the journal are acknowledged, where there is one.
#[test]
fn rows_of_the_journal() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    for acknowledges_rows in [true, false] {
        let described = described("team", &shape, ResourceKind::Table);
        let team = DescribedResource { operations: ALL, acknowledges_rows, ..described };
        let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
        let accepted = &document["paths"]["/team/"]["post"]["responses"]["202"];
        let members = &accepted["content"]["application/json"]["schema"]["properties"];
        assert_eq!(members["status"].is_object(), acknowledges_rows, "{accepted}");
    }
}

/// Checks of the table are in every schema of its rows.
#[test]
fn checks_of_columns() {
    let mut table = (*team_table()).clone();
    for condition in ["points >= 0 AND points <= 999", "name IN ('a', 'b')"] {
        let (name, condition) = ("c".to_owned(), condition.to_owned());
        table.checks.push(duet_model::catalog::Check { name, condition });
    }
    let shape = written(table_shape(&Arc::new(table), vec![0]), &[ALL]);
    let team =
        DescribedResource { operations: ALL, ..described("team", &shape, ResourceKind::Table) };
    let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
    for name in ["TeamItem", "TeamNew", "TeamWhole", "TeamPatch"] {
        let members = &document["components"]["schemas"][name]["properties"];
        let points = (&members["points"]["minimum"], &members["points"]["maximum"]);
        assert_eq!(points, (&json!(0), &json!(999)), "{name}");
        assert_eq!(members["name"]["enum"], json!(["a", "b"]), "{name}");
    }
}

/// A document with a row merged in, an object and arrays below it.
#[test]
fn bodies_of_documents() {
    let none = Operations::default();
    let some = Operations { insert: true, update: true, delete: false };
    let shape = written(driver_dv(), &[ALL, none, none, some, none, none]);
    let driver = DescribedResource {
        operations: ALL,
        ..described("driver_dv", &shape, ResourceKind::DualityView)
    };
    let document = parse(&openapi::document(&SITE, &[driver], &[], &[]));
    let schemas = &document["components"]["schemas"];
    let whole = &schemas["DriverDvWhole"];
    assert_eq!(whole["required"], json!(["about", "current", "race"]));
    assert_eq!(whole["properties"]["score"]["readOnly"], json!(true));
    assert_eq!(whole["properties"]["positions"]["readOnly"], json!(true));
    assert_eq!(whole["properties"]["team"]["readOnly"], json!(true));
    let current = &whole["properties"]["current"];
    assert_eq!(current["type"], json!(["object", "null"]));
    // It chooses the row.
    assert_eq!(current["properties"]["teamId"].get("readOnly"), None);
    assert_eq!(whole["properties"]["team"]["type"], json!(["string", "null"]));
    let result = &whole["properties"]["race"]["items"];
    assert_eq!(result["properties"]["driverRaceMapId"]["type"], json!(["integer", "null"]));
    assert_eq!(result["additionalProperties"], json!(true));
    assert_eq!(result["properties"]["raceId"].get("readOnly"), None);
    assert_eq!(result["properties"]["date"]["readOnly"], json!(true));
    assert_eq!(schemas["DriverDvNew"]["required"], json!(["_id"]));
}

/// A row below a document is replaced whole, by a patch too, where it may be updated.
#[test]
fn rows_below_documents_need_what_cannot_be_null() {
    for (update, required) in [(true, json!(["name", "points"])), (false, Value::Null)] {
        let below = Operations { insert: true, update, delete: false };
        let shape = written(team_dv(), &[ALL, below]);
        let team = DescribedResource {
            operations: ALL,
            ..described("team_dv", &shape, ResourceKind::DualityView)
        };
        let document = parse(&openapi::document(&SITE, &[team], &[], &[]));
        for form in ["TeamDvNew", "TeamDvWhole", "TeamDvPatch"] {
            let drivers = &document["components"]["schemas"][form]["properties"]["driver"];
            assert_eq!(drivers["items"]["required"], required, "{form}");
        }
    }
}

#[test]
fn schemas_say_what_may_be_done_at_every_level() {
    let some = Operations { insert: true, update: true, delete: false };
    let shape = written(team_dv(), &[ALL, some]);
    let schema = |operations| {
        let team = DescribedResource {
            operations,
            ..described("team_dv", &shape, ResourceKind::DualityView)
        };
        parse(&document::schema(&SITE, &team))
    };
    let operations = |schema: &Value, pointer: &str| {
        schema.pointer(pointer).unwrap()["x-duet-operations"].clone()
    };
    let all = schema(ALL);
    assert_eq!(all["$id"], json!("http://127.0.0.1:8080/ords/hr/metadata-catalog/team_dv/schema"));
    assert_eq!(operations(&all, ""), json!(["insert", "update", "delete"]));
    assert_eq!(operations(&all, "/properties/driver/items"), json!(["insert", "update"]));
    // What is inserted is not read-only, even if it never changes.
    assert_eq!(all["properties"]["_id"].get("readOnly"), None);
    assert_eq!(all["properties"]["_id"]["x-duet-create-only"], json!(true));
    assert_eq!(all["properties"]["points"].get("readOnly"), None);
    let none = schema(Operations::default());
    assert_eq!(operations(&none, ""), json!([]));
    assert_eq!(operations(&none, "/properties/driver/items"), json!([]));
    assert_eq!(none["properties"]["points"]["readOnly"], json!(true));
    assert_eq!(none["properties"]["_id"]["readOnly"], json!(true));
    assert!(!none.to_string().contains("#/components"));
}

/// Every type is allowed in a body.
#[test]
fn bodies_of_every_type() {
    let shape = written(table_shape(&types_table(), vec![0, 1, 2]), &[ALL]);
    let types =
        DescribedResource { operations: ALL, ..described("types", &shape, ResourceKind::Table) };
    let document = parse(&openapi::document(&SITE, &[types], &[], &[]));
    let new = &document["components"]["schemas"]["TypesNew"];
    let columns = types_table().columns.len();
    // `_metadata` and `links` beside them.
    assert_eq!(new["properties"].as_object().unwrap().len(), columns + 2);
    assert_eq!(new["properties"]["bigint"]["type"], json!(["integer", "null"]));
}

/// Errors are described as the application answers them.
#[test]
fn errors_follow_the_form_of_the_application() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let team =
        DescribedResource { operations: ALL, ..described("team", &shape, ResourceKind::Table) };
    let as_ords = Site { ords_statuses: true, ..SITE };
    let many = vec![team; 101];
    for (site, present, absent) in [(SITE, "detail", "message"), (as_ords, "message", "detail")] {
        for resources in [&[team][..], &many] {
            let document = parse(&openapi::document(&site, resources, &[], &[]));
            for name in ["Problem", "ProblemDetail"] {
                let properties = &document["components"]["schemas"][name]["properties"];
                assert!(properties[present]["description"].is_string(), "{name}: {properties}");
                assert_eq!(properties.get(absent), None, "{name}");
            }
            let problem = document["components"]["schemas"]["Problem"].clone();
            let required = problem["required"].as_array().cloned().unwrap_or_default();
            assert!(required.contains(&json!(present)) && !required.contains(&json!(absent)));
            let has_conflict = document.to_string().contains("\"409\"");
            assert_eq!(has_conflict, !site.ords_statuses, "{} resources", resources.len());
        }
        let document = parse(&openapi::document(&site, &[team], &[], &[]));
        let example = document.pointer("/components/responses/BadRequest/content").unwrap();
        assert!(example["application/problem+json"]["example"][present].is_string(), "{example}");
        let load = &document["paths"]["/team/batchload"]["post"]["responses"];
        assert_eq!(load.get("422").is_some(), !site.ords_statuses, "{load}");
        let info = document["info"]["description"].as_str().unwrap();
        assert!(info.contains(&format!("Its `{present}` says")), "{info}");
    }
}

/// The profile of ORDS has its parameters of bulk loads, with the values that they take.
#[test]
fn bulk_loads_have_the_parameters_of_the_profile() {
    let shape = written(table_shape(&team_table(), vec![0]), &[ALL]);
    let team =
        DescribedResource { operations: ALL, ..described("team", &shape, ResourceKind::Table) };
    let as_ords = Site { profile: ProfileRef::named("ords").unwrap(), ..SITE };
    let more = ["LoadErrorsMax", "LoadLocale", "LoadResponseEncoding"];
    for (site, count, forms) in
        [(SITE, 0, json!(["RAW", "JSON"])), (as_ords, 3, json!(["RAW", "SQL", "JSON"]))]
    {
        let document = parse(&openapi::document(&site, &[team], &[], &[]));
        let known = &document["components"]["parameters"];
        assert_eq!(more.iter().filter(|name| known.get(**name).is_some()).count(), count);
        assert_eq!(known["LoadResponseFormat"]["schema"]["enum"], forms);
        let listed = &document["paths"]["/team/batchload"]["post"]["parameters"];
        let references: Vec<&str> =
            listed.as_array().unwrap().iter().filter_map(|one| one["$ref"].as_str()).collect();
        let is_listed = |name: &&str| references.iter().any(|one| one.ends_with(*name));
        assert_eq!(more.iter().filter(|name| is_listed(name)).count(), count);
        for name in references.iter().map(|one| one.rsplit('/').next().unwrap()) {
            assert!(known[name]["schema"].is_object(), "{name}");
        }
    }
}
