//! What the language can say beyond the samples, and what shape it gives.

use duet_duality::{DefinitionFile, Options, compile};
use duet_model::{
    Arithmetic, Cardinality, ColumnMember, Compare, Expr, FieldRef, MemberKind, Node, Operations,
    Type, Value,
};

use crate::catalogs::{self, INTEGER};
use crate::{errors, member, shape};

fn column(node: &Node, name: &str) -> ColumnMember {
    match member(node, name) {
        MemberKind::Column(column) => *column,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn headers() {
    let catalog = catalogs::car_racing();
    for header in [
        "CREATE JSON DUALITY VIEW",
        "create or replace json relational duality view",
        "CREATE OR REPLACE NO FORCE EDITIONABLE JSON DUALITY VIEW IF NOT EXISTS",
        "CREATE FORCE JSON DUALITY VIEW",
        "VIEW",
    ] {
        for body in [
            "AS team { _id: team_id }",
            "AS ( team { _id : team_id, } ) ;",
            "as select json {'_id' : team.team_id} from team;\n/\n",
            "AS SELECT {'_id' IS t.team_id} FROM team AS t;;",
            "= TEAM { _id: TEAM_ID }",
        ] {
            let shape = shape(&format!("{header} hr.Team_Dv {body}"), &catalog);
            assert_eq!((&*shape.name, shape.key.len()), ("team_dv", 1));
        }
    }
    assert_eq!(shape("view \"Team\" as team { _id: team_id }", &catalog).name, "Team");
}

#[test]
fn forced_views_may_lack_their_tables() {
    let catalog = catalogs::car_racing();
    let options = Options::default();
    let text = "create force json duality view a as nosuch { _id: id };
        create json duality view b as team { _id: team_id };";
    let source = DefinitionFile::new("all.sql", text);
    let views = compile(&source, &catalog, &options).unwrap();
    assert_eq!(views.iter().map(|view| &*view.name).collect::<Vec<_>>(), ["b"]);
    let forced = duet_duality::forced(&source, &catalog, &options);
    let [(name, first)] = &*forced else { panic!("{forced:?}") };
    assert!(name == "a" && first.message.starts_with("there is no table nosuch"), "{first:?}");
    // Other mistakes are mistakes of a forced view as well, and a missing table is one without the word.
    let message = errors("create force json duality view a as team { _id: nosuch }", &catalog);
    assert!(message.contains("nosuch"), "{message}");
    errors(&text.replace("force ", ""), &catalog);
}

#[test]
fn several_views_in_one_file() {
    let text = "
        create json duality view a as team { _id: team_id }
        create json duality view b as driver { _id: driver_id };
        view c = race { _id: race_id }";
    let source = DefinitionFile::new("all.sql", text);
    let views = compile(&source, &catalogs::car_racing(), &Options::default()).unwrap();
    let names: Vec<_> = views.iter().map(|view| &*view.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(source.position(views[1].span.start), (3, 34));
}

#[test]
fn annotations_and_their_inheritance() {
    let text = "view v as driver @insert@UPDATE@nodelete@nocheck {
        _id: driver_id
        name @check@noupdate
        points @nocheck @noupdate
        team_id @hidden
    }";
    let shape = shape(text, &catalogs::car_racing());
    let driver = shape.root();
    assert_eq!(driver.operations, Operations { insert: true, update: true, delete: false });
    let plain = ColumnMember::read_only(0);
    // Identifying columns stay in the etag and read-only, regardless of the table's annotations.
    assert_eq!(column(driver, "_id"), plain);
    assert_eq!(column(driver, "name"), ColumnMember { column: 1, ..plain });
    let ignored = ColumnMember { column: 2, check: false, ignored: true, ..plain };
    assert_eq!(column(driver, "points"), ignored);
    let hidden = ColumnMember { column: 3, update: true, check: false, hidden: true, ..plain };
    assert_eq!(column(driver, "team_id"), hidden);

    let text = "view v as driver @update { _id: driver_id @nocheck  name  points @noupdate }";
    let shape = crate::shape(text, &catalogs::car_racing());
    assert!(!column(shape.root(), "_id").check);
    assert!(column(shape.root(), "name").update);
    assert!(!column(shape.root(), "points").update && column(shape.root(), "points").check);
    // A column may be updatable in a read-only table.
    let text = "view v as driver { _id: driver_id  name @update }";
    assert!(column(crate::shape(text, &catalogs::car_racing()).root(), "name").update);
    // What the database computes is never updatable.
    let text = "view v as thing @update { _id: id  doubled }";
    assert!(!column(crate::shape(text, &catalogs::oddities()).root(), "doubled").update);
}

#[test]
fn composite_keys_and_links() {
    let text = "view v as heat @insert {
        _id: { race_id date }
        laps
        lap @insert [ { lap_id ms } ]
    }";
    let catalog = catalogs::oddities();
    let shape = shape(text, &catalog);
    assert_eq!(shape.key, [0, 1]);
    assert!(
        matches!(member(shape.root(), "_id"), MemberKind::Group(members) if members.len() == 2)
    );
    // In the order of the foreign key, as the WHERE of the SQL style gives it in any order.
    let sql = "view v as select json {
        '_id' : JSON { 'race_id' : h.race_id, 'date' : h.date }, 'laps' : h.laps,
        'lap' : [ select json {'lap_id' : lap.lap_id, 'ms' : lap.ms} from lap with insert
                    where h.race_id = lap.race and lap.day = h.date ] }
        from heat h with (insert)";
    assert_eq!(shape, crate::shape(sql, &catalog));
    let link = shape.nodes[1].link.as_ref().unwrap();
    assert_eq!((&link.parent_columns[..], &link.child_columns[..]), (&[1, 0][..], &[2, 1][..]));
    assert_eq!(link.cardinality, Cardinality::Many);
}

