//! Charts: curves and stacked areas as SVG inside the page. Colours come from the page's style, so
//! that they fit dark screens and paper.

use std::fmt::Write as _;

use duet_verdict::text::figure;

/// The size in SVG units; the drawing scales to the available width.
const SIZE: (f64, f64) = (480.0, 230.0);
/// Margins for the axes' names and numbers: left, right, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (50.0, 12.0, 10.0, 26.0);
/// Colours in the style.
const COLOURS: usize = 8;
/// The most points that can be distinguished.
const POINTS: usize = 400;

/// A curve: points with gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, Option<f64>)>,
}

/// A chart.
#[derive(Clone, Debug, Default)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) curves: Vec<Curve>,
    /// Whether the areas are stacked and filled.
    pub(super) stacked: bool,
    /// Ranges of the axis that are not measured.
    pub(super) shaded: Vec<(f64, f64)>,
    /// Ticks of the x axis; generated from the numbers if empty.
    pub(super) marks: Vec<(f64, String)>,
    /// The unit of generated ticks; seconds by default.
    pub(super) unit: Option<&'static str>,
    /// Whether merged points keep their maximum instead of their mean.
    pub(super) worst: bool,
    /// The maximum of the y axis, if the values have one.
    pub(super) most: Option<f64>,
}

impl Chart {
    /// The `<figure>`; empty without data.
    pub(super) fn figure(&self) -> String {
        let mut curves: Vec<Curve> = self.curves.iter().map(|curve| self.thinned(curve)).collect();
        widen(&mut curves);
        let curves = if self.stacked { stack(&curves) } else { curves };
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let known = || points().filter_map(|(_, y)| *y).filter(|y| y.is_finite());
        let (Some(first), Some(last)) = (
            points().map(|(x, _)| *x).min_by(f64::total_cmp),
            points().map(|(x, _)| *x).max_by(f64::total_cmp),
        ) else {
            return String::new();
        };
        if known().next().is_none() {
            return String::new();
        }
        let top = self.most.unwrap_or_else(|| known().fold(0.0, f64::max));
        let step = nice(if top > 0.0 { top } else { 1.0 } / 4.0);
        let top = (top / step).ceil().max(1.0) * step;
        let frame = Frame { first, last: if last > first { last } else { first + 1.0 }, top };
        let mut svg = String::new();
        self.ground(&mut svg, &frame, step);
        for (at, curve) in curves.iter().enumerate().rev() {
            self.curve(&mut svg, &frame, curve, at);
        }
        let title = escape(&self.title);
        format!(
            "<figure><h3>{title}</h3>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{title}\">\n{svg}</svg>\n{}</figure>\n",
            SIZE.0,
            SIZE.1,
            self.legend()
        )
    }

