//! Reading: items, pages, streams, and the forms that they have.

mod autorest;
mod compression;
mod conditional;
mod database_plan;
mod expand;
mod forms;
mod groups;
mod ids;
mod member_names;
mod mounts;
mod paging;
mod placements;
mod postgrest;
mod postgrest_aggregates;
mod postgrest_clients;
mod postgrest_openapi;
mod postgrest_rights;
mod postgrest_roles;
mod postgrest_settings;
mod problems;
mod rmb;
mod rows;
mod search;
mod streams;
