//! Where the rows of a table are, in an engine that spreads tables over several machines, and what its parts are called.

use duet_text::error::Violation;

use crate::catalog::Relation;

/// Where the rows of a table are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// On the server that is asked: every table of an engine that spreads none.
    #[default]
    Local,
    /// All rows on each machine.
    Reference,
    /// Each row on the machine of its value in one column.
    Distributed {
        /// The name of the column, as the database spells it.
        column: String,
        /// The tables of a group keep equal values on the same machine.
        group: u32,
    },
    /// All rows on one machine, which is that of all tables of the group.
    Single {
        /// The group.
        group: u32,
    },
    /// Made of the rows of several tables, some of which are spread: a view.
    Mixed,
}

impl Placement {
    /// Whether rows of the table are on other machines than the one that is asked.
    pub fn is_spread(&self) -> bool {
        !matches!(self, Self::Local)
    }

    /// The group of tables that it belongs to.
    pub fn group(&self) -> Option<u32> {
        match self {
            Self::Distributed { group, .. } | Self::Single { group } => Some(*group),
            Self::Local | Self::Reference | Self::Mixed => None,
        }
    }

    /// What a message says of such a table, behind "is".
    pub fn words(&self) -> String {
        match self {
            Self::Local => "on the server alone".to_owned(),
            Self::Reference => "a reference table".to_owned(),
            Self::Distributed { column, group } => {
                format!("distributed by `{column}` in group {group}")
            }
            Self::Mixed => "made of tables that are distributed".to_owned(),
            Self::Single { group } => format!("on one machine, in group {group}"),
        }
    }
}

impl Relation {
    /// Whether a violation is of this table: it has its name, that of a part of it, or none.
    pub fn is_of(&self, violation: &Violation) -> bool {
        let is_named = |name: &String| *name == self.name;
        violation.table.as_ref().is_none_or(is_named) || self.part_of(violation).is_some()
    }

    /// The name of the rule in a violation, as the catalog has it.
    pub fn rule_of<'v>(&self, violation: &'v Violation) -> Option<&'v str> {
        let name = violation.constraint.as_deref()?;
        let part = self.part_of(violation);
        Some(part.and_then(|part| name.strip_suffix(part)).unwrap_or(name))
    }

    /// What is behind the name of the table, and behind those of its rules, where a violation is of a part of it on one
    /// machine: `_102009`.
    fn part_of<'v>(&self, violation: &'v Violation) -> Option<&'v str> {
        let part = violation.table.as_deref()?.strip_prefix(self.name.as_str())?;
        let number = part.strip_prefix('_')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (self.placement.is_spread() && is_number).then_some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;
    use crate::values::types::Type;

    #[test]
    fn parts_are_called_as_the_whole() {
        let columns = vec![Column::new("id", Type::Integer { bits: 32 })];
        let mut table = Relation::table("public", "driver", columns);
        let violation = |table: &str, rule: &str| Violation {
            table: Some(table.to_owned()),
            constraint: Some(rule.to_owned()),
            ..Violation::default()
        };
        let (own, part) = (violation("driver", "a_102009"), violation("driver_102009", "a_102009"));
        // A plain table of the name of a part is another table.
        assert!(table.is_of(&own) && !table.is_of(&part));
        assert_eq!(table.rule_of(&part), Some("a_102009"));
        table.placement = Placement::Reference;
        assert!(table.is_of(&own) && table.is_of(&part));
        assert_eq!((table.rule_of(&own), table.rule_of(&part)), (Some("a_102009"), Some("a")));
        for other in ["driver_", "driver_1x", "drivers_102009", "driver2"] {
            assert!(!table.is_of(&violation(other, "a")), "{other}");
        }
    }
}
