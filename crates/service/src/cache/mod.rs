//! The items that a resource keeps in memory: their place, their use and how they come there.

mod currency;
pub(crate) mod population;
pub(crate) mod slot;
