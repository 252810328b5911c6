//! What a command ends with: its errors, the code of each kind, and the exit statuses.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use duet_model::{Code, Error};

/// Why a command ended without success.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// An error of the command itself.
    Own(Box<Explanation>),
    /// An error of a stage below, with the code that it has there.
    Stage(Box<Error>),
    /// A complete text, such as the mistakes that `check` found, with the status for scripts.
    Ended(ExitStatus, String),
    /// The reader of the output closed the pipe, which counts as success.
    BrokenPipe,
}

/// An error of a command, for the person who typed it.
#[derive(Debug)]
pub(crate) struct Explanation {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    cause: Option<String>,
}

/// What an error of a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    /// An option or an argument, or several that do not go together.
    Usage,
    /// A file or a folder that cannot be read or written, or has not what it should have.
    File,
    /// What was asked for does not go with a setting, the application, or what is there already.
    Refusal,
    /// What a server or a database said.
    Server,
    /// The machine: a process, a network, the output.
    Machine,
    /// The result of a measurement.
    ResultFile,
}

impl ErrorKind {
    /// The permanent code.
    fn code(self) -> Code {
        match self {
            Self::Usage => Code::CommandLine,
            Self::File | Self::Refusal | Self::Server | Self::Machine => Code::Setting,
            Self::ResultFile => Code::ResultFile,
        }
    }
}

/// How a command ends, for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// All is well.
    Done,
    /// It could not be done.
    Failed,
    /// The command line or a file that it names is wrong; of comparisons, something is slower.
    Usage,
    /// A limit was missed, a result says nothing, or a dry run found work.
    Unmet,
    /// Counts or data disagree.
    Disagreement,
    /// SIGHUP stopped a run.
    HungUp,
    /// Ctrl-C stopped a run.
    Interrupted,
    /// SIGTERM stopped a run.
    Terminated,
}

impl ExitStatus {
    /// The number that a shell sees; that of a signal is as shells have it.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unmet => 3,
            Self::Disagreement => 4,
            Self::HungUp => 129,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }

    /// The status of an error with a code.
    fn of(code: Code) -> Self {
        if code == Code::CommandLine { Self::Usage } else { Self::Failed }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.number())
    }
}

impl CommandError {
    fn own(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::Own(Box::new(Explanation { kind, message: message.into(), hint: None, cause: None }))
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::own(ErrorKind::Usage, message)
    }

    /// A file or a folder is not as it should be.
    pub(crate) fn file(message: impl Into<String>) -> Self {
        Self::own(ErrorKind::File, message)
    }

    /// A file or a folder that cannot be read.
    pub(crate) fn unreadable(path: &Path, why: impl Display) -> Self {
        Self::file(format!("{} cannot be read: {why}.", path.display()))
    }

    /// A file or a folder that cannot be written.
    pub(crate) fn unwritable(path: &Path, why: impl Display) -> Self {
        Self::file(format!("{} cannot be written: {why}.", path.display()))
    }

    /// What was asked for does not go with what there is.
    pub(crate) fn refusal(message: impl Into<String>) -> Self {
        Self::own(ErrorKind::Refusal, message)
    }

    /// What a server or a database said.
    pub(crate) fn server(message: impl Into<String>) -> Self {
        Self::own(ErrorKind::Server, message)
    }

    /// The machine does not do what the command needs.
    pub(crate) fn machine(message: impl Into<String>) -> Self {
        Self::own(ErrorKind::Machine, message)
    }

    /// The result of a measurement cannot be used.
    pub(crate) fn result_file(message: impl Into<String>) -> Self {
        Self::own(ErrorKind::ResultFile, message)
    }

