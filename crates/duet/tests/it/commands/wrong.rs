//! Errors are a line and a hint.

use crate::{duet, told};

#[test]
fn errors_are_one_line_and_a_hint() {
    for (arguments, expected) in [
        (
            &["serve", "/nonexistent/a.db"][..],
            "error: There is no SQLite file at /nonexistent/a.db.",
        ),
        (&["serve", "mysql://h/d"], "error: Databases of the kind \"mysql\" are not supported."),
        (&["serve", "postgres://h/d?sslmod=x"], "error: "),
        (
            &["serve", "x.db", "--app", "chinok"],
            "error: There is no built-in application \"chinok\".",
        ),
        (
            &["serve", "x.db", "--app", "shop/x.toml"],
            "error: \"shop/x.toml\" is a path, and no name of a built-in application. (DUET-5001)\n\
             hint: Name an application on disk by `--config shop/x.toml`.",
        ),
        (
            &["load", "chinook", "--database", "sqlite:"],
            "error: `sqlite:` needs the path of a file.",
        ),
        (
            &["load", "chinook", "--database", "/nonexistent/a.db", "--scale", "2"],
            "error: The application \"chinook\" does not support a scale.",
        ),
        (&["client", "list", "--state", "/nonexistent/s"], "error: There is no state file"),
        (&["client", "list"], "error: Where are the clients kept?"),
        (&["check", "/nonexistent/app.toml"], "error: /nonexistent/app.toml cannot be read"),
        (
            &["demo", "--page-size", "50", "--max-page-size", "40"],
            "error: --page-size: `page_size` cannot be 50",
        ),
    ] {
        let (code, out, errors) = duet(arguments);
        assert_eq!(code, 1, "{arguments:?}: {errors}");
        assert_eq!(out, "");
        assert!(errors.starts_with(expected), "{arguments:?}: {errors}");
        assert!(errors.lines().count() <= 3, "{errors}");
    }
}

#[test]
fn a_wrong_command_line_is_2() {
    for arguments in [
        &["sirve"][..],
        &["serve", "--workers", "many"],
        &["serve", "--statement-timeout", "30"],
        &["serve", "--open", "everything"],
        &["load", "chinook"],
    ] {
        let (code, _, errors) = duet(arguments);
        assert_eq!(code, 2, "{arguments:?}: {errors}");
    }
    let (_, _, errors) = duet(&["serve", "--statement-timeout", "30"]);
    assert!(
        errors.contains("--statement-timeout cannot be \"30\": use a number and a unit"),
        "{errors}"
    );
}

#[test]
fn a_reader_that_has_had_enough_is_success() {
    let script = r#""$0" --help | true; "$0" apps | true; exit ${PIPESTATUS[0]}"#;
    let arguments = ["-c", script, env!("CARGO_BIN_EXE_duet")];
    let output = duet_testkit::command::run(std::path::Path::new("/bin/bash"), &arguments);
    assert_eq!(told(&output), (0, String::new(), String::new()));
}

#[test]
fn near_misses_in_the_environment_are_reported() {
    let mut command =
        duet_testkit::command::clean(std::path::Path::new(env!("CARGO_BIN_EXE_duet")));
    command.env("DUET_WORKER", "2").args(["serve", "/nonexistent/a.db"]);
    let (_, _, errors) = told(&command.output().unwrap());
    assert!(
        errors.starts_with(
            "warning: the environment variable DUET_WORKER is no setting; did you mean DUET_WORKERS?\n"
        ),
        "{errors}"
    );
}

/// A mistake hides no other that can be seen without it.
#[test]
fn check_says_all_mistakes_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("app.toml");
    let text = "name = 'items'\nmount = '/i'\ntables = 'some'\n\
        database = 'postgres://${DUET_TEST_ABSENT_USER}:${DUET_TEST_ABSENT_WORD}@h/d'\n\
        [settings]\ntls_cert = 'c.pem'\nrun_client_secret_file = 'absent.secret'\n\
        [limits]\npage_size = 'many'\nmax_page_size = 10\nqueue_timeout = '0s'\n\
        uri_bytes = '${DUET_TEST_ABSENT_SIZE}'\n";
    std::fs::write(&app, text).unwrap();
    let (code, _, errors) = duet(&["check", app.to_str().unwrap()]);
    assert_eq!(code, 1, "{errors}");
    for part in [
        "`tables` cannot be \"some\".",
        "The environment has no variables DUET_TEST_ABSENT_USER, DUET_TEST_ABSENT_WORD.",
        "`page_size` cannot be \"many\": ",
        "The environment has no variable DUET_TEST_ABSENT_SIZE.",
        "`tls_cert` cannot be ",
        "`queue_timeout` cannot be 0s: nothing would ever be in time.",
        "absent.secret",
    ] {
        assert_eq!(errors.matches(part).count(), 1, "{part}: {errors}");
    }
    // The default of `page_size` is above the most, and what the other variables would be is not known.
    assert_eq!(errors.matches("page_size").count(), 2, "{errors}");
    assert_eq!(errors.matches("uri_bytes").count(), 1, "{errors}");
}
