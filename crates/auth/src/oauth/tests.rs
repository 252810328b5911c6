//! Valid and invalid token requests.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use proptest::prelude::*;

use super::*;
use crate::principal::Open;
use crate::rate::{Peer, RateSettings};
use crate::secret::Secret;
use crate::state::{RegisteredClient, State};

const NOW: u64 = 1_700_000_000;
const FORM: &str = "application/x-www-form-urlencoded";
const GRANT: &str = "grant_type=client_credentials";

struct Setup {
    clients: ClientTable,
    client: RegisteredClient,
    secret: Secret,
}

impl Setup {
    fn new() -> Self {
        let mut state = State::new(NOW - 100).unwrap();
        let (client, secret) = state.add("k6", &["driver", "duet.read"], NOW).unwrap();
        Self { clients: ClientTable::new(&state, Open::No), client, secret }
    }

    fn basic(&self) -> String {
        basic(self.client.id.as_str(), self.secret.expose())
    }

    fn in_form(&self) -> String {
        format!("client_id={}&client_secret={}", self.client.id, self.secret.expose())
    }

    fn grant(&self, headers: &[&str], body: &str) -> Result<TokenResponse, OAuthError> {
        let authorization: Vec<&[u8]> = headers.iter().map(|value| value.as_bytes()).collect();
        let request = TokenRequest {
            authorization: &authorization,
            content_type: Some(FORM.as_bytes()),
            body: body.as_bytes(),
        };
        grant(&request, &self.clients, NOW, 3_600)
    }
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// The error's code on the wire and its status.
fn code(result: Result<TokenResponse, OAuthError>) -> (String, u16) {
    let error = result.unwrap_err();
    let body: serde_json::Value = serde_json::from_slice(&error.body()).unwrap();
    assert_eq!(body["error_description"], error.description);
    let allowed = |byte: u8| matches!(byte, 0x20 | 0x21 | 0x23..=0x5B | 0x5D..=0x7E);
    assert!(error.description.bytes().all(allowed), "{}", error.description);
    assert_eq!(error.www_authenticate().is_some(), error.status() == 401);
    (body["error"].as_str().unwrap().to_owned(), error.status())
}

#[test]
fn grants_a_token_by_header() {
    let setup = Setup::new();
    let response = setup.grant(&[&setup.basic()], GRANT).unwrap();
    let token = response.access_token();
    assert_eq!(setup.clients.verify(token, NOW).unwrap().name(), "k6");
    let body = String::from_utf8(response.body()).unwrap();
    let expected =
        format!(r#"{{"access_token":"{token}","token_type":"bearer","expires_in":3600}}"#);
    assert_eq!(body, expected);
    assert!(!format!("{response:?}").contains(token));
}

#[test]
fn grants_a_token_by_form() {
    let setup = Setup::new();
    let response = setup.grant(&[], &format!("{}&{GRANT}&unknown=1", setup.in_form())).unwrap();
    assert_eq!(response.principal().client_id(), Some(setup.client.id.as_str()));
}

#[test]
fn accepts_header_variants_of_common_clients() {
    let setup = Setup::new();
    let (id, secret) = (setup.client.id.as_str(), setup.secret.expose());
    let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let unpadded = STANDARD_NO_PAD.encode(format!("{id}:{secret}"));
    for header in [
        setup.basic().replace("Basic", "basic"),
        setup.basic().replace("Basic ", "BASIC  "),
        basic(&encoded, secret),
        format!("Basic {unpadded}"),
    ] {
        setup.grant(&[&header], GRANT).unwrap();
        setup.grant(&[&header], &format!("{GRANT}&client_id={id}")).unwrap();
        setup.grant(&[&header], &format!("{GRANT}&client_id=&client_secret=")).unwrap();
    }
}

#[test]
fn wrong_credentials_all_get_the_same_401() {
    let setup = Setup::new();
    let (id, secret) = (setup.client.id.as_str(), setup.secret.expose());
    let mut descriptions = Vec::new();
    for (id, secret) in [(id, "wrong"), ("unknown", secret), ("", ""), (id, ""), ("k6", secret)] {
        let error = setup.grant(&[&basic(id, secret)], GRANT).unwrap_err();
        assert_eq!((error.error, error.status()), (ErrorCode::InvalidClient, 401));
        descriptions.push(error.description);
    }
    let form = format!("{GRANT}&client_id=unknown&client_secret=wrong");
    descriptions.push(setup.grant(&[], &form).unwrap_err().description);
    descriptions.dedup();
    assert_eq!(descriptions.len(), 1);
}

#[test]
fn no_or_unreadable_credentials_are_401() {
    let setup = Setup::new();
    let invalid_client = ("invalid_client".to_owned(), 401);
    for body in [
        GRANT.to_owned(),
        format!("{GRANT}&client_id={}", setup.client.id),
        format!("{GRANT}&client_id={}&client_secret=", setup.client.id),
        format!("{GRANT}&client_secret=x"),
    ] {
        assert_eq!(code(setup.grant(&[], &body)), invalid_client, "{body}");
    }
    let no_colon = format!("Basic {}", STANDARD.encode("no colon"));
    let not_utf8 = format!("Basic {}", STANDARD.encode(b"a:\xff"));
    let bad_escape = basic("a%ff", "b");
    for header in [
        "",
        "Basic",
        "Basic ",
        "Basic ###",
        "Bearer abc",
        "Basic YTpi YTpi",
        &no_colon,
        &not_utf8,
        &bad_escape,
    ] {
        assert_eq!(code(setup.grant(&[header], GRANT)), invalid_client, "{header}");
    }
}

#[test]
fn malformed_requests_are_400() {
    let setup = Setup::new();
    let header = setup.basic();
    let invalid_request = ("invalid_request".to_owned(), 400);
    for body in [
        "",
        "grant_type",
        "grant_type=",
        "client_credentials",
        r#"{"grant_type":"client_credentials"}"#,
        "grant_type=client_credentials&grant_type=client_credentials",
        "grant_type=client_credentials&scope=driver&scope=driver",
        "grant_type=client_credentials&x=1&x=2",
        "grant_type=client_credentials&client_secret=x",
        "grant_type=client_credentials&client_id=other",
        &format!("{GRANT}&{}", setup.in_form()),
        &format!("{GRANT}&x={}", "x".repeat(MAX_BODY_BYTES)),
    ] {
        assert_eq!(code(setup.grant(&[&header], body)), invalid_request, "{body:.80}");
    }
    assert_eq!(code(setup.grant(&[&header, &header], GRANT)), invalid_request);
}

#[test]
fn refuses_bodies_other_than_forms() {
    let setup = Setup::new();
    let header = setup.basic();
    let answer = |content_type: Option<&str>| {
        let request = TokenRequest {
            authorization: &[header.as_bytes()],
            content_type: content_type.map(str::as_bytes),
            body: GRANT.as_bytes(),
        };
        grant(&request, &setup.clients, NOW, 60)
    };
    for good in [FORM, "Application/X-WWW-Form-URLencoded", &format!("{FORM} ; charset=UTF-8")] {
        answer(Some(good)).unwrap();
    }
    for bad in [None, Some(""), Some("application/json"), Some("text/plain"), Some(&FORM[1..])] {
        assert_eq!(code(answer(bad)), ("invalid_request".to_owned(), 400), "{bad:?}");
    }
}

#[test]
fn refuses_other_grants() {
    let setup = Setup::new();
    for grant_type in ["password", "authorization_code", "refresh_token", "Client_Credentials"] {
        let answer = setup.grant(&[&setup.basic()], &format!("grant_type={grant_type}"));
        assert_eq!(code(answer), ("unsupported_grant_type".to_owned(), 400), "{grant_type}");
    }
}

#[test]
fn scope_selects_roles_of_the_client() {
    let setup = Setup::new();
    let header = setup.basic();
    for wanted in ["driver", "duet.read", "duet.read+driver", "driver%20driver"] {
        let response = setup.grant(&[&header], &format!("{GRANT}&scope={wanted}")).unwrap();
        let body: serde_json::Value = serde_json::from_slice(&response.body()).unwrap();
        assert_eq!(body["scope"], "driver duet.read");
    }
    let response = setup.grant(&[&header], &format!("{GRANT}&scope=")).unwrap();
    assert!(!String::from_utf8(response.body()).unwrap().contains("scope"));
    for wanted in ["duet.admin", "driver+duet.admin", "duet.anyone", "DRIVER", "driver%09x"] {
        let answer = setup.grant(&[&header], &format!("{GRANT}&scope={wanted}"));
        assert_eq!(code(answer), ("invalid_scope".to_owned(), 400), "{wanted}");
    }
}

#[test]
fn failures_are_counted_by_address_and_by_client_id() {
    let setup = Setup::new();
    let logins = FailedLogins::new(RateSettings { burst: 2, per_minute: 6, peers: 10 });
    let peer = |last: u8| Peer::from(std::net::IpAddr::from([192, 0, 2, last]));
    let guess = |id: &str, from: u8| {
        let error = setup.grant(&[&basic(id, "guess")], GRANT).unwrap_err();
        logins.count(error, peer(from), NOW)
    };
    assert_eq!([guess("a", 1), guess("b", 1), guess("c", 1)].map(|e| e.status()), [401, 401, 429]);
    let statuses = [guess("d", 2), guess("d", 3), guess("d", 4)].map(|e| e.status());
    assert_eq!(statuses, [401, 401, 429], "one client id from many addresses");
    let refused = guess("d", 5);
    assert_eq!(refused.retry_after, Some(10));
    assert!(refused.description.contains("this client"), "{refused:?}");
    assert_eq!(code(Err(refused)), ("temporarily_unavailable".to_owned(), 429));
    assert_eq!(guess("e", 5).status(), 401, "the address itself is not limited");
    let server = OAuthError::server(duet_model::Error::internal("x"));
    assert_eq!(logins.count(server, peer(1), NOW).status(), 500, "server errors are not counted");
}

proptest! {
    #[test]
    fn no_request_panics_or_passes(
        headers in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..3),
        content_type in prop::option::of(prop::collection::vec(any::<u8>(), 0..40)),
        body in prop::collection::vec(any::<u8>(), 0..200),
        form: bool,
    ) {
        let setup = Setup::new();
        let authorization: Vec<&[u8]> = headers.iter().map(Vec::as_slice).collect();
        let content_type = if form { Some(FORM.as_bytes()) } else { content_type.as_deref() };
        let request = TokenRequest { authorization: &authorization, content_type, body: &body };
        code(grant(&request, &setup.clients, NOW, 60));
    }

    #[test]
    fn random_credentials_never_pass(id in ".*", secret in ".*", tail in "[a-z_=&%+]{0,60}") {
        let setup = Setup::new();
        code(setup.grant(&[&basic(&id, &secret)], &format!("{GRANT}&{tail}")));
    }
}
