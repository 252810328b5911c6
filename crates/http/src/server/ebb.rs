//! When a worker gives memory back to the system: after the requests and responses under way have become
//! much smaller, and have stayed so. Doing it after each response would cost more than it frees.

use std::time::Duration;

/// How often it looks.
pub(crate) const LOOK: Duration = Duration::from_secs(1);
/// Fewer bytes are not worth it.
const WORTH: usize = 4 << 20;
/// So often they must have been few in a row.
const LOOKS: u32 = 3;

/// The bytes that were held since the last time that memory was given back.
#[derive(Debug, Default)]
pub(crate) struct Ebb {
    most: usize,
    calm: u32,
}

impl Ebb {
    /// Takes the bytes that are held now, and says whether it is time.
    pub(crate) fn look(&mut self, held: usize) -> bool {
        self.most = self.most.max(held);
        let is_low = held <= self.most / 2 && self.most - held >= WORTH;
        self.calm = if is_low { self.calm + 1 } else { 0 };
        if self.calm < LOOKS {
            return false;
        }
        *self = Self { most: held, calm: 0 };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_goes_back_once_after_it_has_stayed_low() {
        const HIGH: usize = 10 * WORTH;
        let mut ebb = Ebb::default();
        let mut looks = |all: &[usize]| all.iter().map(|held| ebb.look(*held)).collect::<Vec<_>>();
        assert_eq!(looks(&[0, HIGH, HIGH, 0, 0]), [false; 5]);
        assert_eq!(
            looks(&[HIGH, 0, 0, 0]),
            [false, false, false, true],
            "a tide between starts anew"
        );
        assert_eq!(looks(&[0, 0, 0, 0]), [false; 4], "once");
        assert_eq!(looks(&[WORTH - 1, 0, 0, 0, 0]), [false; 5], "little");
        assert_eq!(looks(&[HIGH, HIGH / 2 + 1, HIGH / 2 + 1, HIGH / 2 + 1]), [false; 4], "half");
    }
}
