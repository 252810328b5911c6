//! Large items, which are written twice: first to learn the etag and the length, which precede the
//! text, and again piece by piece while the client takes them. Their rows are held meanwhile, their
//! text never is.

use std::rc::Rc;
use std::sync::Arc;

use duet_model::Result;

use crate::etag::EtagHasher;
use crate::fetched::FetchedRows;
use crate::program::{DocumentEtags, Links, Program};
use crate::run::{Run, RunPosition};
use crate::text::TextBuffer;

/// Smaller items are written once, in one piece.
const LARGE: usize = 1 << 20;
/// The size of a piece, except for indivisible parts.
const PIECE: usize = 64 << 10;
/// Pieces that are measured before other work has its turn.
const PIECES_AT_ONCE: usize = 16;

/// The first pass over a large item.
pub struct ItemMeasure {
    program: Arc<Program>,
    fetched: Rc<FetchedRows>,
    row: usize,
    place: RunPosition,
    /// The checked and the unchecked members.
    sides: [EtagHasher; 2],
    side: usize,
    has_unchecked: bool,
    length: usize,
}

/// The second pass: the text of a large item, piece by piece.
pub struct ItemPieces {
    program: Arc<Program>,
    fetched: Rc<FetchedRows>,
    place: RunPosition,
    /// What follows the members; `None` where it has been given.
    end: Option<Vec<u8>>,
    length: usize,
}

/// The text of a document.
#[derive(Debug)]
pub enum DocumentText {
    /// In one piece.
    Whole(TextBuffer),
    /// Piece by piece: that of a large item.
    Pieces(Box<ItemPieces>),
}

impl ItemMeasure {
    /// Begins with the item of a root row; `None` where it is better written as a whole, because it
    /// is small or shares its memory with larger ones.
    pub fn new(program: &Arc<Program>, fetched: &Rc<FetchedRows>, row: usize) -> Option<Self> {
        let size = fetched.size();
        if size < LARGE || (fetched.roots().len() > 1 && program.item_bound(fetched, row) < size) {
            return None;
        }
        let side = || EtagHasher::with_capacity(&program.etag, PIECE);
        Some(Self {
            program: Arc::clone(program),
            fetched: Rc::clone(fetched),
            row,
            place: program.start(row),
            sides: [side(), side()],
            side: 0,
            has_unchecked: false,
            length: 0,
        })
    }

    /// Measures about a mebibyte more, and says whether it came to the end.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn go_on(&mut self) -> Result<bool> {
        let mut piece = Vec::with_capacity(PIECE + PIECE / 2);
        for _ in 0..PIECES_AT_ONCE {
            let mut run = Run::new(&self.program, &self.fetched, self.place.clone());
            let ended = run.write_until(PIECE, &mut piece);
            run.check(self.row)?;
            let mut from = 0;
            for &mark in &run.marks {
                self.sides[self.side].update(&piece[from..mark]);
                (from, self.side, self.has_unchecked) = (mark, 1 - self.side, true);
            }
            self.place = run.into_place();
            self.sides[self.side].update(&piece[from..]);
            self.length += piece.len();
            piece.clear();
            if ended {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What it has measured, and the item.
    pub fn finish(self, links: &Links<'_>) -> (DocumentEtags, ItemPieces) {
        let Self { program, fetched, row, sides: [checked, unchecked], .. } = self;
        let unchecked = self.has_unchecked.then(|| unchecked.etag());
        let written = DocumentEtags { etag: checked.etag(), unchecked };
        let mut end = Vec::new();
        program.write_metadata(&fetched, row, written.etag, &mut end);
        links.write(|end| program.write_key(fetched.roots(), row, end), &mut end);
        let length = self.length + end.len();
        let place = program.start(row);
        (written, ItemPieces { program, fetched, place, end: Some(end), length })
    }
}

impl ItemPieces {
    /// Bytes that are left.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The next piece, whose memory is counted; `None` at the end.
    pub fn next_piece(&mut self) -> Option<TextBuffer> {
        self.end.as_ref()?;
        let mut text = Vec::with_capacity(PIECE + PIECE / 2);
        let mut run = Run::new(&self.program, &self.fetched, self.place.clone());
        let ended = run.write_until(PIECE, &mut text);
        self.place = run.into_place();
        if ended {
            text.extend_from_slice(&self.end.take().unwrap_or_default());
        }
        self.length = self.length.saturating_sub(text.len());
        let lease = self.fetched.lease().map(|rows| rows.claim_beside(text.capacity()));
        Some(TextBuffer { text, lease })
    }
}

impl std::fmt::Debug for ItemPieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ItemPieces").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Program {
    /// Before the first step for a root row.
    pub(crate) fn start(&self, row: usize) -> RunPosition {
        RunPosition::new(0, self.steps.len(), row)
    }
}
