//! `duet apps`: the built-in applications.

use crate::application::{Location, built_in, process_environment};
use crate::report::{Outcome, print};

pub(super) fn run() -> Outcome {
    let mut text = String::new();
    for (name, _) in built_in() {
        let application = Location::built_in(name)?.read(&process_environment)?;
        text.push_str(&format!("{name:<14} {}\n", application.description));
    }
    text.push_str(
        "\nLoad one with `duet load NAME --database sqlite:PATH` and serve it with `duet serve sqlite:PATH --app NAME`.\n",
    );
    print(&text)
}
