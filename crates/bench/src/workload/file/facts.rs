//! A user's workload as data for every process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::definition::{Definition, Scalar};
use crate::targets::sql::DatabaseAddress;

/// The target.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileTarget {
    /// A service.
    Http {
        /// Its URL; its path is prepended to the paths of requests.
        url: String,
        /// The value of `Authorization`, if there is one. It is a secret.
        authorization: Option<String>,
    },
    /// A database. It may hold a password.
    Sql(DatabaseAddress),
}

impl std::fmt::Debug for FileTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Http { url, .. } => f.write_str(url),
            Self::Sql(database) => database.fmt(f),
        }
    }
}

/// The data that users need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The file.
    pub definition: Definition,
    /// The file's folder.
    pub folder: PathBuf,
    /// The target.
    pub target: FileTarget,
    /// The types' weights, in the file's order.
    pub weights: Vec<f64>,
    /// Users of all processes together.
    pub users: u32,
    /// The timeout of responses, which fail after it.
    pub timeout: Duration,
    /// The values that setup captured; `None` before it has run.
    pub given: Option<BTreeMap<String, Scalar>>,
    /// The environment variables that it names, with their values, where they come from another machine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}
