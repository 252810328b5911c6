//! The query parameters of requests, each declared once: the parser, the refusal of unknown ones, OpenAPI documents and
//! a test of the manual read these declarations.
//!
//! Where a parameter is allowed is said by the lists: in the order in which a refusal names them.

pub use super::declaration::{BodyMember, ParameterDeclaration, names};

const TEXT: &str = r#"{"type":"string"}"#;
const TEXTS: &str = r#"{"type":"array","items":{"type":"string"}}"#;
const FLAG: &str = r#"{"type":"integer","format":"int32","enum":[0,1],"default":0}"#;
const NOT_NEGATIVE: &str = r#"{"type":"integer","format":"int64","minimum":0}"#;
const POSITIVE: &str = r#"{"type":"integer","format":"int64","minimum":1}"#;

/// The filter and order as JSON.
pub const Q: ParameterDeclaration = ParameterDeclaration::new(
    ["q", "Q"],
    "Which items, and in which order: a filter as JSON text.",
    TEXT,
)
.in_body("", r#"{"type":"object"}"#);

/// The filter and order as CQL.
pub const QUERY: ParameterDeclaration = ParameterDeclaration::new(
    ["query", "Query"],
    "Which items, and in which order, in CQL; instead of `q`.",
    TEXT,
)
.in_body("A filter in CQL, instead of `q`.", TEXT);

/// How many items at most.
pub const LIMIT: ParameterDeclaration =
    ParameterDeclaration::new(["limit", "Limit"], "Items in the page.", POSITIVE)
        .in_body("", POSITIVE);

/// How many items to skip.
pub const OFFSET: ParameterDeclaration = ParameterDeclaration::new(
    ["offset", "Offset"],
    "Items to skip.",
    r#"{"type":"integer","format":"int64","minimum":0,"default":0}"#,
)
.in_body("Items to skip, 0 by default.", NOT_NEGATIVE);

/// The marker after which a page begins.
pub const AFTER: ParameterDeclaration = ParameterDeclaration::new(
    ["after", "After"],
    "Pages by key instead of by `offset`, equally fast on every page: empty for the first, then as the link `next` \
     has it, where it is already percent-encoded. Not together with `offset`.",
    TEXT,
)
.in_body("Pages by key: empty for the first, then as the link `next` has it.", TEXT);

/// The server that the page before was read from.
pub const NODE: ParameterDeclaration = ParameterDeclaration::new(["node", ""], "", TEXT)
    .error("`node` is taken from the link `next` as it is there.");

/// Which members.
pub const FIELDS: ParameterDeclaration = ParameterDeclaration::new(
    ["fields", "Fields"],
    "Only these members, joined by commas; a dotted path goes below one.",
    TEXT,
)
.in_body("Only these members; a dotted path goes below one.", TEXTS);

/// Which related rows.
pub const EXPAND: ParameterDeclaration =
    ParameterDeclaration::new(["expand", ""], "", TEXT).in_body("", TEXTS);

/// Whether to count all items.
pub const COUNT: ParameterDeclaration = ParameterDeclaration::new(
    ["count", "Count"],
    "Whether the page says how many items there are in all.",
    r#"{"type":"string","enum":["none","estimated","exact"],"default":"none"}"#,
)
.in_body(
    "Whether the page says how many items there are in all; `none` by default.",
    r#"{"type":"string","enum":["none","estimated","exact"]}"#,
)
.error("`count` is one of exact, estimated, none.");

/// Items by their keys.
pub const IDS: ParameterDeclaration = ParameterDeclaration::new(
    ["ids", "Ids"],
    "Items by their keys instead of a page, joined by commas; composite keys by semicolons. Keys have the form that \
     they have in paths. Only with `fields` and `expand`.",
    TEXT,
);

/// The plan of a page instead of the page.
pub const EXPLAIN_PAGE: ParameterDeclaration = ParameterDeclaration::new(
    ["explain", "ExplainPage"],
    "1 (or true): the answer is a `PagePlan`, as application/vnd.duet.plan+json: what the request would do, with the \
     index of each condition, and no page. `plan` adds the database's own plan of the first statement, `analyze` what \
     it measures by running it; both for `duet.admin`.",
    r#"{"type":"string","enum":["0","1","true","false","plan","analyze"]}"#,
)
.error("`explain` is 1 or 0, or true or false; of a page also `plan` or `analyze`.");

/// The plan of a write instead of the write.
pub const EXPLAIN: ParameterDeclaration = ParameterDeclaration::new(
    ["explain", "Explain"],
    "1 (or true): nothing is done, and the answer is the `Plan`, as application/vnd.duet.plan+json; for several items \
     an array of them.",
    FLAG,
)
.error(EXPLAIN_ERROR);

const EXPLAIN_ERROR: &str = "`explain` is 1 or 0, or true or false.";

/// How the documents of a list are counted.
pub const TOTAL_RECORDS: ParameterDeclaration = ParameterDeclaration::new(
    ["totalRecords", ""],
    "How documents are counted; `auto` counts exactly up to a limit and estimates above it.",
    r#"{"type":"string","enum":["auto","exact","estimated","none"],"default":"auto"}"#,
)
.error("`totalRecords` is one of auto, exact, estimated, none.");

/// The values that are counted beside a list, in profiles that have that; it may be repeated.
pub const FACETS: ParameterDeclaration = ParameterDeclaration::new(
    ["facets", ""],
    "A member whose most frequent values are counted, with how many of them: `status:10`. It may be repeated.",
    r#"{"type":"array","items":{"type":"string"}}"#,
);

/// The language of a list; it is taken and has no meaning.
pub const LANG: ParameterDeclaration = ParameterDeclaration::new(["lang", ""], "", TEXT);

/// Whether all items of a batch are made or none.
pub const ATOMIC: ParameterDeclaration = ParameterDeclaration::new(
    ["atomic", "Atomic"],
    "Whether all items are made or none.",
    r#"{"type":"boolean","default":false}"#,
);

/// The event of a view behind which a page of its events begins.
pub const EVENTS_AFTER: ParameterDeclaration = ParameterDeclaration::new(
    ["after", "EventsAfter"],
    "The events behind this one, by its `id`; without it, all that are kept. `end`: none, and `after` of the page says \
     where the events are now.",
    TEXT,
);

/// How long to wait for what becomes of an acknowledged row.
pub const WAIT: ParameterDeclaration = ParameterDeclaration::new(["wait", ""], "", NOT_NEGATIVE);

/// What a page takes, as parameters or as members of a body.
pub const PAGE: [&ParameterDeclaration; 8] =
    [&Q, &QUERY, &LIMIT, &OFFSET, &FIELDS, &EXPAND, &COUNT, &AFTER];

/// The members of the body of a search, in the order of OpenAPI documents.
pub const SEARCH: [&ParameterDeclaration; 8] =
    [&Q, &QUERY, &LIMIT, &OFFSET, &AFTER, &FIELDS, &EXPAND, &COUNT];

/// The names of what the query string of a page takes.
pub const OF_PAGES: [&str; 10] =
    names([&Q, &QUERY, &LIMIT, &OFFSET, &FIELDS, &EXPAND, &COUNT, &AFTER, &EXPLAIN_PAGE, &NODE]);

/// Those of items by their keys; all but `ids`, `fields` and `expand` are refused beside the first.
pub const OF_ITEMS_BY_KEYS: [&str; 9] =
    names([&IDS, &Q, &QUERY, &LIMIT, &OFFSET, &FIELDS, &EXPAND, &COUNT, &AFTER]);

/// Those of a list of a collection.
pub const OF_LISTS: [&str; 9] =
    names([&QUERY, &Q, &LIMIT, &OFFSET, &TOTAL_RECORDS, &AFTER, &LANG, &EXPLAIN_PAGE, &NODE]);

/// Those of an item.
pub const OF_ITEMS: [&str; 2] = names([&FIELDS, &EXPAND]);

/// Those of a write by key.
pub const OF_WRITES: [&str; 1] = names([&EXPLAIN]);

/// Those of a write by key for clients that send those of lists too, which have no meaning there.
pub const OF_WRITES_AND_LISTS: [&str; 6] =
    names([&EXPLAIN, &QUERY, &LIMIT, &OFFSET, &LANG, &TOTAL_RECORDS]);

/// Those of a write of what a filter selects.
pub const OF_SELECTIONS: [&str; 2] = names([&EXPLAIN, &Q]);

/// Those of batches.
pub const OF_BATCHES: [&str; 1] = names([&ATOMIC]);

/// Those of the status of an acknowledged row.
pub const OF_ACCEPTED_ROWS: [&str; 1] = names([&WAIT]);

/// Those of the events of a view.
pub const OF_VIEW_EVENTS: [&str; 2] = names([&EVENTS_AFTER, &LIMIT]);

/// Those of a catalog.
pub const OF_CATALOGS: [&str; 2] = names([&LIMIT, &OFFSET]);

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;

    #[test]
    fn schemas_are_json() {
        let of_loads = load::all().chain([load::REPORT_WITH_SQL]);
        let own =
            PAGE.into_iter().copied().chain([IDS, EXPLAIN, TOTAL_RECORDS, LANG, ATOMIC, WAIT]);
        for parameter in own.chain(of_loads).chain(load::FURTHER) {
            let members = parameter.member.map(|member| member.schema);
            for schema in [parameter.schema].into_iter().chain(members) {
                let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
                assert!(schema["type"].is_string(), "{}: {schema}", parameter.name);
            }
        }
    }

    /// The rows of tables of a page of the manual that name these parameters first.
    fn is_in_manual(page: &str, name: &str) -> bool {
        let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
        let firsts: Vec<_> = rows.filter_map(|row| row.split(" | ").next()).collect();
        firsts.iter().any(|first| first.contains(&format!("`{name}`")))
    }

    #[test]
    fn the_manual_has_a_row_for_each_parameter() {
        let pages = OF_PAGES.iter().chain([&IDS.name]).map(|name| ("rest.md", *name));
        // `lang` has no meaning, and `after` and `explain` are those of pages.
        let without_row = ["lang", "after", "explain", "node"];
        let lists = OF_LISTS.iter().filter(|name| !without_row.contains(name));
        let lists = lists.map(|name| ("collections.md", *name));
        let loads = load::all().map(|parameter| ("batchload.md", parameter.name));
        let further = load::FURTHER.map(|parameter| ("ords.md", parameter.name));
        let missing: Vec<_> = pages
            .chain(lists)
            .chain(loads)
            .chain(further)
            .filter(|(page, name)| !is_in_manual(page, name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
