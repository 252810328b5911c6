//! A parsed application.

use duet_service::definition;

use super::folder::Folder;
use super::load_plan::LoadPlan;
use super::problem::SourceText;
use crate::settings::{GivenSettings, GivenTexts};

/// A parsed application without mistakes, as far as they are visible without its database.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    /// The served resources. Its limits are the defaults until settings are resolved.
    pub(crate) definition: definition::Application,
    /// A description, one line.
    pub(crate) description: String,
    /// The database it names.
    pub(crate) database: Option<GivenTexts>,
    /// The settings that it contains.
    pub(crate) settings: GivenSettings,
    /// Scripts for tables beside those of its collections; safe to repeat.
    pub(crate) prepare: Vec<SourceText>,
    /// Statements that add to its tables, for `duet migrate`.
    pub(crate) migrations: Vec<SourceText>,
    /// How its tables and data are loaded into a database.
    pub(crate) load: LoadPlan,
    /// Its folder.
    pub(crate) folder: Folder,
}
