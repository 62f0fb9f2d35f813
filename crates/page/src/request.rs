//! What is read of a request: cookies, tokens, where it comes from, bodies up to a bound.
//!
//! What always holds: a request that changes something comes from a page of this server, by what the browser says of it
//! (`Origin`, `Sec-Fetch-Site`); secrets are compared in a time that does not depend on where they differ.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::{Request, StatusCode};

use crate::answer::{Answer, failure, with_header};

/// Where a request came from, and how.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The client.
    pub client: SocketAddr,
    /// The address that it came to.
    pub local: SocketAddr,
    /// Whether over TLS.
    pub is_encrypted: bool,
}

/// The text of a header; nothing where it is none.
pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
}

/// Whether the request was made by a page of this server, or by no browser at all.
pub fn is_of_this_server(headers: &HeaderMap) -> bool {
    let site = header(headers, "sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    let host = header(headers, "host").unwrap_or_default();
    let origin = header(headers, "origin").is_none_or(|origin| {
        let (scheme, of) = origin.split_once("://").unwrap_or_default();
        matches!(scheme, "http" | "https") && of.eq_ignore_ascii_case(host)
    });
    site && origin
}

/// Whether a `Host` may name a server that listens on loopback: a page elsewhere whose name was made to lead here has another
/// one.
pub fn is_local_name(host: &str, more: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok()
        || more.iter().any(|more| name.eq_ignore_ascii_case(more))
}

/// Whether two secrets are the same.
pub fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let differs = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differs) == 0
}

/// The whole body, of so many bytes at most, within a time: a client that sends no more holds one of few places.
///
/// # Errors
/// The answer to one that is longer, too slow or broken off.
pub async fn body(request: Request<Incoming>, bytes_max: usize, limit: Duration) -> Result<Bytes, Answer> {
    let collected = tokio::time::timeout(limit, Limited::new(request.into_body(), bytes_max).collect()).await;
    let Ok(read) = collected else {
        let answer = failure(StatusCode::REQUEST_TIMEOUT, "the body did not come in time");
        return Err(with_header(answer, header::CONNECTION, "close"));
    };
    let failed = |_| failure(StatusCode::PAYLOAD_TOO_LARGE, &format!("at most {bytes_max} bytes are taken"));
    read.map(http_body_util::Collected::to_bytes).map_err(failed)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs =
            pairs.iter().map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)));
        pairs.collect()
    }

    #[test]
    fn cookies_are_found() {
        let all = headers(&[("cookie", "a=1; millpond=abc ;b=2")]);
        assert_eq!((cookie(&all, "millpond"), cookie(&all, "a"), cookie(&all, "c")), (Some("abc"), Some("1"), None));
    }

    #[test]
    fn requests_of_other_pages_are_known() {
        let of = |pairs| is_of_this_server(&headers(pairs));
        assert!(of(&[("host", "127.0.0.1:8080")]));
        assert!(of(&[("host", "pond:8080"), ("origin", "https://Pond:8080"), ("sec-fetch-site", "same-origin")]));
        assert!(!of(&[("host", "pond:8080"), ("origin", "http://pond:8081")]));
        assert!(!of(&[("host", "pond:8080"), ("origin", "null")]));
        assert!(!of(&[("host", "pond"), ("origin", "file://pond")]));
        for site in ["cross-site", "same-site"] {
            let mut all = headers(&[("host", "pond")]);
            all.insert("sec-fetch-site", HeaderValue::from_static(site));
            assert!(!is_of_this_server(&all), "{site}");
        }
    }

    #[test]
    fn names_of_this_machine() {
        for name in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.0.0.1", "[::1]:8080", "10.0.0.7:1"] {
            assert!(is_local_name(name, &[]), "{name}");
        }
        for name in ["", "evil.example", "evil.example:8080", "localhost.evil.example", "[evil]:1", "127.0.0.1.evil:80"]
        {
            assert!(!is_local_name(name, &["pond.example".to_owned()]), "{name}");
        }
        assert!(is_local_name("Pond.example:443", &["pond.example".to_owned()]));
    }

    #[test]
    fn secrets_are_the_same_as_a_whole() {
        assert!(is_same("abc", "abc") && is_same("", ""));
        assert!(!is_same("abc", "abd") && !is_same("abc", "ab") && !is_same("", "a"));
    }
}
