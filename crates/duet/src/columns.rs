//! Tables of text for a terminal, and numbers in them.

/// Lines of aligned columns under a heading: those of texts, by their numbers, to the left, and the
/// others, figures, to the right. Lines end with their last character.
pub(crate) fn columns(
    heading: &[&str],
    texts: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let heading = heading.iter().map(|&name| name.to_owned()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if texts.contains(&column) {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    lines.iter().map(line).collect()
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_to_the_right() {
        let rows = [vec!["a".to_owned(), "7".to_owned()], vec!["beta".to_owned(), "-".to_owned()]];
        assert_eq!(
            columns(&["name", "count"], &[0], rows),
            "name  count\na         7\nbeta      -\n"
        );
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
    }
}
