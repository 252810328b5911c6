//! Definitions as MySQL's statements have them (`CREATE JSON DUALITY VIEW` of its reference manual, 9.4 to 26.10): each
//! gives the shape that our own words give.

use duet_duality::{DefinitionFile, skipped};

use crate::{catalogs, errors, shape};

/// Statements of MySQL, each with what it says in the other syntax.
const FORMS: &[(&str, &str)] = &[
    // The header.
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team",
        "team { _id: team_id }",
    ),
    (
        "CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team",
        "team { _id: team_id }",
    ),
    (
        "create json duality view if not exists hr.v as select json_duality_object('_id': team_id) from team;",
        "team { _id: team_id }",
    ),
    (
        "CREATE ALGORITHM=MERGE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team",
        "team { _id: team_id }",
    ),
    (
        "CREATE OR REPLACE ALGORITHM = UNDEFINED DEFINER = `root`@`localhost` SQL SECURITY DEFINER
           JSON DUALITY VIEW `v` AS SELECT JSON_DUALITY_OBJECT('_id': `team_id`) FROM `team`",
        "team { _id: team_id }",
    ),
    (
        "CREATE DEFINER='app'@'%' JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team",
        "team { _id: team_id }",
    ),
    (
        "CREATE SQL SECURITY INVOKER JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team",
        "team { _id: team_id }",
    ),
    // Names.
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': t.team_id, 'name': t.name) FROM main.team AS t",
        "main.team { _id: team_id name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(\"_id\" : team.team_id, \"the name\" : `team`.`name`) FROM team",
        "team { _id: team_id \"the name\": name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS # a comment\n SELECT JSON_DUALITY_OBJECT('_id': team_id /* the key */) -- and one more\n FROM team",
        "team { _id: team_id }",
    ),
    // Tags of tables.
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(INSERT,UPDATE,DELETE) '_id': team_id, 'name': name) FROM team",
        "team @insert @update @delete { _id: team_id name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT( WITH ( UPDATE ) '_id': team_id, 'name': name) FROM team",
        "team @update { _id: team_id name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(INSERT, NO UPDATE, NO DELETE) '_id': team_id, 'name': name) FROM team",
        "team @insert @noupdate @nodelete { _id: team_id name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(NO INSERT) '_id': team_id, 'name': name) FROM team",
        "team @noinsert { _id: team_id name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(UPDATE, CHECK) '_id': team_id, 'name': name) FROM team",
        "team @update @check { _id: team_id name }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(UPDATE, NO CHECK) '_id': team_id, 'name': name) FROM team",
        "team @update @nocheck { _id: team_id name }",
    ),
    // Tags of columns.
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(UPDATE) '_id': team_id, 'name': name WITH NO UPDATE, 'points': points) FROM team",
        "team @update { _id: team_id name @noupdate points }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id, 'name': name WITH UPDATE, 'points': points WITH NO CHECK) FROM team",
        "team { _id: team_id name @update points @nocheck }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id, 'name': name WITH UPDATE, NO CHECK, 'points': points) FROM team",
        "team { _id: team_id name @update @nocheck points }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(NO CHECK) '_id': team_id, 'name': name WITH CHECK) FROM team",
        "team @nocheck { _id: team_id name @check }",
    ),
    // Other tables.
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(INSERT,UPDATE) '_id': team_id, 'drivers': (
           SELECT JSON_ARRAYAGG(JSON_DUALITY_OBJECT(WITH(INSERT,UPDATE) 'driverId': driver_id, 'name': name))
           FROM driver WHERE driver.team_id = team.team_id)) FROM team",
        "team @insert @update { _id: team_id drivers: driver @insert @update [ { driverId: driver_id name } ] }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id, 'drivers': (
           SELECT JSON_ARRAYAGG(JSON_DUALITY_OBJECT('driverId': d.driver_id)) FROM driver AS d WHERE t.team_id = d.team_id)) FROM team AS t",
        "team { _id: team_id drivers: driver [ { driverId: driver_id } ] }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(INSERT,UPDATE,DELETE) '_id': driver_id, 'name': name, 'team': (
           SELECT JSON_DUALITY_OBJECT(WITH(UPDATE) 'teamId': team_id, 'name': name) FROM team WHERE team.team_id = driver.team_id)) FROM driver",
        "driver @insert @update @delete { _id: driver_id name team: team @update { teamId: team_id name } }",
    ),
    (
        "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id, 'drivers': (
           SELECT JSON_ARRAYAGG(JSON_DUALITY_OBJECT(WITH(INSERT, NO DELETE) 'driverId': driver_id, 'races': (
             SELECT JSON_ARRAYAGG(JSON_DUALITY_OBJECT('mapId': m.driver_race_map_id, 'position': m.position WITH UPDATE))
             FROM driver_race_map AS m WHERE m.driver_id = driver.driver_id)))
           FROM driver WHERE driver.team_id = team.team_id)) FROM team",
        "team { _id: team_id drivers: driver @insert @nodelete [ { driverId: driver_id
           races: driver_race_map [ { mapId: driver_race_map_id position @update } ] } ] }",
    ),
    // As in the files of its client.
    (
        "USE season\nDELIMITER $$\nSET NAMES utf8mb4;\nDROP VIEW IF EXISTS v;
         CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team;
         SELECT * FROM v;\nSHOW CREATE VIEW v;",
        "team { _id: team_id }",
    ),
];

