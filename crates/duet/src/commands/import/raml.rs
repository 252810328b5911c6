//! The resources that the RAML files of a module declare: their paths, methods and statuses, and the JSON Schemas of their
//! items and lists.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{ModuleFiles, joined};
use super::yaml::{self, Entry, Yaml};

/// The methods of resources.
const METHODS: [&str; 6] = ["get", "post", "put", "patch", "delete", "head"];

/// How deep included files are followed.
const DEPTH: usize = 8;

/// A resource.
#[derive(Clone, Debug, Default)]
pub(super) struct Resource {
    /// The file that declares it, and its line there.
    pub(super) file: String,
    pub(super) line: usize,
    /// Its path, with parameters in braces.
    pub(super) path: String,
    /// Its methods, each with the declared statuses.
    pub(super) methods: BTreeMap<String, BTreeSet<u16>>,
    /// The file with the JSON Schema of its item.
    pub(super) item: Option<String>,
    /// That of its list.
    pub(super) list: Option<String>,
}

impl Resource {
    /// Whether it is one item of another one: `/{id}` at its end.
    pub(super) fn is_item_of(&self, path: &str) -> bool {
        let rest = self.path.strip_prefix(path).and_then(|rest| rest.strip_prefix("/{"));
        rest.is_some_and(|rest| rest.find('}') == Some(rest.len() - 1))
    }
}

/// The resources of all files in a folder, in the order of files and lines.
pub(super) fn resources(files: &ModuleFiles) -> Vec<Resource> {
    let mut found = Vec::new();
    for name in files.with_suffix(".raml") {
        let Ok(text) = files.read(&name) else { continue };
        if text.starts_with("#%RAML 1.0\n") || text.starts_with("#%RAML 1.0\r") {
            let root = yaml::read(&text);
            let document = Document::new(files, name, &root);
            document.below(&root, "", &mut found);
        }
    }
    found
}

/// One file with what it declares for its resources.
struct Document<'f> {
    files: &'f ModuleFiles,
    name: String,
    /// The JSON Schemas by the names of their types.
    types: BTreeMap<String, String>,
    kinds: BTreeMap<String, Yaml>,
    traits: BTreeMap<String, Yaml>,
}

impl<'f> Document<'f> {
    fn new(files: &'f ModuleFiles, name: String, root: &Yaml) -> Self {
        let mut made = Self {
            files,
            name,
            types: BTreeMap::new(),
            kinds: BTreeMap::new(),
            traits: BTreeMap::new(),
        };
        for Entry { key, value, .. } in root.get("types").map_or(&[][..], Yaml::entries) {
            if let Yaml::Include(path) = value
                && let Some(path) = joined(&made.name, path)
            {
                made.types.insert(key.clone(), path);
            }
        }
        made.kinds = made.included(root.get("resourceTypes"));
        made.traits = made.included(root.get("traits"));
        made
    }

    /// The members of a mapping, those of other files read.
    fn included(&self, of: Option<&Yaml>) -> BTreeMap<String, Yaml> {
        let entries = of.map_or(&[][..], Yaml::entries).iter();
        entries.map(|entry| (entry.key.clone(), self.value(&entry.value, DEPTH))).collect()
    }

    fn value(&self, value: &Yaml, depth: usize) -> Yaml {
        let Yaml::Include(path) = value else { return value.clone() };
        let read = joined(&self.name, path).and_then(|path| self.files.read(&path).ok());
        match read {
            Some(text) if depth > 0 => yaml::read(&text),
            _ => Yaml::Null,
        }
    }

    /// The resources below a path.
    fn below(&self, at: &Yaml, path: &str, out: &mut Vec<Resource>) {
        for entry in at.entries().iter().filter(|entry| entry.key.starts_with('/')) {
            let path = format!("{path}{}", entry.key);
            let mut resource = Resource {
                file: self.name.clone(),
                line: entry.line,
                path: path.clone(),
                ..Resource::default()
            };
            self.read(&entry.value, &mut resource);
            out.push(resource);
            self.below(&entry.value, &path, out);
        }
    }

    fn read(&self, value: &Yaml, resource: &mut Resource) {
        let (kind, given) = match value.get("type") {
            Some(Yaml::Text(name)) => (Some(name.as_str()), None),
            Some(Yaml::Map(entries)) => {
                let first = entries.first();
                (first.map(|it| it.key.as_str()), first.map(|it| &it.value))
            }
            _ => (None, None),
        };
        let schema = |names: [&str; 2]| {
            let text = names.iter().find_map(|name| given?.get(name)?.text());
            self.schema_of(text?)
        };
        resource.item = schema(["schemaItem", "schema"]);
        resource.list = schema(["schemaCollection", "schemaList"]);
        let kind = kind.and_then(|name| self.kinds.get(name));
        let all_traits = self.statuses_of_traits(value.get("is"));
        for method in METHODS {
            let of_kind = kind.and_then(|kind| kind.get(method));
            let own = value.get(method);
            if of_kind.is_none() && own.is_none() {
                continue;
            }
            let mut statuses = all_traits.clone();
            for declared in of_kind.into_iter().chain(own) {
                statuses.extend(of_responses(declared));
                statuses.extend(self.statuses_of_traits(declared.get("is")));
            }
            let body = own.and_then(|own| own.get("body")?.get("application/json")?.get("type"));
            let body = body.and_then(Yaml::text).and_then(|name| self.schema_of(name));
            resource.item = resource.item.take().or(body);
            resource.methods.insert(method.to_owned(), statuses);
        }
    }

    fn schema_of(&self, name: &str) -> Option<String> {
        self.types.get(name).cloned()
    }

    fn statuses_of_traits(&self, is: Option<&Yaml>) -> BTreeSet<u16> {
        let Some(Yaml::List(names)) = is else { return BTreeSet::new() };
        let names = names.iter().filter_map(|name| match name {
            Yaml::Text(name) => Some(name.as_str()),
            Yaml::Map(entries) => entries.first().map(|entry| entry.key.as_str()),
            _ => None,
        });
        names.filter_map(|name| self.traits.get(name)).flat_map(of_responses).collect()
    }
}

fn of_responses(declared: &Yaml) -> Vec<u16> {
    let responses = declared.get("responses").map_or(&[][..], Yaml::entries);
    responses.iter().filter_map(|entry| entry.key.parse().ok()).collect()
}
