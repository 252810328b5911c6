//! RMB's `whereClause` as a condition in CQL, where it compares members with values as searches of them do; and its
//! `sqlExpression`.

use duet_model::{DeclaredSearch, DocumentField, SearchForm, Type};
use duet_text::Fold;

/// The condition in CQL that finds the same documents; `None` for other SQL.
pub(crate) fn of(
    sql: &str,
    fields: &[DocumentField],
    searches: &[DeclaredSearch],
) -> Option<String> {
    let sql = sql.trim();
    let begins = sql.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("where "));
    let sql = if begins { &sql[6..] } else { sql };
    let parts: Option<Vec<String>> =
        conjuncts(sql).map(|part| comparison(part, fields, searches)).collect();
    Some(parts?.join(" and "))
}

/// The parts of a text between its words `AND` outside of quotes.
fn conjuncts(sql: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(sql);
    std::iter::from_fn(move || {
        let text = rest?;
        let is_end = |at: &usize| {
            let word = text.get(*at..*at + 5).unwrap_or_default();
            word.eq_ignore_ascii_case(" and ") && text[..*at].matches('\'').count() % 2 == 0
        };
        let end = (0..text.len()).find(is_end);
        rest = end.map(|at| &text[at + 5..]);
        Some(end.map_or(text, |at| &text[..at]))
    })
}

/// `lower(f_unaccent(jsonb->>'status')) = 'open'` as `status=="open"`.
fn comparison(sql: &str, fields: &[DocumentField], searches: &[DeclaredSearch]) -> Option<String> {
    let sql = unwrapped(sql.trim());
    let (left, relation, value) = ["<>", "="].into_iter().find_map(|sign| {
        let (left, right) = sql.split_once(sign)?;
        Some((left.trim(), if sign == "=" { "==" } else { sign }, right.trim()))
    })?;
    let casts = ["::boolean", "::bool", "::text"];
    let left = casts.into_iter().find_map(|cast| left.strip_suffix(cast)).unwrap_or(left);
    let is_it = |field: &&DocumentField| of_expression(left, &field.path).is_some();
    let field = fields.iter().find(is_it)?;
    let value = match value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')) {
        Some(inner) if !inner.replace("''", "").contains('\'') => inner.replace("''", "'"),
        None if matches!(value.to_lowercase().as_str(), "true" | "false") => value.to_lowercase(),
        _ => return None,
    };
    let (case, accents) = of_expression(left, &field.path)?;
    let declared = searches.iter().find(|one| one.path == field.path);
    let form = declared.and_then(|declared| declared.whole.clone());
    let form = form.unwrap_or_else(|| SearchForm::of(Some(Fold::Both)));
    let is_member = form.joined.is_none() && form.refused.is_none();
    let compares_alike = match &field.ty {
        Type::Boolean | Type::Enum(_) => !field.repeated,
        Type::Text => is_member && form.value == Fold::of(case, accents) && form.term == form.value,
        _ => false,
    };
    let is_masked = |char: char| matches!(char, '*' | '?' | '^' | '"' | '\\');
    let mut term = String::with_capacity(value.len());
    for char in value.chars() {
        term.extend(is_masked(char).then_some('\\'));
        term.push(char);
    }
    compares_alike.then(|| format!("{}{relation}\"{term}\"", field.path))
}

/// A text without parentheses around all of it.
fn unwrapped(sql: &str) -> &str {
    let inner = sql.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let is_pair = |inner: &&str| {
        let mut depth = 0_i32;
        inner.chars().all(|char| {
            depth += i32::from(char == '(') - i32::from(char == ')');
            depth >= 0
        })
    };
    inner.filter(is_pair).map_or(sql, |inner| unwrapped(inner.trim()))
}

/// Whether an expression of this member ignores case, and accents: `lower(f_unaccent(jsonb->>'name'))`.
pub(crate) fn of_expression(sql: &str, path: &str) -> Option<(bool, bool)> {
    let mut rest: String = sql.chars().filter(|char| !char.is_whitespace()).collect();
    let (mut case, mut accents) = (false, false);
    loop {
        let inner = rest.strip_suffix(')');
        if let Some(within) = inner.and_then(|it| it.strip_prefix("lower(")) {
            case = true;
            rest = within.to_owned();
        } else if let Some(within) = inner.and_then(|it| it.strip_prefix("f_unaccent(")) {
            accents = true;
            rest = within.to_owned();
        } else if let Some(within) = inner.and_then(|it| it.strip_prefix('(')) {
            rest = within.to_owned();
        } else {
            break;
        }
    }
    let steps: Vec<&str> = path.split('.').collect();
    let (last, before) = steps.split_last()?;
    let before: String = before.iter().map(|step| format!("->'{step}'")).collect();
    (rest == format!("jsonb{before}->>'{last}'")).then_some((case, accents))
}

/// Whether an expression of the term `$` ignores case, and accents: `lower(f_unaccent($))`.
pub(crate) fn of_term(sql: &str) -> Option<(bool, bool)> {
    of_expression(&sql.replacen('$', "jsonb->>'$'", 1), "$")
}

#[cfg(test)]
mod tests {
    use duet_model::shape::Folding;

    use super::*;

    #[test]
    fn expressions() {
        assert_eq!(of_term("$"), Some((false, false)));
        assert_eq!(of_term("lower(f_unaccent($))"), Some((true, true)));
        assert_eq!(of_term("normalize($)"), None);
        for (sql, expected) in [
            ("(jsonb->>'a')", None),
            ("lower(f_unaccent(jsonb->'a'->>'b'))", Some((true, true))),
            ("lower( (jsonb -> 'a' ->> 'b') )", Some((true, false))),
            ("(jsonb->'a'->>'b') || (jsonb->'a'->>'b')", None),
        ] {
            assert_eq!(of_expression(sql, "a.b"), expected, "{sql}");
        }
    }

    #[test]
    fn comparisons_become_cql() {
        let field = |path: &str, ty, folding| DocumentField {
            path: path.into(),
            ty,
            column: None,
            folding,
            repeated: false,
            joined: None,
        };
        let fields = [
            field("approved", Type::Boolean, Folding::Never),
            field("details.kind", Type::Text, Folding::Always(Fold::Both)),
            field("vendor", Type::Text, Folding::Never),
        ];
        let whole = Some(SearchForm::default());
        let exact = DeclaredSearch { path: "vendor".into(), whole, ..DeclaredSearch::default() };
        for (sql, expected) in [
            ("WHERE (jsonb->>'approved')::boolean = true", Some(r#"approved=="true""#)),
            ("where (jsonb->>'approved') = 'true'", Some(r#"approved=="true""#)),
            (
                "lower(f_unaccent(jsonb->'details'->>'kind')) <> 'a* and b' AND (jsonb->>'vendor') = 'it''s'",
                Some(r#"details.kind<>"a\* and b" and vendor=="it's""#),
            ),
            ("((jsonb->>'vendor') = 'x')", Some(r#"vendor=="x""#)),
            ("jsonb->'details'->>'kind' = 'open'", None),
            ("length(jsonb->>'vendor') > 3", None),
            ("(jsonb->>'vendor') = 'x' OR (jsonb->>'approved') = 'true'", None),
            ("(jsonb->>'lost') = 'x'", None),
        ] {
            assert_eq!(
                of(sql, &fields, std::slice::from_ref(&exact)).as_deref(),
                expected,
                "{sql}"
            );
        }
    }
}
