//! `duet init`: what it writes is accepted by `duet check`, as it is and with every draft in use, on both
//! stores.

use std::fs;
use std::path::Path;
use std::process::Command;

use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::{duet, duet_says, told};

/// Tables whose names, keys and foreign keys are the difficult ones.
const ODD: &str = r#"
CREATE TABLE "Order Details" ("OrderID" integer PRIMARY KEY, "say ""hi""" text, "HomeTeam" integer REFERENCES "Team" ("Id"), "GuestTeam" integer REFERENCES "Team" ("Id"));
CREATE TABLE node (id integer PRIMARY KEY, parent_id integer REFERENCES node (id), name varchar(20));
CREATE TABLE pair (a integer NOT NULL REFERENCES node (id), b integer NOT NULL REFERENCES node (id), "_Id" text, "id_" text, PRIMARY KEY (a, b));
CREATE TABLE of_pair (id integer PRIMARY KEY, a integer, b integer, FOREIGN KEY (a, b) REFERENCES pair (a, b));
CREATE TABLE keyless (node_id integer REFERENCES node (id), note text);
CREATE VIEW "Names" AS SELECT id AS "NodeId", name FROM node;
"#;
const TEAM: &str = r#"CREATE TABLE "Team" ("Id" integer PRIMARY KEY, "FullName" text);"#;

/// Uses every draft of an application.
fn use_drafts(folder: &Path) {
    let file = folder.join("app.toml");
    let text = fs::read_to_string(&file).expect("it was written");
    let used = text.lines().map(|line| match line.strip_prefix('#') {
        Some(draft) if !draft.starts_with(' ') => draft,
        _ => line,
    });
    let used: Vec<&str> = used.collect();
    assert_ne!(used.join("\n"), text.trim_end());
    fs::write(&file, used.join("\n")).expect("the folder is writable");
}

/// Both forms of the application of a database are accepted; gives what was said of the second.
fn is_accepted(database: &str, folder: &Path) -> String {
    let path = folder.display().to_string();
    let said = duet_says(&["init", database, &path]);
    assert!(said.contains(&format!("duet serve {path}")), "{said}");
    let plain = duet_says(&["check", &path]);
    assert!(plain.contains(" fits "), "{plain}");
    use_drafts(folder);
    let drafted = duet_says(&["check", &path]);
    assert!(drafted.contains(" fits "), "{drafted}");
    drafted
}

/// The commands that `duet init` proposes mean the folder that it has made, whatever its name.
#[test]
fn a_folder_hides_the_built_in_application_of_its_name() {
    let folder = Folder::new();
    let file = folder.path().join("chinook.db").display().to_string();
    duet_says(&["load", "chinook", "--database", &file]);
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duet"));
        told(&command.args(words).current_dir(folder.path()).output().expect("it runs"))
    };
    let (code, said, errors) = run(&["init", "chinook.db"]);
    assert!(code == 0 && said.contains("\n  duet check chinook\n"), "{said}{errors}");
    let (code, said, errors) = run(&["check", "chinook"]);
    assert!(code == 0 && said.contains("chinook fits SQLite "), "{said}{errors}");
}

#[test]
fn chinook_is_drafted_alike_on_both_stores() {
    let folder = Folder::new();
    let file = folder.path().join("Chinook Music.db").display().to_string();
    let postgres = Server::shared().database("init_chinook").url();
    let mut texts = Vec::new();
    for (store, database) in [("sqlite", &file), ("postgres", &postgres)] {
        duet_says(&["load", "chinook", "--database", database]);
        let own = folder.path().join(store);
        is_accepted(database, &own);
        let view = |name: &str| fs::read_to_string(own.join("views").join(name)).expect("a draft");
        texts.push(view("artist_dv.graphql"));
        // Both sides of the table between them are one object of the list.
        let track = view("track_dv.graphql");
        assert!(
            track.to_lowercase().contains("playlist_track: playlisttrack")
                || track.contains("playlist_track: playlist_track"),
            "{track}"
        );
    }
    // Tables and columns have other names on PostgreSQL.
    let plain = |text: &str| {
        let lines = text.lines().map(|line| line.rsplit(": ").next().unwrap_or(line).trim());
        lines.collect::<Vec<_>>().join("\n").to_lowercase().replace('_', "")
    };
    assert_eq!(plain(&texts[0]), plain(&texts[1]));
    let config = fs::read_to_string(folder.path().join("sqlite/app.toml")).expect("it was written");
    assert!(config.contains("database = \"sqlite:../Chinook Music.db\"\n"), "{config}");
    assert!(config.contains("mount = \"/chinook_music\"\n"), "{config}");
}

