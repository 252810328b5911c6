//! Ranges and points: values that an index declares by a name and two members of a document, and that searches name like
//! a member.

use std::sync::Arc;

use duet_model::shape::Folding;
use duet_model::{DocumentField, IndexKind, Pair, PairKind, Type};
use duet_text::problem::quoted;

use crate::declaration::{Declaration, DeclaredIndex, Mistake};
use crate::unknown_path;

/// The values that the indexes of a declaration make of two members.
///
/// # Errors
/// What is wrong with each.
pub(crate) fn of(
    declaration: &Declaration,
    fields: &[DocumentField],
) -> Result<Vec<DocumentField>, Vec<Mistake>> {
    let (mut found, mut mistakes): (Vec<DocumentField>, _) = (Vec::new(), Vec::new());
    for index in declaration.indexes.iter().filter(|index| index.kind.is_of_pairs()) {
        match field(index, fields) {
            Ok(new) => match found.iter().find(|known| known.path == new.path) {
                Some(known) if *known != new => mistakes.push(Mistake {
                    path: Some(new.path.clone()),
                    message: format!("There are two values {}.", quoted(&new.path)),
                    hint: Some(
                        "Give the ranges and points of a collection names of their own.".into(),
                    ),
                }),
                Some(_) => {}
                None => found.push(new),
            },
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if mistakes.is_empty() { Ok(found) } else { Err(mistakes) }
}

/// The value that an index declares.
fn field(index: &DeclaredIndex, fields: &[DocumentField]) -> Result<DocumentField, Mistake> {
    let name = &index.path;
    let wrong = |message: String, hint: &str| Mistake {
        path: Some(name.clone()),
        message,
        hint: Some(hint.to_owned()),
    };
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    if !name.starts_with(|char: char| char.is_ascii_alphabetic()) || !name.chars().all(is_name) {
        let hint = "A name has letters, digits and `_`, and begins with a letter.";
        return Err(wrong(format!("{} cannot be a name for searches.", quoted(name)), hint));
    }
    let first = |path: &str| path.split('.').next().unwrap_or_default().to_lowercase();
    if fields.iter().any(|field| first(&field.path) == name.to_lowercase()) {
        let hint = "Give the value another name: searches could not tell them apart.";
        return Err(wrong(format!("The documents have a member {}.", quoted(name)), hint));
    }
    let [one, other] = index.then.as_slice() else {
        return Err(wrong(format!("{} is made of two members.", quoted(name)), "Name both."));
    };
    let member = |path: &String| {
        let found = fields.iter().find(|field| field.path == *path);
        found.ok_or_else(|| unknown_path(path, fields))
    };
    let (first, second) = (member(one)?, member(other)?);
    let kind = kind(index.kind, first)?;
    if kind != self::kind(index.kind, second)? {
        let message = format!(
            "{} and {} cannot be the ends of one range: only one of them is a number.",
            quoted(one),
            quoted(other)
        );
        return Err(Mistake { path: Some(other.clone()), message, hint: None });
    }
    let pair = Pair { kind, members: [one.clone(), other.clone()] };
    Ok(DocumentField {
        path: name.clone(),
        ty: Type::Pair(Arc::new(pair)),
        column: None,
        folding: Folding::Never,
        repeated: false,
        joined: None,
    })
}

/// What a member can be part of.
fn kind(of: IndexKind, member: &DocumentField) -> Result<PairKind, Mistake> {
    let wrong = |message: String| Mistake { path: Some(member.path.clone()), message, hint: None };
    let path = quoted(&member.path);
    match &member.ty {
        _ if member.repeated => {
            Err(wrong(format!("{path} lies in an array: it has no single value.")))
        }
        ty if ty.is_number() && of == IndexKind::Point => Ok(PairKind::Point),
        ty if ty.is_number() => Ok(PairKind::Numbers),
        Type::Text if of == IndexKind::Range => Ok(PairKind::Moments),
        _ if of == IndexKind::Point => {
            Err(wrong(format!("{path} is no number, as coordinates of points are.")))
        }
        _ => Err(wrong(format!(
            "{path} is neither a number nor a text with dates, as ends of ranges are."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collection;

    const SCHEMA: &str = r#"{"properties": {"from": {"type": "string", "format": "date"}, "to": {"type": "string"},
        "low": {"type": "number"}, "high": {"type": "integer"}, "open": {"type": "boolean"},
        "place": {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}},
        "steps": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "number"}}}}}}"#;

    fn declared(kind: IndexKind, name: &str, members: [&str; 2]) -> Result<Collection, String> {
        let then = members.map(str::to_owned).into();
        let index = DeclaredIndex { then, ..DeclaredIndex::new(name, kind) };
        let declaration = Declaration { indexes: vec![index], ..Declaration::new("items") };
        Collection::new(declaration, SCHEMA).map_err(|mistakes| mistakes[0].message.clone())
    }

    #[test]
    fn two_members_have_one_name() {
        for (kind, members, expected) in [
            (IndexKind::Range, ["from", "to"], PairKind::Moments),
            (IndexKind::Range, ["low", "high"], PairKind::Numbers),
            (IndexKind::Point, ["place.lon", "place.lat"], PairKind::Point),
        ] {
            let collection = declared(kind, "both", members).unwrap();
            let field = collection.fields().last().unwrap();
            let Type::Pair(pair) = &field.ty else { panic!("{field:?}") };
            assert_eq!((&*field.path, pair.kind), ("both", expected));
            assert_eq!(pair.members, members);
            let table = collection.table(None);
            assert_eq!(table.indexes[0].name("items"), format!("items_both_idx{}", kind.suffix()));
            assert!(table.indexes[0].then.is_empty());
        }
    }

    #[test]
    fn mistakes_say_what_is_wrong() {
        use IndexKind::{Point, Range};
        for (kind, name, members, expected) in [
            (Range, "from", ["from", "to"], "have a member `from`"),
            (Range, "Place", ["low", "high"], "have a member `Place`"),
            (Range, "a.b", ["low", "high"], "cannot be a name"),
            (Range, "both", ["frm", "to"], "no member `frm`"),
            (Range, "both", ["low", "to"], "only one of them is a number"),
            (Range, "both", ["open", "to"], "neither a number nor a text"),
            (Point, "both", ["from", "low"], "is no number"),
            (Point, "both", ["steps.at", "low"], "lies in an array"),
        ] {
            let found = declared(kind, name, members).unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }
}
