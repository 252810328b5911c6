//! The `app.toml` of the drafted application, to edit.

use super::super::init::names::toml_text;
use super::design::Design;
use crate::args::InferStore;

/// The file.
pub(super) fn text(name: &str, design: &Design, store: InferStore) -> String {
    let section = match store {
        InferStore::Sqlite => "sqlite",
        InferStore::Postgres => "postgres",
    };
    let tables = design.in_order().into_iter().map(|at| toml_text(&design.tables[at].name));
    let tables: Vec<String> = tables.collect();
    let views: Vec<String> =
        design.views.iter().map(|view| format!("/{name}/{}", view.name)).collect();
    format!(
        "# Drafted by `duet infer`: documents at {}.\n\
         # docs/app-toml.md explains every key; `duet check` finds mistakes.\n\n\
         name = {name_text}\n\
         mount = {mount}\n\
         views = [\"views/*.graphql\"]\n\n\
         # \"all\" serves the tables beside the documents, under names that no view has.\n\
         tables = \"listed\"\n\n\
         # Clients with this role may read everything: `duet client add NAME --role {name}.reader --state FILE`.\n\
         #[[privileges]]\n\
         #name = {read}\n\
         #roles = [{reader}]\n\
         #patterns = [\"/*\"]\n\
         #operations = [\"read\"]\n\n\
         # `duet load FOLDER --database URL` makes the tables.\n\
         [load.{section}]\n\
         files = [\"schema.sql\"]\n\
         tables = [{tables}]\n",
        views.join(", "),
        name_text = toml_text(name),
        mount = toml_text(&format!("/{name}")),
        read = toml_text(&format!("{name}.read")),
        reader = toml_text(&format!("{name}.reader")),
        tables = tables.join(", "),
    )
}
