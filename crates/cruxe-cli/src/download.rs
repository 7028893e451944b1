//! Downloads that the user asked for. Nothing else in the program goes to the network.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use cruxe_embed::EmbedError;
use ureq::tls::{RootCerts, TlsConfig};

use crate::context::CliError;
use crate::progress::Bar;

/// Fetches an `https` address into a file of at most `limit` bytes.
pub(crate) fn fetch(url: &str, to: &Path, limit: u64) -> Result<(), CliError> {
    let failed = |problem: String| CliError::Environment(format!("{url}: {problem}"));
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .https_only(true)
        // The system's certificates: a network with an authority of its own has put it there.
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .build()
        .into();
    let mut response = agent.get(url).call().map_err(|problem| failed(problem.to_string()))?;
    let body = response.body_mut();
    let bar = Bar::bytes("downloading", body.content_length());
    copy(&mut body.as_reader(), to, limit, &|done| bar.set(done)).map_err(|problem| match problem {
        Stopped::TooLong => failed(format!("it has more than {limit} bytes, which no model has; check the address")),
        Stopped::Reading(problem) => failed(problem.to_string()),
        Stopped::Writing(source) => CliError::Model(EmbedError::Io { path: to.to_owned(), source }),
    })
}

/// Why a copy ended before its time.
#[derive(Debug)]
enum Stopped {
    TooLong,
    Reading(io::Error),
    Writing(io::Error),
}

fn copy(from: &mut dyn Read, to: &Path, limit: u64, progress: &dyn Fn(u64)) -> Result<(), Stopped> {
    let mut file = File::create(to).map_err(Stopped::Writing)?;
    let mut buffer = vec![0; 1 << 16];
    let mut done = 0;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => continue,
            Err(problem) => return Err(Stopped::Reading(problem)),
        };
        done += read as u64;
        if done > limit {
            return Err(Stopped::TooLong);
        }
        file.write_all(&buffer[..read]).map_err(Stopped::Writing)?;
        progress(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_that_is_too_long_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("file");
        copy(&mut io::repeat(7).take(1000), &to, 1000, &|_| {}).unwrap();
        assert_eq!(std::fs::read(&to).unwrap(), [7; 1000]);
        assert!(matches!(copy(&mut io::repeat(7), &to, 1000, &|_| {}), Err(Stopped::TooLong)));
        assert!(matches!(copy(&mut io::empty(), folder.path(), 1, &|_| {}), Err(Stopped::Writing(_))));
    }

    #[test]
    fn nothing_is_fetched_without_encryption() {
        let folder = tempfile::tempdir().unwrap();
        let text = fetch("http://localhost:1/x.whl", &folder.path().join("x"), 10).unwrap_err().to_string();
        assert!(text.starts_with("http://localhost:1/x.whl: ") && text.contains("https"), "{text}");
    }
}
