//! Orders: the terms of `$orderby`, ranks among them, and the key by which rows are compared.

pub(crate) mod order;
pub(crate) mod order_key;
pub(crate) mod ranking;
