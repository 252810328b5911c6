//! SQLite's answers to what SQL engines differ in.

use std::sync::Arc;

use crate::parts::affixes::Affixes;
use duet_model::catalog::PrefixOrder;
use duet_model::{
    Arithmetic, ArrayPath, CollectionIndex, CollectionTable, Column, IndexKind, JsonPredicate,
    JsonTest, Type, Value,
};
use duet_text::arithmetic::NumberRules;
use duet_text::decimal::Decimal;
use duet_text::numeric_digits::NumericDigits;
use duet_text::{Fold, JsonStep};

use crate::dialect::{
    Dialect, Estimate, ExtractionPart, IndexClass, IndexRange, IndexSyntax, JsonSyntax, KeySyntax,
    OrderSyntax, PlanPrefix, QuerySyntax, TextSyntax, ValueSyntax, WordSearch, WriteSyntax,
};
use crate::group_syntax::{self, GroupSyntax};
use crate::pair_syntax::{self, PairSyntax};
use crate::parts::calculations;
use crate::parts::collection_types::CollectionTypes;
use crate::parts::index_statement::IndexStatement;
use crate::parts::joined::JoinedPiece;
use crate::parts::journal_tables::{self, JournalTables};
use crate::parts::key_table::{self, KeyTable};
use crate::parts::row_functions::{self, RowFunctions};
use crate::parts::spellings::{self, PrefixRange};
use crate::parts::text_order;
use crate::parts::totals::Totals;
use crate::parts::webhook_tables::{self, WebhookTables};
use crate::sqlite_path::json_literal;
use crate::sqlite_search::SearchIndex;
use crate::webhooks::{self, WatchScript, WatchedTable};
use crate::{sqlite_syntax, sqlite_totals};

/// SQLite 3.35 and later, with the functions that Duet's connections register.
#[derive(Clone, Copy, Debug)]
pub struct Sqlite;

impl Dialect for Sqlite {
    fn shared(&self) -> Arc<dyn Dialect> {
        Arc::new(*self)
    }
}

impl ValueSyntax for Sqlite {
    fn bare_placeholder(&self, number: usize, out: &mut String) {
        out.push('?');
        out.push_str(&number.to_string());
    }

    fn constant(&self, value: &Value, ty: &Type) -> Option<String> {
        match value {
            Value::Bool(value) => Some(i64::from(*value).to_string()),
            Value::Int(_) | Value::Float(_) => Some(value.to_string()),
            Value::Text(text) if ty.is_number() => Decimal::parse(text).map(|_| text.clone()),
            _ => None,
        }
    }

    fn default_of(&self, default: Option<&str>, out: &mut String) {
        // Updates contain the catalog's default expression instead of the keyword DEFAULT.
        out.push('(');
        out.push_str(default.unwrap_or("NULL"));
        out.push(')');
    }

    fn checked_digits(&self, ty: &Type, declared: &str) -> Option<NumericDigits> {
        matches!(ty, Type::Decimal { .. }).then(|| NumericDigits::declared(declared))?
    }

    fn as_of(&self) -> &'static str {
        // A counter of Duet's own, kept per connection, is put in by the driver.
        "NULL"
    }
}

impl KeySyntax for Sqlite {
    fn key_forms(&self, ty: &Type) -> &'static [Affixes] {
        match ty {
            Type::Uuid => {
                const { &[Affixes::NONE, Affixes::new("upper(", ")"), Affixes::new("unhex(", ", '-')")] }
            }
            // The text of a path is that of a text, of a number or of bytes.
            Type::Dynamic => {
                const {
                    &[
                        Affixes::NONE,
                        Affixes::new("duet_untyped_number(", ")"),
                        Affixes::new("duet_untyped_bytes(", ")"),
                    ]
                }
            }
            _ => &[],
        }
    }

    fn row_numbers(&self) -> &'static [&'static str] {
        sqlite_syntax::ROW_NUMBERS
    }

    fn key_table(&self) -> KeyTable {
        key_table::SQLITE
    }

    fn journal_tables(&self) -> JournalTables {
        journal_tables::SQLITE
    }

    fn webhook_tables(&self) -> WebhookTables {
        webhook_tables::SQLITE
    }

    fn watch_script(&self, watched: &WatchedTable) -> WatchScript {
        webhooks::sqlite_script(watched)
    }

    fn drop_watch(&self, trigger: &str) -> String {
        webhooks::sqlite_drop(trigger)
    }
}

impl OrderSyntax for Sqlite {
    fn comparable(&self, ty: &Type) -> Affixes {
        match ty {
            Type::Timestamp | Type::TimestampTz => Affixes::new("duet_timestamp(", ")"),
            Type::TimeTz => Affixes::new("duet_time(", ")"),
            Type::Interval => Affixes::new("duet_interval(", ")"),
            Type::Uuid => Affixes::new("duet_uuid(", ")"),
            _ => Affixes::NONE,
        }
    }