#[test]
fn statements_of_mysql_give_the_same_shapes() {
    let catalog = catalogs::car_racing();
    for (mysql, own) in FORMS {
        let expected = shape(&format!("view v as {own}"), &catalog);
        assert_eq!(shape(mysql, &catalog), expected, "{mysql}");
    }
}

/// What says how a statement runs and as whom is not taken, and is named.
#[test]
fn options_of_the_statement_are_named() {
    let text = "CREATE OR REPLACE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER JSON DUALITY VIEW v AS
        SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team;
        CREATE SQL SECURITY DEFINER VIEW plain AS SELECT 1;";
    let source = DefinitionFile::new("v.sql", text);
    let found: Vec<_> = skipped(&source)
        .into_iter()
        .map(|one| (one.kind, source.text[one.span.start..one.span.end].to_owned()))
        .collect();
    let options = "ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER";
    assert_eq!(found[0], ("ALGORITHM, DEFINER, SQL SECURITY".to_owned(), options.to_owned()));
    assert_eq!((found.len(), &*found[1].0), (2, "CREATE SQL"));
}

#[test]
fn what_is_no_form_of_mysql_is_refused() {
    let catalog = catalogs::car_racing();
    for (text, part) in [
        (
            "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id, 'n': UPPER(name)) FROM team",
            "a computed member needs GENERATED USING",
        ),
        (
            "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(INSERT, SOMETIMES) '_id': team_id) FROM team",
            "there is no tag SOMETIMES",
        ),
        (
            "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH(UPDATE) '_id': team_id WITH UPDATE) FROM team",
            "identifying columns are always read-only",
        ),
        (
            "CREATE JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT(WITH() '_id': team_id) FROM team",
            "expected a tag",
        ),
        (
            "ALTER JSON DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': team_id) FROM team",
            "a view that exists is not altered here",
        ),
    ] {
        let said = errors(text, &catalog);
        assert!(said.contains(part), "{text}: {said}");
    }
}

