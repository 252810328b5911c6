//! A request as code that people paste: for a shell, a browser, Python and k6. Tokens are left to the reader.

use serde_json::Value;

use crate::address::shell_word;

/// A request of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The whole address, with its query.
    pub url: String,
    /// Headers besides `Authorization`.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: String,
}

impl Request {
    /// The request in each language: its name, and the code.
    ///
    /// ```
    /// use duet_console::snippet::Request;
    /// let request = Request { method: "GET".into(), url: "http://h/api/team/".into(), ..Request::default() };
    /// assert_eq!(request.snippets()[0].1, "curl -s 'http://h/api/team/' \\\n  -H \"Authorization: Bearer $TOKEN\"");
    /// ```
    pub fn snippets(&self) -> [(&'static str, String); 4] {
        [
            ("curl", self.curl()),
            ("JavaScript", self.fetch()),
            ("Python", self.python()),
            ("k6", self.k6()),
        ]
    }

    fn curl(&self) -> String {
        let method = match &*self.method {
            "GET" => String::new(),
            "HEAD" => "-I ".to_owned(),
            method => format!("-X {method} "),
        };
        let mut code = format!(
            "curl -s {method}{} \\\n  -H \"Authorization: Bearer $TOKEN\"",
            shell_word(&self.url)
        );
        for (name, value) in &self.headers {
            code.push_str(&format!(" \\\n  -H {}", shell_word(&format!("{name}: {value}"))));
        }
        if !self.body.is_empty() {
            code.push_str(&format!(" \\\n  --data-binary {}", shell_word(&self.body)));
        }
        code
    }

    fn headers(&self, token: &str) -> String {
        let own =
            self.headers.iter().map(|(name, value)| format!(", {}: {}", text(name), text(value)));
        format!("{{ \"Authorization\": {token}{} }}", own.collect::<String>())
    }

    fn fetch(&self) -> String {
        let headers = self.headers("`Bearer ${token}`");
        let body = if self.body.is_empty() {
            String::new()
        } else {
            format!("\n  body: {},", text(&self.body))
        };
        format!(
            "const answer = await fetch({}, {{\n  method: {},\n  headers: {headers},{body}\n}});\nconsole.log(answer.status, await answer.text());",
            text(&self.url),
            text(&self.method)
        )
    }

    fn python(&self) -> String {
        let headers = self.headers("\"Bearer \" + token");
        let data = if self.body.is_empty() {
            String::new()
        } else {
            format!(",\n    data={}.encode()", text(&self.body))
        };
        format!(
            "import urllib.request\n\nrequest = urllib.request.Request(\n    {},\n    method={},\n    headers={headers}{data},\n)\nwith urllib.request.urlopen(request) as answer:\n    print(answer.status, answer.read().decode())",
            text(&self.url),
            text(&self.method)
        )
    }

    fn k6(&self) -> String {
        let headers = self.headers("`Bearer ${__ENV.TOKEN}`");
        let body = if self.body.is_empty() { "null".to_owned() } else { text(&self.body) };
        format!(
            "import http from \"k6/http\";\nimport {{ check }} from \"k6\";\n\nexport default function () {{\n  const answer = http.request({}, {}, {body}, {{ headers: {headers} }});\n  check(answer, {{ \"succeeds\": (it) => it.status < 400 }});\n}}",
            text(&self.method),
            text(&self.url)
        )
    }
}

/// A string of JavaScript and of Python: those of JSON are strings of both.
fn text(text: &str) -> String {
    // Lines that end with these are the end of a string in older JavaScript.
    Value::from(text).to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_quotes() {
        let request = Request {
            method: "PATCH".into(),
            url: "http://h/a?q='\"`".into(),
            headers: vec![("If-Match".into(), "\"a\"".into())],
            body: "{\"a\":\"it's\\n\"}".into(),
        };
        let [(_, curl), (_, fetch), (_, python), (_, k6)] = request.snippets();
        assert_eq!(
            curl,
            "curl -s -X PATCH 'http://h/a?q='\\''\"`' \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  -H 'If-Match: \"a\"' \\\n  --data-binary '{\"a\":\"it'\\''s\\n\"}'"
        );
        let body = "\"{\\\"a\\\":\\\"it's\\\\n\\\"}\"";
        for code in [&fetch, &python, &k6] {
            assert!(code.contains(body) && code.contains("\"If-Match\": \"\\\"a\\\"\""), "{code}");
        }
        assert!(python.contains("method=\"PATCH\""), "{python}");
    }
}
