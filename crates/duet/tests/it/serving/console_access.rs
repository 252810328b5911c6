//! Each screen of the console for people who see it otherwise, or use no mouse: names of controls, contrast in light and dark,
//! the order of the focus and of headings, no trap of the keyboard, and a zoom of 400 % (WCAG 2.2: 1.3.1, 1.4.3, 1.4.10, 2.1.2,
//! 2.4.3, 2.5.8, 3.1.1, 4.1.2). With `DUET_AXE`, the path of an `axe.min.js`, all rules of axe-core too.

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use crate::bench::pages::browser;
use crate::serving::console::{Person, Site, TABLES};

/// The palette and the list of keys, by keyboard alone.
fn keys_lead_everywhere(person: &mut Person<'_>, site: &Site<'_>) {
    person.browser.open(&site.page("/team/"), 1280, 900);
    person.browser.press_control("k");
    person.browser.wait_for("document.querySelector('dialog[open] [role=option]')");
    assert_eq!(nameless(person), [""; 0], "the palette");
    person.browser.type_in("driv");
    person.browser.wait_for("document.querySelectorAll('dialog [role=option]').length === 1");
    person.picture("sqlite-palette");
    person.browser.go("document.querySelector('dialog input').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))");
    assert_eq!(person.text("h1"), "driver");
    person.browser.press_control("k");
    person.browser.press("Escape");
    assert_eq!(person.browser.value("document.querySelector('dialog[open]')"), Value::Null);
    person.browser.press("?");
    person.browser.wait_for("document.querySelector('dialog[open] dl')");
    person.picture("sqlite-keys");
    // Keys without Ctrl can be switched off (WCAG 2.1.4).
    person.browser.value("document.querySelector('dialog[open] input').click()");
    person.browser.press("Escape");
    person.browser.press("?");
    assert_eq!(person.browser.value("document.querySelector('dialog[open]')"), Value::Null);
    person.browser.value("localStorage.clear()");
    person.browser.open(&site.page("/team/"), 1280, 900);
    person.browser.go("'go'.split('').forEach((key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))");
    assert_eq!(person.text("h1"), "Operate");
}

/// What a person can act on.
const CONTROLS: [&str; 10] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "switch",
    "spinbutton",
    "listbox",
    "Iframe",
];

