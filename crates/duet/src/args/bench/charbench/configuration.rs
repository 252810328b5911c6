//! The configuration that `-c` names: the workload that does the same, and the settings of the file where it exists.
//! Options of the command line win.

use std::fs;
use std::path::Path;

use duet_bench::swingbench::{Configuration, Password, SwingbenchType, read};
use duet_workloads::registry;

use super::given::{Given, Known};
use super::target::is_ours;
use super::times::has;

impl Known {
    /// The configuration of a path: a file, or a name alone.
    ///
    /// # Errors
    /// If no workload does the same, or the file cannot be taken.
    pub(super) fn find(path: &str) -> Result<Self, String> {
        if !Path::new(path).is_file() {
            let workload = by_name(path).ok_or_else(|| unknown(path))?;
            return Ok(Self { workload, file: None });
        }
        let text = fs::read_to_string(path).map_err(|error| format!("-c {path}: {error}"))?;
        let settings = read(&text).map_err(|wrong| at(path, wrong.line, &wrong.message))?;
        let workload = by_name(path).or_else(|| by_class(&settings.types));
        let workload = workload.ok_or_else(|| unknown(path))?;
        Ok(Self { workload, file: Some((path.to_owned(), settings)) })
    }

    /// Adds what the file says and the command line does not.
    ///
    /// # Errors
    /// If a setting has no meaning here, with its place.
    pub(super) fn complete(self, given: &mut Given) -> Result<(), String> {
        let Some((path, settings)) = self.file else { return Ok(()) };
        let mix = mix(&settings.types, self.workload, given);
        let mix = mix.map_err(|(line, message)| at(&path, line, &message))?;
        if !given.has("--mix") && !given.has("--preset") {
            add(given, "--mix", mix);
        }
        connect(&settings, given).map_err(|(line, message)| at(&path, line, &message))?;
        users(&settings, given).map_err(|(line, message)| at(&path, line, &message))?;
        times(&settings, given);
        add(given, "--timeout", settings.timeout.map(|timeout| format!("{timeout}s")));
        if !given.has("--iterations") {
            add(given, "--transactions", settings.transactions.map(|most| most.to_string()));
        }
        let ends = ["--duration", "--transactions", "--iterations", "--mode"];
        if given.times.run.is_none() && !ends.iter().any(|option| given.has(option)) {
            let message =
                "the run has no end: set <RunTime> or <MaxTransactions>, or give -rt or -mt";
            return Err(at(&path, settings.run_line, message));
        }
        Ok(())
    }
}

/// A mistake at a line of the file.
fn at(path: &str, line: usize, message: &str) -> String {
    format!("{path}:{line}: {message}")
}

type Mistake = (usize, String);

/// The workload of a configuration, by the name of its file.
fn by_name(configuration: &str) -> Option<&'static str> {
    let name = configuration.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.strip_suffix(".xml").unwrap_or(name).to_lowercase().replace('.', "_");
    let runs = registry::runs();
    runs.iter().find(|run| run.configurations.contains(&&*stem)).map(|run| run.name)
}

/// The workload of a copy of a configuration, by the classes of its transactions.
fn by_class(types: &[SwingbenchType]) -> Option<&'static str> {
    let all = registry::all();
    let packages = || all.iter().flat_map(|entry| entry.packages());
    let of = |kind: &SwingbenchType| packages().find(|(package, _)| kind.class.contains(package));
    let mut found = types.iter().map(|kind| of(kind).map(|(_, run)| *run));
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

fn unknown(configuration: &str) -> String {
    let runs = registry::runs();
    let known: Vec<&str> = runs.iter().flat_map(|run| run.configurations).copied().collect();
    format!(
        "-c {configuration}: no workload here is that configuration. There are {}; a workload of \
         your own is run by duet bench run FILE.toml",
        known.join(", ")
    )
}

/// Adds an option that the command line does not have.
fn add(given: &mut Given, option: &str, value: Option<String>) {
    if !given.has(option) {
        given.ours.extend(value.into_iter().flat_map(|value| [option.into(), value.into()]));
    }
}

/// The enabled types with their weights as a value of `--mix`.
fn mix(types: &[SwingbenchType], workload: &str, given: &Given) -> Result<Option<String>, Mistake> {
    let presets = registry::run(workload).map_or(&[][..], |(entry, _)| entry.presets());
    let known: Vec<&str> =
        presets.iter().flat_map(|it| it.weights).map(|(name, _)| *name).collect();
    let is_wanted = |kind: &&SwingbenchType| {
        kind.weight > 0.0 && (kind.is_enabled || given.enables(&kind.short))
    };
    let wanted: Vec<&SwingbenchType> = types.iter().filter(is_wanted).collect();
    match (types, &*wanted) {
        ([], _) => return Ok(None),
        // A single type runs whatever its name is.
        (_, [_]) if known.is_empty() => return Ok(None),
        ([first, ..], []) => return Err((first.line, "no transaction is enabled".to_owned())),
        _ => {}
    }
    let mut weights = Vec::new();
    for kind in wanted {
        if !known.contains(&&*kind.short) {
            let message = format!("{workload} has no transaction {:?}: disable it", kind.short);
            return Err((kind.line, message));
        }
        weights.push(format!("{}={}", kind.short, kind.weight));
    }
    Ok(Some(weights.join(",")))
}

