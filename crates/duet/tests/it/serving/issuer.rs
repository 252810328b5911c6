//! Tokens of another issuer, from the settings to the answer.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use duet_testkit::command::{Running, clean};
use duet_testkit::jwt::Issuer;
use duet_testkit::tls::Authority;
use duet_testkit::{http, sqlite};
use serde_json::json;

use crate::duet;

/// The keys come over TLS from an authority that `SSL_CERT_FILE` names; an untrusted
/// authority gives none.
#[test]
fn keys_come_from_trusted_servers_only() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let (issuer, trusted) = (Issuer::new("1"), Authority::new());
    let trust = folder.path().join("authority.crt");
    std::fs::write(&trust, trusted.pem()).unwrap();
    let start = |authority: &Authority| {
        let keys = issuer.jwks().to_string();
        let url = authority.serve(move || keys.clone());
        let text = format!(
            "name = 'a'\nmount = '/a'\ndatabase = 'a.db'\n[settings]\nlisten = '127.0.0.1:0'\n\
             jwt_issuer = 'https://id.example'\njwt_audience = ['shop', 'stock']\n\
             jwt_keys_url = '{url}/keys'\njwt_roles = '/realm_access/roles'\n\
             jwt_algorithms = ['EdDSA']\n"
        );
        let file = folder.path().join("app.toml");
        std::fs::write(&file, text).unwrap();
        let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        command.arg("serve").arg("--config").arg(&file).env("SSL_CERT_FILE", &trust);
        Running::start_command(command)
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let token = issuer.token(&json!({
        "iss": "https://id.example", "aud": "stock", "sub": "ann", "exp": now + 600,
        "realm_access": { "roles": ["duet.read"] },
    }));
    let status = |server: &Running| {
        let bearer = format!("Bearer {token}");
        http::get(&format!("{}/a/t/", server.url()), &[("Authorization", &bearer)]).status
    };
    let server = start(&trusted);
    let deadline = Instant::now() + Duration::from_secs(60);
    while status(&server) != 200 {
        assert!(Instant::now() < deadline, "{}", server.errors());
    }
    let server = start(&Authority::new());
    server.wait_for_output("the keys of the token issuer cannot be fetched");
    assert!(server.errors().contains("invalid peer certificate"), "{}", server.errors());
    assert_eq!(status(&server), 503);
}

#[test]
fn keys_that_cannot_be_used_end_the_start() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let (database, file) = (database.display().to_string(), folder.path().join("keys.json"));
    std::fs::write(&file, r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#).unwrap();
    let file = file.display().to_string();
    let settings = ["--jwt-issuer", "i", "--jwt-audience", "a", "--jwt-keys-file", &file];
    let (code, _, errors) =
        duet(&[&["serve", &database, "--listen", "127.0.0.1:0"], &settings[..]].concat());
    assert_eq!(code, 1);
    assert!(errors.contains("keys.json: The JWK Set holds no key for RS256"), "{errors}");
    assert!(!errors.contains("c2VjcmV0"), "{errors}");
}
