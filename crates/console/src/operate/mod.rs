//! The pages by which clients with `duet.admin` watch and manage a running server.

pub mod clients;
mod figures;
mod heatmap;
pub mod letters;
pub mod links;
pub mod log;
pub mod question;
mod sample;
mod server;

use askama::Template;

pub use figures::Figures;
pub use heatmap::{Heat, Heatmap};
pub use server::{InstanceRow, SchemaRow, ServerState};

use crate::page::{Frame, rendered};

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "operate/page.html")]
pub struct Operate<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows at first.
    pub figures: &'a Figures,
    /// The applications: name, database, and whether it is ready.
    pub applications: &'a [(String, String, bool)],
    /// What changes slowly.
    pub state: &'a ServerState,
}

impl Operate<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

/// The part of the page that changes slowly: its script asks for it again.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "operate/state.html")]
pub struct StatePart<'a> {
    /// What it shows.
    pub state: &'a ServerState,
}

impl StatePart<'_> {
    /// The part.
    pub fn html(&self) -> String {
        rendered(self)
    }
}
