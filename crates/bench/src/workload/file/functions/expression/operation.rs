//! The operators and functions of expressions.

use fastrand::Rng;

use super::Number::{self, Fraction, Null, Truth, Whole};
use super::draw;

const RANGE: &str = "A number is out of range, or divided by 0.";

/// The value of an operator or function.
///
/// # Errors
/// Why it has none, as a sentence.
pub(super) fn call(name: &str, given: &[Number], random: &mut Rng) -> Result<Number, String> {
    match (name, given) {
        ("is null", [one]) => return Ok(Truth(*one == Null)),
        ("is true", [one]) => return Ok(Truth(*one == Truth(true))),
        ("is false", [one]) => return Ok(Truth(*one == Truth(false))),
        ("debug", [one]) => return Ok(*one),
        _ => {}
    }
    if given.contains(&Null) {
        return Ok(Null);
    }
    if let ("not", [one]) = (name, given) {
        return Ok(Truth(!truth(*one)?));
    }
    if name.starts_with("random") {
        return drawn(name, given, random);
    }
    let has_fraction = given.iter().any(|one| matches!(one, Fraction(_)));
    if FLOATING.contains(&name) || has_fraction && !WHOLE.contains(&name) {
        return of_fractions(name, &all(given, fraction)?);
    }
    of_wholes(name, &all(given, whole)?)
}

/// The functions whose value always has a fraction.
const FLOATING: [&str; 6] = ["double", "exp", "ln", "pi", "power", "sqrt"];
/// The operators and functions of whole numbers, which others are rounded to.
const WHOLE: [&str; 12] =
    ["%", "mod", "int", "|", "&", "#", "~", "<<", ">>", "hash", "hash_fnv1a", "hash_murmur2"];

fn all<T>(given: &[Number], one: fn(Number) -> Result<T, String>) -> Result<Vec<T>, String> {
    given.iter().map(|number| one(*number)).collect()
}

/// A truth value, which no number is.
pub(super) fn truth(one: Number) -> Result<bool, String> {
    match one {
        Truth(truth) => Ok(truth),
        other => Err(format!("{other} is no truth value.")),
    }
}

/// A whole number: one with a fraction is rounded, a half to the even one.
fn whole(one: Number) -> Result<i64, String> {
    /// 2⁶³.
    const END: f64 = 9_223_372_036_854_775_808.0;
    match one {
        Whole(number) => Ok(number),
        Fraction(number) => {
            let rounded = number.round_ties_even();
            match (-END..END).contains(&rounded) {
                true => Ok(rounded as i64),
                false => Err(format!("{one} is out of the range of whole numbers.")),
            }
        }
        Truth(_) | Null => Err(format!("The truth value {one} is no number.")),
    }
}

fn fraction(one: Number) -> Result<f64, String> {
    match one {
        Whole(number) => Ok(number as f64),
        Fraction(number) => Ok(number),
        Truth(_) | Null => Err(format!("The truth value {one} is no number.")),
    }
}

fn of_wholes(name: &str, given: &[i64]) -> Result<Number, String> {
    let found = match (name, given) {
        ("+", [a, b]) => a.checked_add(*b),
        ("-", [a, b]) => a.checked_sub(*b),
        ("*", [a, b]) => a.checked_mul(*b),
        ("/", [a, b]) => a.checked_div(*b),
        ("%" | "mod", [a, b]) if *b == -1 => Some(a.wrapping_rem(*b)),
        ("%" | "mod", [a, b]) => a.checked_rem(*b),
        ("negative", [a]) => a.checked_neg(),
        ("int", [a]) => Some(*a),
        ("|", [a, b]) => Some(a | b),
        ("&", [a, b]) => Some(a & b),
        ("#", [a, b]) => Some(a ^ b),
        ("~", [a]) => Some(!a),
        ("<<", [a, b]) => Some(a.wrapping_shl(*b as u32)),
        (">>", [a, b]) => Some(a.wrapping_shr(*b as u32)),
        ("abs", [a]) => a.checked_abs(),
        ("greatest", [..]) => given.iter().max().copied(),
        ("least", [..]) => given.iter().min().copied(),
        ("hash" | "hash_murmur2", [value, seed]) => Some(murmur2(*value, *seed as u64)),
        ("hash_fnv1a", [value, seed]) => Some(fnv1a(*value, *seed as u64)),
        ("hash" | "hash_murmur2", [value]) => Some(murmur2(*value, 0)),
        ("hash_fnv1a", [value]) => Some(fnv1a(*value, 0)),
        _ => return compared(name, given),
    };
    found.map(Whole).ok_or_else(|| RANGE.to_owned())
}

