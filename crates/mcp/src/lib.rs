//! The Model Context Protocol: what agents send, the seven tools that they are offered, and answers of bounded size.
//!
//! Values in, values out: it knows neither HTTP nor stores. `http` takes the messages, sends the requests that a call of a
//! tool means, and returns what they answer. Specification: <https://modelcontextprotocol.io/specification>.
//!
//! ```
//! use duet_mcp::{AgentRights, Call, Headers, Message, read};
//!
//! let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
//! let Ok(Message::Request(request)) = read(body, Headers::NONE) else { panic!("a request") };
//! assert_eq!(request.call, Call::ListTools);
//! let answer = request.tools(AgentRights { write: false, measure: false });
//! assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(5));
//! ```

mod answer;
mod arguments;
mod bounded;
mod message;
mod tools;

pub use answer::ToolAnswer;
pub use arguments::{Change, Describe, Get, List, Load, Query, ToolCall, WriteOperation, Wrong};
pub use bounded::{Budget, FittedItems};
pub use message::{Call, Headers, Message, RefusedMessage, Request, read};
pub use tools::{AgentRights, TOOLS, ToolRow};
