//! Requests of a recording or a collection, as steps of a group.

use super::write::{plain, quoted};
use crate::workload::file::encoded;

/// The methods whose parameters are the content; those of others are the query.
const OF_FORMS: [&str; 3] = ["POST", "PUT", "PATCH"];
/// Fields that the bench writes itself, or that belong to the connection of the recording.
const OWN_FIELDS: [&str; 6] =
    ["host", "connection", "content-length", "transfer-encoding", "proxy-connection", "te"];

/// A request. Its texts are written as they are: they may have placeholders.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    pub(super) name: String,
    pub(super) method: String,
    /// The path, or a whole URL.
    pub(super) path: String,
    pub(super) fields: Vec<(String, String)>,
    pub(super) body: Option<String>,
    /// Names and values of a form, as they are.
    pub(super) form: Vec<(String, String)>,
    /// Parts of `multipart/form-data`: names, values or files, and types.
    pub(super) parts: Vec<Part>,
    pub(super) statuses: Vec<u16>,
    /// Captured values with their JSON paths.
    pub(super) captures: Vec<(String, String)>,
    pub(super) follows: bool,
}

/// A part of a form.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) value: String,
    /// Whether the value is the path of a file.
    pub(super) is_file: bool,
    pub(super) media: String,
}

impl Recorded {
    /// Whether the bench writes a field itself, so that it is left out.
    pub(super) fn is_own(field: &str) -> bool {
        field.starts_with(':') || OWN_FIELDS.iter().any(|own| field.eq_ignore_ascii_case(own))
    }

    /// Leaves out the fields of a name.
    pub(super) fn forget(&mut self, name: &str) {
        self.fields.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    }

    /// Leaves out the parameters of a name in the query.
    pub(super) fn forget_query(&mut self, name: &str) {
        let Some((place, query)) = self.path.split_once('?') else { return };
        let is_other = |pair: &&str| pair.split('=').next() != Some(name);
        let kept: Vec<&str> = query.split('&').filter(is_other).collect();
        let mark = if kept.is_empty() { "" } else { "?" };
        self.path = format!("{place}{mark}{}", kept.join("&"));
    }

    /// A form that is sent with a method whose parameters are the query becomes a text.
    ///
    /// # Errors
    /// A sentence, where its names and values are not known yet.
    pub(super) fn settle_form(&mut self) -> Result<(), String> {
        if self.form.is_empty() || OF_FORMS.contains(&&*self.method) {
            return Ok(());
        }
        let form = std::mem::take(&mut self.form);
        if form.iter().any(|(name, value)| name.contains('$') || value.contains('$')) {
            return Err(format!("A form with variables is not taken with {}.", self.method));
        }
        let pair =
            |(name, value): &(String, String)| format!("{}={}", encoded(name), encoded(value));
        self.body = Some(form.iter().map(pair).collect::<Vec<_>>().join("&"));
        let is_type = |(name, _): &(String, String)| name.eq_ignore_ascii_case("content-type");
        if !self.fields.iter().any(is_type) {
            let form = "application/x-www-form-urlencoded";
            self.fields.push(("Content-Type".into(), form.into()));
        }
        Ok(())
    }

    /// The step, as a value of TOML.
    pub(super) fn step(&self) -> String {
        let mut http = vec![format!("path = {}", quoted(&self.path))];
        if self.method != "GET" {
            http.insert(0, format!("method = {}", quoted(&self.method)));
        }
        if !self.fields.is_empty() {
            let pair =
                |(name, value): &(String, String)| format!("[{}, {}]", quoted(name), quoted(value));
            let fields: Vec<String> = self.fields.iter().map(pair).collect();
            http.push(format!("fields = [{}]", fields.join(", ")));
        }
        if let Some(body) = &self.body {
            http.push(format!("body = {}", quoted(body)));
        }
        if !self.form.is_empty() {
            let pair = |(name, value): &(String, String)| {
                format!("{{ name = {}, value = {}, encode = true }}", quoted(name), quoted(value))
            };
            let pairs: Vec<String> = self.form.iter().map(pair).collect();
            http.push(format!("parameters = [{}]", pairs.join(", ")));
        }
        if !self.parts.is_empty() {
            let parts: Vec<String> = self.parts.iter().map(Part::text).collect();
            http.push(format!("parts = [{}]", parts.join(", ")));
        }
        if self.follows {
            http.push("follow = \"all\"".to_owned());
        }
        let mut step = vec![
            format!("name = {}", quoted(&plain(&self.name))),
            format!("http = {{ {} }}", http.join(", ")),
        ];
        if !self.captures.is_empty() {
            let one = |(name, path): &(String, String)| {
                format!("{} = {{ path = {} }}", quoted(name), quoted(path))
            };
            let all: Vec<String> = self.captures.iter().map(one).collect();
            step.push(format!("after = [{{ capture = {{ {} }} }}]", all.join(", ")));
        }
        if !self.statuses.is_empty() {
            step.push(format!("check.status = {:?}", self.statuses));
        }
        format!("{{ {} }}", step.join(", "))
    }
}

impl Part {
    fn text(&self) -> String {
        let what = if self.is_file { "file" } else { "value" };
        let media = match self.media.is_empty() {
            true => String::new(),
            false => format!(", type = {}", quoted(&self.media)),
        };
        format!("{{ name = {}, {what} = {}{media} }}", quoted(&self.name), quoted(&self.value))
    }
}

/// Requests in their order, as they are imported.
pub(super) struct ImportedRequests<'r> {
    /// The format of the file.
    pub(super) from: &'r str,
    pub(super) name: &'r str,
    pub(super) target: Option<&'r str>,
    /// Values that requests name.
    pub(super) values: &'r [(String, String)],
    pub(super) notes: &'r [String],
    /// Blocks that are measured together.
    pub(super) blocks: &'r [(Option<String>, Vec<Recorded>)],
}

/// The workload of them: one user repeats it.
pub(super) fn workload(imported: &ImportedRequests<'_>) -> String {
    let ImportedRequests { from, name, target, values, notes, blocks } = *imported;
    let mut text = format!("# From {from}: one user; raise `users` of the group.\n");
    for note in notes {
        text += &format!("# {}\n", note.replace('\n', " "));
    }
    text += &format!("[workload]\nname = {}\n", quoted(name));
    if let Some(target) = target {
        text += &format!("target = {}\n", quoted(target));
    }
    text += "cookies = \"keep\"\n";
    if !values.is_empty() {
        text += "\n[workload.values]\n";
        for (name, value) in values {
            text += &format!("{} = {}\n", quoted(name), quoted(value));
        }
    }
    text += &format!("\n[[group]]\nname = {}\nusers = 1\niterations = 1\n", quoted(name));
    for (block, requests) in blocks {
        // Steps that are not measured together are in a loop of one pass.
        let kind = match block {
            None => "loop = 1".to_owned(),
            Some(block) => format!("measure = {}", quoted(&plain(block))),
        };
        text += &format!("\n[[group.step]]\n{kind}\nstep = [\n");
        for request in requests {
            text += &format!("  {},\n", request.step());
        }
        text += "]\n";
    }
    text
}
