//! Tests of a text as SQL: contained texts, regular expressions, words, and ranges.

use duet_model::search_rules::SIMPLE;
use duet_model::{Column, Expr, IndexKind, NodeId, PairKind, RangeRelation, TextTest, Type, Value};
use duet_text::relevance;
use duet_text::{Fold, LexemeQuery, TextQuery};

use super::expr::{Context, Printer, truth};

use crate::dialect::WordSearch;
use crate::sqlite_search;
use crate::writer::Writer;

/// The configuration by which PostgreSQL cuts texts into words where none is declared: words as they
/// are, in lower case.
const DEFAULT_WORDS: &str = "simple";

/// A search index that finds rows of a node.
#[derive(Clone, Copy)]
pub(crate) struct FoundBy<'a> {
    node: NodeId,
    name: &'a str,
    row_number: &'a str,
}

impl<'a> Printer<'a> {
    /// A test of a text.
    pub(crate) fn search(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        test: &TextTest,
        context: Context,
    ) {
        match test {
            TextTest::Contains(text) => {
                let parts = writer.dialect.contains(self.is_loose(operand));
                self.call(writer, operand, parts, text);
            }
            TextTest::Regex(pattern) => {
                let parts = writer.dialect.regex(self.is_loose(operand));
                self.call(writer, operand, parts, pattern);
            }
            TextTest::Words(query) => self.words(writer, operand, query, context),
            TextTest::Lexemes(query) => self.lexemes(writer, operand, query, context),
            TextTest::Similar(text) => {
                let parts = writer.dialect.similar();
                self.call(writer, operand, parts, text);
            }
            TextTest::Range(..) | TextTest::InArea(_) => {
                self.range(writer, operand, test, context);
            }
            TextTest::Native(test, text) => self.native(writer, operand, test, text),
        }
    }

    /// A search for words.
    fn words(self, writer: &mut Writer<'_>, operand: &Expr, query: &TextQuery, context: Context) {
        let at = self.column_of(operand);
        let column = at.map(|at| self.shape.column(at));
        let index = at.and_then(|at| self.shape.nodes[at.node].table.words_of(at.column));
        let text = match writer.dialect.word_search() {
            WordSearch::Vectors => {
                let own = column.and_then(|column| column.words.as_deref());
                let declared = index.map(|(_, configuration, _)| configuration);
                let configuration = own.or(declared).unwrap_or(DEFAULT_WORDS);
                return self.vector(writer, operand, query, configuration);
            }
            WordSearch::Tables(text) => text,
        };
        // What is NULL has no words for a table, where the function leaves it unknown.
        let index = index.filter(|_| context == Context::Selecting);
        let fts5 = column.and_then(|column| query.fts5(&column.name));
        let Some(((at, (name, _, row_number)), fts5)) = at.zip(index).zip(fts5) else {
            return self.call(writer, operand, text, &query.canonical());
        };
        self.found_by(writer, FoundBy { node: at.node, name, row_number }, fts5);
    }

    /// Words of a document's text. The expression is that of the collection's index.
    fn lexemes(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        query: &LexemeQuery,
        context: Context,
    ) {
        let found = self.search_index(operand, IndexKind::FullText, context);
        let found = found.and_then(|index| Some((index, sqlite_search::fts5_words(query)?)));
        let Some(function) = writer.dialect.lexemes() else {
            return self.lexeme_vector(writer, operand, query);
        };
        match found {
            None => self.call(writer, operand, function, &query.encode()),
            Some((index, (fts5, true))) => self.found_by(writer, index, fts5),
            Some((index, (fts5, false))) => {
                writer.text("(");
                self.found_by(writer, index, fts5);
                writer.text(" AND ");
                self.call(writer, operand, function, &query.encode());
                writer.text(")");
            }
        }
    }

    /// Words by the dictionary of the text.
    fn lexeme_vector(self, writer: &mut Writer<'_>, operand: &Expr, query: &LexemeQuery) {
        self.vector_and_query(writer, operand, query.tsquery(), ["", " @@ ", ""]);
    }

    /// The rank of a text for words, by the dictionary of the text.
    pub(crate) fn relevance(self, writer: &mut Writer<'_>, operand: &Expr, words: &Expr) {
        let Expr::Operand(Value::Text(words), _) = words else { return writer.text("NULL") };
        match writer.dialect.relevance() {
            Some(function) => self.call(writer, operand, function, words),
            None => {
                let around = ["ts_rank(", ", ", ")"];
                self.vector_and_query(writer, operand, relevance::tsquery(words), around);
            }
        }
    }

