//! What a folder holds of a journal, and what is missing or damaged; nothing is changed.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use crate::disk::{Disk, whole};
use crate::format::{HEADER, Header, Id};
use crate::manifest::{Manifest, ManifestState};
use crate::salvage::{SalvagedRecords, Sound, salvage};
use crate::scan::{End, scan};
use crate::segments::{ListedSegment, SegmentName};

/// How often files are listed again that their owner removes or replaces meanwhile.
const TRIES: usize = 5;
/// New sequence ids begin so far behind the last known one where others may have been acknowledged behind it
/// that are lost: none of these is given twice.
pub(crate) const UNKNOWN: u64 = 1 << 32;

/// What the database knows of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The last sequence id that is applied.
    pub applied: u64,
    /// The last sequence id that was known to be durable.
    pub written: u64,
    /// Whether its last owner has ended with nothing left to apply.
    pub is_closed: bool,
}

/// A segment as it was found.
#[derive(Clone, Debug)]
pub(crate) struct SegmentSurvey {
    pub(crate) name: SegmentName,
    /// Its file, which has another name where an accepted loss was broken off.
    pub(crate) file: String,
    pub(crate) bytes: u64,
    /// The last sequence id in front of it; `None` where its header cannot be read.
    pub(crate) previous: Option<u64>,
    pub(crate) salvaged: SalvagedRecords,
    /// Places that cannot be read, with what is wrong there, in the order of [`SalvagedRecords::holes`]; one more is
    /// the end or the header.
    pub(crate) damages: Vec<Damage>,
}

/// A place of a segment that cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    pub(crate) at: u64,
    pub(crate) why: String,
    /// How many of the segment's records are in front of it.
    pub(crate) behind: usize,
}

impl SegmentSurvey {
    pub(crate) fn rows(&self, after: u64) -> u64 {
        let records = self.salvaged.records.iter().filter(|record| record.last() > after);
        records.map(|it| u64::from(it.rows).min(it.last().saturating_sub(after))).sum()
    }

    fn last(&self) -> Option<u64> {
        self.salvaged.records.last().map(Sound::last).or(self.previous)
    }
}

/// What a folder holds of a journal.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The journal's random name.
    pub id: Option<Id>,
    pub(crate) manifest: ManifestState,
    pub(crate) segments: Vec<SegmentSurvey>,
    /// The last sequence id that was durable, as far as the folder knows beside the segments.
    durable: u64,
}

/// Rows that were acknowledged and that cannot be read, or may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The segment; `None` where its name is not known.
    pub segment: Option<String>,
    /// Where it is damaged; `None` where it is missing.
    pub at: Option<u64>,
    /// What is wrong with it.
    pub why: String,
    /// The first sequence id that is missed.
    pub from: u64,
    /// The last sequence id that is known to be missed; less than `from` where none is known.
    pub to: u64,
    /// How many rows that are at least.
    pub rows: u64,
    /// Rows behind a damage that can be read.
    pub behind: u64,
    /// Whether more rows may have been acknowledged behind the last known one.
    pub is_open: bool,
}

impl Loss {
    /// `missing` or `damaged`.
    pub fn word(&self) -> &'static str {
        if self.at.is_some() { "damaged" } else { "missing" }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.segment, self.at) {
            (Some(name), Some(at)) => write!(f, "{name} is damaged at byte {at}: {}", self.why)?,
            (Some(name), None) => write!(f, "{name} is missing")?,
            (None, _) => f.write_str(&self.why)?,
        }
        match (self.rows, self.is_open) {
            (0, true) => f.write_str("; it is not known whether rows are lost")?,
            (0, false) => f.write_str("; no row that waits is lost")?,
            (rows, is_open) => {
                let least = if is_open { " at least" } else { "" };
                let (from, to) = (self.from, self.to);
                let row = if rows == 1 { "row is" } else { "rows are" };
                write!(f, "; {rows} {row} lost{least}, sequence ids {from} to {to}")?;
            }
        }
        match self.behind {
            0 => Ok(()),
            rows => write!(f, "; {rows} behind it can be read"),
        }
    }
}