#[test]
fn one_to_one() {
    let catalog = catalogs::oddities();
    let array = shape("view v as person { _id: id  passport { person_id } }", &catalog);
    assert_eq!(*member(array.root(), "passport"), MemberKind::Array(1));
    let object = shape("view v as person { _id: id  passport @object { person_id } }", &catalog);
    assert_eq!(*member(object.root(), "passport"), MemberKind::Object(1));
    let unnested = shape("view v as person { _id: id  passport @unnest { number } }", &catalog);
    assert_eq!(unnested.root().members[1].kind, MemberKind::Unnest(1));
    let sql = "view v as select json {'_id' : p.id,
        'passport' : (select json {'person_id' : s.person_id} from passport s
                        where s.person_id = p.id)} from person p";
    assert_eq!(object, shape(sql, &catalog));
    // In the other direction it is to-one by default, and brackets force an array.
    let up = shape("view v as passport { _id: person_id  person [ { id } ] }", &catalog);
    assert_eq!(*member(up.root(), "person"), MemberKind::Array(1));
    assert_eq!(up.nodes[1].link.as_ref().unwrap().cardinality, Cardinality::Many);
    let up = shape("view v as passport { _id: person_id  person { id } }", &catalog);
    assert_eq!(*member(up.root(), "person"), MemberKind::Object(1));
}

