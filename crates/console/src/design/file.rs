//! The page that designs a file of an application: a service, a collection or its JSON Schema. The form and the text are of
//! one model: a change of the form changes the text, and what the text declares is what the form shows.

use askama::Template;

use super::header::{Header, literal};
use super::view::Mistake;
use crate::address::encoded;
use crate::page::{Frame, Problem, rendered};

/// What a file is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// SQL with a header: a service.
    #[default]
    Service,
    /// TOML: a collection.
    Collection,
    /// JSON: the schema of a collection.
    Schema,
}

/// A parameter of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, as headers have it.
    pub ty: String,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it is a part of the path.
    pub in_path: bool,
    /// What was given for it in a try.
    pub value: String,
}

/// A service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceModel {
    /// Its method.
    pub method: String,
    /// Its path below the mount.
    pub path: String,
    /// What it answers with, as headers have it.
    pub result: String,
    /// One line about it.
    pub description: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The members of its answer with their types.
    pub members: Vec<(String, String)>,
    /// Its statements as the database gets them.
    pub statements: Vec<String>,
    /// Whether it only reads.
    pub reads: bool,
    /// The right that callers need.
    pub right: &'static str,
}

/// An index of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexRow {
    /// Its kind, as declarations have it.
    pub kind: &'static str,
    /// Its members.
    pub paths: Vec<String>,
    /// Which documents it has.
    pub condition: String,
}

impl IndexRow {
    /// Whether the form can remove it: an index of one member for all documents.
    fn is_plain(&self) -> bool {
        self.paths.len() == 1 && self.condition.is_empty()
    }
}

/// A member of a collection's documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaField {
    /// Its path.
    pub path: String,
    /// Its type.
    pub ty: String,
    /// Whether it lies in an array.
    pub repeated: bool,
}

/// An index that requests lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// Its kind, as declarations have it.
    pub kind: String,
    /// Its members.
    pub paths: Vec<String>,
    /// How many requests lack it.
    pub count: u64,
    /// How long they took, in milliseconds.
    pub millis: u64,
    /// One of them.
    pub example: String,
}

impl Advice {
    /// The line of the declaration.
    fn declaration(&self) -> String {
        match &self.paths[..] {
            [one] => format!("{} = [{}]", self.kind, literal(one)),
            several => format!("{} = [{{ paths = {several:?} }}]", self.kind),
        }
    }

    fn is_plain(&self) -> bool {
        self.paths.len() == 1
    }
}

/// A collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionModel {
    /// Its name.
    pub name: String,
    /// Its table.
    pub table: String,
    /// Whether the database has no such table.
    pub is_missing: bool,
    /// Whether the server keeps when a document was changed.
    pub metadata: bool,
    /// Whether changes give a version.
    pub versioned: bool,
    /// The members of its documents.
    pub fields: Vec<SchemaField>,
    /// Its indexes.
    pub indexes: Vec<IndexRow>,
    /// The statements that make its table and its indexes.
    pub statements: Vec<String>,
    /// The files beside this one: its declaration, or its schema.
    pub other: Option<String>,
    /// The lines of an access log that were given.
    pub log: String,
    /// What they lack.
    pub advice: Vec<Advice>,
    /// What was found in the lines, in words; empty without any.
    pub found: String,
}

/// The answer to a try of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceTrial {
    /// The request line.
    pub request: String,
    /// The status.
    pub status: String,
    /// Whether it is that of a success.
    pub is_success: bool,
    /// The body.
    pub body: String,
    /// Whether its changes were undone.
    pub undone: bool,
}

/// What a text has become.
#[derive(Clone, Debug, Default)]
pub struct DesignedFile {
    /// What it is written in.
    pub syntax: Syntax,
    /// The service.
    pub service: Option<ServiceModel>,
    /// The collection.
    pub collection: Option<CollectionModel>,
    /// The mistakes.
    pub mistakes: Vec<Mistake>,
    /// Mistakes of other files of the application, in words.
    pub elsewhere: Vec<String>,
    /// Why it could not be looked at.
    pub problem: Option<Problem>,
    /// Why nothing declares anything though there is no mistake.
    pub is_unnamed: bool,
    /// The text after the form has changed it.
    pub changed: Option<String>,
    /// What a try has answered.
    pub trial: Option<ServiceTrial>,
    /// Why nothing is tried; none where it is.
    pub no_trial: Option<&'static str>,
    /// What was done, such as stored.
    pub done: Option<String>,
    /// The methods, types and results of services, and the kinds of indexes.
    pub words: Words,
}

/// The words that headers take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// Methods.
    pub methods: &'static [&'static str],
    /// What a service answers with.
    pub results: &'static [&'static str],
    /// Types of parameters.
    pub types: &'static [&'static str],
    /// Kinds of indexes that are lists of members.
    pub kinds: &'static [&'static str],
}

/// The value that a form has sent for a name.
pub type FormReader<'f> = &'f dyn Fn(&str) -> Option<String>;

