//! Tests of access rules.

use proptest::prelude::*;

use super::*;
use crate::principal::Open;
use crate::state::State;

fn client(roles: &[&str]) -> Principal {
    let mut state = State::new(1).unwrap();
    let (client, _) = state.add("a", roles, 1).unwrap();
    Principal::of_client(&client, Open::No)
}

fn anonymous() -> Principal {
    Principal::anonymous(Open::No, None)
}

fn privilege(roles: &[&str], patterns: &[&str], operations: &[Operation]) -> Privilege {
    Privilege {
        name: "p".to_owned(),
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        patterns: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
        operations: operations.to_vec(),
    }
}

/// Access to `team` with one privilege: one role, one pattern, all operations.
fn team_with(pattern: &str) -> ResourceAccess {
    let privileges = [privilege(&["driver"], &[pattern], &Operation::ALL)];
    Policy::compile([("hr", &privileges[..])]).unwrap().resource_access("hr", "team")
}

fn allowed(access: &ResourceAccess, principal: &Principal, operation: Operation) -> bool {
    access.allows(principal, operation, "301").is_allowed()
}

#[test]
fn locked_by_default() {
    let access = Policy::default().resource_access("hr", "team");
    for operation in Operation::ALL {
        for tail in ["", "/", "301", "301/x"] {
            assert_eq!(access.allows(&anonymous(), operation, tail), Decision::Unauthorized);
            for roles in [&[][..], &["driver"], &[role::ADMIN], &[role::ANYONE]] {
                let decision = access.allows(&client(roles), operation, tail);
                assert_eq!(decision, Decision::Forbidden, "{roles:?} {operation} {tail}");
            }
        }
    }
}

#[test]
fn built_in_roles_apply_everywhere() {
    let access = Policy::default().resource_access("hr", "team");
    let cases: [(&str, &[Operation]); 5] = [
        (role::READ, &[Operation::Read]),
        (role::WRITE, &[Operation::Read, Operation::Insert, Operation::Update, Operation::Delete]),
        (role::EXECUTE, &[Operation::Execute]),
        (role::ADMIN, &[]),
        (role::ANYONE, &[]),
    ];
    for (role, expected) in cases {
        for operation in Operation::ALL {
            let is = allowed(&access, &client(&[role]), operation);
            assert_eq!(is, expected.contains(&operation), "{role} {operation}");
        }
    }
}

#[test]
fn administration_requires_its_role_even_if_open() {
    assert_eq!(admin(&client(&[role::ADMIN])), Decision::Allow);
    let others = [role::READ, role::WRITE, role::EXECUTE, role::ANYONE, "driver"];
    assert_eq!(admin(&client(&others)), Decision::Forbidden);
    assert_eq!(admin(&Principal::anonymous(Open::All, None)), Decision::Unauthorized);
}

#[test]
fn open_serves_requests_without_a_token() {
    let access = Policy::default().resource_access("hr", "team");
    for operation in Operation::ALL {
        let read = allowed(&access, &Principal::anonymous(Open::Read, None), operation);
        assert_eq!(read, operation == Operation::Read);
        assert!(allowed(&access, &Principal::anonymous(Open::All, None), operation));
    }
}

#[test]
fn patterns_match_exactly_their_paths() {
    for (pattern, tails) in [
        ("*", "|/|301|301/|301/x|batchload"),
        ("/team/*", "|/|301|301/|301/x|batchload"),
        ("/team", "|/"),
        ("/team/301", "301|301/"),
        ("/team/301/*", "301|301/|301/x"),
        ("/tea/*", "-"),
        ("/teams/*", "-"),
        ("/Team/*", "-"),
        ("/hr/team/*", "-"),
    ] {
        let access = team_with(pattern);
        let expected: Vec<&str> = tails.split('|').collect();
        for tail in ["", "/", "301", "301/", "301/x", "batchload"] {
            let decision = access.allows(&client(&["driver"]), Operation::Read, tail);
            assert_eq!(decision.is_allowed(), expected.contains(&tail), "{pattern} {tail:?}");
            let decision = access.allows(&anonymous(), Operation::Read, tail);
            assert_eq!(decision, Decision::Unauthorized);
        }
    }
}

#[test]
fn path_tails_are_decoded_segment_by_segment() {
    let red_bull = team_with("/team/Red Bull");
    let a = team_with("/team/a/*");
    for (access, tail, expected) in [
        (&red_bull, "Red%20Bull", true),
        (&red_bull, "%52ed%20Bull", true),
        (&red_bull, "Red+Bull", false),
        (&red_bull, "Red%20Bul", false),
        (&red_bull, "Red%20Bull%2F", false),
        (&a, "a/b", true),
        (&a, "a%2Fb", false),
        (&a, "//a", false),
        (&a, "b/../a", false),
    ] {
        let decision = access.allows(&client(&["driver"]), Operation::Read, tail);
        assert_eq!(decision.is_allowed(), expected, "{tail}");
    }
}

#[test]
fn any_matching_privilege_grants() {
    let privileges = [
        privilege(&["driver", "mechanic"], &["/team/*"], &[Operation::Read]),
        privilege(&["chief"], &["/team", "/team/301"], &[Operation::Read, Operation::Update]),
    ];
    let policy = Policy::compile([("hr", &privileges[..])]).unwrap();
    let team = policy.resource_access("hr", "team");
    let driver = client(&["driver"]);
    assert!(team.allows(&driver, Operation::Read, "301").is_allowed());
    assert!(!team.allows(&driver, Operation::Update, "301").is_allowed());
    let chief = client(&["chief"]);
    assert!(team.allows(&chief, Operation::Update, "301").is_allowed());
    assert!(team.allows(&chief, Operation::Update, "").is_allowed());
    assert!(!team.allows(&chief, Operation::Update, "2").is_allowed());
    let both = client(&["chief", "mechanic"]);
    assert!(team.allows(&both, Operation::Read, "2").is_allowed());
    let writer = client(&[role::WRITE]);
    assert!(team.allows(&writer, Operation::Delete, "301").is_allowed());
}