    fn sortable(&self, ty: &Type) -> Affixes {
        // Nearly all are stored in one spelling, and then in the right order.
        if *ty == Type::Uuid { Affixes::NONE } else { self.comparable(ty) }
    }

    fn window(&self, ty: &Type) -> Option<&'static IndexRange> {
        const RANGE: IndexRange = IndexRange {
            earliest: Affixes::new("duet_earliest(", ")"),
            latest: Affixes::new("duet_latest(", ")"),
            least: "''",
            most: "9223372036854775807",
        };
        matches!(ty, Type::Timestamp | Type::TimestampTz).then_some(&RANGE)
    }

    fn stored_forms(&self, ty: &Type, value: &Value) -> Vec<(Value, Value, Type)> {
        match (ty, value) {
            (Type::Uuid, Value::Text(uuid)) => spellings::of_uuid(uuid),
            _ => Vec::new(),
        }
    }

    fn prefix_range(
        &self,
        column: &Column,
        _order: Option<PrefixOrder>,
        prefix: &str,
    ) -> Option<PrefixRange> {
        spellings::of_prefix(column, prefix)
    }

    fn text_order_checks(&self, ty: &Type) -> &'static [&'static str] {
        text_order::checks(ty)
    }
}

impl TextSyntax for Sqlite {
    fn like(&self, ignore_case: bool, _loose: bool) -> [&'static str; 3] {
        if ignore_case { ["duet_ilike(", ", ", ")"] } else { ["duet_like(", ", ", ")"] }
    }

    fn contains(&self, _loose: bool) -> [&'static str; 3] {
        ["duet_contains(", ", ", ")"]
    }

    fn fold(&self, fold: Fold) -> [&'static str; 2] {
        sqlite_syntax::folding(fold)
    }

    fn regex(&self, _loose: bool) -> [&'static str; 3] {
        ["duet_regex(", ", ", ")"]
    }

    fn word_search(&self) -> WordSearch {
        WordSearch::Tables(["duet_text(", ", ", ")"])
    }

    fn lexemes(&self) -> Option<[&'static str; 3]> {
        Some(["duet_words(", ", ", ")"])
    }

    fn similar(&self) -> [&'static str; 3] {
        ["duet_similar(", ", ", ")"]
    }

    fn distance(&self) -> [&'static str; 3] {
        ["duet_distance(", ", ", ")"]
    }

    fn relevance(&self) -> Option<[&'static str; 3]> {
        Some(["duet_relevance(", ", ", ")"])
    }
}

impl JsonSyntax for Sqlite {
    fn json_test(&self) -> [&'static str; 3] {
        ["duet_json(", ", ", ")"]
    }

    fn json_operand(&self, path: &[String], test: &JsonTest) -> String {
        JsonPredicate::encode(path, test)
    }

    fn extracts_json(&self) -> bool {
        true
    }

    fn extraction(&self, ty: &Type) -> &'static [ExtractionPart] {
        use ExtractionPart::{Column, Path, Text};
        match ty {
            Type::Boolean => &[
                Text("(CASE json_type("),
                Column,
                Text(", "),
                Path,
                Text(") WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"),
            ],
            // The cast has the affinity by which a decimal in a text compares as a number.
            ty if ty.is_number() => &[
                Text("CAST(CASE WHEN json_type("),
                Column,
                Text(", "),
                Path,
                Text(") IN ('integer', 'real') THEN json_extract("),
                Column,
                Text(", "),
                Path,
                Text(") END AS NUMERIC)"),
            ],
            _ => &[
                Text("(CASE json_type("),
                Column,
                Text(", "),
                Path,
                Text(") WHEN 'text' THEN json_extract("),
                Column,
                Text(", "),
                Path,
                Text(") END)"),
            ],
        }
    }

    fn extraction_path(&self, path: &[String]) -> Option<String> {
        json_literal(path)
    }

    fn json_text(&self) -> [&'static str; 3] {
        ["duet_member(", ", ", ")"]
    }

    fn json_text_path(&self, path: &[String]) -> Option<String> {
        Some(self.json_path(path))
    }

    fn joined_texts(&self, paths: &str) -> Vec<JoinedPiece> {
        use JoinedPiece::{Document, Quoted, Text};
        vec![Text("duet_joined("), Document, Text(", "), Quoted(paths.to_owned()), Text(")")]
    }

    fn element_values(&self, path: &ArrayPath) -> Vec<JoinedPiece> {
        use JoinedPiece::{Document, Quoted, Text};
        let source = [Text(" CROSS JOIN json_each(duet_elements("), Document, Text(", ")];
        source.into_iter().chain([Quoted(path.to_string()), Text(")) AS of_array")]).collect()
    }

    fn json_value(&self) -> [&'static str; 3] {
        ["duet_json_value(", ", ", ")"]
    }

    fn json_value_path(&self, steps: &[JsonStep]) -> String {
        JsonStep::encode(steps)
    }

    fn json_inside(&self, as_text: bool) -> [&'static str; 3] {
        [if as_text { "duet_json_inside_text(" } else { "duet_json_inside(" }, ", ", ")"]
    }

    fn number_of_text(&self) -> (&'static str, &'static [&'static str]) {
        (") AS NUMERIC)", &["CAST(duet_number("])
    }

    fn moment_of_text(&self) -> (&'static str, &'static [&'static str]) {
        (")", &["duet_moment("])
    }

    fn elements(&self) -> &'static [ExtractionPart] {
        use ExtractionPart::{Column, Path, Text};
        &[
            Text("json_each(CASE json_type("),
            Column,
            Text(", "),
            Path,
            Text(") WHEN 'array' THEN json_extract("),
            Column,
            Text(", "),
            Path,
            Text(") END) AS of_array"),
        ]
    }

    fn element(&self) -> &'static str {
        "(CASE of_array.type WHEN 'object' THEN of_array.value END)"
    }

    fn json_at(&self) -> [&'static str; 3] {
        ["duet_json_order(", ", ", ")"]
    }

    fn json_path(&self, path: &[String]) -> String {
        JsonPredicate::encode(path, &JsonTest::Exists)
    }

    fn json_order(&self) -> &'static [&'static [&'static str]] {
        &[&["", ""]]
    }
}

