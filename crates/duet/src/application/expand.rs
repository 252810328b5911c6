//! Expands `${NAME}` in texts of a settings file from the environment.

use std::fmt;

use crate::settings::Environment;

/// A mistake in a text to expand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpandError {
    /// There is no such variable.
    Missing(String),
    /// `${` without a name and a closing `}`.
    Unfinished,
}

impl ExpandError {
    /// The hint.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing(name) => format!("Set it, as in `{name}=… duet serve`."),
            Self::Unfinished => "Write `$${` where the characters themselves are meant.".into(),
        })
    }
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "The environment has no variable {name}."),
            Self::Unfinished => f.write_str("`${` needs the name of a variable and a closing `}`."),
        }
    }
}

/// The text with every `${NAME}` replaced. `$${` is a literal `${`; other dollar signs are literal.
pub(crate) fn expand(text: &str, environment: Environment<'_>) -> Result<String, ExpandError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
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
        out.push_str(&environment(name).ok_or_else(|| ExpandError::Missing(name.into()))?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
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
            ("${NOT}", Err(ExpandError::Missing("NOT".into()))),
            ("${USER", Err(ExpandError::Unfinished)),
            ("${}", Err(ExpandError::Unfinished)),
            ("${a b}", Err(ExpandError::Unfinished)),
            ("${1}", Err(ExpandError::Unfinished)),
        ] {
            assert_eq!(expand(text, &environment), expected.map(str::to_owned), "{text}");
        }
    }
}
