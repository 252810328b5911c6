//! The templates of a mount's services as a tree of segments: a request looks at as many nodes as its path has segments,
//! however many services there are.

use std::borrow::Cow;
use std::collections::HashMap;

use duet_model::key::percent_decode;
use duet_model::steps;
use foldhash::fast::RandomState;

use super::route::{PathTemplate, Segment};

/// What follows the segments so far.
#[derive(Debug, Default)]
pub(crate) struct RouteTree {
    literals: HashMap<String, RouteTree, RandomState>,
    parameter: Option<Box<RouteTree>>,
    /// The templates that end here, by their places in the list that the tree was made of.
    ends: Vec<usize>,
}

impl RouteTree {
    /// The tree of these templates.
    pub(crate) fn of<'p>(templates: impl Iterator<Item = &'p PathTemplate>) -> Self {
        let mut root = Self::default();
        for (place, template) in templates.enumerate() {
            let last = template.segments.iter().fold(&mut root, |node, segment| match segment {
                Segment::Literal(text) => node.literals.entry(text.clone()).or_default(),
                Segment::Parameter(_) => node.parameter.get_or_insert_default(),
            });
            last.ends.push(place);
        }
        root
    }

    /// The places of the templates that a path below the mount is meant for: of those that match it, the ones with a text
    /// at the first place where they differ. None where no template matches, or the path is not percent-encoded UTF-8.
    pub(crate) fn at(&self, path: &str) -> &[usize] {
        let path = path.strip_suffix('/').unwrap_or(path);
        self.find((!path.is_empty()).then_some(path)).unwrap_or(&[])
    }

    fn find(&self, rest: Option<&str>) -> Option<&[usize]> {
        steps::step();
        let Some(rest) = rest else { return (!self.ends.is_empty()).then_some(&self.ends) };
        let (text, rest) = match rest.split_once('/') {
            Some((text, rest)) => (text, Some(rest)),
            None => (rest, None),
        };
        let text = match text.contains('%') {
            true => Cow::Owned(percent_decode(text).ok()?),
            false => Cow::Borrowed(text),
        };
        let literal = self.literals.get(&*text).and_then(|next| next.find(rest));
        let parameter = || self.parameter.as_ref().filter(|_| !text.is_empty())?.find(rest);
        literal.or_else(parameter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(templates: &[&str]) -> RouteTree {
        let read = |text: &&str| PathTemplate::read(text).unwrap();
        RouteTree::of(templates.iter().map(read).collect::<Vec<_>>().iter())
    }

    #[test]
    fn the_most_literal_template_answers() {
        let templates = ["/", "/a", "/a/{x}", "/a/b", "/a/{x}/c", "/a/{other}/c", "/a/b/d", "/é"];
        let tree = tree(&templates);
        for (path, found) in [
            ("", &[0][..]),
            ("/", &[0]),
            ("a", &[1]),
            ("a/", &[1]),
            ("%61", &[1]),
            ("%C3%A9", &[7]),
            ("a/1", &[2]),
            ("a/1%2F2", &[2]),
            ("a/b", &[3]),
            // The text leads to no template that ends so: the parameter does.
            ("a/b/c", &[4, 5]),
            ("a/b/d", &[6]),
            ("b", &[]),
            ("a//", &[]),
            ("a//c", &[]),
            ("a/%ff", &[]),
            ("a/1/c/2", &[]),
        ] {
            assert_eq!(tree.at(path), found, "{path}");
        }
    }

    #[test]
    fn a_request_costs_as_much_as_its_path() {
        let steps_of = |count: usize| {
            let templates: Vec<String> =
                (0..count).map(|at| format!("/reports/r{at}/{{x}}")).collect();
            let tree = tree(&templates.iter().map(String::as_str).collect::<Vec<_>>());
            let (found, steps) = steps::counted(|| tree.at("reports/r7/1").to_owned());
            assert_eq!(found, [7]);
            steps
        };
        assert_eq!((steps_of(50), steps_of(100)), (4, 4));
    }
}
