//! The functions of placeholders: `${random(1,10)}`. This table drives the parser, its refusals and the manual.

pub(crate) mod decimal;
pub(crate) mod expression;
pub(crate) mod moment;
pub(crate) mod number;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// A value that all users share.
    Shared,
    /// A whole number.
    Random,
    /// A text of random characters.
    RandomText,
    /// A random UUID.
    Uuid,
    /// The present moment.
    Time,
    /// A moment before or after the present one.
    TimeShift,
    /// The number of the user in its group.
    UserNumber,
    /// The name of the group.
    GroupName,
    /// How often the call was computed.
    Count,
    /// A field of the first row of a CSV file.
    CsvCell,
    /// The text of a file.
    File,
    /// A text whose placeholders are filled in once more.
    Eval,
    /// The value of a computed name.
    Value,
    /// The folder of the file.
    Folder,
    /// A text as a part of a form.
    UrlEncode,
    /// The reverse.
    UrlDecode,
    /// Whether the last measured step passed.
    LastOk,
    /// A sum of whole numbers.
    Sum,
    /// The value of an expression of numbers.
    Compute,
    /// The text itself.
    Text,
    /// A text in capital letters.
    Upper,
    /// A text in small letters.
    Lower,
    /// A text whose first letter is a capital.
    Capitalize,
    /// One of several texts, by a number.
    Pick,
    /// A number by a pattern.
    Decimal,
    /// Sets a value that all users share.
    SetShared,
    /// Whether a value is set.
    IsSet,
    /// Whether a value that all users share is set.
    IsShared,
    /// The parts of a text.
    Split,
    /// Characters by their numbers.
    Characters,
    /// Nothing.
    Nothing,
    /// The value of one of several names.
    OneOf,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct FunctionRow {
    /// The function.
    pub function: Function,
    /// Its name in workload files.
    pub name: &'static str,
    /// Its arguments, as the manual shows them.
    pub arguments: &'static str,
    /// The fewest and the most arguments.
    pub count: [usize; 2],
    /// The argument that names a value to keep the result in, counted from 0.
    pub keeps: Option<usize>,
    /// What it gives, for the manual.
    pub about: &'static str,
    /// The functions of JMeter that become it, for the manual.
    pub jmeter: &'static [&'static str],
}

const fn row(
    function: Function,
    name: &'static str,
    arguments: &'static str,
    count: [usize; 2],
    keeps: Option<usize>,
    about: &'static str,
    jmeter: &'static [&'static str],
) -> FunctionRow {
    FunctionRow { function, name, arguments, count, keeps, about, jmeter }
}

/// All functions.
pub const FUNCTIONS: [FunctionRow; 32] = [
    row(
        Function::Shared,
        "shared",
        "NAME,DEFAULT,KEEP",
        [1, 3],
        Some(2),
        "the value that all users share, `-J NAME=VALUE` or `share.NAME`",
        &["__P", "__property"],
    ),
    row(
        Function::Random,
        "random",
        "FROM,TO,KEEP",
        [2, 3],
        Some(2),
        "a whole number",
        &["__Random"],
    ),
    row(
        Function::RandomText,
        "random_text",
        "LENGTH,CHARACTERS,KEEP",
        [1, 3],
        Some(2),
        "random characters, small letters by default",
        &["__RandomString"],
    ),
    row(Function::Uuid, "uuid", "", [0, 1], None, "a random UUID", &["__UUID"]),
    row(
        Function::Time,
        "time",
        "FORMAT,KEEP",
        [0, 2],
        Some(1),
        "now: milliseconds since 1970, seconds (`/1000`), or in UTC by a pattern such as `yyyy-MM-dd'T'HH:mm:ss.SSS`",
        &["__time"],
    ),
    row(
        Function::TimeShift,
        "time_shift",
        "FORMAT,,PERIOD,,KEEP",
        [0, 5],
        Some(4),
        "now and a period such as `P1DT2H` or `-PT30M`",
        &["__timeShift"],
    ),
    row(
        Function::UserNumber,
        "user_number",
        "",
        [0, 0],
        None,
        "the user's number in its group, from 1",
        &["__threadNum"],
    ),
    row(
        Function::GroupName,
        "group_name",
        "",
        [0, 0],
        None,
        "the name of its group",
        &["__threadGroupName"],
    ),
    row(
        Function::Count,
        "count",
        "EACH,KEEP",
        [0, 2],
        Some(1),
        "how often it was computed here, by each user with `TRUE`",
        &["__counter"],
    ),
    row(
        Function::CsvCell,
        "csv_cell",
        "FILE,COLUMN",
        [2, 2],
        None,
        "a field of the first row of a file, by the column's number from 0",
        &["__CSVRead"],
    ),
    row(Function::File, "file", "FILE", [1, 3], Some(2), "the text of a file", &["__FileToString"]),
    row(
        Function::Eval,
        "eval",
        "TEXT",
        [1, 1],
        None,
        "the text with the placeholders that its values hold",
        &["__eval", "__evalVar"],
    ),
    row(
        Function::Value,
        "value",
        "NAME,DEFAULT",
        [1, 2],
        None,
        "the value of a computed name",
        &["__V"],
    ),
    row(
        Function::Folder,
        "folder",
        "",
        [0, 0],
        None,
        "the folder of the file",
        &["__BeanShell", "__groovy"],
    ),
    row(
        Function::UrlEncode,
        "url_encode",
        "TEXT",
        [1, 1],
        None,
        "the text as a value of a form",
        &["__urlencode"],
    ),
    row(Function::UrlDecode, "url_decode", "TEXT", [1, 1], None, "the reverse", &["__urldecode"]),
    row(
        Function::LastOk,
        "last_ok",
        "",
        [0, 0],
        None,
        "`true` or `false`: whether the user's last measured step passed",
        &["JMeterThread.last_sample_ok"],
    ),
    row(
        Function::Sum,
        "sum",
        "NUMBER,NUMBER,…,KEEP",
        [1, 64],
        None,
        "the sum of whole numbers",
        &["__intSum", "__longSum"],
    ),
    row(
        Function::Compute,
        "compute",
        "EXPRESSION",
        [1, 64],
        None,
        "the value of an expression of numbers in the operators and functions of pgbench, such as `${n} * 2 + random(1, 5)`; NULL where it has none",
        &[],
    ),
    row(Function::Text, "text", "TEXT", [1, 1], None, "the text, such as `$`", &["__log"]),
    row(
        Function::Upper,
        "upper",
        "TEXT",
        [1, 1],
        None,
        "the text in capital letters",
        &["__changeCase"],
    ),
    row(Function::Lower, "lower", "TEXT", [1, 1], None, "in small ones", &["__changeCase"]),
    row(
        Function::Capitalize,
        "capitalize",
        "TEXT",
        [1, 1],
        None,
        "with a capital letter first",
        &["__changeCase"],
    ),
    row(
        Function::Pick,
        "pick",
        "NUMBER,TEXT,TEXT,…",
        [2, 10_001],
        None,
        "the text with this number, from 1; behind the last, the first again",
        &[],
    ),
    row(
        Function::Decimal,
        "decimal",
        "NUMBER,PATTERN",
        [2, 2],
        None,
        "the number by a pattern such as `id-000`",
        &[],
    ),
    row(
        Function::SetShared,
        "set_shared",
        "NAME,VALUE,RETURN",
        [2, 3],
        None,
        "nothing, or with `true` the value before: it sets one that all users share",
        &["__setProperty"],
    ),
    row(
        Function::IsSet,
        "is_set",
        "NAME",
        [1, 1],
        None,
        "`true` or `false`: whether there is a value of this name",
        &["__isVarDefined"],
    ),
    row(
        Function::IsShared,
        "is_shared",
        "NAME",
        [1, 1],
        None,
        "the same of those that all users share",
        &["__isPropDefined"],
    ),
    row(
        Function::Split,
        "split",
        "TEXT,NAME,SEPARATOR",
        [2, 3],
        None,
        "the text; its parts are `${NAME_1}` …, their number is `${NAME_n}`",
        &["__split"],
    ),
    row(
        Function::Characters,
        "characters",
        "NUMBER,NUMBER,…",
        [1, 1_000],
        None,
        "the characters with these numbers, also `0x41`",
        &["__char"],
    ),
    row(
        Function::OneOf,
        "one_of",
        "NAMES,KEEP",
        [1, 2],
        Some(1),
        "the value of one of several names with `|` between them",
        &["__RandomFromMultipleVars"],
    ),
    row(Function::Nothing, "nothing", "…", [0, 64], None, "nothing", &["__logn"]),
];

