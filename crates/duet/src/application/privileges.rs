//! `[[privileges]]`: access rights.

use duet_auth::{Operation, Policy, Privilege};
use duet_text::name;

use super::mounts;
use super::reader::{At, Table};

/// Reads one privilege and its paths; without any, it applies to the first of the application's
/// paths, `known`.
pub(super) fn read(
    mut table: Table<'_>,
    known: Option<&[String]>,
) -> Option<(Privilege, Vec<String>)> {
    let name = table.required_text("name");
    let texts = |list: Option<At<Vec<At<String>>>>| -> Vec<String> {
        list.map(|list| list.value).unwrap_or_default().into_iter().map(|text| text.value).collect()
    };
    let roles = texts(table.texts("roles"));
    let patterns = texts(table.texts("patterns"));
    let operations = operations(&mut table);
    let mounts = mounts::several(&mut table, known);
    let privilege = Privilege { name: name?.value, roles, patterns, operations };
    if let Err(error) = Policy::compile([("", std::slice::from_ref(&privilege))]) {
        table.wrong(table.span(), error.message, error.hint);
    }
    table.finish(|_| None);
    Some((privilege, mounts))
}

/// `operations`; all of them by default.
fn operations(table: &mut Table<'_>) -> Vec<Operation> {
    let Some(list) = table.texts("operations") else { return Operation::ALL.into() };
    let mut operations = Vec::new();
    let none = list.value.is_empty();
    for At { value, span } in list.value {
        match Operation::ALL.into_iter().find(|operation| operation.as_str() == value) {
            Some(operation) => operations.push(operation),
            None => {
                let words = Operation::ALL.map(Operation::as_str);
                let near = name::nearest(&value, words);
                let hint = near
                    .map(|near| format!("Did you mean `{near}`?"))
                    .unwrap_or_else(|| format!("There are {}.", words.join(", ")));
                table.wrong(span, format!("There is no operation {value:?}."), Some(hint));
            }
        }
    }
    // A mistake that was reported already is not reported again as a missing value.
    if operations.is_empty() && !none { Operation::ALL.into() } else { operations }
}
