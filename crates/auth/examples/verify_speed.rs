//! Measures one token check, one access decision and one secret check: `cargo run --release -p
//! duet-auth --example verify_speed`. Reports the best of many short rounds, which filters out other
//! load on the machine.
#![allow(clippy::print_stdout, reason = "the figures are what this program is for")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use duet_auth::{ClientTable, Open, Operation, Policy, Privilege, State};

const ROUNDS: u32 = 2_000;
const PER_ROUND: u32 = 500;
const NOW: u64 = 1_700_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut state = State::new(NOW)?;
    for i in 0..1_000 {
        state.add(&format!("client {i}"), &["crew"], NOW)?;
    }
    let (client, secret) = state.add("timed", &["driver"], NOW)?;
    state.rotate_key(NOW, 7_200)?;
    let table = ClientTable::new(&state, Open::No);
    let principal =
        table.authenticate(client.id.as_str(), secret.expose()).ok_or("the secret is wrong")?;
    let old = table.issue(principal, NOW, 3_600)?.text;
    let token = table.issue(principal, NOW + 60, 3_600)?.text;
    let privileges = [Privilege {
        name: "team".to_owned(),
        roles: vec!["driver".to_owned()],
        patterns: vec!["/team/*".to_owned()],
        operations: Operation::ALL.into(),
    }];
    let access = Policy::compile([("hr", &privileges[..])])?.resource_access("hr", "team");

    report("verify, newest key", || table.verify(black_box(&token), NOW + 61).is_ok());
    report("verify, key before", || table.verify(black_box(&old), NOW + 61).is_ok());
    let forged = format!("{}A", &token[..59]);
    report("verify, forged", || table.verify(black_box(&forged), NOW + 61).is_err());
    report("decision", || {
        black_box(&access).allows(black_box(principal), Operation::Read, "301").is_allowed()
    });
    report("secret check", || table.authenticate(client.id.as_str(), black_box("wrong")).is_none());
    report("issue", || table.issue(principal, NOW, 3_600).is_ok());
    Ok(())
}

fn report(what: &str, mut step: impl FnMut() -> bool) {
    let best = (0..ROUNDS).map(|_| round(&mut step)).min().unwrap_or_default();
    println!("{what:>20}: {:6.1} ns", best.as_nanos() as f64 / f64::from(PER_ROUND));
}

fn round(step: &mut impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    let good = (0..PER_ROUND).filter(|_| step()).count();
    let taken = start.elapsed();
    assert_eq!(good, PER_ROUND as usize, "a check returned the wrong result");
    taken
}
