//! Answers: bodies that are whole or come piece by piece, and the headers that all of them have.
//!
//! What always holds: every answer says its type, forbids to guess another one, to be framed by others, and everything that
//! does not come from this server; nothing is kept by caches, but for files that are asked for anew each time.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// An answer.
pub type Answer = Response<BoxBody<Bytes, Infallible>>;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// Of reports: drawings and styles inside of them, no script at all, and an origin of nobody.
const REPORT_POLICY: &str = "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups";

/// Text.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// A page.
pub const HTML: &str = "text/html; charset=utf-8";

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

/// With a body of any kind.
pub fn with_body(status: StatusCode, content_type: &str, body: BoxBody<Bytes, Infallible>) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    for (name, text) in [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Under a stricter one browsers leave out the origin of forms, which is asked for.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        answer.headers_mut().insert(name, value(text));
    }
    answer
}

/// With a body that is whole.
pub fn whole(status: StatusCode, content_type: &str, body: impl Into<Bytes>) -> Answer {
    with_body(status, content_type, Full::new(body.into()).boxed())
}

/// A few words.
pub fn words(status: StatusCode, text: &str) -> Answer {
    whole(status, TEXT, format!("{text}\n"))
}

/// JSON.
pub fn json(status: StatusCode, of: &impl Serialize) -> Answer {
    match serde_json::to_vec(of) {
        Ok(body) => whole(status, "application/json", body),
        Err(error) => words(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

/// An error as JSON: `{"error": "…"}`.
pub fn failure(status: StatusCode, text: &str) -> Answer {
    json(status, &serde_json::json!({ "error": text }))
}

/// To another address of this server.
pub fn elsewhere(path: &'static str) -> Answer {
    let mut answer = words(StatusCode::SEE_OTHER, path);
    answer.headers_mut().insert(header::LOCATION, HeaderValue::from_static(path));
    answer
}

/// A file of a report: its own styles and drawings, and no scripts.
pub fn report(content_type: &str, body: Vec<u8>) -> Answer {
    let mut answer = whole(StatusCode::OK, content_type, body);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value(REPORT_POLICY));
    answer
}

/// The same with another header.
pub fn with_header(mut answer: Answer, name: HeaderName, text: &str) -> Answer {
    answer.headers_mut().insert(name, value(text));
    answer
}
