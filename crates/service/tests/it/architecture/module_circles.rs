//! Invariant 10 of ARCHITECTURE.md: no circle of modules. The modules of each folder of each crate import each other in
//! one direction, so that each can be read with those that it imports, and without any that imports it.
//!
//! What a module names over a face (`pub use` in `lib.rs` or `mod.rs`) is looked up there, so that a circle is not
//! hidden by a shorter path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{crate_names, is_part_of_name, product_code, product_files, root};

/// Where a module is below its crate.
type Place = Vec<String>;

/// Which modules of a folder import which others, with those below them.
type Imports = BTreeSet<(String, String)>;

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut checked = 0;
    let mut found = Vec::new();
    for name in crate_names() {
        for (folder, imports) in Modules::of_crate(&name).imports_by_folder() {
            checked += imports.len();
            for circle in circles(&imports) {
                let between: Vec<String> = imports
                    .iter()
                    .filter(|(from, to)| circle.contains(from) && circle.contains(to))
                    .map(|(from, to)| format!("{from} imports {to}"))
                    .collect();
                found.push(format!("{name}/src/{}: {}", folder.join("/"), between.join(", ")));
            }
        }
    }
    assert!(checked > 1_000, "only {checked} imports are found");
    assert!(found.is_empty(), "modules in a circle:\n{}", found.join("\n"));
}

#[test]
fn paths_are_found_in_code() {
    let code =
        "use super::{b::{self, C}, d};\nlet e = crate::x::e::<f>(self::g::H, *super::super::y);";
    let listed: Vec<String> = paths_from_the_crate(code).iter().map(|it| it.join("::")).collect();
    let expected = [
        "crate::x::e::",
        "super::b::self",
        "super::b::C",
        "super::d",
        "super::super::y",
        "self::g::H",
    ];
    assert_eq!(listed, expected);
    // Who may name a thing is no import.
    assert!(paths_from_the_crate("pub(in crate::x) struct Y;").is_empty());
}

#[test]
fn circles_are_found() {
    let imports: Imports = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a"), ("e", "f"), ("f", "e")]
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .into();
    let found = circles(&imports);
    assert_eq!(found, [["b", "c"].map(String::from).into(), ["e", "f"].map(String::from).into()]);
}

#[test]
fn circles_behind_a_face_are_found() {
    let code = [
        ("", "pub use a::{Made, inner::Deep};\npub use b::Other as Renamed;"),
        ("a", "pub use inner::Deep;\nuse crate::b::Second;"),
        ("a::inner", "use crate::Made;"),
        ("b", "use crate::Deep;"),
        ("c", "use crate::{Made, Renamed};"),
    ];
    let modules = Modules::new(code.map(|(place, code)| (place_of(place), code.to_owned())).into());
    let imports = modules.imports_by_folder();
    let of_crate: Vec<String> =
        imports[&place_of("")].iter().map(|(from, to)| format!("{from} {to}")).collect();
    assert_eq!(of_crate, ["a b", "b a", "c a"]);
    assert_eq!(circles(&imports[&place_of("")]), [["a", "b"].map(String::from).into()]);
}

