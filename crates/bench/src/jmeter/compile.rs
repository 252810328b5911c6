//! From the XML of a plan to a workload of groups.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Problem;
use super::group::group;
use super::place::{Known, Reader, Scope, pairs_of};
use super::table::{self, Part};
use crate::workload::file::Reads;
use crate::workload::file::definition::{About, Definition, Group, Http, Scalar, Step};
use crate::xml::{Element, parse};

/// What a plan is compiled with.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// The folder of the plan, where its files are.
    pub folder: PathBuf,
    /// Properties: those of `-J`.
    pub properties: BTreeMap<String, String>,
    /// Elements that are passed over, by the name of the element or of its kind.
    pub passed_over: Vec<String>,
}

/// A plan as a workload.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The workload.
    pub definition: Definition,
    /// The service of its first request that is known before the run: `http://host:port`.
    pub target: Option<String>,
    /// Its users.
    pub users: u32,
    /// The properties of `-J` that it does not read, in a sentence. JMeter takes them, as other plans may read them.
    pub unread: Option<String>,
}

/// Compiles a plan.
///
/// # Errors
/// All that cannot be taken, in the order of the lines.
pub fn compile(text: &str, options: &CompileOptions) -> Result<Compiled, Vec<Problem>> {
    let one = |problem: Problem| vec![problem];
    let mut root = parse(text).map_err(one)?;
    if root.tag != "jmeterTestPlan" {
        let message = "This is no plan of JMeter: jmeterTestPlan is missing.";
        return Err(vec![Problem::new(root.line, message)]);
    }
    let mut problems = super::expand::expand(&mut root, &options.folder, &options.passed_over);
    let tree = root.children.iter().find(|child| child.tag == "hashTree");
    let plan = pairs_of(tree).into_iter().find(|(element, _)| element.tag == "TestPlan");
    let Some((plan, below)) = plan else {
        return Err(vec![Problem::new(root.line, "The plan has no TestPlan.")]);
    };
    let mut known = Known {
        folder: options.folder.clone(),
        properties: options.properties.clone(),
        variables: BTreeMap::new(),
    };
    let mut reads = Reads::default();
    add_reads(&root, &mut reads);
    problems.extend(variables(plan, below, &mut known));
    let mut reader = Reader {
        problems: Vec::new(),
        known: &known,
        feeders: BTreeMap::new(),
        nested: Vec::new(),
        nested_first: Vec::new(),
        switches: 0,
        reads_passes: text.contains("${__jm__"),
    };
    let groups = groups(plan, below, &mut reader);
    let Reader { problems: more, feeders, .. } = reader;
    problems.extend(more);
    if groups.is_empty() && problems.is_empty() {
        problems.push(Problem::new(plan.line, "The plan has no thread group with a request."));
    }
    let users = groups.iter().map(|group| group.users).fold(0, u32::saturating_add);
    if users == 0 && problems.is_empty() {
        problems.push(Problem::new(plan.line, "The groups of the plan have no thread."));
    }
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        problems.dedup();
        return Err(problems);
    }
    let target = target(&groups, &known);
    let about = About {
        name: Some(plan.name().trim().to_owned())
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "plan".into()),
        target: None,
        headers: BTreeMap::new(),
        setup: Vec::new(),
        login: Vec::new(),
        teardown: Vec::new(),
        values: known.variables,
        shared: known.properties,
        cookies: None,
        serial: plan.is_true("TestPlan.serialize_threadgroups"),
        skip_teardown: !plan.is_true("TestPlan.tearDown_on_shutdown"),
        keep_unset: true,
    };
    let definition =
        Definition { workload: about, feeders, transaction: Vec::new(), group: groups };
    let unread = reads.refuse_unread(options.properties.keys(), "the plan").err();
    Ok(Compiled { definition, target, users, unread })
}

/// Adds what the texts of an element and of those below it read. What is disabled or passed over reads nothing.
fn add_reads(element: &Element, reads: &mut Reads) {
    reads.add_plan_text(&element.text);
    element.attributes.iter().for_each(|(_, value)| reads.add_plan_text(value));
    let mut is_off = false;
    for child in &element.children {
        // The tree of an element stands behind it.
        is_off = match child.tag.as_str() {
            "hashTree" => is_off,
            _ => !child.is_enabled() || child.attribute("passed") == "over",
        };
        if !is_off {
            add_reads(child, reads);
        }
    }
}

/// Computes the variables of the plan, wherever they stand: each once, before the run.
fn variables(plan: &Element, below: Option<&Element>, known: &mut Known) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut lists = vec![plan.property("TestPlan.user_defined_variables")];
    lists.extend(declared(below).into_iter().map(Some));
    for list in lists.into_iter().flatten() {
        // The values of one element do not see each other.
        let mut found = Vec::new();
        for one in list.collection("Arguments.arguments") {
            match super::text::text(one.text_of("Argument.value"), one.line) {
                Err(problem) => problems.push(problem),
                Ok(text) => {
                    let value = Scalar::Text(known.evaluate(&text));
                    found.push((one.text_of("Argument.name").trim().to_owned(), value));
                }
            }
        }
        known.variables.extend(found);
    }
    problems
}

/// The elements with variables in a tree, in their order.
fn declared(tree: Option<&Element>) -> Vec<&Element> {
    let mut found = Vec::new();
    for (element, below) in pairs_of(tree) {
        if element.tag == "Arguments" {
            found.push(element);
        }
        found.extend(declared(below));
    }
    found
}

fn groups(plan: &Element, below: Option<&Element>, reader: &mut Reader<'_>) -> Vec<Group> {
    reader.check(plan);
    let scope = reader.scope(&Scope::default(), below, 0);
    let mut groups = Vec::new();
    for (element, below) in pairs_of(below) {
        if table::of(&element.tag).is_some_and(|row| row.part == Part::Group) {
            groups.push(group(element, below, &scope, reader));
        }
    }
    // A group without requests does nothing.
    groups.retain(|group| has_request(&group.step));
    groups
}

fn has_request(steps: &[Step]) -> bool {
    steps
        .iter()
        .any(|step| step.http.is_some() || has_request(&step.step) || has_request(&step.otherwise))
}

/// The place of the first request that is known.
fn target(groups: &[Group], known: &Known) -> Option<String> {
    fn find(steps: &[Step], known: &Known) -> Option<String> {
        steps.iter().find_map(|step| {
            let own = step.http.as_ref().and_then(|http| place(http, known));
            own.or_else(|| find(&step.step, known)).or_else(|| find(&step.otherwise, known))
        })
    }
    groups.iter().find_map(|group| find(&group.step, known))
}

fn place(http: &Http, known: &Known) -> Option<String> {
    let text = |text: &str| known.evaluate(text).trim().to_owned();
    let (host, port) = (text(&http.host), text(&http.port));
    let protocol = match text(&http.protocol).to_ascii_lowercase() {
        empty if empty.is_empty() => "http".to_owned(),
        protocol => protocol,
    };
    let place = match port.as_str() {
        "" => format!("{protocol}://{host}"),
        port => format!("{protocol}://{host}:{port}"),
    };
    let is_known = !host.is_empty() && !place.contains("${");
    (is_known && place.parse::<crate::targets::http::Url>().is_ok()).then_some(place)
}
