//! The help texts, as files: a change of them is seen in the review. `help` has those of `--help-all`,
//! `help/short` those of `--help`.

use std::fs;
use std::path::Path;

use crate::duet_says;

#[test]
fn help_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    let accept = std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1");
    let commands = commands("");
    assert!(commands.len() > 30, "{commands:?}");
    for (folder, flag) in [(folder.clone(), "--help-all"), (folder.join("short"), "--help")] {
        let mut files: Vec<String> = vec!["short".into()];
        for command in &commands {
            let name = if command.is_empty() { "duet".into() } else { command.replace(' ', "-") };
            let path = folder.join(format!("{name}.txt"));
            files.push(format!("{name}.txt"));
            let help = help(command, flag);
            if accept {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&path, &help).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                help == expected,
                "duet {command} {flag} says (DUET_ACCEPT=1 accepts it):\n{help}"
            );
        }
        for entry in fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(files.contains(&name), "{name} is the help of no command: delete it");
        }
    }
}

/// A command and those below it, as its help lists them.
fn commands(command: &str) -> Vec<String> {
    let help = help(command, "--help");
    let listed = help.split_once("\nCommands:\n").map_or("", |(_, list)| list);
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let names = listed.lines().filter_map(|line| {
        let line = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
        line.split_whitespace().next().filter(|name| *name != "help")
    });
    let mut all = vec![command.to_owned()];
    for name in names {
        all.extend(commands(format!("{command} {name}").trim()));
    }
    all
}

fn help(command: &str, flag: &'static str) -> String {
    let mut arguments: Vec<&str> = command.split_whitespace().collect();
    arguments.push(flag);
    duet_says(&arguments)
}

#[test]
fn version() {
    // Tests are built with one profile for all; which one is the builder's choice.
    let said = duet_says(&["--version"]);
    let profile =
        said.trim_end().strip_prefix(concat!("duet ", env!("CARGO_PKG_VERSION"), " (profile "));
    let profile =
        profile.and_then(|rest| rest.strip_suffix(')')).unwrap_or_else(|| panic!("{said}"));
    let built = Path::new(env!("CARGO_BIN_EXE_duet")).parent().unwrap().file_name().unwrap();
    assert_eq!(if profile == "dev" { "debug" } else { profile }, built);
}

#[test]
fn applications() {
    let list = duet_says(&["apps"]);
    assert!(list.contains("car-racing     Teams, drivers"), "{list}");
    assert!(list.contains("chinook        A record shop"), "{list}");
}
