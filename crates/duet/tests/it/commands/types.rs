//! `duet types`, of both stores, and what a compiler of TypeScript says of them.

use duet_testkit::postgres::Server;
use duet_testkit::sqlite;

use crate::{duet, duet_says};

const TABLE: &str =
    "CREATE TABLE team (team_id integer PRIMARY KEY, name varchar(99) NOT NULL, points integer)";

/// The types of the table, whose forms the stores share.
fn are_those_of_the_table(types: &str, path: &str) {
    for part in [
        "export interface TeamItem {\n  team_id: number;\n  name: string;\n  points: number | null;\n",
        "export interface TeamNew {\n",
        "  points?: number | null;\n",
        "export interface TeamPage {\n  items: Array<TeamItem>;\n",
        &format!(
            "  \"{path}\": {{ item: TeamItem; page: TeamPage; insert: TeamNew; replace: TeamWhole; merge: TeamPatch }};\n"
        ),
    ] {
        assert!(types.contains(part), "{part} in {types}");
    }
    // Each name that is used is declared, once.
    let declared = |name: &str| {
        types.matches(&format!("export interface {name} ")).count()
            + types.matches(&format!("export type {name} ")).count()
    };
    for name in ["TeamItem", "TeamNew", "TeamWhole", "TeamPatch", "TeamPage", "TeamFilter", "Link"]
    {
        assert_eq!(declared(name), 1, "{name} in {types}");
    }
}

#[test]
fn both_stores_have_the_same_types() {
    let folder = sqlite::Folder::new();
    let file = folder.load("a.db", &[TABLE]).display().to_string();
    let of_sqlite = duet_says(&["types", &file]);
    are_those_of_the_table(&of_sqlite, "/api/main/team/");
    let database = Server::shared().database("types");
    database.exec(TABLE);
    let of_postgres = duet_says(&["types", &database.url(), "--mount", "/api/public/"]);
    are_those_of_the_table(&of_postgres, "/api/public/team/");
    let out = folder.path().join("types.ts").display().to_string();
    assert_eq!(duet_says(&["types", &file, "--out", &out]), "");
    assert_eq!(std::fs::read_to_string(&out).expect("a file"), of_sqlite);
    let (code, _, errors) = duet(&["types", &file, "--mount", "/api/nowhere"]);
    assert!(code == 1 && errors.contains("there is /api/main"), "{errors}");
    let (code, _, errors) = duet(&["types", &file, "--token", "wrong"]);
    assert!(code == 1 && errors.contains("not valid"), "{errors}");
}
