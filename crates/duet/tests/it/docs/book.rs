//! The manual as a site, by `mdbook build docs`.

use std::process::Command;

use duet_testkit::skipped;

use super::{manual, read, root};

/// The list of pages for `mdbook`, which is no page itself.
pub(super) const SUMMARY: &str = "docs/SUMMARY.md";

/// `mdbook` makes pages of those in its summary alone, and links lead nowhere that leave its folder.
#[test]
fn the_book_has_every_page() {
    let summary = read(SUMMARY);
    let listed: Vec<_> =
        summary.split("](").skip(1).filter_map(|it| it.split(')').next()).collect();
    for page in manual().iter().filter_map(|name| name.strip_prefix("docs/")) {
        let times = listed.iter().filter(|it| **it == page).count();
        assert_eq!(times, 1, "{SUMMARY} lists {page} {times} times");
        let text = read(&format!("docs/{page}"));
        assert!(!text.contains("](../"), "docs/{page} links to a file that is not in the book");
    }
    assert!(listed.iter().all(|page| root().join("docs").join(page).is_file()), "{listed:?}");
    let Ok(output) = Command::new("mdbook").arg("--version").output() else {
        skipped("docs::book::the_book_has_every_page", "mdbook is not installed");
        return;
    };
    assert!(output.status.success());
    let site = tempfile::tempdir().unwrap();
    let mut build = Command::new("mdbook");
    let output = build.arg("build").arg(root().join("docs")).arg("-d").arg(site.path()).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("WARN"), "{said}");
    assert!(site.path().join("tutorial.html").is_file());
}
