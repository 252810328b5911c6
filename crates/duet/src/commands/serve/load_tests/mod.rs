//! Load tests that the console starts: a child process of the same program for each, `duet bench run`, and its folder of
//! results. So a test measures as one from the command line does, and its memory and its end are not the server's.
//!
//! One goes on at a time, also where several instances serve: a file in the folder is locked meanwhile, and says which.

mod child;
mod history;

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use duet_bench::facts;
use duet_bench::result_files::add_note;
use duet_http::load_tests::{Limits, LoadTests, Order, Problem, Report, Run};
use duet_report::html::{html, live, policy};
use duet_store::PlainTarget;
use duet_verdict::judge::Rules;
use duet_verdict::result::Note;
use duet_verdict::threshold::Rule;

use self::child::Child;
use crate::database_url::DatabaseUrl;
use crate::settings::Settings;

/// The most runs that the list has.
const LISTED: usize = 50;

/// The console's load tests.
pub(super) struct RunsOfConsole {
    folder: PathBuf,
    limits: Limits,
    targets: Vec<String>,
    /// The database of this server, which runs that load it observe; it may hold a password.
    database: Option<String>,
    /// Held while a run is started, and while it is asked which one goes on.
    turn: Mutex<Vec<u32>>,
}

impl std::fmt::Debug for RunsOfConsole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The database may have a password.
        f.debug_struct("RunsOfConsole").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl RunsOfConsole {
    /// As the settings have them; none where they are switched off.
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        let limits = Limits {
            users: u32::try_from(settings.load_test_users.value.get()).unwrap_or(u32::MAX),
            seconds: settings.load_test_duration.value.as_secs().max(1),
        };
        let targets = settings.load_test_targets.value.iter();
        let targets = targets.map(|target| target.trim_end_matches('/').to_owned()).collect();
        let folder = settings.load_tests.value.clone()?;
        Some(Self { folder, limits, targets, database: None, turn: Mutex::default() })
    }

    /// The same for a server that has this database alone.
    #[must_use]
    pub(super) fn over(mut self, database: Option<&DatabaseUrl>) -> Self {
        let plain = database.and_then(|database| database.plain().ok());
        self.database = plain.map(|plain| match plain {
            PlainTarget::Libpq(text) => text,
            PlainTarget::File(path) => format!("sqlite:{}", path.display()),
        });
        self
    }

    fn turn(&self) -> MutexGuard<'_, Vec<u32>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run that goes on, here or in another process.
    fn going_on(&self) -> Option<Child> {
        let _turn = self.turn();
        child::going_on(&self.folder)
    }

    /// The folder of a run.
    fn place(&self, id: &str) -> Result<PathBuf, Problem> {
        let place = self.folder.join(id);
        match history::is_name(id) && place.is_dir() {
            true => Ok(place),
            false => {
                Err(problem("There is no such run", format!("{} has none.", self.folder.display())))
            }
        }
    }

    /// A name that no run has.
    fn unused(&self, url: &str) -> String {
        let resource = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let plain = |it: char| if it.is_ascii_alphanumeric() || it == '_' { it } else { '-' };
        let resource: String = resource.chars().take(40).map(plain).collect();
        let time = facts::now().replace([':', '-'], "").replace('T', "-").replace('Z', "");
        let name = format!("{}-{time}", resource.trim_start_matches('-'));
        let name = name.trim_start_matches('-').to_owned();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !self.folder.join(name).exists()).unwrap_or(name)
    }
}

impl LoadTests for RunsOfConsole {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn targets(&self) -> Vec<String> {
        self.targets.clone()
    }

    fn runs(&self) -> Result<Vec<Run>, Problem> {
        let running = self.going_on().map(|child| child.run);
        Ok(history::list(&self.folder, running.as_deref(), LISTED))
    }

    fn run(&self, id: &str) -> Result<Run, Problem> {
        let place = self.place(id)?;
        let running = self.going_on().map(|child| child.run);
        history::run(&place, running.as_deref() == Some(id))
            .ok_or_else(|| problem("There is no such run", "Its folder holds none.".into()))
    }

