//! `duet token`: asks a running server for an access token, and prints it.

use std::io::Read as _;
use std::path::Path;

use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::workload::rest::Access;
use duet_model::Error;
use serde::Deserialize;

use super::admin::{TIMEOUT, client_of, unreachable};
use crate::args::Token;
use crate::command_error::CommandError;
use crate::report::{Outcome, print};

/// Where a server is by default.
const USUAL: &str = "http://127.0.0.1:8080";

/// What a file says of a client: the ready file, or the output of `duet client add --json`.
#[derive(Debug, Deserialize)]
struct ClientFile {
    client_id: Option<String>,
    client_secret: Option<String>,
    #[serde(default)]
    urls: Vec<String>,
}

pub(in crate::commands) fn run(arguments: &Token) -> Outcome {
    let file = arguments.from.as_deref().map(read).transpose()?;
    let (id, secret) = match &file {
        Some(file) => file.client_id.clone().zip(file.client_secret.clone()).ok_or_else(|| {
            CommandError::refusal("The file names no client: its server has clients of its own.")
                .hint("Give --client ID:SECRET, as `duet client add` has printed them.")
        })?,
        None => client_of(arguments.client.as_deref())?.ok_or_else(|| {
            CommandError::refusal(
                "Which client? Give --from FILE or --client ID:SECRET (DUET_CLIENT).",
            )
        })?,
    };
    let url = match (&arguments.url, file.and_then(|file| file.urls.into_iter().next())) {
        (Some(url), _) => url.clone(),
        (None, named) => address(named.as_deref().unwrap_or(USUAL))?,
    };
    let url = arguments.trust.of(&url)?;
    let token = crate::runtime::runtime()?.block_on(token(&url, id, secret))?;
    print(&format!("{token}\n"))
}

async fn token(url: &Url, id: String, secret: String) -> Outcome<String> {
    let mut connection =
        HttpConnection::open(url, TIMEOUT).await.map_err(|failed| unreachable(url, &failed))?;
    let access = Access { token: None, client: Some((id, secret)), token_path: None };
    let mount = url.path.trim_end_matches('/');
    let header = access.authorization(&mut connection, url, mount).await.map_err(|failed| {
        CommandError::server(format!("The server at {} gives this client no token: {}.", url.place(), failed.message))
            .hint("`duet client list` shows the clients; a secret is given once, and `duet client rotate` makes a new one.")
    })?;
    let token = header.as_deref().and_then(|value| value.strip_prefix("Bearer "));
    token.map(str::to_owned).ok_or_else(|| Error::internal("a token without its scheme").into())
}

fn read(path: &Path) -> Outcome<ClientFile> {
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_string(&mut text),
        false => std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text)),
    };
    read.map_err(|error| CommandError::unreadable(path, error))?;
    // The parser's message could quote the secret.
    serde_json::from_str(&text).map_err(|error| {
        let message = format!("{}:{}: this is no client in JSON.", path.display(), error.line());
        CommandError::file(message)
            .hint("`duet serve --ready-file FILE` and `duet client add --json` write one.")
    })
}

fn address(text: &str) -> Outcome<Url> {
    text.parse().map_err(|_| CommandError::refusal(format!("{text:?} is no address of a server.")))
}
