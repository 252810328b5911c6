//! Compiles texts with `${…}`. The encoding of a value depends on its position: in a path, in JSON, in a header field.

use super::functions::{FUNCTIONS, Function, call, closing, divided};
use super::names::Names;
pub(super) use super::pieces::Template;
use super::pieces::{Call, Encoding, Piece};
use super::problem::Problem;

/// The position of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPosition {
    /// A text to compare or to search for.
    Plain,
    /// The value of a header field.
    Field,
    /// Path and query of a request.
    Path,
    /// Content that is JSON.
    Json,
    /// Content of an HTML form (`application/x-www-form-urlencoded`).
    Form,
    /// An expression of numbers.
    Expression,
}

impl Template {
    /// Compiles a text. `$${` is a literal `${`.
    pub(super) fn compile(
        text: &str,
        place: TextPosition,
        names: &Names,
        key: &str,
    ) -> Result<Self, Problem> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut in_string = false;
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if rest[..at].ends_with('$') {
                push(&mut literal, &rest[..at - 1], place, &mut in_string);
                push(&mut literal, "${", place, &mut in_string);
                rest = &rest[at + 2..];
                continue;
            }
            push(&mut literal, &rest[..at], place, &mut in_string);
            let inside = &rest[at + 2..];
            let Some(end) = closing(inside) else {
                let message = "A placeholder is not closed: `${` needs a `}`.";
                return Err(Problem::new(key, message));
            };
            let slot = slot(inside[..end].trim(), names, key)?;
            let encoding = match place {
                TextPosition::Plain => Encoding::Plain,
                TextPosition::Field => Encoding::Field,
                TextPosition::Expression => Encoding::Expression,
                TextPosition::Path if pieces.is_empty() && literal.is_empty() => Encoding::Address,
                TextPosition::Path | TextPosition::Form => Encoding::Url,
                TextPosition::Json if in_string => Encoding::JsonText,
                TextPosition::Json => Encoding::Json,
            };
            if !literal.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Value { slot, encoding });
            rest = &inside[end + 1..];
        }
        push(&mut literal, rest, place, &mut in_string);
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal));
        }
        Ok(Self(pieces))
    }
}

/// The slot of a placeholder: a name, or a call of a function.
fn slot(inside: &str, names: &Names, key: &str) -> Result<usize, Problem> {
    let Some((name, given)) = call(inside).filter(|_| !names.has(inside)) else {
        return names.find(inside, key);
    };
    let Some(row) = Function::named(name) else {
        let message = format!("There is no function `{name}`.");
        return Err(Problem::unknown(key, message, name, FUNCTIONS.iter().map(|row| row.name)));
    };
    let given = divided(given);
    let [least, most] = row.count;
    if given.len() < least || given.len() > most {
        let message = format!("The arguments of `{name}` are ({}).", row.arguments);
        return Err(Problem::new(key, message));
    }
    let keeps = row.keeps.and_then(|at| given.get(at)).map(|name| name.trim().to_owned());
    let position = match row.function {
        Function::Compute => TextPosition::Expression,
        _ => TextPosition::Plain,
    };
    let read = |text: &String| Template::compile(text, position, names, key);
    let arguments = given.iter().map(read).collect::<Result<_, _>>()?;
    let keeps = keeps.filter(|name| !name.is_empty());
    Ok(names.calls(|slot, number| Call { function: row.function, arguments, keeps, slot, number }))
}

/// Adds text to a piece; in JSON it tracks whether a string is open.
fn push(literal: &mut String, text: &str, place: TextPosition, in_string: &mut bool) {
    match place {
        TextPosition::Path => text.chars().for_each(|char| match char {
            // Characters that a request line cannot have; a `%` is the author's own.
            ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => encode(char, literal),
            char if char.is_control() || !char.is_ascii() => encode(char, literal),
            char => literal.push(char),
        }),
        TextPosition::Json => {
            let mut escaped = false;
            for char in text.chars() {
                match char {
                    '"' if !escaped => *in_string = !*in_string,
                    _ => {}
                }
                escaped = *in_string && char == '\\' && !escaped;
            }
            literal.push_str(text);
        }
        TextPosition::Plain
        | TextPosition::Field
        | TextPosition::Form
        | TextPosition::Expression => literal.push_str(text),
    }
}

fn encode(char: char, out: &mut String) {
    let mut bytes = [0; 4];
    for byte in char.encode_utf8(&mut bytes).bytes() {
        out.push_str(&format!("%{byte:02X}"));
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Value;

    use super::*;

    fn written(text: &str, place: TextPosition, value: Value) -> String {
        let mut names = Names::default();
        names.add("a");
        let template = Template::compile(text, place, &names, "k").unwrap();
        template.text(&[value]).unwrap_or_else(|failed| format!("! {}", failed.message))
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn values_are_written_for_their_place() {
        for (template, place, value, expected) in [
            ("x${a}y", TextPosition::Plain, text("\"/"), "x\"/y"),
            ("$${a} ${ a }", TextPosition::Plain, Value::Int(-7), "${a} -7"),
            (
                "/i/${a}?q={\"x\":1} é",
                TextPosition::Path,
                text("a/b é"),
                "/i/a%2Fb%20%C3%A9?q=%7B%22x%22:1%7D%20%C3%A9",
            ),
            ("user=${a}&x=1 2", TextPosition::Form, text("a&b=é"), "user=a%26b%3D%C3%A9&x=1 2"),
            ("${a}/x", TextPosition::Path, text("http://h:1/p?q=1"), "/p?q=1/x"),
            (
                "${a}",
                TextPosition::Path,
                text("p"),
                "! a value that begins a path is neither a URL nor a path",
            ),
            (
                r#"{"a": "x\"${a}", "b": ${a}}"#,
                TextPosition::Json,
                text("\"\n"),
                r#"{"a": "x\"\"\n", "b": "\"\n"}"#,
            ),
            (
                r#"{"a": ${a}, "b": "${a}"}"#,
                TextPosition::Json,
                Value::Int(5),
                r#"{"a": 5, "b": "5"}"#,
            ),
            ("[${a}]", TextPosition::Json, Value::Null, "[null]"),
            ("(${a}) / 3", TextPosition::Expression, Value::Float(8.0), "(8.0) / 3"),
            ("(${a}) / 3", TextPosition::Expression, Value::Null, "(NULL) / 3"),
            ("[${a}]", TextPosition::Json, Value::Float(f64::NAN), "[null]"),
            (
                "Bearer ${a}",
                TextPosition::Field,
                text("x\r\nHost: y"),
                "! a value for a header field has a line break",
            ),
        ] {
            assert_eq!(written(template, place, value), expected, "{template}");
        }
    }

    #[test]
    fn wrong_placeholders() {
        let mut names = Names::default();
        for name in ["product", "price", "user"] {
            names.add(name);
        }
        let problem =
            |text: &str| Template::compile(text, TextPosition::Plain, &names, "k").unwrap_err();
        assert!(problem("${prodct}").to_string().ends_with("Did you mean `product`?"));
        assert!(problem("${xyz}").to_string().ends_with("There are `price`, `product`, `user`."));
        assert!(problem("a ${price").message.contains("not closed"));
    }
}