/// The place of the database and its user, unless the command line has a target of ours.
fn connect(settings: &Configuration, given: &mut Given) -> Result<(), Mistake> {
    let target = &mut given.target;
    if has(&given.ours, "--target") || target.connect.as_deref().is_some_and(is_ours) {
        return Ok(());
    }
    if target.connect.is_none() {
        target.connect.clone_from(&settings.connect);
    }
    if target.connect.as_deref().is_none_or(is_ours) {
        return Ok(());
    }
    if target.user.is_none() {
        target.user.clone_from(&settings.user);
    }
    match &settings.password {
        _ if target.password.is_some() => {}
        Some(Password::Plain(password)) => target.password = Some(password.clone()),
        Some(Password::Encrypted(line)) => {
            let message = "only Swingbench decrypts this <Password>: give -p, or remove the element \
                           to use PGPASSWORD or the password file";
            return Err((*line, message.to_owned()));
        }
        None => {}
    }
    Ok(())
}

fn users(settings: &Configuration, given: &mut Given) -> Result<(), Mistake> {
    let has_users = ["--users", "--layout", "--layouts"].iter().any(|option| given.has(option));
    if given.users.is_none() && !has_users {
        given.users = settings.users;
    }
    match (settings.pool, given.users) {
        (Some((most, line)), Some(users)) if most < users => {
            let message = format!(
                "<PooledMaxLimit>{most}</PooledMaxLimit>: each of the {users} users has a connection \
                 of its own here; remove the element, or give -uc {most}"
            );
            Err((line, message))
        }
        _ => Ok(()),
    }
}

fn times(settings: &Configuration, given: &mut Given) {
    let paced = ["--think", "--pacing"].iter().any(|option| given.has(option));
    let ramps = ["--ramp-up", "--steps"].iter().any(|option| given.has(option));
    let is_timed = given.has("--duration");
    let times = &mut given.times;
    fill(&mut times.inside, settings.think_inside);
    if !paced {
        fill(&mut times.between, settings.think);
    }
    if !ramps && !settings.waits_for_logon && times.logon.is_none() {
        times.logon = settings.logon_delay;
        times.group = settings.logon_group;
    }
    if !is_timed {
        times.run = times.run.or(settings.run);
        let fits = |begin: &u64| times.run.is_none_or(|run| *begin < run);
        times.begin = times.begin.or(settings.begin.filter(fits));
        times.end = times.end.or(settings.end);
    }
}

