//! Plans to SQL text, per dialect.
//!
//! Text of a request reaches SQL only through [`Writer::bind`](writer::Writer::bind), as a parameter; names reach it
//! only through [`ValueSyntax::identifier`], quoted, and come from the catalog. There is no function
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

mod collections;
mod dialect;
mod expressions;
mod group_syntax;
mod own_tables;
mod pair_syntax;
mod parts;
mod postgres_dialect;
mod postgres_totals;
mod read;
mod services;
mod sqlite_dialect;
mod sqlite_pair;
mod sqlite_path;
mod sqlite_search;
mod sqlite_syntax;
mod sqlite_totals;
mod webhooks;
mod write;
mod writer;

pub use collections::statistics::{collection_statistics_statement, statistics_name};
pub use collections::table::{
    collection_column_statements, collection_index_statements, collection_key_statements,
    collection_table_statement, in_order_of_references,
};
pub use collections::total_count::total_statement;
pub use dialect::{
    Dialect, Estimate, ExtractionPart, IndexClass, IndexRange, IndexSyntax, JsonSyntax, KeyStyle,
    KeySyntax, OrderSyntax, PlanPrefix, QuerySyntax, TextSyntax, ValueSyntax, WordSearch,
    WriteSyntax,
};
pub use expressions::folded_equal::FOLDED_LIST;
pub use expressions::form::is_ordered_by_index;
pub use expressions::json_range::json_ranges;
pub use group_syntax::{GroupSyntax, NumberForm};
pub use own_tables::idempotency::{
    find_key_table, read_key, remove_expired, store_answer, take_key,
};
pub use own_tables::journal::{
    DeadLetter, Letters, LostRows, add_dead_letter, add_loss, advance_head, advance_journal,
    close_head, count_dead_letters, find_journal_tables, find_made_journal_tables,
    find_some_journal_tables, journal_heads, journal_marks, open_head, own_journal,
    read_dead_letters, read_head, read_heads, read_losses, remove_dead_letters,
};
pub use own_tables::view_events::{
    EventPosition, ViewEventRow, find_view_outbox, insert_view_events, last_view_event,
    oldest_to_keep, read_view_events, register_view, remove_view_events, view_endpoint,
};
pub use own_tables::webhooks::{
    EventFilter, FailedAttempt, WebhookAttempt, claim_events, count_events, disable_endpoint,
    due_endpoints, due_events, enable_endpoint, endpoint_accepted, event_accepted, event_dead,
    event_failed, find_webhook_tables, hold_key, pause_endpoint, read_endpoints, read_events,
    read_webhook_triggers, register_endpoint, release_key, remove_events, replay_events,
};
pub use pair_syntax::{PairSyntax, PairTemplate};
pub use parts::affixes::Affixes;
pub use parts::collection_types::CollectionTypes;
pub use parts::index_statement::IndexStatement;
pub use parts::joined::JoinedPiece;
pub use parts::journal_tables::JournalTables;
pub use parts::key_table::KeyTable;
pub use parts::row_functions::RowFunctions;
pub use parts::spellings::{PrefixRange, literal_prefix};
pub use parts::totals::{TOTALS_MARK, TOTALS_METHOD, Totals, TotalsValue};
pub use parts::trigrams::{fts5_parts, has_trigram};
pub use parts::webhook_tables::{TransactionOrder, WebhookTables};
pub use postgres_dialect::Postgres;
pub use postgres_totals::postgres_code;
pub use read::aggregated::aggregate_statement;
pub use read::levels::{
    combined_statement, count_statement, estimate_statement, level_statement, one_key_statement,
    page_statement,
};
pub use read::order::pages_by_row_number;
pub use read::order_index::{nearest_index, order_index};
pub use read::shared_page::shared_page_statement;
pub use services::function::{FunctionInput, RowFunction, function_query, row_function_query};
pub use services::query::{place_in_file, query_statement};
pub use services::routine::{RoutineResult, ServiceCall, call_query, call_statement};
pub use services::settings::{current_statement, set_statement};
pub use services::template::{TemplateMistake, statements};
pub use sqlite_dialect::Sqlite;
pub use sqlite_search::{PAIR_METHOD, SEARCH_METHOD, SearchIndex, fts5_words};
pub use sqlite_totals::{sqlite_table, sqlite_triggers};
pub use webhooks::{
    RowEvent, TRUNCATED, WEBHOOK_TRIGGERS, WatchScript, WatchedTable, WatchingEndpoint,
    webhook_prefix,
};
pub use write::bulk::{
    Rule, clear_statement, copy_statement, insert_new_arrays_statement, insert_row_statement,
    span_statement, suspects_statement, upsert_arrays_statement, upsert_lists,
};
pub use write::insert::{
    TOGETHER, insert_row_returning, insert_rows, insert_rows_by_key, insert_rows_matched,
    insert_together,
};
pub use write::lists::{LIST_SIZES, RowLists, takes_lists};
pub use write::lock::{group_level_statements, lock_statements, locked_level_statements};
pub use write::returned_lists::{KeyDraw, ReturnedLists, insert_lists_returning};
pub use write::rows::{
    AssignedValue, check_statement, columns_statement, delete_statement, insert_statement,
    update_statement,
};
pub use write::selected::{delete_selected_statement, update_selected_statement};
pub use write::update::update_rows_statement;
pub use writer::{Parameter, Statement, Texts};
