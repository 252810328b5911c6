//! People sign in to the console at an issuer that the test serves: OpenID Connect with PKCE, in a browser, and each part of an
//! answer that is not right is refused by its name. A pasted token signs in too.

use std::collections::BTreeMap;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::served_issuer::{ServedIssuer, UNAVAILABLE, pairs};
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::serving::console::{Person, TABLES};

/// The server's arguments.
fn settings(site: &ServedIssuer) -> Vec<String> {
    let ServedIssuer { url, .. } = site;
    [
        ("jwt-issuer", url.clone()),
        ("jwt-audience", "racing".to_owned()),
        ("jwt-keys-url", format!("{url}/keys")),
        ("jwt-algorithms", "EdDSA".to_owned()),
        ("jwt-roles", "/roles".to_owned()),
        ("console-login-client", "duet-console".to_owned()),
        ("console-login-url", format!("{url}/authorize")),
        ("console-login-token-url", format!("{url}/token")),
    ]
    .map(|(name, value)| format!("--{name}={value}"))
    .into()
}

fn people_sign_in(person: &mut Person<'_>, site: &ServedIssuer, url: &str) {
    person.browser.open(&format!("{url}/console/data/api/main/team/1"), 1280, 900);
    assert_eq!(person.text("h1"), "Sign in");
    let button = format!("Sign in at {}", site.url);
    assert!(person.text(".button").contains(&button), "{}", person.text("main"));
    person.picture("sqlite-sign-in-issuer");
    person.browser.value("document.querySelector('a.button.main').click()");
    person.browser.wait_for("document.querySelector('h1')?.textContent === 'team 1'");
    assert_eq!(person.text(".account span"), "ann", "they are where they wanted to be");
    let (asked, form) = site.state(|state| (state.asked.clone(), state.form.clone()));
    let back = format!("{url}/console/sign-in/return");
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "duet-console"),
        ("redirect_uri", &back),
        ("scope", "openid"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(asked.get(name).map(String::as_str), Some(value), "{asked:?}");
    }
    for (name, value) in
        [("grant_type", "authorization_code"), ("code", "the-code"), ("redirect_uri", &back)]
    {
        assert_eq!(form.get(name).map(String::as_str), Some(value), "{form:?}");
    }
    let verifier = form.get("code_verifier").cloned().unwrap_or_default();
    let challenge = duet_auth::oauth::code_challenge(&verifier);
    assert_eq!(asked.get("code_challenge"), Some(&challenge));
    // Of the pages before, the issuer's was another host's.
    person.browser.open(&format!("{url}/console/"), 1280, 900);
    person.click_text("Sign out");
}

/// Begins a sign-in without a browser: the address of the issuer, and the cookie.
fn begun(url: &str) -> (BTreeMap<String, String>, String) {
    let begun = http::get(&format!("{url}/console/sign-in/issuer"), &[]);
    assert_eq!(begun.status, 303, "{}", begun.text());
    let cookie = begun.header("set-cookie").unwrap_or_default().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let asked = begun.header("location").unwrap_or_default();
    let asked = pairs(asked.split_once('?').map_or("", |(_, query)| query));
    (asked, cookie.split(';').next().unwrap_or_default().to_owned())
}