#[test]
fn privileges_apply_to_their_own_mount() {
    let privileges = [privilege(&["driver"], &["*"], &Operation::ALL)];
    let policy = Policy::compile([("hr", &privileges[..]), ("shop", &[])]).unwrap();
    for (mount, expected) in [("hr", true), ("shop", false), ("elsewhere", false)] {
        let access = policy.resource_access(mount, "team");
        assert_eq!(allowed(&access, &client(&["driver"]), Operation::Read), expected);
    }
}

#[test]
fn a_resource_can_be_open_to_anyone() {
    let privileges = [privilege(&[role::ANYONE], &["/team/*"], &[Operation::Read])];
    let policy = Policy::compile([("hr", &privileges[..])]).unwrap();
    let team = policy.resource_access("hr", "team");
    for principal in [anonymous(), client(&[]), client(&["driver"])] {
        assert!(allowed(&team, &principal, Operation::Read));
        assert!(!allowed(&team, &principal, Operation::Update));
    }
    let driver = policy.resource_access("hr", "driver");
    assert_eq!(driver.allows(&anonymous(), Operation::Read, ""), Decision::Unauthorized);
}

#[test]
fn resource_paths_may_have_several_segments() {
    for (pattern, own, item) in [
        ("/jobs/*", true, true),
        ("/jobs", false, false),
        ("/jobs/employees", true, false),
        ("/jobs/employees/*", true, true),
        ("/jobs/employees/7", false, true),
    ] {
        let privileges = [privilege(&["driver"], &[pattern], &Operation::ALL)];
        let policy = Policy::compile([("hr", &privileges[..])]).unwrap();
        let access = policy.resource_access("hr", "/jobs/employees/");
        let allows = |tail| access.allows(&client(&["driver"]), Operation::Read, tail).is_allowed();
        assert_eq!((allows(""), allows("7")), (own, item), "{pattern}");
    }
}

#[test]
fn reaches_covers_paths_below_the_resource() {
    let driver = client(&["driver"]);
    for (pattern, expected) in
        [("/team/301", true), ("/team", true), ("/team/*", true), ("/other/*", false)]
    {
        let decision = team_with(pattern).reaches(&driver, Operation::Read);
        assert_eq!(decision.is_allowed(), expected, "{pattern}");
    }
}

#[test]
fn reports_patterns_that_match_no_resource() {
    let patterns = ["/team/*", "/taem/*", "*", "/driver/7", "/nothing-like-it"];
    let privileges = [privilege(&["driver"], &patterns, &Operation::ALL)];
    let policy = Policy::compile([("hr", &privileges[..])]).unwrap();
    let found = policy.unmatched_patterns("hr", &["team", "driver"]);
    let found: Vec<_> =
        found.iter().map(|slip| (slip.pattern.as_str(), slip.nearest.as_deref())).collect();
    assert_eq!(found, [("/taem/*", Some("team")), ("/nothing-like-it", None)]);
    assert!(policy.unmatched_patterns("elsewhere", &[]).is_empty());
}

#[test]
fn supports_more_roles_than_the_inline_bits() {
    let roles: Vec<String> = (0..200).map(|i| format!("crowd-{i}")).collect();
    let privileges: Vec<Privilege> = roles
        .iter()
        .enumerate()
        .map(|(i, role)| privilege(&[role], &[&format!("/r{i}/*")], &[Operation::Read]))
        .collect();
    let policy = Policy::compile([("hr", &privileges[..])]).unwrap();
    for (i, role) in roles.iter().enumerate().step_by(13) {
        let principal = client(&[role]);
        for j in 0..roles.len() {
            let access = policy.resource_access("hr", &format!("r{j}"));
            assert_eq!(allowed(&access, &principal, Operation::Read), i == j);
        }
    }
}

proptest! {
    #[test]
    fn no_path_panics_or_grants_another_resource(resource in ".*", tail in ".*") {
        let access = Policy::default().resource_access("hr", &resource);
        let decision = access.allows(&client(&["driver"]), Operation::Read, &tail);
        prop_assert_eq!(decision, Decision::Forbidden);
        let _ = team_with("/team/301").allows(&client(&["driver"]), Operation::Read, &tail);
    }

    #[test]
    fn a_narrow_pattern_grants_no_more_than_a_wide_one(segment in "[a-z0-9 %/]{1,6}", tail in "[a-z0-9%/]{0,8}") {
        // `/team/*` allows everything that `/team/X/*` allows.
        let pattern = format!("/team/{segment}/*");
        let privileges = [privilege(&["driver"], &[&pattern], &Operation::ALL)];
        if let Ok(policy) = Policy::compile([("hr", &privileges[..])]) {
            let narrow = policy.resource_access("hr", "team");
            let driver = client(&["driver"]);
            if narrow.allows(&driver, Operation::Read, &tail).is_allowed() {
                prop_assert!(team_with("/team/*").allows(&driver, Operation::Read, &tail).is_allowed());
            }
        }
    }
}
