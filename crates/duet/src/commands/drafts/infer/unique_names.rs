//! A JSON value that is only checked: no object has a name twice.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value without equal names in any of its objects.
#[derive(Debug)]
pub(super) struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Check)
    }
}

struct Check;

impl<'de> Visitor<'de> for Check {
    type Value = UniqueNames;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<UniqueNames, A::Error> {
        while elements.next_element::<UniqueNames>()?.is_some() {}
        Ok(UniqueNames)
    }

    /// Numbers are maps here too, with one name that is private to the library.
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<UniqueNames, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if names.contains(&name) {
                members.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom(format_args!("the member `{name}` is given twice")));
            }
            members.next_value::<UniqueNames>()?;
            names.insert(name);
        }
        Ok(UniqueNames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_in_each_object() {
        let check =
            |text: &str| serde_json::from_str::<UniqueNames>(text).map_err(|e| e.to_string());
        let fine = r#"{"a":{"a":[1,-2,2.5,1e400,123456789012345678901234567890,null,true,"a"]},"b":{"a":{}}}"#;
        assert!(check(fine).is_ok(), "{:?}", check(fine));
        let error = check(r#"[{"a":1},{"b":{"c":1,"d":2,"c":3}}]"#).unwrap_err();
        assert!(error.starts_with("the member `c` is given twice at line 1 column "), "{error}");
    }
}
