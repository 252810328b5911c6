//! Which index serves each condition and order of a page, and what to declare where none does.

use duet_model::catalog::{Index, Relation, RelationKind};
use duet_model::{
    Column, ColumnRef, Compare, Direction, Expr, JsonTest, OrderBy, Page, Shape, TextIndex, Type,
    Value, steps,
};
use duet_sql::{Affixes, Dialect, IndexClass};

use super::collection_indexes;
use super::plan::Printer;

/// A line for each condition and for a requested order.
pub(crate) fn of_page(
    printer: &Printer<'_>,
    shape: &Shape,
    page: &Page,
    dialect: &dyn Dialect,
) -> Vec<String> {
    let notes = Notes { shape, dialect, filter: &page.filter };
    let mut lines = Vec::new();
    notes.conditions(printer, &page.filter, &mut lines);
    lines.extend(notes.order(printer, page));
    lines
}

/// Whether an index narrows the rows that a filter reads: of conditions that must all hold it is enough that one
/// is served, of alternatives each must be. A filter without a condition reads a page in the order of the key.
pub(crate) fn is_served(shape: &Shape, filter: &Expr, dialect: &dyn Dialect) -> bool {
    filter.is_all() || Notes { shape, dialect, filter }.narrows(filter)
}

struct Notes<'a> {
    shape: &'a Shape,
    dialect: &'a dyn Dialect,
    /// The whole filter, which says what partial indexes have.
    filter: &'a Expr,
}

/// What a condition needs of an index.
enum Need<'e> {
    /// Rows of a value or a range of values.
    Range,
    /// Texts that begin with a prefix.
    Prefix,
    /// Texts that contain something.
    Middle,
    /// Documents with a value at a path inside.
    Inside(&'e [String], &'e JsonTest),
    /// Texts with words.
    Words,
    /// Ranges that overlap.
    Overlap,
    /// No index can help.
    Nothing(&'static str),
}

