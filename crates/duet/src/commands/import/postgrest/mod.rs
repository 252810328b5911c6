//! `duet import postgrest`: says what becomes of each line of PostgREST's configuration, and prints the command and the
//! app.toml that are left. Secrets and the database's address are not repeated.

mod conf;
mod keys;
#[cfg(test)]
mod manual;
mod plan;

use std::path::Path;

use duet_text::name;

use self::conf::ConfLine;
use self::keys::{Fate, KEYS, KeyRow};
use self::plan::{KeyOutcome, Plan};

use crate::command_error::CommandError;
use crate::report::Outcome;

/// The report of a file, and how many of its lines are not taken.
#[derive(Debug)]
pub(super) struct ConfReport {
    pub(super) text: String,
    pub(super) not_taken: usize,
}

/// Reads a file.
///
/// # Errors
/// Where it cannot be read.
pub(super) fn report(path: &Path) -> Outcome<ConfReport> {
    let text =
        std::fs::read_to_string(path).map_err(|error| CommandError::unreadable(path, error))?;
    Ok(of_text(&text, &path.display().to_string()))
}

fn of_text(text: &str, path: &str) -> ConfReport {
    let (lines, unread) = conf::read(text);
    let (mut plan, mut out) = (Plan::default(), String::new());
    let mut not_taken = unread.len();
    for line in &lines {
        let outcome = outcome(line, &mut plan);
        not_taken += usize::from(!outcome.is_taken);
        out.push_str(&format!("{path}:{}: {}\n", line.line, outcome.text));
    }
    for line in unread {
        out.push_str(&format!(
            "{path}:{line}: not read: a line is `key = \"text\"`, `key = 1` or `key = true`\n"
        ));
    }
    out.push_str(&format!("\napp.toml:\n{}\nThe command, in its folder:\n", plan.app_toml()));
    out.push_str(&plan.command());
    for note in &plan.notes {
        out.push_str(&format!("\n{note}"));
    }
    if !plan.notes.is_empty() {
        out.push('\n');
    }
    ConfReport { text: out, not_taken }
}

/// What becomes of a line.
struct LineReport {
    text: String,
    is_taken: bool,
}

fn outcome(ConfLine { key, value, .. }: &ConfLine, plan: &mut Plan) -> LineReport {
    let Some(row) = KeyRow::named(key) else {
        let near = name::nearest(key, KEYS.iter().map(|row| row.name));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let text = format!("{key} is no key of PostgREST{hint}");
        return LineReport { text, is_taken: false };
    };
    let name = row.name.strip_suffix('*').map_or(row.name, |_| key.as_str());
    let taken = (row.take)(value, plan);
    let is_taken = !matches!(taken, KeyOutcome::Refused);
    let word = match taken {
        KeyOutcome::Refused => "REFUSED",
        KeyOutcome::NotNeeded if matches!(row.fate, Fate::Setting | Fate::AppToml) => "not needed",
        KeyOutcome::Setting | KeyOutcome::AppToml | KeyOutcome::NotNeeded => row.fate.word(),
    };
    let text = match row.here {
        "" => format!("{name}: {word}"),
        here => format!("{name}: {word}, {here}"),
    };
    LineReport { text, is_taken }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONF: &str = r#"db-uri = "postgres://authenticator:secret@localhost/app"
db-schema = "api, other"
db-anon-role = "web_anon"
db-max-rows = 1000
db-pool = 20
db-pool-acquisition-timeout = 5
db-pool-max-lifetime = 100
db-pre-request = "public.check"
db-plan-enabled = true
db-aggregates-enabled = true
jwt-secret = "reallyreallyreallyreallyverysafe"
jwt-aud = "app"
jwt-role-claim-key = ".realm.roles[0]"
jwt-cache-max-entrys = 1
server-port = 3001
server-timing-enabled = true
app.settings.key = "x"
log-level info
"#;

    #[test]
    fn each_line_has_an_outcome() {
        let ConfReport { text: report, not_taken } = of_text(CONF, "a.conf");
        assert_eq!(not_taken, 5, "three are refused, one is unknown, one not read");
        let wanted = r#"a.conf:1: db-uri: setting, `DUET_DATABASE`
a.conf:2: db-schemas: app.toml, `schema`: one for each application
a.conf:3: db-anon-role: setting, `--anonymous-db-role` with `--open all`
a.conf:4: db-max-rows: setting, `--max-page-size`
a.conf:5: db-pool: setting, `--db-connections`
a.conf:6: db-pool-acquisition-timeout: setting, `--queue-timeout`
a.conf:7: db-pool-max-lifetime: not needed, connections are kept while they work
a.conf:8: db-pre-request: REFUSED, no function runs before each request
a.conf:9: db-plan-enabled: REFUSED, plans are shown by `duet explain` alone
a.conf:10: db-aggregates-enabled: app.toml, `aggregates`
a.conf:11: jwt-secret: setting, `--jwt-secret-file` or `--jwt-keys-file`, with `--jwt-issuer`
a.conf:12: jwt-aud: setting, `--jwt-audience`
a.conf:13: jwt-role-claim-key: setting, `--jwt-db-role`, with `--jwt-db-roles`
a.conf:14: jwt-cache-max-entrys is no key of PostgREST; did you mean jwt-cache-max-entries?
a.conf:15: server-port: setting, `--listen`
a.conf:16: server-timing-enabled: setting, `--server-timing`
a.conf:17: app.settings.key: REFUSED, `current_setting('app.settings.…')` is not set
a.conf:18: not read: a line is `key = "text"`, `key = 1` or `key = true`

app.toml:
name = "api"
mount = "/"
schema = "api"
compat = "postgrest"
aggregates = true

The command, in its folder:
DUET_DATABASE=URL duet serve . \
  --listen :3001 \
  --open all \
  --anonymous-db-role web_anon \
  --max-page-size 1000 \
  --db-connections 20 \
  --queue-timeout 5s \
  --jwt-issuer ISSUER \
  --jwt-algorithms HS256 \
  --jwt-secret-file jwt.secret \
  --jwt-audience app \
  --jwt-db-roles ROLE,ROLE \
  --jwt-db-role /realm/roles/0 \
  --server-timing true
"#;
        assert!(report.starts_with(wanted), "{report}");
        assert!(!report.contains("secret@") && !report.contains("reallyreally"), "{report}");
    }

    #[test]
    fn keys_are_listed_once() {
        for (at, row) in KEYS.iter().enumerate() {
            let names = |row: &KeyRow| [Some(row.name), row.alias];
            let others = KEYS[..at].iter().flat_map(names).flatten().collect::<Vec<_>>();
            assert!(!names(row).iter().flatten().any(|name| others.contains(name)), "{}", row.name);
        }
    }

    /// No key and no value breaks it.
    #[test]
    fn any_value_has_an_outcome() {
        for row in KEYS {
            for value in ["", "x", "1", "-1", "true", "@", "{", ".", ".a[", "é", "'", "a b"] {
                let text = format!("{} = \"{value}\"\n", row.name);
                assert!(of_text(&text, "a").text.contains("a:1: "), "{text}");
            }
        }
    }
}
