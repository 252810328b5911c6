//! A replay's page as HTML: claims first, figures as bars, conditions collapsed. The template
//! `templates/replay.html` escapes all texts.

use askama::Template;
use duet_verdict::text::{TextTable, counted};

use super::page::{Bar, Bars, CONDITIONS, REMARKS, ReplayPage, Side, Verdict, label_columns};
use crate::html::STYLE;

#[derive(Template)]
#[template(path = "replay.html")]
struct View<'a> {
    title: &'a str,
    style: &'a str,
    page: &'a ReplayPage,
    tally: String,
    claims: Vec<Card<'a>>,
    bars: Vec<BarsView<'a>>,
    tables: Vec<TableView<'a>>,
    remarks_heading: &'a str,
    remarks: Vec<RemarkView<'a>>,
    conditions_heading: &'a str,
}

/// A claim with its verdict.
struct Card<'a> {
    class: &'static str,
    verdict: &'static str,
    text: Vec<Run<'a>>,
    why: Vec<Run<'a>>,
}

struct RemarkView<'a> {
    text: Vec<Run<'a>>,
    here: Vec<Run<'a>>,
}

/// A piece of text with its Markdown mark.
#[derive(Debug, PartialEq)]
struct Run<'a> {
    text: &'a str,
    is_strong: bool,
    is_code: bool,
}

struct BarsView<'a> {
    caption: &'a str,
    sides: Vec<SideView<'a>>,
}

/// The bars of one machine; the longest one fills the width.
struct SideView<'a> {
    name: &'a str,
    class: &'static str,
    bars: Vec<BarView<'a>>,
}

struct BarView<'a> {
    name: &'a str,
    text: &'a str,
    percent: String,
}

struct TableView<'a> {
    caption: &'a str,
    head: &'a [String],
    rows: &'a [Vec<String>],
    /// Columns at the beginning that name the rows.
    names: usize,
}

impl ReplayPage {
    /// As one self-contained HTML page.
    pub fn html(&self) -> String {
        html(self)
    }
}

fn html(page: &ReplayPage) -> String {
    let mut claims: Vec<_> = page.claims.iter().collect();
    claims.sort_by_key(|claim| VERDICTS.iter().position(|it| *it == claim.verdict));
    let view = View {
        title: &page.title,
        style: STYLE,
        page,
        tally: tally(page),
        claims: claims
            .into_iter()
            .map(|claim| Card {
                class: class(claim.verdict),
                verdict: claim.verdict.words(),
                text: runs(&claim.text),
                why: runs(&claim.why),
            })
            .collect(),
        bars: page.bars.iter().map(bars).filter(|bars| !bars.sides.is_empty()).collect(),
        tables: page.tables.iter().filter(|table| !table.rows.is_empty()).map(table).collect(),
        remarks_heading: REMARKS,
        remarks: page
            .remarks
            .iter()
            .map(|remark| RemarkView { text: runs(&remark.text), here: runs(&remark.here) })
            .collect(),
        conditions_heading: CONDITIONS,
    };
    // Writing to a string cannot fail.
    view.render().unwrap_or_default()
}

/// The verdicts in the order of the page: decided claims come first.
const VERDICTS: [Verdict; 4] =
    [Verdict::Holds, Verdict::DoesNotHold, Verdict::CannotTell, Verdict::TooShort];

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::DoesNotHold => "does-not-hold",
        Verdict::CannotTell => "cannot-tell",
        Verdict::TooShort => "too-short",
    }
}

/// `8 claims: 3 hold, …` in one line.
fn tally(page: &ReplayPage) -> String {
    let of = |verdict: Verdict| {
        let count = page.claims.iter().filter(|claim| claim.verdict == verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.words()))
    };
    let counts: Vec<String> = VERDICTS.into_iter().filter_map(of).collect();
    format!("{}: {}.", counted(page.claims.len() as u64, "claim"), counts.join(", "))
}

fn bars(bars: &Bars) -> BarsView<'_> {
    BarsView { caption: &bars.caption, sides: bars.sides.iter().map(side).collect() }
}

fn side(side: &Side) -> SideView<'_> {
    let bars = || side.bars.iter().filter(|bar| bar.value.is_finite());
    let longest = bars().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |bar: &'_ Bar| format!("{:.1}", (bar.value / longest).clamp(0.0, 1.0) * 100.0);
    let bars = bars().map(|it| BarView { name: &it.name, text: &it.text, percent: bar(it) });
    let class = if side.is_published { "published" } else { "here" };
    SideView { name: &side.name, class, bars: bars.collect() }
}

fn table(table: &TextTable) -> TableView<'_> {
    let TextTable { caption, head, rows } = table;
    TableView { caption, head, rows, names: label_columns(table) }
}

