//! Measures the verification of an external JWT, with and without the cache: `cargo run --release -p
//! duet-auth --example jwt_speed`. Reports the best of many short rounds, which filters out other load
//! on the machine.
#![allow(clippy::print_stdout, reason = "the figures are what this program is for")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use duet_auth::Open;
use duet_auth::jwt::{Algorithm, Cache, KeySet, Settings, Verifier};
use duet_testkit::jwt::Issuer;
use serde_json::json;

const ROUNDS: u32 = 200;
const PER_ROUND: u32 = 50;
const NOW: u64 = 1_700_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let issuer = Issuer::new("timed");
    let algorithms = vec![Algorithm::EdDsa, Algorithm::Es256];
    let keys = KeySet::parse(issuer.jwks().to_string().as_bytes(), &algorithms)?;
    let settings = Settings {
        issuer: "https://id.example/realms/shop".into(),
        audiences: vec!["shop".into()],
        algorithms,
        skew: 60,
        max_age: None,
        roles: Some("/realm_access/roles".parse()?),
        db_role: None,
        tenant: None,
        max_bytes: 8 << 10,
    };
    let verifier = Verifier::new(settings, Open::No);
    // About the size of a common identity provider's tokens.
    let claims = json!({
        "iss": "https://id.example/realms/shop",
        "aud": ["shop", "account"],
        "sub": "0d5b4f1e-7f6b-4c27-9a35-5d8a1d0e6d2b",
        "exp": NOW + 600,
        "iat": NOW,
        "azp": "front",
        "session_state": "5a2f1f58-1d46-4f0c-8f7d-6f1a9b0a4c11",
        "realm_access": { "roles": ["duet.read", "offline_access", "default-roles-shop"] },
        "name": "Ann Example",
        "preferred_username": "ann",
        "email": "ann@shop.example",
        "padding": "x".repeat(400),
    });
    for (name, token) in [("EdDSA", issuer.token(&claims)), ("ES256", issuer.ecdsa_token(&claims))]
    {
        println!("a token of {} bytes, {name}", token.len());
        report("signature and claims", || {
            verifier.verify(black_box(&keys), black_box(&token), NOW).is_ok()
        });
        let cache = Cache::new(10_000);
        let verified =
            verifier.verify(&keys, &token, NOW).map_err(duet_auth::TokenError::description)?;
        cache.keep(Cache::hash(&token), verified, 1, NOW);
        report("remembered", || {
            let hash = Cache::hash(black_box(&token));
            cache.find(&hash, 1, NOW).is_some_and(|found| found.check_time(NOW).is_ok())
        });
    }
    Ok(())
}

fn report(what: &str, mut step: impl FnMut() -> bool) {
    let best = (0..ROUNDS).map(|_| round(&mut step)).min().unwrap_or_default();
    let each = best.as_secs_f64() * 1e6 / f64::from(PER_ROUND);
    println!("{what:>24}: {each:7.2} µs");
}

fn round(step: &mut impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    let good = (0..PER_ROUND).filter(|_| step()).count();
    let taken = start.elapsed();
    assert_eq!(good, PER_ROUND as usize, "a check returned the wrong result");
    taken
}
