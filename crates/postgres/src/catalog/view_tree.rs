//! The statement of a view as PostgreSQL stores it (`pg_rewrite.ev_action`): a tree of nodes, `{NAME :field value …}`.
//! Read is where its columns come from, and of which relations its rows are.

use std::str::FromStr;

/// A column of a relation by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ColumnNumber {
    pub(super) relation: u32,
    pub(super) column: i16,
}

/// What of the statement of a view is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ViewTree {
    /// The columns of the view that are columns of a relation as they are: their numbers, and the column.
    pub(super) columns: Vec<(i16, ColumnNumber)>,
    /// The relation of which it has each row at most once: the only one that it reads, without joins, unions and functions
    /// that multiply rows.
    pub(super) only: Option<u32>,
    /// Whether it takes writes as rows of that relation (PostgreSQL's manual, CREATE VIEW, "Updatable Views").
    pub(super) is_updatable: bool,
}

/// The fields of a statement that must be empty, so that what is written to its rows is written to those of its relation.
const EMPTY: [&str; 8] = [
    "distinctClause",
    "groupClause",
    "groupingSets",
    "havingQual",
    "limitOffset",
    "limitCount",
    "cteList",
    "setOperations",
];

/// A node that is open.
struct Open<'t> {
    name: &'t str,
    /// The field that was read last.
    field: &'t str,
    fields: Vec<(&'t str, &'t str)>,
}

/// A table that the statement names.
struct Source {
    is_relation: bool,
    relation: u32,
}

/// What is found while the nodes of the outermost statement are read.
#[derive(Default)]
struct Found {
    tree: ViewTree,
    sources: Vec<Source>,
    /// The numbers of those that are read without a join, and how many items there are.
    read: Vec<usize>,
    items: usize,
    multiplies: bool,
    computes: bool,
}

impl ViewTree {
    /// Reads the text of a statement. What is not understood has no origin.
    pub(super) fn of(text: &str) -> Self {
        let mut found = Found::default();
        let mut open: Vec<Open<'_>> = Vec::new();
        let tokens = Tokens { rest: text };
        for token in tokens {
            match token {
                "{" => open.push(Open { name: "", field: "", fields: Vec::new() }),
                "}" => {
                    let Some(node) = open.pop() else { break };
                    found.take(&node, &open);
                }
                token => {
                    let Some(node) = open.last_mut() else { continue };
                    if node.name.is_empty() {
                        node.name = token;
                    } else if let Some(field) = token.strip_prefix(':') {
                        node.field = field;
                    } else {
                        node.fields.push((node.field, token));
                    }
                }
            }
        }
        found.finish()
    }
}

impl Found {
    /// Takes a node that is complete, with those around it.
    fn take(&mut self, node: &Open<'_>, around: &[Open<'_>]) {
        let is_within = |names: &[&str]| {
            around.len() == names.len()
                && around.iter().zip(names).all(|(one, name)| one.name == *name)
        };
        let field = |name: &str| around.last().is_some_and(|one| one.field == name);
        match node.name {
            "TARGETENTRY" if is_within(&["QUERY"]) && field("targetList") => self.column(node),
            "RTE" | "RANGETBLENTRY" if is_within(&["QUERY"]) && field("rtable") => {
                let is_relation = node.value::<u8>("rtekind") == Some(0);
                let relation = node.value("relid").unwrap_or_default();
                self.sources.push(Source { is_relation, relation });
            }
            "RANGETBLREF" if is_within(&["QUERY", "FROMEXPR"]) && field("fromlist") => {
                self.items += 1;
                self.read.extend(node.value::<usize>("rtindex"));
            }
            _ if is_within(&["QUERY", "FROMEXPR"]) && field("fromlist") => self.items += 1,
            "SETOPERATIONSTMT" if is_within(&["QUERY"]) => self.multiplies = true,
            "GROUPINGSET" if is_within(&["QUERY"]) => self.multiplies = true,
            "QUERY" if around.is_empty() => {
                let is_false = |field: &str| node.text(field) == Some("false");
                self.multiplies |= !is_false("hasTargetSRFs");
                let is_empty = |field: &str| node.text(field) == Some("<>");
                self.computes = !is_false("hasAggs")
                    || !is_false("hasWindowFuncs")
                    || !EMPTY.iter().all(|field| is_empty(field));
            }
            _ => {}
        }
    }

    fn column(&mut self, node: &Open<'_>) {
        let number = node.value::<i16>("resno");
        let (relation, column) = (node.value::<u32>("resorigtbl"), node.value::<i16>("resorigcol"));
        let (Some(number), Some(relation), Some(column)) = (number, relation, column) else {
            return;
        };
        if node.text("resjunk") == Some("false") && relation != 0 && column > 0 {
            self.tree.columns.push((number, ColumnNumber { relation, column }));
        }
    }

    fn finish(mut self) -> ViewTree {
        if let ([at], 1, false) = (&self.read[..], self.items, self.multiplies) {
            let source = at.checked_sub(1).and_then(|at| self.sources.get(at));
            self.tree.only = source.filter(|one| one.is_relation).map(|one| one.relation);
            self.tree.is_updatable = self.tree.only.is_some() && !self.computes;
        }
        self.tree
    }
}

