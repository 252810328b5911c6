//! Where agents are served, and where they learn how to get a token: the protected resource's metadata (RFC 9728) and, for
//! Duet's own clients, those of its token endpoint (RFC 8414).

/// Where agents are served.
pub(crate) const AGENTS: &str = "/mcp";

/// The metadata of the resource; the resource's own path may follow.
pub(crate) const RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// Those of the token endpoint.
const SERVER: &str = "/.well-known/oauth-authorization-server";

/// What agents ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentPath {
    /// To call a tool.
    Tools,
    /// The metadata of the resource.
    Resource,
    /// Those of the token endpoint.
    Server,
}

impl AgentPath {
    /// What is at a path.
    pub(crate) fn at(path: &str) -> Option<Self> {
        if path == AGENTS {
            return Some(Self::Tools);
        }
        match path.strip_prefix(RESOURCE) {
            Some("" | AGENTS) => Some(Self::Resource),
            _ => (path == SERVER).then_some(Self::Server),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_paths_are_for_agents() {
        for (path, expected) in [
            ("/mcp", Some(AgentPath::Tools)),
            ("/.well-known/oauth-protected-resource/mcp", Some(AgentPath::Resource)),
            ("/.well-known/oauth-protected-resource", Some(AgentPath::Resource)),
            ("/.well-known/oauth-authorization-server", Some(AgentPath::Server)),
            ("/.well-known/oauth-protected-resource/x", None),
            ("/.well-known/", None),
            ("/mcp/", None),
        ] {
            assert_eq!(AgentPath::at(path), expected, "{path}");
        }
    }
}
