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
        MemberKind::Generated { expr, ty, hidden: false, .. } => {
            (Expr::clone(expr), ty.clone(), shape.root().aggregates.clone())
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
    (
        TEAM,
        "$.drivers[0].name",
        "(SELECT d.name OF_TEAM AND positions('0', true, d.team_id))",
        "VARCHAR",
    ),
    (
        TEAM,
        "$.drivers[ 2 to last - 1, 0 ]?(@.points > 10).points.sum()",
        "SELECT sum(d.points) OF_TEAM AND positions('2 to last-1,0', true, d.team_id) \
         AND d.points > 10",
        "INTEGER",
    ),
    (
        TEAM,
        "$.drivers[last].results[0,1].count()",
        "SELECT count(*) OF_RESULTS AND positions('last', true, d.team_id) \
         AND positions('0,1', true, m.driver_id)",
        "INTEGER",
    ),
    (
        TEAM,
        "$.drivers[last].results[1].position",
        "(SELECT m.position OF_RESULTS AND positions('last', true, d.team_id) \
         AND positions('1', true, m.driver_id))",
        "INTEGER",
    ),
    (DRIVER, "$.own[0].title[last]", "(SELECT t.name OF_DRIVER)", "VARCHAR"),
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
    let element = view("podium  x @generated(path: \"$.podium.a[0][last-1].b.number()\")");
    let by_query = view(
        "podium  x @generated(sql: \"json_value(podium, '$.a[0][last - 1].b' returning number)\")",
    );
    assert_eq!(element, by_query);
    let flex = view("podium @flex  x @generated(path: \"$.a[0][last-1].b.number()\")");
    assert_eq!(flex.0, element.0);
    let size = view("podium  x @generated(path: \"$.podium.a.size()\")");
    assert_eq!(
        (size.1.name(), view("podium @flex  x @generated(path: \"$.a.size()\")").0),
        ("NUMBER", size.0)
    );
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

#[test]
fn texts_of_other_rows_are_listed() {
    let catalog = catalogs::car_racing();
    let view = |sql: &str| {
        let text = format!("view v as team {{ _id: team_id  x @generated(sql: \"{sql}\") }}");
        generated(&text, &catalog)
    };
    let (expr, ty, aggregates) = view(
        "SELECT listagg(d.name || ':' || d.points, ', ') WITHIN GROUP (ORDER BY d.points DESC, d.name)
         FROM driver d WHERE d.team_id = team.team_id",
    );
    assert!(matches!(expr, Expr::Aggregate(..)) && ty == Type::Text);
    let list = aggregates[0].list.as_ref().unwrap();
    let directions: Vec<_> = list.terms.iter().map(|term| term.descending).collect();
    assert_eq!((&*list.separator, &directions[..]), (", ", &[true, false][..]));
    let (_, _, numbers) = view(
        "upper((SELECT LISTAGG(points) WITHIN GROUP (ORDER BY name ASC)
         FROM driver WHERE team_id = team.team_id))",
    );
    assert_eq!(numbers[0].list.as_ref().unwrap().separator, "");
    assert_eq!(numbers[0].ty, Type::Text);
}

#[test]
fn regular_expressions_are_those_of_filters() {
    let catalog = catalogs::car_racing();
    let view = |condition: &str| {
        let text = format!(
            "view v as team {{ _id: team_id  name  x @generated(sql: \"CASE WHEN {condition} THEN 1 END\") }}"
        );
        generated(&text, &catalog)
    };
    let both = view("regexp_like(name, '^[MF].*(s|i)$', 'c') AND NOT REGEXP_LIKE(name, 'it''s')");
    assert_eq!(
        both,
        view("regexp_like(name, '^[MF].*(?:s|i)$') AND NOT regexp_like(name, 'it''s', 'nc')")
    );
    assert_eq!(both.1, Type::Integer { bits: 32 });
}

#[test]
fn an_array_may_name_the_order_that_it_has() {
    let catalog = catalogs::car_racing();
    let view = |order: &str| {
        shape(
            &format!(
                "CREATE JSON DUALITY VIEW v AS SELECT JSON {{'_id' : t.team_id,
                 'd' : (SELECT JSON_ARRAYAGG(JSON {{'id' : d.driver_id}} {order} RETURNING JSON)
                        FROM driver d WHERE d.team_id = t.team_id)}} FROM team t"
            ),
            &catalog,
        )
    };
    assert_eq!(view("ORDER BY d.driver_id"), view(""));
    assert_eq!(view("ORDER BY driver_id ASC NULL ON NULL"), view("NULL ON NULL"));
}
