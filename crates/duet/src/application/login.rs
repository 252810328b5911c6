//! `[login]`: a path where clients get a token for their id and secret in a JSON body.

use duet_service::definition::Login;

use super::reader::{At, Table};

/// Reads the section; `mounts` are the paths of the application.
pub(super) fn read(mut table: Table<'_>, mounts: Option<&[String]>) -> Option<Login> {
    let path = table.required_text("path");
    let header = table.required_text("header");
    let member = |text: Option<At<String>>, default: &str| {
        text.map_or_else(|| default.to_owned(), |text| text.value)
    };
    let client = member(table.text("client"), "username");
    let secret = member(table.text("secret"), "password");
    let status = status(&mut table);
    let read = path.zip(header).and_then(|(path, header)| checked(&table, path, header, mounts));
    table.finish(|_| None);
    let (path, header) = read?;
    Some(Login { path, client, secret, header, status })
}

/// The path and the header, if they can be what they are.
fn checked(
    table: &Table<'_>,
    At { value: path, span }: At<String>,
    At { value: header, span: of_header }: At<String>,
    mounts: Option<&[String]>,
) -> Option<(String, String)> {
    let is_below = |mount: &String| {
        path.strip_prefix(mount.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    if !mounts?.iter().any(is_below) || path.ends_with('/') {
        let hint = "Add a path to `mount` that it lies below, such as `/authn` for `/authn/login`.";
        table.wrong(span, format!("`path` cannot be {path:?}."), Some(hint.into()));
        return None;
    }
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let header = header.to_ascii_lowercase();
    if header.is_empty() || !header.bytes().all(is_token) || header == "authorization" {
        let hint = "It is the name of a header of its own, such as `x-token`.";
        table.wrong(of_header, format!("`header` cannot be {header:?}."), Some(hint.into()));
        return None;
    }
    Some((path, header))
}

/// `status`: 200 or 201.
fn status(table: &mut Table<'_>) -> u16 {
    let Some(At { value, span }) = table.number("status") else { return 200 };
    match value {
        200 => 200,
        201 => 201,
        _ => {
            table.wrong(
                span,
                format!("`status` cannot be {value}."),
                Some("Use 200 or 201.".into()),
            );
            200
        }
    }
}
