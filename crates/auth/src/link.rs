//! Links that carry their right: clients whose credential is a part of an address.
//!
//! A link acts for another client, with that client's rights, role of the database and tenant, on one resource or one
//! item, by some operations, until it expires or is used up. It ends with the client that it acts for. Its address is
//! `/_/link/` and the link's token in front of the path of what it leads to, as pre-authenticated requests of Oracle REST
//! Data Services have it.

use std::sync::Arc;

use duet_model::{Code, Error, Result};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::privilege::{Operation, Operations};
use crate::secret::Secret;

/// What stands in front of the token in the address of a link.
pub const ADDRESS: &str = "/_/link/";

/// The longest path of a link, in bytes.
const MAX_PATH_BYTES: usize = 2_000;

/// What a link leads to, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessLink {
    /// The number of the client that it acts for.
    pub of: u32,
    /// The path of the resource or item, percent-encoded as in requests.
    pub path: String,
    /// What requests may do there.
    pub operations: Vec<Operation>,
    /// The first second in which it is no longer valid, since the epoch.
    pub expires: u64,
    /// How many requests it is good for; `None` for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// How many of them were made. Counted only where their number is limited.
    #[serde(default)]
    pub used: u32,
}

impl AccessLink {
    /// The path of its requests, which has its token.
    pub fn address(&self, token: &Secret) -> Secret {
        Secret::of_parts(&[ADDRESS, token.expose(), &self.path])
    }

    /// Whether a request may be made with it at the time `now`, in seconds since the epoch.
    pub fn is_valid_at(&self, now: u64) -> bool {
        now < self.expires && self.uses.is_none_or(|uses| self.used < uses)
    }

    /// Checks what its maker gives.
    ///
    /// # Errors
    /// `Setting` for a path that leads to no resource, no operation, no use, and an end that has passed.
    pub(crate) fn check(&self, now: u64) -> Result<()> {
        let path = self.path.as_str();
        let is_path = path.len() <= MAX_PATH_BYTES
            && path.starts_with('/')
            && !path.starts_with("//")
            && path.bytes().all(|byte| byte.is_ascii_graphic())
            && !path.contains(['?', '#', '\\']);
        let mut segments = path.trim_matches('/').split('/');
        // What is behind `_` belongs to a resource, and is no place of its own.
        let is_place = segments.all(|segment| !matches!(segment, "" | "." | ".." | "_"));
        if !is_path || !is_place {
            let message = format!("{path:?} is not the path of a resource or an item.");
            let hint = "It begins with the mount, such as `/api/team` or `/api/team/301`, without a query and as it stands in addresses (a space is %20).";
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        let wrong = match () {
            () if self.operations.is_empty() => "A link needs an operation, such as `read`.",
            () if self.uses == Some(0) => "A link is good for one request at least.",
            () if self.expires <= now => "The end of a link lies in the future.",
            () => return Ok(()),
        };
        Err(Error::new(Code::Setting, wrong))
    }
}

/// Where the requests of a link may go, and what they may do there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkScope {
    /// The decoded segments of the path.
    segments: Box<[Box<str>]>,
    operations: Operations,
    /// The number of the link if its uses are counted.
    counted: Option<u32>,
}

impl LinkScope {
    pub(crate) fn of(number: u32, link: &AccessLink) -> Arc<Self> {
        Arc::new(Self {
            segments: decoded(&link.path).collect(),
            operations: Operations::of(&link.operations),
            counted: link.uses.map(|_| number),
        })
    }

    /// The number of the link if its uses are counted.
    pub fn counted(&self) -> Option<u32> {
        self.counted
    }

    /// Whether a request of this path may go on: it is the link's own, or lies below it. A path below an item is
    /// refused later, by its resource's rules.
    pub fn leads_to(&self, path: &str) -> bool {
        let mut asked = decoded(path);
        self.segments.iter().all(|segment| asked.next().as_ref() == Some(segment))
    }

    /// Whether it allows an operation on a resource at this place, where `tail` is the rest of the path: on all of a
    /// resource that it leads to, of another one on that item alone.
    pub(crate) fn allows(&self, place: &[Box<str>], operation: Operation, tail: &str) -> bool {
        let is_item = |item: &[Box<str>]| item.is_empty() || decoded(tail).eq(item.iter().cloned());
        self.operations.contains(operation) && self.behind(place).is_some_and(is_item)
    }

