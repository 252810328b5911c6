//! The report's claims, judged by the rounds that were measured here.

use duet_verdict::judge::{Change, Pairs};

use super::Runs;
use crate::replay::enough::{self, SECONDS};
use crate::replay::page::{Claim, Remark, Verdict};

/// A difference between variants under this many per cent is none.
const LEAST_PERCENT: f64 = 3.0;

fn find<'a>(runs: &'a [Runs], workload: &str, processes: u32) -> Option<&'a Runs> {
    runs.iter().find(|r| r.variant.workload == workload && r.variant.processes == processes)
}

pub(super) fn claims(runs: &[Runs]) -> Vec<Claim> {
    let of = |workload, processes| find(runs, workload, processes);
    let compared = [
        (
            "From the database's side order entry is faster than from the client's (about 10 % there).",
            [of("soe-client", 1), of("soe-server", 1)],
        ),
        (
            "Two processes of 8 are faster than one of 16 (client's side; 35 % there).",
            [of("soe-client", 1), of("soe-client", 2)],
        ),
        (
            "Two processes of 8 are faster than one of 16 (database's side; about 8 % there).",
            [of("soe-server", 1), of("soe-server", 2)],
        ),
    ];
    let mut claims = Vec::new();
    for (text, sides) in compared {
        if let [Some(base), Some(new)] = sides {
            let (verdict, why) = judged(base, new);
            claims.push(Claim { text: text.into(), verdict, why });
        }
    }
    for (text, why) in [
        ("Small replicas on several nodes beat one large one.", "There is one machine here."),
        (
            "The containers' proxy costs inbound traffic.",
            "Nothing runs in containers here. `duet bench paths` measures several ways to one database.",
        ),
        ("Fast disks raise the rate most.", "There is one disk here."),
        (
            "A client outside of the containers gets 1.5 % less.",
            "Nothing runs in containers here. `duet bench paths --bridge` measures what a container has.",
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

/// What the figures show and the report does not say.
pub(super) fn remarks(runs: &[Runs]) -> Vec<Remark> {
    let of = |workload, processes| find(runs, workload, processes);
    let shown = [
        (
            "Four processes of 4 beside one of 16 (client's side): +34.2 % there.",
            [of("soe-client", 1), of("soe-client", 4)],
        ),
        (
            "Four processes of 4 beside two of 8 (client's side): -0.7 % there.",
            [of("soe-client", 2), of("soe-client", 4)],
        ),
        (
            "Four processes of 4 beside two of 8 (database's side): -1.4 % there.",
            [of("soe-server", 2), of("soe-server", 4)],
        ),
    ];
    let mut remarks = Vec::new();
    for (text, sides) in shown {
        if let [Some(base), Some(new)] = sides {
            let here = match measured(base, new) {
                Ok((change, rounds)) => format!("{}.", enough::found(&change, rounds)),
                Err((verdict, why)) => format!("**{}**: {why}", verdict.words()),
            };
            remarks.push(Remark { text: text.into(), here });
        }
    }
    remarks.push(Remark {
        text: "TPC-DS-like work runs at 269.41/s on a transaction database and at 265.90/s on a warehouse one there."
            .into(),
        here: "There is one database here. Rates so near to each other on so different services may show think \
               time more than databases."
            .into(),
    });
    remarks
}

/// The change between two variants and its rounds; what forbids a judgement, where something does.
fn measured(base: &Runs, new: &Runs) -> Result<(Change, usize), (Verdict, String)> {
    let rounds = base.results.len().min(new.results.len());
    if let Some(missing) = enough::missing(rounds, [base.seconds(), new.seconds()], SECONDS) {
        return Err((Verdict::TooShort, format!("{missing}.")));
    }
    let change = Pairs::of(base.tps().into_iter().zip(new.tps())).change();
    let change = change.ok_or_else(|| (Verdict::CannotTell, "It was not measured.".to_owned()))?;
    Ok((change, rounds))
}

/// Whether the second variant is faster, by the ratios of the rounds.
fn judged(base: &Runs, new: &Runs) -> (Verdict, String) {
    let (change, rounds) = match measured(base, new) {
        Ok(measured) => measured,
        Err(unjudged) => return unjudged,
    };
    let [low, high] = change.interval(0.95).map(|ratio| (ratio - 1.0) * 100.0);
    let verdict = match () {
        () if low > LEAST_PERCENT => Verdict::Holds,
        () if high < LEAST_PERCENT => Verdict::DoesNotHold,
        () => Verdict::CannotTell,
    };
    (verdict, format!("{}.", enough::found(&change, rounds)))
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::RunResult;

    use super::super::REPORTED;
    use super::*;

    fn runs(variant: usize, tps: &[f64]) -> Runs {
        let result = |tps: &f64| {
            let mut result = RunResult::default();
            result.totals.tps = *tps;
            result.window.measured_s = 20.0;
            result
        };
        Runs { variant: REPORTED[variant], results: tps.iter().map(result).collect() }
    }

    #[test]
    fn claims_are_judged_by_their_rounds() {
        let client = runs(0, &[1000.0, 1010.0, 990.0]);
        let verdict = |tps: &[f64]| judged(&client, &runs(1, tps)).0;
        assert_eq!(verdict(&[1200.0, 1215.0, 1190.0]), Verdict::Holds);
        assert_eq!(verdict(&[800.0, 805.0, 790.0]), Verdict::DoesNotHold);
        assert_eq!(verdict(&[900.0, 1300.0, 1000.0]), Verdict::CannotTell);
        assert_eq!(verdict(&[1500.0]), Verdict::TooShort);
        let claims = claims(&[client, runs(1, &[1.0])]);
        assert_eq!(claims.len(), 6);
        assert!(
            claims[0].why.starts_with("20 s measured in 1 round; 5 s in 3 rounds"),
            "{claims:?}"
        );
    }

    #[test]
    fn what_the_report_does_not_say_has_no_verdict() {
        let all = [runs(0, &[1000.0, 1010.0, 990.0]), runs(3, &[1200.0, 1215.0, 1190.0])];
        let remarks = remarks(&all);
        assert!(remarks[0].text.starts_with("Four processes of 4 beside one of 16"), "{remarks:?}");
        assert!(remarks[0].here.starts_with("+20.2 % here, between "), "{remarks:?}");
        assert!(claims(&all).iter().all(|claim| !claim.text.starts_with("Four")));
    }
}
