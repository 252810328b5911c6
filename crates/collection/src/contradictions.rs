//! What a declaration says that does nothing, or that another line of it forbids.

use std::collections::BTreeMap;

use duet_model::collection::{DOCUMENT, KEY, column_name};
use duet_model::{DocumentField, Type};
use duet_text::name::nearest;
use duet_text::problem::{did_you_mean, quoted};

use crate::declaration::{Declaration, Mistake};

/// The methods whose refused values `unprocessable` may name.
const METHODS: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

/// All of them. What a file of RMB declares is not among them: it is taken as it is.
pub(crate) fn of(declaration: &Declaration, fields: &[DocumentField]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    unprocessable(declaration, &mut mistakes);
    ignored(declaration, &mut mistakes);
    exact(declaration, fields, &mut mistakes);
    arrays(declaration, fields, &mut mistakes);
    indexes(declaration, &mut mistakes);
    columns(declaration, &mut mistakes);
    aliases(declaration, &mut mistakes);
    mistakes
}

fn mistake(path: &str, message: String, hint: &str) -> Mistake {
    Mistake { path: Some(path.to_owned()), message, hint: Some(hint.to_owned()) }
}

fn unprocessable(declaration: &Declaration, mistakes: &mut Vec<Mistake>) {
    let methods = &declaration.unprocessable;
    for method in methods.iter().filter(|method| !METHODS.contains(&method.as_str())) {
        let near = nearest(&method.to_uppercase(), METHODS);
        let hint = near.map_or_else(|| format!("There are {}.", METHODS.join(", ")), did_you_mean);
        let message = format!("{} is no method that writes documents.", quoted(method));
        mistakes.push(mistake(method, message, &hint));
    }
    if let (Some(first), false) =
        (methods.first(), declaration.search.profile.names_unique_constraints())
    {
        let message = "`unprocessable` does nothing here: refused values get 409.".to_owned();
        mistakes.push(mistake(first, message, "It is for applications with `compat = \"rmb\"`."));
    }
}

/// Members that are not stored cannot be searched, indexed or referred by.
fn ignored(declaration: &Declaration, mistakes: &mut Vec<Mistake>) {
    let Declaration { references, indexes, exact, search, .. } = declaration;
    let used = references.iter().map(|one| &one.path);
    let used =
        used.chain(indexes.iter().flat_map(|one| std::iter::once(&one.path).chain(&one.then)));
    let used: Vec<&String> = used.chain(exact).chain(&search.server_choice).collect();
    let root = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    for member in &declaration.ignored {
        let message = match used.iter().find(|path| root(path) == *member) {
            _ if member == KEY => "`id` is the key: it is always stored.".to_owned(),
            Some(path) => {
                format!(
                    "{} is not stored (`ignored`), and {} is declared.",
                    quoted(member),
                    quoted(path)
                )
            }
            None => continue,
        };
        mistakes.push(mistake(member, message, "Leave one of them out."));
    }
}

fn exact(declaration: &Declaration, fields: &[DocumentField], mistakes: &mut Vec<Mistake>) {
    let is_no_text =
        |field: &&DocumentField| field.ty.is_number() || matches!(field.ty, Type::Boolean);
    for path in &declaration.exact {
        if fields.iter().filter(is_no_text).any(|field| field.path == *path) {
            let message = format!("{} is no text, which has case and accents.", quoted(path));
            mistakes.push(mistake(path, message, "Leave it out of `exact`."));
        }
    }
}

fn arrays(declaration: &Declaration, fields: &[DocumentField], mistakes: &mut Vec<Mistake>) {
    for array in &declaration.search.arrays {
        let whole = format!("{}.{}", array.path, array.subfield);
        let found = fields.iter().find(|field| field.path == whole);
        if found.is_some_and(|field| !field.repeated) {
            let message = format!("{} is no array.", quoted(&array.path));
            let hint = "Its members are searched by their paths: leave out `[arrays]`.";
            mistakes.push(mistake(&whole, message, hint));
        }
        for (at, modifier) in array.modifiers.iter().enumerate() {
            // Their names are without case in searches.
            if array.modifiers[..at].iter().any(|one| one.eq_ignore_ascii_case(modifier)) {
                let path = format!("{}.{modifier}", array.path);
                let message = format!("There are two modifiers {}.", quoted(modifier));
                mistakes.push(mistake(&path, message, "Leave one of them out."));
            }
        }
    }
}

fn indexes(declaration: &Declaration, mistakes: &mut Vec<Mistake>) {
    for (at, index) in declaration.indexes.iter().enumerate() {
        if declaration.indexes[..at].contains(index) {
            let message = format!("There are two equal indexes of {}.", quoted(&index.path));
            mistakes.push(mistake(&index.path, message, "Leave one of them out."));
        }
    }
    let dictionaries = &declaration.search.dictionaries.0;
    for (at, (path, name)) in dictionaries.iter().enumerate() {
        if dictionaries[..at].iter().any(|(known, other)| known == path && other != name) {
            let message = format!("{} has two dictionaries.", quoted(path));
            mistakes.push(mistake(path, message, "Its words are those of one."));
        }
    }
}

