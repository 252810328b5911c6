//! Privileges compiled into decisions.
//!
//! The rule: an operation on a path is allowed if a built-in role allows it everywhere, or if any
//! privilege that matches the path and the operation has one of the principal's roles. Privileges
//! only ever grant; none takes away what another gave, so a narrower pattern does not lock what a
//! wider one opens. A path that no privilege matches is open to the built-in roles alone.
//!
//! Nearly everything is known once a resource is: what remains per request is whether two sets of
//! bits meet. Only patterns that reach below a resource (`/team/301`) look at the path.

mod read_right;

use std::collections::BTreeMap;

use duet_model::{Result, name};
use percent_encoding::percent_decode_str;

use crate::principal::Principal;
use crate::privilege::{Operation, Pattern, Privilege};
use crate::role::{self, RoleSet};

pub use read_right::ReadRight;

/// The answer to "may they?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Allow,
    /// Not without a token: 401.
    Unauthorized,
    /// Not with the roles of this client: 403.
    Forbidden,
}

impl Decision {
    fn new(allowed: bool, principal: &Principal) -> Self {
        match (allowed, principal.is_anonymous()) {
            (true, _) => Self::Allow,
            (false, true) => Self::Unauthorized,
            (false, false) => Self::Forbidden,
        }
    }

    /// Whether it is a yes.
    pub fn is_allowed(self) -> bool {
        self == Self::Allow
    }
}

/// May they use `/metrics` and `/admin`? Role [`role::ADMIN`] alone decides, also when the server
/// is open for trials.
pub fn admin(principal: &Principal) -> Decision {
    Decision::new(principal.roles().meets(&RoleSet::of([role::ADMIN])), principal)
}

/// The privileges of all mounts.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    mounts: BTreeMap<Box<str>, Vec<Rule>>,
}

/// One pattern of one privilege.
#[derive(Clone, Debug)]
struct Rule {
    privilege: Box<str>,
    text: Box<str>,
    pattern: Pattern,
    operations: Operations,
    roles: RoleSet,
}

/// A set of operations.
#[derive(Clone, Copy, Debug)]
struct Operations(u8);

impl Operations {
    fn of(operations: &[Operation]) -> Self {
        Self(operations.iter().fold(0, |bits, operation| bits | 1 << *operation as u8))
    }

    fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u8) != 0
    }
}

/// A pattern that no resource of its mount matches: a likely slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedPattern {
    /// The privilege's name.
    pub privilege: String,
    /// The pattern as written.
    pub pattern: String,
    /// The resource that may have been meant.
    pub nearest: Option<String>,
}

impl Policy {
    /// Compiles the privileges of some mounts. A mount's name is the caller's choice, such as its
    /// path; privileges of a mount that comes twice are joined.
    ///
    /// # Errors
    /// `Setting` if a privilege lacks something, or names a role or pattern that cannot be.
    pub fn compile<'a>(
        mounts: impl IntoIterator<Item = (&'a str, &'a [Privilege])>,
    ) -> Result<Self> {
        let mut policy = Self::default();
        for (mount, privileges) in mounts {
            let rules = policy.mounts.entry(mount.into()).or_default();
            for privilege in privileges {
                rules.extend(compile(privilege)?);
            }
        }
        Ok(policy)
    }

    /// The access rules of a resource. `resource` is its path below the mount, not encoded, such as
    /// `team` or `jobs/employees`. A mount without privileges is open to the built-in roles alone.
    pub fn resource_access(&self, mount: &str, resource: &str) -> ResourceAccess {
        let resource: Vec<&str> = segments(resource).collect();
        let mut access = ResourceAccess::built_in();
        for rule in self.mounts.get(mount).map_or(&[][..], Vec::as_slice) {
            access.add(rule, &resource);
        }
        access
    }

    /// The patterns of a mount that match none of its resources, for a check of settings.
    pub fn unmatched_patterns(&self, mount: &str, resources: &[&str]) -> Vec<UnmatchedPattern> {
        let rules = self.mounts.get(mount).map_or(&[][..], Vec::as_slice);
        let matches_none = |rule: &&Rule| {
            !resources.iter().any(|resource| {
                Reach::of(&rule.pattern, &segments(resource).collect::<Vec<_>>()).is_some()
            })
        };
        let unmatched = rules.iter().filter(matches_none).map(|rule| UnmatchedPattern {
            privilege: rule.privilege.to_string(),
            pattern: rule.text.to_string(),
            nearest: name::nearest(&rule.pattern.segments.join("/"), resources.iter().copied())
                .map(str::to_owned),
        });
        unmatched.collect()
    }
}

fn compile(privilege: &Privilege) -> Result<Vec<Rule>> {
    let patterns = privilege.check()?;
    let rules = patterns.into_iter().zip(&privilege.patterns).map(|(pattern, text)| Rule {
        privilege: privilege.name.as_str().into(),
        text: text.as_str().into(),
        pattern,
        operations: Operations::of(&privilege.operations),
        roles: RoleSet::of(privilege.roles.iter().map(String::as_str)),
    });
    Ok(rules.collect())
}

