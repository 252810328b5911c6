//! Bystanders: how long one user waits for small reads while others send the heaviest requests that the
//! description knows.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use super::client::Client;
use super::description::{Bystander, split};
use super::items::{Item, Service};
use super::trial::{Seen, Stop, TrialOptions};

/// Reads of the bystander for each round, calm and beside the others.
const READS: u32 = 20;

/// The bystander pauses so long between two reads, so that it measures what others cause and not its own work.
const PAUSE: Duration = Duration::from_millis(1);

/// What is done.
pub(super) fn done(options: &TrialOptions) -> String {
    format!(
        "One user read an item {} times alone, then as often while {} others sent the heavy requests.",
        options.rounds.saturating_mul(READS),
        options.users
    )
}

pub(super) fn run(service: &Service<'_>) -> Seen {
    let Some(bystander) = &service.description.bystander else {
        return Err(Stop::Needs(
            "The description has no [bystander] with `heavy` requests.".into(),
        ));
    };
    let mut client = service.client()?;
    let item = service.create(&mut client, &service.new_item(1))?;
    let mut calm = Waits::default();
    calm.measure(service, &mut client, &item, || true)?;
    let (is_over, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    // Each heavy request has been sent, and its response has come or its time is over.
    let needed = bystander.heavy.len() as u64;
    let mut beside = Waits::default();
    let results = std::thread::scope(|scope| {
        let other = |first| {
            scope.spawn({
                let (is_over, sent) = (&is_over, &sent);
                move || burden(service, &bystander.heavy, first, is_over, sent)
            })
        };
        let others: Vec<_> = (0..service.options.users as usize).map(other).collect();
        let measured =
            beside.measure(service, &mut client, &item, || sent.load(Ordering::Relaxed) >= needed);
        is_over.store(true, Ordering::Relaxed);
        let mut results: Vec<_> = others.into_iter().map(ScopedJoinHandle::join).collect();
        results.push(Ok(measured));
        results
    });
    for result in results {
        result.unwrap_or_else(|_| Err(Stop::Wrong("A user of the trial panicked.".into())))?;
    }
    judge(&calm, &beside, bystander, sent.into_inner())
}

/// How long reads waited.
#[derive(Debug, Default)]
struct Waits(Vec<Duration>);

impl Waits {
    /// Reads the item until all rounds are done and `is_enough`, but no longer than two timeouts.
    fn measure(
        &mut self,
        service: &Service<'_>,
        client: &mut Client,
        item: &Item,
        is_enough: impl Fn() -> bool,
    ) -> Result<(), Stop> {
        let number = service.options.rounds.saturating_mul(READS) as usize;
        let end = Instant::now() + 2 * service.options.timeout;
        while self.0.len() < number || (!is_enough() && Instant::now() < end) {
            let began = Instant::now();
            service.read(client, item)?;
            self.0.push(began.elapsed());
            std::thread::sleep(PAUSE);
        }
        self.0.sort_unstable();
        Ok(())
    }

    /// The wait that 99 of 100 do not exceed.
    fn p99(&self) -> Duration {
        let rank = (self.0.len() * 99).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    fn longest(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }
}

/// Sends the heavy requests in turn until the bystander is done. What they are answered is not this trial's business.
fn burden(
    service: &Service<'_>,
    heavy: &[String],
    first: usize,
    is_over: &AtomicBool,
    sent: &AtomicU64,
) -> Result<(), Stop> {
    let mut client = service.client()?;
    for request in heavy.iter().cycle().skip(first % heavy.len()) {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let (method, path) = split(request);
        if client.send(method, path, "", "").is_err() {
            // A connection that was broken or has a response under way is of no use any more.
            client = service.client()?;
        }
        sent.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn judge(calm: &Waits, beside: &Waits, limits: &Bystander, sent: u64) -> Seen {
    let millis = |duration: Duration| format!("{:.1} ms", duration.as_secs_f64() * 1_000.0);
    let allowed = 2 * calm.p99() + limits.within;
    let seen = format!(
        "99 of 100 reads took up to {} alone and {} beside {sent} heavy requests (allowed: {}); the longest took {} \
         (allowed: {})",
        millis(calm.p99()),
        millis(beside.p99()),
        millis(allowed),
        millis(beside.longest()),
        millis(limits.most)
    );
    match beside.p99() <= allowed && beside.longest() <= limits.most {
        true => Ok(format!("{seen}.")),
        false => Err(Stop::Wrong(format!("{seen}: the heavy requests kept others waiting."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(millis: impl IntoIterator<Item = u64>) -> Waits {
        Waits(millis.into_iter().map(Duration::from_millis).collect())
    }

    #[test]
    fn a_bystander_waits_twice_as_long_as_alone_and_a_little() {
        let limits = Bystander {
            heavy: Vec::new(),
            within: Duration::from_millis(50),
            most: Duration::from_millis(250),
        };
        let calm = waits([10; 100]);
        assert_eq!(calm.p99(), Duration::from_millis(10));
        assert_eq!(waits(1..=1_000).p99(), Duration::from_millis(990));
        assert_eq!(waits([]).p99(), Duration::ZERO);
        let judged = |beside: &Waits| judge(&calm, beside, &limits, 4);
        assert!(judged(&waits([70; 100])).is_ok());
        assert!(judged(&waits([71; 100])).is_err());
        // One in a hundred may take longer, up to the limit of all.
        assert!(judged(&waits((0..100).map(|at| if at == 99 { 250 } else { 1 }))).is_ok());
        let Err(Stop::Wrong(said)) =
            judged(&waits((0..100).map(|at| if at == 99 { 251 } else { 1 })))
        else {
            panic!("it passed")
        };
        assert!(
            said.contains("the longest took 251.0 ms (allowed: 250.0 ms): the heavy"),
            "{said}"
        );
    }
}