    /// Whether it allows an operation on a resource at this place or on something below it.
    pub(crate) fn reaches(&self, place: &[Box<str>], operation: Operation) -> bool {
        self.operations.contains(operation) && self.behind(place).is_some()
    }

    /// The segments behind a place, if the path lies there. A place has the name of a resource with a slash in parts,
    /// which is one segment of an address (`a%2Fb`).
    fn behind(&self, place: &[Box<str>]) -> Option<&[Box<str>]> {
        let (mut rest, mut segments) = (place, &self.segments[..]);
        while !rest.is_empty() {
            let (segment, behind) = segments.split_first()?;
            let (own, others) = rest.split_at_checked(segment.matches('/').count() + 1)?;
            if !segment.split('/').eq(own.iter().map(|part| &**part)) {
                return None;
            }
            (rest, segments) = (others, behind);
        }
        Some(segments)
    }
}

/// The segments of a percent-encoded path, each decoded by itself.
fn decoded(path: &str) -> impl Iterator<Item = Box<str>> {
    let parts = path.trim_matches('/').split('/').filter(|part| !part.is_empty());
    parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClientTable, Decision, Open, Policy, ResourceAccess, State, TokenError, admin};

    const NOW: u64 = 1_700_000_000;

    fn link(of: u32, path: &str) -> AccessLink {
        let operations = vec![Operation::Read];
        AccessLink { of, path: path.into(), operations, expires: NOW + 60, uses: None, used: 0 }
    }

    /// A state with a client that may do everything, and its number.
    fn owner() -> (State, u32) {
        let mut state = State::new(NOW).unwrap();
        let roles = ["duet.write", "duet.admin", "chief"];
        let number = state.add("owner", &roles, NOW).unwrap().0.number;
        (state, number)
    }

    #[test]
    fn a_link_has_the_rights_of_its_client_at_its_place_alone() {
        let (mut state, number) = owner();
        let policy = Policy::default();
        let place = |name: &str| policy.resource_access("/api", name);
        let (team, driver) = (place("team"), place("driver"));
        let mut check = |path: &str, expected: [bool; 4]| {
            let (client, text) = state.add_link(path, link(number, path), NOW).unwrap();
            let table = ClientTable::new(&state, Open::All);
            let who = table.verify_link(text.expose(), NOW).unwrap();
            let may = |access: &ResourceAccess, operation, tail: &str| {
                access.allows(who, operation, tail) == Decision::Allow
            };
            let read = Operation::Read;
            let found = [
                may(&team, read, ""),
                may(&team, read, "301"),
                may(&team, read, "301/"),
                may(&team, read, "302"),
            ];
            assert_eq!(found, expected, "{path}");
            assert!(!may(&team, Operation::Delete, "301") && !may(&driver, read, "301"), "{path}");
            assert!(
                team.reaches(who, read).is_allowed() && !driver.reaches(who, read).is_allowed()
            );
            assert_eq!(admin(who), Decision::Forbidden);
            assert_eq!((who.name(), who.client_id()), (path, Some(client.id.as_str())));
        };
        check("/api/team", [true; 4]);
        check("/api/team/", [true; 4]);
        check("/api/team/301", [false, true, true, false]);
        check("/api/te%61m/30%31", [false, true, true, false]);
    }

    /// A name with a slash is one segment of an address, and a path of two leads to another resource.
    #[test]
    fn a_link_leads_to_names_with_a_slash() {
        let place: Vec<Box<str>> = ["api", "in", "out"].map(Box::from).to_vec();
        let allows = |path: &str, tail: &str| {
            LinkScope::of(1, &link(1, path)).allows(&place, Operation::Read, tail)
        };
        assert!(allows("/api/in%2Fout", "") && allows("/api/in%2Fout", "7"));
        assert!(allows("/api/in%2Fout/7", "7") && !allows("/api/in%2Fout/7", "8"));
        assert!(allows("/api/in/out", ""), "a service's path of two parts");
        for bad in ["/api/in", "/api/in%2Fou", "/api/in%2Fout%2F7", "/api%2Fin%2Fout%2F7", "/ap"] {
            assert!(!allows(bad, ""), "{bad}");
        }
        assert!(!LinkScope::of(1, &link(1, "/api/in/out")).leads_to("/api/in%2Fout"));
    }

    #[test]
    fn a_link_leads_to_its_path_and_below() {
        let scope = LinkScope::of(1, &link(1, "/api/order%20details/a%2Fb"));
        for good in [
            "/api/order%20details/a%2Fb",
            "/api/order%20details/a%2fb/",
            "/api/order%20details/a%2Fb/x",
        ] {
            assert!(scope.leads_to(good), "{good}");
        }
        for bad in
            ["/", "/api/order%20details", "/api/order%20details/a/b", "/api/order%20details/a%2Fbc"]
        {
            assert!(!scope.leads_to(bad), "{bad}");
        }
    }

    #[test]
    fn a_link_ends_with_its_time_its_uses_and_its_client() {
        let (mut state, number) = owner();
        let limited = AccessLink { uses: Some(2), ..link(number, "/api/team") };
        let (client, text) = state.add_link("share", limited, NOW).unwrap();
        let verify = |state: &State, now| {
            ClientTable::new(state, Open::No)
                .verify_link(text.expose(), now)
                .map(|who| who.counted_link())
        };
        assert_eq!(verify(&state, NOW), Ok(Some(client.number)));
        assert_eq!(verify(&state, NOW + 60), Err(TokenError::LinkEnded));
        let used = [0; 3].map(|_| state.use_link(client.number, NOW));
        assert_eq!(used, [true, true, false]);
        assert_eq!(verify(&state, NOW), Err(TokenError::LinkEnded));
        assert!(!state.use_link(number, NOW), "no link");
        let (_, other) = state.add_link("other", link(number, "/api/team"), NOW).unwrap();
        state.remove("owner", NOW).unwrap();
        let table = ClientTable::new(&state, Open::No);
        assert_eq!(table.verify_link(other.expose(), NOW), Err(TokenError::LinkEnded));
    }

    /// A link's token is good in its address alone, and no other credential is good there.
    #[test]
    fn a_link_is_no_key_and_gets_no_token() {
        let (mut state, number) = owner();
        let (key, key_text) = state.add_key("etl", &[], NOW, None).unwrap();
        let (client, text) = state.add_link("share", link(number, "/api/team"), NOW).unwrap();
        let table = ClientTable::new(&state, Open::No);
        assert!(table.verify(text.expose(), NOW).is_err());
        assert!(table.verify_api_key(text.expose(), NOW).is_err());
        assert!(table.verify_link(key_text.expose(), NOW).is_err());
        let secret = &text.expose()[client.id.as_str().len() + 1..];
        assert!(table.authenticate(client.id.as_str(), secret).is_none());
        let forged = format!("{}_{}", client.id, &key_text.expose()[key.id.as_str().len() + 1..]);
        assert_eq!(table.verify_link(&forged, NOW), Err(TokenError::WrongLink));
        assert!(TokenError::WrongLink.is_suspicious() && !TokenError::LinkEnded.is_suspicious());
    }

    #[test]
    fn links_are_checked_and_raise_the_version() {
        let (mut state, number) = owner();
        for bad in [
            "",
            "api/team",
            "/",
            "/api//team",
            "//api/team",
            "/api/../team",
            "/api/team/_/batch",
            "/api/team?x",
            "/a b",
            "/é",
        ] {
            let refused = state.add_link("l", link(number, bad), NOW).unwrap_err();
            assert_eq!(refused.code, Code::Setting, "{bad}");
        }
        let of = |change: fn(&mut AccessLink)| {
            let mut made = link(number, "/api/team");
            change(&mut made);
            made
        };
        let wrong =
            [of(|it| it.operations.clear()), of(|it| it.uses = Some(0)), of(|it| it.expires = NOW)];
        assert!(wrong.into_iter().all(|it| state.add_link("l", it, NOW).is_err()));
        let (client, text) = state.add_link("l", link(number, "/api/team"), NOW).unwrap();
        assert!(state.add_link("of a link", link(client.number, "/api/team"), NOW).is_err());
        assert!(state.set_roles("l", &["duet.write"]).is_err(), "a link has no role of its own");
        assert!(state.set_tenant("l", &"diku".parse().unwrap()).is_err());
        let json = state.to_json().unwrap();
        assert!(json.contains("\"version\": 5") && !json.contains(text.expose()));
        assert_eq!(State::from_json(&json).unwrap(), state);
        assert!(State::from_json(&json.replace("\"version\": 5", "\"version\": 4")).is_err());
        let (_, second) = state.rotate("l").unwrap();
        assert!(second.expose().starts_with("dul_") && second.expose() != text.expose());
    }
}
