//! How many bytes an entry takes beside its document, how the reported memory compares with what the process
//! grows by, and how long a lookup takes in one thread and in as many as there are processors.
//!
//! ```sh
//! cargo run --release -p duet-rowstore --example overhead
//! ```
#![expect(clippy::print_stdout, reason = "an example")]
#![expect(clippy::cast_precision_loss, reason = "figures for reading")]

use std::sync::Arc;
use std::time::Instant;

use duet_model::Value;
use duet_rowstore::{DocumentVersions, FinishedDocument, KeyBytes, Lookup, Rowstore};

const ENTRIES: i64 = 1_000_000;
const BYTES: usize = 200;

fn main() {
    // The head of an item whose key is one whole number.
    let (body, head) = ([b'x'; BYTES], [7; 17]);
    // Filled almost to its bound, as a rowstore in use is.
    let versions = DocumentVersions::new(Arc::default(), "");
    let rowstore = Rowstore::new(Arc::new(versions), 350 << 20);
    let (before, begun) = (resident(), Instant::now());
    for at in 0..ENTRIES {
        let key = KeyBytes::of(&[Value::Int(at)]);
        if let Lookup::Miss(fill) = rowstore.look("", &key, begun, None) {
            rowstore.fill(fill, &key, Some(FinishedDocument { head: &head, body: &body }), begun);
        }
    }
    let (grown, usage) = (resident() - before, rowstore.usage());
    let each = |bytes: u64| bytes as f64 / usage.entries as f64;
    println!("entries: {} of {ENTRIES}", usage.entries);
    println!("an entry beside its {BYTES} bytes: {:.0} bytes", each(grown) - BYTES as f64);
    println!("reported ÷ grown: {:.3}", usage.bytes as f64 / grown as f64);
    for threads in [1, std::thread::available_parallelism().map_or(1, usize::from)] {
        let begun = Instant::now();
        std::thread::scope(|scope| {
            (0..threads).for_each(|_| drop(scope.spawn(|| look_up(&rowstore, begun))));
        });
        let nanos = begun.elapsed().as_nanos() as f64 / ENTRIES as f64;
        println!("a lookup, {threads} threads at once: {nanos:.0} ns in each");
    }
}

/// Looks up every entry once, in another order than that of the fills.
fn look_up(rowstore: &Rowstore, now: Instant) {
    for at in 0..ENTRIES {
        let key = KeyBytes::of(&[Value::Int(at.wrapping_mul(7_919) % ENTRIES)]);
        assert!(matches!(rowstore.look("", &key, now, None), Lookup::Found(_)), "{at}");
    }
}

/// Bytes of the process that are resident.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().unwrap_or_default() * 1_024
}
