//! What JMeter does not take is not taken here either: words where numbers belong, and names that nothing has.

use super::*;

/// What is said of a plan with this in its group, or of the number of its requests.
fn said(inside: &str) -> Result<usize, String> {
    let asked = ran(&group("ThreadGroup", "1", "1", inside)).map(|ran| ran.asked.len());
    asked.map_err(|problems| {
        let said: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
        said.join("\n")
    })
}

/// A GET with an element below it.
fn inside(tag: &str, name: &str, value: &str) -> String {
    get("a", "/a", &element(tag, &[(name, value)]))
}

/// A controller with a GET in it.
fn around(tag: &str, texts: &str) -> String {
    below(tag, texts, &get("a", "/a", ""))
}

/// A request with this property.
fn sampler(name: &str, value: &str) -> String {
    let property = property(name, value);
    format!("<HTTPSamplerProxy testname=\"a\">{property}</HTTPSamplerProxy><hashTree/>")
}

/// A GET whose content has another size.
fn size(size: &str) -> String {
    let texts = [
        ("SizeAssertion.size", size),
        ("SizeAssertion.operator", "2"),
        ("Assertion.test_field", "SizeAssertion.response_data"),
    ];
    get("a", "/a", &element("SizeAssertion", &texts))
}

/// A share of the passes.
fn share(style: &str, name: &str, value: &str) -> String {
    let style = property("ThroughputController.style", style);
    around("ThroughputController", &(style + &property(name, value)))
}

#[test]
fn words_are_no_numbers() {
    for (plan, words) in [
        (
            inside("DurationAssertion", "DurationAssertion.duration", "x"),
            "\"x\", which is not a whole",
        ),
        (
            inside("ConstantTimer", "ConstantTimer.delay", "abc"),
            "\"abc\", which is not a whole number",
        ),
        (inside("UniformRandomTimer", "ConstantTimer.delay", "-5"), "\"-5\", which is not a whole"),
        (
            inside("UniformRandomTimer", "RandomTimer.range", "x"),
            "\"x\", which is not a number from 0",
        ),
        (
            inside("GaussianRandomTimer", "RandomTimer.range", "-100.0"),
            "\"-100.0\", which is not a",
        ),
        (inside("ConstantThroughputTimer", "throughput", "abc"), "\"abc\", which is not a number"),
        (
            inside("ConstantThroughputTimer", "throughput", "-5"),
            "\"-5\", which is not a number from 0",
        ),
        (size("x"), "SizeAssertion.size \"x\", which is not a whole number"),
        (
            around("LoopController", &property("LoopController.loops", "x")),
            "\"x\", which is not a whole",
        ),
        (around("LoopController", &property("LoopController.loops", "-7")), "or -1"),
        (
            around("RunTime", &property("RunTime.seconds", "x")),
            "RunTime.seconds \"x\", which is not",
        ),
        (share("7", "ThroughputController.maxThroughput", "1"), "style \"7\", which is not taken"),
        (
            share("0", "ThroughputController.maxThroughput", "x"),
            "\"x\", which is not a whole number",
        ),
        (share("1", "ThroughputController.percentThroughput", "200"), "from 0 to 100"),
    ] {
        let said = said(&plan).unwrap_err();
        assert!(said.contains(words), "{words}: {said}");
    }
    // Nothing is 0, and a longest time of 0 is none.
    for plan in [
        inside("DurationAssertion", "DurationAssertion.duration", "0"),
        inside("ConstantTimer", "ConstantTimer.delay", ""),
        size("7"),
        around("LoopController", &property("LoopController.loops", "1")),
    ] {
        assert_eq!(said(&plan), Ok(1), "{plan}");
    }
}