    fn ground(&self, svg: &mut String, frame: &Frame, step: f64) {
        let bottom = frame.y(0.0);
        for (from, to) in &self.shaded {
            let (from, to) = (frame.x(*from), frame.x(*to));
            let (width, height) = (to - from, bottom - MARGIN.2);
            let _ = writeln!(
                svg,
                "<rect class=\"phase\" x=\"{from:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
                MARGIN.2
            );
        }
        let lines = (frame.top / step).round() as u32;
        for line in 0..=lines {
            let value = f64::from(line) * step;
            let y = frame.y(value);
            let (left, right) = (MARGIN.0, SIZE.0 - MARGIN.1);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                short(value)
            );
        }
        let (scale, unit) = match self.unit {
            Some(unit) => (1.0, unit),
            None => time_unit(frame.last - frame.first),
        };
        let made = || {
            let step = nice((frame.last - frame.first) / scale / 5.0);
            let from = (frame.first / scale / step).ceil();
            let marks = (0..8).map(|at| (from + f64::from(at)) * step);
            marks
                .map(|mark| (mark * scale, format!("{}{unit}", short(mark))))
                .take_while(|(x, _)| *x <= frame.last)
                .collect()
        };
        let marks = if self.marks.is_empty() { made() } else { self.marks.clone() };
        for (x, text) in marks.iter().filter(|(x, _)| (frame.first..=frame.last).contains(x)) {
            let (x, text) = (frame.x(*x), escape(text));
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                SIZE.1 - 7.0
            );
        }
    }

    fn curve(&self, svg: &mut String, frame: &Frame, curve: &Curve, at: usize) {
        let mut path = String::new();
        let mut pen_down = false;
        let mut ends = None;
        let finite = |y: Option<f64>| y.filter(|y| y.is_finite());
        for (place, (x, y)) in curve.points.iter().enumerate() {
            let Some(y) = finite(*y) else {
                pen_down = false;
                continue;
            };
            let letter = if pen_down { 'L' } else { 'M' };
            let _ = write!(path, "{letter}{:.1} {:.1}", frame.x(*x), frame.y(y));
            let next = curve.points.get(place + 1).and_then(|(_, y)| finite(*y));
            if !pen_down && next.is_none() {
                // A single point between gaps: a dot.
                path.push_str("h0");
            }
            pen_down = true;
            ends = Some((ends.map_or(*x, |(first, _)| first), *x));
        }
        let (colour, name) = (at % COLOURS, escape(&curve.name));
        let Some((first, last)) = ends else { return };
        let (class, paint) = if self.stacked {
            let bottom = frame.y(0.0);
            let _ = write!(
                path,
                "L{:.1} {bottom:.1}L{:.1} {bottom:.1}Z",
                frame.x(last),
                frame.x(first)
            );
            ("area", "fill")
        } else {
            ("curve", "stroke")
        };
        let _ = writeln!(
            svg,
            "<path class=\"{class}{}\" style=\"{paint}:var(--s{colour})\" d=\"{path}\"><title>{name}</title></path>",
            round(at)
        );
    }

    fn legend(&self) -> String {
        let mut text = "<p class=\"legend\">".to_owned();
        for (at, curve) in self.curves.iter().enumerate() {
            let (colour, name) = (at % COLOURS, escape(&curve.name));
            let _ = write!(
                text,
                "<span><i class=\"key{}\" style=\"color:var(--s{colour})\"></i>{name}</span>",
                round(at)
            );
        }
        text.push_str("</p>");
        text
    }

    /// Reduces the number of points: the mean of neighbours, or their maximum.
    fn thinned(&self, curve: &Curve) -> Curve {
        let size = curve.points.len().div_ceil(POINTS).max(1);
        let of = |points: &[(f64, Option<f64>)]| {
            let known: Vec<f64> = points.iter().filter_map(|(_, y)| *y).collect();
            let y = if known.is_empty() {
                None
            } else if self.worst {
                Some(known.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            } else {
                Some(duet_verdict::judge::mean(&known))
            };
            (points[0].0, y)
        };
        Curve { name: curve.name.clone(), points: curve.points.chunks(size).map(of).collect() }
    }
}

/// The class that distinguishes curves of one colour: dashes, then dots.
fn round(at: usize) -> &'static str {
    match at / COLOURS {
        0 => "",
        1 => " dashed",
        _ => " dotted",
    }
}

struct Frame {
    first: f64,
    last: f64,
    top: f64,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        let share = (value - self.first) / (self.last - self.first);
        MARGIN.0 + share.clamp(0.0, 1.0) * (SIZE.0 - MARGIN.0 - MARGIN.1)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value / self.top).clamp(0.0, 1.0);
        SIZE.1 - MARGIN.3 - share * (SIZE.1 - MARGIN.2 - MARGIN.3)
    }
}

/// The value of a single second lasts until the next one, so that it is visible.
fn widen(curves: &mut [Curve]) {
    let mut places = curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| *x);
    let Some(first) = places.next() else { return };
    if places.all(|x| x == first) {
        for curve in curves {
            let last = curve.points.last().map(|(x, y)| (x + 1.0, *y));
            curve.points.extend(last);
        }
    }
}

/// The unit of an axis of this many seconds, and its number of seconds.
fn time_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        seconds if seconds > 7_200.0 => (3_600.0, " h"),
        seconds if seconds > 180.0 => (60.0, " min"),
        _ => (1.0, " s"),
    }
}

