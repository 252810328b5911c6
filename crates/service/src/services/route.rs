//! The paths of services: segments that are literal or name a parameter.

use std::fmt;

use duet_model::key::percent_decode;

/// A path below a mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathTemplate {
    /// Its segments; none for the mount itself.
    pub segments: Vec<Segment>,
}

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// This text.
    Literal(String),
    /// The value of the parameter of this name.
    Parameter(String),
}

impl PathTemplate {
    /// Reads `/orders/{id}/lines`.
    ///
    /// ```
    /// use duet_service::services::{PathTemplate, Segment};
    ///
    /// let path = PathTemplate::read("/orders/{id}").unwrap();
    /// assert_eq!(path.segments[1], Segment::Parameter("id".into()));
    /// assert_eq!(path.matches("orders/A%207").unwrap(), [("id", "A 7".to_owned())]);
    /// assert!(PathTemplate::read("orders").is_err());
    /// ```
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err("A path begins with a slash, such as `/orders/{id}`.".to_owned());
        };
        if rest.is_empty() {
            return Ok(Self::default());
        }
        let segments = rest.split('/').map(|segment| {
            let inner = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match inner {
                Some(name) if is_name(name) => Ok(Segment::Parameter(name.to_owned())),
                None if !segment.is_empty() && !segment.contains(['{', '}', '?', '#', '%']) => {
                    Ok(Segment::Literal(segment.to_owned()))
                }
                _ => Err(format!("{segment:?} is no segment of a path: write a text, or `{{name}}` for a parameter.")),
            }
        });
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        match segments.first() {
            Some(Segment::Parameter(_)) => {
                Err("A path begins with a text, so that rights can be granted to it.".to_owned())
            }
            _ => Ok(Self { segments }),
        }
    }

    /// The first segment, by which rights are granted; empty for the mount itself.
    pub fn first(&self) -> &str {
        match self.segments.first() {
            Some(Segment::Literal(text)) => text,
            _ => "",
        }
    }

    /// Its only segment, where there is just one.
    pub fn only(&self) -> Option<&str> {
        match &self.segments[..] {
            [Segment::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The names of the parameters in it.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Parameter(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }

    /// The values of the parameters in a path below the mount; `None` where it is another path, or not
    /// percent-encoded UTF-8.
    pub fn matches(&self, path: &str) -> Option<Vec<(&str, String)>> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut given = path.split('/').filter(|_| !path.is_empty());
        let mut values = Vec::new();
        for segment in &self.segments {
            let text = given.next()?;
            match segment {
                Segment::Literal(literal) if text == literal => {}
                Segment::Literal(literal)
                    if text.contains('%') && percent_decode(text).ok()? == *literal => {}
                Segment::Parameter(name) if !text.is_empty() => {
                    values.push((name.as_str(), percent_decode(text).ok()?));
                }
                _ => return None,
            }
        }
        given.next().is_none().then_some(values)
    }

    /// Its segments without the names of parameters: equal for templates that match the same paths.
    pub(crate) fn texts(&self) -> Vec<Option<String>> {
        let text = |segment: &Segment| match segment {
            Segment::Literal(text) => Some(text.clone()),
            Segment::Parameter(_) => None,
        };
        self.segments.iter().map(text).collect()
    }

    /// Whether a path at or below this one can be one that it matches, or that of its batches: `…/_/batch`.
    pub(crate) fn reaches(&self, path: &str) -> bool {
        let mut given = path.split('/').filter(|part| !part.is_empty());
        for segment in &self.segments {
            match (segment, given.next()) {
                (_, None) => return true,
                (Segment::Literal(text), Some(part)) if text != part => return false,
                _ => {}
            }
        }
        given.next().is_none_or(|part| part == "_")
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

impl fmt::Display for PathTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str("/");
        }
        self.segments.iter().try_for_each(|segment| match segment {
            Segment::Literal(text) => write!(f, "/{text}"),
            Segment::Parameter(name) => write!(f, "/{{{name}}}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_matched_segment_by_segment() {
        let path = PathTemplate::read("/a/{x}/b").unwrap();
        assert_eq!(path.to_string(), "/a/{x}/b");
        assert_eq!(path.matches("a/1/b").unwrap(), [("x", "1".to_owned())]);
        assert_eq!(path.matches("a/1%2F2/b/").unwrap(), [("x", "1/2".to_owned())]);
        for other in ["a/1", "a//b", "a/1/c", "a/1/b/c", ""] {
            assert_eq!(path.matches(other), None, "{other}");
        }
        assert_eq!(path.matches("a/%ff/b"), None);
        assert!(PathTemplate::read("/").unwrap().matches("").is_some());
    }

    #[test]
    fn a_template_reaches_paths_that_it_could_match() {
        let path = PathTemplate::read("/api/sale/{id}").unwrap();
        for below in ["api", "api/", "api/sale", "api/sale/7", "api/sale/7/_/batch"] {
            assert!(path.reaches(below), "{below}");
        }
        for below in ["ap", "api/main", "api/sale/7/items", "sale"] {
            assert!(!path.reaches(below), "{below}");
        }
    }

    #[test]
    fn invalid_paths_are_refused() {
        for wrong in ["a", "/{x}", "/a//b", "/a/", "/a/{}", "/a/x{y}", "/a?b", "/a/{x y}"] {
            assert!(PathTemplate::read(wrong).is_err(), "{wrong}");
        }
    }
}
