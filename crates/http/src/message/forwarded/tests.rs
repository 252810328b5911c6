//! Proxies are believed, clients are not: by example, and with whatever a client can send.

use hyper::header::HeaderValue;
use proptest::prelude::*;

use super::*;

const ADDRESSES: [IpAddr; 2] = [
    IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)),
    IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)),
];

fn proxies() -> [IpNet; 2] {
    ADDRESSES.map(IpNet::from)
}

fn headers(given: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

fn seen_by(
    family: ProxyHeaders,
    given: &[(&'static str, &str)],
) -> Result<(String, Option<String>, Option<String>)> {
    let trust = Trust { proxies: &proxies(), headers: family };
    let ForwardedRequest { client, scheme, host } =
        trust.seen(&headers(given), Some(ADDRESSES[0]))?;
    Ok((client.unwrap().to_string(), scheme, host))
}

fn x(given: &[(&'static str, &str)]) -> (String, Option<String>, Option<String>) {
    seen_by(ProxyHeaders::XForwarded, given).unwrap()
}

fn rfc(line: &str) -> Result<(String, Option<String>, Option<String>)> {
    seen_by(ProxyHeaders::Forwarded, &[("forwarded", line)])
}

fn forwarded(client: &str, scheme: &str, host: &str) -> (String, Option<String>, Option<String>) {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    (client.into(), some(scheme), some(host))
}

#[test]
fn a_network_of_proxies_is_believed() {
    let proxies = ["10.1.0.0/16", "fd00::/8"].map(|text| text.parse::<IpNet>().unwrap());
    let given = headers(&[("x-forwarded-for", "1.1.1.1")]);
    let trust = Trust { proxies: &proxies, headers: ProxyHeaders::XForwarded };
    for (peer, client) in [
        ("10.1.255.9", "1.1.1.1"),
        ("::ffff:10.1.0.1", "1.1.1.1"),
        ("10.2.0.1", "10.2.0.1"),
        ("fd12::1", "1.1.1.1"),
        ("fe80::1", "fe80::1"),
    ] {
        let seen = trust.seen(&given, Some(peer.parse().unwrap())).unwrap();
        assert_eq!(seen.client.unwrap().to_string(), client, "{peer}");
    }
}

#[test]
fn strangers_are_not_believed() {
    let given = headers(&[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-host", "evil")]);
    for family in [ProxyHeaders::XForwarded, ProxyHeaders::Forwarded] {
        let trust = Trust { proxies: &proxies(), headers: family };
        let stranger = Some(IpAddr::from([9, 9, 9, 9]));
        let expected = ForwardedRequest { client: stranger, ..ForwardedRequest::default() };
        assert_eq!(trust.seen(&given, stranger).unwrap(), expected);
        assert_eq!(trust.seen(&given, None).unwrap(), ForwardedRequest::default());
    }
}

#[test]
fn the_other_family_is_ignored() {
    let both = [
        ("forwarded", "for=6.6.6.6;host=evil;proto=https"),
        ("x-forwarded-for", "2.2.2.2"),
        ("x-forwarded-host", "api.example"),
    ];
    assert_eq!(x(&both), forwarded("2.2.2.2", "", "api.example"));
    let expected = forwarded("6.6.6.6", "https", "evil");
    assert_eq!(seen_by(ProxyHeaders::Forwarded, &both).unwrap(), expected);
    assert_eq!(x(&both[..1]), forwarded("10.0.0.1", "", ""));
    let only_x = seen_by(ProxyHeaders::Forwarded, &both[1..]).unwrap();
    assert_eq!(only_x, forwarded("10.0.0.1", "", ""));
}

#[test]
fn chains_of_proxies() {
    let chain = |hops| x(&[("x-forwarded-for", hops)]).0;
    assert_eq!(chain("1.1.1.1, 2.2.2.2, 10.0.0.2"), "2.2.2.2");
    assert_eq!(chain("1.1.1.1, 10.0.0.2, 2.2.2.2"), "2.2.2.2");
    assert_eq!(chain("10.0.0.2"), "10.0.0.2");
    assert_eq!(chain("2.2.2.2, unknown, 10.0.0.2"), "10.0.0.2");
    assert_eq!(chain("<script>, 2.2.2.2"), "2.2.2.2");
    assert_eq!(chain("::ffff:2.2.2.2, ::ffff:10.0.0.2"), "2.2.2.2");
    let lines = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "2.2.2.2:80")];
    assert_eq!(x(&lines).0, "2.2.2.2");
}

#[test]
fn scheme_and_host_are_those_of_the_last_trusted_proxy() {
    let of = |hops, host, proto| {
        x(&[("x-forwarded-for", hops), ("x-forwarded-host", host), ("x-forwarded-proto", proto)])
    };
    // The proxy replaces them, as nginx does.
    assert_eq!(of("2.2.2.2", "a.example", "https"), forwarded("2.2.2.2", "https", "a.example"));
    // It appends to the client's value.
    assert_eq!(
        of("1.1.1.1, 2.2.2.2", "evil, a", "http, https"),
        forwarded("2.2.2.2", "https", "a")
    );
    // Two proxies, the inner one appends; then the inner one leaves them as they are.
    assert_eq!(
        of("2.2.2.2, 10.0.0.2", "a, inner", "https, http"),
        forwarded("2.2.2.2", "https", "a")
    );
    assert_eq!(of("2.2.2.2, 10.0.0.2", "a", "https"), forwarded("2.2.2.2", "https", "a"));
    let port = |port| x(&[("x-forwarded-host", "a"), ("x-forwarded-port", port)]).2.unwrap();
    assert_eq!((port("8443"), port("443")), ("a:8443".to_owned(), "a".to_owned()));
    let rfc = |line| rfc(line).unwrap();
    assert_eq!(
        rfc("for=1.1.1.1;host=evil, for=2.2.2.2;proto=https;host=\"a:444\""),
        forwarded("2.2.2.2", "https", "a:444")
    );
    assert_eq!(
        rfc("host=evil, for=2.2.2.2;host=a;proto=https, for=10.0.0.2;host=inner;proto=http"),
        forwarded("2.2.2.2", "https", "a")
    );
    assert_eq!(rfc("for=1.1.1.1;host=evil;proto=https, for=2.2.2.2"), forwarded("2.2.2.2", "", ""));
}

#[test]
fn elements_of_forwarded() {
    let client = |line| rfc(line).unwrap().0;
    assert_eq!(client("For=\"[2001:db8::1]:80\";proto=https"), "2001:db8::1");
    assert_eq!(client("for=1.1.1.1 ; by=_x , , for=\"[2001:db8::1]\" ,"), "2001:db8::1");
    assert_eq!(client("for=\"1.1.1.1:_port\""), "1.1.1.1");
    assert_eq!(client("for=_hidden"), "10.0.0.1");
    assert_eq!(client("for=unknown, for=10.0.0.2"), "10.0.0.2");
    assert_eq!(client(""), "10.0.0.1");
    assert_eq!(rfc("host=\"a\\\"b,c;d\"").unwrap().2.unwrap(), "a\"b,c;d");
    for wrong in [
        "for",
        "for=",
        "=1.1.1.1",
        "for=1.1.1.1 host=a",
        "for=\"1.1.1.1",
        "for=\"a\"b",
        "for=[::1]",
        "for=1;for=2",
        "for=1.1.1.1;host=a/b",
        "\"for\"=1",
        "for=\"a\\",
    ] {
        assert_eq!(rfc(wrong).unwrap_err().code, Code::BadRequest, "{wrong}");
    }
}

/// Header values that a client can get to the proxy.
fn sent() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("for=".to_owned()),
        Just("\"".into()),
        Just("\\".into()),
        Just(",".into()),
        Just(";".into()),
        Just("=".into()),
        Just("10.0.0.2".into()),
        Just("1.1.1.1".into()),
        Just("[::1]".into()),
        Just("host=".into()),
        Just(" ".into()),
        "[ -~]{0,6}",
    ];
    proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Headers of a client do not change the values that a proxy appends.
    #[test]
    fn clients_choose_nothing(a in sent(), b in sent(), c in sent(), quoted in any::<bool>()) {
        let append = |sent: &str, own: &str| match sent.trim().is_empty() {
            true => own.to_owned(),
            false => format!("{sent}, {own}"),
        };
        let (hops, host, proto) =
            (append(&a, "2.2.2.2"), append(&b, "api.example"), append(&c, "https"));
        let given = [
            ("x-forwarded-for", &*hops), ("x-forwarded-host", &*host),
            ("x-forwarded-proto", &*proto), ("forwarded", &*a),
        ];
        prop_assert_eq!(x(&given), forwarded("2.2.2.2", "https", "api.example"));
        let own = match quoted {
            true => "for=\"[2001:db8::2]:7\";host=\"api.example:1\";proto=https",
            false => "for=2.2.2.2;host=api.example;proto=https",
        };
        let expected = match quoted {
            true => forwarded("2001:db8::2", "https", "api.example:1"),
            false => forwarded("2.2.2.2", "https", "api.example"),
        };
        let line = append(&a, own);
        // If the client's part makes the proxy's value ambiguous, the request is refused.
        if let Ok(found) = rfc(&line) {
            prop_assert_eq!(found, expected, "{}", line);
        }
    }

    #[test]
    fn no_header_panics(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let Ok(value) = HeaderValue::from_bytes(&bytes) else { return Ok(()) };
        let mut headers = HeaderMap::new();
        for name in ["x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "forwarded"] {
            headers.append(name, value.clone());
        }
        for family in [ProxyHeaders::XForwarded, ProxyHeaders::Forwarded] {
            let _ = Trust { proxies: &proxies(), headers: family }.seen(&headers, Some(ADDRESSES[0]));
        }
    }
}
