//! The metrics of several processes as one text in Prometheus's format: counters and histograms are
//! added up, gauges are listed by process with the label `process`.

use std::collections::HashMap;
use std::fmt::Write;

/// A metric with all its samples.
#[derive(Debug, Default)]
struct Family<'a> {
    /// The lines of help and type.
    head: Vec<&'a str>,
    is_gauge: bool,
    /// Names with labels and their values, in the order in which they were first met.
    samples: Vec<(String, f64)>,
    /// Where each name with labels is among them.
    places: HashMap<String, usize>,
}

impl Family<'_> {
    fn add(&mut self, name: String, value: f64) {
        match self.places.get(&name) {
            Some(place) => self.samples[*place].1 += value,
            None => {
                self.places.insert(name.clone(), self.samples.len());
                self.samples.push((name, value));
            }
        }
    }
}

/// Merges texts, each with the number of its process.
pub(crate) fn merged(texts: &[(u64, &str)]) -> String {
    let mut families: Vec<Family<'_>> = Vec::new();
    let mut named: HashMap<&str, usize> = HashMap::new();
    for (process, text) in texts {
        let mut current = None;
        for line in text.lines() {
            let Some(comment) = line.strip_prefix("# ") else {
                if let Some(family) = current.and_then(|at: usize| families.get_mut(at)) {
                    sample(family, *process, line);
                }
                continue;
            };
            let mut words = comment.splitn(3, ' ').skip(1);
            let name = words.next().unwrap_or_default();
            let at = *named.entry(name).or_insert_with(|| {
                families.push(Family::default());
                families.len() - 1
            });
            current = Some(at);
            let family = &mut families[at];
            family.is_gauge |= comment.starts_with("TYPE") && words.next() == Some("gauge");
            if !family.head.contains(&line) {
                family.head.push(line);
            }
        }
    }
    print(&families)
}

/// Adds a line `name{labels} value`; a line of another form is no sample.
fn sample(family: &mut Family<'_>, process: u64, line: &str) {
    let Some((name, value)) = line.rsplit_once(' ') else { return };
    let Ok(value) = value.parse() else { return };
    let name = match (family.is_gauge, name.strip_suffix('}')) {
        (false, _) => name.to_owned(),
        (true, Some(labelled)) => format!("{labelled},process=\"{process}\"}}"),
        (true, None) => format!("{name}{{process=\"{process}\"}}"),
    };
    family.add(name, value);
}

fn print(families: &[Family<'_>]) -> String {
    let mut out = String::with_capacity(16 << 10);
    for family in families {
        for line in &family.head {
            out.push_str(line);
            out.push('\n');
        }
        for (name, value) in &family.samples {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name} {value}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_added_and_gauges_listed() {
        let one = "# HELP a_total All.\n# TYPE a_total counter\na_total{x=\"a b\"} 2\n\
                   # HELP open Open.\n# TYPE open gauge\nopen 3\n\
                   # HELP s Time.\n# TYPE s histogram\ns_bucket{le=\"0.5\"} 1\ns_bucket{le=\"+Inf\"} 2\ns_sum 0.75\ns_count 2\n";
        let other = "# HELP a_total All.\n# TYPE a_total counter\na_total{x=\"a b\"} 5\na_total{x=\"c\"} 1\n\
                     # HELP open Open.\n# TYPE open gauge\nopen{of=\"it\"} 4\n\
                     # HELP s Time.\n# TYPE s histogram\ns_bucket{le=\"0.5\"} 0\ns_bucket{le=\"+Inf\"} 1\ns_sum 1\ns_count 1\n";
        assert_eq!(
            merged(&[(1, one), (3, other)]),
            "# HELP a_total All.\n# TYPE a_total counter\na_total{x=\"a b\"} 7\na_total{x=\"c\"} 1\n\
             # HELP open Open.\n# TYPE open gauge\nopen{process=\"1\"} 3\nopen{of=\"it\",process=\"3\"} 4\n\
             # HELP s Time.\n# TYPE s histogram\ns_bucket{le=\"0.5\"} 1\ns_bucket{le=\"+Inf\"} 3\ns_sum 1.75\ns_count 3\n"
        );
    }

    #[test]
    fn other_lines_are_passed_over() {
        assert_eq!(merged(&[(1, "what\n# \n#\na b c\n")]), "# \n");
    }
}
