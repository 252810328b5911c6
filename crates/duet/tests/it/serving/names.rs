//! Names in `app.toml` that match nothing: `check`, `serve` and a reload refuse them, and say where.

use std::fs;

use duet_testkit::sqlite;

use crate::duet;

const TABLES: &str = "
CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, Salary INTEGER, \"e-mail\" TEXT);
CREATE TABLE search (id INTEGER PRIMARY KEY);
CREATE TABLE album (id INTEGER PRIMARY KEY);";

const RIGHT: &str = r#"name = "firm"
mount = "/firm"
database = "firm.db"

[resources.staff]
hidden = ["salary"]
columns = { "e-mail" = "mail" }

[resources.records]
table = "album"

[[privileges]]
name = "readers"
roles = ["fan"]
patterns = ["/staff/*", "/records/7"]
"#;

fn folder(text: &str) -> sqlite::Folder {
    let folder = sqlite::Folder::new();
    folder.load("firm.db", &[TABLES]);
    fs::write(folder.path().join("app.toml"), text).expect("a file");
    folder
}

/// What `duet check` says of the file, with one part of it replaced.
fn check(from: &str, to: &str) -> (i32, String) {
    assert!(RIGHT.contains(from), "{from}");
    let folder = folder(&RIGHT.replace(from, to));
    let file = folder.path().join("app.toml").display().to_string();
    let (code, out, errors) = duet(&["check", &file]);
    (code, format!("{out}{errors}").replace(&file, "app.toml"))
}

#[test]
fn each_kind_of_name() {
    let (code, told) = check("\"salary\"", "\"salery\"");
    assert_eq!(code, 1, "{told}");
    let expected = r#"error[DUET-5011]: staff has no column "salery".
 --> app.toml:6:11
  |
6 | hidden = ["salery"]
  |           ^^^^^^^^
  = hint: Did you mean `salary`?
"#;
    assert_eq!(told, expected);
    for (from, to, place, message, hint) in [
        ("\"e-mail\"", "\"email\"", "7:13", "staff has no column \"email\"", "`e-mail`"),
        ("[resources.staff]", "[resources.stuff]", "5:12", "no table or view \"stuff\"", "`staff`"),
        ("\"album\"", "\"albun\"", "10:9", "no table or view \"albun\"", "`album`"),
        ("\"/staff/*\"", "\"/stafff/*\"", "15:13", "pattern \"/stafff/*\"", "`/staff/*`"),
        ("\"/records/7\"", "\"/album/7\"", "15:25", "pattern \"/album/7\"", ""),
        ("hidden = [", "key = [\"no\"]\nhidden = [", "6:8", "staff has no column \"no\"", ""),
        ("hidden = [", "page_size = 10001\nhidden = [", "6:13", "10001 items is above", ""),
        ("\"/records/7\"", "\"/records/x/*\"", "15:25", "\"x\" cannot be a key of records", ""),
        ("\"/records/7\"", "\"/records/7,8\"", "15:25", "\"7,8\" cannot be a key of records", ""),
    ] {
        let (code, told) = check(from, to);
        assert_eq!(code, 1, "{told}");
        assert!(told.contains(message) && told.contains(hint), "{told}");
        assert!(told.contains(&format!("app.toml:{place}\n")), "{place}: {told}");
    }
}

/// Names of `expand` that lead nowhere come together; right ones, and paths below tables, fit.
#[test]
fn names_of_related_rows_lead_somewhere() {
    let tables = "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT);
        CREATE TABLE song (id INTEGER PRIMARY KEY, album_id INTEGER REFERENCES album, cover_id INTEGER REFERENCES album);";
    let checked = |ways: &str| {
        let folder = sqlite::Folder::new();
        folder.load("firm.db", &[tables]);
        let text = format!(
            "name = \"firm\"\nmount = \"/firm\"\ndatabase = \"firm.db\"\n\n[resources.song.expand]\n{ways}\n
            [[privileges]]\nname = \"all\"\nroles = [\"fan\"]\npatterns = [\"/song/search\", \"/song/_/batch\", \"/album/1\"]\n"
        );
        let file = folder.path().join("app.toml");
        fs::write(&file, text).expect("a file");
        let file = file.display().to_string();
        let (code, out, errors) = duet(&["check", &file]);
        (code, format!("{out}{errors}").replace(&file, "app.toml"))
    };
    let (code, told) = checked("of = \"album_id\"\nshown = \"cover_id\"");
    assert_eq!(code, 0, "{told}");
    let (code, told) = checked("of = \"albun_id\"\nid = \"cover_id\"\nnone = \"album.song_id\"");
    assert_eq!((code, told.matches("error[").count()), (1, 3), "{told}");
    for (place, message) in [
        ("6:1", "\"id\" cannot be the name of the foreign key \"cover_id\""),
        ("7:1", "song has no foreign key \"album.song_id\""),
        ("5:1", "Did you mean `album_id`?"),
    ] {
        assert!(told.contains(&format!("app.toml:{place}\n")) || place == "5:1", "{place}: {told}");
        assert!(told.contains(message), "{message}: {told}");
    }
}