fn refusals_have_names(site: &ServedIssuer, url: &str) {
    let returned = |cookie: &str, query: &str| {
        let page = format!("{url}/console/sign-in/return?{query}");
        let page = http::get(&page, &[("Cookie", cookie)]);
        let session = cookies(&page).contains("duet-console=");
        (page.status, session, page.text().replace("&#39;", "'").replace("&#96;", "`"))
    };
    let try_with = |claims: Value, answer: Value| {
        site.state(|state| (state.claims, state.answer) = (claims, answer));
        let (asked, cookie) = begun(url);
        site.state(|state| state.asked.clone_from(&asked));
        let state = asked.get("state").cloned().unwrap_or_default();
        returned(&cookie, &format!("code=the-code&state={state}"))
    };
    let none = || json!({});
    for (claims, answer, expected) in [
        (json!({ "nonce": "another" }), none(), "`nonce`"),
        (json!({ "nonce": null }), none(), "`nonce`"),
        (json!({ "azp": "another" }), none(), "`azp`"),
        (json!({ "sub": null }), none(), "`sub`"),
        (json!({ "iat": null }), none(), "`iat`"),
        (json!({ "aud": "another" }), none(), "another audience"),
        (json!({ "iss": "https://other.example" }), none(), "another issuer"),
        (json!({ "exp": 1 }), none(), "has expired"),
        (none(), json!({ "id_token": "a.b.c" }), "malformed"),
        (none(), json!({ "id_token": null }), "no `id_token`"),
        (none(), json!({ "access_token": null }), "no `access_token`"),
        (none(), json!({ "access_token": "a.b.c" }), "does not accept the access token"),
        (none(), json!({ "error": "invalid_grant" }), "invalid_grant"),
    ] {
        let (status, session, text) = try_with(claims.clone(), answer.clone());
        let shown = text.split("role=\"alert\">").nth(1).and_then(|it| it.split("</p>").next());
        assert_eq!((status, session), (403, false), "{claims} {answer}");
        assert!(shown.is_some_and(|it| it.contains(expected)), "{claims} {answer}: {shown:?}");
    }
    site.state(|state| (state.claims, state.answer) = (none(), none()));
    let (asked, cookie) = begun(url);
    let state = asked.get("state").cloned().unwrap_or_default();
    for (cookie, query, expected) in [
        ("", format!("code=a&state={state}"), "has begun no sign-in"),
        (&*cookie, "code=a&state=other".to_owned(), "`state`"),
        (&*cookie, format!("code=a&state={state}&iss=https://other.example"), "`iss`"),
        (&*cookie, format!("error=access_denied&state={state}"), "access_denied"),
        (&*cookie, format!("state={state}"), "no `code`"),
    ] {
        let (status, session, text) = returned(cookie, &query);
        assert_eq!((status, session), (403, false), "{query}");
        assert!(text.contains(expected), "{query}: {text}");
    }
}

fn set_cookies(answer: &http::Response) -> Vec<&str> {
    let set = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    set.map(|(_, value)| value.as_str()).collect()
}

/// The cookies that an answer sets, as a browser sends them back.
fn cookies(answer: &http::Response) -> String {
    let set = set_cookies(answer).into_iter();
    let pairs = set.filter_map(|it| it.split(';').next()).filter(|it| !it.ends_with('='));
    pairs.collect::<Vec<_>>().join("; ")
}

