//! What can be read of the parameters of a request that was refused, for the answer to it.

use duet_document::typed_value;
use duet_model::Value;
use duet_model::key::parse_text;
use duet_text::json::{BODY, Json, JsonKind, read};

use super::arguments::PathValues;
use super::file::{ServiceFile, ServiceParameter};
use crate::parameters::Parameters;

/// Larger bodies are not read again for an answer that refuses them.
const MOST: usize = 64 << 10;

/// A body of a service is an object of values, or of arrays of objects.
const DEPTH: usize = 32;

impl ServiceFile {
    /// The values of the parameters as far as they can be read, whether they are within their limits or not; NULL
    /// for the others.
    pub fn readable_arguments(
        &self,
        path: &PathValues<'_>,
        query: Option<&str>,
        body: Option<&[u8]>,
    ) -> Vec<Value> {
        let names: Vec<&str> = self.beside_path().map(|own| own.name.as_str()).collect();
        let query = Parameters::of_known(query.filter(|_| self.method == "GET"), &names);
        let text = body.filter(|body| body.len() <= MOST);
        let text = text.and_then(|body| std::str::from_utf8(body).ok());
        let json = text.and_then(|text| read(text, &BODY, DEPTH).ok());
        let value = |parameter: &ServiceParameter| {
            let in_path = path.iter().find(|(name, _)| *name == parameter.name);
            let given = match in_path {
                Some((_, text)) => Some(text.clone()),
                None => query.text(&parameter.name).ok().flatten(),
            };
            let of_text = given.and_then(|text| parse_text(&parameter.ty, &text).ok());
            let of_body = || parameter.readable(json.as_ref()?);
            of_text.or_else(of_body).or_else(|| parameter.default.clone()).unwrap_or(Value::Null)
        };
        self.parameters.iter().map(value).collect()
    }
}

impl ServiceParameter {
    fn readable(&self, body: &Json<'_>) -> Option<Value> {
        let JsonKind::Object(members) = &body.kind else { return None };
        let member = members.iter().find(|member| member.name == self.name)?;
        typed_value(&self.ty, &member.value).ok()
    }
}
