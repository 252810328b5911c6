//! The operators and functions of expressions.

use fastrand::Rng;

use super::Number::{self, Fraction, Null, Truth, Whole};
use super::draw;

const RANGE: &str = "A number is out of range, or divided by 0.";
const TYPE: &str = "A truth value is no number.";

/// The value of an operator or function.
///
/// # Errors
/// Why it has none, as a sentence.
pub(super) fn call(name: &str, given: &[Number], random: &mut Rng) -> Result<Number, String> {
    match (name, given) {
        ("is null", [one]) => return Ok(Truth(*one == Null)),
        ("is true", [one]) => return Ok(Truth(*one == Truth(true))),
        ("is false", [one]) => return Ok(Truth(*one == Truth(false))),
        ("not", [Null]) => return Ok(Null),
        ("not", [one]) => return Ok(Truth(!one.holds())),
        _ => {}
    }
    if given.contains(&Null) {
        return Ok(Null);
    }
    if let ("=" | "<>", [Truth(one), Truth(two)]) = (name, given) {
        return Ok(Truth((one == two) == (name == "=")));
    }
    if name.starts_with("random") {
        return drawn(name, given, random);
    }
    if let (true, Some(numbers)) = (!FLOATING.contains(&name), wholes(given)) {
        return of_wholes(name, &numbers);
    }
    of_fractions(name, &given.iter().map(|one| fraction(*one)).collect::<Result<Vec<_>, _>>()?)
}

/// The functions whose value always has a fraction.
const FLOATING: [&str; 7] = ["double", "exp", "ln", "pi", "power", "sqrt", "int"];

fn wholes(given: &[Number]) -> Option<Vec<i64>> {
    let whole = |one: &Number| if let Whole(number) = one { Some(*number) } else { None };
    given.iter().map(whole).collect()
}

fn fraction(one: Number) -> Result<f64, String> {
    match one {
        Whole(number) => Ok(number as f64),
        Fraction(number) => Ok(number),
        Truth(_) | Null => Err(TYPE.to_owned()),
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
        ("|", [a, b]) => Some(a | b),
        ("&", [a, b]) => Some(a & b),
        ("#", [a, b]) => Some(a ^ b),
        ("~", [a]) => Some(!a),
        ("<<", [a, b]) => Some(a.wrapping_shl(*b as u32)),
        (">>", [a, b]) => Some(a.wrapping_shr(*b as u32)),
        ("abs", [a]) => a.checked_abs(),
        ("debug", [a]) => Some(*a),
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
        ("/", [_, b]) if *b == 0.0 => return Err(RANGE.to_owned()),
        ("/", [a, b]) => Fraction(a / b),
        ("negative", [a]) => Fraction(-a),
        ("abs", [a]) => Fraction(a.abs()),
        ("debug" | "double", [a]) => Fraction(*a),
        // As a conversion in C: towards 0, and bounded here.
        ("int", [a]) => Whole(*a as i64),
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
    let [Whole(from), Whole(to), rest @ ..] = given else {
        return Err(format!("The bounds of `{name}` are whole numbers."));
    };
    if from > to {
        return Err(format!("The numbers from {from} to {to} are none."));
    }
    let bounds = (*from, *to);
    let parameter = rest.first().map_or(Ok(0.0), |one| fraction(*one))?;
    Ok(Whole(match name {
        "random" => random.i64(*from..=*to),
        "random_gaussian" if parameter < 2.0 => {
            return Err("The parameter of `random_gaussian` is at least 2.".to_owned());
        }
        "random_gaussian" => draw::gaussian(random, bounds, parameter),
        "random_exponential" if parameter <= 0.0 => {
            return Err("The parameter of `random_exponential` is above 0.".to_owned());
        }
        "random_exponential" => draw::exponential(random, bounds, parameter),
        _ if !(1.001..=1000.0).contains(&parameter) => {
            return Err("The parameter of `random_zipfian` is from 1.001 to 1000.".to_owned());
        }
        _ => draw::zipfian(random, bounds, parameter),
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
