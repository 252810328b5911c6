//! Limits that hold for all servers together.

use duet_testkit::http;
use duet_testkit::postgres::Server;

use super::Fleet;

/// Wrong tokens that a server takes until it refuses them for their number.
fn guesses(url: &str) -> u32 {
    let guess = || {
        let token = [("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")];
        http::get(&format!("{url}/api/public/item/"), &token).status
    };
    for count in 0..100 {
        match guess() {
            401 => {}
            429 => return count,
            status => panic!("{status}"),
        }
    }
    panic!("a server takes any number of wrong tokens");
}

#[test]
fn all_servers_together_take_so_many_wrong_tokens() {
    let database = Server::shared().database("fleet_limits");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    let limit = ["--servers", "3", "--bad-token-burst", "30", "--bad-token-rate", "1"];
    let fleet = Fleet::start(&database, 3, &limit);
    let each: Vec<u32> = fleet.servers.iter().map(|server| guesses(&server.url())).collect();
    // One more a minute, should it take that long.
    assert!(each.iter().all(|count| (10..=12).contains(count)), "{each:?}");
}
