//! Drafts of duality views: for each table with foreign keys, a document with the rows that it refers
//! to, and lists of the rows that refer to it.

use std::collections::{HashMap, HashSet};

use duet_duality::{DefinitionFile, Options, compile};
use duet_model::catalog::OnDelete;
use duet_model::{Catalog, Column, ForeignKey, Relation, RelationKind, Type, steps};

use super::names::snake_case;

/// Rows of a list for each document, on average, from which the list is left out: such a document is
/// slow to read and to write, and a page of the other resource is the better answer.
const MOST_ROWS: u64 = 100;

/// The drafted definition of a view.
#[derive(Debug)]
pub(super) struct Draft {
    /// The view's name.
    name: String,
    /// The definition.
    pub(super) text: String,
}

impl Draft {
    /// The name of its file.
    pub(super) fn file(&self) -> String {
        format!("{}.graphql", self.name)
    }
}

/// A draft for each table that has something to join. Each is a view that compiles.
pub(super) fn drafts(relations: &[Relation]) -> Vec<Draft> {
    let taken: HashSet<String> = relations.iter().map(|one| one.name.to_lowercase()).collect();
    let catalog = Catalog {
        relations: relations.iter().cloned().map(Into::into).collect(),
        ..Catalog::default()
    };
    let mut names = HashSet::new();
    let tables_and_keys = Tables::of(relations);
    let tables = relations.iter().filter(|one| one.kind == RelationKind::Table);
    let drafts = tables.filter_map(|table| {
        let name = format!("{}_dv", snake_case(&table.name));
        let parts = Parts::of(table, &tables_and_keys);
        let is_new = !taken.contains(&name) && names.insert(name.clone());
        if table.identity().is_empty() || parts.is_empty() || !is_new {
            return None;
        }
        let source = DefinitionFile::new(name.clone(), parts.definition(&name));
        // What the language cannot express, such as a column of a type that it refuses, is no draft.
        let view = compile(&source, &catalog, &Options::default()).ok()?.into_iter().next()?;
        let printed = duet_duality::print(&view.shape);
        Some(Draft { text: format!("{}{printed}", parts.comment()), name })
    });
    drafts.collect()
}

/// All tables by name, and the foreign keys that lead to each.
struct Tables<'a> {
    by_name: HashMap<&'a str, &'a Relation>,
    leading_to: HashMap<&'a str, Vec<(&'a ForeignKey, &'a Relation)>>,
}

impl<'a> Tables<'a> {
    fn of(relations: &'a [Relation]) -> Self {
        let mut tables = Self { by_name: HashMap::new(), leading_to: HashMap::new() };
        for table in relations {
            tables.by_name.entry(&table.name).or_insert(table);
            if table.kind != RelationKind::Table || table.identity().is_empty() {
                continue;
            }
            for key in table.foreign_keys.iter().filter(|key| key.references_table != table.name) {
                steps::step();
                let keys = tables.leading_to.entry(&key.references_table).or_default();
                keys.push((key, table));
            }
        }
        tables
    }
}

