//! Generated members over other rows: by a path and by a query, which give the same.

use duet_duality::print;
use duet_model::{Aggregate, Catalog, Expr, MemberKind, Type};

use crate::{catalogs, member, shape};

/// The value and type of the member `x` of a view, and what it reads of other rows.
fn generated(text: &str, catalog: &Catalog) -> (Expr, Type, Vec<Aggregate>) {
    let shape = shape(text, catalog);
    let printed = print(&shape);
    assert_eq!(crate::shape(&printed, catalog), shape, "{printed}");
    match member(shape.root(), "x") {
        MemberKind::Generated { expr, ty, hidden: false } => {
            (expr.clone(), ty.clone(), shape.root().aggregates.clone())
        }
        other => panic!("{other:?}"),
    }
}

const TEAM: &str = "_id: team_id  name  all: { points } @nest
    drivers: driver [ { driver_id  points  name  twice @generated(sql: \"points * 2\")
                        results: driver_race_map [ { driver_race_map_id  position } ] } ]";

const DRIVER: &str = "_id: driver_id  points  own: team { team_id  title: name  points }";

/// Members, a path, a query of the same value, and its type.
const SAME: &[(&str, &str, &str, &str)] = &[
    (TEAM, "$.drivers.points.sum()", "SELECT sum(d.points) OF_TEAM", "INTEGER"),
    (TEAM, "$.drivers[*].points.avg()", "(SELECT AVG(d.points) OF_TEAM)", "NUMBER"),
    (TEAM, "$.drivers.count()", "SELECT COUNT(*) OF_TEAM", "INTEGER"),
    (TEAM, "$.drivers.size()", "SELECT count(*) OF_TEAM", "INTEGER"),
    (TEAM, "$.drivers.name.count()", "SELECT count(ALL name) OF_TEAM", "INTEGER"),
    (TEAM, "$.drivers.twice.maxNumber()", "SELECT max(d.points * 2) OF_TEAM", "INTEGER"),
    (TEAM, "$.drivers.name.upper().min()", "SELECT min(upper(d.name)) OF_TEAM", "VARCHAR"),
    (TEAM, "$.drivers.name.min().upper()", "upper((SELECT min(d.name) OF_TEAM))", "VARCHAR"),
    (
        TEAM,
        "$.drivers.points.sum() - $.all.points * 2",
        "(SELECT sum(d.points) OF_TEAM) - points * 2",
        "INTEGER",
    ),
    (TEAM, "-($.all.points + 1.5) / 3", "-(points + 1.5) / 3", "NUMBER"),
    (TEAM, "$.drivers.results.position.avg()", "SELECT avg(m.position) OF_RESULTS", "NUMBER"),
    (TEAM, "$.name.length()", "length(name)", "INTEGER"),
    (
        TEAM,
        "$.drivers?(@.points > 10).points.sum()",
        "SELECT sum(d.points) OF_TEAM AND d.points > 10",
        "INTEGER",
    ),
    (
        TEAM,
        "$.drivers[*]?(!(@.name == \\\"x\\\") && @.twice + 1 >= @.points).count()",
        "SELECT count(*) OF_TEAM AND NOT d.name = 'x' AND d.points * 2 + 1 >= d.points",
        "INTEGER",
    ),
    (
        TEAM,
        "$.drivers?(@.name != null || 5 < @.points).results?(exists(@.position)).position.max()",
        "SELECT max(m.position) OF_RESULTS AND (d.name IS NOT NULL OR 5 < d.points) \
         AND m.position IS NOT NULL",
        "INTEGER",
    ),
    (TEAM, "$.name.type()", "CASE WHEN name IS NULL THEN 'null' ELSE 'string' END", "VARCHAR"),
    (
        TEAM,
        "$.drivers.points.sum().type()",
        "CASE WHEN (SELECT sum(d.points) OF_TEAM) IS NULL THEN 'null' ELSE 'number' END",
        "VARCHAR",
    ),
    (TEAM, "$.all.points.string()", "points || ''", "VARCHAR"),
    (TEAM, "lax $.all.points.number().abs().floor()", "abs(points)", "INTEGER"),
    (DRIVER, "$.own.title", "(SELECT t.name OF_DRIVER)", "VARCHAR"),
    (DRIVER, "$.own.points + $.points", "(SELECT points OF_DRIVER) + points", "INTEGER"),
];

#[test]
fn paths_and_queries_give_the_same() {
    let catalog = catalogs::car_racing();
    for (members, path, query, ty) in SAME {
        let sql = query
            .replace("OF_TEAM", "FROM driver d WHERE d.team_id = team.team_id")
            .replace("OF_DRIVER", "FROM team t WHERE t.team_id = driver.team_id")
            .replace(
                "OF_RESULTS",
                "FROM driver d JOIN driver_race_map m ON m.driver_id = d.driver_id \
                 WHERE d.team_id = team.team_id",
            );
        let table = if *members == TEAM { "team" } else { "driver" };
        let by_path = format!("view v as {table} {{ {members} x @generated(path: \"{path}\") }}");
        let by_query = format!("view v as {table} {{ {members} x @generated(sql: \"{sql}\") }}");
        let (by_path, by_query) = (generated(&by_path, &catalog), generated(&by_query, &catalog));
        assert_eq!(by_path, by_query, "{path}");
        assert_eq!(by_path.1.name(), *ty, "{path}");
    }
}

#[test]
fn values_inside_json() {
    let catalog = catalogs::car_racing();
    let view = |members: &str| {
        generated(&format!("view v as race {{ _id: race_id  {members} }}"), &catalog)
    };
    let by_path = view("podium  x @generated(path: \"$.podium.winner.time.string()\")");
    assert_eq!(by_path, view("podium  x @generated(sql: \"json_value(podium, '$.winner.time')\")"));
    let number =
        view("podium  x @generated(sql: \"json_value(podium, '$.a.b' returning number) + 1\")");
    assert_eq!(number, view("podium  x @generated(path: \"$.podium.a.b.number() + 1\")"));
    assert_eq!(number.1, Type::Decimal { scale: None });
    // What no member names is in the flex column.
    let flex = view("podium @flex  x @generated(path: \"$.winner.time\")");
    assert_eq!(flex.0, by_path.0);
}

#[test]
fn queries_in_sql_style_and_in_any_order() {
    let catalog = catalogs::car_racing();
    let sql = "CREATE JSON DUALITY VIEW v AS
      SELECT JSON {'_id' : t.team_id,
                   'x' : GENERATED USING (SELECT NVL(SUM(m.position), 0) FROM driver_race_map m
                           INNER JOIN driver d ON d.driver_id = m.driver_id AND d.points > m.position
                           WHERE m.position < 9 AND d.team_id = t.team_id)} FROM team t";
    let graphql =
        "view v as team { _id: team_id  x @generated(sql: \"coalesce((SELECT sum(m.position)
        FROM driver d JOIN driver_race_map m ON d.driver_id = m.driver_id
        WHERE d.team_id = team.team_id AND d.points > m.position AND m.position < 9), 0)\") }";
    assert_eq!(generated(sql, &catalog), generated(graphql, &catalog));
    // A filter of the rows is one of what is added up.
    let filtered = "view v as team { _id: team_id  x @generated(path: \"$.d.points.sum()\")
        d: driver @where(sql: \"points > 5\") [ { driver_id points } ] }";
    let query = "view v as team { _id: team_id  x @generated(sql: \"SELECT sum(points) FROM driver
        WHERE points > 5 AND team_id = team.team_id\") }";
    assert_eq!(generated(filtered, &catalog), generated(query, &catalog));
}

#[test]
fn tables_beside_the_document_are_known() {
    let catalog = catalogs::car_racing();
    let beside = |text: &str| -> Vec<String> {
        let shape = shape(text, &catalog);
        assert!(shape.has_aggregates());
        shape.tables_beside().into_iter().map(|table| table.name.clone()).collect()
    };
    let of_document =
        format!("view v as team {{ {TEAM} x @generated(path: \"$.drivers.results.count()\") }}");
    assert_eq!(beside(&of_document), [""; 0]);
    let query = "view v as team { _id: team_id  driver [ { driver_id } ]
        x @generated(sql: \"SELECT count(*) FROM driver d JOIN driver_race_map m ON m.driver_id = d.driver_id
                            WHERE d.team_id = team.team_id\") }";
    assert_eq!(beside(query), ["driver", "driver_race_map"]);
    let plain =
        shape("view v as team { _id: team_id  x @generated(sql: \"points + 1\") }", &catalog);
    assert!(!plain.has_aggregates() && plain.tables_beside().is_empty());
}
