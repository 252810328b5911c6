//! Which of the values of a run a text reads: a value that nothing reads is a mistyped name.

use std::collections::BTreeSet;

/// What reads a value of plans of JMeter, before the name.
const OF_PLANS: &[&str] = &["__P(", "__property(", "__isPropDefined(", "props.get("];
/// What reads one in workload files.
const OF_FILES: &[&str] = &["${shared(", "${is_shared("];
/// The most names of a message.
const MOST_NAMED: usize = 10;

/// The names that texts read.
#[derive(Debug, Default)]
pub struct Reads {
    names: BTreeSet<String>,
    /// Whether a name is computed, so that any may be read.
    is_open: bool,
}

impl Reads {
    /// Those of a workload file.
    pub fn of_file(text: &str) -> Self {
        let mut reads = Self::default();
        reads.add(text, OF_FILES);
        reads
    }

    /// Adds the names of `[workload.values]`: a run that is given one replaces its value.
    pub fn add_names<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        self.names.extend(names.into_iter().cloned());
    }

    /// Adds a text of a plan of JMeter.
    pub(crate) fn add_plan_text(&mut self, text: &str) {
        self.add(text, OF_PLANS);
    }

    fn add(&mut self, text: &str, functions: &[&str]) {
        for function in functions {
            for (_, rest) in
                text.match_indices(function).map(|(at, it)| text.split_at(at + it.len()))
            {
                let name = rest.split([',', ')']).next().unwrap_or_default();
                let name = name.trim().trim_matches(['"', '\'']);
                self.is_open |=
                    name.contains("${") || function.contains("props.") && !is_quoted(rest);
                self.names.insert(name.to_owned());
            }
        }
    }

    /// The refusal of given values that nothing reads; `what` is where they are looked for.
    ///
    /// # Errors
    /// A sentence that names them.
    pub fn refuse_unread<'a>(
        &self,
        given: impl IntoIterator<Item = &'a String>,
        what: &str,
    ) -> Result<(), String> {
        let mut unread: Vec<String> = given
            .into_iter()
            .filter(|name| !self.is_open && !self.names.contains(*name))
            .map(|name| format!("`-J {name}`"))
            .collect();
        let count = unread.len();
        if count == 0 {
            return Ok(());
        }
        unread.truncate(MOST_NAMED);
        if count > MOST_NAMED {
            unread.push(format!("{} more", count - MOST_NAMED));
        }
        let known: Vec<&str> = self.names.iter().take(MOST_NAMED).map(String::as_str).collect();
        let reads = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
        let effect = if count == 1 { "has no effect" } else { "have no effect" };
        Err(format!("{} {effect}: {what} reads {reads}.", unread.join(", ")))
    }
}

/// Whether an argument is a text in quotes.
fn is_quoted(rest: &str) -> bool {
    rest.trim_start().starts_with(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(reads: &Reads, given: &[&str]) -> Result<(), String> {
        let given: Vec<String> = given.iter().map(|name| (*name).to_owned()).collect();
        reads.refuse_unread(&given, "the file")
    }

    #[test]
    fn what_a_text_reads() {
        let reads =
            Reads::of_file("a = \"${shared(host)} ${is_shared( port )}${set_shared(x,1)}\"");
        assert_eq!(unread(&reads, &["host", "port"]), Ok(()));
        let error = unread(&reads, &["host", "x", "hots"]).unwrap_err();
        assert_eq!(error, "`-J x`, `-J hots` have no effect: the file reads host, port.");
        let error = unread(&Reads::default(), &["a"]).unwrap_err();
        assert_eq!(error, "`-J a` has no effect: the file reads nothing.");
        assert_eq!(unread(&Reads::of_file("${shared(${name})}"), &["any"]), Ok(()));
        let mut reads = Reads::default();
        reads.add_names([&"host".to_owned()]);
        let error = unread(&reads, &["host", "port"]).unwrap_err();
        assert_eq!(error, "`-J port` has no effect: the file reads host.");
        let many: Vec<String> = (0..12).map(|number| format!("n{number}")).collect();
        let error = Reads::default().refuse_unread(&many, "the file").unwrap_err();
        assert!(error.contains("`-J n9`, 2 more have no effect: "), "{error}");
    }

    #[test]
    fn what_a_plan_reads() {
        let mut reads = Reads::default();
        reads.add_plan_text("${__P(a,${__property(b)})} ${__isPropDefined(c)} props.get(\"d\")");
        assert_eq!(unread(&reads, &["a", "b", "c", "d"]), Ok(()));
        assert!(unread(&reads, &["e"]).is_err());
        reads.add_plan_text("props.get(vars.get(\"x\"))");
        assert_eq!(unread(&reads, &["e"]), Ok(()));
    }
}
