//! A page of the manual as its examples: the fenced blocks, in order.

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its opening fence, from 1.
    pub(super) line: usize,
    /// The first word behind the fence: `sh`, `json`, `text`, `sql` ….
    pub(super) language: String,
    /// The second word: the file that the block is written to before what follows is run.
    pub(super) file: Option<String>,
    /// What stands between the fences.
    pub(super) text: String,
}

/// One step of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A file to be written, by its name.
    File(String, Block),
    /// A script, and what it must print.
    Run(Block, Option<Block>),
}

/// The steps of a page. A `json`, `text` or `figures` block is the output of the script before it, with
/// nothing but text between; other blocks without a file are for people.
pub(super) fn steps(markdown: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut open = false;
    for block in blocks(markdown) {
        match (block.language.as_str(), steps.last_mut()) {
            ("sh", _) => {
                steps.push(Step::Run(block, None));
                open = true;
                continue;
            }
            ("json" | "text" | "figures", Some(Step::Run(_, expected)))
                if open && block.file.is_none() =>
            {
                *expected = Some(block);
            }
            _ => {
                if let Some(name) = block.file.clone() {
                    steps.push(Step::File(name, block));
                }
            }
        }
        open = false;
    }
    steps
}

/// All fenced blocks.
pub(super) fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for (index, line) in markdown.lines().enumerate() {
        match (line.strip_prefix("```"), blocks.last_mut()) {
            (Some(_), _) if inside => inside = false,
            (Some(info), _) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                blocks.push(Block {
                    line: index + 1,
                    language: words.next().unwrap_or_default(),
                    file: words.next(),
                    text: String::new(),
                });
                inside = true;
            }
            (None, Some(block)) if inside => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

/// The rows of the first table below a heading, cell by cell, without its head.
pub(super) fn table(markdown: &str, heading: &str) -> Vec<Vec<String>> {
    let below = markdown.lines().skip_while(|line| *line != heading).skip(1);
    let rows = below.skip_while(|line| !line.starts_with('|')).take_while(|l| l.starts_with('|'));
    let cells = |row: &str| {
        let row = row.trim().trim_matches('|').replace("\\|", "\u{1}");
        row.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect::<Vec<_>>()
    };
    let rows: Vec<_> = rows.skip(2).map(cells).collect();
    assert!(!rows.is_empty(), "there is no table below {heading:?}");
    rows
}

/// The texts in backquotes in a cell.
pub(super) fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn pages_are_read() {
    let page = "a\n```sh\nx\n```\nsee\n```json\n1\n```\n```text\nno\n```\n```sql v/a.sql\ny\n```\n";
    let block = |line, language: &str, file: Option<&str>, text: &str| Block {
        line,
        language: language.into(),
        file: file.map(Into::into),
        text: text.into(),
    };
    let expected = [
        Step::Run(block(2, "sh", None, "x\n"), Some(block(6, "json", None, "1\n"))),
        Step::File("v/a.sql".into(), block(12, "sql", Some("v/a.sql"), "y\n")),
    ];
    assert_eq!(steps(page), expected);
    assert_eq!(table("# A\n\n|a|\n|-|\n| `b \\| c` |\n", "# A"), [["`b | c`"]]);
    assert_eq!(quoted("`a`, `b | c`"), ["a", "b | c"]);
}
