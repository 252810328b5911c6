//! Behind a reverse proxy: what it says counts, what clients say themselves does not.

use duet_auth::RateSettings;
use duet_http::ProxyHeaders;

use crate::support::{App, Database, Setup};

fn behind_a_proxy(headers: ProxyHeaders) -> (Database, App) {
    let database = Database::sqlite();
    database.exec("CREATE TABLE t (id integer NOT NULL PRIMARY KEY); INSERT INTO t VALUES (1);");
    let app = Setup::new(&database)
        .with(|setup| {
            setup.options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
            setup.options.proxy_headers = headers;
            let limited = RateSettings { burst: 3, per_minute: 1, ..RateSettings::BAD_TOKENS };
            setup.options.bad_tokens = limited;
            setup.options.token_requests = limited;
        })
        .start();
    (database, app)
}

/// The address that links begin with.
fn link(app: &App, headers: &[(&str, &str)]) -> String {
    let page = app.get_with("/ords/hr/t/1", headers).json();
    let link = page["links"][0]["href"].as_str().unwrap().to_owned();
    link.split("/ords").next().unwrap().to_owned()
}

#[test]
fn links_are_what_the_proxy_says() {
    let (_database, app) = behind_a_proxy(ProxyHeaders::XForwarded);
    let set = [
        ("X-Forwarded-For", "203.0.113.7"),
        ("X-Forwarded-Host", "api.example"),
        ("X-Forwarded-Proto", "https"),
    ];
    assert_eq!(link(&app, &set), "https://api.example");
    let evil = ("Forwarded", "for=198.51.100.1;host=evil.example;proto=http");
    assert_eq!(link(&app, &[&set[..], &[evil]].concat()), "https://api.example");
    assert_eq!(link(&app, &[evil]), app.url());
    let (_database, app) = behind_a_proxy(ProxyHeaders::Forwarded);
    assert_eq!(link(&app, &set), app.url());
    assert_eq!(link(&app, &[evil]), "http://evil.example");
    let bad = app.get_with("/ords/hr/t/1", &[("Forwarded", "for=\"1")]);
    assert_eq!((bad.status, bad.json()["errors"][0]["code"].as_str()), (400, Some("DUET-1006")));
}

/// A guesser who names another address each time is limited all the same.
#[test]
fn the_limits_count_the_address_that_the_proxy_saw() {
    let (_database, app) = behind_a_proxy(ProxyHeaders::XForwarded);
    let guess = |number: usize, path: &str| {
        let forwarded = format!("for=198.51.100.{number}");
        let hops = format!("198.51.100.{number}, 203.0.113.7");
        let headers = [
            ("Forwarded", forwarded.as_str()),
            ("X-Forwarded-For", &hops),
            ("Authorization", "Bearer wrong"),
        ];
        app.connect().request(
            if path.ends_with("token") { "POST" } else { "GET" },
            path,
            &headers,
            b"",
        )
    };
    for path in ["/ords/hr/t/1", "/oauth/token"] {
        let statuses: Vec<u16> = (1..9).map(|number| guess(number, path).status).collect();
        assert_eq!(statuses.last(), Some(&429), "{path}: {statuses:?}");
    }
    // Another client behind the same proxy is not.
    let other = [("X-Forwarded-For", "203.0.113.8"), ("Authorization", "Bearer wrong")];
    assert_eq!(app.connect().get("/ords/hr/t/1", &other).status, 401);
}
