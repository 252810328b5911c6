//! Readers that go on asking while a test does something to the server or its database.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use duet_testkit::http::{Client, Response};

use super::App;

/// What a reader makes of an answer: `Err` says why it is wrong.
type Check = dyn Fn(&str, &Response) -> Result<(), String> + Send + Sync;

/// Some readers on connections of their own.
pub(crate) struct Load {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    url: String,
    bearer: String,
    paths: Vec<String>,
    check: Box<Check>,
    stop: AtomicBool,
    answers: AtomicU64,
    good: AtomicU64,
    wrong: Mutex<Vec<String>>,
}

impl Load {
    /// Starts readers that ask for these paths in turn, each beginning at another one.
    pub(crate) fn start(
        app: &App,
        readers: usize,
        paths: &[&str],
        check: impl Fn(&str, &Response) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            url: app.url().to_owned(),
            bearer: app.bearer(),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            check: Box::new(check),
            stop: AtomicBool::new(false),
            answers: AtomicU64::new(0),
            good: AtomicU64::new(0),
            wrong: Mutex::default(),
        });
        let reader = |number: usize| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.read(number))
        };
        let threads = (0..readers).map(reader).collect();
        Self { shared, threads }
    }

    /// How many answers with status 200 have come so far.
    pub(crate) fn good(&self) -> u64 {
        self.shared.good.load(Ordering::SeqCst)
    }

    /// Waits until so many more answers with status 200 have come.
    #[track_caller]
    pub(crate) fn more(&self, count: u64) {
        let until = self.good() + count;
        super::eventually("readers get answers", || self.good() >= until || self.has_failed());
    }

    fn has_failed(&self) -> bool {
        !self.shared.wrong.lock().unwrap().is_empty()
    }

    /// Stops; fails where any answer was wrong.
    #[track_caller]
    pub(crate) fn stop(self) -> u64 {
        self.shared.stop.store(true, Ordering::SeqCst);
        for thread in self.threads {
            thread.join().unwrap();
        }
        let wrong = self.shared.wrong.lock().unwrap();
        assert!(wrong.is_empty(), "{} wrong answers, such as {}", wrong.len(), wrong[0]);
        self.shared.answers.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn read(&self, first: usize) {
        let mut client = Client::connect(&self.url);
        let paths = self.paths.iter().cycle().skip(first % self.paths.len());
        for path in paths {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let headers = [("Authorization", self.bearer.as_str())];
            let checked = match client.try_request("GET", path, &headers, b"") {
                Ok(response) => {
                    self.answers.fetch_add(1, Ordering::SeqCst);
                    self.good.fetch_add(u64::from(response.status == 200), Ordering::SeqCst);
                    (self.check)(path, &response)
                        .map_err(|why| format!("{why}: {path} {response:?}"))
                }
                Err(error) => Err(format!("{path}: {error}")),
            };
            if let Err(why) = checked {
                self.wrong.lock().unwrap().push(why);
                return;
            }
        }
    }
}
