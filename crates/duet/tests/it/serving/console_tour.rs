//! The pictures of the manual: ten screens of the console with the sample of car racing, and that of the first page, the
//! console beside the JSON that it shows. `DUET_ACCEPT=1` writes them anew, into `docs/pictures`; else each must be there,
//! small, and shown.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use duet_testkit::browser::Browser;
use duet_testkit::command::Running;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::duet;
use crate::serving::console::{Person, Site, pictures};

/// The window of the pictures.
const SIZE: (u32, u32) = (1000, 620);
/// Pixels of a picture for each of the window.
const SCALE: f64 = 0.65;
/// The most bytes of a picture of the tour, and of that of the first page.
const BYTES: [u64; 2] = [60_000, 100_000];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// A person who takes pictures.
struct Tour<'p, 'b> {
    person: &'p mut Person<'b>,
    site: &'p Site<'p>,
    /// The folder of the file that is served.
    folder: &'p str,
}

/// The address that the manual's examples have.
const ADDRESS: &str = "http://127.0.0.1:8080";

impl Tour<'_, '_> {
    fn open(&mut self, page: &str) {
        let address =
            format!("{}/console{}", self.site.url, page.replace("{mount}", &self.site.mount));
        self.person.browser.open(&address, SIZE.0, SIZE.1);
    }

    fn picture(&mut self, name: &str) {
        self.person.expect_clean(name);
        // Places of this run are no part of a picture.
        self.person.browser.value(&format!(
            "(() => {{ const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); while (walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replaceAll({}, '').replaceAll({}, {}); }})()",
            json!(format!("{}/", self.folder)), json!(self.site.url), json!(ADDRESS)
        ));
        let window = json!({ "width": SIZE.0, "height": SIZE.1, "deviceScaleFactor": SCALE, "mobile": false });
        self.person.browser.send("Emulation.setDeviceMetricsOverride", &window);
        let file = format!("console-{name}.png");
        self.person.browser.view(&pictures().join(&file));
        keep(&file, BYTES[0]);
    }
}

/// Keeps a picture where pictures are accepted, and compares what is kept with what the manual needs.
fn keep(file: &str, most: u64) {
    let (made, kept) = (pictures().join(file), docs().join("pictures").join(file));
    if std::env::var_os("DUET_ACCEPT").is_some() {
        let copied = fs::copy(&made, &kept);
        copied.unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
    }
    for picture in [made, kept] {
        let bytes = fs::metadata(&picture).map(|it| it.len()).unwrap_or_default();
        assert!(bytes > 5_000 && bytes <= most, "{}: {bytes} bytes", picture.display());
    }
}

fn screens(tour: &mut Tour<'_, '_>) {
    tour.open("/");
    tour.picture("data");
    let order = "?q=%7B%22team_id%22%3A%7B%22%24lte%22%3A302%7D%2C%22%24orderby%22%3A%7B%22name%22%3A%22ASC%22%7D%7D";
    tour.open(&format!("/data{{mount}}/driver/{order}"));
    tour.picture("rows");
    // A cell is changed by keyboard, and waits for the others.
    tour.person.change_cell(1, 3, "Carlos Sainz");
    tour.open("/changes/");
    tour.person.browser.wait_for("document.querySelector('.change')");
    tour.picture("changes");
    tour.open("/data{mount}/team_dv/301");
    tour.picture("document");
    tour.open("/import{mount}/driver/");
    tour.person.fill(
        "#text",
        "driver_id\tname\tpoints\tteam_id\n130\tOliver Bearman\t6\t302\n131\tNobody\t0\t999\n",
    );
    tour.person.browser.value("document.querySelector('#import button').click()");
    tour.person.browser.wait_for("document.querySelector('#found [value=try]')");
    tour.person.browser.value("document.querySelector('#found [value=try]').click()");
    tour.person
        .browser
        .wait_for("document.getElementById('found').textContent.includes('refused')");
    tour.person.browser.value("document.getElementById('found').scrollIntoView()");
    tour.picture("import");
    tour.open("/api{mount}/driver/?op=getDriver");
    tour.person.fill("[name^='path.']", "101");
    tour.person.click_text("Send");
    tour.person.browser.value("document.querySelector('[aria-label=Answer]').scrollIntoView()");
    tour.picture("api");
    tour.open("/explain{mount}/driver/?database=plan&q=%7B%22points%22%3A%7B%22%24gt%22%3A3%7D%7D");
    tour.picture("explain");
    tour.open("/design{mount}/");
    tour.person.browser.go("[...document.querySelectorAll('main a')].find((it) => it.textContent.includes('team_dv')).click()");
    tour.person.browser.wait_for("document.querySelector('.sample')");
    tour.picture("design");
    tour.open("/measure{mount}/driver/");
    tour.picture("measure");
    tour.open("/operate/");
    tour.person
        .browser
        .wait_for("Number(document.getElementById('since').textContent.match(/[0-9]+/)?.[0]) >= 4");
    tour.person.browser.value("document.getElementById('pause').click()");
    tour.picture("operate");
}

/// The picture of the first page: a row in the console, and the same as programs get it.
fn beside_the_json(browser: &mut Browser, site: &Site<'_>) {
    let (page, both) = (pictures().join("console-item.png"), "console-beside-json.png");
    browser.open(&format!("{}/console/data{}/driver/101", site.url, site.mount), 640, 560);
    browser.view(&page);
    let picture = STANDARD.encode(fs::read(&page).unwrap_or_default());
    let document = site.api("GET", "/driver/101", &Value::Null).json();
    let document = serde_json::to_string_pretty(&document).unwrap_or_default();
    let document = document.replace(&site.url, ADDRESS);
    let request = format!("GET {}/driver/101", site.mount);
    browser.open("about:blank", 1180, 560);
    // A page of the test's own: the console lets no other page show it.
    browser.value(&format!(
        "document.body.style.cssText = 'margin:0;display:flex;font:14px/1.45 monospace;background:#14181d;color:#e4e8ec'; const image = new Image(); image.src = 'data:image/png;base64,{picture}'; const text = document.createElement('pre'); text.style.cssText = 'margin:0;padding:16px;overflow:hidden'; text.textContent = {} + '\\n\\n' + {}; document.body.append(image, text); image.decode()",
        json!(request), json!(document)
    ));
    browser.view(&pictures().join(both));
    keep(both, BYTES[1]);
}

#[test]
fn the_manual_shows_the_console() {
    let Some(mut browser) = browser("the_manual_shows_the_console") else { return };
    let folder = Folder::new();
    let file = folder.path().join("season.sqlite").display().to_string();
    let place = folder.path().display().to_string();
    let runs = folder.path().join("runs").display().to_string();
    assert_eq!(duet(&["load", "car-racing", "--database", &format!("sqlite:{file}")]).0, 0);
    let server = Running::start(&["serve", &file, "--app", "car-racing", "--load-tests", &runs]);
    let site = Site::of(&server);
    browser.open(&format!("{}/console/sign-in", site.url), SIZE.0, SIZE.1);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    person.sign_in(&site, true);
    screens(&mut Tour { person: &mut person, site: &site, folder: &place });
    beside_the_json(&mut browser, &site);
    let shown = ["../README.md", "console-tour.md"]
        .map(|page| fs::read_to_string(docs().join(page)).unwrap_or_default());
    for entry in fs::read_dir(docs().join("pictures")).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        assert!(shown.iter().any(|page| page.contains(&name)), "no page shows {name}");
    }
}
