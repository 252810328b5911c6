//! Little's law in a closed run: N = X · (R + Z), because each user either waits for a response or thinks. X · R, the mean
//! number of transactions in progress, is measured as the time that users spent in transactions, clipped to the window.
//! A deviation of more than 2 % means that the load generator lost time.

/// The tolerated relative deviation.
const TOLERANCE: f64 = 0.02;

/// The actual number of users, compared with the number by Little's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Little {
    /// The actual number of users.
    pub users: f64,
    /// X · R + X · Z.
    pub found: f64,
    /// (found − users) ÷ users.
    pub off: f64,
    /// Whether the deviation is at most 2 %.
    pub holds: bool,
}

/// Compares a closed run with the law: users, mean transactions in progress, transactions per second (including failed
/// ones), and the mean think time in seconds. `None` without users or transactions in progress.
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
    fn detects_lost_time() {
        assert!(law(16.0, 12.0, 800.0, 0.005).unwrap().holds);
        let lost = law(16.0, 10.5, 700.0, 0.005).unwrap();
        assert!(!lost.holds && (lost.off + 0.125).abs() < 1e-9);
        assert_eq!(law(0.0, 1.0, 1.0, 1.0), None);
        assert_eq!(law(1.0, 0.0, 1.0, 1.0), None);
        // No transaction ended, and every user waited all the time.
        assert!(law(10.0, 10.0, 0.0, 0.0).unwrap().holds);
    }
}
