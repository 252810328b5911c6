//! People who sign in to the console with a token of a new key of their issuer: the sign-in waits for the keys, which are
//! fetched once.

use std::sync::Arc;
use std::time::Duration;

use duet_http::{ConsoleOptions, IssuerLogin};
use duet_service::KeyPlaces;
use duet_testkit::http::Response;
use duet_testkit::served_issuer::{IssuerState, ServedIssuer, pairs};

use super::issuer::asked;
use crate::support::{App, Database, Setup, eventually, percent_encode};

fn start(issuer: &ServedIssuer) -> App {
    let database = Database::sqlite();
    database.exec("CREATE TABLE team (team_id integer PRIMARY KEY)");
    let url = &issuer.url;
    let login = IssuerLogin {
        client: "duet-console".into(),
        secret: None,
        authorize_url: format!("{url}/authorize"),
        token_url: format!("{url}/token"),
        scope: "openid".into(),
    };
    let console = ConsoleOptions {
        base: "/console".into(),
        only_local: true,
        read_only: false,
        files: false,
        login: Some(Arc::new(login)),
        link: None,
        load_tests: None,
    };
    let mut settings = asked();
    (settings.issuer, settings.audiences) = (url.clone(), vec!["racing".into()]);
    let places = KeyPlaces {
        url: Some(format!("{url}/keys")),
        refresh: Duration::from_secs(3_600),
        pause: Duration::from_millis(50),
        ..KeyPlaces::default()
    };
    Setup::new(&database)
        .with(|setup| {
            setup.options.console = Some(console);
            setup.issuer = Some((settings, places));
        })
        .start()
}

/// Signs in at the issuer, without a browser.
fn signed_in(app: &App, issuer: &ServedIssuer) -> Response {
    let begun = app.connect().get("/console/sign-in/issuer", &[]);
    let cookie = begun.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let asked = pairs(begun.header("location").unwrap().split_once('?').unwrap().1);
    let back = format!("/console/sign-in/return?code=the-code&state={}", asked["state"]);
    issuer.state(|state| state.asked = asked);
    app.connect().get(&back, &[("Cookie", &cookie)])
}

/// Signs in with an access token.
fn pasted(app: &App, issuer: &ServedIssuer) -> Response {
    let token = issuer.state(|state| state.access("", &issuer.url));
    let form = format!("token={}", percent_encode(&token));
    let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", app.url())];
    app.connect().request("POST", "/console/sign-in/token", &headers, form.as_bytes())
}

fn has_session(answer: &Response) -> bool {
    let mut set = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    set.any(|(_, value)| value.starts_with("duet-console=") && !value.starts_with("duet-console=;"))
}

/// The first sign-in after a rotation succeeds, and has the keys fetched once. Right behind another fetch no sign-in waits:
/// then the next rotation is looked at.
#[test]
fn a_sign_in_waits_for_new_keys() {
    let issuer = ServedIssuer::start();
    let app = start(&issuer);
    eventually("the first keys are there", || has_session(&signed_in(&app, &issuer)));
    type SignIn = fn(&App, &ServedIssuer) -> Response;
    type Rotate = fn(&mut IssuerState, &str);
    let ways: [(&str, SignIn, Rotate); 3] = [
        ("identity", signed_in, IssuerState::rotate),
        ("access", signed_in, IssuerState::rotate_access),
        ("pasted", pasted, IssuerState::rotate_access),
    ];
    for (name, sign_in, rotate) in ways {
        let mut number = 0;
        eventually(name, || {
            number += 1;
            let before = issuer.state(|state| {
                rotate(state, &format!("{name}-{number}"));
                state.keys_asked
            });
            let answer = sign_in(&app, &issuer);
            let fetched = issuer.state(|state| state.keys_asked) - before;
            assert!(fetched <= 1, "{name}: {fetched} fetches");
            fetched == 1 && has_session(&answer)
        });
    }
}