/// What a document is made of.
struct Parts<'a> {
    table: &'a Relation,
    tables: &'a Tables<'a>,
    /// Rows that it refers to, by the foreign key.
    references: Vec<(&'a ForeignKey, &'a Relation)>,
    /// Rows that refer to it, by theirs.
    lists: Vec<(&'a ForeignKey, &'a Relation)>,
    /// Tables whose rows are too many for a list.
    left_out: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(table: &'a Relation, tables: &'a Tables<'a>) -> Self {
        let keys = tables.leading_to.get(table.name.as_str()).into_iter().flatten();
        let keys = keys.inspect(|_| steps::step()).copied();
        let (lists, many): (Vec<_>, Vec<_>) =
            keys.partition(|(_, child)| !has_many(table.estimated_rows, child.estimated_rows));
        Self {
            table,
            tables,
            references: references(table, tables, ""),
            lists,
            left_out: many.iter().map(|(_, child)| child.name.as_str()).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.references.is_empty() && self.lists.is_empty()
    }

    /// What the document is, in words.
    fn comment(&self) -> String {
        let name = |(_, table): &(&ForeignKey, &Relation)| table.name.clone();
        let parts: Vec<String> = self.references.iter().chain(&self.lists).map(name).collect();
        let mut text = format!("# {} with {}.\n", self.table.name, parts.join(", "));
        if self.lists.iter().any(|(key, _)| key.on_delete != OnDelete::Cascade) {
            text.push_str(
                "# A list without @delete has a foreign key that does not cascade: add it to let a document delete rows.\n",
            );
        }
        if let Some((_, child)) = self.protected() {
            text.push_str(&format!(
                "# The document has no @delete: it would unlink rows of {}, whose foreign key refuses that.\n",
                child.name
            ));
        }
        for table in &self.left_out {
            text.push_str(&format!(
                "# {table} has more than {MOST_ROWS} rows for each, and is left out.\n"
            ));
        }
        text
    }

    fn definition(&self, name: &str) -> String {
        let mut object = Object::new(self.table);
        object.key("_id");
        object.references(&self.references);
        object.columns(&[]);
        let mut keys_of: HashMap<&str, usize> = HashMap::new();
        self.lists.iter().for_each(|(_, child)| *keys_of.entry(&child.name).or_default() += 1);
        for (key, child) in &self.lists {
            let list = self.list(key, child);
            let member = match keys_of[child.name.as_str()] {
                1 => snake_case(&child.name),
                _ => format!(
                    "{}_by_{}",
                    snake_case(&child.name),
                    snake_case(&column(child, key.columns[0]).name)
                ),
            };
            let own: Vec<&str> =
                key.columns.iter().map(|&at| column(child, at).name.as_str()).collect();
            let referenced: Vec<&str> = key.references_columns.iter().map(String::as_str).collect();
            let link = link(&referenced, &own);
            object.member(
                &member,
                &format!("{} {} {link} [ {{ {list} }} ]", quoted(&child.name), writes_of(key)),
            );
        }
        let writes = if self.protected().is_some() { WRITES_WITHOUT_DELETE } else { WRITES };
        format!("view {name} as {} {writes} {{ {} }};", quoted(&self.table.name), object.text)
    }

    /// A list whose foreign key refuses that the document is deleted, and could be made NULL: a deletion through the
    /// view would do so first, and then find nothing that refuses it.
    fn protected(&self) -> Option<&(&'a ForeignKey, &'a Relation)> {
        self.lists.iter().find(|(key, child)| {
            let identity = child.identity();
            let is_nullable = |at: &usize| !column(child, *at).not_null && !identity.contains(at);
            key.on_delete == OnDelete::Refuse && key.columns.iter().any(is_nullable)
        })
    }

    /// The members of a row of a list. The columns that join it are those of the document.
    fn list(&self, key: &ForeignKey, child: &Relation) -> String {
        let references = references(child, self.tables, &self.table.name);
        let is_joined = |at: &usize| {
            key.columns.contains(at) || references.iter().any(|(other, _)| other.columns == [*at])
        };
        let identity = child.identity().iter().copied().filter(|at| !is_joined(at));
        let mut list = Object::new(child);
        list.columns_of(&identity.collect::<Vec<_>>());
        list.references(&references);
        list.columns(&key.columns);
        list.text
    }
}

/// Every row may be written.
const WRITES: &str = "@insert @update @delete";

/// Rows may be added and changed.
const WRITES_WITHOUT_DELETE: &str = "@insert @update";

/// What may be done to the rows of a list: they are deleted with their document where the database would do so.
fn writes_of(key: &ForeignKey) -> &'static str {
    match key.on_delete {
        OnDelete::Cascade => WRITES,
        OnDelete::Refuse | OnDelete::Unlink => WRITES_WITHOUT_DELETE,
    }
}

/// Whether a list would have very many rows, by the store's estimates.
fn has_many(documents: Option<u64>, rows: Option<u64>) -> bool {
    matches!((documents, rows), (Some(documents), Some(rows)) if documents > 0 && rows / documents > MOST_ROWS)
}

/// The foreign keys of one column, with the tables that they lead to, but not to this one.
fn references<'a>(
    table: &'a Relation,
    tables: &Tables<'a>,
    except: &str,
) -> Vec<(&'a ForeignKey, &'a Relation)> {
    let of_one = table.foreign_keys.iter().filter(|key| key.columns.len() == 1);
    let found = of_one.filter_map(|key| {
        steps::step();
        let target = *tables.by_name.get(key.references_table.as_str())?;
        let leads_to_key = target.identity().iter().map(|&at| &target.columns[at].name);
        (leads_to_key.eq(&key.references_columns) && target.name != except).then_some((key, target))
    });
    found.collect()
}

fn column(table: &Relation, at: usize) -> &Column {
    &table.columns[at]
}

/// The members of an object, as they are written.
struct Object<'a> {
    table: &'a Relation,
    text: String,
    /// Columns that have a member.
    done: HashSet<usize>,
    names: HashSet<String>,
    /// The last number behind each name that was given more than once.
    numbers: HashMap<String, usize>,
}

impl<'a> Object<'a> {
    fn new(table: &'a Relation) -> Self {
        let (done, names, numbers) = (HashSet::new(), HashSet::new(), HashMap::new());
        Self { table, text: String::new(), done, names, numbers }
    }

