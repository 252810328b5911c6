//! A resource's document with expanded rows, or cut to the members that a request names.

use std::sync::Arc;

use duet_filter::FieldIndex;
use duet_model::Result;
use duet_sql::Dialect;

use super::expand::Expansion;
use crate::resources::representation::{Representation, project};
use crate::resources::resource::Resource;

impl Resource {
    /// The whole document, with expanded rows, or the members that `fields` names; as many as
    /// `keep` are kept compiled.
    pub(crate) fn page_representation(
        &self,
        fields: Option<&str>,
        expansion: Option<&Expansion>,
        dialect: &dyn Dialect,
        keep: usize,
    ) -> Result<Arc<Representation>> {
        match (fields, expansion) {
            (None, None) => Ok(Arc::clone(self.listed())),
            _ => self.representation(fields, expansion, dialect, keep),
        }
    }

    /// The same for items.
    pub(crate) fn representation(
        &self,
        fields: Option<&str>,
        expansion: Option<&Expansion>,
        dialect: &dyn Dialect,
        keep: usize,
    ) -> Result<Arc<Representation>> {
        let parameters = match (fields, expansion) {
            (None, None) => return Ok(Arc::clone(&self.whole)),
            (Some(fields), None) => format!("?fields={fields}"),
            (None, Some(expansion)) => format!("?expand={}", expansion.canonical),
            (Some(fields), Some(expansion)) => {
                format!("?expand={}&fields={fields}", expansion.canonical)
            }
        };
        let name = format!("{}{parameters}", self.name);
        self.projection(parameters, keep, || {
            let expanded = expansion.map(|expansion| expansion.shape(&self.shape));
            let whole = expanded.as_ref().unwrap_or(&self.shape);
            let shape = match fields {
                Some(fields) => project(whole, fields)?,
                None => whole.clone(),
            };
            let mut made = Representation::new(shape, &name, dialect);
            made.fields = expanded.as_ref().map(FieldIndex::new);
            Ok(made)
        })
    }
}
