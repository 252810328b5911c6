//! What is read from a plan that PostgreSQL explains as JSON.

use std::str::FromStr;

/// The rows that a plan as JSON expects. Citus shows one of its tasks, which are as many as parts of the table.
pub fn planned_rows(plan: &str) -> Option<u64> {
    let tasks = match job_of_citus(plan) {
        Some(job) => number_of(job, "Task Count")?,
        None => 1_u64,
    };
    Some(number_of::<u64>(topmost(plan)?, "Plan Rows")?.saturating_mul(tasks))
}

/// What a plan of Citus says of the statement's own work, which stands behind that of its subplans.
fn job_of_citus(plan: &str) -> Option<&str> {
    let is_it = plan.contains("\"Custom Plan Provider\": \"Citus Adaptive\"");
    plan.rsplit_once("\"Job\":").filter(|_| is_it).map(|(_, job)| job)
}

/// A plan from the topmost step on whose numbers mean something: Citus has constants at the top, and below them the plan
/// of a task. `None` where it shows none.
fn topmost(plan: &str) -> Option<&str> {
    let Some(job) = job_of_citus(plan) else { return Some(plan) };
    job.split_once("\"Remote Plan\":").map(|(_, task)| task)
}

/// The number that the topmost step of a plan has under a name.
pub fn topmost_number<N: FromStr>(plan: &str, name: &str) -> Option<N> {
    number_of(topmost(plan)?, name)
}

/// The first number under a name in a plan as JSON.
fn number_of<N: FromStr>(plan: &str, name: &str) -> Option<N> {
    let (_, rest) = plan.split_once(&format!("\"{name}\":"))?;
    let end = rest.find([',', '\n', '}']).unwrap_or(rest.len());
    rest[..end].trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Citus 13.2.2 prints it.
    const OF_CITUS: &str = r#"[ { "Plan": {
        "Node Type": "Custom Scan", "Custom Plan Provider": "Citus Adaptive", "Parallel Aware": false,
        "Startup Cost": 0.00, "Total Cost": 0.00, "Plan Rows": 100000, "Plan Width": 4,
        "Distributed Query": { "Job": { "Task Count": 8, "Tasks Shown": "One of 8", "Tasks": [ {
          "Node": "host=127.0.0.1 port=9701 dbname=shop",
          "Remote Plan": [ [ { "Plan": {
            "Node Type": "Seq Scan", "Relation Name": "book_102008", "Plan Rows": 31, "Plan Width": 4
          } } ] ] } ] } } } } ]"#;

    #[test]
    fn rows_are_those_of_all_parts_of_a_table() {
        assert_eq!(planned_rows(OF_CITUS), Some(248));
        let (_, job) = OF_CITUS.split_once("\"Distributed Query\":").unwrap();
        let subplan = format!(
            r#"{{ "Subplans": [ {{ "Custom Plan Provider": "Citus Adaptive", {} }} ], "Job": {}"#,
            r#""Job": { "Task Count": 1, "Tasks": [ { "Remote Plan": [ [ { "Plan Rows": 5 } ] ] } ] }"#,
            job.split_once("\"Job\":").unwrap().1
        );
        assert_eq!(planned_rows(&OF_CITUS.replace(job, &subplan)), Some(248));
        // Whose tasks are not shown.
        assert_eq!(planned_rows(&OF_CITUS.replace("Remote Plan", "Merge")), None);
        assert_eq!(
            planned_rows(r#"[{"Plan": {"Plan Rows": 7, "Plans": [{"Plan Rows": 9}]}}]"#),
            Some(7)
        );
    }
}
