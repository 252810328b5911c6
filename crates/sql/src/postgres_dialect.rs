//! PostgreSQL's answers to what SQL engines differ in.

use std::sync::Arc;

use crate::parts::affixes::Affixes;
use duet_model::catalog::PrefixOrder;
use duet_model::{Arithmetic, ArrayPath, Column, Comparability, IndexKind, Type};
use duet_text::arithmetic::NumberRules;
use duet_text::{ArrayPosition, Fold, JsonStep};

use crate::dialect::{
    Dialect, Estimate, ExtractionPart, IndexClass, IndexSyntax, JsonSyntax, KeyStyle, KeySyntax,
    OrderSyntax, PlanPrefix, QuerySyntax, TextSyntax, ValueSyntax, WordSearch, WriteSyntax,
};
use crate::group_syntax::{self, GroupSyntax};
use crate::pair_syntax::{self, PairSyntax};
use crate::parts::calculations;
use crate::parts::collection_types::CollectionTypes;
use crate::parts::joined::JoinedPiece;
use crate::parts::journal_tables::{self, JournalTables};
use crate::parts::key_table::{self, KeyTable};
use crate::parts::row_functions::{self, RowFunctions};
use crate::parts::spellings::{self, PrefixRange};
use crate::parts::totals::Totals;
use crate::parts::trigrams::has_trigram;
use crate::parts::webhook_tables::{self, WebhookTables};
use crate::parts::{element_values, fold, joined, jsonpath};
use crate::postgres_totals;
use crate::webhooks::{self, WatchScript, WatchedTable};

/// How PostgreSQL keeps a BRIN index: ranges of 256 kB, and those that have just been filled are summarized by
/// autovacuum, without which every search reads what was added since the last VACUUM.
const BLOCK_RANGES: &str = " WITH (pages_per_range = 32, autosummarize = on)";

/// PostgreSQL 13 and later, and engines that speak its protocol and SQL.
#[derive(Clone, Copy, Debug)]
pub struct Postgres {
    /// Whether ICU collations exist, with which `lower` supports all of Unicode under any locale.
    pub icu: bool,
}

impl Postgres {
    /// The type a parameter is cast to; widened where one type serves several columns.
    fn cast(ty: &Type, declared: &str, out: &mut String) {
        let known = match ty {
            Type::Boolean => "boolean",
            Type::Integer { .. } => "int8",
            Type::Decimal { .. } => "numeric",
            Type::Float { bits: 32 } => "float4",
            Type::Float { .. } => "float8",
            Type::Uuid => "uuid",
            Type::Date => "date",
            Type::Time => "time",
            Type::TimeTz => "timetz",
            Type::Timestamp => "timestamp",
            Type::TimestampTz => "timestamptz",
            Type::Interval => "interval",
            Type::Binary => "bytea",
            Type::Json => "jsonb",
            Type::Formatted(form) => form.name,
            Type::Native(native) => &native.cast,
            Type::Char => "bpchar",
            Type::Text if !declared.ends_with("citext") => "text",
            Type::Text
            | Type::Enum(_)
            | Type::Array(_)
            | Type::Composite(_)
            | Type::Pair(_)
            | Type::Dynamic
            | Type::Other => declared,
        };
        out.push_str("::");
        out.push_str(known);
    }
}

/// A declared type without its parenthesized modifiers: `character varying(3)[]` is `character
/// varying[]`. Without its length, `bit` is another type.
fn without_length(declared: &str) -> String {
    let mut name = String::with_capacity(declared.len());
    let mut depth = 0;
    for char in declared.chars() {
        match char {
            '"' if depth == 0 => return declared.to_owned(),
            '(' => depth += 1,
            ')' => depth -= 1,
            char if depth == 0 => name.push(char),
            _ => {}
        }
    }
    match name.as_str() {
        // Quoted, it has no length; `varbit[]` has no operators with it.
        "bit[]" => "pg_catalog.\"bit\"[]".to_owned(),
        // Of one character, as SQL has it.
        "character[]" => "bpchar[]".to_owned(),
        _ => name,
    }
}

