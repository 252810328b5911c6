//! Completions and manual pages, made from the command line.

use std::process::Command;

use duet_testkit::sqlite::Folder;

use crate::{duet, duet_says};

#[test]
fn bash_completes_commands_and_flags() {
    let folder = Folder::new();
    let file = folder.path().join("duet.bash");
    std::fs::write(&file, duet_says(&["completions", "bash"])).expect("the folder is writable");
    let complete = |words: &str, at: usize| {
        let script = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={at}; _duet duet \"${{COMP_WORDS[{at}]}}\" ''; echo ${{COMPREPLY[@]}}",
            file.display()
        );
        let out = Command::new("bash").args(["--norc", "-c", &script]).output().expect("bash");
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    };
    assert_eq!(complete("duet ini", 1), "init");
    assert_eq!(complete("duet init --sch", 2), "--schema");
    for shell in ["zsh", "fish"] {
        assert!(duet_says(&["completions", shell]).contains("serve"));
    }
    assert_eq!(duet(&["completions", "cmd"]).0, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let pages = folder.path().join("man");
    duet_says(&["man", &pages.display().to_string()]);
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).expect("a page");
    assert!(page("duet-serve.1").contains("SIGHUP reloads"));
    assert!(page("duet-bench-run.1").starts_with(".ie"));
    // A folder that cannot be made.
    let (code, _, errors) = duet(&["man", "/proc/none"]);
    assert!(code == 1 && errors.contains("/proc/none cannot be written"), "{errors}");
}
