//! Several processes of one program that share their sockets, and the supervisor that starts,
//! watches, replaces and stops them. It knows nothing of what they serve.
//!
//! The supervisor opens the sockets once and starts instances of the same program
//! ([`supervise`]). An instance finds its end of the connection to the supervisor at its standard
//! input ([`join`]), which also brings the sockets and the table by which instances take turns to
//! accept ([`Turns`]), and a file in memory that the program may map; this crate maps nothing, so there is
//! no `unsafe` here.
//!
//! ```
//! use duet_instances::Range;
//! assert_eq!("2..4".parse::<Range>(), Ok(Range { least: 2, most: 4 }));
//! assert_eq!("3".parse::<Range>(), Ok(Range { least: 3, most: 3 }));
//! ```

mod backoff;
mod channel;
mod instance;
mod memory;
mod message;
mod pending;
mod plan;
mod process;
mod range;
mod relay;
mod scaling;
mod seat;
mod supervisor;
mod turns;

pub use instance::{Instance, Link, Order, Serving, join};
pub use message::{Hello, Load, Question};
pub use plan::{Plan, Settings};
pub use range::Range;
pub use supervisor::{SupervisorError, supervise};
pub use turns::Turns;
