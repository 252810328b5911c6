//! The rows of the matrix: the types of PostgreSQL's catalog and of the extensions in Debian's `postgresql-contrib`, with
//! their special values.

use super::types::{Compares, TypeRow};

const fn row(
    name: &'static str,
    declared: &'static str,
    compares: Compares,
    values: &'static [&'static str],
) -> TypeRow {
    TypeRow { name, declared, values, compares, filtered: None }
}

const fn ordered(name: &'static str, values: &'static [&'static str]) -> TypeRow {
    row(name, name, Compares::Order, values)
}

const fn plain(name: &'static str, values: &'static [&'static str]) -> TypeRow {
    row(name, name, Compares::Nothing, values)
}

/// The types that columns have.
pub(super) const TYPES: &[TypeRow] = &[
    ordered("bool", &["true", "false"]),
    ordered("int2", &["0", "-32768", "32767", "7"]),
    ordered("int4", &["0", "-2147483648", "2147483647"]),
    ordered("int8", &["0", "-9223372036854775808", "9223372036854775807", "9007199254740993"]),
    ordered("float4", &["0", "-0", "0.1", "1e38", "1e-45", "NaN", "Infinity", "-Infinity"]),
    ordered(
        "float8",
        &["0", "-0", "0.1", "1e300", "5e-324", "NaN", "Infinity", "-Infinity", "1.0"],
    ),
    ordered(
        "numeric",
        &[
            "0",
            "1.5",
            "-12345678901234567890.12345678901234567",
            "NaN",
            "Infinity",
            "-Infinity",
            "1e300",
        ],
    ),
    row("numeric", "numeric(10,2)", Compares::Order, &["0", "1.5", "-99999999.99", "NaN"]),
    row("numeric", "numeric(5,-2)", Compares::Order, &["0", "1200", "-9999900"]),
    ordered(
        "text",
        &[
            "",
            "a",
            "A",
            "é",
            "a b",
            "~t",
            "NULL",
            "\"\\",
            "'",
            "a,b",
            "{}",
            "%2F",
            "\u{1f3c1}",
            "line\nend",
            "''",
        ],
    ),
    row("varchar", "varchar(5)", Compares::Order, &["", "abcde", "é", "~"]),
    row("bpchar", "char(3)", Compares::Order, &["", "a", "abc", "é"]),
    row("char", "\"char\"", Compares::Order, &["a", "~", "Z", "\\200", "\\377"]),
    ordered("name", &["", "a", "pg_class"]),
    TypeRow {
        filtered: Some(Compares::Nothing),
        ..ordered("bytea", &["", "\\x00", "\\x00ff", "\\xffffffff", "\\x27275c"])
    },
    ordered(
        "uuid",
        &[
            "00000000-0000-0000-0000-000000000000",
            "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
    ),
    ordered(
        "date",
        &[
            "2022-03-20",
            "infinity",
            "-infinity",
            "0044-03-15 BC",
            "4714-11-24 BC",
            "12022-03-20",
            "5874897-12-31",
            "0001-12-31 BC",
            "9999-12-31",
        ],
    ),
    ordered("time", &["00:00:00", "24:00:00", "23:59:59.999999", "01:37:33.5"]),
    ordered(
        "timetz",
        &[
            "00:00:00+00",
            "24:00:00+00",
            "23:59:59.999999-15:59:59",
            "01:37:33+02",
            "01:37:33+00:19:32",
            "00:00:00+15:59",
        ],
    ),
    ordered(
        "timestamp",
        &[
            "2022-03-20 01:02:03",
            "infinity",
            "-infinity",
            "0044-03-15 12:00:00 BC",
            "4714-11-24 00:00:00 BC",
            "294276-12-31 23:59:59.999999",
            "9999-12-31 23:59:59.999999",
        ],
    ),
    ordered(
        "timestamptz",
        &[
            "2022-03-20 01:02:03+01",
            "infinity",
            "-infinity",
            "0044-03-15 12:00:00+00 BC",
            "294276-12-31 23:59:59.999999+00",
        ],
    ),
    row("timestamp", "timestamp(0)", Compares::Order, &["2022-03-20 01:02:03", "infinity"]),
    ordered(
        "interval",
        &[
            "0",
            "1 day",
            "24 hours",
            "-1 day +08:00:00",
            "1 year 2 mons 3 days 04:05:06.789",
            "-178000000 years",
            "2562047788:00:54.775807",
            "-00:00:00.000001",
        ],
    ),
    plain("json", &["{\"a\": 1}", "null", "[1, 2.50]", "\"x\"", "1e2"]),
    plain("jsonb", &["{\"a\": 1}", "null", "[1, 2.50]", "\"x\"", "{}"]),
    plain("jsonpath", &["$", "$.\"a\"[*]?(@ > 1)"]),
    plain("xml", &["<a/>", "<a>b</a>", "text"]),
    ordered(
        "money",
        &[
            "$1,000,000.00",
            "$14.00",
            "-$3.00",
            "$7.00",
            "$0.00",
            "-$92,233,720,368,547,758.08",
            "$92,233,720,368,547,758.07",
        ],
    ),
    ordered("oid", &["0", "14", "7", "4294967295"]),
    row("xid", "xid", Compares::Equality, &["0", "14", "7", "4294967295"]),
    ordered("xid8", &["0", "14", "7", "18446744073709551615"]),
    row("cid", "cid", Compares::Equality, &["0", "14", "7"]),
    ordered("tid", &["(0,1)", "(10,2)", "(9,65535)"]),
    ordered("pg_lsn", &["0/0", "1/0", "0/FFFFFFFF", "FFFFFFFF/FFFFFFFF"]),
    plain("pg_snapshot", &["10:20:10,14", "5:5:"]),
    plain("txid_snapshot", &["10:20:10,14", "5:5:"]),
    ordered(
        "inet",
        &["10.0.0.1", "10.0.0.1/24", "9.255.0.0/16", "::1", "::ffff:1.2.3.4/128", "0.0.0.0/0"],
    ),
    ordered("cidr", &["10.0.0.0/8", "9.0.0.0/8", "10.0.0.1/32", "::/0", "2001:db8::/32"]),
    ordered("macaddr", &["08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"]),
    ordered(
        "macaddr8",
        &["08:00:2b:01:02:03:04:05", "ff:ff:ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00:00:00"],
    ),
    row("bit", "bit(3)", Compares::Order, &["101", "000", "111"]),
    row("bit", "bit", Compares::Order, &["1", "0"]),
    row("varbit", "varbit(5)", Compares::Order, &["", "1", "01", "11111"]),
    ordered("varbit", &["", "1", "0100000000000000000000000000000001"]),
    plain("point", &["(1,2)", "(NaN,Infinity)", "(-0,0)"]),
    plain("line", &["{1,2,3}", "{0,-1,5}"]),
    plain("lseg", &["[(1,2),(3,4)]", "[(0,0),(0,0)]"]),
    plain("box", &["(3,4),(1,2)", "(0,0),(0,0)"]),
    plain("path", &["[(1,2),(3,4)]", "((1,2),(3,4))"]),
    plain("polygon", &["((1,2),(3,4),(5,6))", "((0,0))"]),
    plain("circle", &["<(1,2),3>", "<(0,0),0>"]),
    ordered("tsvector", &["'a':1 'b':2A", "", "'it''s' 'x'"]),
    ordered("tsquery", &["'a' & 'b'", "", "'a' <-> 'b' | !'c'"]),
    ordered("int4range", &["[1,5)", "[2,3)", "empty", "(,)", "[1,)", "(,10)", "[10,11)"]),
    ordered(
        "int8range",
        &["[1,5)", "[2,3)", "empty", "(,)", "[-9223372036854775808,9223372036854775807)"],
    ),
    ordered("numrange", &["[1.5,2)", "[10,11]", "(9,10)", "empty", "[NaN,NaN]", "(,Infinity]"]),
    ordered(
        "daterange",
        &[
            "[2022-01-01,2023-01-01)",
            "[-infinity,infinity]",
            "empty",
            "[\"0044-03-15 BC\",12022-01-01)",
        ],
    ),
    ordered(
        "tsrange",
        &["[\"2022-01-01 00:00:00\",\"2023-01-01 00:00:00\")", "empty", "(,infinity]"],
    ),
    ordered(
        "tstzrange",
        &["[\"2022-01-01 00:00:00+00\",\"2023-01-01 00:00:00+00\")", "empty", "(,)"],
    ),
    ordered("int4multirange", &["{[1,3),[5,7)}", "{}", "{[2,3)}", "{(,)}"]),
    ordered("int8multirange", &["{[1,3),[5,7)}", "{}"]),
    ordered("nummultirange", &["{[1.5,3],(5,7)}", "{}"]),
    ordered("datemultirange", &["{[2022-01-01,2023-01-01)}", "{}", "{[-infinity,infinity]}"]),
    ordered("tsmultirange", &["{[\"2022-01-01 00:00:00\",\"2023-01-01 00:00:00\")}", "{}"]),
    ordered("tstzmultirange", &["{[\"2022-01-01 00:00:00+00\",\"2023-01-01 00:00:00+00\")}", "{}"]),
    ordered("regclass", &["pg_class", "pg_type", "-"]),
    ordered("regtype", &["integer", "bigint", "-"]),
    ordered("regproc", &["pi", "pg_backend_pid", "-"]),
    ordered("regprocedure", &["pi()", "now()", "-"]),
    ordered("regoper", &["0", "||/"]),
    ordered("regoperator", &["+(integer,integer)", "0"]),
    ordered("regrole", &["pg_monitor", "pg_read_all_data", "-"]),
    ordered("regnamespace", &["pg_catalog", "public", "-"]),
    ordered("regconfig", &["english", "simple", "-"]),
    ordered("regdictionary", &["simple", "english_stem", "-"]),
    ordered("regcollation", &["\"C\"", "\"POSIX\"", "-"]),
    plain("refcursor", &["a", ""]),
    row("aclitem", "aclitem", Compares::Equality, &["=r/pg_monitor", "pg_monitor=arw/pg_monitor"]),
    ordered("oidvector", &["1 2 3", "", "10"]),
    ordered("int2vector", &["1 2 3", "10"]),
    // Of the extensions.
    ordered("citext", &["", "a", "Ab", "aC", "É"]),
    // Its operators of order are called `#<#` and so on.
    row("hstore", "hstore", Compares::Equality, &["\"a\"=>\"1\"", "", "\"a\"=>NULL, \"b\"=>\"x\""]),
    ordered("ltree", &["a", "a.b", "a.b.c", "B"]),
    plain("lquery", &["a.*", "!b.c@"]),
    plain("ltxtquery", &["a & b", "a | !c"]),
    ordered("cube", &["(1, 2)", "(0),(1)", "(10)", "(9)"]),
    ordered("seg", &["1", "~5", "1 .. 5", "10"]),
    plain("query_int", &["1 & 2", "1 | !3"]),
    ordered("ean13", &["978-0-393-04002-9", "979-0-2600-0043-8"]),
    ordered("isbn", &["0-393-04002-X", "0-901690-54-6"]),
    ordered("isbn13", &["978-0-393-04002-9", "978-0-901690-54-8"]),
    ordered("ismn", &["M-060-11561-5", "M-2600-0043-8"]),
    ordered("ismn13", &["979-0-060-11561-5", "979-0-2600-0043-8"]),
    ordered("issn", &["1436-4522", "0317-8471"]),
    ordered("issn13", &["977-1436-452-00-8", "977-0317-847-00-1"]),
    ordered("upc", &["220356483481", "036000291452"]),
    ordered("lo", &["14", "7"]),
    ordered("earth", &["(6378168, 0, 0)", "(0, 6378168, 0)"]),
    // Of the test.
    ordered("mood", &["sad", "happy", "Zebra", "at ease"]),
    ordered("textrange", &["[a,b)", "[B,c)", "empty", "[\"a,b\",c)"]),
    ordered("textmultirange", &["{[a,b),[c,d)}", "{}"]),
    plain("pair", &["(1,x)", "(,)", "(2,\"a,b\")"]),
];

/// The types of the test itself.
pub(super) const OWN: &str = "
CREATE TYPE mood AS ENUM ('sad', 'happy', 'Zebra', 'at ease');
CREATE TYPE pair AS (x int, y text);
CREATE TYPE textrange AS RANGE (subtype = text, collation = \"C\");
";

/// The extensions that have types.
pub(super) const EXTENSIONS: [&str; 13] = [
    "citext",
    "hstore",
    "ltree",
    "cube",
    "seg",
    "intarray",
    "isn",
    "lo",
    "earthdistance",
    "pg_trgm",
    "btree_gist",
    "tablefunc",
    "pg_stat_statements",
];

/// Types that no column of an application has, and why.
pub(super) const WITHOUT_COLUMNS: &[(&str, &[&str])] = &[
    (
        "the server alone makes values",
        &[
            "pg_node_tree",
            "pg_ndistinct",
            "pg_dependencies",
            "pg_mcv_list",
            "pg_brin_bloom_summary",
            "pg_brin_minmax_multi_summary",
            "gtsvector",
        ],
    ),
    (
        "keys inside of indexes",
        &[
            "ghstore",
            "ltree_gist",
            "intbig_gkey",
            "gtrgm",
            "gbtreekey2",
            "gbtreekey4",
            "gbtreekey8",
            "gbtreekey16",
            "gbtreekey32",
            "gbtreekey_var",
        ],
    ),
    (
        "rows that functions return",
        &["tablefunc_crosstab_2", "tablefunc_crosstab_3", "tablefunc_crosstab_4"],
    ),
];
