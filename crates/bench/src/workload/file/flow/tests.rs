//! Numbers of steps: words and numbers out of bounds are refused where they stand.

use crate::workload::file::definition::Definition;
use crate::workload::file::{Facts, File, FileTarget};

/// What is said of a workload with this step.
fn said(step: &serde_json::Value) -> String {
    let file = serde_json::json!({
        "workload": { "name": "w" },
        "transaction": [{ "name": "t", "step": [step] }],
    });
    let definition: Definition = serde_json::from_value(file).unwrap();
    let facts = Facts {
        definition,
        folder: std::env::temp_dir(),
        target: FileTarget::Http { url: "http://localhost".into(), authorization: None },
        weights: vec![1.0],
        users: 1,
        timeout: std::time::Duration::from_secs(1),
        given: None,
        environment: std::collections::BTreeMap::new(),
    };
    File::new(facts).err().map(|problem| problem.to_string()).unwrap_or_default()
}

#[test]
fn words_are_no_numbers() {
    use serde_json::json;
    let inside = json!([{ "request": "GET /a" }]);
    for (step, words) in [
        (json!({ "request": "GET /a", "check": { "within_ms": "abc" } }), "within_ms: \"abc\" is"),
        (json!({ "request": "GET /a", "check": { "within_ms": -1 } }), "\"-1\" is not a whole"),
        (json!({ "loop": "abc", "step": inside }), "loop: \"abc\" is not a whole number"),
        (json!({ "loop": -2, "step": inside }), "\"-2\" is not a whole number from 0 on, or -1"),
        (json!({ "for_seconds": "abc", "step": inside }), "for_seconds: \"abc\" is not a number"),
        (json!({ "for_seconds": -1, "step": inside }), "\"-1\" is not a number from 0 on"),
        (json!({ "wait": [{ "ms": "abc" }] }), "wait: \"abc\" is not a number"),
        (json!({ "wait": [{ "ms": 1, "random": "x" }] }), "wait: \"x\" is not a number"),
        (json!({ "limit": { "percent": -5 }, "step": inside }), "\"-5\" is not a number from 0"),
        (json!({ "limit": { "percent": 200 }, "step": inside }), "from 0 to 100"),
        (json!({ "limit": { "times": 1.5 }, "step": inside }), "\"1.5\" is not a whole number"),
        (json!({ "http": { "path": "/a", "timeout_ms": "abc" } }), "timeout_ms: \"abc\" is not"),
        (json!({ "http": { "path": "/a", "connect_ms": "-1" } }), "connect_ms: \"-1\" is not"),
        (json!({ "http": { "host": "h", "port": "99999" } }), "port: \"99999\" is not"),
        (json!({ "http": { "path": "/a", "fields": [["a b", "c"]] } }), "\"a b\" is not the name"),
        (
            json!({ "http": { "path": "/a" }, "check": { "text": [{ "how": "size", "texts": ["x"] }] } }),
            "\"x\" is not a size",
        ),
        (json!({ "request": "GET /a HTTP/1.1" }), "The version of HTTP is not part of a request"),
        (json!({ "if": "x == 1", "step": inside }), "This is no condition from \"x == 1\" on"),
    ] {
        let said = said(&step);
        assert!(said.contains(words), "{step}: {said}");
    }
    for step in [
        json!({ "request": "GET /a", "check": { "within_ms": 5 } }),
        json!({ "loop": -1, "step": inside }),
        json!({ "for_seconds": 0.5, "step": inside }),
        json!({ "wait": [{ "ms": 1.5, "random": "${random(1,2)}" }] }),
        json!({ "limit": { "percent": 12.5 }, "step": inside }),
        json!({ "http": { "path": "/a", "timeout_ms": "", "port": "${random(1,2)}" } }),
        json!({ "request": "GET /a?b=HTTP/1.1" }),
    ] {
        assert_eq!(said(&step), "", "{step}");
    }
}

#[test]
fn statements_in_branches_are_statements() {
    use serde_json::json;
    let inside = |step: serde_json::Value| {
        let file = json!({
            "workload": { "name": "w" },
            "transaction": [{ "name": "t", "step": [{ "if": "true", "step": [{ "set": { "a": 1 } }], "else": [step] }] }],
        });
        serde_json::from_value::<Definition>(file).unwrap().has_statements()
    };
    assert!(inside(json!({ "sql": "SELECT 1" })));
    assert!(inside(json!({ "loop": 2, "step": [{ "sql": "SELECT 1" }] })));
    assert!(!inside(json!({ "request": "GET /a" })));
}