/// The parts of a path; a slash at the start or end makes none.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// How far a pattern reaches into a resource.
enum Reach {
    /// The resource and everything below.
    Whole,
    /// The resource's own path.
    OwnPath,
    /// Something below.
    Below(Pattern),
}

impl Reach {
    /// `None` if the pattern is about something else.
    fn of(pattern: &Pattern, resource: &[&str]) -> Option<Self> {
        let common = pattern.segments.len().min(resource.len());
        if pattern.segments.iter().zip(resource).any(|(a, b)| **a != **b) {
            return None;
        }
        let rest = &pattern.segments[common..];
        match (rest.is_empty(), pattern.below) {
            (true, true) => Some(Self::Whole),
            (true, false) => (common == resource.len()).then_some(Self::OwnPath),
            (false, below) => Some(Self::Below(Pattern { segments: rest.to_vec(), below })),
        }
    }
}

/// The access rules of one resource.
#[derive(Clone, Debug, Default)]
pub struct ResourceAccess {
    /// Per operation, the roles that may do it on the resource and everything below.
    whole: [RoleSet; 5],
    /// Per operation, the roles that may do it on the resource's own path.
    own_path: [RoleSet; 5],
    /// Patterns that name something below the resource.
    below: Vec<Below>,
}

#[derive(Clone, Debug)]
struct Below {
    pattern: Pattern,
    operations: Operations,
    roles: RoleSet,
}

impl ResourceAccess {
    /// What the built-in roles may do to every resource.
    fn built_in() -> Self {
        let mut access = Self::default();
        for operation in Operation::ALL {
            let roles: &[&str] = match operation {
                Operation::Read => &[role::READ, role::WRITE],
                Operation::Insert | Operation::Update | Operation::Delete => &[role::WRITE],
                Operation::Execute => &[role::EXECUTE],
            };
            access.whole[operation as usize] = RoleSet::of(roles.iter().copied());
        }
        access
    }

    fn add(&mut self, rule: &Rule, resource: &[&str]) {
        let sets = match Reach::of(&rule.pattern, resource) {
            None => return,
            Some(Reach::Whole) => &mut self.whole,
            Some(Reach::OwnPath) => &mut self.own_path,
            Some(Reach::Below(pattern)) => {
                let (operations, roles) = (rule.operations, rule.roles.clone());
                self.below.push(Below { pattern, operations, roles });
                return;
            }
        };
        for operation in Operation::ALL {
            if rule.operations.contains(operation) {
                sets[operation as usize].extend(&rule.roles);
            }
        }
    }

    /// May they do this here? `path_tail` is what follows the resource in the request's path,
    /// still percent-encoded: empty or `/` for the resource itself, `301` for an item. Each part
    /// is decoded by itself, so an encoded slash in a key never looks like a border.
    #[inline]
    pub fn allows(&self, principal: &Principal, operation: Operation, path_tail: &str) -> Decision {
        let roles = principal.roles();
        let allowed = self.whole[operation as usize].meets(roles)
            || (self.own_path[operation as usize].meets(roles)
                && path_tail.trim_matches('/').is_empty())
            || self.below.iter().any(|below| below.allows(roles, operation, path_tail));
        Decision::new(allowed, principal)
    }

    /// The roles that may do this here, by name; any one of them is enough. `path_tail` is as
    /// [`ResourceAccess::allows`] takes it.
    pub fn roles_for(&self, operation: Operation, path_tail: &str) -> Vec<String> {
        let mut roles = self.whole[operation as usize].clone();
        if path_tail.trim_matches('/').is_empty() {
            roles.extend(&self.own_path[operation as usize]);
        }
        let below = self.below.iter().filter(|below| {
            below.operations.contains(operation) && matches(&below.pattern, path_tail)
        });
        below.for_each(|below| roles.extend(&below.roles));
        roles.names()
    }

    /// May they do this to the resource itself or to anything below it? Answers what to list in
    /// catalogs and OpenAPI documents, not whether a request may pass.
    pub fn reaches(&self, principal: &Principal, operation: Operation) -> Decision {
        let roles = principal.roles();
        let allowed = self.whole[operation as usize].meets(roles)
            || self.own_path[operation as usize].meets(roles)
            || self.below.iter().any(|below| below.grants(roles, operation));
        Decision::new(allowed, principal)
    }
}

impl Below {
    fn grants(&self, roles: &RoleSet, operation: Operation) -> bool {
        self.operations.contains(operation) && self.roles.meets(roles)
    }

    fn allows(&self, roles: &RoleSet, operation: Operation, path_tail: &str) -> bool {
        self.grants(roles, operation) && matches(&self.pattern, path_tail)
    }
}

/// Whether a path tail, still encoded, is what a pattern means. Allocates nothing.
fn matches(pattern: &Pattern, path_tail: &str) -> bool {
    let tail = path_tail.strip_prefix('/').unwrap_or(path_tail);
    let tail = tail.strip_suffix('/').unwrap_or(tail);
    let mut parts = tail.split('/');
    let begins = pattern.segments.iter().all(|segment| {
        parts.next().is_some_and(|part| percent_decode_str(part).eq(segment.bytes()))
    });
    begins && (pattern.below || parts.next().is_none())
}

#[cfg(test)]
mod tests;
