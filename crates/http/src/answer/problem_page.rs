//! `GET /problems/{code}`: what the `type` of a problem leads to (RFC 9457 §3.1.1), for every caller: the meaning of a
//! code, its cause and its cure. `/problems/` lists all codes.
//!
//! `problem_answer.rs` answers with them. The path of a code is that of the process: no application can have it, and no item can have such a key by accident.

use duet_model::Code;
use duet_service::Snapshot;
use duet_text::remedy::Remedy;
use serde_json::{Value, json};

use super::html;

/// Where the pages are; a code follows.
const PATH: &str = "/problems/";

/// What a path below `/problems` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemPage {
    /// All codes.
    Index,
    /// One of them.
    Of(Code),
}

/// The `type` of a problem with this code: a reference that is the same on every host.
pub(crate) fn type_of(code: Code) -> String {
    format!("{PATH}{}", code.as_str())
}

impl ProblemPage {
    /// The page at a path, if there is one; unless an application has the path of the index, see [`takes_index`].
    pub(crate) fn at(path: &str) -> Option<Self> {
        match path.strip_prefix(PATH) {
            Some("") => Some(Self::Index),
            Some(name) => Code::of_name(name).map(Self::Of),
            None => (path == PATH.trim_end_matches('/')).then_some(Self::Index),
        }
    }

    fn codes(self) -> Vec<Code> {
        match self {
            Self::Index => Code::ALL.to_vec(),
            Self::Of(code) => vec![code],
        }
    }

    /// It as json.
    pub(crate) fn json(self) -> Value {
        let one = |code: Code| {
            let Remedy { cause, cure } = code.remedy();
            json!({
                "code": code.as_str(),
                "status": code.status(),
                "title": code.title(),
                "cause": cause,
                "cure": cure,
                "type": type_of(code),
            })
        };
        match self {
            Self::Of(code) => one(code),
            Self::Index => {
                json!({ "problems": self.codes().into_iter().map(one).collect::<Vec<_>>() })
            }
        }
    }

    /// It as text.
    pub(crate) fn text(self) -> String {
        let one = |code: Code| {
            let Remedy { cause, cure } = code.remedy();
            let (name, title, status) = (code.as_str(), code.title(), code.status());
            format!("{name}: {title}\nStatus: {status}\nCause: {cause}\nWhat to do: {cure}\n")
        };
        self.codes().into_iter().map(one).collect::<Vec<_>>().join("\n")
    }

    /// It as html.
    pub(crate) fn html(self) -> String {
        match self {
            Self::Of(code) => html_of(code),
            Self::Index => html_of_all(),
        }
    }
}

fn html_of(code: Code) -> String {
    let Remedy { cause, cure } = code.remedy();
    let (name, title) = (code.as_str(), with_code(code.title()));
    let mut page = html::begin(&format!("{name}: {}", code.title().replace('`', "")));
    page.push_str(&format!("<h1>{title}</h1>\n<p>{name}, status {}\n", code.status()));
    page.push_str(&format!("<h2>Cause</h2>\n<p>{}\n", with_code(cause)));
    page.push_str(&format!("<h2>What to do</h2>\n<p>{}\n", with_code(cure)));
    // Relative, so that it is right below a proxy's prefix too.
    page.push_str("<p><a href=\"./\">All codes</a>\n");
    page
}

fn html_of_all() -> String {
    let mut page = html::begin("Errors of Duet");
    page.push_str("<h1>Errors of Duet</h1>\n<table>\n<tr><th>Code<th>Status<th>Meaning\n");
    for code in Code::ALL {
        let (name, title) = (code.as_str(), with_code(code.title()));
        let link = format!("<a href=\"{PATH}{name}\">{name}</a>");
        page.push_str(&format!("<tr><td>{link}<td>{}<td>{title}\n", code.status()));
    }
    page.push_str("</table>\n");
    page
}

/// A text in HTML, with what is between backticks as code.
fn with_code(text: &str) -> String {
    let part = |(index, part): (usize, &str)| match index % 2 {
        0 => html::escaped(part),
        _ => format!("<code>{}</code>", html::escaped(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

/// Whether an application serves something of its own at the path of the index.
pub(crate) fn takes_index(snapshot: &Snapshot) -> bool {
    let own = PATH.trim_matches('/');
    snapshot.route(PATH).is_some_and(|(mount, tail)| {
        let name = tail.trim_end_matches('/');
        // A mount at or below this path has all of it.
        name != own
            || mount.resource(name).is_ok()
            || mount.routine(name).is_some()
            || !mount.services_at(tail).is_empty()
            || !mount.services_at(name).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(ProblemPage::at("/problems"), Some(ProblemPage::Index));
        assert_eq!(ProblemPage::at("/problems/"), Some(ProblemPage::Index));
        for code in Code::ALL {
            assert_eq!(ProblemPage::at(&type_of(*code)), Some(ProblemPage::Of(*code)));
        }
        for other in ["/problem", "/problems/DUET-0000", "/problems/duet-1001", "/problems/x/", "/"]
        {
            assert_eq!(ProblemPage::at(other), None, "{other}");
        }
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            with_code("a `{\"<b>\"}` & c"),
            "a <code>{&quot;&lt;b&gt;&quot;}</code> &amp; c"
        );
        for code in Code::ALL {
            let page = ProblemPage::Of(*code).html();
            let inside = page.replace("<code>", "").replace("</code>", "");
            assert!(!inside.contains('`') && page.contains(code.as_str()), "{page}");
        }
    }

    #[test]
    fn every_form_has_all_of_it() {
        let page = ProblemPage::Of(Code::FilterField);
        let Remedy { cause, cure } = Code::FilterField.remedy();
        for text in [page.text(), page.json().to_string()] {
            for part in [cause, cure, "DUET-2004", "400", Code::FilterField.title()] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        let all = ProblemPage::Index;
        assert_eq!(all.json()["problems"].as_array().unwrap().len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(all.html().contains(&type_of(*code)) && all.text().contains(code.title()));
        }
    }
}
