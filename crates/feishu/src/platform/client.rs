//! The HTTP client: TLS by `rustls` with ring, a proxy from the environment but never for this machine, no redirects.

use std::time::Duration;

use super::PlatformError;

/// Longest time for a connection to be made. Until then nothing was sent, so that nothing was applied.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Which HTTP a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaks {
    /// What the server likes best.
    Any,
    /// HTTP/1.1 only: the one that can be upgraded.
    Http1,
}

/// A client for this address.
pub(crate) fn client(
    base: &str,
    speaks: Speaks,
    timeout: Option<Duration>,
) -> Result<reqwest::Client, PlatformError> {
    // The process may have chosen a provider already; then that one stays.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("larkspan/", env!("CARGO_PKG_VERSION")))
        // A redirect would take the token elsewhere.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(timeout.map_or(CONNECT_TIMEOUT, |timeout| timeout.min(CONNECT_TIMEOUT)));
    if let Some(timeout) = timeout {
        builder = builder.timeout(timeout);
    }
    if speaks == Speaks::Http1 {
        builder = builder.http1_only();
    }
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| PlatformError::Unreachable {
        context:
            "the HTTP client could not be made; check the certificates of this system and the proxy in the \
                  environment (HTTPS_PROXY)"
                .to_owned(),
        source: Some(Box::new(error)),
    })
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(address: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else {
        return false;
    };
    let Some(host) = url.host_str() else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_recognised() {
        for (address, expected) in [
            ("http://127.0.0.1:8080", true),
            ("http://127.9.9.9/x", true),
            ("http://localhost", true),
            ("ws://[::1]:1/x", true),
            ("https://fake.localhost/", true),
            ("https://open.feishu.cn", false),
            ("https://127.0.0.1.example.com", false),
            ("http://10.0.0.1", false),
            ("localhost", false),
        ] {
            assert_eq!(is_loopback(address), expected, "{address}");
        }
    }
}