#[test]
fn requests_have_ports_methods_and_protocols() {
    for (plan, words) in [
        (
            sampler("HTTPSampler.port", "74 01"),
            "HTTPSampler.port \"74 01\", which is not a whole number",
        ),
        (sampler("HTTPSampler.port", "99999"), "from 1 to 65535"),
        (sampler("HTTPSampler.connect_timeout", "abc"), "\"abc\", which is not a whole number"),
        (sampler("HTTPSampler.response_timeout", "-1"), "\"-1\", which is not a whole number"),
        (sampler("HTTPSampler.method", "FOO"), "the method \"FOO\", which is not taken"),
        (sampler("HTTPSampler.method", "get"), "the method \"get\", which is not taken"),
        (sampler("HTTPSampler.protocol", "ftp"), "the protocol \"ftp\", which is not taken"),
        (sampler("HTTPSampler.protocol", "file"), "the protocol \"file\", which is not taken"),
    ] {
        let said = said(&plan).unwrap_err();
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// JMeter takes a computed word for 0, but a longest time that is none cannot hold.
#[test]
fn a_computed_word_is_0() {
    let script = element("JSR223PostProcessor", &[("script", "vars.put('v', 'x')")]);
    let first = get("first", "/first", &script);
    let a = get("a", "/a", "");
    for (plan, count) in [
        (get("a", "/a", &element("ConstantTimer", &[("ConstantTimer.delay", "${v}")])), 2),
        (below("LoopController", &property("LoopController.loops", "${v}"), &a), 1),
        (below("RunTime", &property("RunTime.seconds", "${v}"), &a), 1),
    ] {
        let asked = ran(&group("ThreadGroup", "1", "1", &(first.clone() + &plan))).unwrap().asked;
        assert_eq!(asked.len(), count, "{plan}: {asked:?}");
    }
    let late =
        get("a", "/a", &element("DurationAssertion", &[("DurationAssertion.duration", "${v}")]));
    let ran = ran(&group("ThreadGroup", "1", "1", &(first + &late))).unwrap();
    assert_eq!((ran.asked.len(), ran.of("a").failed), (2, 1));
}

/// In a workload of one's own, the step behind a computed word fails and is not sent.
#[test]
fn the_step_behind_a_computed_word_fails() {
    let inside = json!([{ "name": "a", "http": { "path": "/a" } }]);
    let folder = tempfile::tempdir().unwrap();
    for (at, step) in [
        json!({ "name": "a", "http": { "path": "/a" }, "wait": [{ "ms": "${v}" }] }),
        json!({ "name": "a", "http": { "path": "/a" }, "wait": [{ "ms": 1, "random": "${v}" }] }),
        json!({ "name": "a", "http": { "path": "/a" }, "wait": [{ "ms": "${v}", "pace": "all" }] }),
        json!({ "name": "a", "http": { "path": "/a", "timeout_ms": "${v}" } }),
        json!({ "name": "a", "http": { "path": "/a", "fields": [["${v} y", "z"]] } }),
        json!({ "loop": "${v}", "step": inside }),
        json!({ "for_seconds": "${v}", "step": inside }),
        json!({ "limit": { "times": "${v}" }, "step": inside }),
        json!({ "limit": { "percent": "${v}" }, "step": inside }),
    ]
    .into_iter()
    .enumerate()
    {
        let file = json!({
            "workload": { "name": "w" },
            "group": [{ "name": "g", "iterations": 1, "step": [{ "set": { "v": "x" } }, step] }],
        });
        let asked = Asked::default();
        let target = Some(format!("http://127.0.0.1:{}", serve_all(&asked)));
        let definition = serde_json::from_value(file).unwrap();
        let own = folder.path().join(at.to_string());
        std::fs::create_dir(&own).unwrap();
        let ran = ran_whole(
            super::super::Compiled { definition, target, users: 1, unread: None },
            &own,
            &asked,
        );
        assert!(ran.asked.is_empty(), "{step}: {:?}", ran.asked);
        assert_eq!((ran.of("a").completed, ran.of("a").failed), (0, 1), "{step}");
    }
}

#[test]
fn names_that_nothing_has_are_refused() {
    let header = |name: &str| {
        format!(
            "<HeaderManager><collectionProp name=\"HeaderManager.headers\"><elementProp>{}{}</elementProp></collectionProp></HeaderManager><hashTree/>",
            property("Header.name", name),
            property("Header.value", "v")
        )
    };
    let script = |language: &str, text: &str| {
        element("JSR223PreProcessor", &[("scriptLanguage", language), ("script", text)])
    };
    let paths = |names: &str, paths: &str, defaults: &str| {
        let texts = [
            ("JSONPostProcessor.referenceNames", names),
            ("JSONPostProcessor.jsonPathExprs", paths),
            ("JSONPostProcessor.defaultValues", defaults),
        ];
        get("a", "/a", &element("JSONPostProcessor", &texts))
    };
    for (inside, words) in [
        (header("a b"), "the header \"a b\", which is no name of a field"),
        (script("groovy", "vars.put(\"a\", \"x$y\")"), "Groovy fills in what is behind a `$`"),
        (script("", "vars.put(\"a\", \"$\")"), "Groovy fills in what is behind a `$`"),
        (paths("a;b", "$.id", "d;d"), "2 names, 1 JSON paths and 2 default values"),
        (paths("a;b", "$.id;$.id", "d"), "2 names, 2 JSON paths and 1 default values"),
    ] {
        let said = said(&(inside + &get("b", "/b", ""))).unwrap_err();
        assert!(said.contains(words), "{words}: {said}");
    }
    for inside in [
        header("a-b"),
        script("groovy", "vars.put('a', 'x$y')"),
        script("javascript", "vars.put(\"a\", \"x$y\")"),
        paths("a;b;", "$.id;$.id", "d;d"),
    ] {
        assert!(said(&(inside + &get("b", "/b", ""))).is_ok());
    }
    let groups = group("ThreadGroup", "1", "1", &get("a", "/a", ""));
    let with = groups.replace(
        "<stringProp name=\"LoopController.loops\">",
        "<stringProp name=\"LoopController.zzz\">3</stringProp><stringProp name=\"LoopController.loops\">",
    );
    let problems = ran(&with).err().unwrap();
    assert!(problems[0].message.contains("LoopController.zzz \"3\""), "{problems:?}");
}

/// What a run of this file asks the server of the corpus.
fn asked_by(file: serde_json::Value, given: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let asked = Asked::default();
    let port = serve_by(&asked, |stream, asked| Box::pin(server::serve(stream, asked)));
    let target = Some(format!("http://127.0.0.1:{port}"));
    let mut definition: crate::workload::file::Definition = serde_json::from_value(file).unwrap();
    definition.give(given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let compiled = super::super::Compiled { definition, target, users: 1, unread: None };
    ran_whole(compiled, folder.path(), &asked).asked
}

/// Fields of every request are also those of `http` steps, but for what names the caller at other places.
#[test]
fn fields_of_every_request_are_sent_by_all_steps() {
    let other = Asked::default();
    let port = serve_by(&other, |stream, asked| Box::pin(server::serve(stream, asked)));
    let step = json!([
        { "request": "GET /a" },
        { "http": { "path": "/b" } },
        { "http": { "path": "/c", "fields": [["x-token", "own"]] } },
        { "http": { "path": format!("http://127.0.0.1:{port}/d") } },
    ]);
    let asked = asked_by(
        json!({
            "workload": { "name": "w", "headers": { "X-Token": "t", "Authorization": "secret" } },
            "group": [{ "name": "g", "step": step }],
        }),
        &[],
    );
    let expected = [
        "GET /a X-Token=t Authorization=secret",
        "GET /b X-Token=t Authorization=secret",
        "GET /c X-Token=own Authorization=secret",
    ];
    assert_eq!(asked, expected);
    assert_eq!(*other.lock().unwrap(), ["GET /d X-Token=t"]);
}

/// A redirect that keeps method and content keeps them in every kind of step (RFC 9110, 15.4.8).
#[test]
fn redirects_that_keep_the_content_repeat_it() {
    let steps: Vec<_> = [302, 307, 308]
        .iter()
        .flat_map(|status| {
            [
                json!({ "request": format!("POST /move/{status}"), "body": "x", "follow": "all" }),
                json!({ "http": { "method": "POST", "path": format!("/move/{status}"), "body": "y", "follow": "all" } }),
            ]
        })
        .collect();
    let file = json!({ "workload": { "name": "w" }, "group": [{ "name": "g", "step": steps }] });
    let expected = [
        "POST /move/302 body=x",
        "GET /ok",
        "POST /move/302 body=y",
        "GET /ok",
        "POST /move/307 body=x",
        "POST /ok body=x",
        "POST /move/307 body=y",
        "POST /ok body=y",
        "POST /move/308 body=x",
        "POST /ok body=x",
        "POST /move/308 body=y",
        "POST /ok body=y",
    ];
    assert_eq!(asked_by(file, &[]), expected);
}

/// Values that a run is given replace those of the file, and a file that is not there fails the step that needs it.
#[test]
fn given_values_replace_those_of_the_file() {
    let step = json!([
        { "http": { "path": "/${host}/${port}/${shared(host)}" } },
        { "http": { "method": "POST", "path": "/b", "body": "${file(none.json)}" } },
        { "http": { "path": "/c${random(5,1)}" } },
        { "http": { "path": "/d" } },
    ]);
    let file = json!({
        "workload": { "name": "w", "values": { "host": "one", "port": 1 } },
        "group": [{ "name": "g", "step": step }],
    });
    let given = [("host", "two"), ("port", "2")];
    assert_eq!(asked_by(file, &given), ["GET /two/2/two", "GET /d"]);
}
