//! The options of charbench 2.7: what becomes of each here.

use duet_verdict::text::{COLUMNS, wrap};

/// What becomes of an option of charbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Its value is that of an option here.
    Value(&'static str),
    /// It is a switch here.
    Switch(&'static str),
    /// Its value becomes an option together with those of others.
    Joint,
    /// It says what is done here anyway.
    Always,
    /// It has no value and no meaning here, with what to use instead.
    RefusedSwitch(&'static str),
    /// It has a value and no meaning here, with what to use instead.
    RefusedValue(&'static str),
}

use Meaning::{Always, Joint, RefusedSwitch, RefusedValue, Switch, Value};

/// Where times of single transactions are written here.
const JTL: &str = "use --jtl FILE, which has every transaction";
/// What observes the database and its host here.
const OBSERVED: &str = "leave it out: the run's own user reads what is observed";
/// How several load generators are combined here.
const MERGE: &str = "run each generator with --shared, and combine results with duet bench merge";
/// Where runs tell more about themselves here.
const DEBUG: &str = "leave it out: failures are counted in the result with their messages";

/// The options, by the name that charbench gives them.
pub(super) const OPTIONS: [(&str, Meaning); 52] = [
    ("-c", Joint),
    ("-cs", Joint),
    ("-cf", Joint),
    ("-u", Joint),
    ("-p", Joint),
    ("-uc", Joint),
    ("-ld", Joint),
    ("-min", Joint),
    ("-max", Joint),
    ("-intermin", Joint),
    ("-intermax", Joint),
    ("-rt", Joint),
    ("-bs", Joint),
    ("-be", Joint),
    ("-r", Joint),
    ("-nr", Joint),
    ("-stats", Joint),
    ("-ot", Joint),
    ("-mt", Value("--transactions")),
    ("-en", Value("--enable")),
    ("-di", Value("--disable")),
    ("-v", Value("--show")),
    ("-com", Value("--name")),
    ("-sr", Switch("--quiet")),
    ("-s", Switch("--quiet")),
    ("-h", Switch("--help")),
    ("-a", Always),
    ("-mr", Always),
    ("-wc", Always),
    ("-nc", Always),
    ("-i", RefusedSwitch("use -a: a run starts at once, and Ctrl-C ends it with its results")),
    ("-f", RefusedSwitch("press Ctrl-C twice to end a run whatever its state")),
    ("-bg", RefusedSwitch("start the command in the background by the shell: COMMAND &")),
    ("-vo", RefusedValue("redirect standard output: COMMAND > FILE")),
    ("-rr", RefusedValue("leave it out: there is a line each second")),
    ("-dumptx", RefusedSwitch(JTL)),
    ("-dumptxdir", RefusedValue(JTL)),
    ("-cpuloc", RefusedValue(OBSERVED)),
    ("-cpuuser", RefusedValue(OBSERVED)),
    ("-cpupass", RefusedValue(OBSERVED)),
    ("-dbau", RefusedValue(OBSERVED)),
    ("-dbap", RefusedValue(OBSERVED)),
    ("-co", RefusedValue(MERGE)),
    ("-g", RefusedValue(MERGE)),
    ("-D", RefusedValue("use the options of the workload, which --help lists")),
    ("-P", RefusedValue("use --target 'postgres://…?PARAMETER=VALUE'")),
    ("-dt", Joint),
    ("-env", RefusedSwitch("use --help, which lists the environment's variables")),
    ("-debug", RefusedSwitch(DEBUG)),
    ("-debugf", RefusedSwitch(DEBUG)),
    ("-debugfine", RefusedSwitch(DEBUG)),
    ("-ver", Switch("--version")),
];

/// The options that are taken, with their values, for `charbench -h`.
const HELP: [(&str, &str, &str); 31] = [
    ("-c", "FILE", "the configuration, which names the workload"),
    ("-cs", "//HOST:PORT/DATABASE", "the database; a service of libpq, or a URL"),
    ("-u", "NAME", "its user"),
    ("-p", "PASSWORD", "the user's password"),
    ("-cf", "FOLDER|ZIP", "certificates of the connection"),
    ("-uc", "N", "users"),
    ("-mt", "N", "end after this many measured transactions"),
    ("-rt", "HH:MM.SS", "the length of the run"),
    ("-bs", "HH:MM.SS", "the begin of the measured time"),
    ("-be", "HH:MM.SS", "its end"),
    ("-min", "MS", "think time inside transactions, from"),
    ("-max", "MS", "and to"),
    ("-intermin", "MS", "think time between transactions, from"),
    ("-intermax", "MS", "and to"),
    ("-ld", "MS", "between the logons of two users"),
    ("-en", "TYPE,…", "types to enable"),
    ("-di", "TYPE,…", "types to disable"),
    ("-dt", "thin", "not needed: the database's own protocol is used"),
    ("-v", "COLUMN,…", "columns of the lines"),
    ("-r", "FILE", "the file of results [default: results.xml]"),
    ("-nr", "", "no file of results"),
    ("-com", "TEXT", "a name for the result"),
    ("-ot", "std|json", "the form of the output"),
    ("-sr", "", "print the summary alone"),
    ("-s", "", "the same"),
    ("-stats", "simple|full", "read and not needed: distributions are whole"),
    ("-a", "", "read and not needed: a run starts at once"),
    ("-mr", "", "read and not needed: a run ends with its summary"),
    ("-wc", "", "read and not needed: a run waits for its users"),
    ("-nc", "", "read and not needed: there are no colours"),
    ("-h", "", "this help; -ver is the version"),
];

/// The help of a program called `charbench`.
pub(super) fn help() -> String {
    let mut text = "charbench: command lines of Swingbench's charbench, run by Duet\n\n\
         Usage: charbench -c CONFIGURATION -cs //HOST:PORT/DATABASE [OPTIONS]\n\nOptions:\n"
        .to_owned();
    for (option, value, about) in HELP {
        let head = format!("{option} {value}");
        text.push_str(&format!("  {:<25} {about}\n", head.trim_end()));
    }
    let is_refused = |meaning: &Meaning| matches!(meaning, RefusedSwitch(_) | RefusedValue(_));
    let refused: Vec<&str> =
        OPTIONS.iter().filter(|(_, it)| is_refused(it)).map(|(option, _)| *option).collect();
    let refused = format!("Refused, each with what to use instead: {}.\n", refused.join(", "));
    text.push('\n');
    text.push_str(&wrap(&refused, COLUMNS, ""));
    text.push_str("\nOptions of `duet bench run` are taken too: duet bench run --help\n");
    text
}

#[cfg(test)]
mod tests {
    use duet_workloads::registry;

    use super::*;

    #[test]
    fn the_help_names_every_option_once() {
        let text = help();
        let listed = text.split_once("Options:").map_or("", |(_, listed)| listed);
        let words: Vec<&str> =
            listed.split(|char: char| char.is_whitespace() || ",;.".contains(char)).collect();
        for (option, _) in OPTIONS {
            assert_eq!(words.iter().filter(|word| **word == option).count(), 1, "{option}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
    }

    #[test]
    fn the_manual_names_every_option() {
        let page = include_str!("../../../../../../docs/bench-charbench.md");
        for (option, _) in OPTIONS {
            assert!(page.contains(&format!("`{option}`")), "{option}");
        }
        for run in registry::runs() {
            for name in run.configurations {
                let is_row = |line: &&str| line.to_lowercase().contains(&format!("`{name}`"));
                let row = page.lines().find(is_row);
                assert!(row.is_some_and(|row| row.contains(&format!("`{}`", run.name))), "{name}");
            }
        }
    }
}
