//! Blobs as block blobs of an Azure container: three requests, signed with the account's key (SharedKey).

use std::env;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::web::{self, Web, mac, refused};
use crate::error::TeamError;
use crate::pack::Hash;

/// The version of the service's interface: Azure's and every emulator's since 2021.
const VERSION: &str = "2020-10-02";
const ENDPOINT: &str = "AZURE_STORAGE_SERVICE_ENDPOINT";

pub(super) struct Azure {
    web: Web,
    /// What the address has behind the host: nothing at Azure, `/account` with an emulator.
    below: String,
    container: String,
    prefix: String,
    account: String,
    key: Vec<u8>,
}

impl Azure {
    /// A container, with the account and its key of the environment, under the names that Azure's own command line uses:
    /// `AZURE_STORAGE_ACCOUNT`, `AZURE_STORAGE_KEY`, `AZURE_STORAGE_SERVICE_ENDPOINT`.
    pub fn from_environment(container: &str, prefix: &str) -> Result<Azure, TeamError> {
        let needed = |name: &str| {
            env::var(name).map_err(|_| TeamError::Usage(format!("azure://{container}: set {name}; see docs/team.md")))
        };
        let account = needed("AZURE_STORAGE_ACCOUNT")?;
        let key = needed("AZURE_STORAGE_KEY")?;
        let own = env::var(ENDPOINT).unwrap_or_else(|_| format!("https://{account}.blob.core.windows.net"));
        Azure::at(&own, container, prefix, &account, &key)
    }

    fn at(endpoint: &str, container: &str, prefix: &str, account: &str, key: &str) -> Result<Azure, TeamError> {
        let web = Web::at(endpoint, ENDPOINT)?;
        let below = web.endpoint.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
        let key = STANDARD
            .decode(key.trim())
            .map_err(|_| TeamError::Usage("AZURE_STORAGE_KEY is no key: it is not in base64".to_owned()))?;
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Azure { web, below, container: container.to_owned(), prefix, account: account.to_owned(), key })
    }

    pub fn put(&self, hash: &Hash, packed: &[u8]) -> Result<(), TeamError> {
        match self.ask("PUT", hash, packed)? {
            (201, _) => Ok(()),
            (status, body) => Err(refused("PUT", status, &body)),
        }
    }

    pub fn get(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        match self.ask("GET", hash, b"")? {
            (200, body) => Ok(body),
            (404, body) if web::code(&body) != "ContainerNotFound" => Err(TeamError::MissingBlob(hash.to_string())),
            (status, body) => Err(refused("GET", status, &body)),
        }
    }

    pub fn remove(&self, hash: &Hash) -> Result<(), TeamError> {
        match self.ask("DELETE", hash, b"")? {
            (202 | 404, _) => Ok(()),
            (status, body) => Err(refused("DELETE", status, &body)),
        }
    }

    fn ask(&self, method: &str, hash: &Hash, body: &[u8]) -> Result<(u16, Vec<u8>), TeamError> {
        let name = hash.to_string();
        let path = format!("/{}/{}{}/{name}", self.container, self.prefix, &name[..2]);
        let now = jiff::Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let mut headers = Vec::new();
        if method == "PUT" {
            headers.push(("x-ms-blob-type", "BlockBlob".to_owned()));
        }
        headers.extend([("x-ms-date", now), ("x-ms-version", VERSION.to_owned())]);
        let signed = self.sign(method, &path, &headers, body.len());
        headers.push(("authorization", signed));
        self.web.send(method, &path, &headers, body)
    }

    /// The header by which the store knows who asks. Of the twelve headers that it covers a request of ours has the length alone.
    fn sign(&self, method: &str, path: &str, headers: &[(&str, String)], length: usize) -> String {
        let length = if length == 0 { String::new() } else { length.to_string() };
        let listed: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let resource = format!("/{}{}{path}", self.account, self.below);
        let text = format!("{method}\n\n\n{length}\n\n\n\n\n\n\n\n\n{listed}{resource}");
        format!("SharedKey {}:{}", self.account, STANDARD.encode(mac(&self.key, &text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signatures were made by Azure's own library for Python; the account and the key are those that every emulator has.
    #[test]
    fn a_request_is_signed_as_the_store_does_it() {
        let key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
        let at = |endpoint: &str| Azure::at(endpoint, "blobs", "", "devstoreaccount1", key).unwrap();
        let mut headers =
            vec![("x-ms-date", "Tue, 17 Nov 2026 22:00:00 GMT".to_owned()), ("x-ms-version", "2020-10-02".to_owned())];
        let emulator = at("http://127.0.0.1:10000/devstoreaccount1/");
        assert_eq!((emulator.web.host.as_str(), emulator.below.as_str()), ("127.0.0.1:10000", "/devstoreaccount1"));
        assert_eq!(
            emulator.sign("GET", "/blobs/ab/abcd", &headers, 0),
            "SharedKey devstoreaccount1:Eqmq5SnB/gBlTHJfYLkAmF6Zs6nTGw/Ua5VhD0sXlBQ="
        );
        headers.insert(0, ("x-ms-blob-type", "BlockBlob".to_owned()));
        let azure = at("https://devstoreaccount1.blob.core.windows.net");
        assert_eq!(
            azure.sign("PUT", "/blobs/ab/abcd", &headers, 5),
            "SharedKey devstoreaccount1:IrgAZBc2EEuolmaJ5IiL0iSCEqwZ3HE/u61k4sfTZZg="
        );
    }
}
