//! The progress of a run: one line per second, in the columns of charbench.

use std::fmt::Write as _;
use std::str::FromStr;

use duet_verdict::result::Second;

use crate::run::{Plan, Rates};
use crate::workload::TransactionType;

/// Blocks of 1,024 bytes in a million bytes.
const BLOCKS_OF_MB: f64 = 1e6 / 1024.0;

/// A column, or a group of columns, of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleColumn {
    /// Connected users, and the total.
    Users,
    /// Transactions of the last 60 seconds.
    Tpm,
    /// Transactions of the last second.
    Tps,
    /// Failures so far.
    Errors,
    /// Mean response time so far, ms.
    Response,
    /// Mean response time by type in the last second, ms.
    ByType,
    /// Completed so far, by type.
    Transactions,
    /// The processors: user, system, waiting for the disk, idle, percent, as charbench and vmstat have them.
    Cpu,
    /// The disk: blocks of 1,024 bytes read and written a second, as charbench and vmstat have them.
    Disk,
    /// Transactions completed so far.
    Total,
    /// Transactions, or time, that are left of the run.
    Left,
    /// Connections that users have, of all.
    Pool,
    /// The database's changed rows and commits a second.
    Dml,
    /// The network: Mbit/s.
    Net,
}

impl FromStr for ConsoleColumn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "users" => Self::Users,
            "tpm" => Self::Tpm,
            "tps" => Self::Tps,
            "errs" => Self::Errors,
            "resp" => Self::Response,
            "vresp" => Self::ByType,
            "trans" => Self::Transactions,
            "cpu" => Self::Cpu,
            "disk" => Self::Disk,
            "dml" => Self::Dml,
            "net" => Self::Net,
            "tottx" => Self::Total,
            "trem" => Self::Left,
            "pool" => Self::Pool,
            _ => {
                return Err(format!(
                    "{text:?} is not a column; there are users, tpm, tps, errs, resp, vresp, trans, cpu, disk, dml, net, tottx, trem and pool"
                ));
            }
        })
    }
}

/// Writes the lines.
#[derive(Clone, Debug)]
pub struct Console {
    columns: Vec<ConsoleColumn>,
    kinds: Vec<TransactionType>,
    users: u32,
    errors: u64,
    completed: Vec<u64>,
    time_us: f64,
    /// The length of the run in seconds, where it has one, and the number of its transactions.
    length: (Option<u64>, Option<u64>),
}

impl Console {
    /// For these columns, and a run of this plan with these types.
    pub fn new(columns: &[ConsoleColumn], kinds: &[TransactionType], plan: &Plan) -> Self {
        let users = plan.users;
        let length = (plan.phases.end().map(|end| end.as_secs()), plan.transactions);
        Self {
            length,
            columns: columns.to_vec(),
            kinds: kinds.to_vec(),
            users,
            errors: 0,
            completed: vec![0; kinds.len()],
            time_us: 0.0,
        }
    }

    /// The header line.
    pub fn heading(&self) -> String {
        let mut line = format!("{:<10}", "Time");
        for column in &self.columns {
            match column {
                ConsoleColumn::Users => push(&mut line, 10, "Users"),
                ConsoleColumn::Tpm => push(&mut line, 9, "TPM"),
                ConsoleColumn::Tps => push(&mut line, 9, "TPS"),
                ConsoleColumn::Errors => push(&mut line, 8, "Errors"),
                ConsoleColumn::Response => push(&mut line, 10, "Response"),
                ConsoleColumn::ByType | ConsoleColumn::Transactions => {
                    self.shown().for_each(|(_, kind)| push(&mut line, 8, &kind.short));
                }
                ConsoleColumn::Cpu => {
                    ["User", "System", "Wait", "Idle"]
                        .iter()
                        .for_each(|name| push(&mut line, 6, name));
                }
                ConsoleColumn::Disk => {
                    ["BI", "BO"].iter().for_each(|name| push(&mut line, 8, name));
                }
                ConsoleColumn::Total => push(&mut line, 10, "TotalTx"),
                ConsoleColumn::Left => push(&mut line, 10, "Remaining"),
                ConsoleColumn::Pool => push(&mut line, 10, "Pool"),
                ConsoleColumn::Dml => push(&mut line, 14, "rows/commits"),
                ConsoleColumn::Net => push(&mut line, 9, "Mbit"),
            }
        }
        line
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &TransactionType)> {
        self.kinds.iter().enumerate().filter(|(_, kind)| kind.weight > 0.0)
    }