/// Fills the missing ends of a range; an end of the command line limits the file's.
fn fill(given: &mut [Option<u64>; 2], file: [Option<u64>; 2]) {
    match given {
        [None, None] => *given = file,
        [Some(from), to @ None] => *to = file[1].map(|most| most.max(*from)),
        [from @ None, Some(to)] => *from = file[0].map(|least| least.min(*to)),
        [Some(_), Some(_)] => {}
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    const FILE: &str = "\
<SwingBenchConfiguration>
 <Connection>
  <UserName>soe</UserName><Password>pw</Password>
  <ConnectString>//db:1521/pdb1</ConnectString>
 </Connection>
 <Load>
  <NumberOfUsers>16</NumberOfUsers>
  <MinDelay>0</MinDelay><MaxDelay>5</MaxDelay>
  <InterMinDelay>20</InterMinDelay><InterMaxDelay>40</InterMaxDelay>
  <QueryTimeout>120</QueryTimeout>
  <MaxTransactions>-1</MaxTransactions>
  <RunTime>0:5</RunTime>
  <LogonGroupCount>4</LogonGroupCount><LogonDelay>20</LogonDelay>
  <TransactionList>
   <Transaction><ShortName>NCR</ShortName><ClassName>a.orderentryjdbc.A</ClassName><Weight>15</Weight></Transaction>
   <Transaction><ShortName>SQ</ShortName><ClassName>a.orderentryjdbc.B</ClassName><Weight>2</Weight>
    <Enabled>false</Enabled></Transaction>
  </TransactionList>
 </Load>
</SwingBenchConfiguration>";

    /// The line that a file and further options become, without `duet bench run`.
    fn translated(name: &str, file: &str, more: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name).to_str().unwrap().to_owned();
        fs::write(&path, file).unwrap();
        let line = format!("charbench -nr -c {path} {more}");
        let ours = super::super::translate(line.split_whitespace().map(OsString::from).collect());
        let shown = |text: String| text.replace(&path, name);
        let ours = ours.map_err(shown)?;
        let words = ours.iter().skip(3).map(|word| word.to_string_lossy().into_owned());
        Ok(words.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_file_says_what_the_command_line_leaves_out() {
        let of = |more: &str| translated("SOE_Client_Side.xml", FILE, more).unwrap();
        let target = "--target host=db port=1521 dbname=pdb1 user=soe password=pw";
        let times = "--warmup 0s --duration 300s --cooldown 0s";
        assert_eq!(
            of(""),
            format!(
                "soe-client --mix NCR=15 --timeout 120s {target} --users 16 --think-inside 0ms..5ms \
                 --think 20ms..40ms --ramp-up 60ms {times}"
            )
        );
        let more = "-cs sqlite:a.db -uc 2 -rt 0:0.10 -max 1 -intermax 10 -ld 0 -en SQ --timeout 5s";
        let expected = "soe-client --enable SQ --timeout 5s --mix NCR=15,SQ=2 --target sqlite:a.db \
                        --users 2 --think-inside 0ms..1ms --think 10ms..10ms --warmup 0s \
                        --duration 10s --cooldown 0s";
        assert_eq!(of(more), expected);
        let more = "--target postgres:///d --users 3 --pacing 1s --preset v25-client --duration 4s \
                    --ramp-up 1s -mt 7";
        let expected = "soe-client --target postgres:///d --users 3 --pacing 1s --preset v25-client \
                        --duration 4s --ramp-up 1s --transactions 7 --timeout 120s \
                        --think-inside 0ms..5ms";
        assert_eq!(of(more), expected);
        let waits =
            FILE.replace("<LogonDelay>", "<WaitTillAllLogon>true</WaitTillAllLogon><LogonDelay>");
        let text = translated("SOE_Client_Side.xml", &waits, "").unwrap();
        assert!(!text.contains("--ramp-up"), "{text}");
    }

    /// Of a copy, the classes of transactions say what it is.
    #[test]
    fn copies_are_known_by_their_classes() {
        assert!(translated("mine.xml", FILE, "").unwrap().starts_with("soe-client --mix"));
        let server = FILE.replace("orderentryjdbc", "orderentryplsql");
        assert!(translated("mine.xml", &server, "").unwrap().starts_with("soe-server --mix"));
        let mixed = FILE.replacen("orderentryjdbc", "orderentryplsql", 1);
        assert!(translated("mine.xml", &mixed, "").unwrap_err().contains("no workload here"));
        // A generic runner of statements is its only type.
        let one = FILE.replace("NCR", "Statements");
        let text = translated("TPCDS_Like_Workload.xml", &one, "").unwrap();
        assert!(text.starts_with("retail --timeout 120s"), "{text}");
    }

    #[test]
    fn what_a_file_cannot_say_is_refused_with_its_line() {
        for (old, new, said) in [
            ("NCR", "NEW", "SOE_Client_Side.xml:15: soe-client has no transaction \"NEW\""),
            ("<Weight>15<", "<Weight>0<", "SOE_Client_Side.xml:15: no transaction is enabled"),
            ("<RunTime>0:5<", "<RunTime>0:0<", "SOE_Client_Side.xml:12: the run has no end"),
            (">pw<", ">enc(pw)<", "SOE_Client_Side.xml:3: only Swingbench decrypts"),
            (
                " </Connection>",
                "<ConnectionPooling><PooledMaxLimit>8</PooledMaxLimit></ConnectionPooling></Connection>",
                "SOE_Client_Side.xml:5: <PooledMaxLimit>8</PooledMaxLimit>: each of the 16 users",
            ),
            (
                ">16<",
                ">x<",
                "SOE_Client_Side.xml:7: <NumberOfUsers>x</NumberOfUsers>: use a number",
            ),
            ("</Load>", "", "SOE_Client_Side.xml:20: This is not XML"),
        ] {
            let error = translated("SOE_Client_Side.xml", &FILE.replace(old, new), "").unwrap_err();
            assert!(error.starts_with(said), "{said}: {error}");
        }
        let without_end = FILE.replace("<RunTime>0:5<", "<RunTime>0:0<");
        for more in ["-mt 5", "-rt 0:1", "--iterations 4"] {
            translated("SOE_Client_Side.xml", &without_end, more).unwrap();
        }
    }

    #[test]
    fn configurations_are_known_by_their_names() {
        for (name, expected) in [
            ("configs/SOE_Client_Side.xml", "soe-client"),
            ("SOE_Client_Side.AC.xml", "soe-client"),
            ("..\\configs\\SOE_Server_Side_V2.xml", "soe-server"),
            ("/opt/swingbench/configs/TPCDS_Like_Workload.xml", "retail"),
            ("soe_client_side", "soe-client"),
        ] {
            assert_eq!(Known::find(name).map(|known| known.workload), Ok(expected));
        }
        let said = Known::find("configs/Sales_History.xml").err().unwrap();
        assert!(said.starts_with("-c configs/Sales_History.xml: no workload"), "{said}");
    }
}
