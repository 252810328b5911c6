//! `duet prepare` from outside, on both stores: what it makes, what was there, and what is not needed.

use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::{duet, duet_says};

#[test]
fn everything_that_an_application_needs_is_made_once() {
    let folder = Folder::new();
    let file = folder.path().join("o.db").display().to_string();
    let postgres = Server::shared().database("prepare_all").url();
    let journal = folder.path().join("journal").display().to_string();
    for database in [file, postgres] {
        let prepare = |more: &[&str]| {
            duet_says(&[&["prepare", "orders", "--database", &database], more].concat())
        };
        let said = prepare(&[]);
        assert!(said.starts_with("Made in ") && said.contains("  table   "), "{said}");
        assert!(said.contains("Made the table duet") && said.contains("idempotency"), "{said}");
        assert!(said.contains("Not needed: the journal: there is no `journal`"), "{said}");
        assert!(!said.contains("Not needed: collections"), "{said}");
        let said = prepare(&["--journal", &journal]);
        assert!(said.contains("Everything that the collections need is in"), "{said}");
        assert!(said.contains("idempotency already exists"), "{said}");
        assert!(said.contains("Made the tables duet"), "{said}");
        assert!(prepare(&["--journal", &journal]).contains("already exist in"), "{said}");
    }
}

#[test]
fn a_database_alone_needs_little() {
    let folder = Folder::new();
    let file = folder.path().join("a.db").display().to_string();
    let (code, _, errors) = duet(&["load", "car-racing", "--database", &file]);
    assert_eq!((code, &*errors), (0, ""));
    let said = duet_says(&["prepare", &file]);
    assert!(said.starts_with("Made the table duet_idempotency"), "{said}");
    assert_eq!(said.matches("Not needed: ").count(), 4, "{said}");
    let (code, _, errors) = duet(&["prepare", "no-such-application"]);
    assert!(code == 1 && errors.contains("no-such-application"), "{errors}");
    let (code, _, errors) = duet(&["prepare", &file, "--server-role", "app"]);
    assert!(code == 1 && errors.contains("has no roles"), "{errors}");
}

#[test]
fn items_in_memory_need_capture_on_postgresql() {
    let folder = Folder::new();
    let database = Server::shared().database("prepare_rowstore");
    database.exec("CREATE TABLE t (id int PRIMARY KEY)");
    let app = "name = 'shop'\nmount = '/shop'\n[resources.t]\nrowstore = '1 MB'\n";
    std::fs::write(folder.path().join("app.toml"), app).expect("the folder is writable");
    let source = folder.path().display().to_string();
    let said = duet_says(&["prepare", &source, "--database", &database.url()]);
    assert!(said.contains(" of 1 tables in "), "{said}");
    assert_eq!(said.matches("Not needed: ").count(), 3, "{said}");
}
