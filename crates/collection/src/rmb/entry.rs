//! An entry of an index: how its path is searched, and the index that serves it.

use std::sync::Arc;

use duet_model::shape::Folding;
use duet_model::{
    DeclaredSearch, DocumentField, IndexKind, JoinedPath, SearchForm, Type, joined_paths,
};
use duet_text::Fold;
use duet_text::problem::quoted;

use super::{array, condition};
use crate::declaration::{Declaration, DeclaredIndex};
use crate::misfit;
use crate::rmb_file::line::LineOutcome;
use crate::rmb_file::schema::Entry;

/// What is behind the name of joined texts in the name of their field: no member has such a name.
const OF_JOINED: &str = "[*]";

/// What an index is of.
#[derive(Clone, Copy)]
pub(super) struct IndexTarget<'p> {
    pub(super) path: &'p str,
    pub(super) kind: IndexKind,
    /// How the index has texts.
    pub(super) folding: Folding,
}

impl Entry {
    /// Declares how searches compare its path; the path of its index, and how that has texts.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn declare(
        &self,
        kind: IndexKind,
        declaration: &mut Declaration,
        fields: &mut Vec<DocumentField>,
        searches: &mut Vec<DeclaredSearch>,
    ) -> Result<(String, Folding), String> {
        if kind == IndexKind::FullText && self.case_sensitive {
            let refused = "RMB has no words that respect case".to_owned();
            search(searches, &self.field_name).words = Some(refuse(&refused));
            return Err(refused);
        }
        array::declare(self, declaration, fields);
        let joined = self.multi_field_names.as_deref();
        let joined =
            joined.map(|paths| declare_joined(&self.field_name, paths, declaration, fields));
        let form = match self.form(kind, joined.as_deref()) {
            Ok(form) => form,
            Err(why) => {
                self.searched(kind, &refuse(&why), searches);
                return Err(why);
            }
        };
        let folding = form.value.map_or(Folding::Never, Folding::Always);
        self.searched(kind, &form, searches);
        if let Some(wrong) = joined.as_ref().and_then(|_| self.wrong_texts(fields)) {
            return Err(wrong);
        }
        Ok((joined.unwrap_or_else(|| self.field_name.clone()), folding))
    }

    /// How the relations of its kind are searched, unless an index that precedes it says so.
    fn searched(&self, kind: IndexKind, form: &SearchForm, searches: &mut Vec<DeclaredSearch>) {
        let found = search(searches, &self.field_name);
        if kind == IndexKind::FullText {
            found.words.get_or_insert_with(|| form.clone());
            return;
        }
        found.whole.get_or_insert_with(|| form.clone());
        if kind == IndexKind::Ordered {
            // RMB orders the member itself by the flags, whatever SQL the index has, and takes the term as that says.
            let value = self.flags();
            let order = SearchForm { value, joined: None, ..form.clone() };
            found.order.get_or_insert(order);
        }
    }

    /// What its flags ignore.
    fn flags(&self) -> Option<Fold> {
        Fold::of(!self.case_sensitive, self.remove_accents)
    }

    /// What searches compare.
    fn form(&self, kind: IndexKind, joined: Option<&str>) -> Result<SearchForm, String> {
        let words = kind == IndexKind::FullText;
        let of_words = |accents: bool| Fold::of(true, accents);
        let value = match (&self.sql_expression, words) {
            (Some(_), _) if joined.is_some() => {
                return Err("it has multiFieldNames and a sqlExpression".to_owned());
            }
            (Some(sql), _) => {
                let found = condition::of_expression(sql, &self.field_name);
                let (case, accents) =
                    found.ok_or("its sqlExpression is something else than the member")?;
                if words { of_words(accents) } else { Fold::of(case, accents) }
            }
            (None, true) => of_words(self.remove_accents),
            (None, false) => self.flags(),
        };
        let term = match (&self.sql_expression_query, words) {
            (Some(sql), _) => {
                let found = condition::of_term(sql);
                let (case, accents) =
                    found.ok_or("its sqlExpressionQuery is something else than the term")?;
                if words { of_words(accents) } else { Fold::of(case, accents) }
            }
            (None, true) => of_words(self.remove_accents && self.sql_expression.is_none()),
            (None, false) => self.flags(),
        };
        Ok(SearchForm { value, term, joined: joined.map(str::to_owned), refused: None })
    }

    /// Why texts cannot be joined as RMB joins them.
    fn wrong_texts(&self, fields: &[DocumentField]) -> Option<String> {
        let paths = self.multi_field_names.as_deref()?;
        let given = paths.split(',').map(str::trim).zip(joined_paths(paths));
        given.into_iter().find_map(|(path, joined)| {
            let JoinedPath::Elements(steps, member) = joined else { return None };
            let nested = member.as_ref().is_some_and(|it| it.contains(['.', '[']));
            let deep = nested.then(|| format!("{} leads into arrays of arrays", quoted(path)));
            let whole = steps.join(".");
            let of_member = member.map(|it| format!("{whole}.{it}"));
            let is_known = |path: &String| fields.iter().any(|field| field.path == *path);
            let lost = of_member.filter(|it| !is_known(it));
            deep.or_else(|| lost.map(|_| format!("the JSON Schema has no {}", quoted(path))))
        })
    }

    /// Declares its index; what became of it, and why.
    pub(super) fn index(
        &self,
        target: IndexTarget<'_>,
        fields: &[DocumentField],
        searches: &[DeclaredSearch],
        declaration: &mut Declaration,
    ) -> (LineOutcome, String) {
        let IndexTarget { path, kind, folding } = target;
        let condition =
            self.where_clause.as_deref().map(|sql| condition::of(sql, fields, searches));
        let without_condition = condition == Some(None);
        if without_condition && kind == IndexKind::Unique {
            let why = "its whereClause compares no member with a value, so that nothing is unique";
            return (LineOutcome::Refused, why.to_owned());
        }
        let (path, then) = match path.split_once(',') {
            Some((first, rest)) => {
                (first.trim(), rest.split(',').map(|it| it.trim().to_owned()).collect())
            }
            None => (path, Vec::new()),
        };
        for path in std::iter::once(path).chain(then.iter().map(String::as_str)) {
            let found = fields.iter().find(|field| field.path == path);
            let why =
                found.map_or_else(|| Some(missing(path, fields)), |field| misfit(field, kind));
            let Some(why) = why else { continue };
            let why = why.trim_end_matches('.').to_owned();
            let is_absent = found.is_none() && !is_object(path, fields);
            return match kind {
                // What no document has is unique.
                IndexKind::Unique if !is_absent => {
                    (LineOutcome::Refused, format!("{why}, so that nothing is unique"))
                }
                _ => (LineOutcome::Otherwise, format!("searched without an index: {why}")),
            };
        }
        let index = DeclaredIndex {
            condition: condition.flatten(),
            then,
            folding: Some(folding),
            ..DeclaredIndex::new(path, kind)
        };
        let is_same = |known: &DeclaredIndex| {
            DeclaredIndex { folding: index.folding, ..known.clone() } == index
        };
        if !declaration.indexes.iter().any(is_same) {
            declaration.indexes.push(index);
        }
        match (without_condition, self.string_type) {
            (true, _) => {
                let why =
                    "the index has all documents: its whereClause compares no member with a value";
                (LineOutcome::Otherwise, why.to_owned())
            }
            (_, false) => {
                (LineOutcome::Otherwise, "the index has texts, as searches compare".to_owned())
            }
            _ => (LineOutcome::Taken, String::new()),
        }
    }
}

