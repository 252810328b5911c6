//! Valid queries with their normalized form, and invalid ones with the position of the mistake.

use duet_model::Code;
use duet_text::error::Place;

use crate::Limits;
use crate::cql::read;

#[test]
fn queries_have_one_normalized_form() {
    for (text, normalized) in [
        ("kayak", "kayak"),
        ("  title  =\tkayak\r\n", "title = kayak"),
        ("title=\"kayak fishing\"", "title = \"kayak fishing\""),
        ("title == kayak   fishing", "title == \"kayak fishing\""),
        ("\"a b\" c", "\"a b c\""),
        ("a ANY b", "a any b"),
        ("a exact b", "a == b"),
        ("a scr b", "a = b"),
        ("a cql.Any b", "a cql.any b"),
        ("a=b AND c<d oR e<>f Not g>=h", "a = b and c < d or e <> f not g >= h"),
        ("a==(b or \"c\")", "a == (b or c)"),
        ("((a=1))", "((a = 1))"),
        ("a=(b or c<(d))", "a = (b or c < (d))"),
        ("a =/IgnoreCase/@m=\"v w\" b", "a =/ignorecase/@m=\"v w\" b"),
        ("a prox/distance<=3/unit=word b", "a prox/distance<=3/unit=word b"),
        ("> dc = \"http://x/y\" > z dc.title=a", "> dc = \"http://x/y\" > z dc.title = a"),
        ("(> dc = x a)", "(> dc = x a)"),
        ("a=1 SortBy b/sort.Descending c d", "a = 1 sortBy b/sort.descending c d"),
        ("a=1 sortby \"b c\"/x<=y", "a = 1 sortBy \"b c\"/x<=y"),
        // Words that are keywords or relations elsewhere.
        ("a = and", "a = \"and\""),
        ("any = all", "any = all"),
        ("a == \"or\"", "a == \"or\""),
        ("a = x.y", "a = x.y"),
        ("a < 9.5", "a < 9.5"),
        // Escapes and quotes.
        (r#"a == "say \"hi\"""#, r#"a == "say \"hi\"""#),
        (r#"a == say"hi""#, r#"a == "say\"hi\"""#),
        (r"a == a\*b\?c\^\\d", r"a == a\*b\?c\^\\d"),
        (r#"a == "\d\"""#, r#"a == "d\"""#),
        ("a == \"\"", "a == \"\""),
        ("a == O'Neil,x;y&z", "a == O'Neil,x;y&z"),
    ] {
        let query =
            read(text, &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.to_string(), normalized, "{text}");
        assert_eq!(read(normalized, &Limits::default()).as_ref(), Ok(&query), "{text}");
    }
}

/// Each case: the query, the text that starts at the position of the mistake, and a part of the message.
#[test]
fn mistakes_have_a_position() {
    for (text, at, says) in [
        ("", "", "Expected an index, a term or `(`, but the query ends."),
        ("a =", "", "Expected a term or `(`"),
        ("status==", "", "Expected a term or `(`"),
        ("a = b and", "", "Expected an index, a term or `(`"),
        ("a = b sortBy", "", "Expected an index to sort by"),
        ("a = b sortBy (", "(", "Expected an index to sort by"),
        ("a = b sortBy c = d", "= d", "Expected an index to sort by"),
        ("(a = b", "", "Expected `)`"),
        ("(a = b sortBy c)", "sortBy", "not possible in a group"),
        ("a = b)", ")", "closes no group"),
        ("a = b (c)", "(c", "Expected `and`"),
        ("= b", "= b", "`=` follows"),
        ("a = b = c", "= c", "A relation is not possible here"),
        ("title = foo a.b", "a.b", "into quotes"),
        ("a b any c", "any c", "into quotes"),
        ("or status=x", "or", "does not begin with"),
        ("not a = b", "not", "cql.allRecords=1 not"),
        ("a = \"b", "\"b", "no closing"),
        ("a =/ b", "", "Expected a term"),
        ("a =/(b", "(b", "the name of a modifier"),
        ("a =/x= (b)", "(b", "the value of the modifier"),
        ("a =/x", "", "Expected a term"),
        ("> = b", "= b", "a prefix"),
        ("> a = ", "", "the identifier"),
        ("a and/x b or", "", "Expected an index"),
    ] {
        let error = read(text, &Limits::default()).expect_err(text);
        assert_eq!(error.code, Code::CqlSyntax, "{text}: {error}");
        let Some(Place::Offset(offset)) = error.place else { panic!("{text}: {error:?}") };
        assert!(text[offset..].starts_with(at), "{text}: at {offset}");
        assert!(error.to_string().contains(says), "{text}: {error}");
    }
}

#[test]
fn queries_are_limited() {
    let limits = Limits { depth: 3, nodes: 5, bytes: 60, ..Limits::default() };
    for (text, at) in [
        ("((((a))))", 3),
        ("a or b or c or d or e or f", 25),
        ("a sortBy b c d e f", 17),
        ("a =/b/c/d/e/f g", 12),
        (&"a".repeat(61), 60),
    ] {
        let error = read(text, &limits).expect_err(text);
        assert_eq!(
            (error.code, error.place),
            (Code::FilterLimit, Some(Place::Offset(at))),
            "{text}"
        );
    }
    assert!(read("(((a)))", &limits).is_ok());
    // A hostile depth is refused before it is read.
    let deep = "(".repeat(200_000);
    let error = read(&deep, &Limits { depth: usize::MAX, ..Limits::default() }).unwrap_err();
    assert_eq!((error.code, error.place), (Code::FilterLimit, Some(Place::Offset(128))));
}
