//! The options of charbench 2.7: what becomes of each here.

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
    ("-dt", RefusedValue("leave it out: the database's own protocol is used")),
    ("-env", RefusedSwitch("use --help, which lists the environment's variables")),
    ("-debug", RefusedSwitch(DEBUG)),
    ("-debugf", RefusedSwitch(DEBUG)),
    ("-debugfine", RefusedSwitch(DEBUG)),
    ("-ver", Switch("--version")),
];

#[cfg(test)]
mod tests {
    use duet_workloads::registry;

    use super::*;

    #[test]
    fn the_manual_names_every_option() {
        let page = include_str!("../../../../../docs/bench-charbench.md");
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
