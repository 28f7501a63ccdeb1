//! Who may look: tokens that work once, and the cookies they are exchanged for.
//!
//! Invariants
//! - A token opens the page once; after that it is as wrong as any other. So is one that has been displaced by many newer
//!   ones.
//! - Secrets are 256 bits of the operating system's chance, and are compared without regard to where they differ.
//! - Only under the names of this machine is anything served: a page elsewhere whose name is led here finds nothing.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

/// How many tokens may wait to be used.
const MOST_TOKENS: usize = 8;
/// How many browsers may be logged in; the oldest is logged out.
const MOST_COOKIES: usize = 32;

/// Tokens that wait and cookies that are valid.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    secrets: Mutex<Secrets>,
}

#[derive(Debug, Default)]
struct Secrets {
    tokens: VecDeque<Secret>,
    cookies: VecDeque<Secret>,
}

#[derive(Clone, PartialEq, Eq)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// A new one. An error if the operating system has no chance to give.
    fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let mut text = String::with_capacity(64);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// Whether this is it, in the same time wherever they differ.
    fn is(&self, other: &str) -> bool {
        let (mine, other) = (self.0.as_bytes(), other.as_bytes());
        mine.len() == other.len() && mine.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

impl Gate {
    /// A new token.
    pub(crate) fn token(&self) -> Result<String, getrandom::Error> {
        let secret = Secret::new()?;
        let token = secret.0.clone();
        self.with(|secrets| keep(&mut secrets.tokens, secret, MOST_TOKENS));
        Ok(token)
    }

    /// Exchanges a token for a cookie's value. None if the token is wrong, or used.
    pub(crate) fn enter(&self, token: &str) -> Option<String> {
        let secret = Secret::new().ok()?;
        let cookie = secret.0.clone();
        self.with(|secrets| {
            let at = secrets.tokens.iter().position(|waiting| waiting.is(token))?;
            secrets.tokens.remove(at);
            keep(&mut secrets.cookies, secret, MOST_COOKIES);
            Some(cookie)
        })
    }

    /// Whether a header `Cookie` holds a valid cookie of this name.
    pub(crate) fn knows(&self, name: &str, header: &str) -> bool {
        let mut values =
            header.split(';').filter_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='));
        self.with(|secrets| values.any(|value| secrets.cookies.iter().any(|cookie| cookie.is(value))))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Secrets) -> T) -> T {
        work(&mut self.secrets.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn keep(secrets: &mut VecDeque<Secret>, secret: Secret, most: usize) {
    if secrets.len() >= most {
        secrets.pop_front();
    }
    secrets.push_back(secret);
}

/// Whether a header `Host` names this machine and this port.
pub(crate) fn is_here(host: &str, address: SocketAddr) -> bool {
    // Browsers leave out the port of the web.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        Some(_) | None => (host, "80"),
    };
    let is_name = ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost");
    is_name && port == address.port().to_string()
}

#[cfg(test)]
mod tests {
    use super::{Gate, MOST_TOKENS, is_here};

    #[test]
    fn a_token_opens_once() {
        let gate = Gate::default();
        let token = gate.token().unwrap();
        assert_eq!(token.len(), 64);
        assert_eq!(gate.enter("x"), None);
        assert_eq!(gate.enter(""), None);
        let cookie = gate.enter(&token).unwrap();
        assert_eq!(gate.enter(&token), None);
        for (header, is_known) in [
            (format!("p={cookie}"), true),
            (format!("a=b; p={cookie}; c"), true),
            (format!("p={token}"), false),
            (format!("q={cookie}"), false),
            (format!("pp={cookie}"), false),
            ("p=".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(gate.knows("p", &header), is_known, "{header}");
        }
    }

    #[test]
    fn tokens_that_nobody_uses_are_displaced() {
        let gate = Gate::default();
        let first = gate.token().unwrap();
        let others: Vec<String> = (0..MOST_TOKENS).map(|_| gate.token().unwrap()).collect();
        assert_eq!(gate.enter(&first), None);
        assert!(others.iter().all(|token| gate.enter(token).is_some()));
        assert!(!format!("{gate:?}").contains(&others[0]));
    }

    #[test]
    fn only_the_names_of_this_machine_are_here() {
        assert!(is_here("localhost", "127.0.0.1:80".parse().unwrap()));
        assert!(is_here("[::1]", "127.0.0.1:80".parse().unwrap()));
        let address = "127.0.0.1:8123".parse().unwrap();
        for (host, expected) in [
            ("127.0.0.1:8123", true),
            ("localhost:8123", true),
            ("LocalHost:8123", true),
            ("[::1]:8123", true),
            ("localhost", false),
            ("localhost:80", false),
            ("evil.example:8123", false),
            ("127.0.0.1.evil.example:8123", false),
            ("localhost.:8123", false),
            ("", false),
        ] {
            assert_eq!(is_here(host, address), expected, "{host}");
        }
    }
}
