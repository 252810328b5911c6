//! The filter schemas allow exactly what the filter's parser accepts.

use duet_filter::{FieldIndex, Limits, cql, parse};
use duet_model::{Shape, Type};
use duet_service::ResourceKind;
use serde_json::{Value, json};

use super::sample::{SITE, described, driver_dv, table_shape, team_dv, types, types_table};
use crate::describe::openapi;

const OPERATORS: [&str; 18] = [
    "$eq",
    "$ne",
    "$lt",
    "$lte",
    "$gt",
    "$gte",
    "$between",
    "$in",
    "$nin",
    "$like",
    "$ilike",
    "$startsWith",
    "$hasSubstring",
    "$instr",
    "$ninstr",
    "$regex",
    "$text",
    "$exists",
];

fn document(shape: &Shape) -> Value {
    let resource = described("sample", shape, ResourceKind::Table);
    serde_json::from_str(&openapi::document(&SITE, &[resource], &[], &[])).unwrap()
}

fn follow<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

fn takes(fields: &FieldIndex, filter: &Value) -> bool {
    parse(&filter.to_string(), fields, &Limits::default()).is_ok()
}

/// An operand that fits the field, in the form that the operator wants.
fn operand(document: &Value, name: &str, operator: &str) -> Value {
    let item = &document["paths"]["/sample/{a},{b},{c_d}"]["get"]["responses"]["200"];
    let value = item["content"]["application/json"]["example"][name].clone();
    match operator {
        "$between" => json!([value, null]),
        "$in" | "$nin" => json!([value]),
        "$exists" => json!(true),
        _ => value,
    }
}

#[test]
fn operators_by_type() {
    let shape = table_shape(&types_table(), vec![0, 1, 2]);
    let (document, fields) = (document(&shape), FieldIndex::new(&shape));
    let filter = &document["components"]["schemas"]["SampleFilter"]["properties"];
    for (name, ty) in types() {
        let condition = follow(&document, &filter[name]);
        let alternatives = condition["anyOf"].as_array().unwrap().iter();
        let mut objects = alternatives.map(|schema| follow(&document, schema));
        let operators = objects.find(|schema| schema["properties"].get("$null").is_some()).unwrap();
        for operator in OPERATORS {
            let operand = operand(&document, name, operator);
            let taken = takes(&fields, &json!({ name: { operator: operand } }));
            let listed = operators["properties"].get(operator).is_some();
            assert_eq!(taken, listed, "{name} ({}) {operator}", ty.name());
        }
        for test in [json!(null), json!({ "$null": null }), json!({ "$not": { "$null": true } })] {
            assert!(takes(&fields, &json!({ name: test })), "{name} {test}");
        }
        let nested = json!({ name: [{ "$or": [{ "$null": true }, { "$notnull": true }] }] });
        assert!(takes(&fields, &nested), "{name}");
    }
}

#[test]
fn orders_by_type() {
    let shape = table_shape(&types_table(), vec![0, 1, 2]);
    let (document, fields) = (document(&shape), FieldIndex::new(&shape));
    let order = &document["components"]["schemas"]["SampleOrder"]["properties"];
    for (name, ty) in types() {
        let taken = takes(&fields, &json!({ "$orderby": { name: "DESC" } }));
        assert_eq!(taken, order.get(name).is_some(), "{name} ({})", ty.name());
    }
}

#[test]
fn moments_may_be_marked() {
    let shape = table_shape(&types_table(), vec![0, 1, 2]);
    let fields = FieldIndex::new(&shape);
    for (name, ty) in types().into_iter().filter(|(_, ty)| *ty == Type::TimestampTz) {
        let marked = json!({ name: { "$gt": { "$date": "2022-03-20T00:00:00Z" } } });
        assert!(takes(&fields, &marked), "{name} ({})", ty.name());
    }
}

#[test]
fn every_field_and_every_example_is_taken() {
    for shape in [team_dv(), driver_dv(), table_shape(&types_table(), vec![0, 1, 2])] {
        let (document, fields) = (document(&shape), FieldIndex::new(&shape));
        let filter = document["components"]["schemas"]["SampleFilter"]["properties"].clone();
        for name in filter.as_object().unwrap().keys().filter(|name| !name.starts_with('$')) {
            assert!(takes(&fields, &json!({ name: null })), "{name}");
        }
        let order = document["components"]["schemas"]["SampleOrder"]["properties"].clone();
        for name in order.as_object().unwrap().keys() {
            assert!(takes(&fields, &json!({ "$orderby": [{ name: "ASC" }] })), "{name}");
        }
        let q = &document["paths"]["/sample/"]["get"]["parameters"][0];
        let example = q["example"].as_str().unwrap();
        assert!(parse(example, &fields, &Limits::default()).is_ok(), "{example}");
        let query = &document["paths"]["/sample/"]["get"]["parameters"][1];
        let example = query["example"].as_str().unwrap();
        assert_eq!(query["name"], "query");
        assert!(cql::parse(example, &fields, &Limits::default()).is_ok(), "{example}");
    }
}
