//! Numbers of steps: words and numbers out of bounds are refused where they stand.

use crate::workload::file::definition::Definition;
use crate::workload::file::{File, FileFacts, FileTarget};

/// What is said of a workload with this step.
fn said(step: &serde_json::Value) -> String {
    said_of(serde_json::json!({
        "workload": { "name": "w" },
        "transaction": [{ "name": "t", "step": [step] }],
    }))
}

/// What is said of a workload.
fn said_of(file: serde_json::Value) -> String {
    let definition: Definition = serde_json::from_value(file).unwrap();
    let facts = FileFacts {
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

/// What would change nothing is refused where it stands.
#[test]
fn keys_that_do_nothing_are_refused() {
    use serde_json::json;
    let inside = json!([{ "request": "GET /a" }]);
    let capture =
        |keys: serde_json::Value| json!({ "request": "GET /a", "capture": { "v": keys } });
    for (step, words) in [
        (json!({ "go": "on" }), "go: `go` is \"next pass\""),
        (json!({ "loop": 1, "pauses": true, "step": inside }), "`pauses` belongs to `measure`"),
        (json!({ "loop": 1, "whole": true, "step": inside }), "`whole` belongs to `measure`"),
        (json!({ "loop": 1, "check_twice": true, "step": inside }), "belongs to `while`"),
        (json!({ "request": "GET /a", "once_again": true }), "`once_again` belongs to `once`"),
        (json!({ "request": "GET /a#b" }), "A fragment is not sent"),
        (json!({ "request": "GET /a", "check": { "status": [] } }), "status: The list is empty"),
        (json!({ "http": { "path": "/a" }, "check": { "status": [] } }), "The list is empty"),
        (json!({ "request": "GET /a", "check": { "contains": [] } }), "The list is empty"),
        (
            json!({ "request": "GET /a", "check": { "status": 200, "any_status": true } }),
            "leave one of them out",
        ),
        (capture(json!({ "json": "/list", "nth": 2 })), "capture.v.nth: `nth` belongs to `path`"),
        (capture(json!({ "header": "etag", "default": "d" })), "`default` belongs to `path`"),
        (capture(json!({ "after": "a", "before": "b", "of": "head" })), "`of` belongs to"),
        (capture(json!({ "path": "$.a", "of": "head" })), "`of` belongs to `regex`"),
        (capture(json!({ "path": "$.a", "nth": -5 })), "`nth` is -1 for all matches"),
        (capture(json!({ "jmes": "a", "joined": true })), "`joined` does not belong to `jmes`"),
        (capture(json!({ "path": "$.a", "keep": true, "default": "d" })), "beside `default`"),
        (capture(json!({ "regex": "seven" })), "The regular expression has no group"),
    ] {
        let said = said(&step);
        assert!(said.contains(words), "{step}: {said}");
    }
    for step in [
        capture(json!({ "regex": "seven", "template": "$0$" })),
        capture(json!({ "regex": "(s)even", "nth": -1, "joined": true })),
    ] {
        assert_eq!(said(&step), "", "{step}");
    }
}

/// Values that cannot be what their text says are refused where they stand.
#[test]
fn values_that_are_not_filled_in_are_refused() {
    use serde_json::json;
    let file = |workload: serde_json::Value, feeders: serde_json::Value| {
        let mut about = json!({ "name": "w" });
        about.as_object_mut().unwrap().extend(workload.as_object().unwrap().clone());
        let steps = json!([{ "name": "t", "step": [{ "request": "GET /a" }] }]);
        said_of(json!({ "workload": about, "feeders": feeders, "transaction": steps }))
    };
    for (workload, feeders, words) in [
        (
            json!({ "values": { "b": "http://${h}/" } }),
            json!({}),
            "values.b: `${h}` is not filled in",
        ),
        (json!({ "serial": true }), json!({}), "workload.serial: `serial` is for groups"),
        (json!({ "skip_teardown": true }), json!({}), "`skip_teardown` is for groups"),
        (json!({}), json!({ "f": { "list": ["${kyes}"] } }), "f.list: `${kyes}` is not filled in"),
        (json!({}), json!({ "f": { "list": ["a", "${user}"] } }), "`${user}` is not filled in"),
        (json!({}), json!({ "f": { "sequence": { "start": 1, "step": 0 } } }), "A step of 0"),
        (
            json!({}),
            json!({ "f": { "counter": { "start": 1, "step": -1, "end": 8 } } }),
            "`end` is not on the way",
        ),
        (
            json!({}),
            json!({ "f": { "counter": { "start": 9, "step": 1, "end": 8 } } }),
            "`end` is not on the way",
        ),
    ] {
        let said = file(workload.clone(), feeders.clone());
        assert!(said.contains(words), "{workload} {feeders}: {said}");
    }
    let values = json!({ "values": { "b": "$${h}" } });
    assert_eq!(file(values, json!({ "f": { "list": ["$${a}", 1] } })), "");
    let group = json!([{ "name": "g", "jar": ["a=b"], "step": [{ "request": "GET /a" }] }]);
    let said = said_of(json!({ "workload": { "name": "w" }, "group": group }));
    assert!(said.contains("group[1].jar: \"a=b\" has no `Domain=`"), "{said}");
}
