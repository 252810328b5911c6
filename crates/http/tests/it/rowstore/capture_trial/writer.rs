//! Programs that write to the database directly, and sometimes through the server.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use duet_client::connect::Settings;
use duet_testkit::http::Client;
use serde_json::json;
use tokio::runtime::Runtime;

use super::world::{GUESTS, MOST_SERVERS, Random, TEAMS, World};
use crate::support::Database;

/// One program that writes.
pub(super) struct Writer<'w> {
    world: &'w World,
    /// A connection to each server.
    http: [Option<(usize, Client)>; MOST_SERVERS],
    runtime: Runtime,
    settings: Settings,
}

impl<'w> Writer<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        let Database::Postgres(postgres) = &world.database else { panic!("PostgreSQL") };
        let settings = Settings::from_url(&postgres.url(), &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { world, http: [None, None], runtime, settings }
    }

    pub(super) fn run(mut self, mut random: Random) {
        while self.world.goes_on() {
            self.connected(&mut random);
        }
    }

    /// Writes while a connection holds.
    fn connected(&mut self, random: &mut Random) {
        let Self { world, http, runtime, settings } = self;
        let connected = runtime.block_on(async { settings.connector()?.connect().await });
        let Ok((client, connection)) = connected else { return };
        runtime.spawn(connection);
        let mut exec = |sql: &str| {
            let all = format!("SET default_transaction_read_only = off; {sql}");
            runtime.block_on(client.batch_execute(&all)).is_ok()
        };
        while world.takes() {
            let team = 1 + random.below(TEAMS);
            let is_done = match random.below(12) {
                0 => guest(world, random.below(GUESTS.len()), &mut exec),
                1..=2 => {
                    let server = random.below(world.servers());
                    through_a_server(world, server, &mut http[server], team)
                }
                way => directly(world, team, way, &mut exec),
            };
            if !is_done {
                return;
            }
        }
    }
}

/// Gives a team and its drivers their next number; `false` where that may not have happened.
fn directly(world: &World, team: usize, way: usize, exec: &mut impl FnMut(&str) -> bool) -> bool {
    let known = &world.teams[team - 1];
    let _alone = known.writing.lock().unwrap_or_else(PoisonError::into_inner);
    let next = known.sent.fetch_add(1, Ordering::SeqCst) + 1;
    let [one, other] = [team * 10 + 1, team * 10 + 2];
    // A lost write may still arrive, so numbers only grow.
    let sql = match way {
        3..=4 => format!(
            "BEGIN; SELECT FROM team WHERE id = {team} FOR UPDATE;
             DELETE FROM driver WHERE id IN ({one}, {other});
             INSERT INTO driver SELECT d, greatest(points, {next}), {team} FROM team, unnest(ARRAY[{one}, {other}]) AS d WHERE id = {team};
             UPDATE team SET points = greatest(points, {next}) WHERE id = {team}; COMMIT"
        ),
        _ => format!(
            "BEGIN; UPDATE team SET points = greatest(points, {next}) WHERE id = {team};
             UPDATE driver SET points = greatest(points, {next}) WHERE id IN ({one}, {other}); COMMIT"
        ),
    };
    let is_done = exec(&sql);
    if is_done {
        known.commit(next);
        world.writes.fetch_add(1, Ordering::Relaxed);
    }
    is_done
}

/// Gives a guest its next number, and with it the other team.
fn guest(world: &World, number: usize, exec: &mut impl FnMut(&str) -> bool) -> bool {
    let (guest, known) = (&GUESTS[number], &world.guests[number]);
    let _alone = known.writing.lock().unwrap_or_else(PoisonError::into_inner);
    let next = known.sent.fetch_add(1, Ordering::SeqCst) + 1;
    let (id, team) = (guest.id, guest.team_at(next));
    let is_done = exec(&format!(
        "UPDATE driver SET points = {next}, team_id = {team} WHERE id = {id} AND points < {next}"
    ));
    if is_done {
        known.commit(next);
        world.writes.fetch_add(1, Ordering::Relaxed);
    }
    is_done
}

/// Gives a team and its drivers their next number through a server.
fn through_a_server(
    world: &World,
    server: usize,
    http: &mut Option<(usize, Client)>,
    team: usize,
) -> bool {
    let known = &world.teams[team - 1];
    let _alone = known.writing.lock().unwrap_or_else(PoisonError::into_inner);
    let next = known.sent.fetch_add(1, Ordering::SeqCst) + 1;
    let patch =
        |path: String| json!({ "method": "PATCH", "path": path, "body": { "points": next } });
    let drivers = [1, 2].map(|at| patch(format!("driver/{team}{at}")));
    let [one, other] = drivers;
    let all = json!([patch(format!("team/{team}")), one, other]).to_string();
    let response = world.request(server, http, "POST", "_/transaction", &all);
    if response.is_some_and(|response| response.status < 300) {
        known.answered[server].store(next, Ordering::SeqCst);
        known.commit(next);
        world.writes.fetch_add(1, Ordering::Relaxed);
    }
    true
}
