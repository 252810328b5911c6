//! The grammar: what is read, and where a mistake is.

use duet_model::Direction;
use duet_text::{ArrayPosition, JsonStep};

use super::*;
use crate::limits::Limits;

fn parsed(query: &str) -> Request {
    Request::parse(Some(query), &Limits::default())
        .unwrap_or_else(|error| panic!("{query}: {error:?}"))
}

fn tests(condition: &Condition) -> Vec<&Test> {
    match condition {
        Condition::Test(test) => vec![test],
        Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(tests).collect(),
        Condition::Not(inner) => tests(inner),
    }
}

#[test]
fn filters() {
    let request = parsed(
        "id=not.in.(1,%22b,c%22)&name=eq.a,b)&or=(a.gt.1,not.and(b.is.null,c.eq.%22x)%22))&ignored",
    );
    let conditions = &request.root().conditions;
    assert_eq!(conditions.len(), 3);
    let Condition::Not(inner) = &conditions[0] else { panic!("{conditions:?}") };
    assert_eq!(tests(inner)[0].operand, OperatorArgument::List(vec!["1".into(), "b,c".into()]));
    assert_eq!(tests(&conditions[1])[0].operand, OperatorArgument::Value("a,b)".into()));
    let names: Vec<_> = tests(&conditions[2]).iter().map(|test| test.operator.name).collect();
    assert_eq!(names, ["gt", "is", "eq"]);
    assert_eq!(tests(&conditions[2])[2].operand, OperatorArgument::Value("x)".into()));
    let request = parsed("id=gt(all).{4,3}&x=in.(  )");
    let conditions = &request.root().conditions;
    let both = OperatorArgument::Quantified(Quantifier::All, vec!["4".into(), "3".into()]);
    assert_eq!(tests(&conditions[0])[0].operand, both);
    assert_eq!(tests(&conditions[1])[0].operand, OperatorArgument::List(Vec::new()));
}

#[test]
fn paths() {
    let request = parsed("a.b.data->x->>-1=eq.1&%22a.b%22=eq.2&rel.not.or=(x.eq.1)&rel.limit=3");
    assert_eq!(request.nodes.len(), 3);
    let node = request.at(&["a".into(), "b".into()]).unwrap();
    let path = &tests(&node.conditions[0])[0].path;
    let steps = [JsonStep::Member("x".into()), JsonStep::Element(ArrayPosition::End(0))];
    assert_eq!((path.column.as_str(), &path.steps[..], path.as_text), ("data", &steps[..], true));
    assert_eq!(tests(&request.root().conditions[0])[0].path.column, "a.b");
    let rel = request.at(&["rel".into()]).unwrap();
    assert!(matches!(rel.conditions[0], Condition::Not(_)));
    assert_eq!(rel.limit, Some(3));
}

#[test]
fn selects_and_orders() {
    let request = parsed(
        "select=*,n:name::text,data->a->>b,x:rel!hint!inner(id,...y(z)),e()&order=a.desc.nullslast,rel(b),data->>k.asc",
    );
    let [
        SelectItem::All,
        SelectItem::Field(name),
        SelectItem::Field(inside),
        SelectItem::Embed(rel),
        SelectItem::Embed(empty),
    ] = &request.select[..]
    else {
        panic!("{:?}", request.select)
    };
    assert_eq!((name.key(), name.cast.as_deref(), inside.key()), ("n", Some("text"), "b"));
    assert_eq!((rel.key(), rel.name.as_str(), rel.hint.as_deref()), ("x", "rel", Some("hint")));
    assert_eq!((rel.join, rel.items.len(), empty.items.len()), (Join::Inner, 2, 0));
    assert!(matches!(&rel.items[1], SelectItem::Embed(spread) if spread.spread));
    let order = &request.root().order;
    assert_eq!((order[0].direction, order[0].nulls_first()), (Direction::Descending, false));
    assert_eq!((order[1].relation.as_deref(), order[1].nulls_first()), (Some("rel"), false));
    assert!(order[2].path.as_text);
}

#[test]
fn aggregates_have_functions_and_casts() {
    let request =
        parsed("select=count(),n:data->>k::int.sum()::text,rel(a.max()),...one(count()),count");
    let [
        SelectItem::Aggregate(all),
        SelectItem::Aggregate(sum),
        SelectItem::Embed(rel),
        SelectItem::Embed(one),
        SelectItem::Field(legacy),
    ] = &request.select[..]
    else {
        panic!("{:?}", request.select)
    };
    assert_eq!((all.key(), &all.of, legacy.key()), ("count", &None, "count"));
    let of = sum.of.as_ref().unwrap();
    assert_eq!((sum.key(), sum.name(), sum.cast.as_deref()), ("n", "sum", Some("text")));
    assert_eq!((of.path.column.as_str(), of.cast.as_deref()), ("data", Some("int")));
    assert!(request.select.iter().take(4).all(SelectItem::has_aggregates));
    assert!(!request.select[4].has_aggregates() && rel.items.len() == 1 && one.spread);
}