#[test]
fn difficult_names_and_keys_are_drafted() {
    let folder = Folder::new();
    let file = folder.load("odd.db", &[TEAM, ODD]).display().to_string();
    let database = Server::shared().database("init_odd");
    database.exec(&format!("{TEAM}{ODD}"));
    for (store, database) in [("sqlite", &file), ("postgres", &database.url())] {
        let own = folder.path().join(store);
        is_accepted(database, &own);
        let names = fs::read_dir(own.join("views")).expect("drafts");
        let mut names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        let expected =
            ["node_dv.graphql", "order_details_dv.graphql", "pair_dv.graphql", "team_dv.graphql"];
        assert_eq!(names, expected);
        let team = fs::read_to_string(own.join("views/team_dv.graphql")).unwrap();
        // Two foreign keys lead here, so each list says which one it follows.
        assert!(team.contains("order_details_by_home_team") && team.contains("@link"), "{team}");
    }
}

#[test]
fn a_draft_leaves_xml_out() {
    let folder = Folder::new();
    let database = Server::shared().database("init_xml");
    database.exec(
        "CREATE TABLE letter (id int PRIMARY KEY, name text, body xml, bodies xml[]);
         CREATE TABLE page (id int PRIMARY KEY, letter_id int NOT NULL REFERENCES letter);",
    );
    let own = folder.path().join("letters");
    is_accepted(&database.url(), &own);
    let view = fs::read_to_string(own.join("views/letter_dv.graphql")).expect("a draft");
    assert!(view.contains("name") && !view.contains("bod"), "{view}");
}

/// Tables that refer to `whole` in each way, and one that no list may unlink.
const RULES: &str = "
CREATE TABLE whole (id integer PRIMARY KEY, name varchar(20));
CREATE TABLE part (id integer PRIMARY KEY, whole_id integer NOT NULL REFERENCES whole (id) ON DELETE CASCADE);
CREATE TABLE sale (id integer PRIMARY KEY, whole_id integer NOT NULL REFERENCES whole (id));
CREATE TABLE mention (id integer PRIMARY KEY, whole_id integer REFERENCES whole (id) ON DELETE SET NULL);
CREATE TABLE shelf (id integer PRIMARY KEY, name varchar(20));
CREATE TABLE book (id integer PRIMARY KEY, shelf_id integer REFERENCES shelf (id) ON DELETE RESTRICT);
";

#[test]
fn rows_are_deleted_with_a_document_where_their_foreign_key_cascades() {
    let folder = Folder::new();
    let file = folder.load("rules.db", &[RULES]).display().to_string();
    let database = Server::shared().database("init_rules");
    database.exec(RULES);
    for (store, database) in [("sqlite", &file), ("postgres", &database.url())] {
        let own = folder.path().join(store);
        is_accepted(database, &own);
        let text = |name: &str| fs::read_to_string(own.join("views").join(name)).expect("a draft");
        let whole = text("whole_dv.graphql");
        for line in [
            "\nwhole @insert @update @delete {\n",
            "  part: part @insert @update @delete [ {\n",
            "  sale: sale @insert @update [ {\n",
            "  mention: mention @insert @update [ {\n",
        ] {
            assert!(whole.contains(line), "{line}{whole}");
        }
        // To delete a shelf would unlink its books, which RESTRICT forbids.
        let shelf = text("shelf_dv.graphql");
        assert!(shelf.contains("\nshelf @insert @update {\n"), "{shelf}");
        assert!(shelf.contains("# The document has no @delete: it would unlink rows of book"));
    }
}

#[test]
fn nothing_is_overwritten_and_no_password_written() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file =
        folder.load("a.db", &["CREATE TABLE t (id integer PRIMARY KEY)"]).display().to_string();
    let app = path("app");
    duet_says(&["init", &file, &app]);
    let before = fs::read_to_string(folder.path().join("app/app.toml")).unwrap();
    let (code, out, errors) = duet(&["init", &file, &app]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.contains("exists; it is not changed"), "{errors}");
    assert_eq!(fs::read_to_string(folder.path().join("app/app.toml")).unwrap(), before);
    let (code, _, errors) = duet(&["init", &file, &path("other"), "--schema", "s"]);
    assert!(code == 1 && errors.contains("SQLite has no schemas"), "{errors}");
    assert!(!folder.path().join("other").exists());

    let database = Server::shared().database("init_secret");
    database.exec("CREATE SCHEMA sales; CREATE TABLE sales.t (id integer PRIMARY KEY)");
    let url = format!("{}&password=hunter2hunter2", database.url());
    let (code, _, errors) = duet(&["init", &url, &path("none")]);
    assert!(code == 1 && errors.contains("--schema names another one: sales."), "{errors}");
    let said = duet_says(&["init", &url, &path("secret"), "--schema", "sales"]);
    assert!(said.contains("set DATABASE_URL"), "{said}");
    let text = fs::read_to_string(folder.path().join("secret/app.toml")).unwrap();
    assert!(text.contains("${DATABASE_URL}") && !text.contains("hunter2"), "{text}");
}
