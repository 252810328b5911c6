//! The client's clock in UTC, formatted for dates and times of both stores.

use std::time::{SystemTime, UNIX_EPOCH};

use duet_model::Value;

use crate::generate::moment::Moment;

/// Seconds since 1970-01-01.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// A moment, `YYYY-MM-DD HH:MM:SS`.
pub(super) fn moment(second: i64) -> Value {
    Value::Text(Moment::second(second).as_str().to_owned())
}

/// The date this many days from today, `YYYY-MM-DD`.
pub(super) fn day(from_today: i64) -> Value {
    Value::Text(Moment::date(now().div_euclid(86_400) + from_today).as_str().to_owned())
}
