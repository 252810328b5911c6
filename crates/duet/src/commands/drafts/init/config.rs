//! The text of a drafted `app.toml`. A line of a draft begins with `#` and no space, a comment with
//! `# `, so that either is recognized.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use duet_model::{Relation, RelationKind};

use super::names::{snake_case, toml_key, toml_text};
use crate::database_url::DatabaseUrl;

/// What a drafted `app.toml` is about.
pub(super) struct Config<'a> {
    /// The application's name; its mount is `/NAME`.
    pub(super) name: &'a str,
    /// The database.
    pub(super) database: &'a NamedDatabase,
    /// The schema, where the store has several.
    pub(super) schema: Option<&'a str>,
    /// The tables and views.
    pub(super) relations: &'a [Relation],
}

/// How a database is named in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedDatabase {
    /// The text.
    text: String,
    /// Whether its URL has a password, which belongs in no file.
    pub(super) is_secret: bool,
}

/// How a database is named in a file of this folder.
pub(super) fn database(given: &str, url: &DatabaseUrl, folder: &Path) -> NamedDatabase {
    if let Some(path) = url.path() {
        let text = format!("{}:{}", url.store(), path_from(folder, path));
        return NamedDatabase { text, is_secret: false };
    }
    if has_password(given) {
        return NamedDatabase { text: "${DATABASE_URL}".to_owned(), is_secret: true };
    }
    // Such a sign in a URL would begin the name of a variable.
    let text = url.connection_string().unwrap_or(given).replace("${", "$${");
    NamedDatabase { text, is_secret: false }
}

/// Whether a connection string has a password, or may have one.
fn has_password(text: &str) -> bool {
    let authority = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':') || text.to_ascii_lowercase().contains("password")
}

/// A path as seen from a folder that need not exist yet; absolute where the two have nothing in common.
fn path_from(folder: &Path, path: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, path) = (absolute(folder), absolute(path));
    let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    // `/` alone is shared by all.
    if shared < 2 {
        return path.display().to_string();
    }
    let up = folder.components().skip(shared).map(|_| OsStr::new(".."));
    let down = path.components().skip(shared).map(Component::as_os_str);
    let relative: PathBuf = up.chain(down).collect();
    relative.display().to_string()
}

impl Config<'_> {
    /// The file, with a line for drafted views if there are some.
    pub(super) fn text(&self, has_views: bool) -> String {
        let mut text = String::from(
            "# Written by `duet init`. Lines such as `#key = …`, without a space, are drafts: remove the\n\
             # `#` to use them. docs/app-toml.md explains every key; `duet check` finds mistakes.\n\n",
        );
        text.push_str(&format!("name = {}\n", toml_text(self.name)));
        text.push_str(&format!("mount = {}\n", toml_text(&format!("/{}", self.name))));
        text.push_str(&format!("database = {}\n", toml_text(&self.database.text)));
        if let Some(schema) = self.schema {
            text.push_str(&format!("schema = {}\n", toml_text(schema)));
        }
        text.push_str(
            "\n# \"listed\" serves only the tables and views that have a section below.\ntables = \"all\"\n",
        );
        if has_views {
            text.push_str(
                "\n# JSON documents over several tables, drafted from the foreign keys.\n#views = [\"views/*.graphql\"]\n",
            );
        }
        let sections: Vec<String> = self.relations.iter().filter_map(section).collect();
        if !sections.is_empty() {
            text.push_str(
                "\n# Names with underscores for names with capitals or spaces, and keys for views: the key\n\
                 # identifies a row, so that it has an address. Check that the drafted columns do.\n",
            );
            text.extend(sections);
        }
        text.push_str(&self.privilege());
        text
    }

    /// The draft of a privilege.
    fn privilege(&self) -> String {
        let (name, role) = (format!("{}.read", self.name), format!("{}.reader", self.name));
        format!(
            "\n# Clients with this role may read everything: `duet client add NAME --role {role} --state FILE`.\n\
             #[[privileges]]\n#name = {}\n#roles = [{}]\n#patterns = [\"/*\"]\n#operations = [\"read\"]\n",
            toml_text(&name),
            toml_text(&role),
        )
    }
}

/// The draft of a table's or view's section; `None` where there is nothing to say.
fn section(relation: &Relation) -> Option<String> {
    let name = snake_case(&relation.name);
    let columns = column_names(relation);
    let is_view = relation.kind != RelationKind::Table;
    let key = (is_view && relation.identity().is_empty()).then(|| key_column(relation)).flatten();
    let is_renamed = name != relation.name.to_lowercase() && !name.is_empty();
    if !is_renamed && columns.is_empty() && key.is_none() {
        return None;
    }
    let served = if is_renamed { &name } else { &relation.name.to_lowercase() };
    let mut text = format!("\n#[resources.{}]\n", toml_key(served));
    if is_renamed {
        text.push_str(&format!("#table = {}\n", toml_text(&relation.name)));
    }
    if !columns.is_empty() {
        let pairs = columns
            .iter()
            .map(|(name, served)| format!("{} = {}", toml_text(name), toml_text(served)));
        let pairs: Vec<String> = pairs.collect();
        text.push_str(&format!("#columns = {{ {} }}\n", pairs.join(", ")));
    }
    if let Some(key) = key {
        let renamed = columns.iter().find(|(name, _)| *name == key).map(|(_, served)| served);
        let served = renamed.cloned().unwrap_or_else(|| key.to_lowercase());
        text.push_str(&format!("#key = [{}]\n", toml_text(&served)));
    }
    Some(text)
}

/// The columns that would have another name, with it; none where two would have the same.
fn column_names(relation: &Relation) -> Vec<(&str, String)> {
    let served = |name: &str| match snake_case(name) {
        snake if snake.is_empty() => name.to_lowercase(),
        snake => snake,
    };
    let mut all: Vec<String> = relation.columns.iter().map(|one| served(&one.name)).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() < relation.columns.len() {
        return Vec::new();
    }
    let names = relation.columns.iter().map(|column| (column.name.as_str(), served(&column.name)));
    names.filter(|(name, served)| name.to_lowercase() != *served).collect()
}

/// The column that most likely identifies a row of a view: `id`, else the first that ends so, else
/// the first.
fn key_column(relation: &Relation) -> Option<&str> {
    let names = || relation.columns.iter().map(|column| column.name.as_str());
    let ends = |name: &&str| name.to_ascii_lowercase().ends_with("id");
    names()
        .find(|name| name.eq_ignore_ascii_case("id"))
        .or_else(|| names().find(ends))
        .or(names().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_written() {
        for (given, is_secret) in [
            ("postgres://me@h/shop", false),
            ("postgres://me:secret@h/shop", true),
            ("postgres://h:5432/shop", false),
            ("postgres://h/shop?password=x", true),
            ("host=h Password='x' dbname=d", true),
            ("service=shop", false),
        ] {
            let url = DatabaseUrl::read(given, Path::new("")).unwrap();
            let named = database(given, &url, Path::new("shop"));
            assert_eq!(named.is_secret, is_secret, "{given}");
            assert_eq!(named.text == given, !is_secret, "{given}");
        }
    }

    #[test]
    fn files_are_named_from_the_folder() {
        for (folder, path, expected) in [
            ("/data/shop", "/data/shop.sqlite", "../shop.sqlite"),
            ("/data/shop", "/data/shop/a.db", "a.db"),
            ("/data/apps/shop", "/data/db/a.db", "../../db/a.db"),
            ("/srv/shop", "/data/a.db", "/data/a.db"),
        ] {
            assert_eq!(path_from(Path::new(folder), Path::new(path)), expected);
        }
    }
}
