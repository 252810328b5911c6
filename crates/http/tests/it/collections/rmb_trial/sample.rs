//! What is drawn: declarations, documents and queries.

use serde_json::{Map, Value, json};

/// The JSON Schema of all documents.
pub(super) const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
    "title": {"type": "string"}, "code": {"type": "string"}, "kind": {"type": "string", "enum": ["Open", "open Ärger", "Closed"]},
    "price": {"type": "number"}, "rush": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
    "people": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "lang": {"type": "string"}}}},
    "about": {"type": "object", "properties": {"place": {"type": "string"}}}}}"#;

const WORDS: [&str; 8] = ["Art", "art", "Ärger", "arger", "kayak", "Kay", "Søv", "sov"];

/// Numbers that follow from a seed (xorshift).
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below another one.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    fn words(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.one(&WORDS)).collect::<Vec<_>>().join(" ")
    }
}

/// The indexes of one path.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) kind: &'static str,
    pub(super) path: String,
    pub(super) case_sensitive: bool,
    pub(super) remove_accents: bool,
    pub(super) joined: Option<&'static str>,
}

/// A declaration.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) table: String,
    pub(super) entries: Vec<Entry>,
}

impl Declared {
    /// The file.
    pub(super) fn schema_json(&self) -> String {
        let mut table = Map::new();
        table.insert("tableName".into(), json!(self.table));
        for entry in &self.entries {
            let mut value = json!({ "fieldName": entry.path, "caseSensitive": entry.case_sensitive,
                "removeAccents": entry.remove_accents });
            if let Some(paths) = entry.joined {
                value["multiFieldNames"] = json!(paths);
            }
            if entry.path == "people" {
                value["arraySubfield"] = json!("name");
                value["arrayModifiers"] = json!(["lang"]);
            }
            let list = table.entry(entry.kind).or_insert_with(|| json!([]));
            list.as_array_mut().unwrap().push(value);
        }
        json!({ "tables": [table] }).to_string()
    }

    /// The entry of a kind for a path.
    pub(super) fn entry(&self, kind: &str, path: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.kind == kind && entry.path == path)
    }
}

/// A random declaration.
pub(super) fn declared(table: &str, draw: &mut Draw) -> Declared {
    let mut entries = Vec::new();
    for path in ["title", "code", "kind", "tags", "about.place"] {
        for kind in ["ginIndex", "likeIndex", "index", "fullTextIndex"] {
            if draw.below(3) > 0 {
                continue;
            }
            let case_sensitive = kind != "fullTextIndex" && draw.below(2) == 0;
            let remove_accents = draw.below(2) == 0;
            let path = path.to_owned();
            entries.push(Entry { kind, path, case_sensitive, remove_accents, joined: None });
        }
    }
    let joined = "title, people[*].name,about.place,tags[*],price";
    for (kind, path, joined) in [
        ("fullTextIndex", "keyword", Some(joined)),
        ("ginIndex", "keyword", Some("title,code")),
        ("uniqueIndex", "pair", Some("id,code")),
        ("fullTextIndex", "people", None),
    ] {
        let case_sensitive = kind == "uniqueIndex";
        let remove_accents = draw.below(2) == 0;
        let path = path.to_owned();
        entries.push(Entry { kind, path, case_sensitive, remove_accents, joined });
    }
    Declared { table: table.to_owned(), entries }
}

/// Random documents.
pub(super) fn documents(count: usize, draw: &mut Draw) -> Vec<Value> {
    (0..count).map(|at| document(at, draw)).collect()
}

fn document(at: usize, draw: &mut Draw) -> Value {
    let mut members = Map::new();
    members.insert("id".into(), json!(format!("{at:08x}-0000-4000-8000-000000000000")));
    for name in ["title", "code"] {
        if draw.below(5) > 0 {
            members.insert(name.into(), json!(draw.words(3)));
        }
    }
    if draw.below(4) > 0 {
        members.insert("kind".into(), json!(draw.one(&["Open", "open Ärger", "Closed"])));
    }
    if draw.below(3) > 0 {
        members.insert("price".into(), json!(draw.below(12)));
    }
    if draw.below(3) > 0 {
        members.insert("rush".into(), json!(draw.below(2) == 0));
    }
    if draw.below(3) > 0 {
        members.insert("about".into(), json!({ "place": draw.words(2) }));
    }
    let tags: Vec<String> = (0..draw.below(3)).map(|_| draw.words(2)).collect();
    let people: Vec<Value> = (0..draw.below(3))
        .map(|_| json!({ "name": draw.words(2), "lang": draw.one(&["art", "Kay"]) }))
        .collect();
    members.insert("tags".into(), json!(tags));
    members.insert("people".into(), json!(people));
    Value::Object(members)
}

/// A query: clauses from left to right, each behind an operator.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) clauses: Vec<(&'static str, Clause)>,
}

/// A path, a relation and a term.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) path: &'static str,
    pub(super) relation: &'static str,
    /// A modifier of elements: a member, and the value that it must have.
    pub(super) modifier: Option<(&'static str, Option<&'static str>)>,
    pub(super) term: String,
}

impl Query {
    /// Its text.
    pub(super) fn cql(&self) -> String {
        let mut text = String::new();
        for (at, (operator, clause)) in self.clauses.iter().enumerate() {
            if at > 0 {
                text += &format!(" {operator} ");
            }
            let modifier = match clause.modifier {
                Some((member, Some(value))) => format!("/@{member}={value}"),
                Some((member, None)) => format!("/@{member}"),
                None => String::new(),
            };
            text += &format!("{} {}{modifier} \"{}\"", clause.path, clause.relation, clause.term);
        }
        text
    }
}

/// A random query.
pub(super) fn query(draw: &mut Draw) -> Query {
    let count = 1 + draw.below(3);
    let clauses = (0..count).map(|_| (draw.one(&["and", "or", "not"]), clause(draw)));
    Query { clauses: clauses.collect() }
}

fn clause(draw: &mut Draw) -> Clause {
    let paths = [
        "title",
        "code",
        "kind",
        "tags",
        "about.place",
        "keyword",
        "pair",
        "price",
        "rush",
        "lost",
        "people",
    ];
    let path = draw.one(&paths);
    let words = ["=", "=", "adj", "all", "any"];
    let others = ["==", "==", "<>", "<", ">=", "=", "all", "any"];
    let modifier = (path == "people" && draw.below(2) == 0).then(|| {
        let value = (draw.below(2) == 0).then(|| draw.one(&["art", "Kay"]));
        (if draw.below(3) == 0 { "name" } else { "lang" }, value)
    });
    let relation = if modifier.is_some() { draw.one(&words) } else { draw.one(&others) };
    let is_words = words.contains(&relation);
    let term = match draw.below(8) {
        0 if is_words => "*".to_owned(),
        0 | 1 if is_words => String::new(),
        2 if is_words => format!("{}*", draw.one(&WORDS)),
        0 if relation == "==" || relation == "<>" => format!("*{}*", draw.one(&WORDS)),
        1 if relation == "==" || relation == "<>" => format!("{}?", draw.one(&WORDS)),
        2 => draw.one(&["true", "7", "open", "Open", "[]", "1"]).to_owned(),
        _ => draw.words(2),
    };
    Clause { path, relation, modifier, term }
}
