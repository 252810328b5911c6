//! Forms in which published definitions of duality views are written, each over tables of our own.
//!
//! The forms are those of Oracle's guides (car racing, documents with identifiers of several columns, flex columns,
//! generated fields), of the tests of its drivers, of the scripts that its tools write, and of samples of
//! frameworks. Every one is accepted; where two say the same, they give the same shape.

use duet_duality::{DefinitionFile, Options, compile, render};
use duet_model::{Catalog, Member, MemberKind, MemberOrigin, Shape};

use crate::catalogs::{self, INTEGER, MONEY, table};
use crate::{member, shape};

/// The tables of a school, of orders, and of people with whatever else is known of them.
fn school() -> Catalog {
    let text = duet_model::Type::Text;
    catalogs::catalog([
        table("student", &[("stuid", INTEGER), ("name", text.clone()), ("noinsert", text.clone())])
            .key(&["stuid"]),
        table("class", &[("clsid", INTEGER), ("name", text.clone()), ("teacher_id", INTEGER)])
            .key(&["clsid"])
            .references(&["teacher_id"], "teacher", &["tid"]),
        table("teacher", &[("tid", INTEGER), ("name", text.clone())]).key(&["tid"]),
        table("student_class", &[("scid", INTEGER), ("stuid", INTEGER), ("clsid", INTEGER)])
            .key(&["scid"])
            .references(&["stuid"], "student", &["stuid"])
            .references(&["clsid"], "class", &["clsid"]),
        table("departments", &[("department_id", INTEGER), ("department_name", text.clone())])
            .key(&["department_id"]),
        table(
            "employees",
            &[
                ("employee_id", INTEGER),
                ("first_name", text.clone()),
                ("last_name", text.clone()),
                ("wage", MONEY),
                ("tips", MONEY),
                ("department_id", INTEGER),
            ],
        )
        .key(&["employee_id"])
        .references(&["department_id"], "departments", &["department_id"]),
        table("person", &[("pid", INTEGER), ("first", text), ("extras", duet_model::Type::Json)])
            .key(&["pid"]),
        table("emp", &[("deptno", INTEGER), ("employee_id", INTEGER)]).key(&["deptno"]),
        table("dept", &[("deptno", INTEGER), ("dept_id", INTEGER)]).key(&["deptno"]).references(
            &["deptno"],
            "emp",
            &["deptno"],
        ),
        table("sale", &[("sale_id", INTEGER), ("sale_date", duet_model::Type::Timestamp)])
            .key(&["sale_id", "sale_date"]),
    ])
}

