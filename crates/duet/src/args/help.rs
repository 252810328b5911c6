//! `--help` and `--help-all`: a command's usual options on one screen, and all of them with their
//! details.

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::Cli;

/// A command with more options than this shows the usual ones alone in its short help.
const MANY: usize = 25;

/// The usual options of runs and series of the bench, by their ids.
const USUAL: &[&str] = &[
    "target",
    "users",
    "rate",
    "duration",
    "warmup",
    "mix",
    "client",
    "threshold",
    "thresholds",
    "live",
    "name",
    "out",
    "json",
    "slo",
    "within",
    "layouts",
    "servers",
    "rounds",
];

/// The command line's definition, with both helps.
pub(crate) fn command() -> Command {
    // Last: their own places would be those that they have among all commands.
    let last = |arg: Arg| arg.global(true).display_order(usize::MAX);
    let flag = |name: &'static str, action: ArgAction, help: &'static str| {
        last(Arg::new(name).long(name).action(action).help(help))
    };
    let short = flag("help", ArgAction::HelpShort, "Print the usual options").short('h');
    let long = flag("help-all", ArgAction::HelpLong, "Print all options with their details");
    shortened(Cli::command()).disable_help_flag(true).arg(short).arg(long)
}

/// The command and those below it, with the options hidden that the short help leaves out.
fn shortened(command: Command) -> Command {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_short_help_set()).count();
    let command = match shown > MANY {
        true => command.mut_args(|arg| {
            let is_usual = arg.is_positional() || USUAL.contains(&arg.get_id().as_str());
            if is_usual { arg } else { arg.hide_short_help(true) }
        }),
        false => command,
    };
    let is_left_out = |arg: &&Arg| arg.is_hide_short_help_set() && !arg.is_hide_set();
    let left_out = command.get_arguments().filter(is_left_out).count();
    with_count(command, left_out).mut_subcommands(shortened)
}

/// Says how many options the short help leaves out.
fn with_count(command: Command, left_out: usize) -> Command {
    if left_out == 0 {
        return command;
    }
    let own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let long = command.get_after_long_help().map_or_else(|| own.clone(), ToString::to_string);
    let more = format!("{left_out} more options: --help-all");
    let short = if own.is_empty() { more } else { format!("{own}\n\n{more}") };
    command.after_help(short).after_long_help(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(words: &[&str]) -> String {
        command().try_get_matches_from(words).unwrap_err().to_string()
    }

    #[test]
    fn the_short_help_counts_what_it_leaves_out() {
        command().debug_assert();
        for words in [&["duet", "serve"][..], &["duet", "bench", "run"]] {
            let with = |flag| printed(&[words, &[flag]].concat());
            let (short, all) = (with("--help"), with("--help-all"));
            assert_eq!(short, with("-h"));
            assert!(short.lines().count() < 60, "{short}");
            assert!(all.lines().count() > 200 && !all.contains("more options"), "{all}");
            // Wrapped lines of descriptions and examples are indented otherwise.
            let is_option = |line: &&str| line.starts_with("      --") || line.starts_with("  -");
            let options = |text: &str| text.lines().filter(is_option).count();
            let count = options(&all) - options(&short);
            assert!(short.contains(&format!("{count} more options: --help-all")), "{short}");
        }
    }
}
