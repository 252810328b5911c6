//! What the report says, held against the rounds that were measured here.

use super::{Runs, told};
use crate::judge::Pairs;
use crate::replay::page::{Claim, Verdict};

/// A difference between variants under this many per cent is none.
const LEAST_PERCENT: f64 = 3.0;
/// Fewer rounds tell nothing of the spread.
const LEAST_ROUNDS: usize = 3;

pub(super) fn claims(runs: &[Runs]) -> Vec<Claim> {
    let find = |workload: &str, processes: u32| {
        runs.iter().find(|r| r.variant.workload == workload && r.variant.processes == processes)
    };
    let mut claims = Vec::new();
    let mut compare = |text: &str, judge: Judge, [base, new]: [Option<&Runs>; 2]| {
        if let (Some(base), Some(new)) = (base, new) {
            let (verdict, why) = judged(base, new, judge);
            claims.push(Claim { text: text.into(), verdict, why });
        }
    };
    let (client, server) = (|count| find("soe-client", count), |count| find("soe-server", count));
    compare(
        "From the database's side order entry is faster than from the client's (about 10 % there).",
        is_faster,
        [client(1), server(1)],
    );
    compare(
        "Two processes of 8 are faster than one of 16 (client's side; 35 % there).",
        is_faster,
        [client(1), client(2)],
    );
    compare(
        "Four processes of 4 are faster than one of 16 (client's side; 34 % there).",
        is_faster,
        [client(1), client(4)],
    );
    compare(
        "Four processes of 4 are as fast as two of 8 (client's side; 1 % less there).",
        is_as_fast,
        [client(2), client(4)],
    );
    compare(
        "Two processes of 8 are faster than one of 16 (database's side; about 8 % there).",
        is_faster,
        [server(1), server(2)],
    );
    for (text, why) in [
        ("Small replicas on several nodes beat one large one.", "There is one machine here."),
        (
            "The containers' proxy costs inbound traffic.",
            "Nothing runs in containers here. `duet bench paths` measures several ways to one database.",
        ),
        ("Fast disks raise the rate most.", "There is one disk here."),
        (
            "TPC-DS-like work is as fast on a transaction database (269/s) as on a warehouse one (266/s).",
            "There is one database here. Rates so near to each other on so different services may show think \
             time more than databases.",
        ),
        (
            "A transaction database is 130 % faster at order entry than a warehouse one.",
            "There is one database here.",
        ),
    ] {
        claims.push(Claim { text: text.into(), verdict: Verdict::CannotTell, why: why.into() });
    }
    claims
}

/// What becomes of a claim about a change that lies between these, in percent.
type Judge = fn(f64, f64) -> Verdict;

fn is_faster(low: f64, high: f64) -> Verdict {
    match () {
        () if low > LEAST_PERCENT => Verdict::Holds,
        () if high < LEAST_PERCENT => Verdict::DoesNotHold,
        () => Verdict::CannotTell,
    }
}

fn is_as_fast(low: f64, high: f64) -> Verdict {
    match () {
        () if low > -LEAST_PERCENT && high < LEAST_PERCENT => Verdict::Holds,
        () if low > LEAST_PERCENT || high < -LEAST_PERCENT => Verdict::DoesNotHold,
        () => Verdict::CannotTell,
    }
}

/// What becomes of a claim about two variants, by the ratios of the rounds.
fn judged(base: &Runs, new: &Runs, judge: Judge) -> (Verdict, String) {
    let rounds = base.results.len().min(new.results.len());
    let Some(change) = Pairs::of(base.tps().into_iter().zip(new.tps())).change() else {
        return (Verdict::CannotTell, "It was not measured.".into());
    };
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let measured = percent(change.log_ratio.exp());
    if rounds < LEAST_ROUNDS {
        let why = format!(
            "{measured:+.1} % in {}; {LEAST_ROUNDS} are the least that tells.",
            told(rounds)
        );
        return (Verdict::CannotTell, why);
    }
    let [low, high] = change.interval(0.95).map(percent);
    let found = format!("{measured:+.1} % here, between {low:+.1} and {high:+.1} %");
    (judge(low, high), format!("{found} (95 %, {rounds} rounds)."))
}

#[cfg(test)]
mod tests {
    use super::super::REPORTED;
    use super::*;
    use crate::result::RunResult;

    fn runs(variant: usize, tps: &[f64]) -> Runs {
        let result = |tps: &f64| {
            let mut result = RunResult::default();
            result.totals.tps = *tps;
            result
        };
        Runs { variant: REPORTED[variant], results: tps.iter().map(result).collect() }
    }

    #[test]
    fn claims_are_judged_by_their_rounds() {
        let client = runs(0, &[1000.0, 1010.0, 990.0]);
        let verdict = |tps: &[f64]| judged(&client, &runs(1, tps), is_faster).0;
        assert_eq!(verdict(&[1200.0, 1215.0, 1190.0]), Verdict::Holds);
        assert_eq!(verdict(&[800.0, 805.0, 790.0]), Verdict::DoesNotHold);
        assert_eq!(verdict(&[900.0, 1300.0, 1000.0]), Verdict::CannotTell);
        assert_eq!(verdict(&[1500.0]), Verdict::CannotTell);
        let verdict = |tps: &[f64]| judged(&client, &runs(1, tps), is_as_fast).0;
        assert_eq!(verdict(&[1001.0, 1011.0, 990.0]), Verdict::Holds);
        assert_eq!(verdict(&[800.0, 805.0, 790.0]), Verdict::DoesNotHold);
        assert_eq!(verdict(&[900.0, 1300.0, 1000.0]), Verdict::CannotTell);
        assert_eq!(claims(&[client, runs(1, &[1.0])]).len(), 6);
    }
}