fn place_of(path: &str) -> Place {
    path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The modules of a crate.
struct Modules {
    code: BTreeMap<Place, String>,

    /// What a module gives out under its own path, and where it has it from.
    faces: BTreeMap<(Place, String), Place>,
}

impl Modules {
    fn of_crate(name: &str) -> Self {
        let source = root().join(name).join("src");
        let files = product_files(name).into_iter();
        Self::new(files.map(|file| (module_of(&source, &file), product_code(&file))).collect())
    }

    fn new(code: BTreeMap<Place, String>) -> Self {
        let mut faces = BTreeMap::new();
        for (module, text) in &code {
            for path in given_out(text) {
                let Some(name) = path.last() else { continue };
                let is_from_crate = matches!(path.first(), Some(&"crate" | &"super" | &"self"));
                let is_child = || {
                    let first = path.first().map(|first| (*first).to_owned());
                    code.contains_key(&module.iter().cloned().chain(first).collect::<Place>())
                };
                if is_from_crate || is_child() {
                    faces.insert((module.clone(), (*name).to_owned()), absolute(module, &path));
                }
            }
        }
        Self { code, faces }
    }

    /// The imports between the modules of each folder.
    fn imports_by_folder(&self) -> BTreeMap<Place, Imports> {
        let mut all: BTreeMap<Place, Imports> = BTreeMap::new();
        for (module, code) in &self.code {
            for path in paths_from_the_crate(code) {
                let target = self.home(&absolute(module, &path), 0);
                let same =
                    target.iter().zip(module).take_while(|(one, other)| one == other).count();
                if let (Some(from), Some(to)) = (module.get(same), target.get(same)) {
                    let folder = module[..same].to_vec();
                    all.entry(folder).or_default().insert((from.clone(), to.clone()));
                }
            }
        }
        all
    }

    /// The module that a path leads to, through the faces on its way.
    fn home(&self, path: &[String], faces: usize) -> Place {
        let mut module = Place::new();
        for (at, name) in path.iter().enumerate() {
            module.push(name.clone());
            if self.code.contains_key(&module) {
                continue;
            }
            module.pop();
            return match self.faces.get(&(module.clone(), name.clone())) {
                // Faces that give out each other's names end somewhere: the compiler has seen to it.
                Some(from) if faces < 16 => self.home(&[from, &path[at + 1..]].concat(), faces + 1),
                _ => module,
            };
        }
        module
    }
}

/// The path of a file's module below its crate.
fn module_of(source: &Path, file: &Path) -> Place {
    let below = file.strip_prefix(source).unwrap().with_extension("");
    let mut module: Place = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    module.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
    module
}

/// A path as seen from the crate.
fn absolute(module: &[String], path: &[&str]) -> Place {
    let ups = path.iter().take_while(|part| **part == "super").count();
    let base = match path.first() {
        Some(&"crate") => &[],
        _ => &module[..module.len().saturating_sub(ups)],
    };
    let below = path.iter().filter(|part| !matches!(**part, "crate" | "super" | "self"));
    base.iter().cloned().chain(below.map(|part| (*part).to_owned())).collect()
}

/// The paths that a module gives out, by `pub use` or `pub(crate) use`.
fn given_out(code: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    for statement in code.split("\npub").skip(usize::from(!code.starts_with("pub"))) {
        let statement = statement.strip_prefix("pub").unwrap_or(statement);
        let behind = match statement.strip_prefix('(') {
            Some(scope) => scope.split_once(')').map_or("", |(_, behind)| behind),
            None => statement,
        };
        if let Some(path) = behind.trim_start().strip_prefix("use ") {
            read_paths(path.split(';').next().unwrap_or_default(), &[], &mut paths);
        }
    }
    paths
}

/// The paths in some code that begin in its crate, each of those in braces.
fn paths_from_the_crate(code: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    for first in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(&format!("{first}::")) {
            let is_inside = |char: char| is_part_of_name(char) || char == ':';
            if !code[..at].ends_with(is_inside) && !code[..at].ends_with("pub(in ") {
                read_paths(&code[at..], &[], &mut paths);
            }
        }
    }
    paths
}

/// Adds the path that a text begins with, and returns what follows it.
fn read_paths<'c>(text: &'c str, before: &[&'c str], paths: &mut Vec<Vec<&'c str>>) -> &'c str {
    let mut rest = text.trim_start();
    if let Some(list) = rest.strip_prefix('{') {
        rest = list;
        while !rest.trim_start().starts_with('}') && !rest.is_empty() {
            rest = read_paths(rest, before, paths);
            // Behind a name there may be `as` and another.
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        return rest.trim_start().strip_prefix('}').unwrap_or_default();
    }
    let end = rest.find(|char| !is_part_of_name(char)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let path = [before, &[name]].concat();
    match after.strip_prefix("::") {
        Some(more) => read_paths(more, &path, paths),
        None => {
            paths.push(path);
            after
        }
    }
}

/// The groups of modules that import themselves over the others of their group.
fn circles(imports: &Imports) -> Vec<BTreeSet<String>> {
    let modules: BTreeSet<&str> = imports.iter().map(|(from, _)| from.as_str()).collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        modules.iter().map(|it| (*it, reached_from(it, imports))).collect();
    let mut found = BTreeSet::new();
    for (module, others) in reached.iter().filter(|(module, others)| others.contains(*module)) {
        let is_back = |other: &&&str| reached.get(**other).is_some_and(|it| it.contains(module));
        found.insert(others.iter().filter(is_back).map(|it| (*it).to_owned()).collect());
    }
    found.into_iter().collect()
}

fn reached_from<'i>(start: &str, imports: &'i Imports) -> BTreeSet<&'i str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(module) = open.pop() {
        let next = imports.iter().filter(|(from, _)| from == module).map(|(_, to)| to.as_str());
        let new: Vec<&'i str> = next.filter(|to| reached.insert(*to)).collect();
        open.extend(new);
    }
    reached
}