impl Function {
    /// The function of a name.
    pub(super) fn named(name: &str) -> Option<&'static FunctionRow> {
        FUNCTIONS.iter().find(|row| row.name == name)
    }
}

/// Where the brace closes that was open before a text.
pub(crate) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' if at > 0 && bytes[at - 1] == b'$' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The arguments of a call: divided by commas outside of braces, unless a backslash is before them.
pub(crate) fn divided(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.next() {
        let Some(part) = parts.last_mut() else { break };
        match next {
            '\\' if depth == 0 && chars.peek() == Some(&',') => part.extend(chars.next()),
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth = match next {
                    '{' | '(' => depth + 1,
                    '}' | ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                part.push(next);
            }
        }
    }
    if parts.len() == 1 && parts[0].is_empty() { Vec::new() } else { parts }
}

/// The name and the arguments of a call: `name(arguments)`.
pub(crate) fn call(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let arguments = rest.trim_end().strip_suffix(')')?;
    (!name.is_empty() && name.bytes().all(is_name)).then_some((name, arguments))
}

/// The manual's table.
pub fn manual() -> String {
    let mut text = String::from("| function | value |\n|---|---|\n");
    for row in &FUNCTIONS {
        text += &format!("| `${{{}({})}}` | {} |\n", row.name, row.arguments, row.about);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `DUET_ACCEPT=1` writes the table of the manual again.
    #[test]
    fn the_manual_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bench-workload.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (start, end) =
            ("<!-- functions: written by crates/bench -->\n", "<!-- end of functions -->");
        let (before, rest) = page.split_once(start).unwrap();
        let (table, after) = rest.split_once(end).unwrap();
        let text = manual();
        if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
            std::fs::write(path, format!("{before}{start}{text}{end}{after}")).unwrap();
            return;
        }
        assert_eq!(table, text, "docs/bench-workload.md is out of date: run with DUET_ACCEPT=1");
    }

    #[test]
    fn names_and_arguments_of_calls() {
        assert_eq!(call("random(1,${n})"), Some(("random", "1,${n}")));
        assert_eq!((call("a b(1)"), call("name"), call("x(1")), (None, None, None));
        assert_eq!(divided("a\\,b,${f(c,d)},"), ["a,b", "${f(c,d)}", ""]);
        assert_eq!(closing("a ${b} c} d"), Some(8));
        for (at, row) in FUNCTIONS.iter().enumerate() {
            assert_eq!(Function::named(row.name).unwrap().function, row.function);
            assert!(!FUNCTIONS[..at].iter().any(|other| other.name == row.name), "{}", row.name);
            assert!(row.keeps.is_none_or(|keeps| keeps < row.count[1]), "{}", row.name);
        }
    }
}