fn of_fractions(name: &str, given: &[f64]) -> Result<Number, String> {
    Ok(match (name, given) {
        ("+", [a, b]) => Fraction(a + b),
        ("-", [a, b]) => Fraction(a - b),
        ("*", [a, b]) => Fraction(a * b),
        // By 0 too: infinity, or none.
        ("/", [a, b]) => Fraction(a / b),
        ("negative", [a]) => Fraction(0.0 - a),
        ("abs", [a]) => Fraction(a.abs()),
        ("double", [a]) => Fraction(*a),
        ("exp", [a]) => Fraction(a.exp()),
        ("ln", [a]) => Fraction(a.ln()),
        ("pi", []) => Fraction(std::f64::consts::PI),
        ("power", [a, b]) => Fraction(a.powf(*b)),
        ("sqrt", [a]) => Fraction(a.sqrt()),
        ("greatest", [..]) => Fraction(given.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        ("least", [..]) => Fraction(given.iter().copied().fold(f64::INFINITY, f64::min)),
        _ => return compared(name, given),
    })
}

/// Comparisons.
fn compared<T: PartialOrd>(name: &str, given: &[T]) -> Result<Number, String> {
    let [one, two] = given else { return Err(format!("`{name}` needs other numbers.")) };
    Ok(Truth(match name {
        "=" => one == two,
        "<>" => one != two,
        "<" => one < two,
        "<=" => one <= two,
        ">" => one > two,
        ">=" => one >= two,
        _ => return Err(format!("`{name}` needs whole numbers.")),
    }))
}

fn drawn(name: &str, given: &[Number], random: &mut Rng) -> Result<Number, String> {
    let [from, to, rest @ ..] = given else {
        return Err(format!("`{name}` has two bounds."));
    };
    let (from, to) = (whole(*from)?, whole(*to)?);
    if from > to {
        return Err(format!("The numbers from {from} to {to} are none."));
    }
    if to.checked_sub(from).and_then(|delta| delta.checked_add(1)).is_none() {
        return Err(format!("The numbers from {from} to {to} are too many."));
    }
    let parameter = rest.first().map_or(Ok(0.0), |one| fraction(*one))?;
    Ok(Whole(match name {
        "random" => random.i64(from..=to),
        "random_gaussian" if parameter < 2.0 => {
            return Err("The parameter of `random_gaussian` is at least 2.".to_owned());
        }
        "random_gaussian" => draw::gaussian(random, from, to, parameter),
        "random_exponential" if parameter <= 0.0 => {
            return Err("The parameter of `random_exponential` is above 0.".to_owned());
        }
        "random_exponential" => draw::exponential(random, from, to, parameter),
        _ if !(1.001..=1000.0).contains(&parameter) => {
            return Err("The parameter of `random_zipfian` is from 1.001 to 1000.".to_owned());
        }
        _ => draw::zipfian(random, from, to, parameter),
    }))
}

/// FNV-1a of the eight bytes of a number (draft-eastlake-fnv-17), as in pgbench.
fn fnv1a(value: i64, seed: u64) -> i64 {
    let mut result = 0xcbf2_9ce4_8422_2325 ^ seed;
    for byte in value.to_le_bytes() {
        result = (result ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    result as i64
}

/// MurmurHash2 of the eight bytes of a number (A. Appleby, 2008), as in pgbench.
fn murmur2(value: i64, seed: u64) -> i64 {
    const MUL: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |number: u64| (number ^ number >> 47).wrapping_mul(MUL);
    let key = mix((value as u64).wrapping_mul(MUL));
    let result = (seed ^ 8_u64.wrapping_mul(MUL) ^ key).wrapping_mul(MUL);
    let result = mix(result);
    (result ^ result >> 47) as i64
}
