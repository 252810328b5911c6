//! Tables of a definition: which one is meant, how it hangs below its parent and in what form.

use duet_model::catalog::{RelationName, TableRef, same_name};
use duet_model::collection::{DOCUMENT, KEY};
use duet_model::view_rule::ViewRule;
use duet_model::{
    Cardinality, Code, Link, Member, MemberKind, Node, NodeId, Operations, RelationKind,
};

use super::annotation::{Marks, Place};
use super::link::FoundJoin;
use super::member::Names;
use super::{Checker, Draft};
use crate::ast::{
    Arguments, Body, ColumnName, Condition, Expr, Kind, Name, Nesting, Style, TableName, TableUse,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::{names, rules};

impl Checker<'_> {
    pub(super) fn root(&mut self, definition: &TableUse) {
        let marks = self.marks(&definition.annotations, Place::Table);
        self.check_root_form(definition, &marks);
        for annotation in marks.all(Kind::Validate) {
            if let Arguments::Validate(rule) = &annotation.arguments {
                self.rules.push(ViewRule::clone(rule));
            }
        }
        if let Some(annotation) = marks.get(Kind::Notify)
            && let Arguments::Notify(notice) = &annotation.arguments
        {
            self.check_only_notice(annotation.span);
            self.notice = Some(notice.clone());
        }
        let Some(table) = self.find_table(&definition.table, None) else { return };
        if table.identity().is_empty() {
            self.report_no_identity(&table, definition.table.span());
        }
        self.draft(definition, &marks, table, None, None);
        let (conditions, check) = all_conditions(definition, &marks);
        let conditions: Vec<_> = conditions.into_iter().flat_map(|expr| expr.conjuncts()).collect();
        self.filter(0, &conditions, check);
        let mut names = Names::of_root();
        self.body(0, &definition.body, &mut names);
        self.check_documents(0);
    }

    /// A directive of the file and `@notify` would be two.
    fn check_only_notice(&mut self, span: Span) {
        if self.notice.is_some() {
            let message = "the view has a directive with NOTIFY too";
            self.report(Diagnostic::new(Code::ViewAnnotation, span, message).rule(rules::NOTIFY));
        }
    }

    fn check_root_form(&mut self, definition: &TableUse, marks: &Marks<'_>) {
        let array = marks.get(Kind::Array).or(marks.get(Kind::Unnest));
        let span = match (array, definition.form, &definition.body) {
            (Some(array), ..) => array.span,
            (_, Nesting::Array, _) | (_, _, Body::Scalar(_)) => definition.table.span(),
            _ => return self.refuse_root_link(marks),
        };
        let message = "the root cannot be an array, a scalar or unnested";
        self.report(Diagnostic::new(Code::ViewAnnotation, span, message).rule(rules::ROOT_OBJECT));
    }

    fn refuse_root_link(&mut self, marks: &Marks<'_>) {
        if let Some(link) = marks.get(Kind::Link) {
            let message = "the root has no parent to be linked to";
            self.report(Diagnostic::new(Code::ViewJoin, link.span, message).rule(rules::JOIN_KEYS));
        }
    }

    /// A table below `parent`, as a member of its object.
    pub(super) fn nested(
        &mut self,
        parent: NodeId,
        key: Option<&Name>,
        definition: &TableUse,
        names: &mut Names,
    ) -> Option<Member> {
        let marks = self.marks(&definition.annotations, Place::Table);
        let of_root = [
            (Kind::Validate, "a rule is about whole documents", rules::VALIDATE),
            (Kind::Notify, "events are about whole documents", rules::NOTIFY),
        ];
        for (kind, message, rule) in of_root {
            if let Some(mark) = marks.get(kind) {
                let diagnostic = Diagnostic::new(Code::ViewAnnotation, mark.span, message);
                self.report(diagnostic.rule(rule).hint("Write it on the root."));
            }
        }
        let form = self.form(definition, &marks);
        let name = self.nested_name(key, definition, form, names);
        let table = self.find_table(&definition.table, Some(parent));
        let Some(table) = table else {
            self.drafts[parent].broken = true;
            return None;
        };
        self.check_order(definition, &table);
        let (conditions, check) = all_conditions(definition, &marks);
        let join = self.join(parent, definition, &table, &marks, &conditions);
        let link = join.found.map(|found| self.place(parent, definition, &table, form, found));
        let one = link.as_ref().is_none_or(|link| link.cardinality == Cardinality::One);
        let node = self.draft(definition, &marks, table, Some(parent), link);
        self.filter(node, &join.rest, check);
        self.refuse_same_rows(node);
        let kind = match (&definition.body, form) {
            (Body::Scalar(_), _) => MemberKind::Scalars(node),
            (_, Nesting::Unnest) => MemberKind::Unnest(node),
            _ if one => MemberKind::Object(node),
            _ => MemberKind::Array(node),
        };
        if form == Nesting::Unnest {
            self.body(node, &definition.body, names);
        } else {
            self.body(node, &definition.body, &mut Names::default());
        }
        self.check_documents(node);
        Some(Member { name, kind })
    }

    /// The order of an array's elements is that of their keys: another one is refused.
    fn check_order(&mut self, definition: &TableUse, table: &TableRef) {
        let Some((last, _)) = definition.order.last() else { return };
        let key = table.identity();
        let is_own = |column: &ColumnName| {
            let alias = definition.alias.as_ref().unwrap_or(&definition.table.name);
            column.qualifier.as_ref().is_none_or(|name| same_name(&name.text, &alias.text))
        };
        let columns = definition.order.iter().map(|(column, descending)| {
            let at = table.column_index(&column.name.text);
            at.filter(|_| !descending && is_own(column))
        });
        if columns.eq(key.iter().copied().map(Some)) {
            return;
        }
        let span = definition.order[0].0.span().to(last.span());
        let keys: Vec<_> = key.iter().map(|&column| names::of(table, column)).collect();
        let message = format!("the elements of this array are in the order of {}", keys.join(", "));
        let mut diagnostic =
            Diagnostic::new(Code::ViewSyntax, span, message).rule(rules::ARRAY_ORDER);
        diagnostic.hint =
            Some("Leave ORDER BY out, and sort the elements where they are used.".to_owned());
        self.report(diagnostic);
    }

    /// The cardinality that brackets and directives together require.
    fn form(&mut self, definition: &TableUse, marks: &Marks<'_>) -> Nesting {
        let requested = [
            (Kind::Unnest, Nesting::Unnest),
            (Kind::Object, Nesting::Object),
            (Kind::Array, Nesting::Array),
        ];
        let requested = requested
            .into_iter()
            .find(|(kind, _)| marks.has(*kind))
            .map(|(kind, form)| (marks.get(kind), form));
        let scalar = matches!(definition.body, Body::Scalar(_));
        let (annotation, form) = requested.unwrap_or((None, definition.form));
        let span = annotation.map_or(definition.table.span(), |annotation| annotation.span);
        let clash = definition.form == Nesting::Array && form != Nesting::Array;
        let problem = match form {
            Nesting::Unnest if clash || scalar => {
                Some(("an array or a scalar cannot be unnested", rules::UNNEST_ONE))
            }
            Nesting::Object if clash => Some(("brackets contradict @object", rules::ONCE)),
            Nesting::Object if scalar => Some((
                "a single scalar of another table needs UNNEST(SELECT JSON {…})",
                rules::UNNEST_ONE,
            )),
            _ => None,
        };
        if let Some((message, rule)) = problem {
            self.report(Diagnostic::new(Code::ViewAnnotation, span, message).rule(rule));
        }
        form
    }

    fn nested_name(
        &mut self,
        key: Option<&Name>,
        definition: &TableUse,
        form: Nesting,
        names: &mut Names,
    ) -> String {
        if form == Nesting::Unnest {
            if let Some(key) = key {
                let message = format!("an unnested table cannot be named `{}`", key.text);
                self.report(
                    Diagnostic::new(Code::ViewAnnotation, key.span, message)
                        .rule(rules::UNNEST_NO_KEY),
                );
            }
            return String::new();
        }
        let name = key.unwrap_or(&definition.table.name);
        self.declare(names, &name.text, name.span);
        name.text.clone()
    }

    /// Decides between object and array.
    fn place(
        &mut self,
        parent: NodeId,
        definition: &TableUse,
        table: &TableRef,
        form: Nesting,
        found: FoundJoin,
    ) -> Link {
        let scalar = matches!(definition.body, Body::Scalar(_));
        let cardinality = match form {
            _ if scalar => Cardinality::Many,
            Nesting::Array => Cardinality::Many,
            Nesting::Natural => found.candidate.natural,
            Nesting::Object | Nesting::Unnest => Cardinality::One,
        };
        if cardinality == Cardinality::One && !found.child_unique {
            self.report_many(parent, definition, table, form);
        }
        Link {
            parent,
            parent_columns: found.candidate.parent_columns,
            child_columns: found.candidate.child_columns,
            cardinality,
        }
    }

    fn report_many(
        &mut self,
        parent: NodeId,
        definition: &TableUse,
        table: &TableRef,
        form: Nesting,
    ) {
        let parent_table = names::of_table(&self.drafts[parent].node.table);
        let message =
            format!("a row of {parent_table} has many rows of {}, not one", names::of_table(table));
        let rule = if form == Nesting::Unnest { rules::UNNEST_ONE } else { rules::CARDINALITY };
        let hint = match definition.style {
            Style::Sql => "Write [ SELECT … ] for an array.",
            Style::GraphQl => "Leave @object and @unnest out, and write [ {…} ] for an array.",
        };
        let span = definition.table.span();
        self.report(Diagnostic::new(Code::ViewJoin, span, message).rule(rule).hint(hint));
    }

    /// Whether the rows of a table are documents of a collection.
    pub(crate) fn holds_documents(&self, table: &TableRef) -> bool {
        let is_it = |name: &RelationName| name.schema == table.schema && name.name == table.name;
        self.options.documents.iter().any(is_it)
    }

    /// Documents of a collection are written as a whole: their object has the key as `id`, and all other members.
    fn check_documents(&mut self, node: NodeId) {
        let draft = &self.drafts[node];
        let (table, operations) = (&draft.node.table, draft.node.operations);
        if draft.broken || !(operations.insert || operations.update) || !self.holds_documents(table)
        {
            return;
        }
        let is_key = |member: &Member| matches!(&member.kind, MemberKind::Column(column) if Some(column.column) == table.column_index(KEY));
        let has_key = draft.node.members.iter().any(|member| member.name == KEY && is_key(member));
        let flex = draft.flex.filter(|column| Some(*column) == table.column_index(DOCUMENT));
        if has_key && flex.is_some() {
            return;
        }
        let message = format!("rows of {} are documents of a collection", names::of_table(table));
        let hint = format!(
            "Show them whole, as `{KEY}` and `{DOCUMENT} @flex` (`{DOCUMENT} AS FLEX`), or leave INSERT and UPDATE out here."
        );
        let diagnostic = Diagnostic::new(Code::ViewAnnotation, draft.span, message);
        self.report(diagnostic.rule(rules::DOCUMENTS_WHOLE).hint(hint));
    }

    fn draft(
        &mut self,
        definition: &TableUse,
        marks: &Marks<'_>,
        table: TableRef,
        parent: Option<NodeId>,
        link: Option<Link>,
    ) -> NodeId {
        let scalar = matches!(definition.body, Body::Scalar(_));
        let operations = Operations {
            insert: marks.on(Kind::Insert),
            update: marks.on(Kind::Update),
            delete: marks.on(Kind::Delete),
        };
        if scalar && operations != Operations::default() {
            let message = format!("rows of {} cannot be written here", names::of_table(&table));
            self.report(
                Diagnostic::new(Code::ViewAnnotation, definition.table.span(), message)
                    .rule(rules::SCALAR_READ_ONLY),
            );
        }
        let broken = match &definition.body {
            Body::Object(object) => object.broken,
            Body::Scalar(_) => false,
        };
        let missing_link = parent.is_some() && link.is_none();
        self.drafts.push(Draft {
            node: Node {
                table,
                link,
                members: Vec::new(),
                filter: None,
                check_option: false,
                operations,
                aggregates: Vec::new(),
                derived: Vec::new(),
                elements: duet_model::shape::Elements::default(),
            },
            parent,
            alias: definition.alias().text.clone(),
            check: marks.flag(Kind::Check).unwrap_or(true),
            broken: broken || missing_link,
            scalar,
            span: definition.table.span(),
            columns: Vec::new(),
            flex: None,
            paths: Vec::new(),
            derived: Vec::new(),
        });
        let node = self.drafts.len() - 1;
        if let (true, Some(parent)) = (broken || missing_link, parent) {
            self.drafts[parent].broken = true;
        }
        node
    }

    fn filter(&mut self, node: NodeId, conditions: &[&Expr], check_option: bool) {
        let limit = self.options.limits.expression_depth;
        if let Some(condition) = conditions.get(limit) {
            let message = format!("a row filter has more than {limit} conditions");
            self.report(
                Diagnostic::new(Code::ViewLimit, condition.span, message).rule(rules::LIMITS),
            );
            return;
        }
        let resolved: Vec<_> =
            conditions.iter().filter_map(|condition| self.condition(node, condition)).collect();
        let draft = &mut self.drafts[node].node;
        draft.filter = resolved.into_iter().reduce(duet_model::Expr::and);
        draft.check_option = check_option && draft.filter.is_some();
    }

    /// Two members with the same rows of the same table would have to agree in every write.
    fn refuse_same_rows(&mut self, node: NodeId) {
        let this = &self.drafts[node];
        let Some(link) = this.node.link.as_ref().filter(|_| !this.scalar) else { return };
        let same = |other: &Draft| {
            !other.scalar
                && other.node.table == this.node.table
                && other.node.filter == this.node.filter
                && other.node.link.as_ref().is_some_and(|other| {
                    other.parent == link.parent
                        && other.parent_columns == link.parent_columns
                        && other.child_columns == link.child_columns
                })
        };
        if self.drafts[..node].iter().any(same) {
            let message =
                format!("{} is joined the same way twice", names::of_table(&this.node.table));
            let diagnostic = Diagnostic::new(Code::ViewDuplicate, this.span, message);
            self.report(diagnostic.rule(rules::TABLE_ONCE));
        }
    }

    /// The table of a name: qualified, or in the default schema, or in the only schema that has
    /// one of that name.
    pub(super) fn find_table(
        &mut self,
        name: &TableName,
        parent: Option<NodeId>,
    ) -> Option<TableRef> {
        let wanted = &name.name.text;
        let schema = name.schema.as_ref().map(|schema| schema.text.clone());
        let schema = schema.or_else(|| self.options.default_schema.clone());
        let matches: Vec<&TableRef> = self
            .catalog
            .called(wanted)
            .filter(|relation| {
                schema.as_ref().is_none_or(|schema| same_name(&relation.schema, schema))
            })
            .collect();
        // As it is served, as the database spells it, without case.
        let alias = |table: &TableRef| table.alias.as_ref().unwrap_or(&table.name) == wanted;
        let spelled = |table: &TableRef| table.name == *wanted;
        let only = |test: &dyn Fn(&TableRef) -> bool| -> Vec<&TableRef> {
            matches.iter().copied().filter(|table| test(table)).collect()
        };
        let exact = match only(&alias) {
            none if none.is_empty() => only(&spelled),
            some => some,
        };
        match (&exact[..], &matches[..]) {
            ([only], _) | ([], [only]) => {
                let table = TableRef::clone(only);
                self.refuse_view(&table, name);
                Some(table)
            }
            ([], []) => {
                self.report_unknown_table(name, parent);
                None
            }
            ([], several) | (several, _) => {
                let schemas: Vec<_> = several
                    .iter()
                    .map(|table| format!("{}.{}", table.schema, names::of_table(table)))
                    .collect();
                let message = format!("{wanted} could be more than one table");
                let hint = format!("Write one of {}.", schemas.join(", "));
                let diagnostic = Diagnostic::new(Code::ViewTable, name.span(), message);
                self.report(diagnostic.rule(rules::NAMES_EXIST).hint(hint));
                None
            }
        }
    }

    fn refuse_view(&mut self, table: &TableRef, name: &TableName) {
        if table.kind != RelationKind::Table {
            let message = format!("{} is a view of the database", names::of_table(table));
            self.report(
                Diagnostic::new(Code::ViewTable, name.span(), message).rule(rules::TABLE_SOURCE),
            );
        }
    }

    fn report_unknown_table(&mut self, name: &TableName, parent: Option<NodeId>) {
        let wanted = &name.name.text;
        let relations = &self.catalog.relations;
        let elsewhere = self.catalog.called(wanted).next();
        let column = parent.map(|parent| &self.drafts[parent].node.table);
        let column = column.filter(|table| table.column_index(wanted).is_some());
        let diagnostic =
            Diagnostic::new(Code::ViewTable, name.span(), format!("there is no table {wanted}"))
                .rule(rules::NAMES_EXIST);
        self.report(match (elsewhere, column) {
            (Some(other), _) => diagnostic.hint(format!(
                "There is {}.{}: write its schema.",
                other.schema,
                names::of_table(other)
            )),
            (None, Some(table)) => diagnostic
                .hint(format!("It is a column of {} and takes no braces.", names::of_table(table))),
            (None, None) => diagnostic
                .nearest(wanted, relations.iter().map(|relation| names::of_table(relation))),
        });
    }
}

/// All row conditions of a table, and whether a write must stay inside them.
fn all_conditions<'a>(definition: &'a TableUse, marks: &Marks<'a>) -> (Vec<&'a Expr>, bool) {
    let mut conditions: Vec<&Condition> = definition.conditions.iter().collect();
    if let Some(annotation) = marks.get(Kind::Where)
        && let Arguments::Where(condition) = &annotation.arguments
    {
        conditions.push(condition);
    }
    let check = conditions.iter().any(|condition| condition.check_option);
    (conditions.into_iter().map(|condition| &condition.expr).collect(), check)
}
