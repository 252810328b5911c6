//! Stamps: what a server has handed out is recognised by a keyed hash of it, and nothing else is.

use subtle::ConstantTimeEq;

/// Bytes of a key of stamps.
pub const STAMP_KEY: usize = 32;
/// Bytes of a stamp.
const BYTES: usize = 16;

/// A keyed hash of some texts in their order, as 32 lower-case hex digits. Without the key it cannot be told from
/// random ones.
pub fn stamp(key: &[u8; STAMP_KEY], texts: &[&str]) -> String {
    bytes(key, texts).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text is the stamp of these texts. How long that takes says nothing of the stamp.
pub fn is_stamp(key: &[u8; STAMP_KEY], texts: &[&str], given: &str) -> bool {
    stamp(key, texts).as_bytes().ct_eq(given.as_bytes()).into()
}

fn bytes(key: &[u8; STAMP_KEY], texts: &[&str]) -> [u8; BYTES] {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for text in texts {
        // With their lengths, so that a text cannot be continued by the next one.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let mut bytes = [0; BYTES];
    hasher.finalize_xof().fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_that_of_its_texts_and_key_alone() {
        let (key, texts) = ([7; STAMP_KEY], ["a", "bc"]);
        let good = stamp(&key, &texts);
        assert_eq!(good.len(), 32);
        assert!(is_stamp(&key, &texts, &good));
        assert!(!is_stamp(&[8; STAMP_KEY], &texts, &good));
        for other in [&["ab", "c"][..], &["a", "b", "c"], &["abc"], &["bc", "a"], &["a", "bC"]] {
            assert!(!is_stamp(&key, other, &good), "{other:?}");
        }
        for at in 0..good.len() {
            let mut wrong = good.clone().into_bytes();
            wrong[at] = if wrong[at] == b'0' { b'1' } else { b'0' };
            assert!(!is_stamp(&key, &texts, std::str::from_utf8(&wrong).unwrap()), "{at}");
        }
        for wrong in ["", &good[..31], &format!("{good}0"), &good.to_uppercase().replace('0', "O")]
        {
            assert!(!is_stamp(&key, &texts, wrong), "{wrong}");
        }
    }
}