#[test]
fn links_of_the_definition_alone() {
    let catalog = catalogs::oddities();
    for link in ["from: [id] to: [person]", "to: [\"PERSON\"]", "to: person"] {
        let text = format!("view v as person {{ _id: id  note @link({link}) {{ note_id }} }}");
        let shape = shape(&text, &catalog);
        assert_eq!(*member(shape.root(), "note"), MemberKind::Array(1));
    }
    for link in ["from: [person], to: [id]", "from: [person]"] {
        let text = format!("view v as note {{ _id: note_id  person @link({link}) {{ id }} }}");
        let shape = shape(&text, &catalog);
        assert_eq!(*member(shape.root(), "person"), MemberKind::Object(1));
    }
    let text = "view v as transfer { _id: id
        source: person @link(from: [\"SRC\"]) { id }
        target: person @link(from: [dst]) { id } }";
    let shape = shape(text, &catalog);
    let columns = |node: usize| shape.nodes[node].link.as_ref().unwrap().parent_columns.clone();
    assert_eq!((columns(1), columns(2)), (vec![1], vec![2]));
}

#[test]
fn row_filters() {
    let catalog = catalogs::car_racing();
    let greater = |column, value| {
        let value = Expr::Literal(Value::Int(value));
        Expr::compare(Compare::Gt, FieldRef::row(column), value)
    };
    let where_ =
        shape("view v as team @where(sql: \"team.points > 5\") { _id: team_id }", &catalog);
    assert_eq!(where_.root().filter, Some(greater(2, 5)));
    assert!(!where_.root().check_option);
    let qbe = shape("view v as team(check: {points: {_gt: 5}}) { _id: team_id }", &catalog);
    assert_eq!(qbe.root().filter, Some(greater(2, 5)));
    assert!(qbe.root().check_option);
    let sql = "view v as select json {'_id' : t.team_id} from team t with nodelete
        where t.points > 5 with check option";
    assert_eq!(qbe, shape(sql, &catalog));
    // In a subquery the join is taken out of the condition.
    let sql = "view v as select json {'_id' : t.team_id,
        'd' : [select json {'id' : d.driver_id} from driver d
                 where d.points > 5 and d.team_id = t.team_id and d.points > 7 with check option]}
        from team t";
    let graphql = "view v as team { _id: team_id
        d: driver @where(sql: \"points > 5 AND points > 7\", check: true) [ { id: driver_id } ] }";
    assert_eq!(shape(sql, &catalog), shape(graphql, &catalog));
    let and = greater(2, 5).and(greater(2, 7));
    assert_eq!(shape(sql, &catalog).nodes[1].filter, Some(and));
}

#[test]
fn filters_by_example() {
    let catalog = catalogs::car_racing();
    for (example, condition) in [
        ("name: \"Ferrari\", points: 5", "name = 'Ferrari' AND points = 5"),
        ("name: null", "name IS NULL"),
        (
            "check: {\"$or\": [{name: \"a\"}, {points: {$lt: 3, _gte: -1}}]}",
            "name = 'a' OR points < 3 AND points >= -1",
        ),
        (
            "check: {_not: {points: {_in: [1, 2]}}, name: {_like: \"M%\"}}",
            "NOT points IN (1, 2) AND name LIKE 'M%'",
        ),
        (
            "check: {points: {_between: [1, 2]}, name: {_null: false}}",
            "points BETWEEN 1 AND 2 AND name IS NOT NULL",
        ),
        ("check: {points: {_nin: [1]}, name: {_ne: \"x\"}}", "points NOT IN (1) AND name <> 'x'"),
    ] {
        let a = shape(&format!("view v as team({example}) {{ _id: team_id }}"), &catalog);
        let b =
            format!("view v as team @where(sql: \"{condition}\", check: true) {{ _id: team_id }}");
        assert_eq!(a, shape(&b, &catalog), "{example}");
    }
}

#[test]
fn literals_take_the_type_of_their_context() {
    let catalog = catalogs::oddities();
    let filter = |condition: &str| {
        let text = format!("view v as thing @where(sql: \"{condition}\") {{ _id: id }}");
        shape(&text, &catalog).root().filter.clone().unwrap()
    };
    let literal = |expr: Expr| match expr {
        Expr::Compare(_, _, right) => match *right {
            Expr::Literal(value) => value,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let uuid = "6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB";
    assert_eq!(literal(filter(&format!("id = '{uuid}'"))), Value::Text(uuid.to_lowercase()));
    assert_eq!(literal(filter("active = 1")), Value::Bool(true));
    let midnight = Value::Text("2022-03-20T00:00:00".to_owned());
    assert_eq!(literal(filter("made > DATE '2022-03-20'")), midnight);
    assert_eq!(literal(filter("price < 1.5")), Value::Float(1.5));
    assert_eq!(literal(filter("\\\"Odd Name\\\" = 'it''s'")), Value::Text("it's".to_owned()));
    assert_eq!(filter("active"), Expr::from(FieldRef::row(11)));
    assert_eq!(literal(filter("state = 'new'")), Value::Text("new".to_owned()));
}

#[test]
fn generated_members_and_their_types() {
    let catalog = catalogs::oddities();
    let decimal = Type::Decimal { scale: None };
    for (sql, ty) in [
        ("price", catalogs::MONEY),
        ("price * 2", decimal.clone()),
        ("\\\"order\\\" + 1", Type::Integer { bits: 64 }),
        ("\\\"order\\\" / 2", decimal.clone()),
        ("weight * price", Type::Float { bits: 64 }),
        ("round(price * 1.2, 1)", decimal.clone()),
        ("round(weight)", Type::Float { bits: 64 }),
        ("upper(label) || '-' || \\\"order\\\"", Type::Text),
        ("length(trim(label))", INTEGER),
        ("nvl(price, 0)", decimal.clone()),
        ("coalesce(made, '2022-01-01')", Type::Timestamp),
        ("nullif(label, '')", Type::Text),
        (
            "case when price > 5 then 'dear' when price is null then null else 'cheap' end",
            Type::Text,
        ),
        ("case state when 'new' then 1 end", INTEGER),
        ("not active and price between 1 and 2", Type::Boolean),
        ("substring(label, 1, 2)", Type::Text),
        ("abs(-weight)", Type::Float { bits: 64 }),
        ("extras", Type::Json),
        ("null", Type::Text),
    ] {
        let text = format!("view v as thing {{ _id: id  x @generated(sql: \"{sql}\") }}");
        let shape = shape(&text, &catalog);
        let MemberKind::Generated { ty: found, hidden: false, .. } = member(shape.root(), "x")
        else {
            panic!("{sql}")
        };
        assert_eq!(*found, ty, "{sql}");
    }
}

#[test]
fn generated_in_sql_style_and_by_path() {
    let catalog = catalogs::car_racing();
    let sql = "view v as select json {
        '_id' : d.driver_id,
        'x' : GENERATED USING (d.points * 2) WITH HIDDEN,
        'y' : generated using path '$.x',
        'z' : generated using (path '$.in.name'),
        'w' : GENERATED USING d.points * 2,
        'in' : { 'name' : d.name } } from driver d";
    let graphql = "view v as driver {
        _id: driver_id
        x @generated(sql: \"points * 2\") @hidden
        y @generated(path: \"$.x\")
        z: @generated(path: '$.in.name')
        w @generated(sql: \"points * 2\")
        in: { name } @nest }";
    let shape = shape(sql, &catalog);
    assert_eq!(shape, crate::shape(graphql, &catalog));
    let MemberKind::Generated { expr, ty, .. } = member(shape.root(), "z") else { panic!("z") };
    assert_eq!((&**expr, ty), (&Expr::from(FieldRef::row(1)), &Type::Text));
    let MemberKind::Generated { expr, .. } = member(shape.root(), "y") else { panic!("y") };
    assert!(matches!(**expr, Expr::Arithmetic(Arithmetic::Multiply, ..)));
}

#[test]
fn star_selects_the_remaining_columns() {
    let catalog = catalogs::car_racing();
    let text = "view v as race @update { _id: race_id  *  on: race_date  more: { laps } @nest }";
    let shape = shape(text, &catalog);
    let names: Vec<_> = shape.root().members.iter().map(|member| &*member.name).collect();
    // JSON is not a scalar.
    assert_eq!(names, ["_id", "name", "on", "more"]);
    assert!(column(shape.root(), "name").update);
}

#[test]
fn flex_nest_and_cast() {
    let text = "view v as thing @insert {
        _id: id @cast(as: id)
        raw @cast(as: id)
        details @nest { label price }
        about: @nest { weight }
        extras @flex
    }";
    let shape = shape(text, &catalogs::oddities());
    assert!(
        matches!(member(shape.root(), "details"), MemberKind::Group(members) if members.len() == 2)
    );
    assert!(
        matches!(member(shape.root(), "about"), MemberKind::Group(members) if members.len() == 1)
    );
    assert_eq!(shape.root().members[4].kind, MemberKind::Flex(3.into()));
    let sql = "view v as select json {'_id' : t.id, t.extras as flex} from thing t";
    assert_eq!(
        crate::shape(sql, &catalogs::oddities()).root().members[1].kind,
        MemberKind::Flex(3.into())
    );
}

#[test]
fn aggregated_arrays_and_missing_json_keywords() {
    let catalog = catalogs::car_racing();
    let brackets = "view v as select json {'_id' : t.team_id,
        'd' : [ select {'id' : d.driver_id} from driver d where d.team_id = t.team_id ]} from team t";
    let aggregate = "view v as select json {'_id' : t.team_id,
        'd' : ( select json_arrayagg(json {'id' : d.driver_id}) from driver d
                  where d.team_id = t.team_id )} from team t";
    assert_eq!(shape(brackets, &catalog), shape(aggregate, &catalog));
}

#[test]
fn a_unique_key_identifies_tables_without_primary_key() {
    let shape = shape("view v as named @update { _id: name  value }", &catalogs::oddities());
    assert_eq!(shape.key, [0]);
    assert!(!column(shape.root(), "_id").update);
}

#[test]
fn schemas() {
    let catalog = catalogs::oddities();
    let other = shape("view v as other.twin { _id: id }", &catalog);
    assert_eq!(other.root().table.schema, "other");
    let options = Options { default_schema: Some("MAIN".to_owned()), ..Options::default() };
    let source = DefinitionFile::new("a.sql", "view v as twin { _id: id }");
    let views = compile(&source, &catalog, &options).unwrap();
    assert_eq!(views[0].shape.root().table.schema, "main");
    let options = Options { default_schema: Some("other".to_owned()), ..Options::default() };
    let text = "view v as person { _id: id }";
    let message = crate::errors_with(text, &catalog, &options);
    assert!(message.contains("There is main.person: write its schema."), "{message}");
}

#[test]
fn served_names_come_before_the_databases() {
    let mut catalog = catalogs::car_racing();
    let team = std::sync::Arc::make_mut(&mut catalog.relations[3]);
    team.alias = Some("squad".to_owned());
    team.columns[0].alias = Some("squad_id".to_owned());
    let shape = shape("view v as squad { _id: squad_id  *  driver [ { driver_id } ] }", &catalog);
    let names: Vec<_> = shape.root().members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["_id", "name", "points", "driver"]);
    let text = "view v as driver { _id: driver_id  squad @object { name } }";
    let message = errors(text, &catalog);
    assert!(message.contains("the object of squad lacks squad_id"), "{message}");
    let printed = duet_duality::print(&shape);
    assert!(printed.contains("main.squad") && printed.contains("_id: squad_id"), "{printed}");
}

#[test]
fn diagnostics_become_errors() {
    let source = DefinitionFile::new("views/v.sql", "view v as\n  teem { _id: team_id }");
    let found = compile(&source, &catalogs::car_racing(), &Options::default()).unwrap_err();
    let error = found[0].to_error(&source);
    assert_eq!(error.code.as_str(), "DUET-3002");
    assert_eq!(error.place, Some(duet_model::Place::in_file("views/v.sql", 2, 3)));
    assert_eq!(error.hint.as_deref(), Some("Did you mean `team`?"));
    assert!(error.message.starts_with("there is no table teem."));
}
