//! The manual's table of error codes is the one in the code. `DUET_ACCEPT=1` rewrites it.

use std::fmt::Write;
use std::path::Path;

use duet_model::Code;

const HEAD: &str = "\
# Errors

Every error has a permanent code. It is never reused and never changes its status. The body is RFC 9457's problem document
(`application/problem+json`) with the members that ORDS's clients know:

```json
{
  \"code\": \"BadRequest\",
  \"title\": \"The filter names an unknown field\",
  \"message\": \"There is no field `nme`.\",
  \"status\": 400,
  \"type\": \"tag:duet,2026:error/DUET-2004\",
  \"instance\": \"tag:duet,2026:request/5f0c1d2e-0-17\",
  \"errors\": [{ \"code\": \"DUET-2004\", \"message\": \"…\", \"hint\": \"Did you mean `name`?\", \"parameter\": \"q\", \"position\": 1 }]
}
```

`errors[].position` is a byte offset into the parameter, `pointer` a JSON pointer into a body. `instance` holds the id under which the server's
log has the cause, as a WARN line, or an ERROR line for status 500 and above; the cause itself (SQL, hosts, what the database said) is never sent. 429 and 503 carry `Retry-After`.

Where a constraint or a type refuses a value, `message` names the member and `pointer` leads to it, in nested documents too. A caller who may read the resource finds the name of a check constraint in `hint`. The text of a trigger (`RAISE`, with its `HINT`) is sent for resources with [`trigger_messages`](app-toml.md) only.

Codes in the 3000s and 5000s are for operators: `duet serve` and `duet check` print them, with the place in the file.

| code | status | what it means |
|---|---|---|
";

#[test]
fn the_table_of_error_codes() {
    let mut text = HEAD.to_owned();
    for code in Code::ALL {
        writeln!(text, "| {} | {} | {} |", code.as_str(), code.status(), code.title()).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    if std::env::var_os("DUET_ACCEPT").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(stored, text, "docs/errors.md is out of date: run with DUET_ACCEPT=1");
}
