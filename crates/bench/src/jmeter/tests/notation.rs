//! The notation of the corpus of plans: a line for each element, what is below it two characters further in.
//!
//! `TAG name | property: value | …`. Properties get the prefix of their element; `bench/jmeter/corpus.py` reads the same
//! notation for JMeter itself, and says which words mean collections.

use std::fmt::Write as _;

/// A case: its name, the plan, the files beside it, and what JMeter asks and reports.
#[derive(Debug, Default)]
pub(super) struct Case {
    pub(super) name: String,
    plan: Vec<String>,
    pub(super) files: Vec<(String, String)>,
    pub(super) requests: Vec<String>,
    pub(super) samples: Vec<String>,
    /// What is refused, instead of requests and samples.
    pub(super) refused: Vec<String>,
    /// Whether threads run beside each other.
    pub(super) any_order: bool,
}

/// The cases of a file.
pub(super) fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in text.split("\n## ").skip(1) {
        let mut lines = part.lines();
        let name = lines.next().unwrap_or_default().split(':').next().unwrap_or_default();
        let mut case = Case { name: name.to_owned(), ..Case::default() };
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let rest = || line[1..].trim_start().to_owned();
            match &line[..1] {
                ">" => case.requests.push(rest()),
                "=" => case.samples.push(rest()),
                "!" => case.refused.push(rest()),
                "~" => case.any_order = true,
                "@" => {
                    let rest = rest();
                    let (name, text) = rest.split_once(": ").unwrap_or((&rest, ""));
                    let text = text.replace("\\n", "\n").replace("\\t", "\t");
                    case.files.push((name.to_owned(), text));
                }
                "#" => {}
                _ => case.plan.push(line.to_owned()),
            }
        }
        cases.push(case);
    }
    cases
}

impl Case {
    /// The plan as JMeter keeps it.
    pub(super) fn jmx(&self) -> String {
        let is_plan = |line: &&String| line.starts_with("TestPlan");
        let plan = self.plan.iter().find(is_plan).map_or("TestPlan P", String::as_str);
        let rest: Vec<&str> =
            self.plan.iter().filter(|line| !is_plan(line)).map(String::as_str).collect();
        let defaults = opening("ConfigTestElement server | domain: 127.0.0.1 | port: ${__P(port)}");
        format!(
            "<jmeterTestPlan><hashTree>{}<hashTree>{defaults}<hashTree/>\n{}</hashTree></hashTree></jmeterTestPlan>",
            opening(plan),
            tree(&rest, 0)
        )
    }
}

