//! Generated members that follow a path: `@generated(path: "$.a.b")`.
//!
//! The path starts at the JSON object of the member's own table and is resolved here, once: what
//! it leads to is a column or another generated member of the same row.

use duet_model::{Code, Expr, FieldRef, Member, MemberKind, NodeId, Type, Value};

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::lexer::is_plain_name;
use crate::rules;
use crate::source::Span;

/// A member whose path is not resolved yet.
#[derive(Clone, Debug)]
pub(super) struct PathUse {
    /// Positions in the members, through groups.
    pub(super) place: Vec<usize>,
    pub(super) text: String,
    pub(super) span: Span,
}

impl PathUse {
    /// The placeholder of the member until the path is resolved.
    pub(super) fn pending() -> (Expr, Type) {
        (Expr::Literal(Value::Null), Type::Text)
    }
}

/// The end of a path.
enum PathEnd {
    Value(Expr, Type),
    /// To a member that follows a path itself, not resolved yet.
    Pending,
    Problem(String, Option<String>),
}

impl Checker<'_> {
    /// Resolves the paths of a node, each after those it needs.
    pub(super) fn follow_paths(&mut self, node: NodeId) {
        let mut open = std::mem::take(&mut self.drafts[node].paths);
        while !open.is_empty() {
            let mut waiting = Vec::new();
            let places: Vec<_> = open.iter().map(|path| path.place.clone()).collect();
            let count = open.len();
            for path in open {
                match self.target(node, &path, &places) {
                    PathEnd::Value(expr, ty) => self.settle(node, &path.place, &expr, &ty),
                    PathEnd::Pending => waiting.push(path),
                    PathEnd::Problem(message, hint) => self.report_path(&path, message, hint),
                }
            }
            if waiting.len() == count {
                for path in waiting {
                    let message = format!("the path {} leads back to itself", path.text);
                    self.report_path(&path, message, None);
                }
                return;
            }
            open = waiting;
        }
    }

    fn report_path(&mut self, path: &PathUse, message: String, hint: Option<String>) {
        let mut diagnostic = Diagnostic::new(Code::ViewPredicate, path.span, message);
        diagnostic.hint = hint;
        self.report(diagnostic.rule(rules::GENERATED_PATH));
    }

    fn target(&self, node: NodeId, path: &PathUse, open: &[Vec<usize>]) -> PathEnd {
        let Some(steps) = steps(&path.text) else {
            return PathEnd::Problem(format!("the path {} cannot be followed", path.text), None);
        };
        let draft = &self.drafts[node];
        let mut members = &draft.node.members;
        let mut place = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let position = members.iter().position(|member| member.name == *step);
            let Some(position) = position else { return self.missing(members, step) };
            place.push(position);
            let last = index + 1 == steps.len();
            match &members[position].kind {
                MemberKind::Group(inner) if !last => members = inner,
                MemberKind::Column(column) if last => {
                    let ty = draft.node.table.columns[column.column].ty.clone();
                    return PathEnd::Value(FieldRef::row(column.column).into(), ty);
                }
                MemberKind::Generated { .. } if open.contains(&place) => return PathEnd::Pending,
                MemberKind::Generated { expr, ty, .. } if last => {
                    return PathEnd::Value(expr.clone(), ty.clone());
                }
                MemberKind::Object(_) | MemberKind::Array(_) | MemberKind::Scalars(_) => {
                    return PathEnd::Problem(format!("`{step}` is another table's"), None);
                }
                _ => {
                    let problem = if last { "is an object" } else { "has no members" };
                    return PathEnd::Problem(format!("`{step}` {problem}"), None);
                }
            }
        }
        PathEnd::Problem("the path leads nowhere".to_owned(), None)
    }

    fn missing(&self, members: &[Member], step: &str) -> PathEnd {
        let unnested = members.iter().any(|member| match member.kind {
            MemberKind::Unnest(child) => {
                self.drafts[child].node.members.iter().any(|member| member.name == step)
            }
            _ => false,
        });
        if unnested {
            return PathEnd::Problem(format!("`{step}` is another table's"), None);
        }
        let names = members.iter().map(|member| &*member.name);
        let hint = duet_model::name::nearest(step, names.filter(|name| !name.is_empty()));
        let hint = hint.map(|name| format!("Did you mean `{name}`?"));
        PathEnd::Problem(format!("there is no member `{step}` in this object"), hint)
    }

    fn settle(&mut self, node: NodeId, place: &[usize], found: &Expr, found_type: &Type) {
        let mut members = &mut self.drafts[node].node.members;
        for &position in place {
            let Some(member) = members.get_mut(position) else { return };
            match &mut member.kind {
                MemberKind::Group(inner) => members = inner,
                MemberKind::Generated { expr, ty, .. } => {
                    expr.clone_from(found);
                    ty.clone_from(found_type);
                    return;
                }
                _ => return,
            }
        }
    }
}

/// The member names of `$.a."b c"`; `None` for anything else.
fn steps(path: &str) -> Option<Vec<&str>> {
    let mut rest = path.trim().strip_prefix('$')?;
    let mut steps = Vec::new();
    while let Some(step) = rest.strip_prefix('.') {
        let (name, behind) = if let Some(quoted) = step.strip_prefix('"') {
            quoted.split_once('"')?
        } else {
            let end = step.find('.').unwrap_or(step.len());
            step.split_at(end)
        };
        if name.is_empty() || (!step.starts_with('"') && !is_plain_name(name)) {
            return None;
        }
        steps.push(name);
        rest = behind;
    }
    (rest.is_empty() && !steps.is_empty()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn only_plain_paths() {
        assert_eq!(steps("$.a.b"), Some(vec!["a", "b"]));
        assert_eq!(steps("$.\"a b\"._c"), Some(vec!["a b", "_c"]));
        for other in ["$", "a", "$.a[0]", "$..a", "$.a.sum()", "$.*", "$.\"a", "$.a x", ""] {
            assert_eq!(steps(other), None, "{other}");
        }
    }
}