impl Survey {
    /// Looks at a folder.
    ///
    /// # Errors
    /// Of the disk.
    pub fn of(disk: &dyn Disk) -> io::Result<Self> {
        let mut tries = 0;
        loop {
            match Self::look(disk) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => {
                    tries += 1;
                }
                looked => return looked,
            }
        }
    }

    fn look(disk: &dyn Disk) -> io::Result<Self> {
        // Before the segments, which then have at least that.
        let left = disk.left();
        let manifest = Manifest::of(disk)?;
        let files = files(disk, &manifest)?;
        let mut read = Vec::with_capacity(files.len());
        for (name, file) in &files {
            let bytes = whole(disk, file)?;
            match read.last_mut() {
                // A copy counts once it is whole.
                Some((known, kept)) if same(*known, *name) => {
                    if scan(&bytes).end == End::Sealed {
                        *kept = (file.clone(), bytes);
                        *known = *name;
                    }
                }
                _ => read.push((*name, (file.clone(), bytes))),
            }
        }
        let known = match &manifest {
            ManifestState::Sound(manifest) => Some(manifest.id),
            _ => read.iter().find_map(|(_, (_, bytes))| scan(bytes).id),
        };
        let id = known.or(left.map(|left| left.id));
        let mut segments: Vec<SegmentSurvey> = Vec::with_capacity(read.len());
        let count = read.len();
        for (at, (name, (file, bytes))) in read.into_iter().enumerate() {
            let before = segments.last().and_then(SegmentSurvey::last);
            segments.push(surveyed(name, file, &bytes, id, before, at + 1 == count));
        }
        let durable = left.filter(|left| Some(left.id) == id).map_or(0, |left| left.durable);
        Ok(Self { id, manifest, segments, durable })
    }

    fn kept(&self) -> Option<&Manifest> {
        match &self.manifest {
            ManifestState::Sound(manifest) => Some(manifest),
            _ => None,
        }
    }

    /// Rows up to this sequence id that are in no segment are not missed.
    pub fn settled(&self) -> u64 {
        self.kept().map_or(0, |manifest| manifest.settled)
    }

    /// Whether the folder has nothing of a journal.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.manifest == ManifestState::Absent
    }

    /// The last sequence id that is in a segment; 0 where there is none.
    pub fn last(&self) -> u64 {
        self.segments.iter().rev().find_map(|it| it.salvaged.records.last()).map_or(0, Sound::last)
    }

    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Bytes of the segments.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    /// Rows behind a sequence id that can be read.
    pub fn rows(&self, after: u64) -> u64 {
        self.segments.iter().map(|segment| segment.rows(after)).sum()
    }

    /// What is missing or damaged. Without a mark of the database it is not known what is applied, and segments
    /// that were removed are not missed.
    pub fn losses(&self, mark: Option<Mark>) -> Vec<Loss> {
        let applied = mark.map_or(0, |mark| mark.applied);
        let settled = self.settled().max(applied);
        let mut losses = self.missing_segments(mark);
        let mut gaps = Vec::new();
        let mut last = None;
        for (number, segment) in self.segments.iter().enumerate() {
            let front = match (last, mark) {
                (None, None) => segment.previous.unwrap_or(0),
                (last, _) => last.unwrap_or(0).max(settled),
            };
            let previous = segment.previous.unwrap_or(front);
            // Where the segment in front is damaged at its end, that is the loss.
            let explained = number > 0 && ends_damaged(&self.segments[number - 1]);
            if previous > front && !explained {
                gaps.push((front + 1, previous, false, segment.file.clone()));
            }
            losses.extend(self.damages(number, front, applied));
            last = Some(last.unwrap_or(0).max(segment.last().unwrap_or(0)));
        }
        let known = self.known_to(mark);
        let reached = last.unwrap_or(0).max(settled);
        let explained = self.segments.last().is_some_and(ends_damaged);
        if known > reached && !explained {
            gaps.push((reached + 1, known, true, String::new()));
        }
        let named: Vec<(u64, u64)> =
            losses.iter().filter(|it| it.at.is_none()).map(|it| (it.from, it.to)).collect();
        for (from, to, is_open, file) in gaps {
            if !named.iter().any(|(one, other)| *one <= to && from <= *other) {
                losses.push(gap(from, to, is_open, &file));
            }
        }
        if self.manifest == ManifestState::Damaged && self.segments.is_empty() {
            losses.push(Loss { at: Some(0), ..manifest_loss(applied) });
        }
        let is_over = mark.is_some_and(|mark| mark.is_closed && mark.written <= mark.applied);
        losses.retain(|loss| !(is_over && loss.at.is_none() && loss.rows == 0));
        losses.sort_by_key(|loss| loss.from);
        losses
    }

    /// The last sequence id that is known to have been durable.
    fn known_to(&self, mark: Option<Mark>) -> u64 {
        let listed = self.kept().into_iter().flat_map(|manifest| &manifest.segments);
        let listed = listed.filter_map(|listed| listed.last).max().unwrap_or(0);
        self.durable.max(listed).max(mark.map_or(0, |mark| mark.written))
    }

    /// Segments of the manifest that are not there, though not all of their rows are applied.
    fn missing_segments(&self, mark: Option<Mark>) -> Vec<Loss> {
        let (Some(manifest), Some(mark)) = (self.kept(), mark) else { return Vec::new() };
        let is_there =
            |it: &ListedSegment| self.segments.iter().any(|own| own.name.first == it.name.first);
        let needed = |it: &ListedSegment| it.last.is_none_or(|last| last > mark.applied);
        let missing = manifest.segments.iter().filter(|it| !is_there(it) && needed(it));
        let known = self.known_to(Some(mark));
        missing
            .map(|listed| {
                let from = listed.name.first.max(mark.applied + 1);
                let to = listed.last.unwrap_or(known);
                let range = (to + 1).saturating_sub(from);
                let is_whole = listed.last.is_some() && from == listed.name.first;
                Loss {
                    segment: Some(listed.name.to_string()),
                    at: None,
                    why: "the segment is missing".to_owned(),
                    from,
                    to,
                    rows: if is_whole { listed.rows } else { range },
                    behind: 0,
                    is_open: listed.last.is_none(),
                }
            })
            .collect()
    }

    /// The places of a segment that cannot be read, and the rows that were there.
    fn damages(&self, number: usize, front: u64, applied: u64) -> Vec<Loss> {
        let segment = &self.segments[number];
        let records = &segment.salvaged.records;
        let later = &self.segments[number + 1..];
        let next = later.iter().find_map(|it| it.previous);
        let of = |damage: &Damage| {
            let before = match damage.behind {
                0 => segment.previous.unwrap_or(front).max(front),
                count => records[count - 1].last(),
            };
            let (last, is_open) = match (records.get(damage.behind), segment.salvaged.sealed, next)
            {
                (Some(record), ..) => (record.first - 1, false),
                (None, Some(last), _) | (None, None, Some(last)) => (last, false),
                (None, None, None) => (self.known_to(None), true),
            };
            let from = before.max(applied) + 1;
            let own = records.iter().skip(damage.behind).filter(|it| it.last() > applied);
            let own: u64 = own.map(|record| u64::from(record.rows)).sum();
            Loss {
                segment: Some(segment.name.to_string()),
                at: Some(damage.at),
                why: damage.why.clone(),
                from,
                to: last,
                rows: (last + 1).saturating_sub(from),
                behind: own + later.iter().map(|segment| segment.rows(applied)).sum::<u64>(),
                is_open,
            }
        };
        segment.damages.iter().map(of).collect()
    }
}

