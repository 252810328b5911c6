//! External JWTs: the test vectors of the RFCs, every refused claim and header, the exact second of
//! each time limit, and the cache.

use duet_model::Code;
use duet_testkit::jwt::{Issuer, encode};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::principal::TokenTenant;
use crate::role::{ADMIN, READ, RoleSet};

const NOW: u64 = 1_700_000_000;
const MODERN: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

fn settings() -> Settings {
    Settings {
        issuer: "https://id.example".into(),
        audiences: vec!["shop".into(), "stock".into()],
        algorithms: MODERN.into(),
        skew: 60,
        max_age: None,
        roles: Some("/roles".parse().unwrap()),
        db_role: None,
        tenant: None,
        max_bytes: 8 << 10,
    }
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example",
        "aud": "shop",
        "sub": "ann",
        "exp": NOW + 600,
        "iat": NOW,
        "roles": ["duet.read"],
    })
}

/// The claims with some changed; null removes one.
fn with(changes: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => claims.as_object_mut().unwrap().remove(name),
            value => claims.as_object_mut().unwrap().insert(name.clone(), value.clone()),
        };
    }
    claims
}

fn keys(issuer: &Issuer) -> KeySet {
    KeySet::parse(issuer.jwks().to_string().as_bytes(), &MODERN).unwrap()
}

fn set(keys: &[Value]) -> KeySet {
    let json = json!({ "keys": keys }).to_string();
    KeySet::parse(json.as_bytes(), &Algorithm::NAMES.map(|(_, algorithm)| algorithm)).unwrap()
}

fn verifier(settings: Settings) -> Verifier {
    Verifier::new(settings, Open::No)
}

/// A token whose tenant is null or no name reaches none; the reason names the claim, and not its value.
#[test]
fn a_tenant_that_is_no_name_is_none_of_them() {
    let issuer = Issuer::new("a");
    let own = Settings { tenant: Some("/org/tenant".parse().unwrap()), ..settings() };
    let wrong =
        |why: &str| TokenTenant::Invalid(format!("The token's claim /org/tenant {why}.").into());
    for (claim, expected) in [
        (json!({}), TokenTenant::None),
        (json!({ "tenant": "acme" }), TokenTenant::Named("acme".parse().unwrap())),
        (json!({ "tenant": null }), wrong("is null, not the name of a tenant")),
        (json!({ "tenant": "../hidden" }), wrong("is not the name of a tenant")),
        (json!({ "tenant": ["acme"] }), wrong("is not the name of a tenant")),
    ] {
        let token = issuer.token(&with(&json!({ "org": claim })));
        let verified = verifier(own.clone()).verify(&keys(&issuer), &token, NOW).unwrap();
        assert_eq!(*verified.principal().tenant(), expected, "{claim}");
    }
}

/// The result of verifying a token with these claims.
fn verify_claims(settings: &Settings, claims: &Value, now: u64) -> Result<(), TokenError> {
    let issuer = Issuer::new("a");
    verifier(settings.clone()).verify(&keys(&issuer), &issuer.token(claims), now).map(drop)
}

/// The result of verifying a token with this header, signed by the EdDSA or the ES256 key.
fn verify_header(header: &Value) -> Result<(), TokenError> {
    let issuer = Issuer::new("a");
    let token = issuer.token_with(header, &claims());
    verifier(settings()).verify(&keys(&issuer), &token, NOW).map(drop)
}

#[test]
fn a_valid_token_gives_a_principal() {
    let issuer = Issuer::new("a");
    for token in [issuer.token(&claims()), issuer.ecdsa_token(&claims())] {
        assert!(has_form(&token));
        let verified = verifier(settings()).verify(&keys(&issuer), &token, NOW).unwrap();
        let principal = verified.principal();
        assert_eq!((principal.client_id(), principal.name()), (Some("ann"), "ann"));
        assert!(!principal.is_anonymous());
        assert!(principal.roles().meets(&RoleSet::of([READ])));
        assert!(!principal.roles().meets(&RoleSet::of([ADMIN])));
        let kept: Value = serde_json::from_str(principal.claims().unwrap().json()).unwrap();
        assert_eq!(kept, claims());
        assert!(!format!("{verified:?}").contains("id.example"), "claims must not be logged");
    }
}

