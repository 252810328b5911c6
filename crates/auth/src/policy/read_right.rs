//! The right to read a resource's documents, as a value that only an access decision can create.

use super::{Decision, ResourceAccess};
use crate::principal::Principal;
use crate::privilege::Operation;

/// Proof that a principal may read the documents of a resource.
///
/// Filters and orders reveal data through the number of matches and through errors. Functions that
/// apply them require this proof, and only [`ResourceAccess::read_right`] and, for what is run,
/// [`ResourceAccess::run_right`] create it.
#[derive(Clone, Copy, Debug)]
pub struct ReadRight<'a> {
    access: &'a ResourceAccess,
    principal: &'a Principal,
}

impl ResourceAccess {
    /// Grants the right to read all documents of the resource.
    ///
    /// # Errors
    /// The decision that denies it.
    pub fn read_right<'a>(&'a self, principal: &'a Principal) -> Result<ReadRight<'a>, Decision> {
        match self.allows(principal, Operation::Read, "") {
            Decision::Allow => Ok(ReadRight { access: self, principal }),
            denied => Err(denied),
        }
    }

    /// Grants the right to read what running gives, which those have who may run it.
    ///
    /// # Errors
    /// The decision that denies it.
    pub fn run_right<'a>(&'a self, principal: &'a Principal) -> Result<ReadRight<'a>, Decision> {
        match self.allows(principal, Operation::Execute, "") {
            Decision::Allow => Ok(ReadRight { access: self, principal }),
            denied => Err(denied),
        }
    }
}

impl ReadRight<'_> {
    /// Whether the right was granted by this resource's access rules.
    pub fn is_for(self, access: &ResourceAccess) -> bool {
        std::ptr::eq(self.access, access)
    }

    /// Whether the principal may read all documents of another resource too.
    pub fn principal_may_read(self, other: &ResourceAccess) -> bool {
        other.allows(self.principal, Operation::Read, "").is_allowed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;
    use crate::principal::Open;

    #[test]
    fn a_reader_gets_the_right_for_one_resource() {
        let policy = Policy::default();
        let (team, driver) =
            (policy.resource_access("/", "team"), policy.resource_access("/", "driver"));
        let reader = Principal::anonymous(Open::Read, None);
        let right = team.read_right(&reader).unwrap();
        assert!(right.is_for(&team) && !right.is_for(&driver));
        assert!(right.principal_may_read(&driver));
        let stranger = Principal::anonymous(Open::No, None);
        assert_eq!(team.read_right(&stranger).unwrap_err(), Decision::Unauthorized);
    }
}