#[test]
fn a_resource_with_an_alias_is_known_by_its_name() {
    let request = parsed(
        "select=x:rel(y:inner(id)),a:two(id),b:two(id)&rel.id=gt.1&x.limit=2&rel.inner.id=lt.3&two.id=eq.1",
    );
    let at = |path: &[&str]| {
        let path: Vec<String> = path.iter().map(|&step| step.to_owned()).collect();
        request.at(&path).map(|node| (node.conditions.len(), node.limit))
    };
    assert_eq!((at(&["x"]), at(&["x", "y"])), (Some((1, Some(2))), Some((1, None))));
    assert_eq!((at(&["rel"]), at(&["two"])), (None, Some((1, None))));
    let renamed = [("rel", "x"), ("inner", "y")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(request.renamed, renamed);
}

#[test]
fn keys_and_lists_have_any_characters() {
    let request = parsed("select=a->0xy1->23-xy-45->>-1&a=in.(\")&b=in.(\"x\"y,\"z\")");
    let SelectItem::Field(field) = &request.select[0] else { panic!("{:?}", request.select) };
    assert_eq!((field.key(), field.path.steps.len()), ("23-xy-45", 3));
    let operand = |at: usize| tests(&request.root().conditions[at])[0].operand.clone();
    assert_eq!(operand(0), OperatorArgument::List(vec!["\"".to_owned()]));
    assert_eq!(operand(1), OperatorArgument::List(vec!["\"x\"y".to_owned(), "z".to_owned()]));
}

#[test]
fn mistakes_have_a_place() {
    let error = |query: &str| Request::parse(Some(query), &Limits::default()).unwrap_err();
    for (query, code, message) in [
        ("id=5", "PGRST100", "\"failed to parse filter (5)\" (line 1, column 1)"),
        ("id=noop.5", "PGRST100", "\"failed to parse filter (noop.5)\" (line 1, column 1)"),
        ("or=()", "PGRST100", "\"failed to parse logic tree (())\" (line 1, column 4)"),
        ("or=(a.eq.1", "PGRST100", "\"failed to parse logic tree ((a.eq.1)\" (line 1, column 10)"),
        ("select=a,", "PGRST100", "\"failed to parse select parameter (a,)\" (line 1, column 3)"),
        (
            "select=a.middle()",
            "PGRST100",
            "\"failed to parse select parameter (a.middle())\" (line 1, column 3)",
        ),
        ("order=a.ascend", "PGRST100", "\"failed to parse order (a.ascend)\" (line 1, column 6)"),
        (
            "select=a->>--1",
            "PGRST100",
            "\"failed to parse select parameter (a->>--1)\" (line 1, column 6)",
        ),
        ("order=a.up", "PGRST100", "\"failed to parse order (a.up)\" (line 1, column 3)"),
        ("id=in.(1", "PGRST100", "\"failed to parse filter (in.(1)\" (line 1, column 6)"),
        (
            "id=neq(any).{1}",
            "PGRST100",
            "\"failed to parse filter (neq(any).{1})\" (line 1, column 1)",
        ),
    ] {
        let error = error(query);
        let foreign = error.foreign().map(|foreign| foreign.code.clone());
        assert_eq!((foreign.as_deref(), error.message.as_str()), (Some(code), message), "{query}");
    }
    let both = error("id=5&select=a,");
    assert_eq!(both.mistakes().count(), 2);
    let deep = format!("or={}", "(and".repeat(5_000));
    assert!(error(&deep).message.contains("too deeply"));
    let deep = format!("select={}", "a(".repeat(5_000));
    assert!(error(&deep).message.contains("too deeply"));
}

#[test]
fn any_text_is_read_or_refused() {
    let pieces = [
        "a", ".", "eq", "(", ")", ",", "\"", "\\", "->", "->>", "not.", "é", "{", "}", "=", "&",
        "or", "*", "::", "!", "...", "%", "+", "1",
    ];
    let mut seed = 7_u64;
    for _ in 0..5_000 {
        let mut text = String::new();
        for _ in 0..seed % 13 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from((seed >> 33) % pieces.len() as u64).unwrap();
            text.push_str(pieces[at]);
        }
        seed = seed.wrapping_add(1);
        for parameter in ["a", "or", "select", "order", "columns"] {
            drop(Request::parse(Some(&format!("{parameter}={text}")), &Limits::default()));
            drop(Request::parse(Some(&text), &Limits::default()));
        }
    }
}
