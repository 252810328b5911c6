//! Expands `${NAME}` in texts of a settings file from the environment.

use std::fmt;

use crate::settings::Environment;

/// A mistake in a text to expand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpandError {
    /// There are no such variables.
    Missing(Vec<String>),
    /// `${` without a name and a closing `}`.
    Unfinished,
}

impl ExpandError {
    /// The hint.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing(names) => {
                let what = if names.len() == 1 { "it" } else { "them" };
                format!("Set {what}, as in `{}=… duet serve`.", names.join("=… "))
            }
            Self::Unfinished => "Write `$${` where the characters themselves are meant.".into(),
        })
    }
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(names) => {
                let what = if names.len() == 1 { "variable" } else { "variables" };
                write!(f, "The environment has no {what} {}.", names.join(", "))
            }
            Self::Unfinished => f.write_str("`${` needs the name of a variable and a closing `}`."),
        }
    }
}

/// The text with every `${NAME}` replaced. `$${` is a literal `${`; other dollar signs are literal.
///
/// # Errors
/// All variables that are missing, or that one has no name or end.
pub(crate) fn expand(text: &str, environment: Environment<'_>) -> Result<String, ExpandError> {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut missing) = (text, Vec::new());
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            out.push_str(before);
            out.push_str("${");
            rest = after;
            continue;
        }
        out.push_str(before);
        let (name, after) = after.split_once('}').ok_or(ExpandError::Unfinished)?;
        if !is_name(name) {
            return Err(ExpandError::Unfinished);
        }
        match environment(name) {
            Some(value) => out.push_str(&value),
            None if missing.iter().any(|known| known == name) => {}
            None => missing.push(name.to_owned()),
        }
        rest = after;
    }
    out.push_str(rest);
    if missing.is_empty() { Ok(out) } else { Err(ExpandError::Missing(missing)) }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion() {
        let environment = |name: &str| match name {
            "USER" => Some("me".to_owned()),
            "P" => Some("a${USER}$".to_owned()),
            _ => None,
        };
        for (text, expected) in [
            ("", Ok("")),
            ("plain $5 $ {x}", Ok("plain $5 $ {x}")),
            ("${USER}", Ok("me")),
            ("postgres://${USER}:${P}@h/d", Ok("postgres://me:a${USER}$@h/d")),
            ("$${USER} ${USER}", Ok("${USER} me")),
            ("$$${USER}", Ok("$${USER}")),
            ("${NOT}", Err(ExpandError::Missing(vec!["NOT".into()]))),
            ("${A}:${USER}:${B}:${A}", Err(ExpandError::Missing(vec!["A".into(), "B".into()]))),
            ("${NOT}${", Err(ExpandError::Unfinished)),
            ("${USER", Err(ExpandError::Unfinished)),
            ("${}", Err(ExpandError::Unfinished)),
            ("${a b}", Err(ExpandError::Unfinished)),
            ("${1}", Err(ExpandError::Unfinished)),
        ] {
            assert_eq!(expand(text, &environment), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn all_missing_variables_are_named() {
        let error = |text| expand(text, &|_| None).unwrap_err();
        let two = error("postgres://${USER}:${PASSWORD}@h/d");
        assert_eq!(two.to_string(), "The environment has no variables USER, PASSWORD.");
        assert_eq!(two.hint().unwrap(), "Set them, as in `USER=… PASSWORD=… duet serve`.");
        let one = error("${A}");
        assert_eq!(one.to_string(), "The environment has no variable A.");
        assert_eq!(one.hint().unwrap(), "Set it, as in `A=… duet serve`.");
    }
}
