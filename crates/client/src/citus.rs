//! Statements that Citus refuses because of how tables are distributed.
//!
//! It refuses them while it plans, as "not supported" or as internal errors. They are distinguished from those of PostgreSQL by
//! the file of its source that reports them: no file of PostgreSQL has one of these names, so an internal error of a
//! plain server stays one.

use duet_model::{Code, Error};

/// The files of Citus 13 that refuse statements: its planner, and the parts of its executor that check what a plan needs.
const FILES: [&str; 21] = [
    "combine_query_planner.c",
    "deparse_shard_query.c",
    "distributed_planner.c",
    "extended_op_node_utils.c",
    "fast_path_router_planner.c",
    "function_call_delegation.c",
    "insert_select_planner.c",
    "local_distributed_join_planner.c",
    "merge_planner.c",
    "multi_join_order.c",
    "multi_logical_optimizer.c",
    "multi_logical_planner.c",
    "multi_physical_planner.c",
    "multi_router_planner.c",
    "query_colocation_checker.c",
    "query_pushdown_planning.c",
    "recursive_planning.c",
    "relation_restriction_equivalence.c",
    // Of the executor.
    "multi_copy.c",
    "multi_server_executor.c",
    "relation_access_tracking.c",
];

/// What Citus says, and what that means.
struct Reason {
    /// A part of its text, which it has in no other language.
    said: &'static str,
    meaning: &'static str,
}

const REASONS: [Reason; 9] = [
    Reason {
        said: "complex joins are only supported",
        meaning: "it joins tables that are not co-located, or not by the columns that they are distributed by",
    },
    Reason {
        said: "correlated subqueries are not supported when the FROM clause contains a reference table",
        meaning: "a condition on rows of a reference table looks at rows of a distributed one",
    },
    Reason {
        said: "a join that requires repartitioning",
        meaning: "it joins distributed tables by other columns than those that they are distributed by",
    },
    Reason { said: "FOR UPDATE/SHARE", meaning: "it locks rows on several machines" },
    Reason {
        said: "could not create distributed plan",
        meaning: "it needs the values of its parameters before it can be planned",
    },
    Reason {
        said: "modifying the partition value",
        meaning: "the column that a table is distributed by cannot be changed: remove the row and insert it again",
    },
    Reason {
        said: "parallel DML access",
        meaning: "one transaction writes a distributed table and then one that it refers to",
    },
    Reason {
        said: "violates foreign key constraint",
        meaning: "a row refers to one that does not exist, or is referred to",
    },
    Reason { said: "violates unique constraint", meaning: "a unique value exists already" },
];

/// Whether a file of Citus's source reports errors of its own.
pub(crate) fn refuses(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    FILES.contains(&name)
}

/// What the client gets, by what Citus has said.
pub(crate) fn error(said: &str) -> Error {
    let reason = REASONS.iter().find(|reason| said.contains(reason.said));
    let why = reason.map_or("the server's log has the reason", |reason| reason.meaning);
    let text = format!(
        "The database cannot do this for tables that are distributed so: {why}. Nothing was changed."
    );
    Error::new(Code::DistributedStatement, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_found_in_what_citus_says() {
        for (said, part) in [
            (
                "complex joins are only supported when all distributed tables are co-located",
                "not co-located",
            ),
            ("could not run distributed query with FOR UPDATE/SHARE commands", "locks rows"),
            (
                "duplicate key value violates unique constraint \"driver_pkey_102010\"",
                "exists already",
            ),
            ("something that Citus 14 says", "the server's log"),
        ] {
            let error = error(said);
            assert!(error.message.contains(part), "{}", error.message);
            assert!(!error.message.contains("driver_pkey"), "{}", error.message);
            assert_eq!((error.code.status(), error.retry_after), (501, None));
        }
    }

    #[test]
    fn files_are_told_by_their_names_alone() {
        assert!(refuses("multi_copy.c") && refuses("planner/multi_router_planner.c"));
        assert!(!refuses("planner.c") && !refuses("copyfrom.c") && !refuses("execMain.c"));
    }
}
