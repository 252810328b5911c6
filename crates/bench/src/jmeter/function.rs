//! The functions of JMeter that plans may call, by name.

use super::Problem;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// A property, with a default.
    Property,
    /// The same; the default is the third argument.
    LongProperty,
    Random,
    RandomString,
    Uuid,
    Time,
    ThreadNumber,
    Counter,
    CsvRead,
    FileToString,
    Eval,
    Variable,
    /// The folder of the plan, which plans ask BeanShell or Groovy for.
    BaseFolder,
}

impl Function {
    /// The function of a name.
    ///
    /// # Errors
    /// Where there is none.
    pub(super) fn named(name: &str, arguments: &str, line: usize) -> Result<Self, Problem> {
        Ok(match name {
            "__P" => Self::Property,
            "__property" => Self::LongProperty,
            "__Random" => Self::Random,
            "__RandomString" => Self::RandomString,
            "__UUID" => Self::Uuid,
            "__time" => Self::Time,
            "__threadNum" => Self::ThreadNumber,
            "__counter" => Self::Counter,
            "__CSVRead" => Self::CsvRead,
            "__FileToString" => Self::FileToString,
            "__eval" => Self::Eval,
            "__V" => Self::Variable,
            "__BeanShell" | "__groovy" if is_base_folder(arguments) => Self::BaseFolder,
            "__BeanShell" | "__groovy" => {
                let message = format!(
                    "The function {name} runs a script; only one that gives FileServer's getBaseDir() is taken."
                );
                return Err(Problem::new(line, message));
            }
            _ => return Err(Problem::new(line, format!("The function {name} is not taken."))),
        })
    }
}

/// Whether a script gives the folder of the plan and nothing else.
fn is_base_folder(script: &str) -> bool {
    let words: String = script.split_whitespace().collect();
    let words = words.replace("importorg.apache.jmeter.services.FileServer;", "");
    let words = words.trim_start_matches("org.apache.jmeter.services.").trim_end_matches(';');
    words == "FileServer.getFileServer().getBaseDir()"
}
