//! Tallies as text, for the pipes between processes.

use std::time::Duration;

use duet_verdict::times::Damaged;
use serde::{Deserialize, Serialize};

use duet_verdict::dml::Dml;
use duet_verdict::outcome::Outcome;
use duet_verdict::times::{SparseTimes, pack, pack_some, unpack};

use super::{ProcessTotals, Tally, TransactionCost, Unfinished};

/// The serialized form of a [`Tally`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Packed {
    outcomes: Vec<u64>,
    service: String,
    response: String,
    dml: Dml,
    sent: u64,
    received: u64,
    round_trips: u64,
    #[serde(default)]
    implicit: u64,
    #[serde(default)]
    changed: u64,
    #[serde(default)]
    writes: u64,
    #[serde(default)]
    connects: u64,
    #[serde(default)]
    connects_failed: u64,
    #[serde(default)]
    connecting_us: u64,
    #[serde(default)]
    backing_off_us: u64,
    statuses: [u64; 6],
    #[serde(default)]
    cached: [u64; 2],
}

impl From<&Tally> for Packed {
    fn from(tally: &Tally) -> Self {
        Self {
            outcomes: tally.outcomes.to_vec(),
            service: tally.service.pack(),
            response: tally.response.pack(),
            dml: tally.work.dml,
            sent: tally.work.sent,
            received: tally.work.received,
            round_trips: tally.work.round_trips,
            implicit: tally.work.implicit,
            changed: tally.work.changed,
            writes: tally.work.writes,
            connects: tally.work.connects,
            connects_failed: tally.work.connects_failed,
            connecting_us: micros(tally.work.connecting),
            backing_off_us: micros(tally.work.backing_off),
            statuses: tally.work.statuses,
            cached: tally.work.cached,
        }
    }
}

impl TryFrom<&Packed> for Tally {
    type Error = Damaged;

    fn try_from(packed: &Packed) -> Result<Self, Damaged> {
        Ok(Self {
            outcomes: outcomes(&packed.outcomes),
            service: SparseTimes::unpack(&packed.service)?,
            response: SparseTimes::unpack(&packed.response)?,
            work: TransactionCost {
                dml: packed.dml,
                sent: packed.sent,
                received: packed.received,
                round_trips: packed.round_trips,
                implicit: packed.implicit,
                changed: packed.changed,
                writes: packed.writes,
                connects: packed.connects,
                connects_failed: packed.connects_failed,
                connecting: Duration::from_micros(packed.connecting_us),
                backing_off: Duration::from_micros(packed.backing_off_us),
                statuses: packed.statuses,
                cached: packed.cached,
                last_status: 0,
            },
        })
    }
}

fn outcomes(counts: &[u64]) -> [u64; Outcome::ALL.len()] {
    std::array::from_fn(|index| counts.get(index).copied().unwrap_or(0))
}

/// The serialized form of [`ProcessTotals`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PackedTotals {
    kinds: Vec<Packed>,
    /// Count, service and response times by type.
    unfinished: Vec<(u64, String, String)>,
    ended: Vec<Vec<u64>>,
    busy_us: u64,
    unanswered_us: u64,
    offered: u64,
    begun: u64,
    begun_after: u64,
    unsent: u64,
    unsent_waits: String,
    until_us: u64,
    lag: String,
    late_by_client: u64,
    late_by_server: u64,
    whole: Vec<u64>,
    whole_work: Packed,
    failures: Vec<(usize, Outcome, String, [u64; 2])>,
    first_begin_us: Option<u64>,
    last_end_us: u64,
    /// User, begin, end.
    users: Vec<(u32, u64, u64)>,
}

fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}

impl From<&ProcessTotals> for PackedTotals {
    fn from(totals: &ProcessTotals) -> Self {
        let work = Tally { work: totals.whole_work, ..Tally::default() };
        Self {
            kinds: totals.kinds.iter().map(Packed::from).collect(),
            unfinished: (totals.unfinished.iter())
                .map(|it| (it.count, it.service.pack(), it.response.pack()))
                .collect(),
            ended: totals.ended.iter().map(|counts| counts.to_vec()).collect(),
            busy_us: micros(totals.busy),
            unanswered_us: micros(totals.unanswered),
            offered: totals.offered,
            begun: totals.begun,
            begun_after: totals.begun_after,
            unsent: totals.unsent,
            unsent_waits: pack_some(&totals.unsent_waits),
            until_us: micros(totals.until),
            lag: pack(&totals.lag),
            late_by_client: totals.late_by_client,
            late_by_server: totals.late_by_server,
            whole: totals.whole.to_vec(),
            whole_work: Packed::from(&work),
            failures: (totals.failures.iter())
                .map(|((kind, outcome, message), count)| (*kind, *outcome, message.clone(), *count))
                .collect(),
            first_begin_us: totals.first_begin.map(micros),
            last_end_us: micros(totals.last_end),
            users: (totals.users.iter())
                .map(|(user, [begin, end])| (*user, micros(*begin), micros(*end)))
                .collect(),
        }
    }
}

