//! The pages by which a caller signs in.

use askama::Template;

use crate::address::encoded;
use crate::page::{Frame, rendered};

/// The form for a client's id and secret: all that a stranger sees of a locked server.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "sign_in.html")]
pub struct SignIn<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The id that was given before.
    pub id: &'a str,
    /// Why the last attempt was refused.
    pub problem: Option<&'a str>,
    /// The page that is shown after it.
    pub next: &'a str,
    /// What the issuer is called at which people sign in; none where they do not.
    pub issuer: Option<&'a str>,
}

impl SignIn<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn encoded_next(&self) -> String {
        encoded(self.next)
    }
}

/// The page behind a sign-in at the issuer: it leads to the next one. Browsers send the new cookie from here, which they would
/// not do along a redirect that began at another site.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "entered.html")]
pub struct Entered<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The next page.
    pub next: &'a str,
}

impl Entered<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn address(&self) -> &str {
        // An empty address would be this page.
        if self.next.is_empty() { "/" } else { self.next }
    }
}

/// The page of a link that signs in once: its script sends the code, which is in the fragment, so that neither a
/// log nor another site gets to see it.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "enter.html")]
pub struct Enter<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// Why the link is of no use.
    pub problem: Option<&'a str>,
}

impl Enter<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}