/// A view whose rule is skipped would be served without it.
#[test]
fn directives_of_views_are_refused_by_name() {
    let catalog = catalogs::car_racing();
    let view = "CREATE JSON DUALITY VIEW v AS team { _id: team_id };\n";
    for (directive, parts) in [
        (
            "CREATE DIRECTIVE heavy FOR hr.v VALIDATE ON INSERT UPDATE ON COMMIT USING (json_value(new.data, '$.points') > 0);",
            [
                "the directive heavy of the view v is not taken",
                "ON COMMIT: rules are checked with each document",
            ],
        ),
        (
            "CREATE OR REPLACE DIRECTIVE hr.heavy FOR v VALIDATE ON INSERT AFTER OBJECT USING BEGIN RETURN true; END;\n/",
            ["the directive heavy of the view v is not taken", "a CHECK or a trigger"],
        ),
        (
            "CREATE DIRECTIVE told FOR v NOTIFY ON SELECT USING NOTIFICATION TABLE t NOTIFICATION VIEW n;",
            ["the directive told of the view v is not taken", "reading a document is no event"],
        ),
    ] {
        let said = errors(&format!("{view}{directive}"), &catalog);
        for part in parts {
            assert!(said.contains(part), "{directive}: {said}");
        }
        assert_eq!(said.matches("error").count(), 1, "{said}");
    }
}

/// Where Oracle keeps events is skipped by name; all else of `NOTIFY` gives the same as `@notify`.
#[test]
fn events_are_taken_without_their_places() {
    let catalog = catalogs::car_racing();
    let view = "CREATE JSON DUALITY VIEW v AS team @insert { _id: team_id };\n";
    let own = |notify: &str| {
        shape(&format!("view v as team @insert {notify} {{ _id: team_id }}"), &catalog)
    };
    for (places, on, same) in [
        ("USING NOTIFICATION TABLE t NOTIFICATION VIEW n", "", "@notify(name: \"told\")"),
        (
            "using notification table hr.t notification view \"My events\"",
            "ON DELETE, INSERT",
            "@notify(name: \"told\", on: \"insert delete\")",
        ),
        (
            "USING NOTIFICATION TABLE \"a b\".\"c d\"",
            "ON INSERT OR UPDATE OR DELETE ENABLE",
            "@notify(name: \"told\" on: \"INSERT, UPDATE, DELETE\")",
        ),
        ("", "ENABLE", "@notify(name: \"told\")"),
    ] {
        let text = format!("{view}CREATE OR REPLACE DIRECTIVE told FOR v NOTIFY {on} {places};");
        assert_eq!(shape(&text, &catalog), own(same), "{text}");
        let source = DefinitionFile::new("v.sql", &*text);
        let found: Vec<_> = skipped(&source)
            .into_iter()
            .map(|one| source.text[one.span.start..one.span.end].to_owned())
            .collect();
        assert_eq!(found.join("|"), places);
        assert_eq!(duet_duality::notified(&source), ["v"]);
    }
    let plain = DefinitionFile::new("v.sql", view);
    assert!(duet_duality::notified(&plain).is_empty());
}

/// The manual has the operators and functions of expressions, and a case tries each on both stores.
#[test]
fn the_manual_lists_operators_and_functions() {
    let page = include_str!("../../../../docs/duality-views.md");
    let tried =
        include_str!("../../../../golden/views/expressions/edges_dv.graphql").to_lowercase();
    let rows = duet_duality::expression_table();
    assert!(rows.len() > 20, "{rows:?}");
    for (form, meaning) in rows {
        let row = format!("| `{form}` | {meaning} |");
        assert!(page.contains(&row), "docs/duality-views.md lacks: {row}");
        let (name, parts) = form.split_once('(').unwrap_or(("", &form));
        let tokens = if name.is_empty() { parts.split(' ').collect() } else { vec![name] };
        for token in tokens {
            assert!(
                tried.contains(&token.to_lowercase()),
                "golden/views/expressions does not try {token}"
            );
        }
    }
}

/// The manual has what is taken of directives, line by line.
#[test]
fn the_manual_lists_what_is_taken_of_directives() {
    let page = include_str!("../../../../docs/duality-views.md");
    let rows = duet_duality::directive_table();
    let lacks =
        |(form, taken): &&(String, String)| !page.contains(&format!("| `{form}` | {taken} |"));
    let missing: Vec<_> = rows.iter().filter(lacks).collect();
    assert!(missing.is_empty() && rows.len() > 20, "{missing:#?}");
}