/// A session goes on by its refresh token before the access token ends; what the issuer refuses ends it, with a text.
fn sessions_are_renewed(site: &ServedIssuer, url: &str) {
    site.state(|state| (state.good, state.rotates) = (30, true));
    let (asked, begun) = begun(url);
    site.state(|state| state.asked.clone_from(&asked));
    let state = asked.get("state").cloned().unwrap_or_default();
    let back = format!("{url}/console/sign-in/return?code=the-code&state={state}");
    let entered = http::get(&back, &[("Cookie", &begun)]);
    let first = cookies(&entered);
    assert!(first.contains("duet-console-renewal="), "{first}");
    assert!(!format!("{entered:?}").contains("refresh-1"), "the browser does not know it");
    for cookie in set_cookies(&entered) {
        assert!(cookie.contains("HttpOnly"), "{cookie}");
    }
    // The token ends in half a minute, so the next page has another one. Requests that come together use one refresh token.
    site.state(|state| state.good = 600);
    let page = format!("{url}/console/data/api/main/team/1");
    let pages: Vec<http::Response> = std::thread::scope(|scope| {
        let asked = || http::get(&page, &[("Cookie", &first)]);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(asked)).collect();
        threads.into_iter().filter_map(|it| it.join().ok()).collect()
    });
    assert_eq!(pages.len(), 4);
    for answered in &pages {
        assert_eq!(answered.status, 200, "{}", answered.text());
        assert_ne!(cookies(answered), first);
        assert!(!answered.text().contains("refresh-") && !answered.text().contains("eyJ"));
    }
    let form = site.state(|state| (state.form.clone(), state.refresh.clone()));
    assert_eq!(form.0.get("refresh_token").map(String::as_str), Some("refresh-1"));
    assert_eq!(form.1, ["refresh-1", "refresh-2"]);
    let csrf = |page: &http::Response| {
        let text = page.text();
        let value = text.split("name=\"csrf\" value=\"").nth(1).and_then(|it| it.split('"').next());
        value.unwrap_or_default().to_owned()
    };
    let renewed = cookies(&pages[0]);
    let after = http::get(&page, &[("Cookie", &renewed)]);
    assert!(!csrf(&after).is_empty() && csrf(&after) == csrf(&pages[0]), "forms stay good");
    // One that is good for ten minutes is left alone.
    assert_eq!(site.state(|state| state.refresh.len()), 2);
    // Without a good token the page waits for an issuer that does not answer, and the session goes on when it does.
    let sealed = renewed.split("; ").find(|it| it.contains("renewal")).unwrap_or_default();
    let over = format!("duet-console=old; {sealed}");
    site.state(|state| state.answer = json!({ "error": UNAVAILABLE }));
    let waits = http::get(&page, &[("Cookie", &over)]);
    assert_eq!((waits.status, set_cookies(&waits).len()), (503, 0), "{waits:?}");
    assert!(waits.text().contains("The issuer does not answer"), "{}", waits.text());
    site.state(|state| state.answer = json!({}));
    let renewed = http::get(&page, &[("Cookie", &over)]);
    assert_eq!(renewed.status, 200, "{}", renewed.text());
    let renewed = cookies(&renewed);
    // With a refresh token that the issuer refuses, the session ends.
    site.state(|state| state.answer = json!({ "error": "invalid_grant" }));
    let sealed = renewed.split("; ").find(|it| it.contains("renewal")).unwrap_or_default();
    let ended = http::get(&page, &[("Cookie", &format!("duet-console=old; {sealed}"))]);
    assert_eq!(ended.status, 303, "{}", ended.text());
    let to = ended.header("location").unwrap_or_default().to_owned();
    assert!(to.contains("/sign-in?next=") && to.contains("ended=issuer"), "{to}");
    assert!(cookies(&ended).is_empty(), "{ended:?}");
    let shown = http::get(&format!("{url}{to}"), &[]);
    assert!(shown.text().contains("The issuer has not renewed your session"), "{}", shown.text());
    // A cookie that the server has not sealed renews nothing.
    let forged = http::get(&page, &[("Cookie", "duet-console=old; duet-console-renewal=AAAA")]);
    assert!(forged.header("location").is_some_and(|it| !it.contains("ended=")), "{forged:?}");
    site.state(|state| state.answer = json!({}));
    sign_out_ends_renewals(site, url, (&renewed, &csrf(&after)));
    another_person_ends_a_session(site, url);
    site.state(|state| (state.rotates, state.good) = (false, 0));
}

/// An `id_token` that comes with a renewal names the person who has signed in, and the nonce of the sign-in or none (OpenID
/// Connect Core 1.0 §12.2); another one ends the session, whose access token is good for half a minute.
fn another_person_ends_a_session(site: &ServedIssuer, url: &str) {
    let page = format!("{url}/console/data/api/main/team/1");
    let renewed_with = |claims: Value| {
        site.state(|state| (state.claims, state.good) = (json!({}), 30));
        let (asked, begun) = begun(url);
        site.state(|state| state.asked.clone_from(&asked));
        let state = asked.get("state").cloned().unwrap_or_default();
        let back = format!("{url}/console/sign-in/return?code=the-code&state={state}");
        let session = cookies(&http::get(&back, &[("Cookie", &begun)]));
        site.state(|state| (state.claims, state.good) = (claims, 600));
        (http::get(&page, &[("Cookie", &session)]), session)
    };
    let (same, _) = renewed_with(json!({ "nonce": null }));
    assert_eq!(same.status, 200, "{}", same.text());
    for claims in [
        json!({ "sub": "bob" }),
        json!({ "nonce": "another" }),
        json!({ "iss": "https://b.example" }),
    ] {
        let (ended, session) = renewed_with(claims.clone());
        let to = ended.header("location").unwrap_or_default();
        assert!(ended.status == 303 && to.contains("ended=issuer"), "{claims}: {ended:?}");
        site.state(|state| state.claims = json!({}));
        let after = http::get(&page, &[("Cookie", &session)]);
        assert_eq!(after.status, 303, "{claims}: the session is over");
    }
}

