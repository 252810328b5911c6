//! Builds example results from a seed, for tests of code that reads results.

use std::collections::BTreeMap;

use duet_verdict::result::{
    CheckRow, Dml, FailureRow, Ledger, LedgerRow, Percentiles, ProcessResult, RunResult, Second,
    Threshold, TypeResult, VERSION, Window,
};
use duet_verdict::times::{histogram, pack};

/// The parameters of an example.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) name: String,
    pub(crate) seed: u64,
    /// Transactions per second.
    pub(crate) level: f64,
    /// The median of the first type's times.
    pub(crate) median_us: f64,
    pub(crate) measured_s: u64,
    pub(crate) users: u32,
    /// `Some` makes the run an open one.
    pub(crate) rate_per_s: Option<f64>,
    pub(crate) stall: Option<Stall>,
}

/// Seconds in which less succeeds.
#[derive(Clone, Debug)]
pub(crate) struct Stall {
    pub(crate) from_s: u64,
    pub(crate) to_s: u64,
    /// Of the transactions that succeed otherwise.
    pub(crate) share: f64,
    /// Failed ones in each second, of those that succeed in it.
    pub(crate) failed_share: f64,
}

impl Default for Example {
    fn default() -> Self {
        Self {
            name: "before".into(),
            seed: 1,
            level: 200.0,
            median_us: 2_000.0,
            measured_s: 60,
            users: 16,
            rate_per_s: None,
            stall: None,
        }
    }
}

const RAMP_S: u64 = 3;
const WARM_S: u64 = 5;
const TYPES: [(&str, &str, f64); 3] =
    [("New order", "NO", 0.45), ("Payment", "PA", 0.43), ("Stock level", "SL", 0.12)];

impl Example {
    /// Builds the result deterministically.
    pub(crate) fn build(&self) -> RunResult {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut times = vec![histogram(); TYPES.len()];
        let total_s = RAMP_S + WARM_S + self.measured_s;
        let seconds: Vec<Second> =
            (0..total_s).map(|at| self.second(at, &mut random, &mut times)).collect();
        let mut all = histogram();
        times.iter().for_each(|one| all.add(one).unwrap());
        let failed: u64 =
            seconds.iter().filter(|it| it.phase == "measure").map(|it| it.failed).sum();
        let mut result = RunResult {
            version: VERSION,
            tool: "duet 0.1.0".into(),
            workload: "orders".into(),
            name: self.name.clone(),
            started: "2026-01-01T00:00:00Z".into(),
            window: Window {
                from_s: (RAMP_S + WARM_S) as f64,
                measured_s: self.measured_s as f64,
                total_s: total_s as f64,
                ended_by: "duration".into(),
                logon_s: 0.12,
                grace_s: 30.0,
            },
            seconds,
            ..RunResult::default()
        };
        self.facts(&mut result);
        totals(&mut result, &all, failed);
        result.types = TYPES
            .iter()
            .zip(&times)
            .zip([failed, 0, 0])
            .map(|(((name, short, _), times), failed)| kind([name, short], times, failed))
            .collect();
        self.findings(&mut result, failed);
        result
    }

    fn second(
        &self,
        at: u64,
        random: &mut fastrand::Rng,
        times: &mut [hdrhistogram::Histogram<u64>],
    ) -> Second {
        let phase = match at {
            _ if at < RAMP_S => "ramp",
            _ if at < RAMP_S + WARM_S => "warm-up",
            _ => "measure",
        };
        let share = ((at + 1) as f64 / RAMP_S as f64).min(1.0);
        let stall = self.stall.as_ref().filter(|stall| (stall.from_s..stall.to_s).contains(&at));
        let succeeds = stall.map_or(1.0, |stall| stall.share);
        let count = (self.level * share * succeeds * (0.95 + 0.1 * random.f64())) as u64;
        let failed = stall.map_or(0.0, |stall| stall.failed_share * count as f64) as u64
            + u64::from(at % 20 == 9 && stall.is_none());
        let mut of_second = histogram();
        let mut by_type = vec![0; TYPES.len()];
        let mut sums = vec![0.0; TYPES.len()];
        for _ in 0..count {
            let mut draw = random.f64();
            let kind = TYPES.iter().position(|(_, _, weight)| {
                draw -= weight;
                draw < 0.0
            });
            let kind = kind.unwrap_or(0);
            let tail = 1.0 / (1.0 - random.f64()).powf(0.35);
            let micros = (self.median_us * 0.8 * tail * (1.0 + kind as f64)) as u64;
            let micros = micros.clamp(1, 2_000_000);
            of_second.record(micros).unwrap();
            if phase == "measure" {
                times[kind].record(micros).unwrap();
            }
            by_type[kind] += 1;
            sums[kind] += micros as f64;
        }
        let mean = |(sum, count): (&f64, &u64)| if *count == 0 { 0.0 } else { sum / *count as f64 };
        let wave = (at as f64 / 7.0).sin();
        Second {
            at_s: at,
            phase: phase.into(),
            users: (f64::from(self.users) * share) as u32,
            completed: count,
            failed,
            offered_per_s: self.rate_per_s.map(|rate| rate * share),
            service: Percentiles::of(&of_second),
            response: Percentiles::of(&of_second),
            mean_us_by_type: sums.iter().zip(&by_type).map(mean).collect(),
            failed_by_type: vec![failed, 0, 0],
            by_type,
            response_histogram: pack(&of_second),
            observed: BTreeMap::from([
                ("cpu.user".to_owned(), 55.0 + 8.0 * wave),
                ("cpu.system".to_owned(), 18.0 + 3.0 * wave),
                ("disk.write_mb".to_owned(), 12.0 + 4.0 * wave),
                ("net.mbit".to_owned(), 80.0 + 9.0 * wave),
                ("wait.Lock".to_owned(), 1.5 + wave),
                ("wait.IO".to_owned(), 2.0 - wave),
                ("wait.CPU".to_owned(), 6.0 + wave),
            ]),
        }
    }