    /// The line of a second. `clock` is the time of day, `HH:MM:SS`.
    pub fn line(&mut self, clock: &str, second: &Second, rates: &Rates) -> String {
        self.errors += second.failed;
        for (sum, count) in self.completed.iter_mut().zip(&second.by_type) {
            *sum += count;
        }
        self.time_us += second.service.mean_us * second.completed as f64;
        let observed = |name: &str| second.observed.get(name).copied();
        let told =
            |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.0}"));
        let mut line = format!("{clock:<10}");
        for column in &self.columns {
            match column {
                ConsoleColumn::Users => {
                    push(&mut line, 10, &format!("[{}/{}]", second.users, self.users));
                }
                ConsoleColumn::Tpm => push(&mut line, 9, &rates.tpm.to_string()),
                ConsoleColumn::Tps => push(&mut line, 9, &rates.tps.to_string()),
                ConsoleColumn::Errors => push(&mut line, 8, &self.errors.to_string()),
                ConsoleColumn::Response => push(&mut line, 10, &self.mean()),
                ConsoleColumn::ByType => self.shown().for_each(|(index, _)| {
                    let mean = second.mean_us_by_type.get(index).copied().unwrap_or(0.0) / 1000.0;
                    push(&mut line, 8, &format!("{mean:.2}"));
                }),
                ConsoleColumn::Transactions => self
                    .shown()
                    .for_each(|(index, _)| push(&mut line, 8, &self.completed[index].to_string())),
                ConsoleColumn::Cpu => {
                    ["cpu.user", "cpu.system", "cpu.iowait", "cpu.idle"]
                        .iter()
                        .for_each(|name| push(&mut line, 6, &told(observed(name))));
                }
                ConsoleColumn::Disk => ["disk.read_mb", "disk.write_mb"].iter().for_each(|name| {
                    let blocks = observed(name).map(|mb| mb * BLOCKS_OF_MB);
                    push(&mut line, 8, &told(blocks));
                }),
                ConsoleColumn::Total => {
                    push(&mut line, 10, &self.completed.iter().sum::<u64>().to_string());
                }
                ConsoleColumn::Left => push(&mut line, 10, &self.left(second.at_s)),
                ConsoleColumn::Pool => {
                    push(&mut line, 10, &format!("{}/{}", second.users, self.users));
                }
                ConsoleColumn::Dml => {
                    let parts = ["db.rows_changed", "db.commits"].map(|name| told(observed(name)));
                    push(&mut line, 14, &parts.join("/"));
                }
                ConsoleColumn::Net => push(&mut line, 9, &told(observed("net.mbit"))),
            }
        }
        line
    }

    /// What is left of the run: the transactions of one that ends after so many, otherwise the time.
    fn left(&self, at_s: u64) -> String {
        match self.length {
            (_, Some(transactions)) => {
                transactions.saturating_sub(self.completed.iter().sum()).to_string()
            }
            (Some(length), None) => {
                let left = length.saturating_sub(at_s + 1);
                format!("{:02}:{:02}:{:02}", left / 3600, left / 60 % 60, left % 60)
            }
            (None, None) => "-".to_owned(),
        }
    }

    fn mean(&self) -> String {
        let completed: u64 = self.completed.iter().sum();
        format!("{:.2}", self.time_us / completed.max(1) as f64 / 1000.0)
    }
}

fn push(line: &mut String, width: usize, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(line, " {text:<width$}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_charbench() {
        let kinds =
            [TransactionType::new("Browse", "BP", 1.0), TransactionType::new("Off", "SQ", 0.0)];
        let columns = ["users", "tpm", "tps", "vresp"].map(|name| name.parse().unwrap());
        let mut console = Console::new(&columns, &kinds, &Plan::closed(1, 16));
        assert_eq!(
            console.heading().split_whitespace().collect::<Vec<_>>(),
            ["Time", "Users", "TPM", "TPS", "BP"]
        );
        let second = Second {
            users: 10,
            completed: 4,
            by_type: vec![4, 0],
            mean_us_by_type: vec![1500.0, 0.0],
            ..Second::default()
        };
        let mut rates = Rates::default();
        rates.add(4);
        let line = console.line("12:00:01", &second, &rates);
        assert_eq!(
            line.split_whitespace().collect::<Vec<_>>(),
            ["12:00:01", "[10/16]", "4", "4", "1.50"]
        );
        assert!("nothing".parse::<ConsoleColumn>().is_err());
    }

    #[test]
    fn columns_of_the_machine_and_of_what_is_left() {
        let columns = ["cpu", "disk", "tottx", "trem", "pool"].map(|name| name.parse().unwrap());
        let mut plan = Plan::closed(1, 4);
        plan.phases.measure = Some(std::time::Duration::from_secs(65));
        let mut console = Console::new(&columns, &[TransactionType::new("A", "A", 1.0)], &plan);
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let head = words(&console.heading());
        let named =
            ["Time", "User", "System", "Wait", "Idle", "BI", "BO", "TotalTx", "Remaining", "Pool"];
        assert_eq!(head, named);
        let observed = [
            ("cpu.user", 40.0),
            ("cpu.system", 9.6),
            ("cpu.iowait", 1.0),
            ("cpu.idle", 49.0),
            ("disk.read_mb", 0.0),
            ("disk.write_mb", 1.024),
        ];
        let second = Second {
            users: 3,
            completed: 7,
            by_type: vec![7],
            observed: observed.map(|(name, value)| (name.to_owned(), value)).into(),
            ..Second::default()
        };
        let line = words(&console.line("12:00:01", &second, &Rates::default()));
        let expected = ["12:00:01", "40", "10", "1", "49", "0", "1000", "7", "00:01:04", "3/4"];
        assert_eq!(line, expected);
        plan.transactions = Some(20);
        let mut console = Console::new(&columns, &[TransactionType::new("A", "A", 1.0)], &plan);
        assert_eq!(words(&console.line("12:00:01", &second, &Rates::default()))[8], "13");
    }
}
