//! A definition of duality views that is tried before it is served: compiled as a start would compile it, against the same
//! catalog and names. Nothing is served by it; a designed view is a resource for requests of its designer alone.

use std::sync::Arc;

use duet_auth::{ADMIN_ROLE, ResourceAccess};
use duet_duality::{DefinitionFile, Options};
use duet_model::catalog::RelationName;
use duet_model::{Catalog, DocumentStyle, Shape};
use duet_sql::Dialect;

use super::explain::of_items;
use crate::build::naming::{self, DeclaredResources};
use crate::build::snapshot::{declared_mounts, schema_of};
use crate::build::spread;
use crate::definition::{self, Application, DesignMistake};
use crate::explanation::Explanation;
use crate::hosting::service::Service;
use crate::resources::resource::{Resource, ResourceKind};

/// A view of a definition.
#[derive(Clone, Debug)]
pub struct DesignedView {
    /// Its shape.
    pub shape: Arc<Shape>,
    /// The definition as it is printed, in the GraphQL style: it compiles to the same shape.
    pub text: String,
    /// What reading an item by its key does, level by level; none of a view without a key.
    pub explanation: Option<Explanation>,
    /// The view as it would be served, for administrators alone.
    pub resource: Arc<Resource>,
}

impl Service {
    /// Compiles a definition for the mount of a path, as a start would; `None` where there is no such mount.
    pub fn design(
        &self,
        path: &str,
        text: &str,
    ) -> Option<Result<Vec<DesignedView>, Vec<DesignMistake>>> {
        let (application, catalog) = (self.application(), self.built_from());
        let how = Compilation {
            application: &application,
            catalog: &catalog,
            dialect: self.store().dialect(),
            is_standby: self.snapshot().standby,
        };
        how.design(path, text)
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

/// What definitions are compiled with.
struct Compilation<'a> {
    application: &'a Application,
    catalog: &'a Catalog,
    dialect: &'a dyn Dialect,
    /// Whether the database takes no writes.
    is_standby: bool,
}

impl Compilation<'_> {
    fn design(
        &self,
        path: &str,
        text: &str,
    ) -> Option<Result<Vec<DesignedView>, Vec<DesignMistake>>> {
        let Self { application, catalog, dialect, .. } = *self;
        let mut notes = Vec::new();
        let declared = declared_mounts(application, catalog, &mut notes);
        let (_, mount) =
            declared.into_iter().find(|(_, mount)| mount.paths().any(|it| it == path))?;
        let mount = naming::settled(&mount, catalog);
        let schema = schema_of(&mount, catalog, dialect);
        let declared = DeclaredResources::of(&mount, application.profile());
        let (named, _) = naming::name_relations(catalog, &schema, &declared, &[], &mut notes);
        let documents = mount.collections.iter().map(|one| RelationName {
            schema: schema.clone(),
            name: one.declaration().table.clone(),
        });
        let documents = documents.collect();
        let options =
            Options { default_schema: Some(schema.clone()), documents, ..Options::default() };
        let source = DefinitionFile::new("view".to_owned(), text.to_owned());
        Some(match duet_duality::compile(&source, &named, &options) {
            Ok(views) => {
                Ok(views.into_iter().map(|view| self.designed(view.shape, &mount)).collect())
            }
            Err(found) => Err(found.iter().map(|it| mistake(it, &source)).collect()),
        })
    }

    fn designed(&self, shape: Shape, mount: &definition::Mount) -> DesignedView {
        let (text, served) = (duet_duality::print(&shape), self.resource(shape.clone(), mount));
        let shape = Arc::new(shape);
        let explanation = (!shape.key.is_empty()).then(|| of_items(&shape, self.dialect));
        DesignedView { shape, text, explanation, resource: Arc::new(served) }
    }

    fn resource(&self, mut shape: Shape, mount: &definition::Mount) -> Resource {
        shape.name = duet_text::name::served(&shape.name);
        let documents = spread::collections(&mut shape, &mount.collections);
        if self.is_standby {
            shape.forbid_writes();
        }
        shape.style = DocumentStyle::of_views(self.application.profile());
        let access = ResourceAccess::of_role(ADMIN_ROLE);
        let page = self.application.limits.page_size;
        let mut resource =
            Resource::new(ResourceKind::DualityView, shape, access, page, self.dialect);
        resource.collection = documents.first().and_then(Clone::clone);
        resource.documents = documents;
        resource
    }
}

/// A mistake with its place in a text.
pub(crate) fn mistake(found: &duet_duality::Diagnostic, source: &DefinitionFile) -> DesignMistake {
    let error = found.to_error(source);
    let (line, column) = source.position(found.span.start);
    DesignMistake {
        file: source.name.clone(),
        code: found.code,
        message: found.message.clone(),
        hint: error.hint,
        bytes: found.span.start..found.span.end,
        line,
        column,
        rendered: duet_duality::render(found, source),
    }
}
