//! Lines of CSV files.

/// The fields of a line.
pub(super) fn fields(line: &str, delimiter: char, quoted: bool) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut inside, mut chars) = (false, line.trim_end_matches('\r').chars().peekable());
    while let Some(next) = chars.next() {
        let Some(field) = fields.last_mut() else { break };
        match next {
            '"' if quoted && inside && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' if quoted && (inside || field.is_empty()) => inside = !inside,
            _ if next == delimiter && !inside => fields.push(String::new()),
            _ => field.push(next),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_fields() {
        assert_eq!(fields("a,b,,c\r", ',', false), ["a", "b", "", "c"]);
        assert_eq!(fields("\"a,b\",\"c\"\"d\"", ',', true), ["a,b", "c\"d"]);
        assert_eq!(fields("\"a", ',', false), ["\"a"]);
    }
}
