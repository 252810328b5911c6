//! JSON in chunks, cut into its documents without being read: the lines of NDJSON, or the elements
//! of one array.

use duet_model::Code;

use super::{Fault, Lines, MarkSkipper};

/// The layout of the documents in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One to a line.
    Lines,
    /// All in one JSON array.
    Array,
}

/// Cuts JSON into documents. Whether each is JSON is for the reader.
#[derive(Debug)]
pub struct TextReader {
    layout: Layout,
    limit: usize,
    mark: MarkSkipper,
    lines: Lines,
    /// The part of the current document from earlier chunks.
    part: Vec<u8>,
    /// The line on which it begins.
    line: u64,
    at: At,
}

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before the array, or before a line's document.
    Start,
    /// Before the first element or the array's end.
    First,
    /// Before an element that must come.
    Next,
    /// In a document.
    Within(Inside),
    /// Behind an element.
    Behind,
    /// Behind the array.
    End,
}

/// Where in a document the reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Inside {
    /// Objects and arrays that are open.
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl TextReader {
    /// A reader with this limit for documents, in bytes.
    pub fn new(layout: Layout, limit: usize) -> Self {
        Self {
            layout,
            limit,
            mark: MarkSkipper::default(),
            lines: Lines::new(),
            part: Vec::new(),
            line: 1,
            at: At::Start,
        }
    }

    /// Bytes of the current document.
    pub fn pending(&self) -> usize {
        if matches!(self.at, At::Within(_)) { self.part.len() } else { 0 }
    }

    /// The next document and its line, cut off the front of `input`; `None` where the input ends
    /// before it does.
    ///
    /// # Errors
    /// If the text is not an array, or a document exceeds the limit.
    pub fn next<'r, 'i: 'r>(
        &'r mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<(u64, &'r [u8])>, Fault> {
        let (decided, held) = self.mark.pass(input);
        if !decided {
            return Ok(None);
        }
        if !held.is_empty() {
            return Err(self.unexpected("its first characters are no JSON"));
        }
        if !matches!(self.at, At::Within(_)) {
            // What was handed out before is done with.
            self.part.clear();
            self.approach(input)?;
        }
        let At::Within(inside) = self.at else { return Ok(None) };
        let (length, whole) = match self.layout {
            Layout::Lines => match memchr::memchr(b'\n', input) {
                Some(end) => (end, true),
                None => (input.len(), false),
            },
            Layout::Array => self.element(inside, input),
        };
        let (document, rest) = input.split_at(length);
        if self.part.len() + length > self.limit {
            return Err(Fault::too_large(self.line, self.limit));
        }
        self.lines.pass(document);
        *input = rest;
        if whole {
            self.at = if self.layout == Layout::Lines { At::Start } else { At::Behind };
        }
        if whole && self.part.is_empty() {
            return Ok(Some((self.line, document)));
        }
        self.part.extend_from_slice(document);
        Ok(whole.then_some((self.line, &self.part[..])))
    }

    /// The last line at the end of the input, if no line end follows it.
    ///
    /// # Errors
    /// Where the array does not end.
    pub fn finish(&mut self) -> Result<Option<(u64, &[u8])>, Fault> {
        if !self.mark.finish().is_empty() {
            return Err(self.unexpected("its first characters are no JSON"));
        }
        match (self.layout, self.at) {
            (Layout::Lines, At::Within(_)) => {
                self.at = At::Start;
                Ok(Some((self.line, &self.part)))
            }
            (Layout::Lines, _) | (Layout::Array, At::End) => Ok(None),
            _ => Err(self.unexpected("it ends before its closing bracket")),
        }
    }

    /// Skips the text before the next document; `at` is set if one was found.
    fn approach(&mut self, input: &mut &[u8]) -> Result<(), Fault> {
        while let Some((&byte, rest)) = input.split_first() {
            let next = match (byte, self.at) {
                (b' ' | b'\t' | b'\r' | b'\n', at) => at,
                (_, At::Start) if self.layout == Layout::Lines => {
                    self.begin();
                    return Ok(());
                }
                (b'[', At::Start) => At::First,
                (_, At::Start) => return Err(self.unexpected("it does not begin with `[`")),
                (b']', At::First | At::Behind) => At::End,
                (b',', At::Behind) => At::Next,
                (_, At::Behind) => {
                    return Err(self.unexpected("an element is not followed by `,` or `]`"));
                }
                (b']' | b',', At::First | At::Next) => {
                    return Err(self.unexpected("there is a comma without an element"));
                }
                (_, At::First | At::Next) => {
                    self.begin();
                    return Ok(());
                }
                _ => return Err(self.unexpected("something follows its closing bracket")),
            };
            self.at = next;
            self.lines.pass(&[byte]);
            *input = rest;
        }
        Ok(())
    }

    fn begin(&mut self) {
        self.line = self.lines.line;
        self.at = At::Within(Inside::default());
    }

    /// How long the element goes on in the input, and whether it ends there.
    fn element(&mut self, mut inside: Inside, input: &[u8]) -> (usize, bool) {
        for (index, &byte) in input.iter().enumerate() {
            if inside.in_string {
                match byte {
                    _ if inside.escaped => inside.escaped = false,
                    b'\\' => inside.escaped = true,
                    b'"' => inside.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => inside.in_string = true,
                b'{' | b'[' => inside.depth += 1,
                // It closes the array around the element.
                b']' | b',' if inside.depth == 0 => return (index, true),
                b'}' | b']' if inside.depth <= 1 => return (index + 1, true),
                b'}' | b']' => inside.depth -= 1,
                _ => {}
            }
        }
        self.at = At::Within(inside);
        (input.len(), false)
    }

    fn unexpected(&self, what: &str) -> Fault {
        let form = match self.layout {
            Layout::Lines => "NDJSON",
            Layout::Array => "a JSON array",
        };
        let line = self.lines.line;
        let message = format!(
            "The body is not {form}: {what} (line {line}). Send the rows as [{{…}}, {{…}}], \
             or one object to a line as application/x-ndjson."
        );
        Fault::new(line, Code::LoadSyntax, message)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read<'c>(
        layout: Layout,
        chunks: impl IntoIterator<Item = &'c [u8]>,
    ) -> (Vec<(u64, String)>, Option<Fault>) {
        let mut reader = TextReader::new(layout, 100);
        let mut found = Vec::new();
        let owned = |(line, text): (u64, &[u8])| (line, String::from_utf8_lossy(text).into_owned());
        for mut chunk in chunks {
            loop {
                match reader.next(&mut chunk) {
                    Ok(Some(document)) => found.push(owned(document)),
                    Ok(None) => break,
                    Err(fault) => return (found, Some(fault)),
                }
            }
        }
        match reader.finish() {
            Ok(last) => {
                found.extend(last.map(owned));
                (found, None)
            }
            Err(fault) => (found, Some(fault)),
        }
    }

    fn whole(layout: Layout, text: &str) -> Vec<(u64, String)> {
        let (found, fault) = read(layout, [text.as_bytes()]);
        assert_eq!(fault, None, "{text}");
        found
    }

    fn documents(list: &[(u64, &str)]) -> Vec<(u64, String)> {
        list.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
    }

    #[test]
    fn lines() {
        let found = whole(Layout::Lines, "\u{feff}{\"a\":1}\r\n\n  {\"a\":\n{}");
        assert_eq!(found, documents(&[(1, "{\"a\":1}\r"), (3, "{\"a\":"), (4, "{}")]));
        assert_eq!(whole(Layout::Lines, " \n"), []);
    }

    #[test]
    fn elements() {
        let found = whole(Layout::Array, "\n[{\"a\":[1,\"]}\\\"\"]},\n\n1 , \"x\",[] ]\n");
        let expected = [(2, "{\"a\":[1,\"]}\\\"\"]}"), (4, "1 "), (4, "\"x\""), (4, "[]")];
        assert_eq!(found, documents(&expected));
        assert_eq!(whole(Layout::Array, "[]"), []);
        assert_eq!(whole(Layout::Array, " [ ] "), []);
    }

    #[test]
    fn refuses_input_that_is_not_an_array() {
        for (text, whole) in [
            ("", 0),
            ("{}", 0),
            ("[", 0),
            ("[1,]", 1),
            ("[,1]", 0),
            ("[{}{}]", 1),
            ("[{},", 1),
            ("[{}] x", 1),
            ("[{\"a\":\"]", 0),
        ] {
            let (found, fault) = read(Layout::Array, [text.as_bytes()]);
            assert_eq!(found.len(), whole, "{text}");
            assert_eq!(fault.unwrap().code, Code::LoadSyntax, "{text}");
        }
        let long = format!("[{{\"a\":\"{}\"}}]", "x".repeat(100));
        let fault = read(Layout::Array, long.as_bytes().chunks(7)).1.unwrap();
        assert_eq!(fault.code, Code::LoadRecordTooLarge);
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(
            text in "\u{feff}?(\\[)?([\\[\\]{},:1é \n]|\"[\\]}a\\\\]*\"|\r\n|\\{\\},){0,30}",
            cuts in prop::collection::vec(0_usize..80, 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            for layout in [Layout::Lines, Layout::Array] {
                let chunks = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
                let all_at_once = read(layout, [bytes]);
                prop_assert_eq!(&read(layout, chunks), &all_at_once);
                prop_assert_eq!(read(layout, bytes.chunks(1)), all_at_once);
            }
        }
    }
}
