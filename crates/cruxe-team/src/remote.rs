//! A team's server as a laptop sees it: which repositories it has, and their published states.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use cruxe_store::{Incoming, Store};
use serde::Deserialize;
use ureq::tls::{RootCerts, TlsConfig};

use crate::blobs::unpack;
use crate::error::TeamError;
use crate::pack::{Assembled, BLOB_BYTES, Hash, Manifest, Part, Places, assemble};

const TIMEOUT: Duration = Duration::from_secs(120);
const MOST_MANIFEST: u64 = 256 << 20;

/// A team's server.
pub struct Remote {
    agent: ureq::Agent,
    address: String,
    token: String,
}

/// A repository that it has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RemoteRepo {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Where it is fetched from.
    pub url: String,
    /// The state that is published; `None` while none is.
    pub state: Option<i64>,
}

#[derive(Deserialize)]
struct Listing {
    schema: i64,
    repos: Vec<RemoteRepo>,
}

impl Remote {
    /// The server at an address such as `https://cruxe.example.org`. Without encryption it has to be on this machine.
    pub fn new(address: &str, token: &str) -> Result<Remote, TeamError> {
        let address = address.trim_end_matches('/').to_owned();
        let encrypted = match address.split_once("://") {
            Some(("https", _)) => true,
            Some(("http", rest)) if is_local(rest) => false,
            _ => {
                return Err(TeamError::Usage(format!(
                    "`{address}`: give https://…; http is for servers on this machine"
                )));
            }
        };
        let agent = ureq::Agent::config_builder()
            .https_only(encrypted)
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .timeout_global(Some(TIMEOUT))
            .max_redirects(0)
            .http_status_as_error(false)
            .accept_encoding("identity")
            .build();
        Ok(Remote { agent: agent.into(), address, token: token.trim().to_owned() })
    }

    /// The repositories that the token may see all of; an error where the server has another version of the index.
    pub fn repos(&self, schema: i64) -> Result<Vec<RemoteRepo>, TeamError> {
        let bytes = self.get("/team/v1/repos", MOST_MANIFEST)?;
        let listing: Listing = serde_json::from_slice(&bytes)
            .map_err(|problem| TeamError::Remote(format!("{}: {problem}", self.address)))?;
        match listing.schema == schema {
            true => Ok(listing.repos),
            false => Err(TeamError::Remote(format!(
                "{} has version {} of the index, this program {schema}; use the same version of the program",
                self.address, listing.schema
            ))),
        }
    }

    /// The published state of a repository.
    pub fn manifest(&self, repo: &RemoteRepo) -> Result<Manifest, TeamError> {
        Manifest::decode(&self.get(&format!("/team/v1/manifest/{}", repo.name), MOST_MANIFEST)?)
    }

    /// The plain bytes of a blob, compared with its name.
    pub fn blob(&self, repo: &RemoteRepo, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        let packed = self.get(&format!("/team/v1/blobs/{}/{hash}", repo.id), 2 * BLOB_BYTES as u64)?;
        unpack(hash, &packed)
    }

    /// Makes the published index of a repository the index of a project here. Text is read from the project's own files and git;
    /// what they have that the index does not know is found by the next sync.
    pub fn fill(&self, repo: &RemoteRepo, store: &Store) -> Result<Assembled, TeamError> {
        let mut manifest = self.manifest(repo)?;
        manifest.files.retain(|file| file.part == Part::Index);
        let landing = Landing(store.receive()?);
        let assembled = assemble(&manifest, None, &landing, &|hash| self.blob(repo, hash))?;
        landing.0.accept()?;
        Ok(assembled)
    }

    fn get(&self, path: &str, limit: u64) -> Result<Vec<u8>, TeamError> {
        let url = format!("{}{path}", self.address);
        let failed = |problem: String| TeamError::Remote(format!("{}: {problem}", self.address));
        let request = self.agent.get(&url).header("authorization", format!("Bearer {}", self.token));
        let mut response = request.call().map_err(|problem| failed(problem.to_string()))?;
        match response.status().as_u16() {
            200 => {}
            401 => return Err(failed("the token does not hold".to_owned())),
            404 => return Err(failed("there is no such repository, or the token may not see all of it".to_owned())),
            status => return Err(failed(format!("the server answers {status}"))),
        }
        let mut bytes = Vec::new();
        let read = response.body_mut().as_reader().take(limit).read_to_end(&mut bytes);
        read.map_err(|problem| failed(problem.to_string()))?;
        Ok(bytes)
    }
}

/// An index that is being put together.
struct Landing(Incoming);

impl Places for Landing {
    fn target(&self, _part: Part, name: &str) -> Result<PathBuf, TeamError> {
        Ok(self.0.path(name)?)
    }

    fn before(&self, _part: Part, _name: &str) -> Option<PathBuf> {
        None
    }

    fn may_share(&self, _part: Part, _name: &str) -> bool {
        false
    }
}

fn is_local(rest: &str) -> bool {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return false;
    }
    let name = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