/// The pieces of a text with `**strong**` and `` `code` `` in it. An unpaired mark is plain text.
fn runs(text: &str) -> Vec<Run<'_>> {
    let plain = |text| Run { text, is_strong: false, is_code: false };
    let mut runs = Vec::new();
    let mut rest = text;
    while let Some((at, mark)) = ["**", "`"]
        .into_iter()
        .filter_map(|mark| Some((rest.find(mark)?, mark)))
        .min_by_key(|(at, _)| *at)
    {
        let inside = &rest[at + mark.len()..];
        let Some(end) = inside.find(mark) else { break };
        let (is_strong, is_code) = (mark == "**", mark == "`");
        runs.extend([plain(&rest[..at]), Run { text: &inside[..end], is_strong, is_code }]);
        rest = &inside[end + mark.len()..];
    }
    runs.push(plain(rest));
    runs.retain(|run| !run.text.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::super::page::{Claim, Condition, Remark};
    use super::*;

    const EVIL: &str = "<script>alert(1)</script>\"'&";

    fn page(text: &str) -> ReplayPage {
        let text = || text.to_owned();
        let bar = |value: f64| Bar { name: text(), value, text: text() };
        let claim = |verdict| Claim { text: text(), verdict, why: format!("**{}**", text()) };
        ReplayPage {
            title: text(),
            notes: vec![text()],
            bars: vec![Bars {
                caption: text(),
                sides: vec![
                    Side { name: text(), is_published: true, bars: vec![bar(1.0), bar(4.0)] },
                    Side { name: "Here".into(), is_published: false, bars: vec![bar(f64::NAN)] },
                ],
            }],
            tables: vec![TextTable {
                caption: text(),
                head: vec![text(), "ms".into()],
                rows: vec![vec![text(), "1.5".into()]],
            }],
            conditions: vec![Condition { what: text(), published: text(), here: text() }],
            claims: vec![claim(Verdict::TooShort), claim(Verdict::DoesNotHold)],
            remarks: vec![Remark { text: format!("`{}`", text()), here: text() }],
        }
    }

    #[test]
    fn foreign_texts_are_escaped() {
        let html = page(EVIL).html();
        assert!(!html.contains("<script") && !html.contains("alert(1)</script>"), "{html}");
        assert!(!html.contains("src=") && !html.contains("http-equiv"), "nothing is fetched");
        // Title twice, note, caption of bars, machine, two bars with name and text, caption, head and row of a table, what,
        // published and here, two claims with text and reason, a remark with text and ours.
        assert_eq!(html.matches("alert(1)").count(), 3 + 1 + 5 + 3 + 3 + 4 + 2, "{html}");
        assert!(!html.contains("NaN"), "{html}");
    }

    #[test]
    fn claims_come_first_and_conditions_are_folded() {
        let html = page("x").html();
        let place = |part: &str| html.find(part).unwrap_or_else(|| panic!("{part}: {html}"));
        let parts = [
            "<p class=\"soft\">2 claims: 1 does not hold, 1 too short to judge.</p>",
            "<article class=\"claim does-not-hold\">",
            "<article class=\"claim too-short\">",
            "<dl class=\"bars published\">",
            "<i style=\"width:25.0%\"></i>",
            "<h3>Here</h3>",
            "<div class=\"scroll\"><table",
            "<details>",
            "<dl class=\"conditions\">",
            "</details>",
        ];
        assert!(parts.windows(2).all(|two| place(two[0]) < place(two[1])), "{html}");
        assert!(html.contains("<code>x</code>") && html.contains("<b>x</b>"), "{html}");
        for tag in ["main", "article", "table", "tr", "td", "th", "figure", "dl", "div", "dd", "p"]
        {
            let open = [format!("<{tag}>"), format!("<{tag} ")];
            let open: usize = open.iter().map(|tag| html.matches(tag.as_str()).count()).sum();
            assert_eq!(open, html.matches(&format!("</{tag}>")).count(), "{tag}: {html}");
        }
    }

    #[test]
    fn an_empty_page_has_no_empty_parts() {
        let html = ReplayPage { title: "t".into(), ..ReplayPage::default() }.html();
        assert!(!html.contains("<h2") && !html.contains("<details") && !html.contains("<section"));
    }

    #[test]
    fn marks_are_pairs() {
        let texts = |text| runs(text).iter().map(|run| run.text).collect::<Vec<_>>();
        assert_eq!(texts("a **b** `c**` d"), ["a ", "b", " ", "c**", " d"]);
        assert_eq!(texts("a ** b"), ["a ** b"]);
        assert!(runs("**too short**: x")[0].is_strong && runs("").is_empty());
    }
}
