//! The final output of a command: nothing, or one line with the error and a hint.

use std::io::{self, Write as _};
use std::process::ExitCode;

use duet_model::{Code, Error, Place};
use duet_text::printable::{printable, printable_lines};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error that is still to be printed.
    Error(Box<Error>),
    /// A complete text, such as the mistakes that `check` found.
    Message(String),
    /// The same, with its own exit code for scripts.
    Code(u8, String),
    /// The reader of the output closed the pipe, which counts as success.
    BrokenPipe,
}

/// The result of commands.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => {
                Error::new(Code::Setting, format!("The output cannot be written: {error}.")).into()
            }
        }
    }
}

/// A number with its noun: `1 table`, `2 tables`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    duet_verdict::text::counted(number as u64, noun)
}

/// Writes to standard output.
///
/// # Errors
/// If it is not writable.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a line to standard error; a closed one is ignored.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr().lock(), "warning: {}", printable_lines(text));
}

/// Writes a line to standard error that is no warning; a closed one is ignored.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable_lines(text));
}

/// Says that a command has a new name, and until when the old one is read.
pub(crate) fn renamed(old: &str, now: &str) {
    note(&format!("note: `{old}` is {now} now; the earlier name ends with the next version"));
}

/// The exit code of a wrong command line, or of a file that it names.
pub(crate) const USAGE: u8 = 2;

/// Prints the outcome and returns the exit code.
pub(crate) fn finish(outcome: Outcome) -> ExitCode {
    let (code, text) = match outcome {
        Ok(()) | Err(Failure::BrokenPipe) => return ExitCode::SUCCESS,
        Err(Failure::Error(error)) if error.code == Code::CommandLine => (USAGE, render(&error)),
        Err(Failure::Error(error)) => (1, render(&error)),
        Err(Failure::Message(text)) => (1, printable_lines(&text).into_owned()),
        Err(Failure::Code(code, text)) => (code, text),
    };
    let _ = io::stderr().lock().write_all(text.as_bytes());
    ExitCode::from(code)
}

/// The position of a mistake in a file, as a prefix of its text.
fn place(error: &Error) -> String {
    match &error.place {
        Some(Place::File { file, line, column }) => {
            format!("{}:{line}:{column}: ", printable(file))
        }
        _ => String::new(),
    }
}

/// An error for the operator: the message, the cause, which clients do not see, and the hint.
pub(crate) fn render(error: &Error) -> String {
    let message = printable_lines(&error.message);
    // Mistakes in files have separate lines, each with its code.
    let mut text = match message.starts_with("error[") {
        true => format!("{}\n", message.trim_end()),
        false => format!("error: {}{message} ({})\n", place(error), error.code.as_str()),
    };
    if let Some(cause) = &error.cause {
        let cause = printable_lines(cause.trim_end());
        text.push_str(&format!("cause: {}\n", cause.replace('\n', "\n       ")));
    }
    if let Some(hint) = &error.hint {
        text.push_str(&format!("hint: {}\n", printable(hint)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_for_operators() {
        let error =
            Error::new(Code::Setting, "It is wrong.").cause("line 1\nline 2").hint("Right it.");
        let expected =
            "error: It is wrong. (DUET-5001)\ncause: line 1\n       line 2\nhint: Right it.\n";
        assert_eq!(render(&error), expected);
    }

    #[test]
    fn a_wrong_command_line_has_its_exit_code() {
        let code = |failure: Failure| format!("{:?}", finish(Err(failure)));
        assert_eq!(
            code(Error::new(Code::CommandLine, "It is wrong.").into()),
            format!("{:?}", ExitCode::from(USAGE))
        );
        let other = Error::new(Code::Setting, "It is wrong.");
        assert_eq!(code(other.into()), format!("{:?}", ExitCode::FAILURE));
    }

    #[test]
    fn a_broken_pipe_is_success() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(format!("{:?}", finish(Err(failure))), format!("{:?}", ExitCode::SUCCESS));
    }
}
