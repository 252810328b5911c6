//! The flags of the settings, generated from the table of settings.

use std::sync::OnceLock;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::settings::{GivenSettings, GivenTexts, Origin, Setting, TABLE, docs};

/// The settings on the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SettingFlags {
    given: GivenSettings,
}

impl SettingFlags {
    /// The given values, by the setting's name.
    pub(crate) fn given(&self) -> &GivenSettings {
        &self.given
    }
}

/// Common settings; the others are shown by `--help-all` and not by `--help`.
const COMMON: &[&str] =
    &["listen", "workers", "db_connections", "state", "open", "ready_file", "access_log", "wal"];

/// What `--help` and `--help-all` say of a setting.
struct Texts {
    short: String,
    long: String,
}

impl Texts {
    fn of(setting: &Setting) -> Self {
        let has_default = !setting.default.is_empty() && !setting.is_switch();
        let default =
            if has_default { format!("[default: {}]", setting.default) } else { String::new() };
        let doc = docs::one_line(setting.doc);
        let short = format!("{} {default}", summary(&doc)).trim_end().to_owned();
        let variable = format!("{default} [env: {}]", setting.variable());
        Self { short, long: format!("{doc}\n\n{}", variable.trim_start()) }
    }

    /// Those of all settings, made once: several commands have the flags, and every start of the program makes all commands.
    fn of_all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Texts>> = OnceLock::new();
        ALL.get_or_init(|| TABLE.iter().map(Self::of).collect())
    }
}

fn argument(setting: &'static Setting, texts: &'static Texts) -> Arg {
    let argument = Arg::new(setting.name)
        .long(setting.flag())
        .value_name(setting.placeholder)
        .help(texts.short.as_str())
        .long_help(texts.long.as_str())
        .help_heading(setting.group.heading())
        .hide_short_help(!COMMON.contains(&setting.name))
        .action(if setting.several { ArgAction::Append } else { ArgAction::Set });
    let argument = match setting.words {
        [] => argument,
        words => argument
            .value_parser(PossibleValuesParser::new(words))
            .hide_possible_values(setting.is_switch()),
    };
    if setting.is_switch() {
        return argument.num_args(0..=1).require_equals(true).default_missing_value("true");
    }
    argument
}

/// The first clause of a text, without its full stop, in the style of help texts.
fn summary(doc: &str) -> &str {
    let sentence = doc.split(". ").next().unwrap_or(doc).trim_end_matches('.');
    sentence.split("; ").next().unwrap_or(sentence)
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let settings = TABLE.iter().zip(Texts::of_all());
        settings.fold(command, |command, (setting, texts)| command.arg(argument(setting, texts)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in TABLE {
            let Some(texts) = matches.get_many::<String>(setting.name) else { continue };
            let texts: Vec<String> = texts.cloned().collect();
            let flag = format!("--{}", setting.flag());
            (setting.check)(&texts).map_err(|why| {
                let shown = texts.join(", ");
                let message = format!("{flag} cannot be {shown:?}: {why}.\n");
                clap::Error::raw(ErrorKind::ValueValidation, message)
            })?;
            self.given
                .insert(setting.name, GivenTexts { value: texts, origin: Origin::Flag(flag) });
        }
        Ok(())
    }
}
