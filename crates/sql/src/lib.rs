//! Plans to SQL text, per dialect.
//!
//! Text of a request reaches SQL only through [`Writer::bind`](writer::Writer::bind), as a parameter; names reach it
//! only through [`Dialect::identifier`], quoted, and come from the catalog. There is no function
//! that appends anything else from outside this crate. A dialect answers questions and is never
//! compared by name; it may be of another crate.
//!
//! ```
//! use std::sync::Arc;
//! use duet_model::{Column, ReadPlan, Relation, Shape, Type};
//! use duet_sql::{Dialect, Postgres, Sqlite, level_statement};
//!
//! let columns = vec![Column::new("id", Type::Integer { bits: 64 }), Column::new("name", Type::Text)];
//! let shape = Shape::of_relation(&Relation::table("main", "team", columns).into());
//! let plan = ReadPlan::by_keys(Arc::new(shape));
//!
//! // One plan, a text per dialect; the keys are a parameter of both.
//! let dialects: [&dyn Dialect; 2] = [&Postgres { icu: true }, &Sqlite];
//! let texts = dialects.map(|dialect| level_statement(dialect, &plan, 0).sql);
//! assert!(texts[0].contains("= ANY($1::int8[])") && texts[1].contains("= ?1"));
//! ```

mod aggregate;
mod bulk;
mod collection_statistics;
mod collection_table;
mod collection_types;
mod collection_values;
mod condition;
mod dialect;
mod expr;
mod fold;
mod folded_equal;
mod form;
mod group_syntax;
mod groups;
mod idempotency;
mod index_range;
mod index_statement;
mod insert;
mod joins;
mod journal;
mod journal_tables;
mod json_elements;
mod json_range;
mod jsonpath;
mod key_table;
mod lock;
mod order;
mod order_index;
mod pair;
mod pair_syntax;
mod positions;
mod postgres_dialect;
mod postgres_totals;
mod query;
mod quotes;
mod read;
mod routine;
mod row_functions;
mod shared_page;
mod spellings;
mod sqlite_dialect;
mod sqlite_pair;
mod sqlite_path;
mod sqlite_search;
mod sqlite_syntax;
mod sqlite_totals;
mod template;
mod text_order;
mod text_test;
mod total_count;
mod totals;
mod trigrams;
mod update;
mod write;
mod writer;

pub use bulk::{
    Rule, clear_statement, copy_statement, insert_new_arrays_statement, insert_row_statement,
    span_statement, suspects_statement, upsert_arrays_statement,
};
pub use collection_statistics::{collection_statistics_statement, statistics_name};
pub use collection_table::{
    collection_column_statements, collection_index_statements, collection_table_statement,
    in_order_of_references,
};
pub use collection_types::CollectionTypes;
pub use dialect::{
    Dialect, Estimate, ExtractionPart, IndexClass, IndexRange, IndexSyntax, JsonSyntax, KeyStyle,
    KeySyntax, OrderSyntax, QuerySyntax, TextSyntax, ValueSyntax, WordSearch, WriteSyntax,
};
pub use folded_equal::FOLDED_LIST;
pub use form::is_ordered_by_index;
pub use group_syntax::{GroupSyntax, NumberForm};
pub use idempotency::{find_key_table, read_key, remove_expired, store_answer, take_key};
pub use index_statement::IndexStatement;
pub use insert::{insert_row_returning, insert_rows, insert_rows_by_key, insert_rows_matched};
pub use journal::{
    DeadLetter, Letters, LostRows, add_dead_letter, add_loss, advance_head, advance_journal,
    close_head, count_dead_letters, find_journal_tables, find_some_journal_tables, journal_heads,
    journal_marks, open_head, own_journal, read_dead_letters, read_head, read_heads, read_losses,
    remove_dead_letters,
};
pub use journal_tables::JournalTables;
pub use json_range::json_ranges;
pub use key_table::KeyTable;
pub use lock::{group_level_statements, lock_statements, locked_level_statements};
pub use order::pages_by_row_number;
pub use order_index::{nearest_index, order_index};
pub use pair_syntax::{PairSyntax, Template as PairTemplate};
pub use postgres_dialect::Postgres;
pub use postgres_totals::postgres_code;
pub use query::{place_in_file, query_statement};
pub use read::{
    combined_statement, count_statement, estimate_statement, level_statement, page_statement,
};
pub use routine::{Returned, call_query, call_statement};
pub use row_functions::RowFunctions;
pub use shared_page::shared_page_statement;
pub use spellings::{PrefixRange, literal_prefix};
pub use sqlite_dialect::Sqlite;
pub use sqlite_search::{PAIR_METHOD, SEARCH_METHOD, SearchIndex, fts5_words};
pub use sqlite_totals::{sqlite_table, sqlite_triggers};
pub use template::{TemplateMistake, statements};
pub use total_count::total_statement;
pub use totals::{TOTALS_MARK, TOTALS_METHOD, Totals, TotalsValue};
pub use trigrams::{fts5_parts, has_trigram};
pub use update::update_rows_statement;
pub use write::{
    Assigned, check_statement, columns_statement, delete_statement, insert_statement,
    update_statement,
};
pub use writer::{Parameter, Statement, Texts};