/// Whether nothing can be read behind a damage of a segment.
fn ends_damaged(segment: &SegmentSurvey) -> bool {
    let records = segment.salvaged.records.len();
    segment.damages.last().is_some_and(|damage| damage.behind == records)
}

fn gap(from: u64, to: u64, is_open: bool, file: &str) -> Loss {
    let why = match is_open {
        true => "rows behind the last segment, or at its end, are missing".to_owned(),
        false => format!("a segment in front of {file} is missing"),
    };
    Loss { segment: None, at: None, why, from, to, rows: to + 1 - from, behind: 0, is_open }
}

fn manifest_loss(applied: u64) -> Loss {
    Loss {
        segment: Some(crate::manifest::MANIFEST.to_owned()),
        at: None,
        why: "it cannot be read, and there are no segments".to_owned(),
        from: applied + 1,
        to: applied,
        rows: 0,
        behind: 0,
        is_open: true,
    }
}

fn same(one: SegmentName, other: SegmentName) -> bool {
    one.first == other.first
}

/// The segments by their names, with their files.
fn files(disk: &dyn Disk, manifest: &ManifestState) -> io::Result<Vec<(SegmentName, String)>> {
    let names = disk.names()?.into_iter();
    let mut files: BTreeMap<String, String> = names.map(|name| (name.clone(), name)).collect();
    if let ManifestState::Sound(manifest) = manifest {
        for (from, to) in &manifest.renames {
            if let Some(file) = files.remove(from) {
                files.insert(to.clone(), file);
            }
        }
    }
    let segments = files.into_iter();
    let mut segments: Vec<_> =
        segments.filter_map(|(name, file)| Some((SegmentName::read(&name)?, file))).collect();
    segments.sort_unstable();
    Ok(segments)
}

