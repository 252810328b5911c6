//! What a configuration becomes: settings of a command, and lines of app.toml.

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyOutcome {
    /// It is in the command.
    Setting,
    /// It is in app.toml.
    AppToml,
    /// It means what Duet does anyway.
    NotNeeded,
    /// Nothing is like it.
    Refused,
}

/// The command and the file.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Flags with their values; the later one of a name counts.
    flags: Vec<(&'static str, String)>,
    schema: Option<String>,
    has_aggregates: bool,
    has_database: bool,
    host: Option<String>,
    port: Option<String>,
    /// What the operator has to do besides.
    pub(super) notes: Vec<String>,
}

/// The port of PostgREST.
const PORT: &str = "3000";

impl Plan {
    /// A flag with a value.
    pub(super) fn flag(&mut self, name: &'static str, value: &str) -> KeyOutcome {
        if value.is_empty() {
            return KeyOutcome::NotNeeded;
        }
        self.flags.retain(|(known, _)| *known != name);
        self.flags.push((name, value.to_owned()));
        KeyOutcome::Setting
    }

    /// A flag with a number and a unit.
    pub(super) fn number(&mut self, name: &'static str, value: &str, unit: &str) -> KeyOutcome {
        match value.parse::<u64>() {
            Ok(number) if number > 0 => self.flag(name, &format!("{number}{unit}")),
            _ => KeyOutcome::Refused,
        }
    }

    /// A flag that is on or off.
    pub(super) fn switch(&mut self, name: &'static str, value: &str) -> KeyOutcome {
        match value {
            "true" => self.flag(name, "true"),
            "false" => KeyOutcome::NotNeeded,
            _ => KeyOutcome::Refused,
        }
    }

    /// The database, whose address is not repeated: it may have a password.
    pub(super) fn database(&mut self) -> KeyOutcome {
        self.has_database = true;
        KeyOutcome::Setting
    }

    /// The schemas, of which an application serves one.
    pub(super) fn schemas(&mut self, value: &str) -> KeyOutcome {
        let mut all = value.split(',').map(str::trim).filter(|name| !name.is_empty());
        self.schema = all.next().map(str::to_owned);
        let others: Vec<&str> = all.collect();
        if !others.is_empty() {
            self.notes.push(format!(
                "Only the first schema is in app.toml; make an application for each other one: {}.",
                others.join(", ")
            ));
        }
        KeyOutcome::AppToml
    }

    /// Whether requests may name aggregates.
    pub(super) fn aggregates(&mut self, value: &str) -> KeyOutcome {
        self.has_aggregates = match value {
            "true" | "1" | "yes" | "on" => true,
            "false" | "0" | "no" | "off" => false,
            _ => return KeyOutcome::Refused,
        };
        if self.has_aggregates { KeyOutcome::AppToml } else { KeyOutcome::NotNeeded }
    }

    /// The secret of tokens, which is not repeated.
    pub(super) fn secret(&mut self, value: &str) -> KeyOutcome {
        self.notes.push(
            "Duet checks who has issued a token: --jwt-issuer is the `iss` of your tokens."
                .to_owned(),
        );
        self.flag("--jwt-issuer", "ISSUER");
        if let Some(path) = value.strip_prefix('@') {
            self.flag("--jwt-algorithms", "HS256");
            return self.flag("--jwt-secret-file", path);
        }
        if value.trim_start().starts_with('{') {
            self.notes
                .push("Write the keys of `jwt-secret` to keys.json, as a JWK Set.".to_owned());
            return self.flag("--jwt-keys-file", "keys.json");
        }
        self.notes.push(
            "Write the value of `jwt-secret` to the file jwt.secret, mode 0600; it needs 32 bytes."
                .to_owned(),
        );
        self.flag("--jwt-algorithms", "HS256");
        self.flag("--jwt-secret-file", "jwt.secret")
    }

    /// The place of the role in the claims: `.role`, `.realm.roles[0]`.
    pub(super) fn role_claim(&mut self, value: &str) -> KeyOutcome {
        let path = value.strip_prefix('$').unwrap_or(value);
        let plain = path.chars().all(|char| char.is_alphanumeric() || "._-[]\"".contains(char));
        if !path.starts_with('.') || !plain {
            return KeyOutcome::Refused;
        }
        let pointer = path.replace('[', ".").replace([']', '"'], "").replace('.', "/");
        self.notes.push("--jwt-db-roles lists the database roles that tokens may name.".to_owned());
        self.flag("--jwt-db-roles", "ROLE,ROLE");
        self.flag("--jwt-db-role", &pointer)
    }

    /// The address.
    pub(super) fn host(&mut self, value: &str) -> KeyOutcome {
        self.host = match value {
            "" | "!4" | "*" | "*4" | "!6" | "*6" | "0.0.0.0" | "::" => None,
            host => Some(host.to_owned()),
        };
        KeyOutcome::Setting
    }

    /// The port.
    pub(super) fn port(&mut self, value: &str) -> KeyOutcome {
        if value.parse::<u16>().is_err() {
            return KeyOutcome::Refused;
        }
        self.port = Some(value.to_owned());
        KeyOutcome::Setting
    }

    /// `app.toml`.
    pub(super) fn app_toml(&self) -> String {
        let schema = self.schema.as_deref().unwrap_or("public");
        let quoted = schema.replace('\\', "\\\\").replace('"', "\\\"");
        let aggregates = if self.has_aggregates { "aggregates = true\n" } else { "" };
        format!(
            "name = \"api\"\nmount = \"/\"\nschema = \"{quoted}\"\ncompat = \"postgrest\"\n{aggregates}"
        )
    }

    /// The command.
    pub(super) fn command(&self) -> String {
        let listens = self.flags.iter().any(|(name, _)| *name == "--listen");
        let host = self.host.as_deref().unwrap_or("");
        let port = self.port.as_deref().unwrap_or(PORT);
        let mut command = String::new();
        if self.has_database {
            command.push_str("DUET_DATABASE=URL ");
        }
        command.push_str("duet serve .");
        let listen = (!listens).then(|| ("--listen", format!("{host}:{port}")));
        for (name, value) in listen.iter().chain(&self.flags) {
            command.push_str(&format!(" \\\n  {name} {}", shell(value)));
        }
        command.push('\n');
        command
    }
}

/// A word of a shell.
fn shell(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "._-:/,@".contains(char);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
