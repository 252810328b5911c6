//! Which connections are refused and closed, without sockets.

use super::*;
use crate::options::HttpLimits;

fn table(connections: usize, per_address: Option<usize>) -> Arc<ConnectionTable> {
    let limits =
        HttpLimits { connections, connections_per_address: per_address, ..HttpLimits::default() };
    let trusted_proxies = vec![ip("10.0.0.1").into()];
    Arc::new(ConnectionTable::new(&ServeOptions { limits, trusted_proxies, ..<_>::default() }))
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn enter(table: &Arc<ConnectionTable>, address: &str) -> Result<Seat, ConnectionRefusal> {
    table.admit(Some(ip(address))).map(|(seat, _)| seat)
}

/// Answers a request on a connection.
fn answer(seat: &Seat) {
    seat.begin();
    seat.answered();
    seat.written();
}

#[test]
fn an_address_has_its_limit_and_exempt_ones_have_none() {
    let table = table(8, Some(2));
    let mut seats: Vec<Seat> = (0..2).map(|_| enter(&table, "192.0.2.1").unwrap()).collect();
    assert_eq!(enter(&table, "192.0.2.1").unwrap_err(), ConnectionRefusal::Address);
    assert_eq!(enter(&table, "::ffff:192.0.2.1").unwrap_err(), ConnectionRefusal::Address);
    seats.push(enter(&table, "2001:db8::1").unwrap());
    seats.push(enter(&table, "2001:db8::2").unwrap());
    assert_eq!(
        enter(&table, "2001:db8::3").unwrap_err(),
        ConnectionRefusal::Address,
        "one network"
    );
    for address in ["127.0.0.1", "::1", "10.0.0.1", "10.0.0.1"] {
        seats.push(enter(&table, address).unwrap());
    }
    assert_eq!(table.lock().count, 8);
    drop(seats);
    let open = table.lock();
    assert_eq!((open.count, open.queue.len(), open.by_size.len()), (0, 0, 0));
}

#[test]
fn the_longest_idle_of_the_largest_holder_makes_room() {
    let table = table(5, None);
    let single = enter(&table, "192.0.2.9").unwrap();
    let many: Vec<Seat> = (0..2).map(|_| enter(&table, "192.0.2.1").unwrap()).collect();
    let few: Vec<Seat> = (0..2).map(|_| enter(&table, "192.0.2.2").unwrap()).collect();
    answer(&many[0]);
    // Of two holders of the same size, the one that has been so for longer.
    let next = enter(&table, "192.0.2.3").unwrap();
    assert!(many[1].is_evicted());
    let (last, evicted) = table.admit(Some(ip("192.0.2.4"))).unwrap();
    assert!(few[0].is_evicted());
    assert_eq!(evicted, Some(ip("192.0.2.2")));
    assert!(![&single, &many[0], &few[1], &next, &last].iter().any(|seat| seat.is_evicted()));
    drop((many, few));
    assert_eq!(table.lock().count, 3, "an evicted connection leaves once");
}

#[test]
fn busy_connections_are_never_closed() {
    let table = table(4, None);
    let many: Vec<Seat> = (0..2).map(|_| enter(&table, "192.0.2.1").unwrap()).collect();
    let other = enter(&table, "192.0.2.2").unwrap();
    let local = enter(&table, "127.0.0.1").unwrap();
    many.iter().for_each(Seat::begin);
    // A response that its client has not taken keeps it busy.
    many[0].answered();
    let next = enter(&table, "192.0.2.3").unwrap();
    assert!(other.is_evicted() && !local.is_evicted());
    next.begin();
    assert_eq!(enter(&table, "127.0.0.1").unwrap_err(), ConnectionRefusal::Full);
    many[0].written();
    let room = enter(&table, "127.0.0.1").unwrap();
    assert!(many[0].is_evicted() && !many[1].is_evicted() && !room.is_evicted());
}

/// 20 connections of HTTP/1 fit, fewer that hold more: those of one address half as many, and idle ones make room.
#[test]
fn connections_that_hold_more_count_with_their_bytes() {
    const EACH: usize = 12 << 10;
    let memory = duet_model::memory::Budget::new(40 * EACH);
    let table = Arc::new(ConnectionTable::new(&ServeOptions { memory, ..<_>::default() }));
    let large = |address: &str| {
        let seat = enter(&table, address).unwrap();
        let evicted = seat.enlarge(3 * EACH);
        seat.begin();
        (seat, evicted)
    };
    let mut first: Vec<_> = (0..2).map(|_| large("192.0.2.1")).collect();
    assert!(first.iter().all(|(_, evicted)| evicted.as_ref().is_some_and(Vec::is_empty)));
    assert_eq!(large("192.0.2.1").1, None, "12 of 20 are more than half");
    let others: Vec<_> = (2..5).map(|number| large(&format!("192.0.2.{number}"))).collect();
    assert!(others.iter().all(|(_, evicted)| evicted.is_some()));
    // 20 of 20 are held, by clients that are busy.
    assert_eq!(enter(&table, "192.0.2.6").unwrap_err(), ConnectionRefusal::Full);
    let (idle, _) = first.remove(0);
    answer(&idle);
    let next = enter(&table, "192.0.2.6").unwrap();
    assert!(idle.is_evicted() && !next.is_evicted());
    drop((idle, next, first, others));
    let open = table.lock();
    assert_eq!((open.count, open.more_bytes, open.more_of.len()), (0, 0, 0));
}
