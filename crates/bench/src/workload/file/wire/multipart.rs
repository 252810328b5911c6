//! Content of several parts, `multipart/form-data` (RFC 7578): values and files.

use std::borrow::Cow;
use std::path::Path;

use duet_client::confinement;
use duet_model::Value;

use super::super::definition::FormPart;
use super::super::names::Names;
use super::super::problem::Problem;
use super::super::template::{Template, TextPosition};
use crate::workload::Failed;

/// The longest file of a part: each request has a copy of it in memory.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Compiled parts.
#[derive(Debug)]
pub(super) struct Multipart {
    parts: Vec<CompiledPart>,
    /// What separates parts: no file has it.
    boundary: String,
}

#[derive(Debug)]
struct CompiledPart {
    /// Its head, up to the empty line.
    head: Template,
    content: PartContent,
}

#[derive(Debug)]
enum PartContent {
    Value(Template),
    File(Vec<u8>),
}

impl Multipart {
    pub(super) fn compile(
        parts: &[FormPart],
        names: &Names,
        folder: &Path,
        key: &str,
    ) -> Result<Self, Problem> {
        let mut compiled = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let key = &format!("{key}.parts[{}]", number + 1);
            let plain = |text: &str| Template::compile(text, TextPosition::Plain, names, key);
            let mut head =
                format!("Content-Disposition: form-data; name=\"{}\"", escaped(&part.name));
            let content = match (&part.value, &part.file) {
                (Some(value), None) => PartContent::Value(plain(value)?),
                (None, Some(file)) => {
                    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
                    head += &format!("; filename=\"{}\"", escaped(&name.replace("${", "$${")));
                    PartContent::File(read(&folder.join(file), key)?)
                }
                _ => return Err(Problem::new(key, "A part has either `value` or `file`.")),
            };
            let media = match (&part.media, &part.file) {
                (Some(media), _) => Some(media.as_str()),
                (None, Some(_)) => Some("application/octet-stream"),
                (None, None) => None,
            };
            if let Some(media) = media {
                head += &format!("\r\nContent-Type: {media}");
            }
            compiled.push(CompiledPart { head: plain(&head)?, content });
        }
        let boundary = boundary(&compiled);
        Ok(Self { parts: compiled, boundary })
    }

    /// The content and its type.
    ///
    /// # Errors
    /// If a value cannot be written.
    pub(super) fn written(&self, values: &[Value]) -> Result<(Vec<u8>, Cow<'static, str>), Failed> {
        let boundary = &self.boundary;
        let mut out = Vec::new();
        for part in &self.parts {
            let head = part.head.text(values)?;
            if head.chars().any(|char| char.is_control() && !"\r\n".contains(char))
                || head.matches('\n').count() > 1
            {
                return Err(Failed::check("the head of a part has a line break"));
            }
            out.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n").as_bytes());
            match &part.content {
                PartContent::Value(value) => out.extend_from_slice(value.text(values)?.as_bytes()),
                PartContent::File(bytes) => out.extend_from_slice(bytes),
            }
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        Ok((out, format!("multipart/form-data; boundary={boundary}").into()))
    }
}

/// A name in quotes (RFC 7578 §2, WHATWG's form submission).
fn escaped(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn read(path: &Path, key: &str) -> Result<Vec<u8>, Problem> {
    let unread = |error: std::io::Error| {
        Problem::new(key, format!("The file {} cannot be read: {error}.", path.display()))
    };
    let length = std::fs::metadata(path).map_err(unread)?.len();
    if length > LONGEST {
        let message = format!("The file {} is longer than {LONGEST} bytes.", path.display());
        return Err(Problem::new(key, message));
    }
    confinement::read(path).map_err(unread)
}

/// A separator that no file has. Values may not hold one by accident either: it is random.
fn boundary(parts: &[CompiledPart]) -> String {
    loop {
        let boundary = format!("duet-{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let is_in = |part: &CompiledPart| match &part.content {
            PartContent::File(bytes) => memchr::memmem::find(bytes, boundary.as_bytes()).is_some(),
            PartContent::Value(_) => false,
        };
        if !parts.iter().any(is_in) {
            return boundary;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.bin"), b"\x00\xff").unwrap();
        let part = |name: &str, value: Option<&str>, file: Option<&str>| FormPart {
            name: name.into(),
            value: value.map(str::to_owned),
            file: file.map(str::to_owned),
            media: None,
        };
        let mut names = Names::default();
        let slot = names.add("who");
        let parts = [part("a\"b", Some("x ${who}"), None), part("f", None, Some("a.bin"))];
        let compiled = Multipart::compile(&parts, &names, folder.path(), "k").unwrap();
        let mut values = names.initial();
        values[slot] = Value::Text("you".into());
        let (content, media) = compiled.written(&values).unwrap();
        let boundary = media.strip_prefix("multipart/form-data; boundary=").unwrap();
        let expected = [
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\nx you\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n").as_bytes(),
            b"\x00\xff\r\n",
            format!("--{boundary}--\r\n").as_bytes(),
        ]
        .concat();
        assert_eq!(content, expected);
        for (part, said) in [
            (part("a", None, None), "either `value` or `file`"),
            (part("a", None, Some("nowhere")), "cannot be read"),
        ] {
            let problem = Multipart::compile(&[part], &names, folder.path(), "k").unwrap_err();
            assert!(problem.message.contains(said), "{problem}");
        }
    }
}