/// Whether keys of a type may be rows, of which `unnest` would make several columns.
fn is_row(ty: &Type) -> bool {
    matches!(ty, Type::Native(native) if native.comparison == Comparability::None)
}

impl Dialect for Postgres {
    fn shared(&self) -> Arc<dyn Dialect> {
        Arc::new(*self)
    }
}

impl ValueSyntax for Postgres {
    fn placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String) {
        out.push('$');
        out.push_str(&number.to_string());
        // Unknown types compare by their text; see `comparable`.
        let declared = if *ty == Type::Other { "text" } else { declared };
        Self::cast(ty, declared, out);
    }

    fn bare_placeholder(&self, number: usize, out: &mut String) {
        out.push('$');
        out.push_str(&number.to_string());
    }

    fn selected(&self, ty: &Type) -> Affixes {
        match ty {
            Type::Other | Type::Native(_) | Type::Enum(_) => Affixes::new("", "::text"),
            // A cast to text would add `/32` to a host.
            Type::Formatted(form) if form.name == "inet" => Affixes::new("pg_catalog.abbrev(", ")"),
            Type::Formatted(_) => Affixes::new("", "::text"),
            Type::Array(inner) => match **inner {
                Type::Other | Type::Native(_) | Type::Enum(_) => Affixes::new("", "::text[]"),
                // By the text of the array, whose elements are written like single values.
                Type::Formatted(form) if form.name == "inet" => Affixes::new("", "::text::text[]"),
                Type::Formatted(_) => Affixes::new("", "::text[]"),
                _ => Affixes::NONE,
            },
            _ => Affixes::NONE,
        }
    }

    fn null_type(&self, ty: &Type, declared: &str) -> Option<String> {
        // Domains count as their base type in a union, and may refuse NULL: so the base type is
        // named wherever it is known.
        let known = match ty {
            Type::Integer { bits: 16 } => "int2",
            Type::Integer { bits: 32 } => "int4",
            Type::Float { bits: 32 } => "float4",
            ty if ty.domain_casts().is_some() => "json",
            Type::Other | Type::Native(_) | Type::Formatted(_) | Type::Enum(_) | Type::Text => {
                "text"
            }
            Type::Json if matches!(declared, "json" | "jsonb") => declared,
            Type::Json => return None,
            Type::Array(_) if self.selected(ty).after.ends_with("::text[]") => "text[]",
            Type::Array(_) => return declared.ends_with("[]").then(|| declared.to_owned()),
            _ => {
                let mut cast = String::new();
                Self::cast(ty, declared, &mut cast);
                return Some(cast.trim_start_matches("::").to_owned());
            }
        };
        Some(known.to_owned())
    }

    fn cast_from_text(&self, ty: &Type, declared: &str, out: &mut String) {
        match ty {
            Type::Other if declared.starts_with("bit(") => out.push_str("::varbit"),
            Type::Json => {
                out.push_str("::");
                out.push_str(declared);
            }
            Type::Array(_) | Type::Other => Self::cast(ty, &without_length(declared), out),
            _ => Self::cast(ty, declared, out),
        }
    }

    fn knows_result_types(&self) -> bool {
        true
    }

    fn generated(&self, ty: &Type) -> Affixes {
        if matches!(ty, Type::Decimal { scale: None }) {
            Affixes::new("trim_scale(", ")")
        } else {
            Affixes::NONE
        }
    }

    fn as_of(&self) -> &'static str {
        "(SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))"
    }
}

impl KeySyntax for Postgres {
    fn key_style(&self) -> KeyStyle {
        KeyStyle::Arrays
    }