/// Texts whose contrast is less than it must be (WCAG 2.2, 1.4.3), with colours and ratio.
const FAINT: &str = r##"(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
  const light = ([r, g, b]) => [r, g, b].map((it) => it / 255).map((it) => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)
    .reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return rgba(matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest(".hidden, .skip, svg, script, option, :disabled")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(rgba(style.color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < least) faint.push(`${ratio.toFixed(2)} ${style.color} ${element.className} ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return faint;
})()"##;

/// What is wrong with the page's structure.
const STRUCTURE: &str = r##"(() => {
  const wrong = [];
  if (document.documentElement.lang !== "en") wrong.push("no language");
  if (document.querySelectorAll("h1").length !== 1) wrong.push(`${document.querySelectorAll("h1").length} headings of the first level`);
  if (document.querySelectorAll("main").length !== 1) wrong.push("not one main part");
  const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  if (twice.length) wrong.push(`ids twice: ${twice}`);
  for (const it of document.querySelectorAll("[aria-describedby], [aria-labelledby]")) {
    for (const id of `${it.getAttribute("aria-describedby") ?? ""} ${it.getAttribute("aria-labelledby") ?? ""}`.split(" ").filter(Boolean)) {
      if (!document.getElementById(id)) wrong.push(`no element ${id}`);
    }
  }
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((it) => it.checkVisibility()).map((it) => Number(it.tagName[1]));
  levels.forEach((level, at) => { if (level > (levels[at - 1] ?? 0) + 1) wrong.push(`heading ${level} below ${levels[at - 1]}`); });
  for (const it of document.body.children) {
    if (!it.matches("header, main, nav, footer, a.skip, script, dialog")) wrong.push(`outside of the landmarks: ${it.outerHTML.slice(0, 80)}`);
  }
  for (const it of document.querySelectorAll("[tabindex]")) if (it.tabIndex > 0) wrong.push("an order of its own");
  for (const it of document.querySelectorAll("button, select, input:not([type=hidden], [type=checkbox])")) {
    const box = it.getBoundingClientRect();
    if (it.checkVisibility() && box.width && (box.width < 24 || box.height < 24)) wrong.push(`small: ${it.outerHTML.slice(0, 80)}`);
  }
  return wrong;
})()"##;

/// What scrolls in both directions, but the grid of data and what is typed (WCAG 2.2, 1.4.10).
const TWO_WAYS: &str = r##"[...document.querySelectorAll("body *")].filter((it) => {
  const { overflowX, overflowY } = getComputedStyle(it);
  const scrolls = (overflow, size, room) => /auto|scroll/.test(overflow) && size > room + 1;
  return scrolls(overflowX, it.scrollWidth, it.clientWidth) && scrolls(overflowY, it.scrollHeight, it.clientHeight)
    && !it.matches("textarea") && !it.querySelector('[role="grid"]');
}).map((it) => it.outerHTML.slice(0, 80))"##;

/// The rules of axe-core that a page breaks, where the file of the environment has it: of WCAG 2.2 and its good practice.
fn broken_rules(person: &mut Person<'_>, axe: &str) -> Value {
    let source = fs::read_to_string(axe).unwrap_or_else(|error| panic!("{axe}: {error}"));
    // A command of the debugger is not the page's own script, which the page's policy would refuse.
    person.browser.send("Runtime.evaluate", &json!({ "expression": source }));
    person.browser.value(
        "axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
            .then(({ violations }) => violations.map((it) => `${it.id}: ${it.help}: ${it.nodes.slice(0, 4).map((node) => node.html.slice(0, 160)).join(' | ')}`))",
    )
}

/// The places of the focus as Tab is pressed: their numbers in the order of the document.
fn tabbed(person: &mut Person<'_>) -> Vec<i64> {
    person
        .browser
        .value("document.activeElement?.blur(), getSelection().removeAllRanges(), scrollTo(0, 0)");
    person.browser.value("window.known = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex=\"0\"], iframe')].filter((it) => it.checkVisibility() && !it.disabled && it.tabIndex >= 0)");
    let count = person.browser.value("known.length").as_i64().unwrap_or(0).min(60);
    let mut places = Vec::new();
    for _ in 0..count {
        person.browser.press_undrawn("Tab");
        let at = person.browser.value("known.indexOf(document.activeElement)");
        // Parts that scroll take the focus too, so that the arrows move them.
        places.extend(at.as_i64().filter(|at| *at >= 0));
    }
    places
}

fn nameless(person: &mut Person<'_>) -> Vec<String> {
    let tree = person.browser.send("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
    let is_nameless = |node: &&Value| {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        node["ignored"] == false
            && CONTROLS.contains(&role)
            && node["name"]["value"].as_str().unwrap_or_default().trim().is_empty()
    };
    nodes.iter().filter(is_nameless).map(|node| node["role"].to_string()).collect()
}

pub(super) fn expect_usable(person: &mut Person<'_>, place: &str) {
    assert_eq!(nameless(person), [""; 0], "{place}: controls without a name");
    assert_eq!(person.browser.value(STRUCTURE), json!([]), "{place}");
    for scheme in ["light", "dark"] {
        person.browser.media("screen", scheme);
        assert_eq!(person.browser.value(FAINT), json!([]), "{place}, {scheme}");
        if let Ok(axe) = std::env::var("DUET_AXE") {
            let broken = broken_rules(person, &axe);
            assert_eq!(broken, json!([]), "{place}, {scheme}: axe-core");
        }
    }
    person.browser.media("screen", "light");
    let places = tabbed(person);
    let is_in_order = places.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(is_in_order && places.first() == Some(&0), "{place}: the focus goes {places:?}");
}

#[test]
fn every_screen_is_usable_by_all() {
    let Some(mut browser) = browser("every_screen_is_usable_by_all") else { return };
    let folder = Folder::new();
    let file = folder.load("racing.db", &[TABLES]).display().to_string();
    let runs = folder.path().join("runs").display().to_string();
    let state = folder.path().join("state").display().to_string();
    let server = Running::start(&["serve", &file, "--load-tests", &runs, "--state", &state]);
    let site = Site::of(&server);
    browser.open(&format!("{}/console/sign-in", site.url), 1280, 900);
    let mut person = Person { browser: &mut browser, url: site.url.clone() };
    expect_usable(&mut person, "sign-in");
    person.sign_in(&site, true);
    let below = |view: &str| format!("{view}{}/driver/", site.mount);
    let pages = [
        "/".to_owned(),
        below("/data"),
        format!("{}1", below("/data")),
        format!("{}1?delete=1", below("/data")),
        below("/new"),
        below("/import"),
        format!("{}?op=getDriver", below("/api")),
        below("/explain"),
        below("/measure"),
        format!("/design{}/", site.mount),
        format!("/files{}/", site.mount),
        format!("/diagram{}/", site.mount),
        "/changes/".to_owned(),
        "/operate/".to_owned(),
        "/operate/clients".to_owned(),
        "/operate/links".to_owned(),
        "/operate/dead-letters".to_owned(),
        "/operate/log".to_owned(),
        "/runs/".to_owned(),
        "/docs/".to_owned(),
        "/docs/?words=page".to_owned(),
        "/nowhere".to_owned(),
    ];
    for page in pages {
        let address = format!("{}/console{page}", site.url);
        // A window of 1,280 pixels at 400 %.
        person.browser.open(&address, 320, 256);
        person.expect_clean(&page);
        assert_eq!(person.browser.value(TWO_WAYS), json!([]), "{page} at 400 %");
        person.browser.open(&address, 1280, 900);
        person.expect_clean(&page);
        expect_usable(&mut person, &page);
    }
    keys_lead_everywhere(&mut person, &site);
}