impl TryFrom<&PackedTotals> for ProcessTotals {
    type Error = Damaged;

    fn try_from(packed: &PackedTotals) -> Result<Self, Damaged> {
        Ok(Self {
            kinds: packed.kinds.iter().map(Tally::try_from).collect::<Result<_, Damaged>>()?,
            unfinished: (packed.unfinished.iter())
                .map(|(count, service, response)| {
                    let [service, response] = [service, response].map(|it| SparseTimes::unpack(it));
                    Ok(Unfinished { count: *count, service: service?, response: response? })
                })
                .collect::<Result<_, Damaged>>()?,
            ended: packed.ended.iter().map(|counts| outcomes(counts)).collect(),
            busy: Duration::from_micros(packed.busy_us),
            unanswered: Duration::from_micros(packed.unanswered_us),
            offered: packed.offered,
            begun: packed.begun,
            begun_after: packed.begun_after,
            unsent: packed.unsent,
            unsent_waits: unpack(&packed.unsent_waits)?,
            until: Duration::from_micros(packed.until_us),
            lag: unpack(&packed.lag)?,
            late_by_client: packed.late_by_client,
            late_by_server: packed.late_by_server,
            whole: outcomes(&packed.whole),
            whole_work: Tally::try_from(&packed.whole_work)?.work,
            failures: (packed.failures.iter())
                .map(|(kind, outcome, message, count)| ((*kind, *outcome, message.clone()), *count))
                .collect(),
            first_begin: packed.first_begin_us.map(Duration::from_micros),
            last_end: Duration::from_micros(packed.last_end_us),
            users: (packed.users.iter())
                .map(|(user, begin, end)| (*user, [*begin, *end].map(Duration::from_micros)))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_travels_whole() {
        let mut tally = Tally::default();
        tally.outcomes[Outcome::Ok.index()] = 3;
        for micros in [1, 900, 3_000_000] {
            tally.service.record(Duration::from_micros(micros));
        }
        tally.work.statuses = [0, 0, 7, 0, 1, 0];
        tally.work.connected(true, Duration::from_millis(3));
        tally.work.connected(false, Duration::from_millis(4));
        tally.work.backing_off = Duration::from_millis(5);
        tally.work.looked_up(Some(true));
        tally.work.looked_up(Some(false));
        tally.work.looked_up(None);
        assert_eq!(tally.work.cached, [2, 1]);
        let text = serde_json::to_string(&Packed::from(&tally)).unwrap();
        let back = Tally::try_from(&serde_json::from_str::<Packed>(&text).unwrap()).unwrap();
        assert_eq!(back.outcomes, tally.outcomes);
        assert_eq!((back.service, back.work), (tally.service, tally.work));
    }

    #[test]
    fn unfinished_requests_are_serialized_too() {
        let mut totals = ProcessTotals::new(2);
        totals.unfinished[1].count = 1;
        totals.unfinished[1].response.record(Duration::from_secs(3));
        totals.ended[1][0] = 4;
        (totals.busy, totals.until) = (Duration::from_millis(1500), Duration::from_secs(9));
        (totals.offered, totals.begun, totals.begun_after, totals.unsent) = (9, 7, 2, 1);
        duet_verdict::times::record(&mut totals.unsent_waits, Duration::from_secs(2));
        (totals.late_by_client, totals.late_by_server) = (3, 4);
        totals.unanswered = Duration::from_millis(700);
        let text = serde_json::to_string(&PackedTotals::from(&totals)).unwrap();
        let back = serde_json::from_str::<PackedTotals>(&text).unwrap();
        let back = ProcessTotals::try_from(&back).unwrap();
        assert_eq!((back.ended, back.busy, back.until), (totals.ended, totals.busy, totals.until));
        assert_eq!([back.offered, back.begun, back.begun_after, back.unsent], [9, 7, 2, 1]);
        assert_eq!(back.unsent_waits, totals.unsent_waits);
        assert_eq!((back.late_by_client, back.late_by_server), (3, 4));
        assert_eq!(back.unanswered, totals.unanswered);
        let unfinished = &back.unfinished[1];
        assert_eq!(
            (unfinished.count, unfinished.response.len(), unfinished.service.len()),
            (1, 1, 0)
        );
        assert_eq!(back.unfinished[0].count, 0);
    }
}