    fn facts(&self, result: &mut RunResult) {
        let text = |text: &str| text.to_owned();
        let target = &mut result.target;
        target.kind = text("http");
        target.address = text("http://127.0.0.1:8080/api/main");
        target.transport = text("tcp");
        target.server = text("duet 0.1.0, PostgreSQL 17.5");
        target.settings.insert(text("shared_buffers"), text("128MB"));
        target.settings.insert(text("synchronous_commit"), text("on"));
        target.data.insert(text("scale"), text("1"));
        target.data.insert(text("orders"), text("30000"));
        let load = &mut result.load;
        load.model = text(if self.rate_per_s.is_some() { "open" } else { "closed" });
        load.users = self.users;
        load.layout = format!("1x{}", self.users);
        load.rate_per_s = self.rate_per_s;
        load.arrivals = self.rate_per_s.map(|_| text("poisson"));
        load.ramp_up_s = RAMP_S as f64;
        load.warm_up_s = WARM_S as f64;
        load.seed = self.seed;
        load.mix = TYPES.iter().map(|(name, _, weight)| (text(name), *weight)).collect();
        let host = &mut result.host;
        host.cpu = text("Example CPU 2.0 GHz");
        host.cpus = 2;
        host.memory_mb = 7_800;
        host.kernel = text("Linux 6.1.0");
        host.load_before = 0.2;
    }

    fn findings(&self, result: &mut RunResult, failed: u64) {
        let text = |text: &str| text.to_owned();
        result.processes = vec![ProcessResult {
            index: 0,
            users: self.users,
            completed: result.totals.completed,
            failed,
            unfinished: 0,
            tps: result.totals.tps,
            p95_us: result.totals.service.p95_us,
            cpu_s: 9.5,
            finished: true,
            lost_users: 0,
        }];
        result.failures = vec![FailureRow {
            transaction: text("New order"),
            outcome: text("check"),
            message: text("answered <script>alert(\"1\")</script> & 500"),
            count: failed,
            ..FailureRow::default()
        }];
        result.checks = vec![CheckRow {
            name: text("status is 201"),
            transaction: text("NO"),
            passed: result.totals.completed,
            failed,
            ..CheckRow::default()
        }];
        let all: u64 = result.seconds.iter().map(|second| second.completed).sum();
        result.ledger = Some(Ledger {
            rows: vec![LedgerRow {
                what: text("commits"),
                client: all,
                server: all + 12,
                agrees: true,
            }],
            balanced: true,
        });
        result.database = BTreeMap::from([("xact_commit".to_owned(), all as f64 + 12.0)]);
        result.waits = [("CPU", 6.0), ("IO", 2.0), ("Lock", 1.5)].map(|(k, v)| (text(k), v)).into();
        result.client.cpu_s = 9.5;
        result.client.cpu_us_per_transaction = 9.5e6 / result.totals.completed.max(1) as f64;
        result.client.busiest_share = 0.31;
        result.client.memory_mb = 24.0;
        let p95 = result.totals.response.p95_us as f64 / 1e3;
        result.thresholds = vec![Threshold {
            rule: text("p95<20ms"),
            measured: Some(p95),
            passed: p95 < 20.0,
            ..Threshold::default()
        }];
    }
}

fn totals(result: &mut RunResult, all: &hdrhistogram::Histogram<u64>, failed: u64) {
    let measured_s = result.window.measured_s;
    let totals = &mut result.totals;
    totals.completed = all.len();
    totals.failed = failed;
    (totals.completed_in_window, totals.failed_in_window) = (all.len(), failed);
    totals.tps = all.len() as f64 / measured_s;
    totals.ended_per_s = (all.len() + failed) as f64 / measured_s;
    let seconds: Vec<u64> = result.seconds.iter().map(|second| second.completed).collect();
    totals.max_tpm = seconds
        .windows(60.min(seconds.len().max(1)))
        .map(|minute| minute.iter().sum())
        .max()
        .unwrap_or(0);
    totals.outcomes = BTreeMap::from([("ok".to_owned(), all.len()), ("check".to_owned(), failed)]);
    totals.offered = Some(all.len() + failed);
    totals.service = Percentiles::of(all);
    totals.response = Percentiles::of(all);
    totals.under_way = totals.ended_per_s * totals.service.mean_us / 1e6;
    totals.sent_bytes = all.len() * 420;
    totals.received_bytes = all.len() * 1_300;
    totals.round_trips = all.len();
    totals.dml = Dml { selects: all.len() * 3, commits: all.len(), ..Dml::default() };
}

fn kind([name, short]: [&str; 2], times: &hdrhistogram::Histogram<u64>, failed: u64) -> TypeResult {
    let mut outcomes = BTreeMap::from([("ok".to_owned(), times.len())]);
    if failed > 0 {
        outcomes.insert("check".to_owned(), failed);
    }
    TypeResult {
        name: name.to_owned(),
        short: short.to_owned(),
        completed: times.len(),
        failed,
        completed_in_window: times.len(),
        failed_in_window: failed,
        outcomes,
        service: Percentiles::of(times),
        response: Percentiles::of(times),
        dml: Dml { selects: times.len() * 3, commits: times.len(), ..Dml::default() },
        round_trips: times.len(),
        bytes: times.len() * 1_720,
        service_histogram: pack(times),
        response_histogram: pack(times),
        ..TypeResult::default()
    }
}