fn tree(lines: &[&str], depth: usize) -> String {
    let (mut out, mut at) = (String::new(), 0);
    let indent = "  ".repeat(depth + 1);
    while at < lines.len() {
        let below = lines[at + 1..].iter().take_while(|line| line.starts_with(&indent)).count();
        let inside = tree(&lines[at + 1..=at + below], depth + 1);
        let _ = writeln!(out, "{}<hashTree>{inside}</hashTree>", opening(lines[at]));
        at += below + 1;
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn property(name: &str, value: &str) -> String {
    format!("<stringProp name=\"{}\">{}</stringProp>", escaped(name), escaped(value))
}

/// What the properties of an element begin with.
fn prefix(tag: &str) -> String {
    match tag {
        "HTTPSamplerProxy" | "ConfigTestElement" => "HTTPSampler.".into(),
        "SetupThreadGroup" | "PostThreadGroup" => "ThreadGroup.".into(),
        "TestAction" => "ActionProcessor.".into(),
        "GaussianRandomTimer" | "UniformRandomTimer" | "PoissonRandomTimer" => {
            "RandomTimer.".into()
        }
        "RandomController" => "InterleaveControl.".into(),
        "ResponseAssertion" => "Assertion.".into(),
        "CacheManager"
        | "CSVDataSet"
        | "RandomVariableConfig"
        | "ConstantThroughputTimer"
        | "JSR223PostProcessor"
        | "JSR223PreProcessor"
        | "SyncTimer"
        | "JMESPathAssertion"
        | "XPathAssertion"
        | "JSONPathAssertion" => String::new(),
        tag => format!("{tag}."),
    }
}

/// A list of properties of properties.
fn list(name: &str, each: &[String]) -> String {
    format!("<collectionProp name=\"{name}\">{}</collectionProp>", each.concat())
}

fn argument(name: &str, value: &str, encode: bool) -> String {
    format!(
        "<elementProp name=\"{}\" elementType=\"HTTPArgument\"><boolProp name=\"HTTPArgument.always_encode\">{encode}</boolProp>{}{}{}</elementProp>",
        escaped(name),
        property("Argument.name", name),
        property("Argument.value", value),
        property("Argument.metadata", "=")
    )
}

/// An element with named properties in a list.
fn row(names: &[&str], values: &[&str]) -> String {
    let each: String =
        names.iter().zip(values).map(|(name, value)| property(name, value)).collect();
    format!("<elementProp name=\"\">{each}</elementProp>")
}

/// An element of one line.
fn opening(line: &str) -> String {
    let line = format!("{} ", line.trim());
    let mut parts = line.split(" |").map(str::trim);
    let head = parts.next().unwrap_or_default();
    let (tag, name) = head.split_once(' ').unwrap_or((head, ""));
    let (mut texts, mut arguments, mut attributes) = (String::new(), Vec::new(), String::new());
    let [mut variables, mut headers, mut strings] = [const { Vec::new() }; 3];
    let [mut names, mut users, mut logins, mut cookies] = [const { Vec::new() }; 4];
    let mut loops = "1".to_owned();
    for part in parts {
        let (key, value) = part.split_once(':').unwrap_or((part, ""));
        let value = value.trim().replace("\\n", "\n");
        let pair = value.split_once('=').unwrap_or((&value, ""));
        let fields: Vec<&str> = value.split(',').collect();
        match key {
            "enabled" => attributes = format!(" enabled=\"{value}\""),
            "arg" | "raw" => arguments.push(argument(pair.0, pair.1, key == "arg")),
            "bare" => arguments.push(argument(&value, "", true).replace(">=<", "><")),
            "body" => {
                texts += &property("HTTPSampler.postBodyRaw", "true");
                arguments.push(argument("", &value, false));
            }
            "var" => variables.push(row(&["Argument.name", "Argument.value"], &[pair.0, pair.1])),
            "header" => headers.push(row(&["Header.name", "Header.value"], &[pair.0, pair.1])),
            "text" => strings.push(property("1", &value)),
            "name" if tag == "UserParameters" => names.push(property("1", &value)),
            "user" if tag == "UserParameters" => {
                let each: Vec<String> = fields.iter().map(|field| property("1", field)).collect();
                users.push(list("1", &each));
            }
            "auth" => {
                let names =
                    ["url", "username", "password"].map(|name| format!("Authorization.{name}"));
                logins.push(row(&names.each_ref().map(String::as_str), &fields));
            }
            "cookie" => {
                let names = ["Cookie.value", "Cookie.domain", "Cookie.path"];
                let inside = row(&names, &fields[1..]);
                let named = format!("name=\"{0}\" testname=\"{0}\"", fields[0]);
                cookies.push(inside.replace("name=\"\"", &named));
            }
            "loops" if tag != "LoopController" => loops = value,
            "module" => {
                let names = std::iter::once("Test Plan").chain(value.split('/'));
                let each: Vec<String> = names.map(|name| property("1", name)).collect();
                texts += &list("ModuleController.node_path", &each);
            }
            "threads" => texts += &property("ThreadGroup.num_threads", &value),
            _ if key.contains('.') => texts += &property(key, &value),
            _ => texts += &property(&format!("{}{key}", prefix(tag)), &value),
        }
    }
    texts += &collections(tag, &texts, &loops, &arguments, &variables);
    for (name, each) in [
        ("HeaderManager.headers", headers),
        ("Asserion.test_strings", strings),
        ("UserParameters.names", names),
        ("UserParameters.thread_values", users),
        ("AuthManager.auth_list", logins),
        ("CookieManager.cookies", cookies),
    ] {
        if !each.is_empty() {
            texts += &list(name, &each);
        }
    }
    if tag == "ConfigTestElement" {
        attributes += " guiclass=\"HttpDefaultsGui\"";
    }
    format!("<{tag} testname=\"{}\"{attributes}>{texts}</{tag}>", escaped(name))
}

/// The loops of a group, the arguments of a request and variables.
fn collections(
    tag: &str,
    known: &str,
    loops: &str,
    arguments: &[String],
    variables: &[String],
) -> String {
    let mut texts = String::new();
    if tag.ends_with("ThreadGroup") {
        if !known.contains("num_threads") {
            texts += &property("ThreadGroup.num_threads", "1");
        }
        let loops = property("LoopController.loops", loops);
        texts +=
            &format!("<elementProp name=\"ThreadGroup.main_controller\">{loops}</elementProp>");
    }
    if !arguments.is_empty() {
        let inside = list("Arguments.arguments", arguments);
        texts += &format!("<elementProp name=\"HTTPsampler.Arguments\">{inside}</elementProp>");
    }
    if !variables.is_empty() {
        let inside = list("Arguments.arguments", variables);
        texts += &match tag {
            "TestPlan" => format!(
                "<elementProp name=\"TestPlan.user_defined_variables\">{inside}</elementProp>"
            ),
            _ => inside,
        };
    }
    texts
}