/// Where a person has signed out, neither the session's cookie is good nor what renews it.
fn sign_out_ends_renewals(site: &ServedIssuer, url: &str, (cookies, csrf): (&str, &str)) {
    let page = format!("{url}/console/data/api/main/team/1");
    let refreshed = || site.state(|state| state.refresh.len());
    let before = refreshed();
    let out = http::request(
        "POST",
        &format!("{url}/console/sign-out"),
        &[("Cookie", cookies), ("Sec-Fetch-Site", "same-origin")],
        format!("csrf={csrf}").as_bytes(),
    );
    assert_eq!(out.status, 303, "{}", out.text());
    let sealed = cookies.split("; ").find(|it| it.contains("renewal")).unwrap_or_default();
    for cookies in [cookies, &format!("duet-console=old; {sealed}"), sealed] {
        let answered = http::get(&page, &[("Cookie", cookies)]);
        let to = answered.header("location").unwrap_or_default();
        assert!(to.contains("/sign-in?next=") && !to.contains("ended="), "{answered:?}");
    }
    assert_eq!(refreshed(), before, "the issuer is not asked");
}

/// A token of the length that a cookie has room for is a session, and a longer one is refused by its length.
fn tokens_have_room_in_a_cookie(person: &mut Person<'_>, site: &ServedIssuer, url: &str) {
    let of_length = |wanted: usize| {
        let of = |pad: usize| site.state(|state| state.access(&"x".repeat(pad), &site.url));
        (2_000..4_000).map(of).find(|it| it.len() >= wanted).unwrap_or_default()
    };
    let (fits, longer) = (of_length(3_896), of_length(3_901));
    assert!((3_896..=3_900).contains(&fits.len()) && longer.len() > 3_900);
    for (token, is_good) in [(longer, false), (fits, true)] {
        person.browser.open(&format!("{url}/console/sign-in"), 1280, 900);
        person.browser.value("document.querySelector('#token').closest('details').open = true");
        person.fill("#token", &token);
        person.click_text("Sign in with it");
        match is_good {
            true => {
                assert_eq!(person.text("h1"), "Data", "the browser keeps {} bytes", token.len());
            }
            false => assert!(
                person.text("main").contains("too long for a cookie"),
                "{}",
                person.text("main")
            ),
        }
    }
    person.click_text("Sign out");
}

/// A pasted token signs in, and a wrong one counts as a guess.
fn a_token_is_pasted(person: &mut Person<'_>, server: &Running) {
    let (url, token) = (server.url(), server.bearer());
    person.browser.open(&format!("{url}/console/sign-in"), 1280, 900);
    person.browser.value("document.querySelector('#token').closest('details').open = true");
    person.fill("#token", "no token");
    person.click_text("Sign in with it");
    assert!(person.text("[role=alert]").contains("The token is not good"));
    person.browser.value("document.querySelector('#token').closest('details').open = true");
    person.fill("#token", token.trim_start_matches("Bearer "));
    person.click_text("Sign in with it");
    assert_eq!(person.text("h1"), "Data");
}

#[test]
fn people_sign_in_at_an_issuer() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let issuer = ServedIssuer::start();
    let settings = settings(&issuer);
    // Wrong guesses of all these tests together are more than a minute allows.
    let own = ["serve", &file, "--token-burst=1000"].map(str::to_owned);
    let server = Running::start(&[&own[..], &settings].concat());
    server.wait_for_output("the keys of the token issuer are in force");
    let url = server.url();
    refusals_have_names(&issuer, &url);
    sessions_are_renewed(&issuer, &url);
    let Some(mut browser) = browser("people_sign_in_at_an_issuer") else { return };
    browser.open(&url, 1280, 900);
    let mut person = Person { browser: &mut browser, url: url.clone() };
    people_sign_in(&mut person, &issuer, &url);
    a_token_is_pasted(&mut person, &server);
    tokens_have_room_in_a_cookie(&mut person, &issuer, &url);
}
