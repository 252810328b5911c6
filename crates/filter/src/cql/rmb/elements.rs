//! Conditions on one element of an array of objects: `contributors =/@lang=en term`.

use duet_model::{Code, Error, Expr, FieldRef, Result, Scope, SearchRules, SearchedArray, Type};
use duet_text::problem::{fault, quoted};

use super::super::condition::Meaning;
use super::super::tree::Symbol;
use super::field_search::FieldSearch;
use super::modifiers::ElementModifier;
use super::target::{ComparedText, SearchedBy};
use super::text::{cleaned, of_value, of_words};

/// Some element has the term in its declared member, or in one that a modifier without a value names, and each
/// value that a modifier gives in the member that it names.
pub(super) fn expression(search: &FieldSearch<'_>, rules: &SearchRules) -> Result<Expr> {
    let given = (search.modifiers.elements.first(), &search.target.inside);
    let (Some(first), Some(reference)) = given else { return Ok(Expr::Or(Vec::new())) };
    let path = reference.path.join(".");
    let Some(array) = rules.array(&path) else {
        let message = format!("{} declares no members that modifiers could name.", quoted(&path));
        return Err(fault(Code::FilterUnsupported, first.at, message).hint(
            "Declare them for the collection: [arrays.NAME] with `subfield` and `modifiers`.",
        ));
    };
    let mut searched = Vec::new();
    let mut all = Vec::new();
    for modifier in &search.modifiers.elements {
        let member = member(array, modifier)?;
        match modifier.value {
            None => searched.push(member),
            Some(value) => all.push(has_words(search, member, value)?),
        }
    }
    if searched.is_empty() {
        searched.push(&array.subfield);
    }
    let each = searched.into_iter().map(|member| holds(search, member));
    let mut any: Vec<_> = each.collect::<Result<_>>()?;
    all.insert(0, if any.len() == 1 { any.remove(0) } else { Expr::Or(any) });
    let holds = if all.len() == 1 { all.remove(0) } else { Expr::And(all) };
    Ok(Expr::AnyElement(reference.clone(), Box::new(holds)))
}

fn member<'a>(array: &'a SearchedArray, modifier: &ElementModifier<'_>) -> Result<&'a str, Error> {
    let mut known = array.modifiers.iter().chain([&array.subfield]);
    let known = known.find(|known| known.eq_ignore_ascii_case(modifier.name));
    known.map(String::as_str).ok_or_else(|| {
        let message =
            format!("The modifier {} is not declared.", quoted(&format!("@{}", modifier.name)));
        let known: Vec<_> = array.modifiers.iter().map(|name| format!("@{name}")).collect();
        fault(Code::FilterUnsupported, modifier.at, message).hint(format!(
            "Those of {} are {}.",
            quoted(&array.path),
            known.join(", ")
        ))
    })
}

/// A member of the element, as text.
fn value(member: &str) -> Expr {
    let path = member.split('.').map(str::to_owned).collect();
    let reference = FieldRef { scope: Scope::Element, column: 0, path };
    Expr::Extracted(reference, Type::Json)
}

/// The condition of the term on a member.
fn holds(search: &FieldSearch<'_>, member: &str) -> Result<Expr> {
    let value = value(member);
    if search.is_words() {
        return words(search, &value, search.meaning);
    }
    let compared = search.compared(SearchedBy::Whole)?;
    let compared = ComparedText { text: &value, member: &value, ..compared };
    match search.meaning {
        Meaning::Differs if search.masks() => Ok(of_value(search, &compared).negated()),
        Meaning::Exact | Meaning::Differs => Ok(of_value(search, &compared)),
        _ => Err(search.refused(
            "Modifiers of elements do not go with an order.".to_owned(),
            "The relations are =, ==, <>, adj, all and any.",
        )),
    }
}

/// A member has the words of a term; any element has those of `*`.
fn words(search: &FieldSearch<'_>, value: &Expr, meaning: Meaning) -> Result<Expr> {
    if cleaned(&search.term.text) == "*" {
        return Ok(Expr::all());
    }
    let compared = search.compared(SearchedBy::Words)?;
    of_words(search, &ComparedText { text: value, member: value, ..compared }, meaning)
}

/// A member has the words of a modifier's value.
fn has_words(search: &FieldSearch<'_>, member: &str, term: &Symbol) -> Result<Expr> {
    let search = FieldSearch {
        target: search.target.clone(),
        meaning: Meaning::Phrase,
        is_sign: true,
        modifiers: Default::default(),
        term,
        ..*search
    };
    words(&search, &value(member), Meaning::Phrase)
}
