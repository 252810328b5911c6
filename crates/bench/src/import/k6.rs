//! Scripts of k6 are programs, which no file of steps can say: they are refused with the way to run them.

/// What an import of k6 has in it.
const MARKS: [&str; 4] = ["'k6'", "\"k6\"", "'k6/", "\"k6/"];

/// The refusal of a script of k6: its line and the message; `None` for any other text.
pub fn refusal(text: &str) -> Option<(usize, String)> {
    let is_import = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("import ") || line.starts_with("} from ") || line.contains("require("))
            && MARKS.iter().any(|mark| line.contains(mark))
    };
    let at = text.lines().position(is_import)?;
    let message = "It is a script of k6, a program in JavaScript, and is not taken: run it by `k6 run`. What a browser recorded of the same service (HAR), its OpenAPI document and collections of Postman are taken.";
    Some((at + 1, message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_known_by_their_imports() {
        let script = "// a load test\nimport http from 'k6/http';\nexport default function () {}\n";
        let (line, message) = refusal(script).unwrap();
        assert!(line == 2 && message.contains("k6 run"), "{message}");
        assert!(refusal("const { check } = require(\"k6\");").is_some());
        assert_eq!(refusal("SELECT 'k6/http';"), None);
    }
}
