//! Chromium without a window, for tests of pages: it opens one, moves, presses keys, takes pictures,
//! and collects errors, refusals of the page's policy and every address that was asked for.
//!
//! It is driven through its DevTools protocol over a pair of pipes (`--remote-debugging-pipe`): JSON
//! messages that end with a zero byte. That needs no port, no second program and no library.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The names of the program, by distribution.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Chromium expects its pipes at 3 and 4. The rest of the line are its arguments.
const START: &str = "exec 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null; exec \"$@\"";

/// A page of a browser.
#[derive(Clone, Debug)]
pub struct Tab(String);

/// A browser with one page, and others if they are opened.
pub struct Browser {
    child: Child,
    requests: ChildStdin,
    responses: BufReader<ChildStdout>,
    session: String,
    last: u64,
    /// What the page has done wrong so far, and the addresses that it asked for.
    events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// Starts it; `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start() -> Option<Self> {
        let program = installed()?;
        let profile = tempfile::tempdir().unwrap_or_else(|error| panic!("profile: {error}"));
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            .args(["--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("start Chromium: {error}"));
        let (Some(requests), Some(responses)) = (child.stdin.take(), child.stdout.take()) else {
            panic!("Chromium has no pipes");
        };
        let mut browser = Self {
            child,
            requests,
            responses: BufReader::new(responses),
            session: String::new(),
            last: 0,
            events: Vec::new(),
            _profile: profile,
        };
        browser.open_tab();
        Some(browser)
    }

    /// Opens another tab, which has the same cookies, and shows it.
    pub fn open_tab(&mut self) -> Tab {
        // The browser itself is asked, and not the tab.
        self.session.clear();
        let target = self.send("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.send("Target.attachToTarget", &attached);
        let tab = Tab(session["sessionId"].as_str().unwrap_or_default().to_owned());
        self.session.clone_from(&tab.0);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.send(&format!("{domain}.enable"), &json!({}));
        }
        tab
    }

    /// The tab that is shown.
    pub fn tab(&self) -> Tab {
        Tab(self.session.clone())
    }

    /// Shows a tab: what follows is about it.
    pub fn show(&mut self, tab: &Tab) {
        self.session.clone_from(&tab.0);
        self.send("Page.bringToFront", &json!({}));
    }

    /// Sends a command, and waits for its result.
    ///
    /// # Panics
    /// If it fails, or the browser has ended.
    pub fn send(&mut self, method: &str, parameters: &Value) -> Value {
        self.answered(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same, or why the browser refuses it.
    fn answered(&mut self, method: &str, parameters: &Value) -> Result<Value, Value> {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let sent = write!(self.requests, "{message}\0").and_then(|()| self.requests.flush());
        sent.unwrap_or_else(|error| panic!("{method}: {error}"));
        loop {
            let mut response = self.receive();
            if response["id"] == self.last {
                return match response["error"].take() {
                    Value::Null => Ok(response["result"].take()),
                    error => Err(error),
                };
            }
        }
    }

    /// The next message; events are kept.
    fn receive(&mut self) -> Value {
        let mut bytes = Vec::new();
        let read = self.responses.read_until(0, &mut bytes);
        read.unwrap_or_else(|error| panic!("Chromium: {error}"));
        assert_eq!(bytes.pop(), Some(0), "Chromium has ended");
        let message: Value =
            serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("Chromium: {error}"));
        if message["id"].is_null() {
            self.events.push(message.clone());
        }
        message
    }

    /// Opens an address in a window of this size, and waits until it is loaded. Narrow windows are those of
    /// phones.
    pub fn open(&mut self, url: &str, width: u32, height: u32) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600
        });
        self.send("Emulation.setDeviceMetricsOverride", &metrics);
        self.events.clear();
        self.send("Page.navigate", &json!({"url": url}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            self.receive();
        }
        self.settle();
    }

    /// Does what leads to another page, such as a click on a link, and waits until that is loaded.
    ///
    /// # Panics
    /// If the expression throws.
    pub fn go(&mut self, expression: &str) {
        const STEPS: [&str; 2] = ["Page.frameNavigated", "Page.loadEventFired"];
        self.events.retain(|event| !STEPS.iter().any(|step| event["method"] == *step));
        // Not within the command, which fails where the page is left before it has answered.
        self.value(&format!("void setTimeout(() => {{ {expression} }})"));
        // The page that is left may say only now that it is complete.
        let is_new = |event: &Value| {
            event["method"] == STEPS[0] && event["params"]["frame"]["parentId"].is_null()
        };
        let has_loaded = |events: &[Value]| {
            let mut events = events.iter().skip_while(|event| !is_new(event));
            events.any(|event| event["method"] == STEPS[1])
        };
        while !has_loaded(&self.events) {
            let failed =
                self.events.iter().find(|event| event["method"] == "Runtime.exceptionThrown");
            assert!(failed.is_none(), "{expression}: {failed:?}");
            self.receive();
        }
        self.settle();
    }

    /// Types a text into the element that has the focus.
    pub fn type_in(&mut self, text: &str) {
        self.send("Input.insertText", &json!({"text": text}));
    }

