//! The intake of documents: each is kept as the text that it came as, for whoever takes it apart.

use std::sync::Arc;

use duet_model::Code;

use super::Fault;
use super::batch::{Batch, Gather, Place, Refused};
use super::intake::Limits;
use super::text::{Layout, TextReader};

/// A document of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Where it stands.
    pub place: Place,
    /// Its text; whether it is JSON is for whoever reads it.
    pub text: Arc<str>,
}

/// A load of documents under way.
#[derive(Debug)]
pub struct DocumentIntake {
    reader: TextReader,
    limits: Limits,
    batch: Batch<Vec<Document>>,
    bytes: usize,
    row: u64,
}

impl DocumentIntake {
    /// The intake of documents of this layout.
    pub fn new(layout: Layout, limits: Limits) -> Self {
        let reader = TextReader::new(layout, limits.record_bytes);
        Self { reader, limits, batch: Batch::default(), bytes: 0, row: 0 }
    }

    fn is_full(&self) -> bool {
        let rows = usize::try_from(self.batch.read).unwrap_or(usize::MAX);
        rows >= self.limits.batch_rows || self.bytes >= self.limits.batch_bytes
    }
}

impl Gather for DocumentIntake {
    type Rows = Vec<Document>;

    fn feed(&mut self, input: &mut &[u8]) -> Result<bool, Fault> {
        while !self.is_full() {
            let Some((line, text)) = self.reader.next(input)? else { return Ok(false) };
            self.bytes += text.len();
            add(&mut self.batch, &mut self.row, line, text);
        }
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), Fault> {
        if let Some((line, text)) = self.reader.finish()? {
            add(&mut self.batch, &mut self.row, line, text);
        }
        Ok(())
    }

    fn take(&mut self) -> Batch<Vec<Document>> {
        self.bytes = 0;
        std::mem::take(&mut self.batch)
    }
}

fn add(batch: &mut Batch<Vec<Document>>, row: &mut u64, line: u64, text: &[u8]) {
    *row += 1;
    let place = Place { row: *row, line };
    batch.read += 1;
    batch.last = place;
    match std::str::from_utf8(text) {
        Ok(text) => batch.rows.push(Document { place, text: text.into() }),
        Err(_) => batch.refused.push(Refused {
            place,
            field: None,
            code: Code::BodySyntax,
            message: "The document is not in UTF-8. Convert it.".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_keep_their_text() {
        let limits = Limits { batch_rows: 2, ..Limits::default() };
        let mut intake = DocumentIntake::new(Layout::Array, limits);
        let mut input = &b"[{\"a\": 1},\n \"\xff\", {\"b\":2}]"[..];
        assert_eq!(intake.feed(&mut input), Ok(true));
        let first = intake.take();
        assert_eq!(&*first.rows[0].text, "{\"a\": 1}");
        assert_eq!((first.rows.len(), first.refused[0].place), (1, Place { row: 2, line: 2 }));
        assert_eq!(intake.feed(&mut input), Ok(false));
        intake.finish().unwrap();
        let second = intake.take();
        assert_eq!(second.rows[0].place, Place { row: 3, line: 2 });
        assert!(intake.take().is_empty());
    }
}
