//! Exact and floating-point numbers as JSON.

/// Appends an integer.
pub(crate) fn write_integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a float as the shortest JSON number that reads back as the same value; NaN and the
/// infinities, which JSON does not have, as strings.
pub(crate) fn write_float(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        push_shortest(ryu::Buffer::new().format_finite(value), out);
    } else {
        write_not_finite(value, out);
    }
}

/// The same with a point or an exponent always: `1.0`, which is no integer.
pub(crate) fn write_pointed_float(value: f64, out: &mut Vec<u8>) {
    match value.is_finite() {
        true => out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes()),
        false => write_not_finite(value, out),
    }
}

/// The same as [`write_float`] for 32 bits.
pub(crate) fn write_float32(value: f32, out: &mut Vec<u8>) {
    if value.is_finite() {
        push_shortest(ryu::Buffer::new().format_finite(value), out);
    } else {
        write_not_finite(f64::from(value), out);
    }
}

fn push_shortest(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

fn write_not_finite(value: f64, out: &mut Vec<u8>) {
    let text: &[u8] = if value.is_nan() {
        b"\"NaN\""
    } else if value > 0.0 {
        b"\"Infinity\""
    } else {
        b"\"-Infinity\""
    };
    out.extend_from_slice(text);
}

/// Appends PostgreSQL's binary `numeric` (base 10,000 digits with a display scale) without loss.
/// Returns false, with nothing written, if the bytes are not one.
pub(crate) fn write_numeric(wire: &[u8], out: &mut Vec<u8>) -> bool {
    let word = |index: usize| {
        wire.get(index * 2..index * 2 + 2).map(|pair| i16::from_be_bytes([pair[0], pair[1]]))
    };
    let (Some(count), Some(weight), Some(sign), Some(scale)) = (word(0), word(1), word(2), word(3))
    else {
        return false;
    };
    let (count, scale) = (usize::from(count.cast_unsigned()), usize::from(scale.cast_unsigned()));
    match sign.cast_unsigned() {
        0xC000 => out.extend_from_slice(b"\"NaN\""),
        0xD000 => out.extend_from_slice(b"\"Infinity\""),
        0xF000 => out.extend_from_slice(b"\"-Infinity\""),
        sign => {
            if wire.len() < 8 + count * 2 {
                return false;
            }
            if sign == 0x4000 {
                out.push(b'-');
            }
            let digit = |position: i32| -> u16 {
                let index = usize::try_from(i32::from(weight) - position).ok();
                index
                    .filter(|&index| index < count)
                    .and_then(|index| word(4 + index))
                    .map_or(0, i16::cast_unsigned)
            };
            write_whole(i32::from(weight), digit, out);
            write_fraction(scale, digit, out);
        }
    }
    true
}

/// The digits before the point; `digit` gives the base-10,000 digit of a power.
fn write_whole(weight: i32, digit: impl Fn(i32) -> u16, out: &mut Vec<u8>) {
    if weight < 0 {
        out.push(b'0');
        return;
    }
    out.extend_from_slice(itoa::Buffer::new().format(digit(weight)).as_bytes());
    for position in (0..weight).rev() {
        out.extend_from_slice(&four_digits(digit(position)));
    }
}

fn write_fraction(scale: usize, digit: impl Fn(i32) -> u16, out: &mut Vec<u8>) {
    if scale == 0 {
        return;
    }
    out.push(b'.');
    let end = out.len() + scale;
    let mut position = -1;
    while out.len() < end {
        let digits = four_digits(digit(position));
        let take = digits.len().min(end - out.len());
        out.extend_from_slice(&digits[..take]);
        position -= 1;
    }
}

fn four_digits(value: u16) -> [u8; 4] {
    let digit = |divisor: u16| b'0' + u8::try_from(value / divisor % 10).unwrap_or(0);
    [digit(1000), digit(100), digit(10), digit(1)]
}

/// Appends an integer in a column with a declared scale: `5` of `NUMERIC(10,2)` is `5.00`.
pub(crate) fn write_scaled_int(value: i64, scale: Option<u8>, out: &mut Vec<u8>) {
    write_integer(value, out);
    if let Some(scale) = scale.filter(|&scale| scale > 0) {
        out.push(b'.');
        out.resize(out.len() + usize::from(scale), b'0');
    }
}

/// Appends a float stored in a column of decimals: with the declared number of decimals if the
/// value is exactly such a number, else its shortest form, and never with an exponent.
pub(crate) fn write_scaled_float(value: f64, scale: Option<u8>, out: &mut Vec<u8>) {
    if !value.is_finite() {
        return write_not_finite(value, out);
    }
    if let Some(scale) = scale.filter(|_| value.abs() < 1e15) {
        let text = format!("{value:.0$}", usize::from(scale));
        if text.parse() == Ok(value) {
            return out.extend_from_slice(text.as_bytes());
        }
    }
    out.extend_from_slice(value.to_string().as_bytes());
}

/// Whether text is a JSON number (RFC 8259 §6).
pub(crate) fn is_json_number(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent =
            exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn numeric(words: &[i16]) -> String {
        let wire: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        text(|out| assert!(write_numeric(&wire, out)))
    }

    #[test]
    fn numerics() {
        assert_eq!(numeric(&[1, 0, 0, 0, 5]), "5");
        assert_eq!(numeric(&[1, 0, 0, 2, 5]), "5.00");
        assert_eq!(numeric(&[2, 0, 0x4000, 2, 13, 8600]), "-13.86");
        assert_eq!(numeric(&[3, 1, 0, 4, 1, 2, 30]), "10002.0030");
        assert_eq!(numeric(&[1, -2, 0, 8, 12]), "0.00000012");
        assert_eq!(numeric(&[1, 2, 0, 0, 7]), "700000000");
        assert_eq!(numeric(&[0, 0, 0, 2]), "0.00");
        assert_eq!(numeric(&[0, 0, 0xC000_u16.cast_signed(), 0]), "\"NaN\"");
        assert!(!write_numeric(&[0, 1], &mut Vec::new()));
    }

    #[test]
    fn floats_and_scales() {
        assert_eq!(text(|out| write_float(1.0, out)), "1");
        assert_eq!(text(|out| write_float(0.1, out)), "0.1");
        assert_eq!(text(|out| write_float(1e300, out)), "1e300");
        assert_eq!(text(|out| write_float32(0.1, out)), "0.1");
        assert_eq!(text(|out| write_float(f64::NEG_INFINITY, out)), "\"-Infinity\"");
        assert_eq!(text(|out| write_scaled_int(5, Some(2), out)), "5.00");
        assert_eq!(text(|out| write_scaled_float(0.99, Some(2), out)), "0.99");
        assert_eq!(text(|out| write_scaled_float(0.995, Some(2), out)), "0.995");
        assert_eq!(text(|out| write_scaled_float(-1e-6, None, out)), "-0.000001");
        assert_eq!(text(|out| write_scaled_float(1e20, Some(2), out)), "100000000000000000000");
        assert_eq!(text(|out| write_scaled_float(f64::INFINITY, None, out)), "\"Infinity\"");
    }

    #[test]
    fn json_numbers() {
        for good in ["0", "-1", "1.50", "1e10", "1.2E-3"] {
            assert!(is_json_number(good.as_bytes()), "{good}");
        }
        for bad in ["", "01", "1.", ".5", "+1", "1e", "NaN", "1 "] {
            assert!(!is_json_number(bad.as_bytes()), "{bad}");
        }
    }
}
