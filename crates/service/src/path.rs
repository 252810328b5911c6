//! Paths of requests.

/// What follows a mount in a path, without the slash between; `None` where the path does not lie
/// below the mount.
#[inline]
pub fn below<'p>(mount: &str, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(mount)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// A mount's path for people: `/` for the root.
pub fn shown_path(path: &str) -> &str {
    if path.is_empty() { "/" } else { path }
}
