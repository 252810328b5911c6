//! The server over HTTP, as clients meet it: what it promises, and what it does when clients,
//! databases or the system behave badly. Everything runs in this process, against a throwaway
//! file or server of its own.

mod autorest;
mod connections;
mod conditional;
mod crowd;
mod fuzz;
mod oauth;
mod paging;
mod privileges;
mod protocol;
mod reload;
mod secrecy;
mod support;
mod trouble_postgres;
mod trouble_sqlite;
