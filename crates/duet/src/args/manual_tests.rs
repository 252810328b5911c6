//! Commands that the manual shows and no test runs have arguments that the program takes.

use std::fs;
use std::path::Path;

use clap::Parser as _;

use super::Cli;

#[test]
fn commands_that_are_only_shown_are_parsed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut parsed = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        for line in console_lines(&fs::read_to_string(&path).unwrap()) {
            let Some(words) = command(&line) else { continue };
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{}: {line}\n{error}", path.display());
            }
            parsed += 1;
        }
    }
    assert!(parsed > 25, "only {parsed} commands are found");
}

#[test]
fn commands_are_cut_from_their_lines() {
    let page = "a\n```console\nA=… duet x 'b c' \\\n  --d | less\n$ ls\n```\n```sh\nduet y\n```\n";
    let commands: Vec<_> = console_lines(page).iter().filter_map(|line| command(line)).collect();
    assert_eq!(commands, [["duet", "x", "b c", "--d"]]);
}

/// The lines of a page's `console` blocks, continued ones joined.
fn console_lines(page: &str) -> Vec<String> {
    let blocks = page.split("\n```console\n").skip(1);
    let text = blocks.filter_map(|block| block.split("\n```").next());
    text.flat_map(|text| text.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The words of a command of ours, behind a prompt and variables and before a pipe.
fn command(line: &str) -> Option<Vec<String>> {
    let words = shlex::split(line.strip_prefix("$ ").unwrap_or(line))?;
    let command = words.into_iter().skip_while(|word| word.contains('='));
    let is_operator = |word: &String| matches!(word.as_str(), "|" | "&" | "&&" | "||" | ";" | ">");
    let command: Vec<String> = command.take_while(|word| !is_operator(word)).collect();
    (command.first()? == "duet").then_some(command)
}
