//! The car-racing views: both syntaxes and both editions give the same shapes.

use duet_model::{Cardinality, MemberKind, Operations, Shape};

use crate::{catalogs, member, shape};

const TEAM_SQL: &str = include_str!("../../../../apps/car-racing/views/team_dv.sql");
const DRIVER_SQL: &str = include_str!("../../../../apps/car-racing/views/driver_dv.sql");
const RACE_SQL: &str = include_str!("../../../../apps/car-racing/views/race_dv.sql");
const TEAM_GQL: &str = include_str!("../../../../apps/car-racing/views-team-id/team_dv.graphql");
const DRIVER_GQL: &str =
    include_str!("../../../../apps/car-racing/views-team-id/driver_dv.graphql");
const RACE_GQL: &str = include_str!("../../../../apps/car-racing/views-team-id/race_dv.graphql");

/// The shape with the root's key member called `_id`.
fn with_id(mut shape: Shape, key: &str) -> Shape {
    let found = shape.nodes[0].members.iter_mut().find(|member| member.name == key);
    found.expect("the key").name = "_id".to_owned();
    shape
}

#[test]
fn both_syntaxes_and_editions_agree() {
    let catalog = catalogs::car_racing();
    for (sql, graphql, key) in [
        (TEAM_SQL, TEAM_GQL, "teamId"),
        (DRIVER_SQL, DRIVER_GQL, "driverId"),
        (RACE_SQL, RACE_GQL, "raceId"),
    ] {
        assert_eq!(shape(sql, &catalog), with_id(shape(graphql, &catalog), key));
        // The editions in reverse order.
        let (id, named) = (format!("'{key}'"), format!("{key} :"));
        let sql = sql.replacen("'_id'", &id, 1);
        let graphql = graphql.replacen(&named, "_id :", 1);
        assert_eq!(shape(&graphql, &catalog), with_id(shape(&sql, &catalog), key));
    }
}

const ALL: Operations = Operations { insert: true, update: true, delete: true };

#[test]
fn team() {
    let shape = shape(TEAM_SQL, &catalogs::car_racing());
    assert_eq!((&*shape.name, &shape.key[..], shape.metadata), ("team_dv", &[0][..], true));
    let [team, driver] = &shape.nodes[..] else { panic!("two nodes") };
    assert_eq!(team.operations, ALL);
    assert_eq!(driver.operations, Operations { delete: false, ..ALL });
    assert_eq!(*member(team, "driver"), MemberKind::Array(1));
    let link = driver.link.as_ref().unwrap();
    assert_eq!((&link.parent_columns[..], &link.child_columns[..]), (&[0][..], &[3][..]));
    assert_eq!(link.cardinality, Cardinality::Many);
    let MemberKind::Column(id) = member(team, "_id") else { panic!("a column") };
    assert!(!id.update && id.check);
    let MemberKind::Column(points) = member(driver, "points") else { panic!("a column") };
    assert!(points.update && !points.check && !points.ignored);
}

#[test]
fn driver() {
    let shape = shape(DRIVER_SQL, &catalogs::car_racing());
    let [driver, team, map, race] = &shape.nodes[..] else { panic!("four nodes") };
    assert_eq!(driver.operations, ALL);
    assert_eq!(team.operations, Operations::default());
    assert_eq!(map.operations, Operations { delete: false, ..ALL });
    assert_eq!(race.operations, Operations::default());
    assert!(driver.members.iter().any(|member| member.kind == MemberKind::Unnest(1)));
    assert!(map.members.iter().any(|member| member.kind == MemberKind::Unnest(3)));
    let MemberKind::Column(name) = member(team, "team") else { panic!("a column") };
    // Forbidden by the table, so a changed value is an error and not ignored.
    assert!(!name.update && !name.check && !name.ignored);
    let paths: Vec<_> = shape.fields().into_iter().map(|field| field.path).collect();
    let expected = [
        "_id",
        "name",
        "points",
        "teamId",
        "team",
        "race.driverRaceMapId",
        "race.raceId",
        "race.name",
        "race.finalPosition",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn race() {
    let shape = shape(RACE_SQL, &catalogs::car_racing());
    let [race, map, driver] = &shape.nodes[..] else { panic!("three nodes") };
    assert_eq!(map.operations, ALL);
    assert_eq!(driver.operations, Operations { update: true, ..Operations::default() });
    let column = |name| match member(race, name) {
        MemberKind::Column(column) => (column.update, column.check),
        _ => panic!("a column"),
    };
    assert_eq!(column("laps"), (false, true));
    assert_eq!(column("date"), (true, true));
    assert_eq!(column("podium"), (true, false));
}