    fn key_placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String) {
        out.push('$');
        out.push_str(&number.to_string());
        // An array of arrays would be one array of more dimensions.
        match ty {
            Type::Array(_) => out.push_str("::text"),
            ty if is_row(ty) => out.push_str("::text"),
            ty => Self::cast(ty, declared, out),
        }
        out.push_str("[]");
    }

    fn key_of_table(&self, ty: &Type, declared: &str, out: &mut String) {
        if matches!(ty, Type::Array(_)) || is_row(ty) {
            Self::cast(ty, &without_length(declared), out);
        }
    }

    fn key_table(&self) -> KeyTable {
        key_table::POSTGRES
    }

    fn journal_tables(&self) -> JournalTables {
        journal_tables::POSTGRES
    }

    fn webhook_tables(&self) -> WebhookTables {
        webhook_tables::POSTGRES
    }

    fn watch_script(&self, watched: &WatchedTable) -> WatchScript {
        webhooks::postgres_script(watched)
    }

    fn drop_watch(&self, trigger: &str) -> String {
        webhooks::postgres_drop(trigger)
    }
}

impl OrderSyntax for Postgres {
    fn comparable(&self, ty: &Type) -> Affixes {
        if *ty == Type::Other { Affixes::new("(", ")::text") } else { Affixes::NONE }
    }

    fn beyond_type(&self) -> Affixes {
        Affixes::new("", "::int8")
    }

    fn prefix_range(
        &self,
        column: &Column,
        order: Option<PrefixOrder>,
        prefix: &str,
    ) -> Option<PrefixRange> {
        let order = order.filter(|_| self.finds_prefixes(column, prefix))?;
        spellings::of_prefix_in(order, prefix)
    }

    fn finds_prefixes(&self, column: &Column, _prefix: &str) -> bool {
        column.ty == Type::Text && !column.loose_equality
    }

    fn indexes_have_nulls_last(&self) -> bool {
        true
    }

    fn most_characters(&self, declared: &str) -> Option<usize> {
        let (name, rest) = declared.split_once('(')?;
        let is_text = matches!(name.trim_end(), "character varying" | "character");
        rest.strip_suffix(')').filter(|_| is_text)?.parse().ok()
    }
}

impl TextSyntax for Postgres {
    fn like(&self, ignore_case: bool, loose: bool) -> [&'static str; 3] {
        // PostgreSQL refuses patterns and parts on collations under which different texts can be equal.
        match (ignore_case, self.icu, loose) {
            (false, _, false) => ["(", ")::text LIKE ", ""],
            (false, _, true) => ["(", ")::text COLLATE \"default\" LIKE ", ""],
            (true, true, _) => {
                ["lower((", ")::text COLLATE \"und-x-icu\") LIKE lower(", " COLLATE \"und-x-icu\")"]
            }
            (true, false, false) => ["(", ")::text ILIKE ", ""],
            (true, false, true) => ["(", ")::text COLLATE \"default\" ILIKE ", ""],
        }
    }

    fn contains(&self, loose: bool) -> [&'static str; 3] {
        match loose {
            true => ["strpos((", ")::text COLLATE \"default\", ", ") > 0"],
            false => ["strpos((", ")::text, ", ") > 0"],
        }
    }

    fn fold(&self, fold: Fold) -> [&'static str; 2] {
        fold::postgres(fold, self.icu)
    }

    fn regex(&self, loose: bool) -> [&'static str; 3] {
        match loose {
            true => ["(", ")::text COLLATE \"C\" ~ ", ""],
            false => ["(", ")::text ~ ", ""],
        }
    }

    fn word_search(&self) -> WordSearch {
        WordSearch::Vectors
    }

    fn similar(&self) -> [&'static str; 3] {
        ["", " % ", ""]
    }

    fn distance(&self) -> [&'static str; 3] {
        ["(", " <-> ", ")"]
    }

    fn finds_similar(&self) -> bool {
        true
    }

    fn has_dictionary(&self, _name: &str) -> bool {
        // The server says which it has.
        true
    }

