//! Numbers of rows, arithmetic, aggregates, and pairs of members.

use duet_model::Arithmetic;
use duet_text::arithmetic::NumberRules;

use crate::group_syntax::{self, GroupSyntax};
use crate::pair_syntax::PairSyntax;
use crate::parts::calculations;
use crate::parts::row_functions::{self, RowFunctions};

/// How the number of rows that a statement selects is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// By the plan of the engine: the SQL text before the statement.
    Plan(&'static str),
    /// By a sample of the rows: the SQL text before the table, between it and the tables with their condition,
    /// and after.
    Sample([&'static str; 3]),
}

/// How an engine says what it would do for a statement, and where it can what it has done: the SQL text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanPrefix {
    /// A document of JSON: with estimates, and with what was measured, for which the statement runs.
    Json {
        /// With estimates.
        estimated: &'static str,
        /// With what was measured.
        measured: &'static str,
    },
    /// A row for each step: its number, that of the step around it, and what it does in the fourth column.
    Steps(&'static str),
}

/// Numbers of rows, arithmetic, aggregates, and pairs of members.
pub trait QuerySyntax {
    /// How numbers of rows are estimated.
    fn estimate(&self) -> Estimate;

    /// How statements are explained.
    fn plan_prefix(&self) -> PlanPrefix;

    /// The texts around the tables and conditions of a join so that it is planned for all of its rows, whatever limit
    /// follows, and still read only as far as that. `None` where the limit does not change the plan, or all rows
    /// would be read.
    fn whole_rows(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// A calculation: before, between and after its operands. On every engine whole numbers have 64 bits, and a quotient
    /// is decimal, has ten digits after the point at most, and is NULL for a division by zero.
    fn calculation(&self, operator: Arithmetic, _rules: NumberRules) -> [&'static str; 3] {
        calculations::standard(operator)
    }

    /// What is around the arguments of a function, or of the sign `negate`: a piece more than there are arguments. `None`
    /// where its name and a list of them mean the same.
    fn function(
        &self,
        _name: &str,
        _arguments: usize,
        _rules: NumberRules,
    ) -> Option<&'static [&'static str]> {
        None
    }

    /// The functions over rows whose results engines give in different forms.
    fn row_functions(&self) -> RowFunctions {
        row_functions::STANDARD
    }

    /// How aggregates of groups are written.
    fn groups(&self) -> &'static GroupSyntax {
        &group_syntax::STANDARD
    }

    /// What two members of a document are together, and its tests.
    fn pairs(&self) -> &'static PairSyntax;

    /// Whether the engine says of which tables the columns of views are.
    fn knows_origins(&self) -> bool {
        false
    }

    /// Whether it has the operators of [`NativeTest`](duet_model::NativeTest), and casts to any type.
    fn has_native_tests(&self) -> bool {
        false
    }

    /// Whether range columns support the operators of ranges, such as `&&`.
    fn overlaps(&self) -> bool {
        false
    }
}
