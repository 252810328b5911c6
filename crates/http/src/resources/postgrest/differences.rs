//! What differs from PostgREST though it is taken: the list that the manual prints.

/// A difference.
pub(crate) struct Difference {
    /// What it is about.
    pub(crate) about: &'static str,
    /// What PostgREST does.
    pub(crate) theirs: &'static str,
    /// What Duet does.
    pub(crate) ours: &'static str,
}

const fn row(about: &'static str, theirs: &'static str, ours: &'static str) -> Difference {
    Difference { about, theirs, ours }
}

/// All differences.
pub(crate) const DIFFERENCES: &[Difference] = &[
    row("rows of a page", "all, or `db-max-rows`", "at most `--max-page-size`"),
    row(
        "rows of an embedded array",
        "all, or `db-max-rows`",
        "more than `--expand-rows` are 422 (DUET-1016)",
    ),
    row(
        "rows that a write changes",
        "any number",
        "at most `--max-changed`, and `--max-operations` new ones",
    ),
    row("order of rows", "that of the database", "by the key, behind the requested order"),
    row(
        "a member twice in an object",
        "the last one counts",
        "refused with PGRST102, whose hint names it",
    ),
    row(
        "zeros at the end of a `numeric` without a scale",
        "kept: 1.50",
        "left out, as SQLite does: 1.5",
    ),
    row("`bytea`, `interval`", "`\\x…`, PostgreSQL's text", "base64, ISO 8601"),
    row("JSON columns", "with the blanks of `jsonb`", "without blanks"),
    row("CSV", "`t`, `f`, `{1,2}`", "`true`, `false`, JSON"),
    row(
        "`like`, `ilike`, `match`",
        "operators of the database",
        "the same on both stores; `match` in the [common syntax](filters.md)",
    ),
    row(
        "values of bodies",
        "texts are cast to any type",
        "to numbers, booleans and texts; others have the JSON type of their column",
    ),
    row(
        "words for moments, such as `now`, `today`, `epoch`",
        "taken in filters and bodies",
        "refused with 22P02, but for `infinity` and `-infinity`",
    ),
    row("a key that an upsert changes", "changed", "refused with PGRST115"),
    row(
        "primary keys of views",
        "all that their columns show",
        "those of views of one table, which repeat none of its rows",
    ),
    row("writes", "need `SELECT` for what is returned", "need the role to read the table"),
    row(
        "several tables of one name",
        "by `Accept-Profile`",
        "a mount serves one schema, which is `public` too; another one is PGRST106",
    ),
    row("answers", "have no `ETag`", "have one, and `If-None-Match` gets 304"),
    row(
        "a request without a token",
        "the anonymous role, or PGRST302",
        "what `--open` allows, or 401 with PGRST301",
    ),
    row(
        "claims of a token",
        "`request.jwt.claims`, `role`",
        "[Duet's database roles](security.md)",
    ),
    row("messages of the database", "PostgreSQL's", "Duet's, with the same codes"),
    row(
        "what a function raises",
        "its code, message, details, hint, status and headers",
        "with `raised_messages` in [app.toml](app-toml.md); without it 400 with P0001 alone",
    ),
    row(
        "`count=estimated`, and `count=planned` on SQLite",
        "the estimate beyond `db-max-rows`",
        "exact where the page ends with the last row",
    ),
    row(
        "`search_path` of functions",
        "the exposed schema, and `db-extra-search-path`",
        "that of the database's address: `options=-csearch_path=…`",
    ),
    row(
        "`request.headers`, `.cookies`, `.method`, `.path`; `response.headers`, `.status`",
        "set and read; changes stay where the last two cannot be sent",
        "with `request_settings` in [app.toml](app-toml.md): each request is then a transaction of its own on the server that takes writes, without an `ETag`; `response.headers` sets none of the transfer, such as `Content-Length`",
    ),
    row(
        "domains with casts to and from `json` and `text`",
        "their functions show, read and compare values",
        "where the domain has a cast to `json`, and the column is no part of a key or reference; others are of their base type",
    ),
    row(
        "aggregates",
        "`count=exact` counts rows; `avg()` has the digits of `numeric`",
        "`count=exact` counts groups; `avg()` has six decimals at most",
    ),
    row(
        "the OpenAPI document at the mount",
        "what the database role may use, with host and scheme; `PUT` and `db-root-spec`",
        "what the roles of Duet allow, without these",
    ),
    row(
        "what a function computes wrongly, such as a division by zero",
        "400 with its SQLSTATE",
        "500, and the cause is in the log",
    ),
    row(
        "functions with `SECURITY DEFINER`",
        "called",
        "called where `routines` in [app.toml](app-toml.md) names them",
    ),
    row(
        "domains that are called like media types",
        "what functions and aggregates over rows give; values of `jsonb` begin with an octet of PostgreSQL's own",
        "the same, as texts; aggregates of the mount's schema, not over values of functions, READ ONLY, and with `SECURITY DEFINER` only where `routines` in [app.toml](app-toml.md) names them",
    ),
    row(
        "computed fields and relationships",
        "of functions of any schema",
        "of those of the mount that statements find without their schema, with the right to run them; no fields of rows that such functions give",
    ),
];
