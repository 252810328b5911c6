//! Elements that refer to other parts of a plan: module controllers, the files that include controllers name, and the elements
//! that are passed over.

use std::path::Path;

use super::Problem;
use crate::xml::{Element, parse};

/// What runs only where it is named.
const FRAGMENT: &str = "TestFragmentController";
/// How deeply modules and files may be in each other.
const MOST_NESTED: usize = 8;
/// How many elements and properties a plan may have with them: one that contains itself would double at each level.
const MOST_ELEMENTS: usize = 500_000;

/// Replaces modules and included files by the parts that they name, and marks what is passed over. What cannot be found is
/// refused.
pub(super) fn expand(root: &mut Element, folder: &Path, passed_over: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut unmet: Vec<&String> = passed_over.iter().collect();
    pass_over(root, passed_over, &mut unmet);
    for name in unmet {
        let message = format!("`--pass-over {name}` names no element of the plan.");
        problems.push(Problem::new(root.line, message));
    }
    for _ in 0..MOST_NESTED {
        let whole = root.copy();
        if !replaced(root, &whole, folder, &mut problems) {
            return problems;
        }
        if count(root) > MOST_ELEMENTS {
            let message = format!(
                "With modules and included files the plan has more than {MOST_ELEMENTS} elements and properties. \
                 Does one of them contain itself?"
            );
            problems.push(Problem::new(root.line, message));
            return problems;
        }
    }
    let message =
        format!("Modules or included files are in each other more than {MOST_NESTED} times.");
    problems.push(Problem::new(root.line, message));
    problems
}

/// Elements and properties, this one included.
fn count(element: &Element) -> usize {
    1 + element.children.iter().map(count).sum::<usize>()
}

fn pass_over(element: &mut Element, names: &[String], unmet: &mut Vec<&String>) {
    for child in &mut element.children {
        let is_named = |name: &&String| **name == child.tag || **name == child.name();
        if child.tag != "hashTree"
            && !child.tag.ends_with("Prop")
            && names.iter().any(|name| is_named(&name))
        {
            unmet.retain(|name| !is_named(name));
            child.attributes.push(("passed".into(), "over".into()));
        }
        pass_over(child, names, unmet);
    }
}

/// Replaces one level; whether there was anything to replace.
fn replaced(
    element: &mut Element,
    whole: &Element,
    folder: &Path,
    problems: &mut Vec<Problem>,
) -> bool {
    let mut was_any = false;
    let mut children = Vec::new();
    for mut child in std::mem::take(&mut element.children) {
        let is_on = child.is_enabled() && child.attribute("passed") != "over";
        let found = match child.tag.as_str() {
            "ModuleController" if is_on => Some(module(&child, whole)),
            "IncludeController" if is_on => Some(included(&child, folder)),
            _ => None,
        };
        match found {
            None => {
                was_any |= replaced(&mut child, whole, folder, problems);
                children.push(child);
            }
            Some(found) => {
                was_any = true;
                let simple = Element {
                    tag: "GenericController".into(),
                    attributes: vec![("testname".into(), child.name().to_owned())],
                    line: child.line,
                    ..Element::default()
                };
                let mut inside = found.unwrap_or_else(|problem| {
                    problems.push(problem);
                    Vec::new()
                });
                // A fragment that is named runs.
                for fragment in inside.iter_mut().filter(|one| one.tag == FRAGMENT) {
                    fragment.tag = "GenericController".into();
                }
                let tree = Element {
                    tag: "hashTree".into(),
                    children: inside,
                    line: child.line,
                    ..Element::default()
                };
                children.extend([simple, tree]);
            }
        }
    }
    // The tree of a controller that was replaced stands behind its own, and has nothing.
    let mut kept: Vec<Element> = Vec::new();
    for child in children {
        let is_second = kept.last().is_some_and(|last| last.tag == "hashTree");
        if child.tag == "hashTree" && is_second && child.children.is_empty() {
            continue;
        }
        kept.push(child);
    }
    element.children = kept;
    was_any
}

/// The element that a module controller names by its path, with what is below it.
fn module(controller: &Element, whole: &Element) -> Result<Vec<Element>, Problem> {
    let path: Vec<&str> = controller
        .collection("ModuleController.node_path")
        .iter()
        .map(|name| name.text.as_str())
        .collect();
    let trees: Vec<&Element> = whole.children.iter().filter(|one| one.tag == "hashTree").collect();
    let inside: Vec<&Element> = trees.iter().flat_map(|tree| &tree.children).collect();
    let of_plan = inside.iter().find(|one| one.tag == "hashTree");
    let found =
        of_plan.and_then(|tree| (1..path.len()).find_map(|from| at_path(tree, &path[from..])));
    found.ok_or_else(|| {
        let message = format!(
            "ModuleController ({:?}) names {:?}, which the plan does not have.",
            controller.name(),
            path.join(" > ")
        );
        Problem::new(controller.line, message)
    })
}

fn at_path(tree: &Element, path: &[&str]) -> Option<Vec<Element>> {
    let (first, rest) = path.split_first()?;
    for (at, child) in tree.children.iter().enumerate() {
        if child.tag == "hashTree" || child.name() != *first {
            continue;
        }
        let below = tree.children.get(at + 1).filter(|next| next.tag == "hashTree");
        if rest.is_empty() {
            let mut one = child.copy();
            one.attributes.retain(|(name, _)| name != "enabled");
            return Some(std::iter::once(one).chain(below.map(Element::copy)).collect());
        }
        if let Some(found) = below.and_then(|below| at_path(below, rest)) {
            return Some(found);
        }
    }
    None
}

/// The fragment of a file, whose elements have the line of the controller that includes it.
fn included(controller: &Element, folder: &Path) -> Result<Vec<Element>, Problem> {
    let name = controller.text_of("IncludeController.includepath");
    let wrong = |why: String| {
        let message =
            format!("IncludeController ({:?}) includes {name:?}: {why}", controller.name());
        Problem::new(controller.line, message)
    };
    let text = std::fs::read_to_string(folder.join(name))
        .map_err(|error| wrong(format!("it cannot be read: {error}.")))?;
    let mut root = parse(&text).map_err(|problem| wrong(problem.to_string()))?;
    set_line(&mut root, controller.line);
    let mut trees = root.children.iter().filter(|one| one.tag == "hashTree");
    let Some(tree) = trees.next() else { return Err(wrong("it has no plan.".into())) };
    // A whole plan gives what is below it, a fragment itself.
    let of_plan = tree.children.iter().position(|one| one.tag == "TestPlan");
    let tree = of_plan.and_then(|at| tree.children.get(at + 1)).unwrap_or(tree);
    Ok(tree.children.iter().map(Element::copy).collect())
}

fn set_line(element: &mut Element, line: usize) {
    element.line = line;
    element.children.iter_mut().for_each(|child| set_line(child, line));
}
