//! Advice as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use duet_model::IndexKind;
use duet_service::definition::DeclaredIndex;
use duet_text::printable::printable;
use serde_json::{Value, json};

use super::advice::{Advice, Proposal, Unused};

/// The advice for people.
pub(super) fn text(advice: &Advice) -> String {
    let Advice { requests, others, unreadable, .. } = advice;
    let mut out = format!(
        "{requests} requests of collections, {others} others, {unreadable} lines that are no requests\n"
    );
    for (number, one) in (1..).zip(&advice.add) {
        proposal(number, one, &mut out);
    }
    if advice.add.is_empty() {
        out.push_str("\nNo index is proposed.\n");
    } else {
        paste(&advice.add, &mut out);
    }
    for one in &advice.useless {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "\nTried, and of little use: {} of {} ({:.1} times as fast)",
            declared(&one.index),
            one.collection,
            one.gain()
        );
    }
    unused(advice, &mut out);
    out
}

fn proposal(number: usize, one: &Proposal, out: &mut String) {
    let _ = writeln!(out, "\n{number}. {}: {}", one.collection, declared(&one.index));
    let _ = writeln!(
        out,
        "   {} requests, {:.0} % of the time: {} -> {}, {:.1} times as fast",
        one.count,
        one.share * 100.0,
        shown(one.before),
        shown(one.after),
        one.gain()
    );
    let _ = writeln!(
        out,
        "   {} kB for {} documents, {:.1} us for each that is written",
        one.built.bytes.div_ceil(1024),
        one.rows,
        each(one)
    );
    let _ = writeln!(out, "   GET {}", printable(&one.example));
}

/// The lines for the declarations.
fn paste(add: &[Proposal], out: &mut String) {
    let mut by_collection: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for one in add {
        let kinds = by_collection.entry(&one.collection).or_default();
        kinds.entry(kind(&one.index)).or_default().push(entry(&one.index));
    }
    for (collection, kinds) in by_collection {
        let _ = writeln!(
            out,
            "\nDeclare in the file of {collection}, then run `duet migrate`:\n[indexes]"
        );
        for (kind, entries) in kinds {
            let _ = writeln!(out, "{kind} = [{}]", entries.join(", "));
        }
    }
}

fn unused(advice: &Advice, out: &mut String) {
    if advice.unused.is_empty() {
        return;
    }
    out.push_str("\nDeclared, and used by no request of the log");
    match (&advice.since, advice.unused.iter().any(|one| one.uses.is_some())) {
        (Some(since), _) => drop(write!(out, ", nor by others since {since}")),
        (None, true) => out.push_str(", nor by others since the database counts"),
        (None, false) => {}
    }
    out.push_str(":\n");
    for Unused { name, bytes, .. } in &advice.unused {
        let _ = writeln!(out, "  {name}  {} kB", bytes.unwrap_or(0).div_ceil(1024));
    }
}

/// `index = ["a"]`.
fn declared(index: &DeclaredIndex) -> String {
    format!("{} = [{}]", kind(index), entry(index))
}

fn entry(index: &DeclaredIndex) -> String {
    if index.kind.is_of_pairs() || index.then.is_empty() {
        return format!("{:?}", index.path);
    }
    let paths: Vec<&String> = std::iter::once(&index.path).chain(&index.then).collect();
    format!("{{ paths = {paths:?} }}")
}

fn kind(index: &DeclaredIndex) -> &'static str {
    let named = IndexKind::NAMES.into_iter().find(|(_, kind)| *kind == index.kind);
    named.map_or("index", |(name, _)| name)
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// Microseconds of the build for each document.
fn each(one: &Proposal) -> f64 {
    one.built.time.as_secs_f64() * 1e6 / (one.rows.max(1) as f64)
}

/// The advice as JSON.
pub(super) fn as_json(advice: &Advice) -> Value {
    let proposals = |list: &[Proposal]| -> Vec<Value> {
        list.iter()
            .map(|one| {
                let paths: Vec<&String> =
                    std::iter::once(&one.index.path).chain(&one.index.then).collect();
                json!({
                    "collection": one.collection,
                    "kind": kind(&one.index),
                    "paths": paths,
                    "declaration": declared(&one.index),
                    "requests": one.count,
                    "share": one.share,
                    "example": one.example,
                    "beforeMicros": one.before.as_micros() as u64,
                    "afterMicros": one.after.as_micros() as u64,
                    "gain": one.gain(),
                    "bytes": one.built.bytes,
                    "documents": one.rows,
                    "writeMicros": each(one),
                })
            })
            .collect()
    };
    let unused: Vec<Value> = advice
        .unused
        .iter()
        .map(|one| {
            json!({ "collection": one.collection, "name": one.name, "bytes": one.bytes, "uses": one.uses })
        })
        .collect();
    json!({
        "requests": advice.requests,
        "others": advice.others,
        "unreadable": advice.unreadable,
        "add": proposals(&advice.add),
        "tried": proposals(&advice.useless),
        "unused": unused,
        "countedSince": advice.since,
    })
}