fn refuse(why: &str) -> SearchForm {
    SearchForm { refused: Some(why.to_owned()), ..SearchForm::default() }
}

/// How a path is searched, so far.
fn search<'s>(searches: &'s mut Vec<DeclaredSearch>, path: &str) -> &'s mut DeclaredSearch {
    let at = searches.iter().position(|one| one.path == path).unwrap_or_else(|| {
        searches.push(DeclaredSearch { path: path.to_owned(), ..DeclaredSearch::default() });
        searches.len() - 1
    });
    &mut searches[at]
}

/// Declares joined texts; the name of their field. Indexes of one name may join different members.
fn declare_joined(
    name: &str,
    paths: &str,
    declaration: &mut Declaration,
    fields: &mut Vec<DocumentField>,
) -> String {
    let paths = paths.split(',').map(str::trim).collect::<Vec<_>>().join(",");
    let mut name = format!("{name}{OF_JOINED}");
    while let Some((_, known)) = declaration.joined.iter().find(|(known, _)| *known == name) {
        if *known == paths {
            return name;
        }
        name.push_str(OF_JOINED);
    }
    declaration.joined.push((name.clone(), paths.clone()));
    fields.push(DocumentField {
        path: name.clone(),
        ty: Type::Text,
        column: None,
        folding: Folding::Always(Fold::Both),
        repeated: false,
        joined: Some(Arc::from(paths)),
    });
    name
}

/// Whether a path leads to an object or to an array of objects.
fn is_object(path: &str, fields: &[DocumentField]) -> bool {
    let below = format!("{path}.");
    fields.iter().any(|field| field.path.starts_with(&below))
}

/// Why no field has this path.
fn missing(path: &str, fields: &[DocumentField]) -> String {
    match is_object(path, fields) {
        true => "it has members, no single value".to_owned(),
        false => "the JSON Schema has no such member".to_owned(),
    }
}