impl WriteSyntax for Sqlite {}

impl IndexSyntax for Sqlite {
    fn create_index(
        &self,
        [schema, index, table]: [&str; 3],
        column: &str,
        _class: IndexClass,
    ) -> String {
        format!("CREATE INDEX {schema}.{index} ON {table} ({column})")
    }

    fn create_words_index(&self, [schema, index, table]: [&str; 3], column: &str) -> String {
        format!(
            "CREATE VIRTUAL TABLE {schema}.{index} USING fts5({column}, content={table}), and triggers \
             that keep it"
        )
    }

    fn create_json_index(
        &self,
        [schema, index, table]: [&str; 3],
        column: &str,
        path: &[String],
    ) -> Option<String> {
        let literal = json_literal(path)?.replace('\'', "''");
        Some(format!(
            "CREATE INDEX {schema}.{index} ON {table} (json_extract({column}, '{literal}'))"
        ))
    }

    fn collection_types(&self) -> CollectionTypes {
        CollectionTypes {
            key: " TEXT NOT NULL PRIMARY KEY",
            document: " JSON NOT NULL",
            reference: (" TEXT GENERATED ALWAYS AS (", ")"),
            computed: " VIRTUAL",
            values_are_columns: true,
            online: "",
        }
    }

    fn only_schema(&self) -> Option<&'static str> {
        Some("main")
    }

    fn has_collection_index(&self, kind: IndexKind) -> bool {
        // Words, trigrams, ranges and points have tables beside, and all others are B-trees, which have one value of a
        // document.
        kind != IndexKind::Elements
    }

    fn has_conditions(&self, kind: IndexKind) -> bool {
        // A table beside has all documents.
        !kind.is_of_pairs() && !kind.has_trigrams() && kind != IndexKind::FullText
    }

    fn collection_kind(&self, kind: IndexKind) -> IndexKind {
        match kind {
            IndexKind::Hash | IndexKind::BlockRange | IndexKind::Prefix => IndexKind::Ordered,
            IndexKind::Nearest => IndexKind::Trigram,
            other => other,
        }
    }

    fn table_beside(
        &self,
        table: &CollectionTable,
        index: &CollectionIndex,
    ) -> Option<IndexStatement> {
        SearchIndex::declared(table, index).map(|index| index.statement())
    }

    fn totals_script(&self, totals: &Totals) -> String {
        sqlite_totals::script(totals, self)
    }

    fn totals_drop_script(&self, totals: &Totals) -> String {
        sqlite_totals::drop_script(totals)
    }
}

impl QuerySyntax for Sqlite {
    fn plan_prefix(&self) -> PlanPrefix {
        PlanPrefix::Steps("EXPLAIN QUERY PLAN ")
    }

    fn estimate(&self) -> Estimate {
        // Rows at even steps of the row number are tested: deletions leave gaps, which count as rows that are not
        // selected.
        Estimate::Sample([
            "WITH RECURSIVE size(n) AS (SELECT max(t0.rowid) FROM ",
            "), sample(at) AS (SELECT 1 UNION ALL SELECT at + max(1, n / 1000) FROM sample, size \
             WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000 \
             FROM size))) AS INTEGER) FROM sample CROSS JOIN ",
            " AND t0.rowid = sample.at",
        ])
    }

    fn calculation(&self, operator: Arithmetic, rules: NumberRules) -> [&'static str; 3] {
        calculations::sqlite(operator, rules)
    }

    fn function(
        &self,
        name: &str,
        arguments: usize,
        rules: NumberRules,
    ) -> Option<&'static [&'static str]> {
        calculations::sqlite_function(name, arguments, rules)
    }

    fn row_functions(&self) -> RowFunctions {
        row_functions::SQLITE
    }

    fn groups(&self) -> &'static GroupSyntax {
        &group_syntax::SQLITE
    }

    fn pairs(&self) -> &'static PairSyntax {
        &pair_syntax::SQLITE
    }
}
