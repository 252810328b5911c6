//! The help texts, as files: a change of them is seen in the review.

use std::fs;
use std::path::Path;

use super::duet_says;

#[test]
fn help_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    let accept = std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1");
    let commands = [
        "",
        "demo",
        "serve",
        "apps",
        "load",
        "client",
        "client add",
        "client rotate-key",
        "service",
        "service prepare",
        "collection",
        "collection prepare",
        "indexes",
        "status",
        "rowstore",
        "rowstore list",
        "rowstore resize",
        "rowstore prepare",
        "journal",
        "journal prepare",
        "journal inspect",
        "journal verify",
        "journal replay",
        "check",
        "explain",
        "bench",
        "bench run",
        "bench replay",
        "bench ab",
        "bench releases",
        "bench paths",
        "bench find-max",
        "bench sweep",
        "bench report",
        "bench compare",
        "bench merge",
        "bench selftest",
        "bench validate",
    ];
    for command in commands {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let name = if command.is_empty() { "duet".into() } else { command.replace(' ', "-") };
        let path = folder.join(format!("{name}.txt"));
        let help = duet_says(&arguments);
        if accept {
            fs::write(&path, &help).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(help == expected, "duet {command} --help says (DUET_ACCEPT=1 accepts it):\n{help}");
    }
}

#[test]
fn version() {
    assert_eq!(duet_says(&["--version"]), format!("duet {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn applications() {
    let list = duet_says(&["apps"]);
    assert!(list.contains("car-racing     Teams, drivers"), "{list}");
    assert!(list.contains("chinook        A record shop"), "{list}");
}
