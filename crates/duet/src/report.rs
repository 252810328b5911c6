//! The final output of a command: nothing, or one line with the error and a hint.

use std::io::{self, Write as _};
use std::process::ExitCode;

use duet_model::{Error, Place};
use duet_text::printable::{printable, printable_lines};

use crate::command_error::{CommandError, ExitStatus};

/// The result of commands.
pub(crate) type Outcome<T = ()> = Result<T, CommandError>;

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

/// Prints the outcome and returns the exit status.
pub(crate) fn finish(outcome: Outcome) -> ExitCode {
    let Err(error) = outcome else { return ExitStatus::Done.into() };
    let status = error.status();
    let text = match error.coded() {
        Ok(error) => render(&error),
        Err(complete) => printable_lines(complete.message()).into_owned(),
    };
    let _ = io::stderr().lock().write_all(text.as_bytes());
    status.into()
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

/// An error for the operator, and the others of the same input: the message, the cause, which clients do not see, and the
/// hint of each.
pub(crate) fn render(error: &Error) -> String {
    // The message of a consequence, and of mistakes in files, has them all.
    let has_all = error.message.starts_with("error[")
        || !error.mistakes().next().is_some_and(|first| std::ptr::eq(first, error));
    match has_all {
        true => render_one(error),
        false => error.mistakes().map(render_one).collect(),
    }
}

fn render_one(error: &Error) -> String {
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
    use duet_model::Code;

    use super::*;

    #[test]
    fn errors_for_operators() {
        let error =
            Error::new(Code::Setting, "It is wrong.").cause("line 1\nline 2").hint("Right it.");
        let expected =
            "error: It is wrong. (DUET-5001)\ncause: line 1\n       line 2\nhint: Right it.\n";
        assert_eq!(render(&error), expected);
        let second = Error::new(Code::Setting, "So is that.");
        let both = Error::all_of(vec![error, second.clone()]).unwrap();
        assert_eq!(render(&both), format!("{expected}error: So is that. (DUET-5001)\n"));
        let consequence = Error::new(Code::Setting, "It cannot start.").because_of(vec![second]);
        assert_eq!(render(&consequence), "error: It cannot start. (DUET-5001)\n");
    }

    #[test]
    fn programs_end_with_the_status_of_the_error() {
        let ends = |error: CommandError| format!("{:?}", finish(Err(error)));
        assert_eq!(ends(CommandError::usage("It is wrong.")), format!("{:?}", ExitCode::from(2)));
        assert_eq!(ends(CommandError::file("It is gone.")), format!("{:?}", ExitCode::FAILURE));
        let below = Error::new(Code::CommandLine, "It is wrong.");
        assert_eq!(ends(below.into()), format!("{:?}", ExitCode::from(2)));
        let unmet = CommandError::Ended(ExitStatus::Unmet, String::new());
        assert_eq!(ends(unmet), format!("{:?}", ExitCode::from(3)));
    }

    #[test]
    fn a_broken_pipe_is_success() {
        let error = CommandError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(format!("{:?}", finish(Err(error))), format!("{:?}", ExitCode::SUCCESS));
    }
}
