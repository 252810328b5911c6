//! Little's law in a closed run: N = X · (R + Z). Each user either waits for its answer or thinks. X · R, the transactions
//! under way on average, is measured: the time that users spent in them, clipped to the window, so that those that
//! reach over its edges are right too. More than 2 % off, and the load generator lost time that no clock has seen.

/// How far it may be off.
const TOLERANCE: f64 = 0.02;

/// Users as they were, and as what was under way and thought says they were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Little {
    /// As they were.
    pub users: f64,
    /// X · R + X · Z.
    pub found: f64,
    /// (found − users) ÷ users.
    pub off: f64,
    /// Whether that is within 2 %.
    pub holds: bool,
}

/// Compares a closed run with the law: users, transactions under way on average, all that ended per second (failed ones
/// keep a user busy too), and the mean think time in seconds. `None` without users or anything under way.
pub fn law(users: f64, under_way: f64, per_s: f64, think_s: f64) -> Option<Little> {
    if users <= 0.0 || under_way <= 0.0 {
        return None;
    }
    let found = under_way + per_s * think_s;
    let off = found / users - 1.0;
    Some(Little { users, found, off, holds: off.abs() <= TOLERANCE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_lost_is_found() {
        assert!(law(16.0, 12.0, 800.0, 0.005).unwrap().holds);
        let lost = law(16.0, 10.5, 700.0, 0.005).unwrap();
        assert!(!lost.holds && (lost.off + 0.125).abs() < 1e-9);
        assert_eq!(law(0.0, 1.0, 1.0, 1.0), None);
        assert_eq!(law(1.0, 0.0, 1.0, 1.0), None);
        // Nothing ended, and every user waited all the time.
        assert!(law(10.0, 10.0, 0.0, 0.0).unwrap().holds);
    }
}
