//! Replies, refusals and problems: what is answered, before it is known how it is sent.

pub(crate) mod coded_body;
pub(crate) mod declared;
pub(crate) mod html;
pub(crate) mod lines;
pub(crate) mod problem;
pub(crate) mod problem_answer;
pub(crate) mod problem_page;
pub(crate) mod refusal;
pub(crate) mod reply;
