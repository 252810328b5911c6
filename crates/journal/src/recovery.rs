//! What a new owner makes of the segments that it finds.

use std::io;

use crate::disk::{Disk, whole};
use crate::error::Failure;
use crate::format::{HEADER, Header, Id};
use crate::manifest::{Manifest, ManifestState, REPAIRED};
use crate::scan::{End, SegmentScan, scan};
use crate::segments::{Segment, SegmentName};

/// A journal as a new owner finds it.
pub(crate) struct RecoveredJournal {
    pub(crate) id: Id,
    pub(crate) generation: u64,
    /// The last sequence id.
    pub(crate) last: u64,
    /// New sequence ids are greater: those of a segment without records name its file.
    pub(crate) floor: u64,
    pub(crate) segments: Vec<Segment>,
    pub(crate) manifest: Manifest,
}

/// Reads all segments. The last one is copied without its torn tail, because an owner that was only paused
/// might still write to it; so the new owner never writes to a file of an earlier one. Up to `applied` no row
/// is missed.
///
/// # Errors
/// [`Failure::Damaged`] where records that were synced cannot be read; others of the disk.
pub(crate) fn recover(disk: &dyn Disk, applied: u64) -> Result<RecoveredJournal, Failure> {
    let kept = finished(disk)?;
    let settled = kept.as_ref().map_or(0, |manifest| manifest.settled);
    let mut names = segment_names(disk)?;
    let generation = names.iter().map(|name| name.generation).max().unwrap_or(0) + 1;
    without_copies(disk, &mut names)?;
    let mut known: Option<(Id, u64)> = None;
    let mut segments = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        let file = name.to_string();
        let bytes = whole(disk, &file)?;
        let found = scan(&bytes);
        let before = match (known, &kept) {
            (None, Some(manifest)) => Some((manifest.id, found.previous)),
            // Rows between that are not missed.
            (Some((id, last)), _) if found.previous <= settled.max(applied) => {
                Some((id, last.max(found.previous)))
            }
            (known, _) => known,
        };
        found.continues(before, is_last).map_err(|(at, why)| Failure::Damaged {
            file: file.clone(),
            at,
            why,
        })?;
        let Some(id) = found.id.filter(|_| found.end != End::Torn { at: 0 }) else {
            // Made and never used. Where records of it are missing, the next segment tells.
            disk.remove(&file)?;
            continue;
        };
        let segment = match (is_last, &found.end) {
            (true, End::Open | End::Torn { .. }) => {
                copied(disk, *name, id, generation, &bytes, &found)?
            }
            _ => segment_of(file, &found),
        };
        known = Some((id, segment.last));
        segments.push(segment);
    }
    let (id, last) = match (known, &kept) {
        (Some(known), _) => known,
        (None, Some(manifest)) => (manifest.id, 0),
        (None, None) => (Id::random()?, 0),
    };
    let floor = names.last().map_or(last, |name| name.first.max(last)).max(settled);
    let mut manifest = kept.clone().unwrap_or_else(|| Manifest::new(id));
    manifest.segments = segments.iter().filter_map(Segment::listed).collect();
    if kept.as_ref() != Some(&manifest) {
        match manifest.store(disk) {
            // The last one names the same segments, perhaps more.
            Err(error) if !is_full(&error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(RecoveredJournal { id, generation, last, floor, segments, manifest })
}

/// The manifest of a folder, after what an accepted loss has left to do.
fn finished(disk: &dyn Disk) -> Result<Option<Manifest>, Failure> {
    let ManifestState::Sound(mut manifest) = Manifest::of(disk)? else { return Ok(None) };
    manifest.finish(disk)?;
    for name in disk.names()?.iter().filter(|name| name.ends_with(REPAIRED)) {
        disk.remove(name)?;
    }
    Ok(Some(manifest))
}

fn segment_names(disk: &dyn Disk) -> io::Result<Vec<SegmentName>> {
    let mut names: Vec<SegmentName> =
        disk.names()?.iter().filter_map(|name| SegmentName::read(name)).collect();
    names.sort_unstable();
    Ok(names)
}

/// Of a segment and its copies the first complete copy stays, else the segment itself.
fn without_copies(disk: &dyn Disk, names: &mut Vec<SegmentName>) -> Result<(), Failure> {
    let mut kept: Vec<SegmentName> = Vec::new();
    for name in std::mem::take(names) {
        let Some(original) = kept.last_mut().filter(|kept| kept.first == name.first) else {
            kept.push(name);
            continue;
        };
        let bytes = whole(disk, &name.to_string())?;
        let goes = match scan(&bytes).end {
            End::Sealed => std::mem::replace(original, name),
            _ => name,
        };
        disk.remove(&goes.to_string())?;
    }
    *names = kept;
    Ok(())
}

/// A copy of the whole records of a segment, sealed and synced; the original is removed. Without room for
/// it the original stays, cut to its whole records.
fn copied(
    disk: &dyn Disk,
    name: SegmentName,
    id: Id,
    generation: u64,
    bytes: &[u8],
    found: &SegmentScan<'_>,
) -> Result<Segment, Failure> {
    let copy = SegmentName { generation, ..name }.to_string();
    let original = name.to_string();
    let header = Header { id, first: name.first, generation, previous: found.previous };
    let mut content = header.bytes().to_vec();
    let length = usize::try_from(found.length).unwrap_or(bytes.len());
    content.extend_from_slice(&bytes[HEADER..length]);
    found.seal.write(&mut content, id, found.last());
    let copies = || {
        disk.create(&copy)?;
        disk.write(&copy, 0, &content)?;
        disk.sync(&copy)?;
        disk.sync_names()?;
        disk.remove(&original)
    };
    match copies() {
        Ok(()) => Ok(segment_of(copy, found)),
        Err(error) if is_full(&error) => {
            match disk.remove(&copy) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
            disk.cut(&original, found.length)?;
            disk.sync(&original)?;
            Ok(segment_of(original, found))
        }
        Err(error) => Err(error.into()),
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn segment_of(name: String, found: &SegmentScan<'_>) -> Segment {
    let rows = found.records.iter().map(|record| u64::from(record.rows)).sum();
    Segment { name, last: found.last(), length: found.length, rows }
}