fn surveyed(
    name: SegmentName,
    file: String,
    bytes: &[u8],
    id: Option<Id>,
    before: Option<u64>,
    is_last: bool,
) -> SegmentSurvey {
    let header = Header::read(bytes);
    let found = scan(bytes);
    let own = header.as_ref().ok().map(|header| header.id);
    let is_foreign = own.is_some_and(|own| id.is_some_and(|id| id != own));
    let previous = header.as_ref().ok().filter(|_| !is_foreign).map(|header| header.previous);
    let salvaged = match id {
        Some(id) if !is_foreign && bytes.len() > HEADER => {
            let front = previous.or(before).unwrap_or(0);
            let salvaged = salvage(bytes, id, front);
            if is_last { salvaged.without_torn_group(front) } else { salvaged }
        }
        _ => SalvagedRecords::default(),
    };
    let mut damages = Vec::new();
    let mut damage = |at: usize, why: String, behind: usize| {
        damages.push(Damage { at: at as u64, why, behind });
    };
    let continues = found.continues(None, is_last).err();
    match &header {
        _ if is_foreign => damage(0, "the segment belongs to another journal".to_owned(), 0),
        Err(_) if bytes.len() <= HEADER => {}
        Err(why) => damage(0, why.clone(), 0),
        Ok(header) if before.is_some_and(|before| header.previous < before) => {
            damage(0, format!("the segment follows record {}", header.previous), 0);
        }
        Ok(_) => {}
    }
    for hole in &salvaged.holes {
        damage(hole.at, "a record that was synced cannot be read".to_owned(), hole.behind);
    }
    // What is wrong behind the last record, or with the seal.
    let is_told = |at: u64| salvaged.holes.iter().any(|hole| hole.at as u64 == at);
    if let (Some((at, why)), true) = (continues, header.is_ok() && !is_foreign)
        && !is_told(at)
        && salvaged.holes.is_empty()
    {
        damage(usize::try_from(at).unwrap_or(0), why, salvaged.records.len());
    } else if let (Some(at), false, true) = (salvaged.tail, is_last, header.is_ok()) {
        damage(
            at,
            "a record is not whole, and other segments follow".to_owned(),
            salvaged.records.len(),
        );
    }
    let bytes = bytes.len() as u64;
    SegmentSurvey { name, file, bytes, previous, salvaged, damages }
}