    /// The columns that identify the row, as one member.
    fn key(&mut self, name: &str) {
        let table = self.table;
        self.done.extend(table.identity());
        let columns = table.identity().iter().map(|&at| column(table, at).name.as_str());
        let text = match table.identity() {
            [_] => columns.map(quoted).collect(),
            _ => {
                let members =
                    columns.map(|name| format!("{}: {}", quoted(&snake_case(name)), quoted(name)));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(" "))
            }
        };
        self.member(name, &text);
    }

    /// Objects of the rows that it refers to: their key, and what they are called.
    fn references(&mut self, references: &[(&ForeignKey, &Relation)]) {
        for (key, target) in references {
            let own = key.columns[0];
            let mut object = Object::new(target);
            object.columns_of(target.identity());
            object.columns_of(&label(target).into_iter().collect::<Vec<_>>());
            let name = snake_case(&column(self.table, own).name);
            let name = match name.strip_suffix("_id").unwrap_or_default() {
                "" => snake_case(&target.name),
                name => name.to_owned(),
            };
            let link = link(
                &[column(self.table, own).name.as_str()],
                &[key.references_columns[0].as_str()],
            );
            self.member(&name, &format!("{} {link} {{ {} }}", quoted(&target.name), object.text));
            // The object has its value, unless it identifies the row too.
            self.done.insert(own);
        }
    }

    /// All other columns but these.
    fn columns(&mut self, except: &[usize]) {
        let others = (0..self.table.columns.len()).filter(|at| !except.contains(at));
        self.columns_of(&others.collect::<Vec<_>>());
    }

    fn columns_of(&mut self, columns: &[usize]) {
        for &at in columns {
            // Views have no XML; the table itself serves it.
            if self.done.insert(at) && !column(self.table, at).ty.is_xml() {
                let name = &column(self.table, at).name;
                self.member(&snake_case(name), &quoted(name));
            }
        }
    }

    /// One member; a name that there is already gets a number.
    fn member(&mut self, name: &str, value: &str) {
        let mut free = name.to_owned();
        while !self.names.insert(free.clone()) {
            steps::step();
            // From where the last one of this name was, rather than from the first.
            let number = self.numbers.entry(name.to_owned()).or_insert(1);
            *number += 1;
            free = format!("{name}_{number}");
        }
        self.text.push_str(&format!("{}: {value} ", quoted(&free)));
    }
}

/// The column with the name of a row: one that is called so, else the first text.
fn label(table: &Relation) -> Option<usize> {
    let is_text = |column: &Column| matches!(column.ty, Type::Text);
    let texts = || (0..table.columns.len()).filter(|&at| is_text(column(table, at)));
    let is_name = |at: &usize| {
        let name = column(table, *at).name.to_lowercase();
        name.contains("name") || name.contains("title")
    };
    texts().find(is_name).or_else(|| texts().next())
}

/// The columns of a join, given even where there is but one way: the printed view has it only where
/// there are several.
fn link(from: &[&str], to: &[&str]) -> String {
    let list =
        |names: &[&str]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    format!("@link(from: [{}], to: [{}])", list(from), list(to))
}

/// A name in quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::ForeignKey;

    use super::*;

    /// A table with a key, a name, and a foreign key to another one.
    fn table(at: usize, parent: Option<usize>) -> Relation {
        let integer = Type::Integer { bits: 64 };
        let mut table = Relation::table(
            "",
            &format!("t{at:06}"),
            vec![
                Column::new("id", integer.clone()),
                Column::new("name", Type::Text),
                Column::new("up_id", integer),
            ],
        );
        table.foreign_keys.extend(parent.map(|parent| ForeignKey {
            name: "up".into(),
            columns: vec![2],
            references_schema: String::new(),
            references_table: format!("t{parent:06}"),
            references_columns: vec!["id".into()],
            on_delete: OnDelete::Cascade,
        }));
        table
    }

    fn is_linear(what: &str, of: impl Fn(usize) -> (usize, u64)) {
        let ((drafted, once), (more, twice)) = (of(60), of(120));
        assert!(drafted > 0 && more >= drafted, "{what}: {drafted} drafts, then {more}");
        assert!(once > 0 && twice * 10 <= once * 22, "{what}: {once} steps, then {twice}");
    }

    #[test]
    fn drafts_cost_as_much_as_there_is_to_join() {
        let counted = |tables: Vec<Relation>| {
            let (drafts, steps) = steps::counted(|| drafts(&tables));
            (drafts.len(), steps)
        };
        is_linear("a chain", |n| counted((0..n).map(|at| table(at, at.checked_sub(1))).collect()));
        is_linear("tables without keys", |n| {
            let chain = (0..20).map(|at| table(at, at.checked_sub(1)));
            counted(chain.chain((20..n).map(|at| table(at, None))).collect())
        });
        is_linear("columns of one name", |n| {
            let mut tables = vec![table(0, None), table(1, Some(0))];
            let column = |at: usize| Column::new(format!("a{}b", " ".repeat(at + 1)), Type::Text);
            tables[0].columns.extend((0..n).map(column));
            counted(tables)
        });
    }
}