    fn start(&self, order: &Order) -> Result<String, Problem> {
        for threshold in &order.thresholds {
            threshold.parse::<Rule>().map_err(|message| problem(NOT_STARTED, message))?;
        }
        let mut turn = self.turn();
        let lock = child::lock(&self.folder)?;
        let id = self.unused(&order.url);
        let place = self.folder.join(&id);
        fs::create_dir(&place).map_err(|error| child::unwritable(&place, &error))?;
        let is_other = self.targets.iter().any(|target| order.url.starts_with(target));
        let database = self.database.as_deref().filter(|_| !is_other);
        let process = child::start(&id, &place, order, database, lock)?;
        turn.clear();
        turn.push(process);
        tracing::info!(run = %id, target = %order.url, users = order.users, seconds = order.seconds, "a load test was started in the console");
        Ok(id)
    }

    fn stop(&self, id: &str) -> Result<(), Problem> {
        match self.going_on().filter(|child| child.run == id) {
            Some(child) => {
                child::interrupt(child.process);
                tracing::info!(run = %id, "a load test was stopped in the console");
                Ok(())
            }
            None => Err(problem("It was not stopped", "The run has ended already.".into())),
        }
    }

    fn note(&self, id: &str, at_s: Option<u64>, text: &str) -> Result<(), Problem> {
        let place = self.place(id)?;
        let at_s = at_s.unwrap_or_else(|| history::seconds(&place));
        // One line, which is cut where it would be no remark any more.
        let text =
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        add_note(&place, &Note { at_s, text }).map_err(|error| child::unwritable(&place, &error))
    }

    fn report(&self, id: &str, events: &str) -> Result<Report, Problem> {
        let place = self.place(id)?;
        let result = history::read(&place)?;
        let is_live = result.window.ended_by.is_empty();
        let html = match is_live {
            true => live(&result, events),
            false => html(&[result], &Rules::default()).map_err(unreadable)?,
        };
        Ok(Report { html, policy: policy(is_live), is_live })
    }

    fn comparison(&self, base: &str, id: &str) -> Result<Report, Problem> {
        let results = [history::read(&self.place(base)?)?, history::read(&self.place(id)?)?];
        if results.iter().any(|result| result.window.ended_by.is_empty()) {
            return Err(problem("There is no comparison", "Wait until the run has ended.".into()));
        }
        let html = html(&results, &Rules::default()).map_err(unreadable)?;
        Ok(Report { html, policy: policy(false), is_live: false })
    }
}

impl Drop for RunsOfConsole {
    /// A server that ends takes its run along: no person could stop that any more.
    fn drop(&mut self) {
        let own = std::mem::take(&mut *self.turn());
        if let Some(child) = child::going_on(&self.folder).filter(|it| own.contains(&it.process)) {
            child::interrupt(child.process);
        }
    }
}

/// The title of what prevents a start.
const NOT_STARTED: &str = "The run was not started";

fn problem(title: &str, detail: String) -> Problem {
    Problem { title: title.to_owned(), detail, ..Problem::default() }
}

/// What is wrong with a result.
fn unreadable(error: duet_model::Error) -> Problem {
    let code = Some(error.code.as_str().to_owned());
    Problem { title: "The run has no report".into(), detail: error.message, hint: error.hint, code }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(folder: &std::path::Path) -> RunsOfConsole {
        RunsOfConsole {
            folder: folder.join("runs"),
            limits: Limits { users: 4, seconds: 9 },
            targets: Vec::new(),
            database: None,
            turn: Mutex::default(),
        }
    }

    #[test]
    fn one_goes_on_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let tests = tests(folder.path());
        assert!(tests.runs().unwrap().is_empty() && tests.going_on().is_none());
        let lock = child::lock(&tests.folder).unwrap();
        child::tell(&lock, "team-1", 7).unwrap();
        let child = tests.going_on().unwrap();
        assert_eq!((&*child.run, child.process), ("team-1", 7));
        let refused = tests.start(&Order::default()).unwrap_err();
        assert!(refused.detail.contains("team-1"), "{refused:?}");
        drop(lock);
        assert!(tests.going_on().is_none());
    }

    #[test]
    fn only_folders_of_runs_are_addresses() {
        let folder = tempfile::tempdir().unwrap();
        let tests = tests(folder.path());
        fs::create_dir_all(tests.folder.join("team-1")).unwrap();
        fs::write(folder.path().join("result.json"), "{}").unwrap();
        for id in ["..", ".", "", "../runs", "a/b", ".running", "other"] {
            assert!(tests.place(id).is_err(), "{id}");
        }
        assert!(tests.place("team-1").is_ok());
        assert!(tests.unused("http://h:1/a/team%20x/").starts_with("team-20x-"));
        let wrong = Order { thresholds: vec!["p99".into()], ..Order::default() };
        assert!(tests.start(&wrong).is_err());
    }
}
