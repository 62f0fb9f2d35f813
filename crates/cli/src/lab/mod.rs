//! `millpond lab`: workloads against a server that runs already, or against one of this process.

mod disk;

use std::path::Path;
use std::process::ExitCode;

use millpond_device::{host, machine};
use millpond_lab::link::Target;
use millpond_lab::{DiskLoad, DiskWork, LabArgs, Machine, OwnServer, Running, Starter};
use millpond_server::config::TlsMode;
use millpond_server::{Config, Server, password};

/// Runs the command.
pub fn run(args: &LabArgs) -> ExitCode {
    millpond_lab::run(args, &InProcess)
}

/// Starts servers in this process, on a free port of loopback.
struct InProcess;

impl Starter for InProcess {
    fn start(&self, wanted: &OwnServer) -> Result<Box<dyn Running>, String> {
        let mut config =
            Config::parse(&wanted.settings, Path::new("millpond.toml")).map_err(|error| error.to_string())?;
        config.server.listen.set_port(0);
        config.server.data_dir.clone_from(&wanted.data_dir);
        config.server.max_server_memory_mb = wanted.memory_mb.unwrap_or(0);
        config.tls.mode = if wanted.tls { TlsMode::Offered } else { TlsMode::Off };
        // Others on this machine are not to meddle.
        config.server.sa_password = match &wanted.password {
            Some(password) => password.clone(),
            None => password::generate().map_err(|error| error.to_string())?,
        };
        let server = Server::start(&config).map_err(|error| error.to_string())?;
        let target = Target {
            host: server.address().ip().to_string(),
            port: server.address().port(),
            user: "sa".into(),
            password: config.server.sa_password,
            tls: wanted.tls,
        };
        Ok(Box::new(Started { server, target }))
    }

    fn machine(&self) -> Machine {
        let system = host::distribution();
        Machine {
            version: concat!("millpond ", env!("MILLPOND_VERSION")).into(),
            is_release: !cfg!(debug_assertions),
            processor: processor_name(),
            processors: machine::processors(),
            memory_mb: machine::memory_total_bytes() >> 20,
            system: format!("{} {}", system.name, system.release).trim().to_owned(),
        }
    }

    fn disk(&self, load: &DiskLoad) -> Result<DiskWork, String> {
        disk::run(load)
    }
}

/// What the first processor calls itself; where the system does not say, its architecture.
fn processor_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    named.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

struct Started {
    server: Server,
    target: Target,
}

impl Running for Started {
    fn target(&self) -> Target {
        self.target.clone()
    }

    fn stop(self: Box<Self>) -> Result<(), String> {
        self.server.stop().map_err(|error| error.to_string())
    }
}
