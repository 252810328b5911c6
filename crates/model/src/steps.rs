//! Counts the steps of work that grows with the schema, so that tests can compare how many there are for a schema and
//! for one twice as large. Only debug builds count.

#[cfg(debug_assertions)]
thread_local! {
    static COUNT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts one: a name that is compared, or a relation, a key or a rule that is looked at.
#[inline]
pub fn step() {
    #[cfg(debug_assertions)]
    COUNT.with(|count| count.set(count.get() + 1));
}

/// The result of some work on this thread, and the steps that it took; none in a release build.
///
/// ```
/// use duet_model::steps;
/// let ((), steps) = steps::counted(|| (0..3).for_each(|_| steps::step()));
/// assert_eq!(steps, if cfg!(debug_assertions) { 3 } else { 0 });
/// ```
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = so_far();
    let result = work();
    (result, so_far() - before)
}

/// The steps of this thread so far.
pub fn so_far() -> u64 {
    #[cfg(debug_assertions)]
    return COUNT.with(std::cell::Cell::get);
    #[cfg(not(debug_assertions))]
    0
}
