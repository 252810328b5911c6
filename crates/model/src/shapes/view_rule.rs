//! Rules on the documents of a view: conditions that a write must keep.

use duet_text::JsonStep;

use crate::expressions::compare::Compare;

/// A condition on the documents that are written through a view.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewRule {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Whether it is about the document before or after the write.
    pub stage: RuleStage,
    /// Whether new documents must keep it.
    pub insert: bool,
    /// Whether changed documents must keep it.
    pub update: bool,
    /// The condition as it was written.
    pub text: String,
    /// The condition. It is kept where it is true, and broken where it is false or not known.
    pub condition: RuleCondition,
}

/// Which document a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleStage {
    /// The one that comes in: a new or whole one as it is sent, a patched one as it will be.
    Before,
    /// The one that is read back, behind triggers.
    After,
}

/// A condition over the old and the new document.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleCondition {
    /// All of them.
    And(Vec<RuleCondition>),
    /// One of them.
    Or(Vec<RuleCondition>),
    /// Not this.
    Not(Box<RuleCondition>),
    /// A comparison; not known where one side is NULL.
    Compare(Compare, RuleValue, RuleValue),
    /// A value is NULL.
    IsNull(RuleValue),
    /// A path leads to something.
    Exists(RulePath),
}

/// A path into one of the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePath {
    /// Whether it is the stored document, which a new one lacks.
    pub old: bool,
    /// The steps.
    pub steps: Vec<JsonStep>,
}

/// A value of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleValue {
    /// NULL.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in decimal digits.
    Number(String),
    /// A text.
    Text(String),
    /// The only value at a path; NULL where there is none, or an object or array.
    Inside(RulePath, ReturnType),
}

/// What `json_value` makes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnType {
    /// Its text, of a number as it is written.
    Text,
    /// A number; NULL where it is none.
    Number,
    /// `true` or `false`; NULL for all else.
    Boolean,
}

impl RuleCondition {
    /// Whether it is about the stored document.
    pub fn reads_old(&self) -> bool {
        let old = |value: &RuleValue| matches!(value, RuleValue::Inside(path, _) if path.old);
        match self {
            Self::And(all) | Self::Or(all) => all.iter().any(Self::reads_old),
            Self::Not(inner) => inner.reads_old(),
            Self::Compare(_, left, right) => old(left) || old(right),
            Self::IsNull(value) => old(value),
            Self::Exists(path) => path.old,
        }
    }

    /// The first path into the new document, else into the stored one.
    pub fn first_path(&self) -> Option<&RulePath> {
        self.path_into(false).or_else(|| self.path_into(true))
    }

    fn path_into(&self, old: bool) -> Option<&RulePath> {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().find_map(|one| one.path_into(old)),
            Self::Not(inner) => inner.path_into(old),
            Self::Compare(_, left, right) => left.path_into(old).or_else(|| right.path_into(old)),
            Self::IsNull(value) => value.path_into(old),
            Self::Exists(path) => (path.old == old).then_some(path),
        }
    }
}

impl RuleValue {
    fn path_into(&self, old: bool) -> Option<&RulePath> {
        match self {
            Self::Inside(path, _) if path.old == old => Some(path),
            _ => None,
        }
    }
}