    /// Prefers a colour scheme, `light` or `dark`; media is `screen` or `print`.
    pub fn media(&mut self, media: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let media = json!({"media": media, "features": features});
        self.send("Emulation.setEmulatedMedia", &media);
        self.settle();
    }

    /// Waits until what has changed is drawn.
    pub fn settle(&mut self) {
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    /// The value of an expression. Where the page is left meanwhile, that of the next page.
    ///
    /// # Panics
    /// If it throws.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        loop {
            match self.answered("Runtime.evaluate", &parameters) {
                Ok(mut result) => {
                    assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
                    return result["result"]["value"].take();
                }
                Err(error) => {
                    assert!(error.to_string().contains("navigated"), "{expression}: {error}");
                }
            }
        }
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// If it is still false after a minute.
    pub fn wait_for(&mut self, expression: &str) {
        let poll = format!(
            "new Promise((done) => {{ const end = Date.now() + 60000; const look = () => ({expression}) ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 20); look(); }})"
        );
        assert_eq!(self.value(&poll), json!(true), "{expression} did not become true");
    }

    /// Moves the pointer to a place of the window.
    pub fn point(&mut self, x: f64, y: f64) {
        let parameters = json!({"type": "mouseMoved", "x": x, "y": y});
        self.send("Input.dispatchMouseEvent", &parameters);
        self.settle();
    }

    /// Presses and releases a key by its name: `ArrowRight`, `Tab`.
    pub fn press(&mut self, key: &str) {
        self.key(key, 0);
        self.settle();
    }

    /// The same while Ctrl is held.
    pub fn press_control(&mut self, key: &str) {
        self.key(key, 2);
        self.settle();
    }

    /// Presses a key whose effect needs no drawing: the focus has moved when the key is answered.
    pub fn press_undrawn(&mut self, key: &str) {
        self.key(key, 0);
    }

    /// `modifiers` as the protocol has them: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift.
    fn key(&mut self, key: &str, modifiers: u8) {
        for kind in ["rawKeyDown", "keyUp"] {
            let code = match key {
                "Backspace" => 8,
                "Tab" => 9,
                "Enter" => 13,
                "Escape" => 27,
                "F2" => 113,
                "End" => 35,
                "Home" => 36,
                "ArrowLeft" => 37,
                "ArrowRight" => 39,
                _ => 0,
            };
            let mut parameters = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
            if key == "Enter" && kind == "rawKeyDown" {
                // A button is pressed by the character.
                (parameters["type"], parameters["text"]) = (json!("keyDown"), json!("\r"));
            }
            self.send("Input.dispatchKeyEvent", &parameters);
        }
    }

    /// Saves a picture of what the window shows.
    ///
    /// # Panics
    /// If it cannot be saved.
    pub fn view(&mut self, path: &Path) {
        self.settle();
        self.save(&json!({}), path);
    }

    /// Saves a picture of the whole page for people to look at, for which the pointer leaves it: in long runs, and with
    /// `DUET_PICTURES=1`. To draw and pack hundreds of them takes longer than all that is asked of the pages.
    ///
    /// # Panics
    /// If it cannot be saved.
    pub fn picture(&mut self, path: &Path) {
        self.settle();
        if !crate::is_long() && std::env::var_os("DUET_PICTURES").is_none() {
            return;
        }
        let size = self.value("[innerWidth, document.documentElement.scrollHeight]");
        let clip = json!({"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1});
        self.save(&json!({"captureBeyondViewport": true, "clip": clip}), path);
    }

    fn save(&mut self, parameters: &Value, path: &Path) {
        let shot = self.send("Page.captureScreenshot", parameters);
        let bytes = STANDARD.decode(shot["data"].as_str().unwrap_or_default());
        let bytes = bytes.unwrap_or_else(|error| panic!("picture: {error}"));
        std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// The page as it is printed.
    ///
    /// # Panics
    /// If it is no PDF.
    pub fn printed(&mut self) -> Vec<u8> {
        let printed = self.send("Page.printToPDF", &json!({"printBackground": true}));
        let bytes = STANDARD.decode(printed["data"].as_str().unwrap_or_default());
        bytes.unwrap_or_else(|error| panic!("print: {error}"))
    }

    /// Exceptions, errors in the console and refusals of the page's policy since it was opened.
    pub fn errors(&mut self) -> Vec<String> {
        self.settle();
        let is_error = |event: &&Value| {
            event["method"] == "Runtime.exceptionThrown"
                || event["method"] == "Log.entryAdded"
                    && event["params"]["entry"]["level"] == "error"
                || event["method"] == "Runtime.consoleAPICalled"
                    && event["params"]["type"] == "error"
        };
        self.events.iter().filter(is_error).map(|event| event["params"].to_string()).collect()
    }

    /// The addresses that were asked for since the page was opened.
    pub fn requested(&self) -> Vec<String> {
        let requests =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let url = |event: &Value| event["params"]["request"]["url"].as_str().map(str::to_owned);
        requests.filter_map(url).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its children end with it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The path of the installed program.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut all =
        PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.find(|path| path.is_file())
}