    /// The words of a text and a query over them, both by the dictionary of the text.
    fn vector_and_query(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        query: String,
        [before, between, after]: [&'static str; 3],
    ) {
        let dictionary = self.dictionary(operand).unwrap_or(SIMPLE);
        writer.text(before);
        writer.text("to_tsvector(");
        writer.quoted(dictionary);
        writer.text("::regconfig, (");
        self.value(writer, operand);
        writer.text(")::text)");
        writer.text(between);
        writer.text("to_tsquery(");
        writer.quoted(dictionary);
        writer.text("::regconfig, ");
        writer.bind(Value::Text(query), &Type::Text, "text");
        writer.text(")");
        writer.text(after);
    }

    /// The dictionary that a collection declares for a text.
    fn dictionary(self, operand: &Expr) -> Option<&'a str> {
        let value = match operand {
            Expr::Function(name, arguments) if Fold::named(name).is_some() => arguments.first()?,
            value => value,
        };
        let document = self.shape.document_of(self.node_of(value)?)?;
        Some(document.search.dictionaries.of(&document.field_of(value)?.path))
    }

    /// The search index over the texts of an operand as it is compared. What is NULL is in none, where a condition
    /// leaves it unknown: so it is only used where false and unknown are the same.
    pub(crate) fn search_index(
        self,
        operand: &Expr,
        kind: IndexKind,
        context: Context,
    ) -> Option<FoundBy<'a>> {
        let (value, fold) = match operand {
            Expr::Function(name, arguments) => (arguments.first()?, Some(Fold::named(name)?)),
            value => (value, None),
        };
        let at = self.column_of(value).filter(|_| context == Context::Selecting)?;
        let table = &self.shape.nodes[at.node].table;
        let (name, row_number) = table.search_index_of(at.column, kind, fold)?;
        Some(FoundBy { node: at.node, name, row_number })
    }

    /// That the row is among those which a search index finds.
    pub(crate) fn found_by(self, writer: &mut Writer<'_>, index: FoundBy<'_>, query: String) {
        let FoundBy { node, name, row_number } = index;
        writer.column(node, row_number);
        writer.text(" IN (SELECT rowid FROM ");
        writer.identifier(&self.shape.nodes[node].table.schema);
        writer.text(".");
        writer.identifier(name);
        writer.text(" WHERE ");
        writer.identifier(name);
        writer.text(" MATCH ");
        writer.bind(Value::Text(query), &Type::Text, "text");
        writer.text(")");
    }

    fn vector(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        query: &TextQuery,
        configuration: &str,
    ) {
        let is_vector = self.source(operand).is_some_and(Column::is_vector);
        if is_vector {
            self.value(writer, operand);
        } else {
            writer.text("to_tsvector(");
            writer.quoted(configuration);
            writer.text("::regconfig, (");
            self.value(writer, operand);
            writer.text(")::text)");
        }
        // Only the general form knows beginnings of words.
        let (function, text) = match query.has_prefix() {
            true => (" @@ to_tsquery(", query.tsquery()),
            false => (" @@ websearch_to_tsquery(", query.canonical()),
        };
        writer.text(function);
        writer.quoted(configuration);
        writer.text("::regconfig, ");
        writer.bind(Value::Text(text), &Type::Text, "text");
        writer.text(")");
    }

    /// A test of what two members are together, or of a range column.
    fn range(self, writer: &mut Writer<'_>, operand: &Expr, test: &TextTest, context: Context) {
        if let Expr::Function(name, _) = operand
            && let Some(kind) = PairKind::of_function(name)
        {
            return self.pair_test(writer, operand, kind, test, context);
        }
        let TextTest::Range(relation, range) = test else { return truth(writer, false) };
        let Some(column) = self.source(operand).filter(|_| writer.dialect.overlaps()) else {
            return truth(writer, false);
        };
        let is_set = column.declared.ends_with("multirange") && !range.trim().starts_with('{');
        let range = if is_set { format!("{{{range}}}") } else { range.clone() };
        self.value(writer, operand);
        writer.text(match relation {
            RangeRelation::Overlaps => " && ",
            RangeRelation::Within => " <@ ",
            RangeRelation::Encloses => " @> ",
        });
        // Read as a range when it is bound, so that an error names the parameter.
        writer.assign(Value::Text(range), &Type::Text, "");
        writer.cast_from_text(&column.ty, &column.declared);
    }
}