impl Notes<'_> {
    fn narrows(&self, expr: &Expr) -> bool {
        match expr {
            Expr::And(parts) => parts.iter().any(|part| self.narrows(part)),
            Expr::Or(parts) => parts.iter().all(|part| self.narrows(part)),
            Expr::SameRow(inner) => self.narrows(inner),
            Expr::In(_, list) if list.is_empty() => true,
            condition => self.serves(condition).is_ok(),
        }
    }

    fn conditions(&self, printer: &Printer<'_>, expr: &Expr, lines: &mut Vec<String>) {
        match expr {
            Expr::And(parts) | Expr::Or(parts) => {
                parts.iter().for_each(|part| self.conditions(printer, part, lines));
            }
            Expr::SameRow(inner) => self.conditions(printer, inner, lines),
            _ => {
                let served = self.serves(expr).unwrap_or_else(|why| why);
                lines.push(format!("{}: {served}", printer.expr(expr)));
            }
        }
    }

    /// The index that serves a condition; or that there is none, and why or what to declare.
    fn serves(&self, expr: &Expr) -> Result<String, String> {
        if matches!(expr, Expr::Not(_) | Expr::NotTrue(_)) {
            return Err("no index: a negated condition reads every row".to_owned());
        }
        let node = expr.first_field().map_or(0, |field| field.column_at(0).node);
        if let Some(document) = self.shape.document_of(node)
            && let table = &self.shape.nodes[node].table
            && let Some(served) =
                collection_indexes::serves(document, table, expr, self.filter, self.dialect)
        {
            return served;
        }
        let Some((field, need)) = self.need(expr) else {
            return Err("no index: the value is computed for every row".to_owned());
        };
        let table = &self.shape.nodes[field.node].table;
        let column = &table.columns[field.column];
        let usable = |index: &&Index| {
            steps::step();
            index.columns.first() == Some(&field.column)
                && match need {
                    Need::Range => matches!(index.method.as_str(), "btree" | "hash"),
                    Need::Prefix => index.prefixes.is_some(),
                    Need::Overlap => matches!(index.method.as_str(), "gist" | "spgist"),
                    Need::Inside(..) => index.method == "gin",
                    Need::Words => index.method == "gin" && column.words.is_some(),
                    Need::Middle | Need::Nothing(_) => false,
                }
        };
        let part = match need {
            Need::Words => table.words_of(field.column).map(|(name, ..)| name),
            Need::Inside(path, test) => {
                return self.inside(table, field.column, path, test);
            }
            _ => None,
        };
        let index = table.indexes.iter().find(usable).map(|index| index.name.as_str());
        if let Some(name) = part.or(index) {
            return Ok(format!("index {name}"));
        }
        Err(match need {
            Need::Nothing(why) => format!("no index: {why}"),
            Need::Range => self.declare(table, column, IndexClass::default()),
            Need::Prefix => self.declare(table, column, self.dialect.prefix_index()),
            Need::Overlap => {
                let class = IndexClass { method: Some("gist"), ..IndexClass::default() };
                self.declare(table, column, class)
            }
            Need::Inside(..) | Need::Words => {
                let (names, own) = self.names(table, column);
                let [schema, index, relation] = &names;
                let names = [schema.as_str(), index, relation];
                format!("no index; declare {}", self.dialect.create_words_index(names, &own))
            }
            Need::Middle => match self.dialect.substring_index() {
                Some(class) => self.declare(table, column, class),
                None => "no index: only a prefix can be looked up, as in `$startsWith`".to_owned(),
            },
        })
    }

    /// What a condition on a column needs; `None` for one on a computed value.
    fn need<'e>(&self, expr: &'e Expr) -> Option<(ColumnRef, Need<'e>)> {
        if let Expr::Json(field, test) = expr {
            return Some((field.column_at(0), Need::Inside(&field.path, test)));
        }
        let column = expr.parts().first()?.whole_column()?;
        let by_value = |is_equality: bool| {
            let ty = self.shape.column_type(column);
            let plain = self.dialect.comparable(ty) == Affixes::NONE;
            let uuid = is_equality && *ty == Type::Uuid;
            let is_served = plain || uuid || self.dialect.window(ty).is_some();
            let nothing = Need::Nothing("values of this type compare by a function");
            if is_served { Need::Range } else { nothing }
        };
        let need = match expr {
            Expr::Compare(Compare::Ne, ..) => Need::Nothing("what differs is nearly every row"),
            Expr::Compare(operator, ..) => by_value(*operator == Compare::Eq),
            Expr::In(..) => by_value(true),
            Expr::Between(..) => by_value(false),
            Expr::IsNull(_) => Need::Range,
            Expr::Search(_, test) => match test.index() {
                TextIndex::Parts => Need::Middle,
                TextIndex::Words => Need::Words,
                TextIndex::Ranges => Need::Overlap,
                TextIndex::Trigrams => Need::Nothing("similar texts are found among all"),
            },
            Expr::Like { pattern, ignore_case, .. } => {
                self.of_pattern(column, pattern, *ignore_case)
            }
            _ => return None,
        };
        Some((column, need))
    }

    fn of_pattern(&self, field: ColumnRef, pattern: &Expr, ignore_case: bool) -> Need<'static> {
        let Expr::Operand(Value::Text(pattern), _) = pattern else { return Need::Middle };
        let prefix = duet_sql::literal_prefix(pattern);
        if ignore_case || prefix.is_empty() {
            return Need::Middle;
        }
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        match self.dialect.finds_prefixes(column, &prefix) {
            true => Need::Prefix,
            false => Need::Nothing("the column is not declared as text"),
        }
    }

    fn order(&self, printer: &Printer<'_>, page: &Page) -> Option<String> {
        let asked = page.order.iter().filter(|term| !self.is_key(term));
        let terms: Vec<_> = asked.collect();
        let first = terms.first()?;
        let names = |term: &&OrderBy| {
            let direction =
                if term.direction == Direction::Descending { " descending" } else { "" };
            format!("{}{direction}", printer.expr(&term.value))
        };
        let about = format!("order by {}", terms.iter().map(names).collect::<Vec<_>>().join(", "));
        Some(format!("{about}: {}", self.order_index(page, first, terms.len())))
    }

    /// The index with an order whose first term and number of terms were requested. The terms behind
    /// those of the index are few rows at a time to sort.
    fn order_index(&self, page: &Page, first: &OrderBy, asked: usize) -> String {
        let nearest = duet_sql::nearest_index(self.shape, &page.filter, &first.value);
        let of_root = nearest.filter(|(node, _)| *node == 0 && self.dialect.finds_similar());
        if let Some((node, index)) = of_root.filter(|_| first.direction == Direction::Ascending) {
            return format!("index {}", index.name(&self.shape.nodes[node].table.name));
        }
        let columns: Option<Vec<_>> = page.order.iter().map(|it| it.value.whole_column()).collect();
        let node = first.value.first_field().map_or(0, |field| field.column_at(0).node);
        // Rows with the same value of the first term are few to sort.
        if (columns.is_none() || self.shape.document_of(node).is_some())
            && let Some(name) = duet_sql::order_index(self.shape, &page.filter, &first.value)
        {
            return format!("index {name}");
        }
        let (Some(columns), Some(leading)) = (columns, first.value.whole_column()) else {
            return "no index: every selected row is sorted".to_owned();
        };
        let table = &self.shape.nodes[leading.node].table;
        let alike = |(term, column): &(&OrderBy, &ColumnRef)| {
            term.direction == first.direction && column.node == leading.node
        };
        let run = page.order.iter().zip(&columns).take_while(alike);
        let run: Vec<usize> = run.map(|(_, column)| column.column).collect();
        if run.len() < asked {
            return "no index: its terms differ in direction or table".to_owned();
        }
        let column = &table.columns[leading.column];
        if !duet_sql::is_ordered_by_index(self.dialect, column) {
            return self.order_check(table, column);
        }
        let leads = |index: &&Index| {
            index.method == "btree"
                && !index.columns.is_empty()
                && (run.starts_with(&index.columns) || index.columns.starts_with(&run))
        };
        match table.indexes.iter().find(leads) {
            Some(index) => format!("index {}", index.name),
            None => self.declare(table, column, IndexClass::default()),
        }
    }

    /// Why no index has the order of a column that is ordered by a function, and what to declare.
    fn order_check(&self, table: &Relation, column: &Column) -> String {
        let why = "no index: values of this type are ordered by a function";
        let checks = self.dialect.text_order_checks(&column.ty);
        match checks.first().filter(|_| table.kind == RelationKind::Table) {
            Some(check) => {
                let (_, column) = self.names(table, column);
                format!("{why}, unless the column has CHECK ({})", check.replace("{}", &column))
            }
            None => why.to_owned(),
        }
    }

    fn is_key(&self, term: &OrderBy) -> bool {
        let column = term.value.whole_column();
        column.is_some_and(|it| it.node == 0 && self.shape.key.contains(&it.column))
    }

    /// Which index serves a test of values inside JSON.
    fn inside(
        &self,
        table: &Relation,
        at: usize,
        path: &[String],
        test: &JsonTest,
    ) -> Result<String, String> {
        let column = &table.columns[at];
        if !self.dialect.extracts_json() {
            let is_equality = matches!(test, JsonTest::Compare(Compare::Eq, _) | JsonTest::In(_));
            let gin = |index: &&Index| index.method == "gin" && index.columns.first() == Some(&at);
            return match (self.dialect.json_index(&column.declared), table.indexes.iter().find(gin))
            {
                (Err(why), _) => Err(format!("no index: {why}")),
                (Ok(_), _) if !is_equality => Err(
                    "no index: inside JSON only equal values are looked up; copy the value into a \
                         generated column and index that"
                        .to_owned(),
                ),
                (Ok(_), Some(index)) => Ok(format!("index {}", index.name)),
                (Ok(class), None) => Err(self.declare(table, column, class)),
            };
        }
        if duet_sql::json_ranges(test).is_none() {
            return Err("no index: the test is neither a value nor a range of values".to_owned());
        }
        if let Some((name, _)) = table.json_value_of(at, path) {
            return Ok(format!("index {name}"));
        }
        let (names, own) = self.names(table, column);
        let index = format!("{}_{}_{}_idx", table.name, column.name, path.join("_"));
        let mut quoted = String::new();
        self.dialect.identifier(&index, &mut quoted);
        let names = [names[0].as_str(), &quoted, &names[2]];
        Err(match self.dialect.create_json_index(names, &own, path) {
            Some(statement) => format!("no index; declare {statement}"),
            None => "no index: SQLite has no path for these names".to_owned(),
        })
    }

    /// The quoted names of schema, index and table; and of the column.
    fn names(&self, table: &Relation, column: &Column) -> ([String; 3], String) {
        let quoted = |name: &str| {
            let mut out = String::new();
            self.dialect.identifier(name, &mut out);
            out
        };
        let index = format!("{}_{}_idx", table.name, column.name);
        let names = [quoted(&table.schema), quoted(&index), quoted(&table.name)];
        (names, quoted(&column.name))
    }

    fn declare(&self, table: &Relation, column: &Column, class: IndexClass) -> String {
        let ([schema, index, relation], column) = self.names(table, column);
        let statement = self.dialect.create_index([&schema, &index, &relation], &column, class);
        format!("no index; declare {statement}")
    }
}