/// What has no effect on a duality view is a mistake, above all where it was to hide the view.
#[test]
fn resource_options_without_effect_on_a_view_are_refused() {
    for (member, hint) in [
        ("excluded = true", "Remove the definition"),
        ("expand = { a = \"b\" }", "Change the definition"),
    ] {
        let text = RIGHT.replace("mount", "views = \"v.sql\"\nmount");
        let text = text.replace(
            "[resources.staff]",
            &format!("[resources.staff_dv]\n{member}\n[resources.staff]"),
        );
        let found = folder(&text);
        let view = "CREATE JSON RELATIONAL DUALITY VIEW staff_dv AS SELECT JSON {'_id': s.id} FROM staff s;";
        fs::write(found.path().join("v.sql"), view).expect("a file");
        let (code, _, errors) = duet(&["check", &found.path().display().to_string()]);
        assert_eq!((code, errors.matches("error[").count()), (1, 1), "{errors}");
        assert!(errors.contains("staff_dv is a duality view") && errors.contains(hint), "{errors}");
        assert!(errors.contains("app.toml:7:1\n"), "{errors}");
    }
}

/// A table that is not served has no pages, memory or writes; what is said of them is named at once.
#[test]
fn resource_options_without_effect_beside_excluded_are_refused() {
    let others = "excluded = true\npage_size = 9\ncommit = \"async\"\nrowstore = \"1MB\"\nclass = \"batch\"\n";
    let (code, told) = check("[resources.staff]", &format!("[resources.staff]\n{others}"));
    assert_eq!(code, 1, "{told}");
    for (line, key) in
        [(7, "page_size"), (8, "commit"), (9, "rowstore"), (10, "class"), (12, "hidden")]
    {
        assert!(told.contains(&format!("app.toml:{line}:1\n")), "{key}: {told}");
        let message =
            format!("staff is not served, because of `excluded = true`: `{key}` has no effect.");
        assert!(told.contains(&message), "{message} {told}");
    }
}

#[test]
fn a_file_may_describe_two_spellings() {
    let (code, told) =
        check("\"e-mail\" = \"mail\"", "\"Name\" = \"name\", \"EMail\" = \"e-mail\"");
    assert_eq!(code, 0, "{told}");
    // The table too, and its hidden column stays hidden.
    let (code, told) = check("[resources.staff]", "[resources.staff]\ntable = \"StaffMembers\"");
    assert_eq!(code, 0, "{told}");
    assert!(!told.contains("salary"), "{told}");
}

#[test]
fn all_mistakes_are_reported_once() {
    let wrong = RIGHT.replace("salary", "salery").replace("/records/7", "/recods/*");
    let found = folder(&wrong);
    let file = found.path().join("app.toml").display().to_string();
    let (code, _, errors) = duet(&["check", &file]);
    assert_eq!((code, errors.matches("error[").count()), (1, 2), "{errors}");
    let (code, _, serving) = duet(&["serve", "--config", &file]);
    assert_eq!((code, serving.matches("error[").count()), (1, 2), "{serving}");
    // A view that fails is no second mistake for the pattern that names it.
    let view =
        RIGHT.replace("mount", "views = \"v.sql\"\nmount").replace("/staff/*", "/staff_dv/*");
    let found = folder(&view);
    let broken =
        "CREATE JSON RELATIONAL DUALITY VIEW staff_dv AS SELECT JSON {'_id': s.idd} FROM staff s;";
    fs::write(found.path().join("v.sql"), broken).expect("a file");
    let (code, _, errors) = duet(&["check", &found.path().display().to_string()]);
    assert_eq!((code, errors.matches("error[").count()), (1, 1), "{errors}");
    assert!(errors.contains("v.sql:1:"), "{errors}");
}

#[test]
fn notes_fail_a_strict_check() {
    let folder = folder(RIGHT);
    let file = folder.path().display().to_string();
    let (code, out, errors) = duet(&["check", &file]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    assert!(out.contains("note: \"search\" is a reserved name"), "{out}");
    let (code, out, errors) = duet(&["check", "--strict", &file]);
    assert_eq!((code, out.as_str()), (1, ""), "{errors}");
    assert!(errors.contains("note: \"search\"") && errors.contains("--strict"), "{errors}");
    let drop = "DROP TABLE search";
    sqlite::open(&folder.path().join("firm.db")).execute_batch(drop).expect("a statement");
    let (code, out, errors) = duet(&["check", "--strict", &file]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
}
