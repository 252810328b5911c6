//! What the tests share: databases of both kinds, a server to ask, readers that never stop, and
//! patience.

mod app;
mod child;
mod held;
mod load;
mod store;
mod witness;

use std::time::{Duration, Instant};

pub(crate) use app::{App, Running, Setup, now, percent_encode, server_panics};
pub(crate) use child::{Child, child_role};
pub(crate) use held::Held;
pub(crate) use load::Load;
pub(crate) use store::{Database, Source};
pub(crate) use witness::{Seen, Witness};

/// How long anything may take that is waited for. A machine under load is slow; a test that fails
/// waits so long only once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so.
#[track_caller]
pub(crate) fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !check() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Makes each test of a list run on both stores.
macro_rules! on_both_stores {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[test] fn $name() { super::$name(crate::support::Database::sqlite()); })*
        }
        mod postgres {
            $(#[test] fn $name() {
                let name = concat!(module_path!(), "::", stringify!($name));
                super::$name(crate::support::Database::postgres(name));
            })*
        }
    };
}
pub(crate) use on_both_stores;

/// Makes each test of a list run on PostgreSQL where every table is distributed, as far as the catalog says: by the
/// statements that such tables get.
macro_rules! on_distributed_tables {
    ($($name:ident)*) => {
        mod distributed {
            $(#[test] fn $name() {
                let name = concat!(module_path!(), "::", stringify!($name));
                super::$name(crate::support::Database::distributed(name));
            })*
        }
    };
}
pub(crate) use on_distributed_tables;
