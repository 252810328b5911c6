//! The operator accepts that rows are lost: what can be read goes on, damaged files are kept beside it.
//!
//! New files are written and synced first; then one rename, that of the manifest, makes the loss accepted. What is
//! left to rename is in that manifest, and the next one to open the journal does it. So a machine that stops anywhere
//! leaves the journal as it was, or as it is meant to be.

use std::io;

use crate::disk::{Disk, whole};
use crate::error::Failure;
use crate::format::{Header, Id, Seal};
use crate::manifest::{AcceptedLoss, MANIFEST, Manifest, ManifestState, REPAIRED, remove_if_there};
use crate::segments::{ListedSegment, SegmentName};
use crate::survey::{Loss, Mark, SegmentSurvey, Survey, UNKNOWN};

/// The end of the name of a damaged file that is kept.
const ASIDE: &str = ".damaged";

/// What was accepted.
#[derive(Clone, Debug, Default)]
pub struct Acceptance {
    /// What was missing or damaged.
    pub losses: Vec<Loss>,
    /// The files that are kept beside the journal; nothing reads them.
    pub aside: Vec<String>,
}

/// Accepts whatever is missing or damaged. `now` is in milliseconds since 1970.
///
/// # Errors
/// Of the disk: the journal is as it was, or accepting it again goes on.
pub fn accept_losses(disk: &dyn Disk, mark: Option<Mark>, now: u64) -> Result<Acceptance, Failure> {
    for name in disk.names()?.iter().filter(|name| name.ends_with(REPAIRED)) {
        // Of an earlier try that was broken off, unless its manifest renames it.
        if !is_renamed(disk, name)? {
            disk.remove(name)?;
        }
    }
    let survey = Survey::of(disk)?;
    let losses = survey.losses(mark);
    if losses.is_empty() {
        return Ok(Acceptance::default());
    }
    let id = match survey.id {
        Some(id) => id,
        None => Id::random()?,
    };
    let mut next = match &survey.manifest {
        ManifestState::Sound(manifest) => manifest.clone(),
        _ => Manifest::new(id),
    };
    // What an earlier acceptance has left to rename is done first: it is not lost with this manifest.
    next.finish(disk)?;
    let mut aside = Vec::new();
    if survey.manifest == ManifestState::Damaged {
        aside.push(kept_manifest(disk)?);
    }
    rewrite(disk, &survey, id, &mut next, &mut aside)?;
    next.settled = losses.iter().map(settled_by).fold(next.settled, u64::max);
    next.losses.extend(losses.iter().map(|loss| accepted(loss, now)));
    disk.sync_names()?;
    next.store(disk)?;
    next.finish(disk)?;
    Ok(Acceptance { losses, aside })
}

fn is_renamed(disk: &dyn Disk, name: &str) -> io::Result<bool> {
    Ok(match Manifest::of(disk)? {
        ManifestState::Sound(manifest) => manifest.renames.iter().any(|(from, _)| from == name),
        _ => false,
    })
}

fn settled_by(loss: &Loss) -> u64 {
    match loss.is_open {
        true => loss.to.max(loss.from).saturating_add(UNKNOWN),
        false => loss.to,
    }
}

fn accepted(loss: &Loss, at: u64) -> AcceptedLoss {
    AcceptedLoss { from: loss.from, to: settled_by(loss), at, what: loss.to_string() }
}

/// Keeps the bytes of a manifest that cannot be read.
fn kept_manifest(disk: &dyn Disk) -> Result<String, Failure> {
    let name = format!("{MANIFEST}{ASIDE}");
    let bytes = whole(disk, MANIFEST)?;
    remove_if_there(disk, &name)?;
    disk.create(&name)?;
    disk.write(&name, 0, &bytes)?;
    disk.sync(&name)?;
    Ok(name)
}

/// Writes what can be read of damaged segments beside them, and notes what is to be renamed.
fn rewrite(
    disk: &dyn Disk,
    survey: &Survey,
    id: Id,
    next: &mut Manifest,
    aside: &mut Vec<String>,
) -> Result<(), Failure> {
    let generations = survey.segments.iter().map(|segment| segment.name.generation);
    let generation = generations.max().unwrap_or(0) + 1;
    next.segments.clear();
    let mut last = 0;
    for segment in &survey.segments {
        let mut name = segment.name;
        if !segment.damages.is_empty() {
            name.generation = generation;
            let kept = format!("{}{ASIDE}", segment.name);
            aside.push(kept.clone());
            next.renames.push((segment.name.to_string(), kept));
            if !segment.salvaged.records.is_empty() {
                let repaired = format!("{name}{REPAIRED}");
                copy(disk, segment, last, id, name, &repaired)?;
                next.renames.push((repaired, name.to_string()));
            }
        }
        let records = &segment.salvaged.records;
        let Some(end) = records.last() else { continue };
        last = end.last();
        let rows = records.iter().map(|record| u64::from(record.rows)).sum();
        next.segments.push(ListedSegment { name, last: Some(last), rows });
    }
    Ok(())
}

/// The readable records of a segment, sealed.
fn copy(
    disk: &dyn Disk,
    segment: &SegmentSurvey,
    before: u64,
    id: Id,
    name: SegmentName,
    file: &str,
) -> Result<(), Failure> {
    let bytes = whole(disk, &segment.name.to_string())?;
    let previous = segment.previous.unwrap_or(before).max(before);
    let (first, generation) = (name.first, name.generation);
    let mut content = Header { id, first, generation, previous }.bytes().to_vec();
    let (mut seal, mut last) = (Seal::default(), previous);
    for record in &segment.salvaged.records {
        content.extend_from_slice(bytes.get(record.at..record.end).unwrap_or_default());
        seal.add(record.sum);
        last = record.last();
    }
    seal.write(&mut content, id, last);
    disk.create(file)?;
    disk.write(file, 0, &content)?;
    disk.sync(file)?;
    Ok(())
}
