//! What happens to the server, the database and the capture while they are used.

use std::sync::atomic::Ordering;

use duet_store::Capture;

use super::world::{Random, World};
use crate::support::{Database, eventually};

/// Operations between two disturbances, at least.
const EVERY: usize = 600;
/// Disturbances of a trial, at most: each takes a second or two.
const MOST: usize = 120;
/// Kinds of disturbances.
pub(super) const KINDS: usize = 6;

pub(super) struct Disturber<'w> {
    world: &'w World,
    columns: usize,
    every: usize,
}

impl<'w> Disturber<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self { world, columns: 0, every: EVERY.max(world.operations / MOST) }
    }

    pub(super) fn run(mut self, mut random: Random) {
        // Each kind once, in a random order, then any.
        let mut kinds: Vec<usize> = (0..KINDS).collect();
        loop {
            let due = self.world.done.load(Ordering::Relaxed) + self.every;
            let is_due = || self.world.done.load(Ordering::Relaxed) >= due;
            eventually("operations are done", || is_due() || !self.world.goes_on());
            if !self.world.goes_on() {
                return;
            }
            let kind = match kinds.len() {
                0 => random.below(KINDS),
                left => kinds.swap_remove(random.below(left)),
            };
            self.disturb(kind, random.below(self.world.servers()));
            self.world.disturbances.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn disturb(&mut self, kind: usize, server: usize) {
        match kind {
            0 => self.cut("backend_type = 'walsender'"),
            1 => self.cut("backend_type = 'client backend' AND application_name = 'duet'"),
            2 => {
                self.world.server.kill();
                self.world.server.restart();
            }
            3 => self.world.replace_server(server),
            4 => self.alter(),
            _ => self.uncover(),
        }
    }

    fn exec(&self, sql: &str) {
        let Database::Postgres(postgres) = &self.world.database else { panic!("PostgreSQL") };
        // It may be the victim of another statement's lock.
        eventually("it is done", || postgres.try_exec(sql).is_ok());
    }

    fn cut(&self, which: &str) {
        self.exec(&format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND {which}"
        ));
    }

    /// A new column with values, and its end.
    fn alter(&mut self) {
        self.columns += 1;
        let column = format!("extra_{}", self.columns);
        for table in ["team", "driver"] {
            self.exec(&format!("ALTER TABLE {table} ADD COLUMN {column} integer DEFAULT 7"));
            self.exec(&format!("ALTER TABLE {table} DROP COLUMN {column}"));
        }
    }

    /// Changes of a table are not captured for a while.
    fn uncover(&self) {
        let [off, on] = match self.world.means {
            Capture::Stream => ["DROP", "ADD"]
                .map(|verb| format!("ALTER PUBLICATION duet_rowstore {verb} TABLE driver")),
            _ => ["DISABLE", "ENABLE ALWAYS"]
                .map(|verb| format!("ALTER TABLE driver {verb} TRIGGER duet_capture_update")),
        };
        self.exec(&off);
        let begun = self.world.done.load(Ordering::Relaxed);
        let world = self.world;
        let has_moved = || world.done.load(Ordering::Relaxed) > begun + EVERY / 4;
        eventually("operations are done", || has_moved() || !world.goes_on());
        self.exec(&on);
    }
}