/// Each reference, and on SQLite each indexed value, has a column: two paths cannot have one.
fn columns(declaration: &Declaration, mistakes: &mut Vec<Mistake>) {
    let references = declaration.references.iter().map(|one| &one.path);
    let indexed = declaration.indexes.iter().filter(|index| !index.kind.is_of_pairs());
    let indexed = indexed.flat_map(|one| std::iter::once(&one.path).chain(&one.then));
    let mut known: BTreeMap<String, &String> = BTreeMap::new();
    for path in references.chain(indexed) {
        let column = column_name(path);
        let message = match known.get(&column) {
            _ if column == DOCUMENT => {
                format!("{} would have the column of the documents.", quoted(path))
            }
            Some(other) if *other != path => {
                format!(
                    "{} and {} would have one column, {}.",
                    quoted(other),
                    quoted(path),
                    quoted(&column)
                )
            }
            _ => {
                known.insert(column, path);
                continue;
            }
        };
        mistakes.push(mistake(path, message, "Only one of them can be declared."));
    }
}

fn aliases(declaration: &Declaration, mistakes: &mut Vec<Mistake>) {
    if declaration.search.profile.aliases_hide_members() {
        // The first of equal names is found.
        return;
    }
    let references = &declaration.references;
    for (at, reference) in references.iter().enumerate() {
        let Some(alias) = &reference.alias else { continue };
        if references[..at].iter().any(|other| other.alias.as_ref() == Some(alias)) {
            let message = format!("There are two documents {}.", quoted(alias));
            let hint = "Give each `alias` a name of its own: searches could not tell them apart.";
            mistakes.push(mistake(&reference.path, message, hint));
        }
    }
}

#[cfg(test)]
mod tests {
    use duet_model::{IndexKind, SearchedArray};

    use super::*;
    use crate::{Collection, DeclaredIndex, Reference};

    const SCHEMA: &str = r#"{"properties": {"id": {"type": "string"}, "name": {"type": "string"},
        "a_b": {"type": "string"}, "a": {"properties": {"b": {"type": "string"}}},
        "jsonb": {"type": "string"}, "count": {"type": "integer"}, "is": {"type": "boolean"},
        "tags": {"type": "array", "items": {"properties": {"x": {"type": "string"}}}}}}"#;

    fn said(change: impl Fn(&mut Declaration)) -> Vec<String> {
        let mut declaration = Declaration::new("items");
        change(&mut declaration);
        let mistakes = Collection::new(declaration, SCHEMA).err().unwrap_or_default();
        mistakes.into_iter().map(|mistake| mistake.message).collect()
    }

    #[test]
    fn all_of_a_declaration_is_said_together() {
        let found = said(|it| {
            it.unprocessable = vec!["post".into(), "GET".into()];
            it.ignored = vec!["name".into(), "id".into()];
            it.exact = vec!["count".into(), "is".into(), "name".into(), "nmae".into()];
            it.search.arrays = vec![
                SearchedArray { path: "a".into(), subfield: "b".into(), modifiers: Vec::new() },
                SearchedArray {
                    path: "tags".into(),
                    subfield: "x".into(),
                    modifiers: vec!["x".into(), "X".into(), "y".into()],
                },
            ];
        });
        for part in [
            "`post` is no method",
            "`GET` is no method",
            "`unprocessable` does nothing here",
            "`name` is not stored (`ignored`), and `name` is declared",
            "`id` is the key",
            "`count` is no text",
            "`is` is no text",
            "no member `nmae`",
            "`a` is no array",
            "two modifiers `X`",
            "no member `tags.y`",
        ] {
            assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:#?}");
        }
    }

    #[test]
    fn indexes_and_references_have_places_of_their_own() {
        let index = |path: &str| DeclaredIndex::new(path, IndexKind::Ordered);
        let found = said(|it| {
            it.indexes = vec![index("name"), index("name"), index("a.b"), index("jsonb")];
            it.references = vec![
                Reference { alias: Some("x".into()), ..Reference::new("a_b", "t") },
                Reference { alias: Some("x".into()), ..Reference::new("name", "t") },
            ];
            let words = |name: &str| ("name".to_owned(), name.to_owned());
            it.search.dictionaries.0 = vec![words("english"), words("german")];
        });
        assert_eq!(
            found,
            [
                "There are two equal indexes of `name`.",
                "`name` has two dictionaries.",
                "`a_b` and `a.b` would have one column, `a_b`.",
                "`jsonb` would have the column of the documents.",
                "There are two documents `x`.",
            ]
        );
        assert_eq!(said(|it| it.indexes = vec![index("name"), index("a.b")]), [""; 0]);
    }
}