/// RFC 7515 appendix A.1 to A.3, RFC 8037 appendix A.4.
#[test]
fn verifies_the_test_vectors_of_the_rfcs() {
    const PAYLOAD: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    let secret = URL_SAFE_NO_PAD
        .decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        .unwrap();
    let rsa = set(&[json!({
        "kty": "RSA",
        "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
        "e": "AQAB",
    })]);
    let ecdsa = set(&[json!({
        "kty": "EC", "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })]);
    let edwards = set(&[json!({
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    })]);
    let vectors = [
        (
            Algorithm::Hs256,
            KeySet::of_secret(&secret).unwrap(),
            format!("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.{PAYLOAD}"),
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ),
        (
            Algorithm::Rs256,
            rsa,
            format!("eyJhbGciOiJSUzI1NiJ9.{PAYLOAD}"),
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
        ),
        (
            Algorithm::Es256,
            ecdsa,
            format!("eyJhbGciOiJFUzI1NiJ9.{PAYLOAD}"),
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
        ),
        (
            Algorithm::EdDsa,
            edwards,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".into(),
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
        ),
    ];
    for (algorithm, keys, signed, signature) in &vectors {
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let check = |algorithm: Algorithm, signed: &[u8], signature: &[u8]| {
            keys.check(algorithm, None, signed, signature)
        };
        assert_eq!(check(*algorithm, signed.as_bytes(), &signature), Ok(()), "{algorithm}");
        let other = [signed.as_bytes(), b"A"].concat();
        assert_eq!(check(*algorithm, &other, &signature), Err(TokenError::Forged), "{algorithm}");
        for place in [0, signature.len() - 1] {
            let mut changed = signature.clone();
            changed[place] ^= 1;
            let judged = check(*algorithm, signed.as_bytes(), &changed);
            assert_eq!(judged, Err(TokenError::Forged), "{algorithm}");
        }
        assert_eq!(check(*algorithm, signed.as_bytes(), b""), Err(TokenError::Forged));
        // No key verifies a signature of another algorithm.
        for (other, ..) in vectors.iter().filter(|(other, ..)| other != algorithm) {
            let judged = check(*other, signed.as_bytes(), &signature);
            assert_eq!(judged, Err(TokenError::UnknownKey), "{algorithm} as {other}");
        }
    }
}

#[test]
fn headers_select_only_allowed_algorithms_and_keys() {
    let good = json!({ "alg": "EdDSA", "kid": "a-ed" });
    assert_eq!(verify_header(&good), Ok(()));
    let judged_with = |name: &str, value: Value| {
        let mut header = good.clone();
        header[name] = value;
        verify_header(&header)
    };
    for typ in ["JWT", "jwt", "at+jwt", "application/at+jwt", "Application/JWT"] {
        assert_eq!(judged_with("typ", json!(typ)), Ok(()), "{typ}");
    }
    for (name, value) in [
        ("alg", json!("none")),
        ("alg", json!("None")),
        ("alg", json!("")),
        ("alg", json!("eddsa")),
        ("alg", json!("HS256")),
        ("alg", json!("RS512")),
        ("typ", json!("logout+jwt")),
        ("typ", json!("dpop+jwt")),
        ("crit", json!(["b64"])),
        ("crit", json!([])),
        ("zip", json!("DEF")),
    ] {
        let expected = match name {
            "alg" => TokenError::OtherAlgorithm,
            _ => TokenError::NotUnderstood,
        };
        assert_eq!(judged_with(name, value), Err(expected), "{name}");
    }
    for (name, value) in [
        ("kid", json!("other")),
        ("kid", json!("a-ec")),
        ("alg", json!("RS256")),
        ("kid", json!("")),
    ] {
        assert_eq!(judged_with(name, value), Err(TokenError::UnknownKey), "{name}");
    }
    assert_eq!(judged_with("alg", json!("ES256")), Err(TokenError::UnknownKey));
    assert_eq!(verify_header(&json!({ "alg": "ES256", "kid": "a-ec" })), Ok(()));
    // A key in the header is ignored.
    let other_issuer = Issuer::new("a");
    assert_eq!(judged_with("jwk", other_issuer.edwards_key()), Ok(()));
    let issuer = Issuer::new("a");
    let header = json!({ "alg": "EdDSA", "kid": "a-ed", "jwk": other_issuer.edwards_key() });
    let token = other_issuer.token_with(&header, &claims());
    let judged = verifier(settings()).verify(&keys(&issuer), &token, NOW).map(drop);
    assert_eq!(judged, Err(TokenError::Forged));
    for odd in [json!(null), json!([]), json!({}), json!({ "alg": 1 }), json!({"alg": ["none"]})] {
        assert_eq!(verify_header(&odd), Err(TokenError::Malformed), "{odd}");
    }
}

#[test]
fn refuses_a_public_key_used_as_a_secret() {
    let issuer = Issuer::new("a");
    let mut settings = settings();
    settings.algorithms.push(Algorithm::Hs256);
    let x = issuer.edwards_key()["x"].as_str().unwrap().to_owned();
    let public = URL_SAFE_NO_PAD.decode(&x).unwrap();
    let signed = format!(
        "{}.{}",
        encode(json!({ "alg": "HS256", "kid": "a-ed" }).to_string()),
        encode(claims().to_string())
    );
    let made_with = |secret: &[u8]| {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        format!("{signed}.{}", encode(ring::hmac::sign(&key, signed.as_bytes())))
    };
    let published = keys(&issuer);
    let verifier = verifier(settings);
    for secret in [&public[..], x.as_bytes(), b"", issuer.jwks().to_string().as_bytes()] {
        let judged = verifier.verify(&published, &made_with(secret), NOW).map(drop);
        assert_eq!(judged, Err(TokenError::UnknownKey));
    }
    // With a configured secret, HS256 tokens are valid, and tokens by other keys remain valid.
    let secret = [7; 32];
    let both = published.and(KeySet::of_secret(&secret).unwrap());
    assert_eq!(verifier.verify(&both, &made_with(&secret), NOW).map(drop), Ok(()));
    let judged = verifier.verify(&both, &made_with(&public), NOW).map(drop);
    assert_eq!(judged, Err(TokenError::Forged));
    assert_eq!(verifier.verify(&both, &issuer.token(&claims()), NOW).map(drop), Ok(()));
    assert!(KeySet::of_secret(&[7; 31]).is_err());
}

#[test]
fn refuses_claims_that_do_not_match_the_settings() {
    for (changes, expected) in [
        (json!({}), Ok(())),
        (json!({ "aud": ["x", "stock"] }), Ok(())),
        (json!({ "iat": null }), Ok(())),
        (json!({ "sub": null }), Ok(())),
        (json!({ "exp": (NOW + 600) as f64 + 0.5 }), Ok(())),
        (json!({ "exp": NOW as f64 - 600.5 }), Err(TokenError::Expired)),
        (json!({ "nbf": (NOW - 600) as f64 + 0.5 }), Ok(())),
        (json!({ "exp": LATEST_DATE }), Ok(())),
        (json!({ "exp": LATEST_DATE + 1 }), Err(TokenError::Malformed)),
        (json!({ "exp": u64::MAX }), Err(TokenError::Malformed)),
        (json!({ "nbf": -1 }), Err(TokenError::Malformed)),
        (json!({ "iat": 1e300 }), Err(TokenError::Malformed)),
        (json!({ "iss": "https://id.example/" }), Err(TokenError::OtherIssuer)),
        (json!({ "iss": null }), Err(TokenError::OtherIssuer)),
        (json!({ "iss": ["https://id.example"] }), Err(TokenError::OtherIssuer)),
        (json!({ "aud": "Shop" }), Err(TokenError::OtherAudience)),
        (json!({ "aud": [] }), Err(TokenError::OtherAudience)),
        (json!({ "aud": null }), Err(TokenError::OtherAudience)),
        (json!({ "aud": { "shop": true } }), Err(TokenError::OtherAudience)),
        (json!({ "exp": null }), Err(TokenError::MissingClaim)),
        (json!({ "exp": "2040-01-01" }), Err(TokenError::Malformed)),
        (json!({ "nbf": "soon" }), Err(TokenError::Malformed)),
        (json!({ "exp": -5 }), Err(TokenError::Malformed)),
        (json!({ "exp": 1e300 }), Err(TokenError::Malformed)),
    ] {
        assert_eq!(verify_claims(&settings(), &with(&changes), NOW), expected, "{changes}");
    }
    assert_eq!(verify_claims(&settings(), &json!([]), NOW), Err(TokenError::Malformed));
}

/// Parsers differ in which of two duplicate members they use, so duplicates are refused: in the header
/// and in the claims, at any depth.
#[test]
fn refuses_duplicate_members() {
    let unique = |text: &str| claims::unique_members(text);
    assert_eq!(unique(r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#), Ok(()));
    for twice in [
        r#"{"exp":1,"exp":2}"#,
        r#"{"exp":1,"\u0065xp":2}"#,
        r#"{"realm_access":{"roles":[],"roles":["admin"]}}"#,
        r#"{"a":[{"b":1,"b":1}]}"#,
    ] {
        assert_eq!(unique(twice), Err(TokenError::Malformed), "{twice}");
        let verifier = Verifier::new(settings(), Open::No);
        assert!(verifier.algorithm(twice.as_bytes()).is_err(), "{twice}");
        let payload = twice.as_bytes().to_vec();
        let judged = claims::check(&settings(), payload, Open::No).map(drop);
        assert_eq!(judged, Err(TokenError::Malformed), "{twice}");
    }
}

#[test]
fn time_limits_are_exact_to_the_second() {
    let old = Settings { max_age: Some(300), ..settings() };
    let exact = Settings { skew: 0, ..settings() };
    let times = with(&json!({ "nbf": NOW + 100 }));
    for (settings, claims, now, expected) in [
        (&exact, &claims(), NOW + 599, Ok(())),
        (&exact, &claims(), NOW + 600, Err(TokenError::Expired)),
        (&settings(), &claims(), NOW + 659, Ok(())),
        (&settings(), &claims(), NOW + 660, Err(TokenError::Expired)),
        (&exact, &claims(), NOW - 1, Err(TokenError::NotYet)),
        (&settings(), &claims(), NOW - 60, Ok(())),
        (&settings(), &claims(), NOW - 61, Err(TokenError::NotYet)),
        (&exact, &times, NOW + 99, Err(TokenError::NotYet)),
        (&exact, &times, NOW + 100, Ok(())),
        (&old, &claims(), NOW + 359, Ok(())),
        (&old, &claims(), NOW + 360, Err(TokenError::TooOld)),
        (&old, &with(&json!({ "iat": null })), NOW, Err(TokenError::MissingClaim)),
        (&exact, &claims(), 0, Err(TokenError::NotYet)),
        (&exact, &claims(), u64::MAX, Err(TokenError::Expired)),
    ] {
        assert_eq!(verify_claims(settings, claims, now), expected, "{now} {claims}");
    }
}

#[test]
fn reads_roles_at_the_configured_location() {
    RoleSet::of(["clerk", "chief"]);
    let issuer = Issuer::new("a");
    let roles = |pointer: Option<&str>, changes: Value| {
        let settings = Settings { roles: pointer.map(|text| text.parse().unwrap()), ..settings() };
        let token = issuer.token(&with(&changes));
        let verified = verifier(settings).verify(&keys(&issuer), &token, NOW).unwrap();
        let principal = verified.principal();
        ["duet.read", "clerk", "chief"].map(|role| principal.roles().meets(&RoleSet::of([role])))
    };
    assert_eq!(roles(Some("/roles"), json!({})), [true, false, false]);
    assert_eq!(roles(Some("/roles"), json!({ "roles": "clerk chief" })), [false, true, true]);
    // With a pointer, only the value at the pointer is used.
    assert_eq!(roles(Some("/a/b~1c"), json!({ "scope": "clerk" })), [false; 3]);
    let deep = json!({ "a": { "b/c": ["chief", 7, "no-such-role", "duet.everything"] } });
    assert_eq!(roles(Some("/a/b~1c"), deep), [false, false, true]);
    assert_eq!(roles(None, json!({ "scope": "openid clerk" })), [false, true, false]);
    assert_eq!(roles(None, json!({ "scp": ["chief"] })), [false, false, true]);
    assert_eq!(roles(None, json!({ "scope": "", "scp": ["chief"] })), [false; 3]);
    assert_eq!(roles(Some("/roles"), json!({ "roles": { "clerk": true } })), [false; 3]);
    for wrong in ["", "/", "roles", "/a~2", "/a~"] {
        assert_eq!(wrong.parse::<Pointer>().unwrap_err().code, Code::Setting, "{wrong}");
    }
}

#[test]
fn refuses_malformed_tokens_before_any_cryptography() {
    let issuer = Issuer::new("a");
    let good = issuer.token(&claims());
    let verifier = verifier(Settings { max_bytes: good.len(), ..settings() });
    // Without keys, a well-formed token gives `NoKeys`.
    let judge = |token: &str| verifier.verify(&KeySet::default(), token, NOW).map(drop);
    assert_eq!(judge(&good), Err(TokenError::NoKeys));
    assert_eq!(judge(&format!("{good}A")), Err(TokenError::TooLong));
    let (head, signature) = good.rsplit_once('.').unwrap();
    for bad in [
        "",
        ".",
        "..",
        "a.b.c",
        head,
        &format!(".{head}"),
        &format!("{head}.a.b"),
        &format!("{head}.a"),
        &format!("{head}.a+b"),
        &format!("x{}", &good[1..]),
        signature,
    ] {
        assert_eq!(judge(bad), Err(TokenError::Malformed), "{bad}");
    }
    for suspicious in [TokenError::TooLong, TokenError::NotUnderstood, TokenError::OtherAudience] {
        assert!(suspicious.is_suspicious());
    }
    assert!(!TokenError::NoKeys.is_suspicious());
}

#[test]
fn skips_unusable_keys_of_a_set() {
    let issuer = Issuer::new("a");
    let good = issuer.edwards_key();
    let count = |keys: &[Value]| {
        let json = json!({ "keys": keys, "more": 1 }).to_string();
        KeySet::parse(json.as_bytes(), &MODERN).map(|set| set.len())
    };
    let changed = |name: &str, value: Value| {
        let mut key = good.clone();
        key[name] = value;
        key
    };
    assert_eq!(count(&[good.clone(), issuer.ecdsa_key()]), Ok(2));
    assert_eq!(
        count(&[changed("key_ops", json!(["verify"])), changed("alg", json!("Ed25519"))]),
        Ok(2)
    );
    for bad in [
        changed("use", json!("enc")),
        changed("key_ops", json!(["encrypt"])),
        changed("alg", json!("ES256")),
        changed("alg", json!("EdDSA2")),
        changed("crv", json!("X25519")),
        changed("x", json!("AAAA")),
        changed("x", json!(null)),
        json!({ "kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", "alg": "HS256" }),
        json!({ "kty": "RSA", "n": encode([255; 128]), "e": "AQAB" }),
        json!({ "kty": "RSA", "n": encode([0; 256]), "e": "AQAB" }),
        json!({ "kty": "EC", "crv": "P-384", "x": encode([1; 48]), "y": encode([1; 48]) }),
        json!({}),
        json!(7),
    ] {
        assert_eq!(count(&[bad.clone(), good.clone()]), Ok(1), "{bad}");
        assert_eq!(count(&[bad]).unwrap_err().code, Code::IssuerKeys);
    }
    for bad in ["", "{}", "[]", r#"{"keys":7}"#, "nonsense"] {
        assert!(KeySet::parse(bad.as_bytes(), &MODERN).is_err(), "{bad}");
    }
}

#[test]
fn a_token_without_a_key_id_needs_an_unambiguous_key() {
    let (issuer, other) = (Issuer::new("a"), Issuer::new("b"));
    let token = issuer.token_with(&json!({ "alg": "EdDSA" }), &claims());
    let judge = |keys: KeySet| verifier(settings()).verify(&keys, &token, NOW).map(drop);
    assert_eq!(judge(keys(&issuer)), Ok(()));
    assert_eq!(judge(keys(&issuer).and(keys(&other))), Err(TokenError::UnknownKey));
    assert_eq!(judge(keys(&other)), Err(TokenError::Forged));
}

#[test]
fn the_cache_is_bounded_and_cleared_when_keys_change() {
    let issuer = Issuer::new("a");
    let verified =
        verifier(settings()).verify(&keys(&issuer), &issuer.token(&claims()), NOW).unwrap();
    let cache = Cache::new(4);
    let hashes: Vec<_> = (0..20).map(|number: u32| Cache::hash(&number.to_string())).collect();
    let held = |version, now| {
        hashes.iter().filter(|hash| cache.find(hash, version, now).is_some()).count()
    };
    for hash in &hashes {
        cache.keep(*hash, verified.clone(), 1, NOW);
        // The first token is looked up repeatedly.
        assert!(cache.find(&hashes[0], 1, NOW).is_some());
    }
    assert!((2..=4).contains(&held(1, NOW)), "{}", held(1, NOW));
    assert_eq!(held(1, NOW + 60), held(1, NOW + 60));
    assert!(held(1, NOW + 60) > 0);
    assert_eq!(held(1, NOW + 61), 0);
    // After the clock steps back, an entry from the future is not used.
    cache.keep(hashes[0], verified.clone(), 1, NOW);
    assert_eq!(held(1, NOW - 1), 0);
    cache.keep(hashes[0], verified, 1, NOW);
    assert_eq!(held(2, NOW), 0, "other keys");
    assert_eq!(held(1, NOW), 0);
}

proptest! {
    #[test]
    fn no_token_panics(token in "[a-zA-Z0-9_.=-]{0,200}", now in any::<u64>()) {
        let keys = keys(&Issuer::new("a"));
        prop_assert!(verifier(settings()).verify(&keys, &token, now).is_err());
    }

    #[test]
    fn no_header_and_no_claims_panic(header in any::<Vec<u8>>(), payload in any::<Vec<u8>>()) {
        let token = format!("{}.{}.AAAA", encode(header), encode(&payload));
        prop_assert!(verifier(settings()).verify(&KeySet::default(), &token, NOW).is_err());
        let _ = claims::check(&settings(), payload, Open::No);
    }

    #[test]
    fn refuses_every_changed_character(place in 0usize..300, to in "[a-zA-Z0-9_-]") {
        let issuer = Issuer::new("a");
        let good = issuer.token(&claims());
        let place = place % good.len();
        let mut token = good.clone();
        token.replace_range(place..=place, &to);
        prop_assume!(token != good && !good[place..].starts_with('.'));
        prop_assert!(verifier(settings()).verify(&keys(&issuer), &token, NOW).is_err());
    }
}
