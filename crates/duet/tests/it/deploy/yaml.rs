//! YAML as the JSON that it means, merge keys (`<<`) applied.

use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value};

/// The documents of a text.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let documents = Yaml::load_from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    documents.iter().map(value).collect()
}

fn value(yaml: &Yaml<'_>) -> Value {
    match yaml {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => (*value).into(),
        Yaml::Value(Scalar::Integer(value)) => (*value).into(),
        Yaml::Value(Scalar::String(text)) => text.as_ref().into(),
        Yaml::Sequence(list) => list.iter().map(value).collect(),
        Yaml::Mapping(members) => {
            let mut own = Map::new();
            let mut merged = Map::new();
            for (key, member) in members {
                match (key.as_str(), value(member)) {
                    (Some("<<"), Value::Object(others)) => merged = others,
                    (Some(key), member) => drop(own.insert(key.to_owned(), member)),
                    (None, _) => panic!("a key is no text: {key:?}"),
                }
            }
            for (key, member) in merged {
                own.entry(key).or_insert(member);
            }
            Value::Object(own)
        }
        other => panic!("not expected in these files: {other:?}"),
    }
}
