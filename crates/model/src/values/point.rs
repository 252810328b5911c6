//! Points of the plane, boxes, and distances as PostgreSQL computes them.

use std::fmt;

use duet_text::decimal::Decimal;

/// Coordinates have a magnitude from the one to the other, or are 0: squares of such numbers are numbers too.
const LEAST: &str = "1e-100";
const MOST: &str = "1e100";

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its first coordinate.
    pub x: f64,
    /// Its second coordinate.
    pub y: f64,
}

impl Point {
    /// The point of two texts; `None` where one is no number, or beyond what coordinates may be.
    pub fn of(x: &str, y: &str) -> Option<Self> {
        Some(Self { x: coordinate(x)?, y: coordinate(y)? })
    }

    /// Reads `(x,y)`, as it is printed.
    pub fn parse(text: &str) -> Option<Self> {
        let (x, y) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        Self::of(x, y)
    }

    /// The distance from another point, to the last bit that of PostgreSQL's operator `<->`.
    ///
    /// ```
    /// use duet_model::Point;
    ///
    /// let point = |x, y| Point { x, y };
    /// assert_eq!(point(1.0, 1.0).distance(point(4.0, 5.0)), 5.0);
    /// ```
    pub fn distance(self, other: Self) -> f64 {
        let (x, y) = ((self.x - other.x).abs(), (self.y - other.y).abs());
        let (x, y) = if x < y { (y, x) } else { (x, y) };
        if y == 0.0 {
            return x;
        }
        let ratio = y / x;
        x * (1.0 + ratio * ratio).sqrt()
    }
}

/// A number that a coordinate may be.
fn coordinate(text: &str) -> Option<f64> {
    let exact = Decimal::parse(text)?;
    let sign = if text.starts_with('-') { "-" } else { "" };
    let least = Decimal::parse(&format!("{sign}{LEAST}"))?;
    let most = Decimal::parse(&format!("{sign}{MOST}"))?;
    let fits = match sign {
        "" => (least..=most).contains(&exact),
        _ => (most..=least).contains(&exact),
    };
    let number: f64 = text.parse().ok()?;
    // Without the sign of zero.
    (fits || exact == Decimal::parse("0")?).then_some(number + 0.0)
}

impl fmt::Display for Point {
    /// `(x,y)`, with all digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({:?},{:?})", self.x, self.y)
    }
}

/// A box with sides along the axes, which belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The corner with the least coordinates.
    pub least: Point,
    /// The corner with the greatest.
    pub greatest: Point,
}

impl Area {
    /// The box between two corners; `None` where the first is not the one with the least coordinates.
    pub fn between(least: Point, greatest: Point) -> Option<Self> {
        let fits = least.x <= greatest.x && least.y <= greatest.y;
        fits.then_some(Self { least, greatest })
    }

    /// Reads `(x,y),(x,y)`, as it is printed.
    pub fn parse(text: &str) -> Option<Self> {
        let (least, greatest) = text.split_once("),")?;
        Self::between(Point::parse(&format!("{least})"))?, Point::parse(greatest)?)
    }

    /// Whether a point is in it.
    pub fn has(&self, point: Point) -> bool {
        let is_between = |low: f64, at: f64, high: f64| low <= at && at <= high;
        is_between(self.least.x, point.x, self.greatest.x)
            && is_between(self.least.y, point.y, self.greatest.y)
    }
}

impl fmt::Display for Area {
    /// The corners, the least first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.least, self.greatest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_as_they_are_printed() {
        for (x, y, printed) in [
            ("4.9", "-52", "(4.9,-52.0)"),
            ("-0", "1e100", "(0.0,1e100)"),
            (".5", "5.", "(0.5,5.0)"),
            ("1e-100", "0.1", "(1e-100,0.1)"),
        ] {
            let point = Point::of(x, y).unwrap();
            assert_eq!(point.to_string(), printed);
            assert_eq!(Point::parse(printed), Some(point));
        }
        for (x, y) in [("x", "1"), ("1", ""), ("1e101", "1"), ("-1e101", "1"), ("1e-101", "1")] {
            assert_eq!(Point::of(x, y), None, "{x} {y}");
        }
    }

    #[test]
    fn sides_belong_to_a_box() {
        let area = Area::parse("(1.0,2.0),(3.0,4.0)").unwrap();
        assert_eq!(Area::parse(&area.to_string()), Some(area));
        let has = |x, y| area.has(Point { x, y });
        assert!(has(1.0, 4.0) && has(2.0, 3.0) && !has(0.9, 3.0) && !has(2.0, 4.1));
        assert_eq!(Area::parse("(3.0,2.0),(1.0,4.0)"), None);
    }
}
