//! Privileges compiled into decisions.
//!
//! An operation on a path is allowed if a built-in role allows it everywhere, or if a privilege that
//! matches the path and the operation has one of the principal's roles. Privileges only grant, so a
//! narrower pattern does not restrict what a wider one allows. Without a matching privilege, only the
//! built-in roles have access.
//!
//! Rules are compiled per resource; a request only intersects two bit sets. Only patterns below a
//! resource (`/team/301`) compare the path.

mod read_right;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use duet_model::{Result, steps};
use duet_text::name;
use percent_encoding::percent_decode_str;

use crate::principal::Principal;
use crate::privilege::{Operation, Operations, Pattern, Privilege};
use crate::role::{self, RoleSet};

pub use read_right::ReadRight;

/// An access decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Allowed.
    Allow,
    /// A token is required: 401.
    Unauthorized,
    /// The roles of the client do not allow the operation: 403.
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

    /// Whether access is allowed.
    pub fn is_allowed(self) -> bool {
        self == Self::Allow
    }
}

/// Decides about `/metrics` and `/admin`: only role [`role::ADMIN`] allows them, even if the server is
/// open (`--open`).
pub fn admin(principal: &Principal) -> Decision {
    Decision::new(principal.roles().meets(&RoleSet::of([role::ADMIN])), principal)
}

/// The privileges of all mounts.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    mounts: BTreeMap<Box<str>, Rules>,
}

/// The rules of a mount.
#[derive(Clone, Debug)]
struct Rules {
    all: Vec<Rule>,
    /// What the built-in roles may do, and those of patterns that match every resource.
    of_all: ResourceAccess,
    /// Positions of the other rules by the first segment of their patterns.
    by_segment: HashMap<Box<str>, Vec<usize>>,
}

impl Default for Rules {
    fn default() -> Self {
        let of_all = ResourceAccess::built_in();
        Self { all: Vec::new(), of_all, by_segment: HashMap::new() }
    }
}

impl Rules {
    fn add(&mut self, rule: Rule) {
        match rule.pattern.segments.first() {
            Some(first) => {
                self.by_segment.entry((**first).into()).or_default().push(self.all.len());
            }
            // Without segments, the place below the mount is all that it says.
            None => self.of_all.add(&rule, &["*"]),
        }
        self.all.push(rule);
    }

    fn access(&self, resource: &[&str]) -> ResourceAccess {
        let mut access = self.of_all.clone();
        match resource.first() {
            Some(first) => {
                for &at in self.by_segment.get(*first).into_iter().flatten() {
                    access.add(&self.all[at], resource);
                }
            }
            // The mount itself: each pattern is about something below it.
            None => {
                access = ResourceAccess::built_in();
                self.all.iter().for_each(|rule| access.add(rule, resource));
            }
        }
        access
    }
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

/// A pattern that matches no resource of its mount, probably a typing error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedPattern {
    /// The privilege's name.
    pub privilege: String,
    /// The pattern as written.
    pub pattern: String,
    /// The resource with the nearest name.
    pub nearest: Option<String>,
}

/// A pattern that goes on below a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPattern<'p> {
    /// The privilege's name.
    pub privilege: &'p str,
    /// The pattern as written.
    pub pattern: &'p str,
    /// Its first part: the resource.
    pub resource: &'p str,
    /// Its second part: an item, or another path below the resource.
    pub item: &'p str,
}