impl Open<'_> {
    fn text(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, text)| *text)
    }

    fn value<T: FromStr>(&self, field: &str) -> Option<T> {
        self.text(field)?.parse().ok()
    }
}

/// The parts of the text: braces, and words between blanks and parentheses, in which `\` quotes a character.
struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let is_between = |char: char| char.is_whitespace() || matches!(char, '(' | ')');
        self.rest = self.rest.trim_start_matches(is_between);
        let end = match self.rest.as_bytes().first()? {
            b'{' | b'}' => 1,
            _ => self.word(),
        };
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(token)
    }
}

impl Tokens<'_> {
    /// The length of a word.
    fn word(&self) -> usize {
        let mut quoted = false;
        for (at, char) in self.rest.char_indices() {
            let ends = char.is_whitespace() || matches!(char, '(' | ')' | '{' | '}');
            if ends && !quoted {
                return at;
            }
            quoted = char == '\\' && !quoted;
        }
        self.rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "{TARGETENTRY :expr {VAR :varno 3 :varattno 2} :resno 1 :resname a\\ \\{b :ressortgroupref 0 :resorigtbl 70 :resorigcol 2 :resjunk false}";

    fn query(from: &str, columns: &str, srfs: &str) -> String {
        format!(
            "({{QUERY :commandType 1 :hasAggs false :hasWindowFuncs false :hasTargetSRFs {srfs} :rtable ({{RTE :alias {{ALIAS :aliasname old :colnames <>}} :rtekind 0 :relid 80}} {{RTE :alias <> :eref {{ALIAS :aliasname t :colnames (\"a\" \"b\")}} :rtekind 0 :relid 70 :relkind r}} {{RTE :rtekind 1 :subquery {{QUERY :targetList ({ENTRY}) :rtable <>}}}}) :jointree {{FROMEXPR :fromlist ({from}) :quals <>}} :targetList ({columns}) :groupClause <> :groupingSets <> :havingQual <> :distinctClause <> :limitOffset <> :limitCount <> :cteList <> :setOperations <>}})"
        )
    }

    #[test]
    fn columns_of_the_outermost_statement() {
        let column = ColumnNumber { relation: 70, column: 2 };
        let tree = ViewTree::of(&query("{RANGETBLREF :rtindex 2}", ENTRY, "false"));
        assert_eq!(
            tree,
            ViewTree { columns: vec![(1, column)], only: Some(70), is_updatable: true }
        );
        let computed = "{TARGETENTRY :expr {CONST :constvalue 4 [ 1 0 ]} :resno 2 :resorigtbl 0 :resorigcol 0 :resjunk false}";
        assert!(ViewTree::of(&query("", computed, "false")).columns.is_empty());
        let hidden = ENTRY.replace("resjunk false", "resjunk true");
        assert!(ViewTree::of(&query("", &hidden, "false")).columns.is_empty());
    }

    #[test]
    fn rows_that_may_come_twice() {
        let only = |from: &str, srfs: &str| ViewTree::of(&query(from, ENTRY, srfs)).only;
        let plain = "{RANGETBLREF :rtindex 2}";
        assert_eq!(only(plain, "true"), None);
        assert_eq!(only(&format!("{plain} {plain}"), "false"), None);
        assert_eq!(only("{RANGETBLREF :rtindex 3}", "false"), None);
        assert_eq!(only("{RANGETBLREF :rtindex 9}", "false"), None);
        let join = "{JOINEXPR :larg {RANGETBLREF :rtindex 2} :rarg {RANGETBLREF :rtindex 3}}";
        assert_eq!(only(join, "false"), None);
        assert_eq!(only(&format!("{plain} {join}"), "false"), None);
        let union = query(plain, ENTRY, "false")
            .replace(":setOperations <>", ":setOperations {SETOPERATIONSTMT :op 1}");
        assert_eq!(ViewTree::of(&union).only, None);
        let limited = query(plain, ENTRY, "false").replace(":limitCount <>", ":limitCount {CONST}");
        let limited = ViewTree::of(&limited);
        assert_eq!((limited.only, limited.is_updatable), (Some(70), false));
        for text in ["", "}", "{", "({QUERY", "{{{}}}", "\\"] {
            assert_eq!(ViewTree::of(text), ViewTree::default(), "{text}");
        }
    }
}