impl ServiceModel {
    /// The text after what a form has sent.
    pub fn changed(&self, text: &str, sent: FormReader<'_>) -> String {
        let mut header = Header::of_sql(text);
        let keys = [
            ("method", &self.method, "GET"),
            ("path", &self.path, ""),
            ("result", &self.result, "rows"),
            ("description", &self.description, ""),
        ];
        let action = sent("action").unwrap_or_default();
        for (key, now, usual) in keys.into_iter().filter(|_| action == "form") {
            let Some(wanted) = sent(&format!("f-{key}")) else { continue };
            let wanted = wanted.trim();
            if wanted != now {
                header.set(key, (wanted != usual).then(|| literal(wanted)).as_deref());
            }
        }
        if let Some(name) = sent("drop") {
            header.set_below("parameters", &name, None);
        }
        let added = sent("f-name").filter(|name| action == "add" && !name.trim().is_empty());
        if let Some(name) = added {
            let ty = literal(&sent("f-type").unwrap_or_default());
            let optional = if sent("f-optional").is_some() { ", optional = true" } else { "" };
            let value = format!("{{ type = {ty}{optional} }}");
            header.set_below("parameters", name.trim(), Some(&value));
        }
        header.text()
    }
}

impl CollectionModel {
    /// The text after what a form has sent.
    pub fn changed(&self, text: &str, sent: FormReader<'_>) -> String {
        let mut header = Header::of_toml(text);
        let action = sent("action").unwrap_or_default();
        if action == "form" && sent("f-switches").is_some() {
            for (key, now) in [("metadata", self.metadata), ("versioned", self.versioned)] {
                let wanted = sent(&format!("f-{key}")).is_some();
                if wanted != now {
                    header.set(key, wanted.then_some("true"));
                }
            }
        }
        let mut listed = |asked: Option<String>, is_in| {
            let asked = asked.unwrap_or_default();
            if let Some((kind, path)) = asked.split_once(' ').filter(|(_, path)| !path.is_empty()) {
                header.set_listed("indexes", kind, path, is_in);
            }
        };
        listed(sent("drop"), false);
        listed(sent("declare"), true);
        if let (Some(kind), Some(path), "add") = (sent("f-kind"), sent("f-path"), &*action) {
            listed(Some(format!("{kind} {path}")), true);
        }
        header.text()
    }
}

impl DesignedFile {
    fn is_collection(&self) -> bool {
        self.syntax == Syntax::Collection
    }
}

/// A file that can be designed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLink {
    /// Its name.
    pub name: String,
    /// What it is, in words.
    pub kind: &'static str,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "design/file.html")]
pub struct DesignFile<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The path of the mount.
    pub mount: &'a str,
    /// The page itself, without its query.
    pub path: &'a str,
    /// The file's name.
    pub file: &'a str,
    /// What the file was when the page was opened, as a hash; empty of a new one.
    pub before: &'a str,
    /// The text.
    pub text: &'a str,
    /// The files of the application.
    pub files: &'a [FileLink],
    /// Whether it can be stored.
    pub may_store: bool,
    /// What the text has become.
    pub designed: &'a DesignedFile,
}

impl DesignFile<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn encoded(&self, file: &str) -> String {
        encoded(file)
    }

    fn language(&self) -> &'static str {
        match self.designed.syntax {
            Syntax::Service => "SQL, with a header in comments",
            Syntax::Collection => "TOML",
            Syntax::Schema => "JSON Schema",
        }
    }

    fn page_of_manual(&self) -> &'static str {
        match self.designed.syntax {
            Syntax::Service => "services",
            Syntax::Collection | Syntax::Schema => "collections",
        }
    }
}

/// The part of the page that follows the text as it is typed.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "design/designed_file.html")]
pub struct DesignedFilePart<'a> {
    /// What the text has become.
    pub designed: &'a DesignedFile,
}

impl DesignedFilePart<'_> {
    /// The part.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> + use<> {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        move |name| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn forms_change_texts() {
        let service = ServiceModel {
            method: "GET".into(),
            path: "/a".into(),
            result: "rows".into(),
            ..ServiceModel::default()
        };
        let typed = [
            ("f-method", "POST"),
            ("f-path", "/a"),
            ("f-name", "id"),
            ("f-type", "text"),
            ("f-optional", "on"),
        ];
        let form = |action| sent(&[&typed[..], &[("action", action)]].concat());
        assert_eq!(
            service.changed("SELECT 1\n", &form("form")),
            "-- method = \"POST\"\nSELECT 1\n"
        );
        assert_eq!(
            service.changed("SELECT 1\n", &form("add")),
            "-- [parameters]\n-- id = { type = \"text\", optional = true }\nSELECT 1\n"
        );
        let collection = CollectionModel { metadata: true, ..CollectionModel::default() };
        let form = sent(&[
            ("f-switches", "1"),
            ("f-versioned", "on"),
            ("action", "form"),
            ("declare", "like name"),
        ]);
        assert_eq!(
            collection.changed("schema = \"a\"\nmetadata = true\n", &form),
            "schema = \"a\"\nversioned = true\n[indexes]\nlike = [\"name\"]\n"
        );
    }
}