    fn finds_parts(&self, pattern: &str) -> bool {
        // The beginning and the end of a text have trigrams with blanks.
        has_trigram(pattern) || !pattern.starts_with(['%', '_']) || !pattern.ends_with(['%', '_'])
    }
}

impl JsonSyntax for Postgres {
    fn json_test(&self) -> [&'static str; 3] {
        ["(", ")::jsonb @? ", "::jsonpath"]
    }

    fn json_elements(&self) -> Option<[&'static str; 3]> {
        Some(["jsonb_path_query_array(", ", ", "::jsonpath)"])
    }

    fn json_elements_path(&self, path: &[String]) -> String {
        jsonpath::elements(path)
    }

    fn extraction(&self, ty: &Type) -> &'static [ExtractionPart] {
        use ExtractionPart::{Column, Path, Text};
        match ty {
            Type::Boolean => &[
                Text("(CASE "),
                Column,
                Text(" #> "),
                Path,
                Text(" WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END)"),
            ],
            ty if ty.is_number() => &[
                Text("(CASE jsonb_typeof("),
                Column,
                Text(" #> "),
                Path,
                Text(") WHEN 'number' THEN ("),
                Column,
                Text(" #>> "),
                Path,
                Text(")::numeric END)"),
            ],
            _ => &[
                Text("((CASE jsonb_typeof("),
                Column,
                Text(" #> "),
                Path,
                Text(") WHEN 'string' THEN "),
                Column,
                Text(" #>> "),
                Path,
                Text(" END) COLLATE \"C\")"),
            ],
        }
    }

    fn extraction_path(&self, path: &[String]) -> Option<String> {
        let step =
            |step: &String| format!("\"{}\"", step.replace('\\', "\\\\").replace('"', "\\\""));
        // A number leads into arrays too.
        let leads_into_arrays = |step: &String| step.parse::<i64>().is_ok();
        let steps: Vec<String> = path.iter().map(step).collect();
        (!path.iter().any(leads_into_arrays)).then(|| format!("{{{}}}", steps.join(",")))
    }

    fn json_column(&self, declared: &str) -> &'static str {
        // Functions of values inside, and the text of a value, are those of `jsonb`.
        if declared == "json" { "::jsonb" } else { "" }
    }

    fn json_text(&self) -> [&'static str; 3] {
        ["((", " #>> ", "::text[]) COLLATE \"C\")"]
    }

    fn json_text_at_steps(&self) -> Option<[&'static str; 4]> {
        Some(["((", " #>> string_to_array(", ", ", ")) COLLATE \"C\")"])
    }

    fn json_text_path(&self, path: &[String]) -> Option<String> {
        self.extraction_path(path)
    }

    fn joined_texts(&self, paths: &str) -> Vec<JoinedPiece> {
        joined::postgres(paths, &|path| self.extraction_path(path))
    }

    fn element_values(&self, path: &ArrayPath) -> Vec<JoinedPiece> {
        element_values::postgres(path)
    }

    fn json_value(&self) -> [&'static str; 3] {
        // In strict mode the filter is one of the array of all values.
        [
            "((jsonb_path_query_first(jsonb_path_query_array((",
            ")::jsonb, ",
            "::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE \"C\")",
        ]
    }

    fn json_inside(&self, as_text: bool) -> [&'static str; 3] {
        match as_text {
            true => ["((", " #>> ", "::text[]) COLLATE \"C\")"],
            false => ["((", ") #> ", "::text[])"],
        }
    }

    fn json_inside_path(&self, steps: &[JsonStep]) -> String {
        let step = |step: &JsonStep| match step {
            JsonStep::Member(name) => {
                format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
            }
            JsonStep::Element(ArrayPosition::Start(at)) => at.to_string(),
            JsonStep::Element(ArrayPosition::End(behind)) => format!("-{}", u64::from(*behind) + 1),
            JsonStep::Size => String::new(),
        };
        format!("{{{}}}", steps.iter().map(step).collect::<Vec<_>>().join(","))
    }

    fn number_of_text(&self) -> (&'static str, &'static [&'static str]) {
        const PATTERN: &str =
            ") ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (";
        (")::numeric END)", &["(CASE WHEN length(", ") <= 1000 AND (", PATTERN])
    }

    fn moment_of_text(&self) -> (&'static str, &'static [&'static str]) {
        const PATTERN: &str = ") ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)(\
            [0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|\
            ([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)\
            ([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?\
            (Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((";
        // A timestamp has microseconds: the finer decimals stand behind its text.
        const ZONED: &str = "), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (";
        const FINER: &str = ") ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz \
            AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US') || rpad(coalesce(substring((";
        const LAST: &str = ") FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE \"C\")";
        (LAST, &["(CASE WHEN (", PATTERN, ZONED, FINER])
    }

    fn elements(&self) -> &'static [ExtractionPart] {
        use ExtractionPart::{Column, Path, Text};
        &[
            Text("jsonb_array_elements(CASE jsonb_typeof("),
            Column,
            Text(" #> "),
            Path,
            Text(") WHEN 'array' THEN "),
            Column,
            Text(" #> "),
            Path,
            Text(" END) AS of_array(element)"),
        ]
    }

    fn element(&self) -> &'static str {
        "of_array.element"
    }

    fn json_at(&self) -> [&'static str; 3] {
        ["jsonb_path_query_first((", ")::jsonb, ", "::jsonpath, '{}', TRUE)"]
    }

    fn json_order(&self) -> &'static [&'static [&'static str]] {
        const KIND: &[&str] = &[
            "CASE jsonb_typeof(",
            ") WHEN 'boolean' THEN CASE WHEN ",
            " = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 \
             WHEN 'object' THEN 4 END",
        ];
        const NUMBER: &[&str] =
            &["CASE jsonb_typeof(", ") WHEN 'number' THEN (", " #>> '{}')::numeric END"];
        const TEXT: &[&str] =
            &["CASE jsonb_typeof(", ") WHEN 'string' THEN (", " #>> '{}') COLLATE \"C\" END"];
        &[KIND, NUMBER, TEXT]
    }
}

