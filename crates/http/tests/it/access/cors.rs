//! What browsers are told: pages of which sites may read answers.

use duet_http::CorsOptions;
use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    pages_of_known_origins_may_read_answers
}

const SHOP: &str = "https://shop.example";

fn start(database: &Database, change: impl FnOnce(&mut CorsOptions)) -> App {
    database.exec(
        "CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY); INSERT INTO team VALUES (301);",
    );
    Setup::new(database).with(|setup| change(&mut setup.options.cors)).start()
}

fn known(options: &mut CorsOptions) {
    options.origins = vec!["http://localhost:5173".into(), SHOP.into()];
}

fn ask(app: &App, method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    app.connect().request(method, path, headers, b"")
}

/// The headers that begin with `access-control-`, and those of `vary`.
fn told(response: &Response) -> Vec<String> {
    let is_told = |name: &str| name.starts_with("access-control-") || name == "vary";
    let all = response.headers.iter().filter(|(name, _)| is_told(name));
    all.map(|(name, value)| format!("{name}: {value}")).collect()
}

fn preflight(app: &App, origin: &str) -> Response {
    let headers = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "PUT"),
        ("Access-Control-Request-Headers", "authorization,if-match"),
    ];
    ask(app, "OPTIONS", "/ords/hr/team/301", &headers)
}

const PREFLIGHT_VARIES: &str =
    "vary: Access-Control-Request-Method, Access-Control-Request-Headers";

fn pages_of_known_origins_may_read_answers(database: Database) {
    let app = start(&database, known);
    let bearer = app.bearer();
    let token = ("Authorization", bearer.as_str());
    let read = ask(&app, "GET", "/ords/hr/team/301", &[("Origin", SHOP), token]);
    assert_eq!(read.status, 200);
    assert_eq!(
        told(&read),
        [
            "vary: Accept, Authorization",
            "vary: x-api-key",
            "vary: Origin",
            "access-control-allow-origin: https://shop.example",
            "access-control-expose-headers: ETag, Location, Age, Content-Location, Content-Range, Retry-After, Idempotent-Replayed, Link, Preference-Applied, Warning, X-Cache, X-Total-Count, Duet-Position",
        ]
    );
    // Errors are readable by the page as well.
    for (path, status) in
        [("/ords/hr/team/301", 401), ("/nothing", 401), ("/ords/hr/team/%zz", 401)]
    {
        let refused = ask(&app, "GET", path, &[("Origin", SHOP)]);
        assert_eq!(refused.status, status, "{refused:?}");
        assert_eq!(refused.header("access-control-allow-origin"), Some(SHOP), "{refused:?}");
    }
    for path in ["/ords/hr/team/302", "/ords/hr/nothing/"] {
        let refused = ask(&app, "GET", path, &[("Origin", SHOP), token]);
        assert_eq!(refused.status, 404);
        assert_eq!(refused.header("access-control-allow-origin"), Some(SHOP), "{refused:?}");
    }
    // Those of requests that are too large to be read as well.
    let long = format!("/ords/hr/team/?q={}", "x".repeat(66_000));
    let names: Vec<String> = (0..200).map(|number| format!("X-{number}")).collect();
    let many = names.iter().map(|name| (name.as_str(), "y"));
    let many: Vec<(&str, &str)> = std::iter::once(("Origin", SHOP)).chain(many).collect();
    for (path, headers, status) in
        [(&*long, &[("Origin", SHOP)][..], 414), ("/ords/hr/team/301", &many, 431)]
    {
        let refused = ask(&app, "GET", path, headers);
        assert_eq!(refused.status, status, "{refused:?}");
        let [vary, allowed, exposed] = &told(&refused)[..] else { panic!("{refused:?}") };
        assert_eq!(vary, "vary: Origin");
        assert_eq!(*allowed, format!("access-control-allow-origin: {SHOP}"));
        assert!(exposed.starts_with("access-control-expose-headers: ETag"), "{exposed}");
    }
    let refused = ask(&app, "GET", &long, &[("Origin", "https://other.example")]);
    assert_eq!((refused.status, told(&refused)), (414, vec!["vary: Origin".to_owned()]));
    // Others get the answer, which their browser keeps from them; caches are told.
    for origin in ["https://other.example", "null", "https://shop.example.evil.example", SHOP_HTTP]
    {
        let read = ask(&app, "GET", "/ords/hr/team/301", &[("Origin", origin), token]);
        assert_eq!(read.status, 200);
        assert_eq!(
            told(&read),
            ["vary: Accept, Authorization", "vary: x-api-key", "vary: Origin"],
            "{origin}"
        );
    }
    let plain = ask(&app, "GET", "/ords/hr/team/301", &[token]);
    assert_eq!(told(&plain), ["vary: Accept, Authorization", "vary: x-api-key", "vary: Origin"]);
}

const SHOP_HTTP: &str = "http://shop.example";

#[test]
fn a_preflight_needs_no_token() {
    let database = Database::sqlite();
    let app = start(&database, known);
    let asked = preflight(&app, SHOP);
    assert_eq!((asked.status, asked.body.len()), (204, 0), "{asked:?}");
    assert_eq!(
        told(&asked),
        [
            "vary: Origin",
            PREFLIGHT_VARIES,
            "access-control-allow-origin: https://shop.example",
            "access-control-allow-methods: GET, HEAD, QUERY, POST, PUT, PATCH, DELETE",
            "access-control-allow-headers: Accept, Accept-Profile, apikey, Authorization, Content-Profile, Content-Type, Duet-Position, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Priority, Range, Range-Unit, Request-Timeout, X-API-Key, X-Client-Info, X-Okapi-Tenant, X-Okapi-Token",
            "access-control-max-age: 600",
        ]
    );
    let stranger = preflight(&app, "https://other.example");
    assert_eq!(stranger.status, 204);
    assert_eq!(told(&stranger), ["vary: Origin", PREFLIGHT_VARIES]);
    // An OPTIONS that is no preflight is a request like others.
    let plain = ask(&app, "OPTIONS", "/ords/hr/team/301", &[("Origin", SHOP)]);
    assert_eq!(plain.status, 401, "{plain:?}");
    assert_eq!(plain.header("access-control-allow-origin"), Some(SHOP));
}

#[test]
fn everybody_or_those_with_credentials() {
    let database = Database::sqlite();
    let app = start(&database, |options| options.origins = vec!["*".into()]);
    for origin in [SHOP, "null"] {
        let asked = preflight(&app, origin);
        assert_eq!(asked.header("access-control-allow-origin"), Some("*"));
        assert_eq!(asked.header("access-control-allow-credentials"), None);
    }
    let database = Database::sqlite();
    let app = start(&database, |options| {
        known(options);
        options.credentials = true;
        options.exposed.clear();
    });
    let read = ask(&app, "GET", "/ords/hr/team/301", &[("Origin", SHOP)]);
    assert_eq!(
        told(&read),
        [
            "vary: Origin",
            "access-control-allow-origin: https://shop.example",
            "access-control-allow-credentials: true",
        ]
    );
    let stranger = ask(&app, "GET", "/ords/hr/team/301", &[("Origin", "https://other.example")]);
    assert_eq!(told(&stranger), ["vary: Origin"]);
}

#[test]
fn off_unless_asked_for() {
    let database = Database::sqlite();
    let app = start(&database, |_| ());
    let read = app.get_with("/ords/hr/team/301", &[("Origin", SHOP)]);
    assert_eq!(told(&read), ["vary: Accept, Authorization", "vary: x-api-key"]);
    assert_eq!(preflight(&app, SHOP).status, 401);
}
