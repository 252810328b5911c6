//! Read plans in words: tables, joins, columns, order.

use std::fmt::{self, Write};

use duet_model::{
    Arithmetic, ColumnRef, Compare, Direction, Expr, Groups, JsonPredicate, Level, LevelColumn,
    NodeId, OrderBy, Page, ReadPlan, Root, Scope, Shape, Value,
};

use crate::resources::representation::any_page;

/// Prints a plan, a line for each level and its work. Columns have the names they are served
/// under, so that a plan reads the same on every store; `t0`, `t1`, … are the tables' aliases in
/// the SQL.
pub(crate) fn print(plan: &ReadPlan) -> String {
    let printer = Printer::new(plan);
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = printer.plan(&mut out);
    out
}

pub(crate) struct Printer<'a> {
    plan: &'a ReadPlan,
    shape: &'a Shape,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(plan: &'a ReadPlan) -> Self {
        Self { plan, shape: &plan.shape }
    }

    fn plan(&self, out: &mut String) -> fmt::Result {
        match &self.plan.root {
            Root::Keys => {
                let key = self.shape.key.iter().map(|&column| ColumnRef { node: 0, column });
                writeln!(out, "item of {} by {}", self.shape.name, self.fields(key))?;
                if self.plan.by_ordinal {
                    writeln!(out, "  rows are matched to keys by the database")?;
                }
            }
            Root::Page(page) => self.page(page, out)?,
        }
        for (number, level) in self.plan.levels.iter().enumerate() {
            self.level(number, level, out)?;
        }
        Ok(())
    }

    fn page(&self, page: &Page, out: &mut String) -> fmt::Result {
        match Groups::of(&self.shape.root().table) {
            Some(groups) => self.groups(groups, out)?,
            None => writeln!(out, "page of {}", self.shape.name)?,
        }
        if !page.filter.is_all() {
            writeln!(out, "  where {}", self.expr(&page.filter))?;
        }
        let term = |term: &OrderBy| match term.direction {
            Direction::Ascending => self.expr(&term.value),
            Direction::Descending => format!("{} descending", self.expr(&term.value)),
        };
        let order: Vec<_> = page.order.iter().map(term).collect();
        writeln!(out, "  order by {}", order.join(", "))?;
        if let Some(after) = &page.after {
            writeln!(out, "  after {}", list(after))?;
        }
        write!(out, "  limit {}", page.limit)?;
        if page.offset > 0 {
            write!(out, ", offset {}", page.offset)?;
        }
        writeln!(out)
    }

    /// The groups of a page; what follows is of groups.
    fn groups(&self, groups: &Groups, out: &mut String) -> fmt::Result {
        let rows = any_page(&groups.shape);
        let rows = Printer::new(&rows);
        let keys: Vec<_> = groups.keys.iter().map(|key| rows.expr(&key.value)).collect();
        let by = if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") };
        writeln!(out, "page of groups of {} by {by}", groups.shape.name)?;
        for aggregate in &groups.aggregates {
            let of = aggregate.of.as_ref().map_or("*".to_owned(), |of| rows.expr(&of.value));
            writeln!(out, "  {} of {of}", aggregate.function.name().trim_start_matches('$'))?;
        }
        if !groups.filter.is_all() {
            writeln!(out, "  of rows where {}", rows.expr(&groups.filter))?;
        }
        Ok(())
    }

    fn level(&self, number: usize, level: &Level, out: &mut String) -> fmt::Result {
        write!(out, "level {number}: {}", self.table(level.node))?;
        if number > 0 {
            write!(out, ", an array below level {}", level.parent)?;
        }
        writeln!(out)?;
        for &node in &level.path {
            let way = if node == 0 { "from" } else { "through" };
            writeln!(out, "  {way} {}{}", self.table(node), self.on(node))?;
        }
        if number > 0 {
            writeln!(out, "  linked{}", self.on(level.node))?;
        }
        for &node in &level.joined {
            writeln!(out, "  joins {}{}", self.table(node), self.on(node))?;
        }
        // Columns that one store needs to distinguish rows are not printed.
        let said = |column: &&LevelColumn| **column != LevelColumn::RowNumber;
        let columns: Vec<_> =
            level.columns.iter().filter(said).map(|column| self.column(column)).collect();
        writeln!(out, "  reads {}", columns.join(", "))?;
        if number > 0 {
            writeln!(out, "  elements ordered by {}", self.element_order(level.node))?;
        }
        Ok(())
    }

    fn table(&self, node: NodeId) -> String {
        let filtered = if self.shape.nodes[node].filter.is_some() { " (some rows)" } else { "" };
        format!("t{node} {}{filtered}", self.shape.nodes[node].table.served_name())
    }

    fn on(&self, node: NodeId) -> String {
        let Some(link) = &self.shape.nodes[node].link else { return String::new() };
        let pair = |(&child, &parent): (&usize, &usize)| {
            let child = self.field(ColumnRef { node, column: child });
            format!("{child} = {}", self.field(ColumnRef { node: link.parent, column: parent }))
        };
        let pairs: Vec<_> = link.child_columns.iter().zip(&link.parent_columns).map(pair).collect();
        format!(" on {}", pairs.join(" and "))
    }

    fn element_order(&self, node: NodeId) -> String {
        let identity = self.shape.nodes[node].table.identity();
        if identity.is_empty() {
            return "nothing".to_owned();
        }
        self.fields(identity.iter().map(|&column| ColumnRef { node, column }))
    }

    fn column(&self, column: &LevelColumn) -> String {
        match column {
            LevelColumn::Column(field) => self.field(*field),
            LevelColumn::Generated { node, .. } => format!("an expression over t{node}"),
            LevelColumn::Ordinal => "the key's position".to_owned(),
            LevelColumn::AsOf => "the snapshot".to_owned(),
            LevelColumn::RowNumber => "the row's number".to_owned(),
        }
    }

    fn fields(&self, fields: impl Iterator<Item = ColumnRef>) -> String {
        fields.map(|field| self.field(field)).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn field(&self, field: ColumnRef) -> String {
        let column = self.shape.column(field);
        format!("t{}.{}", field.node, column.served_name())
    }

    pub(crate) fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::And(parts) => self.group(parts, " and ", "true"),
            Expr::Or(parts) => self.group(parts, " or ", "false"),
            Expr::Not(inner) => format!("not {}", self.expr(inner)),
            Expr::NotTrue(inner) => format!("not true {}", self.expr(inner)),
            Expr::SameRow(inner) => format!("one element {}", self.expr(inner)),
            Expr::Compare(operator, left, right) => {
                format!("{} {} {}", self.expr(left), symbol(*operator), self.expr(right))
            }
            Expr::In(operand, values) => {
                format!("{} in ({})", self.expr(operand), self.list(values))
            }
            Expr::Between(operand, low, high) => {
                let end = |end: &Option<Box<Expr>>| {
                    end.as_ref().map_or("any".to_owned(), |end| self.expr(end))
                };
                format!("{} between {} and {}", self.expr(operand), end(low), end(high))
            }
            Expr::Like { operand, pattern, ignore_case } => {
                let like = if *ignore_case { "ilike" } else { "like" };
                format!("{} {like} {}", self.expr(operand), self.expr(pattern))
            }
            Expr::Search(operand, test) => format!("{} {test}", self.expr(operand)),
            Expr::AnyElement(array, holds) => {
                let array = self.value(&Expr::Field(array.clone()));
                format!("some element of {array} has {}", self.expr(holds))
            }
            Expr::IsNull(operand) => format!("{} is null", self.expr(operand)),
            Expr::Json(field, test) => {
                let column = self.field(field.column_at(0));
                format!("{column} holds {}", JsonPredicate::encode(&field.path, test))
            }
            value => self.value(value),
        }
    }

    fn value(&self, expr: &Expr) -> String {
        match expr {
            Expr::Extracted(field, _) if field.scope == Scope::Element => field.path.join("."),
            Expr::Field(field) | Expr::Extracted(field, _) => {
                let column = self.field(field.column_at(0));
                field.path.iter().fold(column, |path, step| format!("{path}.{step}"))
            }
            Expr::Literal(value) | Expr::Operand(value, _) => literal(value),
            Expr::Arithmetic(operator, left, right) => {
                let sign = match operator {
                    Arithmetic::Add => "+",
                    Arithmetic::Subtract => "-",
                    Arithmetic::Multiply => "*",
                    Arithmetic::Divide => "/",
                    Arithmetic::Concat => "||",
                };
                format!("({} {sign} {})", self.expr(left), self.expr(right))
            }
            Expr::Negate(operand) => format!("-{}", self.expr(operand)),
            Expr::Function(name, arguments) => format!("{name}({})", self.list(arguments)),
            Expr::Case { .. } => "a case".to_owned(),
            Expr::Aggregate(..) => match self.shape.aggregate(0, expr) {
                Some(aggregate) => {
                    let table = aggregate.rows.root().table.served_name();
                    let function = aggregate.function.name();
                    format!("{function} of rows of {table}").trim_start().to_owned()
                }
                None => "other rows".to_owned(),
            },
            condition => self.expr(condition),
        }
    }

    fn list(&self, parts: &[Expr]) -> String {
        parts.iter().map(|part| self.expr(part)).collect::<Vec<_>>().join(", ")
    }

    fn group(&self, parts: &[Expr], word: &str, empty: &str) -> String {
        if parts.is_empty() {
            return empty.to_owned();
        }
        let parts: Vec<_> = parts.iter().map(|part| self.expr(part)).collect();
        format!("({})", parts.join(word))
    }
}

/// Values joined by commas.
pub(crate) fn list(values: &[Value]) -> String {
    values.iter().map(literal).collect::<Vec<_>>().join(", ")
}

/// A value as a reader expects it: text in quotes.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Text(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn symbol(operator: Compare) -> &'static str {
    match operator {
        Compare::Eq => "=",
        Compare::Ne => "<>",
        Compare::Lt => "<",
        Compare::Lte => "<=",
        Compare::Gt => ">",
        Compare::Gte => ">=",
    }
}