impl WriteSyntax for Postgres {
    fn row_lock(&self) -> Option<&'static str> {
        Some(" FOR UPDATE OF ")
    }

    fn row_lock_beside_references(&self) -> Option<&'static str> {
        Some(" FOR NO KEY UPDATE OF ")
    }

    fn row_lock_without_waiting(&self) -> Option<[&'static str; 2]> {
        Some([" SKIP LOCKED", " NOWAIT"])
    }

    fn truncates(&self) -> bool {
        true
    }

    fn has_routines(&self) -> bool {
        true
    }
}

impl IndexSyntax for Postgres {
    fn prefix_index(&self) -> IndexClass {
        IndexClass { operators: " text_pattern_ops", ..IndexClass::default() }
    }

    fn substring_index(&self) -> Option<IndexClass> {
        // Of the extension that `index_extension` names.
        let method = Some("gin");
        Some(IndexClass { method, operators: " gin_trgm_ops", ..IndexClass::default() })
    }

    fn json_index(&self, declared: &str) -> Result<IndexClass, &'static str> {
        match declared {
            "jsonb" => Ok(IndexClass {
                method: Some("gin"),
                operators: " jsonb_path_ops",
                ..IndexClass::default()
            }),
            _ => Err("only columns of the type jsonb have indexes of what is inside"),
        }
    }

    fn index_extension(&self, kind: IndexKind) -> Option<&'static str> {
        kind.has_trigrams().then_some("pg_trgm")
    }

    fn create_index(
        &self,
        [schema, index, table]: [&str; 3],
        column: &str,
        class: IndexClass,
    ) -> String {
        let method = class.method.map(|method| format!("USING {method} ")).unwrap_or_default();
        format!("CREATE INDEX {index} ON {schema}.{table} {method}({column}{})", class.operators)
    }

    fn create_words_index(&self, [schema, index, table]: [&str; 3], column: &str) -> String {
        format!(
            "CREATE INDEX {index} ON {schema}.{table} USING gin (to_tsvector('simple', {column}))"
        )
    }

    fn collection_types(&self) -> CollectionTypes {
        CollectionTypes {
            key: " uuid PRIMARY KEY",
            document: " jsonb NOT NULL",
            reference: (" uuid GENERATED ALWAYS AS ((", ")::uuid)"),
            computed: " STORED",
            values_are_columns: false,
            online: "CONCURRENTLY ",
        }
    }

    fn collection_index(&self, kind: IndexKind) -> Option<IndexClass> {
        let class = IndexClass::default();
        let of = |method| Some(IndexClass { method: Some(method), ..class });
        match kind {
            IndexKind::Ordered | IndexKind::Unique | IndexKind::Like => Some(IndexClass::default()),
            IndexKind::Trigram => self.substring_index(),
            IndexKind::Nearest => {
                Some(IndexClass { method: Some("gist"), operators: " gist_trgm_ops", ..class })
            }
            IndexKind::FullText => of("gin"),
            IndexKind::Elements => self.json_index("jsonb").ok(),
            IndexKind::Hash => of("hash"),
            IndexKind::BlockRange => {
                Some(IndexClass { method: Some("brin"), storage: BLOCK_RANGES, ..class })
            }
            IndexKind::Prefix => of("spgist"),
            IndexKind::Range | IndexKind::Point => of("gist"),
            IndexKind::Totals => None,
        }
    }

    fn has_conditions(&self, _kind: IndexKind) -> bool {
        true
    }

    fn totals_script(&self, totals: &Totals) -> String {
        postgres_totals::script(totals, self)
    }

    fn totals_drop_script(&self, totals: &Totals) -> String {
        postgres_totals::drop_script(totals)
    }

    fn has_statistics_of_expressions(&self) -> bool {
        true
    }
}

