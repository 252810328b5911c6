//! Little's law in a closed run: N = X · (R + Z). So many users, each either waiting for its answer
//! or thinking, make that throughput. More than 2 % off, and the measuring side lost time that no
//! clock has seen.

/// How far it may be off.
const TOLERANCE: f64 = 0.02;

/// Users as they were, and as throughput and times say they were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Little {
    /// As they were.
    pub users: f64,
    /// X · (R + Z).
    pub found: f64,
    /// (found − users) ÷ users.
    pub off: f64,
    /// Whether that is within 2 %.
    pub holds: bool,
}

/// Holds a closed run against the law: users, all transactions that ended per second (failed ones
/// keep a user busy too), their mean service time and the mean think time in seconds. `None`
/// without users or throughput.
pub fn law(users: f64, per_s: f64, service_s: f64, think_s: f64) -> Option<Little> {
    if users <= 0.0 || per_s <= 0.0 {
        return None;
    }
    let found = per_s * (service_s + think_s);
    let off = found / users - 1.0;
    Some(Little { users, found, off, holds: off.abs() <= TOLERANCE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_lost_is_found() {
        assert!(law(16.0, 800.0, 0.015, 0.005).unwrap().holds);
        let lost = law(16.0, 700.0, 0.015, 0.005).unwrap();
        assert!(!lost.holds && (lost.off + 0.125).abs() < 1e-9);
        assert_eq!(law(0.0, 1.0, 1.0, 1.0), None);
        assert_eq!(law(1.0, 0.0, 1.0, 1.0), None);
    }
}