/// Each curve on top of the earlier ones; gaps count as 0.
fn stack(curves: &[Curve]) -> Vec<Curve> {
    let mut sums = vec![0.0; curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0)];
    let mut stacked = Vec::new();
    for curve in curves {
        let points = curve.points.iter().zip(&mut sums).map(|((x, y), sum)| {
            *sum += y.unwrap_or(0.0).max(0.0);
            (*x, Some(*sum))
        });
        stacked.push(Curve { name: curve.name.clone(), points: points.collect() });
    }
    stacked
}

/// 1, 2 or 5 times a power of ten, at least as large.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.max(f64::MIN_POSITIVE).log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= step * 0.999);
    factor.unwrap_or(10.0) * power
}

/// A number of an axis, with no more digits than necessary.
fn short(value: f64) -> String {
    if value.abs() >= 10_000.0 {
        let thousands = figure((value / 100.0).round() / 10.0);
        return format!("{}k", bare(&thousands));
    }
    bare(&figure(value)).to_owned()
}

fn bare(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A text escaped for HTML elements and attributes. Invalid characters become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(char),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!([0.3, 1.0, 2.1, 7.0, 40.0].map(nice), [0.5, 1.0, 5.0, 10.0, 50.0]);
        assert_eq!(
            [0.0, 0.5, 20.0, 1500.0, 25_000.0].map(short),
            ["0", "0.5", "20", "1,500", "25k"]
        );
    }

    #[test]
    fn gaps_lift_the_pen() {
        let points = vec![(0.0, Some(1.0)), (1.0, Some(2.0)), (2.0, None), (3.0, Some(1.0))];
        let curves = vec![Curve { name: "<a>".into(), points }];
        let figure = Chart { title: "t".into(), curves, ..Chart::default() }.figure();
        let path = figure.split(" d=\"").nth(1).unwrap();
        assert_eq!(path.split('"').next().unwrap().matches('M').count(), 2);
        assert!(figure.contains("&lt;a&gt;") && !figure.contains("<a>"));
    }

    #[test]
    fn a_second_and_a_day_can_be_read() {
        let figure = |seconds: i32| {
            let points = (0..seconds).map(|at| (f64::from(at), Some(7.0))).collect();
            let curves = vec![Curve { name: "a".into(), points }];
            Chart { title: "t".into(), curves, ..Chart::default() }.figure()
        };
        let one = figure(1);
        assert!(one.contains('L') && one.contains(">1 s<"), "{one}");
        let day = figure(86_400);
        assert!(day.contains(">20 h<") && !day.contains(" s<"), "{day}");
        assert!(figure(600).contains(">8 min<"));
        let points = vec![(0.0, None), (1.0, Some(2.0)), (2.0, None)];
        let curves = vec![Curve { name: "a".into(), points }];
        assert!(Chart { curves, ..Chart::default() }.figure().contains("h0\""));
    }

    #[test]
    fn empty_charts_draw_no_curves() {
        assert_eq!(Chart::default().figure(), "");
        let points = vec![(0.0, None), (1.0, Some(f64::NAN))];
        let curves = vec![Curve { name: "a".into(), points }];
        assert_eq!(Chart { curves, ..Chart::default() }.figure(), "");
        let flat = vec![Curve { name: "a".into(), points: vec![(0.0, Some(0.0))] }];
        assert!(Chart { curves: flat, ..Chart::default() }.figure().contains("<svg"));
    }

    #[test]
    fn long_runs_are_thinned() {
        let points = (0..4_000).map(|at| (f64::from(at), Some(f64::from(at % 10)))).collect();
        let curve = Curve { name: "a".into(), points };
        let worst = Chart { worst: true, ..Chart::default() }.thinned(&curve);
        assert_eq!((worst.points.len(), worst.points[3].1), (400, Some(9.0)));
        let mean = Chart::default().thinned(&curve);
        assert_eq!(mean.points[3], (30.0, Some(4.5)));
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape("<a href='x'>\"&\u{7}\n"),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\u{fffd}\n"
        );
    }
}
