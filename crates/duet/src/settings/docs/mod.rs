//! Documentation of settings.

#[cfg(test)]
mod limits;
#[cfg(test)]
mod page;

/// A doc comment as one line.
pub(crate) fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
