//! The right to read a resource's documents, as a value that only an access decision can make.

use super::{Decision, ResourceAccess};
use crate::principal::Principal;
use crate::privilege::Operation;

/// Proof that a principal may read the documents of a resource.
///
/// A filter or an order reveals what it compares: how many rows match, which error follows. So
/// whatever applies one takes this proof, and [`ResourceAccess::read_right`] is the only source.
#[derive(Clone, Copy, Debug)]
pub struct ReadRight<'a> {
    access: &'a ResourceAccess,
}

impl ResourceAccess {
    /// The right to read the whole collection.
    ///
    /// # Errors
    /// The decision that denies it.
    pub fn read_right(&self, principal: &Principal) -> Result<ReadRight<'_>, Decision> {
        match self.allows(principal, Operation::Read, "") {
            Decision::Allow => Ok(ReadRight { access: self }),
            denied => Err(denied),
        }
    }
}

impl ReadRight<'_> {
    /// Whether it is the right to read the resource with this access, and not some other one.
    pub fn is_for(self, access: &ResourceAccess) -> bool {
        std::ptr::eq(self.access, access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;
    use crate::principal::Open;

    #[test]
    fn only_a_reader_gets_it_and_for_one_resource() {
        let policy = Policy::default();
        let (team, driver) =
            (policy.resource_access("/", "team"), policy.resource_access("/", "driver"));
        let reader = Principal::anonymous(Open::Read, None);
        let right = team.read_right(&reader).unwrap();
        assert!(right.is_for(&team) && !right.is_for(&driver));
        let stranger = Principal::anonymous(Open::No, None);
        assert_eq!(team.read_right(&stranger).unwrap_err(), Decision::Unauthorized);
    }
}
