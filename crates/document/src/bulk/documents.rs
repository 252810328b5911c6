//! The intake of documents: each is kept as the text that it came as, for the parser.
//! Large ones are read here, where they block no request.

use std::sync::Arc;

use duet_model::Code;
use duet_text::json::JsonLimits;
use duet_text::json::body::Body;

use super::Fault;
use super::batch::{Batch, Gather, RefusedRow, RowPosition};
use super::intake::IntakeLimits;
use super::text::{Layout, TextReader};

/// A document of a load.
#[derive(Clone, Debug)]
pub struct BulkDocument {
    /// Its position.
    pub place: RowPosition,
    /// Its text.
    pub text: DocumentText,
}

/// The text of a document.
#[derive(Clone, Debug)]
pub enum DocumentText {
    /// As it came; whether it is JSON is for the reader.
    Raw(Arc<str>),
    /// A large one, read.
    Read(Body),
}

/// Larger documents are read whole: they block no request, because [`Gather::pending`]
/// announced them.
const LARGE: usize = 64 << 10;

/// A load of documents in progress.
#[derive(Debug)]
pub struct DocumentIntake {
    reader: TextReader,
    limits: IntakeLimits,
    bounds: JsonLimits,
    batch: Batch<Vec<BulkDocument>>,
    bytes: usize,
    row: u64,
}

impl DocumentIntake {
    /// The intake of documents of this layout, each of them within these bounds.
    pub fn new(layout: Layout, limits: IntakeLimits, bounds: JsonLimits) -> Self {
        let reader = TextReader::new(layout, limits.record_bytes);
        Self { reader, limits, bounds, batch: Batch::default(), bytes: 0, row: 0 }
    }

    fn is_full(&self) -> bool {
        let rows = usize::try_from(self.batch.read).unwrap_or(usize::MAX);
        rows >= self.limits.batch_rows || self.bytes >= self.limits.batch_bytes
    }
}

impl Gather for DocumentIntake {
    type Rows = Vec<BulkDocument>;

    fn feed(&mut self, input: &mut &[u8]) -> Result<bool, Fault> {
        while !self.is_full() {
            let Some((line, text)) = self.reader.next(input)? else { return Ok(false) };
            self.bytes += add(&mut self.batch, &mut self.row, line, text, self.bounds);
        }
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), Fault> {
        if let Some((line, text)) = self.reader.finish()? {
            self.bytes += add(&mut self.batch, &mut self.row, line, text, self.bounds);
        }
        Ok(())
    }

    fn pending(&self) -> usize {
        self.reader.pending()
    }

    fn take(&mut self) -> Batch<Vec<BulkDocument>> {
        self.bytes = 0;
        std::mem::take(&mut self.batch)
    }
}

/// Adds a document, and gives the bytes that it takes.
fn add(
    batch: &mut Batch<Vec<BulkDocument>>,
    row: &mut u64,
    line: u64,
    text: &[u8],
    bounds: JsonLimits,
) -> usize {
    *row += 1;
    let place = RowPosition { row: *row, line };
    batch.read += 1;
    batch.last = place;
    let refused = |code, message| RefusedRow { place, field: None, code, message };
    let Ok(text) = std::str::from_utf8(text) else {
        let message = "The document is not in UTF-8. Convert it.".to_owned();
        batch.refused.push(refused(Code::BodySyntax, message));
        return 0;
    };
    if text.len() <= LARGE {
        batch.rows.push(BulkDocument { place, text: DocumentText::Raw(text.into()) });
        return text.len();
    }
    match Body::read(text.into(), bounds) {
        Ok(body) => {
            let size = body.size();
            batch.rows.push(BulkDocument { place, text: DocumentText::Read(body) });
            size
        }
        Err(error) => {
            let hint = error.hint.map_or(String::new(), |hint| format!(" {hint}"));
            batch.refused.push(refused(error.code, error.message + &hint));
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_keep_their_text() {
        let limits = IntakeLimits { batch_rows: 2, ..IntakeLimits::default() };
        let mut intake = DocumentIntake::new(Layout::Array, limits, JsonLimits::depth(8));
        let mut input = &b"[{\"a\": 1},\n \"\xff\", {\"b\":2}]"[..];
        assert_eq!(intake.feed(&mut input), Ok(true));
        let first = intake.take();
        let DocumentText::Raw(text) = &first.rows[0].text else { panic!("it is small") };
        assert_eq!(&**text, "{\"a\": 1}");
        assert_eq!(
            (first.rows.len(), first.refused[0].place),
            (1, RowPosition { row: 2, line: 2 })
        );
        assert_eq!(intake.feed(&mut input), Ok(false));
        intake.finish().unwrap();
        let second = intake.take();
        assert_eq!(second.rows[0].place, RowPosition { row: 3, line: 2 });
        assert!(intake.take().is_empty());
    }

    #[test]
    fn large_documents_are_read_when_they_are_complete() {
        let bounds = JsonLimits::depth(8);
        let mut intake = DocumentIntake::new(Layout::Lines, IntakeLimits::default(), bounds);
        let long = "x".repeat(LARGE);
        let (good, wrong) = (format!("{{\"a\":\"{long}\"}}"), format!("{{\"a\":\"{long}\""));
        let (first, second) = good.split_at(1_000);
        assert_eq!((intake.feed(&mut first.as_bytes()), intake.pending()), (Ok(false), 1_000));
        let rest = format!("{second}\n{wrong}\n");
        assert_eq!((intake.feed(&mut rest.as_bytes()), intake.pending()), (Ok(false), 0));
        let batch = intake.take();
        let DocumentText::Read(body) = &batch.rows[0].text else { panic!("it is large") };
        assert_eq!(body.member("a").unwrap().as_text(), Some(&*long));
        assert!(body.size() > good.len());
        assert_eq!((batch.rows.len(), batch.refused[0].code), (1, Code::BodySyntax));
        assert_eq!(batch.refused[0].place, RowPosition { row: 2, line: 2 });
    }
}
