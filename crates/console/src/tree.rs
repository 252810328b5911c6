//! The first page: applications, their mounts, and what is served below these.

use askama::Template;

use crate::page::{Frame, rendered};

/// A mount and its resources.
#[derive(Clone, Debug, Default)]
pub struct Mount {
    /// The application's name.
    pub application: String,
    /// Its path.
    pub path: String,
    /// What is served below it, as many as a page has.
    pub resources: Vec<Resource>,
    /// How many there are, of those that are searched for.
    pub all: usize,
    /// The page of those before, and of those behind.
    pub pages: [Option<String>; 2],
    /// The number of the first one that is shown.
    pub first: usize,
}

/// Resources of a mount on a page.
pub const PAGE: usize = 100;

impl Mount {
    /// The part of `all` resources of a mount that has room on a page: from one on, and of those with `words` in their names.
    /// `address` makes the address of the page from a number on.
    pub fn part(
        mut all: Vec<Resource>,
        words: &str,
        from: usize,
        address: impl Fn(usize) -> String,
    ) -> Self {
        let words = words.to_lowercase();
        all.retain(|one| {
            let name = one.name.to_lowercase();
            words.split_whitespace().all(|word| name.contains(word))
        });
        let count = all.len();
        let from = from.min(count.saturating_sub(1));
        let resources: Vec<Resource> = all.into_iter().skip(from).take(PAGE).collect();
        let end = from + resources.len();
        let before = (from > 0).then(|| address(from.saturating_sub(PAGE)));
        let behind = (end < count).then(|| address(end));
        Self { resources, all: count, pages: [before, behind], first: from, ..Self::default() }
    }

    fn is_whole(&self) -> bool {
        self.resources.len() == self.all
    }
}

/// Something that is served.
#[derive(Clone, Debug, Default)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// What it is, such as `table` or `duality view`.
    pub kind: String,
    /// What the caller may do with it, as words.
    pub operations: String,
    /// Its page; none for what has no rows.
    pub href: Option<String>,
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "tree.html")]
pub struct Tree<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The mounts of which the caller may see something.
    pub mounts: &'a [Mount],
    /// Words that names of resources have.
    pub find: &'a str,
}

impl Tree<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    /// Whether some of the resources are not shown.
    fn is_cut(&self) -> bool {
        !self.find.is_empty() || self.mounts.iter().any(|mount| !mount.is_whole())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_part_of_many_resources() {
        let all = |count: usize| -> Vec<Resource> {
            let resource = |at| Resource { name: format!("t{at:04}"), ..Resource::default() };
            (0..count).map(resource).collect()
        };
        let of = |find: &str, from| Mount::part(all(250), find, from, |at| at.to_string());
        let names = |mount: &Mount| (mount.resources[0].name.clone(), mount.resources.len());
        let first = of("", 0);
        assert_eq!((names(&first), first.all), (("t0000".into(), PAGE), 250));
        assert_eq!(first.pages, [None, Some("100".into())]);
        let last = of("", 200);
        assert_eq!(
            (names(&last), last.pages.clone()),
            (("t0200".into(), 50), [Some("100".into()), None])
        );
        assert_eq!(names(&of("T 24", 0)), ("t0024".into(), 13));
        assert_eq!(of("zzqx", 7).resources.len(), 0);
        let html = |count| {
            let mount = Mount::part(all(count), "", 0, |at| at.to_string());
            Tree { frame: Frame::stranger("/console"), mounts: &[mount], find: "" }.html().len()
        };
        assert!(html(2_000).abs_diff(html(1_000)) < 10, "the page does not grow with the schema");
    }
}
