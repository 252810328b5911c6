//! Lists the pages of the manual, in the order of its contents, so that the program carries them.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let docs = Path::new(&root).join("../../docs");
    println!("cargo::rerun-if-changed={}", docs.display());
    let contents = fs::read_to_string(docs.join("SUMMARY.md"))?;
    let (mut list, mut part) = (String::from("&[\n"), "");
    for line in contents.lines() {
        part = line.strip_prefix("# ").filter(|name| *name != "Summary").unwrap_or(part);
        let Some((title, rest)) = link_of(line) else { continue };
        let Some((file, _)) = rest.split_once(')') else { continue };
        let name = file.trim_start_matches("./").trim_end_matches(".md");
        let path = docs.join(file).canonicalize()?;
        writeln!(
            list,
            "    ManualPage {{ part: {part:?}, name: {name:?}, title: {title:?}, text: include_str!({path:?}) }},"
        )?;
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("manual.rs"), list)?;
    Ok(())
}

/// The text of a line's link, and what follows `](`.
fn link_of(line: &str) -> Option<(&str, &str)> {
    let link = line.trim_start().trim_start_matches("- ").strip_prefix('[')?;
    link.split_once("](")
}
