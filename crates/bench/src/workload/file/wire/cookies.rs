//! Cookies of one user (RFC 6265): kept by name, domain and path until they expire.

use std::time::{SystemTime, UNIX_EPOCH};

/// The cookies of a user.
#[derive(Clone, Debug, Default)]
pub(in crate::workload::file) struct Cookies(Vec<Cookie>);

#[derive(Clone, Debug)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    /// Whether it is for this host alone.
    host_only: bool,
    path: String,
    secure: bool,
    /// In seconds since 1970.
    expires: Option<i64>,
}

impl Cookies {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes the value of a `Set-Cookie` field of a response to a request for this host and path.
    pub(in crate::workload::file) fn take(&mut self, field: &str, host: &str, path: &str) {
        let Some(cookie) = read(field, host, path) else { return };
        self.0.retain(|known| {
            (&known.name, &known.domain, &known.path)
                != (&cookie.name, &cookie.domain, &cookie.path)
        });
        if cookie.expires.is_none_or(|moment| moment > now()) {
            self.0.push(cookie);
        }
    }

    /// The value of the `Cookie` field of a request; `None` without one.
    pub(in crate::workload::file) fn of(
        &self,
        host: &str,
        path: &str,
        is_secure: bool,
    ) -> Option<String> {
        let path = path.split('?').next().unwrap_or("/");
        let mut fit: Vec<&Cookie> =
            self.0.iter().filter(|cookie| cookie.fits(host, path, is_secure)).collect();
        // Longer paths come first (§5.4); the sort is stable.
        fit.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> =
            fit.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

impl Cookie {
    fn fits(&self, host: &str, path: &str, is_secure: bool) -> bool {
        let of_domain = host.eq_ignore_ascii_case(&self.domain)
            || !self.host_only && is_below(host, &self.domain);
        let of_path = path == self.path
            || path
                .strip_prefix(self.path.as_str())
                .is_some_and(|rest| self.path.ends_with('/') || rest.starts_with('/'));
        let is_valid = self.expires.is_none_or(|moment| moment > now());
        of_domain && of_path && is_valid && (is_secure || !self.secure)
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

pub(super) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

fn read(field: &str, host: &str, path: &str) -> Option<Cookie> {
    let mut parts = field.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let name = name.trim();
    (!name.is_empty()).then_some(())?;
    let folder =
        path.split('?').next().unwrap_or("/").rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut cookie = Cookie {
        name: name.to_owned(),
        value: value.trim().to_owned(),
        domain: host.to_ascii_lowercase(),
        host_only: true,
        path: if folder.is_empty() { "/".to_owned() } else { folder.to_owned() },
        secure: false,
        expires: None,
    };
    let mut has_age = false;
    for part in parts {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "secure" => cookie.secure = true,
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "domain" if !value.is_empty() => {
                let domain = value.trim_start_matches('.').to_ascii_lowercase();
                let is_own = host.eq_ignore_ascii_case(&domain) || is_below(host, &domain);
                is_own.then_some(())?;
                cookie.host_only = false;
                cookie.domain = domain;
            }
            "max-age" => {
                if let Ok(seconds) = value.parse::<i64>() {
                    has_age = true;
                    cookie.expires = Some(now().saturating_add(seconds));
                }
            }
            "expires" if !has_age => cookie.expires = moment(value),
            _ => {}
        }
    }
    Some(cookie)
}

/// A moment such as `Wed, 21 Oct 2015 07:28:00 GMT`, in seconds since 1970.
pub(super) fn moment(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let text = text.to_ascii_lowercase();
    let mut words = text.split([' ', '-', ',']).filter(|word| !word.is_empty()).skip(1);
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|known| month.starts_with(known))?;
    let year: i64 = words.next()?.parse().ok()?;
    let year = if year < 70 {
        year + 2000
    } else if year < 100 {
        year + 1900
    } else {
        year
    };
    let mut clock = words.next()?.split(':').map(|part| part.parse::<i64>().unwrap_or_default());
    let seconds = clock.next()? * 3600 + clock.next()? * 60 + clock.next().unwrap_or(0);
    // Days by the civil calendar (H. Hinnant).
    let month = i64::try_from(month).ok()? + 1;
    let shifted = if month > 2 { year } else { year - 1 };
    let era = shifted.div_euclid(400);
    let of_era = shifted - era * 400;
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_go_where_they_belong() {
        let mut cookies = Cookies::default();
        cookies.take("a=1; Path=/; HttpOnly", "h.example", "/x/y");
        cookies.take("b=2", "h.example", "/x/y?q");
        cookies.take("c=3; Domain=.example; Path=/", "h.example", "/");
        cookies.take("d=4; Secure; Path=/", "h.example", "/");
        cookies.take("e=5; Domain=other.org", "h.example", "/");
        cookies.take("f=6; Max-Age=0; Path=/", "h.example", "/");
        cookies.take("g=7; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "h.example", "/");
        let of = |host, path, secure| cookies.of(host, path, secure).unwrap_or_default();
        assert_eq!(of("h.example", "/x/z?1", false), "b=2; a=1; c=3");
        assert_eq!(of("h.example", "/xx", true), "a=1; c=3; d=4");
        assert_eq!(of("g.example", "/", false), "c=3");
        assert_eq!(of("example.org", "/", false), "");
        cookies.take("a=9; Path=/", "h.example", "/");
        assert_eq!(cookies.of("h.example", "/", false).unwrap(), "c=3; a=9");
        cookies.take("a=; Max-Age=-1; Path=/", "h.example", "/");
        assert_eq!(cookies.of("h.example", "/", false).unwrap(), "c=3");
        assert_eq!(moment("Wed, 21 Oct 2015 07:28:00 GMT"), Some(1_445_412_480));
    }
}
