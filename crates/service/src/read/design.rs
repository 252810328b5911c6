//! A definition of duality views that is tried before it is served: compiled as a start would compile it, against the same
//! catalog and names. Nothing is served by it, and no row is read.

use std::sync::Arc;

use duet_duality::{DefinitionFile, Options};
use duet_model::catalog::RelationName;
use duet_model::{Catalog, Code, Shape};
use duet_sql::Dialect;

use super::explain::of_items;
use crate::build::naming::{self, DeclaredResources};
use crate::build::snapshot::{declared_mounts, schema_of};
use crate::definition::Application;
use crate::explanation::Explanation;
use crate::hosting::service::Service;

/// A view of a definition.
#[derive(Clone, Debug)]
pub struct DesignedView {
    /// Its shape.
    pub shape: Arc<Shape>,
    /// The definition as it is printed, in the GraphQL style: it compiles to the same shape.
    pub text: String,
    /// What reading an item by its key does, level by level; none of a view without a key.
    pub explanation: Option<Explanation>,
}

/// A mistake of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignMistake {
    /// Its permanent code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// The rule that is broken, and what was probably meant.
    pub rule: Option<&'static str>,
    /// What was probably meant.
    pub hint: Option<String>,
    /// The bytes of the text that are at fault.
    pub bytes: std::ops::Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The mistake for people, with its line and a mark below the place.
    pub rendered: String,
}

impl Service {
    /// Compiles a definition for the mount of a path, as a start would; `None` where there is no such mount.
    pub fn design(
        &self,
        path: &str,
        text: &str,
    ) -> Option<Result<Vec<DesignedView>, Vec<DesignMistake>>> {
        let (application, catalog) = (self.application(), self.built_from());
        design(&application, &catalog, self.store().dialect(), path, text)
    }

    /// The files of definitions of the mount of a path, each with its name and text.
    pub fn definitions(&self, path: &str) -> Vec<(String, String)> {
        let (application, catalog) = (self.application(), self.built_from());
        let declared = declared_mounts(&application, &catalog, &mut Vec::new());
        let of_path = declared.into_iter().find(|(_, mount)| mount.paths().any(|it| it == path));
        let views = of_path.map(|(_, mount)| mount.views).unwrap_or_default();
        views.into_iter().map(|file| (file.name, file.text)).collect()
    }
}

/// The definition of a shape whose rights have been changed.
pub fn printed(shape: &Shape) -> String {
    duet_duality::print(shape)
}

fn design(
    application: &Application,
    catalog: &Catalog,
    dialect: &dyn Dialect,
    path: &str,
    text: &str,
) -> Option<Result<Vec<DesignedView>, Vec<DesignMistake>>> {
    let mut notes = Vec::new();
    let declared = declared_mounts(application, catalog, &mut notes);
    let (_, mount) = declared.into_iter().find(|(_, mount)| mount.paths().any(|it| it == path))?;
    let mount = naming::settled(&mount, catalog);
    let schema = schema_of(&mount, catalog, dialect);
    let (named, _) =
        naming::name_relations(catalog, &schema, &DeclaredResources::of(&mount), &[], &mut notes);
    let documents = mount
        .collections
        .iter()
        .map(|one| RelationName { schema: schema.clone(), name: one.declaration().table.clone() });
    let documents = documents.collect();
    let options = Options { default_schema: Some(schema.clone()), documents, ..Options::default() };
    let source = DefinitionFile::new("view".to_owned(), text.to_owned());
    Some(match duet_duality::compile(&source, &named, &options) {
        Ok(views) => Ok(views.into_iter().map(|view| designed(view.shape, dialect)).collect()),
        Err(found) => Err(found.iter().map(|it| mistake(it, &source)).collect()),
    })
}

fn designed(shape: Shape, dialect: &dyn Dialect) -> DesignedView {
    let (text, shape) = (duet_duality::print(&shape), Arc::new(shape));
    let explanation = (!shape.key.is_empty()).then(|| of_items(&shape, dialect));
    DesignedView { shape, text, explanation }
}

fn mistake(found: &duet_duality::Diagnostic, source: &DefinitionFile) -> DesignMistake {
    let error = found.to_error(source);
    let (line, column) = source.position(found.span.start);
    DesignMistake {
        code: found.code,
        message: found.message.clone(),
        rule: found.rule,
        hint: error.hint,
        bytes: found.span.start..found.span.end,
        line,
        column,
        rendered: duet_duality::render(found, source),
    }
}