impl QuerySyntax for Postgres {
    fn estimate(&self) -> Estimate {
        Estimate::Plan("EXPLAIN (FORMAT JSON) ")
    }

    fn plan_prefix(&self) -> PlanPrefix {
        PlanPrefix::Json {
            estimated: "EXPLAIN (FORMAT JSON) ",
            measured: "EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) ",
        }
    }

    fn whole_rows(&self) -> Option<[&'static str; 2]> {
        // Below a limit, a scan of a table may be preferred to an index that costs about as much by the planner's
        // estimate, since it starts earlier. Reading values out of large JSON costs far more than that estimate: a
        // count took 20 ms instead of 1.3. The rows of such a query are made one by one, as the limit asks for them.
        Some(["WITH n AS MATERIALIZED (SELECT 1 FROM ", ") SELECT 1 FROM n"])
    }

    fn calculation(&self, operator: Arithmetic, rules: NumberRules) -> [&'static str; 3] {
        calculations::postgres(operator, rules)
    }

    fn function(
        &self,
        name: &str,
        arguments: usize,
        rules: NumberRules,
    ) -> Option<&'static [&'static str]> {
        calculations::postgres_function(name, arguments, rules, self.icu)
    }

    fn row_functions(&self) -> RowFunctions {
        row_functions::POSTGRES
    }

    fn groups(&self) -> &'static GroupSyntax {
        &group_syntax::POSTGRES
    }

    fn pairs(&self) -> &'static PairSyntax {
        &pair_syntax::POSTGRES
    }

    fn knows_origins(&self) -> bool {
        true
    }

    fn has_native_tests(&self) -> bool {
        true
    }

    fn overlaps(&self) -> bool {
        true
    }
}
