//! A browser of few words: HTTP/1.1 over a connection for each request, with cookies that it is told to keep.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Nothing takes longer, so that a test that would wait for ever fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

pub struct Browser {
    pub address: SocketAddr,
    pub cookie: String,
    pub guard: String,
}

impl Browser {
    pub fn at(address: SocketAddr) -> Browser {
        Browser { address, cookie: String::new(), guard: String::new() }
    }

    /// Sends a request as it is written, and gives the connection after its head.
    fn send(&self, method: &str, path: &str, more: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !more.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in more {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.cookie.is_empty() {
            head.push_str(&format!("Cookie: other=1; {}\r\n", self.cookie));
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("sent");
        BufReader::new(stream)
    }

    pub fn request(&self, method: &str, path: &str, more: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = self.send(method, path, more, body);
        let (status, headers) = head(&mut stream);
        let mut body = Vec::new();
        stream.read_to_end(&mut body).expect("a body");
        Answer { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], "")
    }

    /// With the guard of its session, as the page sends it.
    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.request("POST", path, &[("X-Millpond-Guard", &self.guard)], body)
    }

    pub fn try_login(&self, name: &str, password: &str) -> Answer {
        self.request("POST", "/login", &[], &format!("name={name}&password={password}"))
    }

    pub fn log_in(&mut self, name: &str, password: &str) {
        let answer = self.try_login(name, password);
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{answer:?}");
        self.cookie = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        self.guard = self.get("/api/me").json()["guard"].as_str().expect("a guard").to_owned();
    }

    /// The stream of samples: its status, and its events.
    pub fn live(&self) -> (u16, Events) {
        let mut stream = self.send("GET", "/api/live", &[], "");
        let (status, headers) = head(&mut stream);
        let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        (status, Events { stream, is_chunked, text: String::new() })
    }
}

fn head(stream: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a status");
    let status =
        line.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no status: {line}"));
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).expect("a header");
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None => return (status, headers),
        }
    }
}

/// Events of a stream, one after the other.
pub struct Events {
    stream: BufReader<TcpStream>,
    is_chunked: bool,
    text: String,
}

impl Events {
    /// The next event with its data; nothing at the end.
    pub fn next(&mut self) -> Option<(String, String)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
                let found = (field("event: "), field("data: "));
                self.text = rest.to_owned();
                if !found.0.is_empty() {
                    return Some(found);
                }
                continue;
            }
            self.piece()?;
        }
    }

    /// A chunk more.
    fn piece(&mut self) -> Option<()> {
        assert!(self.is_chunked, "streams come in chunks");
        let mut line = String::new();
        self.stream.read_line(&mut line).ok()?;
        let bytes = usize::from_str_radix(line.trim(), 16).ok().filter(|bytes| *bytes > 0)?;
        let mut chunk = vec![0; bytes + 2];
        self.stream.read_exact(&mut chunk).ok()?;
        self.text.push_str(std::str::from_utf8(&chunk[..bytes]).expect("UTF-8"));
        Some(())
    }
}
