//! What every page has: its place, its caller, and the policy under which browsers show it.

use askama::Template;

/// What a browser may do with a page: load the server's own style and script, and send forms to it.
///
/// Neither a style nor a script is in a page itself, so that no value of the data can be one.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                          connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The policy of pages that show a page of a load test inside.
pub const POLICY_WITH_FRAME: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                                     connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; \
                                     frame-ancestors 'none'";

/// The headers of every page besides its type, as names in lower case and values.
pub const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The part of the console that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The data.
    Data,
    /// Changes that are collected.
    Changes,
    /// The running server.
    Operate,
    /// Load tests.
    Measure,
    /// The manual.
    Manual,
    /// None of them.
    None,
}

/// What surrounds a page.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The path of the console, without a slash at its end.
    pub base: &'a str,
    /// The page's own title.
    pub title: &'a str,
    /// Where it belongs.
    pub section: Section,
    /// The id of the client that has signed in.
    pub client: Option<&'a str>,
    /// Whether the caller may see how the server does.
    pub is_admin: bool,
    /// What forms of this session carry, so that no other site's form is taken for one of them.
    pub csrf: &'a str,
}

impl<'a> Frame<'a> {
    /// The frame of a caller who has not signed in.
    pub const fn stranger(base: &'a str) -> Self {
        Self {
            base,
            title: "Sign in",
            section: Section::None,
            client: None,
            is_admin: false,
            csrf: "",
        }
    }

    pub(crate) fn is_data(&self) -> bool {
        self.section == Section::Data
    }

    pub(crate) fn is_changes(&self) -> bool {
        self.section == Section::Changes
    }

    pub(crate) fn is_operate(&self) -> bool {
        self.section == Section::Operate
    }

    pub(crate) fn is_measure(&self) -> bool {
        self.section == Section::Measure
    }

    pub(crate) fn is_manual(&self) -> bool {
        self.section == Section::Manual
    }
}

/// An answer of the API that is no success, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// Its title.
    pub title: String,
    /// What is wrong, and what to do.
    pub detail: String,
    /// A hint.
    pub hint: Option<String>,
    /// The permanent code, which the manual explains.
    pub code: Option<String>,
}

/// A page that says what went wrong, where no other page can.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "problem.html")]
pub struct ProblemPage<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What is wrong.
    pub problem: &'a Problem,
}

impl ProblemPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

/// The text of a template. Writing to memory does not fail, and no filter of ours does.
pub(crate) fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}