    /// A complete text, after which the command has failed.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Ended(ExitStatus::Failed, text.into())
    }

    /// Adds a hint, where there is an explanation.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        match &mut self {
            Self::Own(error) => error.hint = Some(hint.into()),
            Self::Stage(error) => error.hint = Some(hint.into()),
            Self::Ended(..) | Self::BrokenPipe => {}
        }
        self
    }

    /// Adds the cause, where there is an explanation.
    #[must_use]
    pub(crate) fn cause(mut self, cause: impl Display) -> Self {
        match &mut self {
            Self::Own(error) => error.cause = Some(cause.to_string()),
            Self::Stage(error) => error.cause = Some(cause.to_string().into()),
            Self::Ended(..) | Self::BrokenPipe => {}
        }
        self
    }

    /// What is wrong, or the complete text.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Own(error) => &error.message,
            Self::Stage(error) => &error.message,
            Self::Ended(_, text) => text,
            Self::BrokenPipe => "",
        }
    }

    /// The hint: what to do.
    pub(crate) fn advice(&self) -> Option<&str> {
        match self {
            Self::Own(error) => error.hint.as_deref(),
            Self::Stage(error) => error.hint.as_deref(),
            Self::Ended(..) | Self::BrokenPipe => None,
        }
    }

    /// How the program ends.
    pub(crate) fn status(&self) -> ExitStatus {
        match self {
            Self::Own(error) => ExitStatus::of(error.kind.code()),
            Self::Stage(error) => ExitStatus::of(error.code),
            Self::Ended(status, _) => *status,
            Self::BrokenPipe => ExitStatus::Done,
        }
    }

    /// The error with its code; a complete text has none, and is given back.
    pub(crate) fn coded(self) -> Result<Error, Self> {
        match self {
            Self::Own(error) => Ok((*error).into()),
            Self::Stage(error) => Ok(*error),
            complete => Err(complete),
        }
    }
}

impl From<Explanation> for Error {
    fn from(explanation: Explanation) -> Self {
        let Explanation { kind, message, hint, cause } = explanation;
        let mut error = Self::new(kind.code(), message).maybe_hint(hint);
        error.cause = cause.map(Into::into);
        error
    }
}

/// For what a command hands to a stage below, such as the folders and servers of a workload.
impl From<CommandError> for Error {
    fn from(error: CommandError) -> Self {
        error.coded().unwrap_or_else(|complete| Self::internal(complete.message()))
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        Self::Stage(Box::new(error))
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::machine(format!("The output cannot be written: {error}.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// In the order of the manual.
    const STATUSES: [ExitStatus; 8] = [
        ExitStatus::Done,
        ExitStatus::Failed,
        ExitStatus::Usage,
        ExitStatus::Unmet,
        ExitStatus::Disagreement,
        ExitStatus::Interrupted,
        ExitStatus::Terminated,
        ExitStatus::HungUp,
    ];

    fn page(name: &str) -> String {
        fs::read_to_string(format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn kinds_keep_their_codes_and_statuses() {
        let ends = |error: CommandError| {
            let status = error.status().number();
            (error.coded().unwrap().code.as_str(), status)
        };
        assert_eq!(ends(CommandError::usage("It.")), ("DUET-5014", 2));
        assert_eq!(ends(CommandError::file("It.")), ("DUET-5001", 1));
        assert_eq!(ends(CommandError::refusal("It.")), ("DUET-5001", 1));
        assert_eq!(ends(CommandError::server("It.")), ("DUET-5001", 1));
        assert_eq!(ends(CommandError::machine("It.")), ("DUET-5001", 1));
        assert_eq!(ends(CommandError::result_file("It.")), ("DUET-8001", 1));
        assert_eq!(ends(Error::new(Code::DatabaseUnavailable, "It.").into()), ("DUET-6001", 1));
    }

    #[test]
    fn hints_and_causes_are_kept() {
        let error = CommandError::unreadable(Path::new("a.toml"), "it is a folder");
        let error = error.hint("Name a file.").cause("EISDIR").coded().unwrap();
        assert_eq!(error.message, "a.toml cannot be read: it is a folder.");
        assert_eq!(error.hint.as_deref(), Some("Name a file."));
        assert_eq!(error.cause.as_deref(), Some("EISDIR"));
    }

    #[test]
    fn a_complete_text_stays_as_it_is() {
        let complete = CommandError::failed("error: no\n").hint("None.").coded().unwrap_err();
        assert_eq!((complete.message(), complete.status()), ("error: no\n", ExitStatus::Failed));
    }

    #[test]
    fn the_manual_lists_the_statuses() {
        let [done, failed, usage] = [STATUSES[0], STATUSES[1], STATUSES[2]].map(ExitStatus::number);
        let all = format!("Exit codes: {done} done, {failed} failed, {usage} wrong command line.");
        assert!(page("operations.md").contains(&all), "{all}");
        let page = page("bench-limits.md");
        let (_, table) = page.split_once("| exit code | meaning |\n").unwrap();
        let rows = table.lines().take_while(|line| line.starts_with('|')).skip(1);
        let codes = rows.filter_map(|row| row.split('|').nth(1));
        let listed: Vec<&str> = codes.flat_map(|code| code.split(',')).map(str::trim).collect();
        assert_eq!(listed, STATUSES.map(|status| status.number().to_string()));
    }
}
