//! Which resource of RAML serves which table: RMB says so in Java, so that names decide.

use std::collections::BTreeMap;

use super::raml::Resource;

/// The words of a name, in lower case and in the singular: `po_line`, `poLines` and `po-lines` are the same.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_low = false;
    for char in name.chars() {
        let ends = !char.is_alphanumeric() || (char.is_uppercase() && is_low);
        if ends && !word.is_empty() {
            words.push(singular(&std::mem::take(&mut word)));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        is_low = char.is_lowercase();
    }
    if !word.is_empty() {
        words.push(singular(&word));
    }
    words
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let is_whole = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let by_es = ["xes", "ses", "ches", "shes"].iter().any(|end| word.ends_with(end));
    match word {
        _ if by_es => word[..word.len() - 2].to_owned(),
        _ if is_whole || word.len() < 3 => word.to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// The last step of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a file without folder and suffix.
pub(super) fn stem(path: &str) -> &str {
    let name = last(path);
    name.split('.').next().unwrap_or(name)
}

/// How well a resource fits a table; 0 where nothing says so.
fn fit(table: &str, resource: &Resource) -> usize {
    let words = words(table);
    let joined = words.concat();
    let is_it = |name: &str| self::words(name) == words || self::words(name).concat() == joined;
    let by_schema = resource.item.as_deref().is_some_and(|file| is_it(stem(file)));
    let by_path = is_it(last(&resource.path));
    let lists = resource.methods.contains_key("get");
    match by_schema || by_path {
        true => usize::from(by_schema) * 4 + usize::from(by_path) * 4 + usize::from(lists),
        false => 0,
    }
}

/// The resources of tables by their places, each at most once. `given` names the paths that names do not tell.
pub(super) fn matched(
    tables: &[String],
    resources: &[Resource],
    given: &BTreeMap<String, String>,
) -> BTreeMap<String, usize> {
    let has_items =
        |resource: &Resource| resources.iter().any(|other| other.is_item_of(&resource.path));
    let mut candidates: Vec<(usize, &String, usize)> = Vec::new();
    for table in tables {
        for (at, resource) in resources.iter().enumerate() {
            let is_collection = resource.item.is_some()
                && resource.methods.contains_key("post")
                && has_items(resource);
            let fit = match given.get(table) {
                Some(path) if *path == resource.path && resource.item.is_some() => usize::MAX,
                Some(_) => 0,
                None if is_collection => fit(table, resource),
                None => 0,
            };
            candidates.extend((fit > 0).then_some((fit, table, at)));
        }
    }
    candidates.sort_by(|one, other| other.0.cmp(&one.0).then(one.2.cmp(&other.2)));
    let mut found = BTreeMap::new();
    for (_, table, at) in candidates {
        if !found.contains_key(table) && !found.values().any(|known| *known == at) {
            found.insert(table.clone(), at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_words() {
        for (one, other) in [
            ("reasons_for_closure", "reason_for_closure"),
            ("order_template_categories", "orderTemplateCategory"),
            ("prefixes", "prefix"),
            ("item_damaged_status", "item-damaged-statuses"),
            ("mode_of_issuance", "modes-of-issuance"),
        ] {
            assert_eq!(words(one), words(other), "{one}");
        }
        assert_ne!(words("piece"), words("pieces-batch"));
    }
}