impl Policy {
    /// Compiles the privileges of all mounts. A mount's name is the caller's choice, such as its
    /// path; privileges of a repeated mount are combined.
    ///
    /// # Errors
    /// `Setting` if a privilege is incomplete, or names an invalid role or pattern.
    pub fn compile<'a>(
        mounts: impl IntoIterator<Item = (&'a str, &'a [Privilege])>,
    ) -> Result<Self> {
        let mut policy = Self::default();
        for (mount, privileges) in mounts {
            let rules = policy.mounts.entry(mount.into()).or_default();
            for privilege in privileges {
                compile(privilege)?.into_iter().for_each(|rule| rules.add(rule));
            }
        }
        Ok(policy)
    }

    /// The access rules of a resource. `resource` is its decoded path below the mount, such as `team`
    /// or `jobs/employees`. Without privileges on the mount, only the built-in roles have access.
    pub fn resource_access(&self, mount: &str, resource: &str) -> ResourceAccess {
        let place = segments(mount).chain(segments(resource)).map(Box::from).collect();
        let resource: Vec<&str> = segments(resource).collect();
        let access = match self.mounts.get(mount) {
            Some(rules) => rules.access(&resource),
            None => ResourceAccess::built_in(),
        };
        ResourceAccess { place: Some(place), ..access }
    }

    /// The patterns of a mount that go on below a resource, to validate settings.
    pub fn item_patterns(&self, mount: &str) -> impl Iterator<Item = ItemPattern<'_>> {
        let rules = self.mounts.get(mount).map_or(&[][..], |rules| &rules.all);
        rules.iter().filter_map(|rule| match &rule.pattern.segments[..] {
            [resource, item, ..] => {
                let (privilege, pattern) = (&*rule.privilege, &*rule.text);
                Some(ItemPattern { privilege, pattern, resource, item })
            }
            _ => None,
        })
    }

    /// The patterns of a mount that match none of its resources, to validate settings.
    pub fn unmatched_patterns(&self, mount: &str, resources: &[&str]) -> Vec<UnmatchedPattern> {
        let rules = self.mounts.get(mount).map_or(&[][..], |rules| &rules.all);
        let mut by_segment: HashMap<Option<&str>, Vec<Vec<&str>>> = HashMap::new();
        for resource in resources {
            let resource: Vec<&str> = segments(resource).collect();
            by_segment.entry(resource.first().copied()).or_default().push(resource);
        }
        let matches_none = |rule: &&Rule| {
            let Some(first) = rule.pattern.segments.first() else {
                let whole = |resource: &Vec<&str>| Reach::of(&rule.pattern, resource).is_some();
                return !by_segment.values().flatten().any(whole);
            };
            // A resource without a segment is the mount itself, which each pattern is below.
            let matching = by_segment.get(&Some(&**first)).into_iter();
            let mut matching = matching.chain(by_segment.get(&None)).flatten();
            !matching.any(|resource| Reach::of(&rule.pattern, resource).is_some())
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

/// The segments of a path, ignoring a leading or trailing slash.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// The part of a resource that a pattern covers.
enum Reach {
    /// The resource and everything below.
    Whole,
    /// The resource's own path.
    OwnPath,
    /// A path below the resource.
    Below(Pattern),
}

impl Reach {
    /// `None` if the pattern does not match the resource.
    fn of(pattern: &Pattern, resource: &[&str]) -> Option<Self> {
        steps::step();
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
    /// Per operation, the roles that allow it on the resource and everything below.
    whole: [RoleSet; 5],
    /// Per operation, the roles that allow it on the resource's own path.
    own_path: [RoleSet; 5],
    /// Patterns for paths below the resource.
    below: Vec<Below>,
    /// The segments of its path with the mount, for links; `None` of what no link leads to.
    place: Option<Arc<[Box<str>]>>,
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

    /// Everything for one role, and nothing for others.
    pub fn of_role(role: &str) -> Self {
        let whole = std::array::from_fn(|_| RoleSet::of([role]));
        Self { whole, ..Self::default() }
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

    /// Decides whether a principal may do the operation. `path_tail` is the rest of the request's path
    /// after the resource, still percent-encoded: empty or `/` for the resource itself, `301` for an
    /// item. Segments are decoded one by one, so an encoded slash in a key is not a separator.
    #[inline]
    pub fn allows(&self, principal: &Principal, operation: Operation, path_tail: &str) -> Decision {
        let roles = principal.roles();
        let allowed = self.whole[operation as usize].meets(roles)
            || (self.own_path[operation as usize].meets(roles)
                && path_tail.trim_matches('/').is_empty())
            || self.below.iter().any(|below| below.allows(roles, operation, path_tail));
        let is_there = principal.link().is_none_or(|link| {
            self.place.as_ref().is_some_and(|place| link.allows(place, operation, path_tail))
        });
        Decision::new(allowed && is_there, principal)
    }

    /// The names of the roles that allow the operation; any one of them suffices. `path_tail` is as
    /// for [`ResourceAccess::allows`].
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

    /// Decides whether the principal may do the operation on the resource or anything below it: for
    /// the lists in catalogs and OpenAPI documents, not for requests.
    pub fn reaches(&self, principal: &Principal, operation: Operation) -> Decision {
        let roles = principal.roles();
        let allowed = self.whole[operation as usize].meets(roles)
            || self.own_path[operation as usize].meets(roles)
            || self.below.iter().any(|below| below.grants(roles, operation));
        let is_there = principal.link().is_none_or(|link| {
            self.place.as_ref().is_some_and(|place| link.reaches(place, operation))
        });
        Decision::new(allowed && is_there, principal)
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

/// Whether a percent-encoded path tail matches a pattern. Does not allocate.
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