/// Definitions that only have to be accepted.
const ACCEPTED: &[&str] = &[
    // Members without keys, without blanks and without commas; directives in capitals, and touching.
    "CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW s AS student{stuid name}",
    "CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW s AS student{stuid, name, }",
    "create json duality view s as Student @INSERT@UPDATE@delete@nocheck
       {StudentId:stuid, StudentName : NAME @UPDATE@CHECK}",
    // A column with the name of a directive.
    "CREATE JSON DUALITY VIEW s AS student @noupdate {stuid, NOINSERT }",
    // A mapping table under its own name, with a to-one table inside.
    "CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW s AS student @INSERT @UPDATE @DELETE {
       StudentId: stuid, StudentName: name,
       student_class @INSERT @UPDATE @DELETE
         {StudentClassId : scid, class @CHECK {ClassId: clsid, Name:name}} }",
    // From the foreign key up.
    "CREATE JSON DUALITY VIEW s AS student_class {
       _id : scid, student {StudentId : stuid,StudentName : name} }",
    // A row that belongs to one row of the same key.
    "CREATE JSON DUALITY VIEW e AS emp{deptno employee_id dept{deptno dept_id}}",
    // Names as a tool exports them, with a link by columns in capitals.
    "CREATE OR REPLACE FORCE EDITIONABLE JSON RELATIONAL DUALITY VIEW \"HR\".\"EMP_DV\"  AS
       main.employees {
         _id : employee_id
         first_name
         main.departments
              @link (from : [DEPARTMENT_ID]) { id : department_id  department_name } };",
    // SQL with quoted names, and tags in another order.
    "CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW \"SCHEDULE\" AS -- <1>
       SELECT JSON{'_id': s.\"STUID\", -- <2>
                   'student': s.\"NAME\" WITH UPDATE,
                   'schedule': [SELECT JSON{'id': sc.\"SCID\",
                      'course': (SELECT JSON{'courseId': c.\"CLSID\",
                         'teacher': (SELECT JSON{'teacherId': t.\"TID\", 'teacher': t.\"NAME\"}
                                       FROM \"TEACHER\" t WITH UPDATE WHERE c.\"TEACHER_ID\" = t.\"TID\"),
                         'name': c.\"NAME\" WITH UPDATE}
                       FROM \"CLASS\" c WITH UPDATE WHERE sc.\"CLSID\" = c.\"CLSID\")}
                     FROM \"STUDENT_CLASS\" sc WITH INSERT UPDATE DELETE WHERE s.\"STUID\" = sc.\"STUID\"]}
       FROM \"STUDENT\" s WITH UPDATE INSERT DELETE;",
    // Tables that are their own aliases.
    "CREATE JSON DUALITY VIEW s AS
       SELECT JSON{'_id': STUDENT.stuid, 'name': STUDENT.name WITH UPDATE} FROM STUDENT WITH UPDATE;",
    // All columns, and columns alone.
    "CREATE OR REPLACE JSON DUALITY VIEW s as select json{*} from student a with (INSERT,UPDATE,DELETE)",
    "CREATE JSON DUALITY VIEW s AS SELECT JSON { stuid, t.name, 'x' : t.noinsert } FROM student t",
    // A flex column, in both styles.
    "CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW p AS
       SELECT JSON { '_id': p.pid, 'firstname': p.first, p.extras AS FLEX COLUMN }
       FROM person p WITH UPDATE INSERT DELETE;",
    "CREATE JSON DUALITY VIEW p AS person @insert @update @delete { _id : pid, first, extras @flex }",
    // An identifier of several columns, in both styles.
    "CREATE JSON RELATIONAL DUALITY VIEW s AS
       SELECT JSON {'_id' : JSON {'saleId' : s.sale_id, 'date' : s.sale_date}} FROM sale s",
    "CREATE JSON RELATIONAL DUALITY VIEW s AS sale { _id : sale @nest {saleId : sale_id, date : sale_date} }",
    // Filters by example.
    "CREATE JSON DUALITY VIEW s AS student (check: {name: {_nlike: \"F%\"}, stuid: {_in: [1,2]}})
       @insert { _id: stuid name: name }",
    "CREATE JSON DUALITY VIEW s AS student(where: {_OR: [{Label: {_is_null: TRUE}},
       {Label: {_UPPER: {_EQ: \"ANN\"}}}]}) { _id: stuid Label: name }",
    // What is generated: by a path, by an expression, and by a query.
    "CREATE JSON DUALITY VIEW e AS employees @insert @update @delete {
       _id : employee_id
       wage @hidden
       tips @hidden
       totalComp @generated (path : \"$.wage + $.tips\") }",
    "CREATE JSON DUALITY VIEW e AS
       SELECT JSON {'_id' : e.employee_id, 'wage' : e.wage, 'tips' : e.tips WITH HIDDEN,
                    'totalComp' : GENERATED USING (PATH '$.wage + $.tips'),
                    'name' : GENERATED USING (e.first_name || ' ' || e.last_name) }
       FROM employees e;",
    "CREATE JSON DUALITY VIEW d AS departments {
       _id : department_id
       emps : employees [ { id : employee_id  pay : wage } ]
       total @generated(path: \"$.emps.pay.sum()\")
       most @generated(sql: \"SELECT max(e.wage) FROM employees e WHERE e.department_id = departments.department_id\") }",
    // The object of each row by its table alone, outside and inside of queries.
    "CREATE JSON DUALITY VIEW s AS JSONIZE(student s WITH UPDATE {'_id' : s.stuid, 'name' : s.name})",
    "CREATE JSON DUALITY VIEW d AS SELECT JSON {'_id' : d.department_id,
       'emps' : [SELECT JSON {'id' : e.employee_id} FROM employees e
                   WHERE e.department_id = d.department_id ORDER BY e.employee_id]}
       FROM departments d",
    // Rows that have a member.
    "CREATE JSON DUALITY VIEW p AS
       SELECT JSON {'_id' : p.pid, 'first' : p.first} FROM person p WHERE json_exists(p.extras, '$.x')",
    // Replication is the database's affair.
    "CREATE JSON DUALITY VIEW s ENABLE LOGICAL REPLICATION AS student{stuid name}",
];

#[test]
fn forms_of_published_definitions_are_accepted() {
    let catalog = school();
    let mut refused = Vec::new();
    for text in ACCEPTED {
        let source = DefinitionFile::new("form.sql", *text);
        if let Err(found) = compile(&source, &catalog, &Options::default()) {
            refused.extend(found.iter().map(|found| render(found, &source)));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn the_long_forms_of_sql_say_what_the_short_ones_do() {
    let catalog = school();
    let short = "CREATE JSON DUALITY VIEW v AS SELECT JSON {
        'department_id' : d.department_id, 'department_name' : d.department_name,
        'EMP_INFO' : [ SELECT JSON {'employee_id' : e.employee_id, 'FIRST_NAME' : e.first_name WITH NOCHECK}
                         FROM employees e WITH INSERT UPDATE WHERE e.department_id = d.department_id ]}
        FROM departments d WITH INSERT UPDATE";
    let long = "create or replace no force json relational duality view if not exists v as
        select json_object(key 'department_id' value d.DEPARTMENT_ID,
          'department_name' value d.department_name format json,
          'EMP_INFO' is ( select json_arrayagg(json_object(
              'employee_id' is e.employee_id,
              'FIRST_NAME' : e.first_name WITH (NOCHECK ETAG) null on null returning json) absent on null returning json)
            from employees e WITH (INSERT, UPDATE, CHECK ETAG)
            where e.department_id = d.department_id )
          returning json)
        from departments d WITH(INSERT,UPDATE,CHECK ETAG)";
    assert_eq!(shape(short, &catalog), shape(long, &catalog));
    let array = long
        .replace("( select json_arrayagg(", "json_array( select ")
        .replace(" absent on null returning json)\n", "\n");
    assert_eq!(shape(short, &catalog), shape(&array, &catalog), "{array}");
}

#[test]
fn both_styles_generate_on_write() {
    let catalog = school();
    let sql = "CREATE JSON DUALITY VIEW v AS SELECT JSON {
        '_id' : s.stuid, 'name' : s.name, 'n' : s.noinsert GENERATED IF MISSING USING (PATH '$.name.upper()') WITH NOUPDATE}
        FROM student s WITH INSERT UPDATE";
    let graphql = "view v as student @insert @update { _id: stuid  name
        n: noinsert @generated(path: \"$.name.upper()\" ifMissing: true) @noupdate }";
    assert_eq!(shape(sql, &catalog), shape(graphql, &catalog));
    let MemberKind::Column(column) = member(shape(sql, &catalog).root(), "n").clone() else {
        panic!("no column")
    };
    assert!(!column.check && !column.update && column.origin == MemberOrigin::IfMissing);
}

/// `ABSENT ON NULL` is of the values of its own object, those of `*` and generated ones too.
#[test]
fn both_styles_leave_out_nulls() {
    let catalog = school();
    let sql = "CREATE JSON DUALITY VIEW v AS SELECT JSON {
        '_id' : d.department_id, *, 'n' : GENERATED USING (d.department_id + 1),
        'e' : [ SELECT JSON_OBJECT('id' : e.employee_id, 'g' : JSON {'f' : e.first_name RETURNING JSON ABSENT ON NULL} NULL ON NULL)
                  FROM employees e WHERE e.department_id = d.department_id ] ABSENT ON NULL }
        FROM departments d";
    let graphql = "view v as departments @onnull(absent: true) { _id: department_id  *  n @generated(sql: \"department_id + 1\")
        e: employees @onnull(absent: false) [ { id: employee_id  g: { f: first_name } @nest @onnull(absent: true) } ] }";
    let found = shape(sql, &catalog);
    assert_eq!(found, shape(graphql, &catalog));
    let absent = |members: &[Member]| -> Vec<bool> {
        members.iter().map(Member::is_absent_on_null).collect()
    };
    assert_eq!(absent(&found.nodes[0].members), [true, true, true, false]);
    assert_eq!(absent(&found.nodes[1].members), [false, false]);
    let MemberKind::Group(group) = member(&found.nodes[1], "g") else { panic!("no group") };
    assert_eq!(absent(group), [true]);
}

#[test]
fn groups_name_their_table_again_or_do_not() {
    let catalog = school();
    let same = |a: &str, b: &str| assert_eq!(shape(a, &catalog), shape(b, &catalog), "{a}");
    let by_table =
        "view v as student @update { _id: stuid  x: student @nest {Name:name n: noinsert} }";
    same(by_table, "view v as student @update { _id: stuid  x: {Name:name n: noinsert} @nest }");
    same(
        by_table,
        "view v as student @update { _id: stuid  x: MAIN.Student @NEST {Name:name n: noinsert} }",
    );
    let sql = "view v as select json {'_id' : s.stuid, 'x' : {'Name' : s.name, 'n' : s.noinsert}} from student s with update";
    same(by_table, sql);
    let key = "view v as student { _id: student @nest {stuid} name }";
    same(key, "view v as student { _id: {stuid} name }");
    assert!(matches!(member(shape(key, &catalog).root(), "_id"), MemberKind::Group(_)));
}

#[test]
fn filters_by_example_know_members_and_all_operators() {
    let catalog = school();
    let filter = |arguments: &str, members: &str| -> Shape {
        shape(
            &format!("view v as employees({arguments}) {{ _id: employee_id {members} }}"),
            &catalog,
        )
    };
    let by_sql = |sql: &str, check: bool, members: &str| -> Shape {
        let text = format!(
            "view v as employees @where(sql: \"{sql}\", check: {check}) {{ _id: employee_id {members} }}"
        );
        shape(&text, &catalog)
    };
    let members = "pay: wage  who: { given: first_name } @nest  last_name";
    for (example, sql) in [
        ("check: {pay: {_gt: 1}}", "wage > 1"),
        (
            "check: {given: {_eq: \"Ann\"}, last_name: {_ne: \"Bo\"}}",
            "first_name = 'Ann' AND last_name <> 'Bo'",
        ),
        ("pay: 5", "wage = 5"),
        ("check: {wage: {_gte: 1, _lte: 2}}", "wage >= 1 AND wage <= 2"),
        (
            "check: {given: {_like: \"A%\", _nlike: \"An%\"}}",
            "first_name LIKE 'A%' AND first_name NOT LIKE 'An%'",
        ),
        (
            "check: {given: {_is_null: true}, pay: {_is_null: FALSE}}",
            "first_name IS NULL AND wage IS NOT NULL",
        ),
        ("check: {pay: {_in: [1, 2], _nin: [3]}}", "wage IN (1, 2) AND wage NOT IN (3)"),
        ("check: {pay: {_between: [1, 2]}}", "wage BETWEEN 1 AND 2"),
        ("check: {given: {_lower: {_like: \"a%\"}}}", "lower(first_name) LIKE 'a%'"),
        ("check: {given: {_upper: \"ANN\"}}", "upper(first_name) = 'ANN'"),
        ("check: {given: {_length: {_lt: 4}}}", "length(first_name) < 4"),
        ("check: {pay: {_abs: {_lt: 4}}}", "abs(wage) < 4"),
        ("check: {pay: {_floor: 4}, tips: {_ceiling: 5}}", "floor(wage) = 4 AND ceil(tips) = 5"),
        ("check: {given: {_number: {_gt: 4}}}", "number(first_name) > 4"),
        ("check: {department_id: {_string: \"4\"}}", "department_id || '' = '4'"),
        ("check: {pay: {_OR: [{_lt: 1}, {_GT: 2}]}}", "wage < 1 OR wage > 2"),
        ("check: {pay: {_not: {_and: [{_gt: 1}, {_lt: 2}]}}}", "NOT (wage > 1 AND wage < 2)"),
    ] {
        assert_eq!(filter(example, members), by_sql(sql, true, members), "{example}");
    }
    // `where` is a filter alone: a write may leave it.
    assert_eq!(filter("where: {pay: {_gt: 1}}", members), by_sql("wage > 1", false, members));
    // The name of a member comes before that of a column.
    let swapped = "first_name: last_name  last_name: first_name";
    assert_eq!(filter("first_name: \"x\"", swapped), by_sql("last_name = 'x'", true, swapped));
}

/// A whole script: tables, data, programs and commands around the views.
const SCRIPT: &str = include_str!("script.sql");

#[test]
fn views_of_a_script_are_found_among_its_statements() {
    let source = DefinitionFile::new("school.sql", SCRIPT);
    let views = compile(&source, &school(), &Options::default());
    let views = views.unwrap_or_else(|found| {
        panic!("{}", found.iter().map(|found| render(found, &source)).collect::<String>())
    });
    let found: Vec<_> =
        views.iter().map(|view| (&*view.name, source.position(view.span.start).0)).collect();
    assert_eq!(found, [("student_dv", 30), ("class_dv", 50), ("teacher_dv", 58)]);
    let skipped = duet_duality::skipped(&source);
    let lines: Vec<_> =
        skipped.iter().map(|one| (source.position(one.span.start).0, &*one.kind)).collect();
    let expected = [
        (3, "SET"),
        (4, "SET"),
        (5, "WHENEVER"),
        (7, "PROMPT"),
        (8, "DROP"),
        (9, "CREATE TABLE"),
        (12, "CREATE TABLE"),
        (16, "CREATE TRIGGER"),
        (26, "PROMPT"),
        (41, "INSERT"),
        (43, "PL/SQL block"),
        (56, "GRANT"),
        (62, "COLUMN"),
        (63, "SELECT"),
        (66, "COMMIT"),
        (67, "EXIT"),
    ];
    assert_eq!(lines, expected);
}
