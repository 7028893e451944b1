//! Blobs as objects of a bucket: Amazon's S3 and what speaks like it (MinIO, Ceph, R2, Google's storage with HMAC keys).
//!
//! Four requests and a signature. A library for it would bring 47 packages, a second HTTP client among them; what the program
//! has (ureq, ring) does it in one file.

use std::env;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::digest;

use super::web::{self, Web, mac, refused};
use crate::error::TeamError;
use crate::pack::Hash;

/// What a path may have as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

pub(super) struct S3 {
    web: Web,
    /// `/bucket` where the bucket is no part of the host.
    bucket_path: String,
    prefix: String,
    region: String,
    key: String,
    secret: String,
    session: Option<String>,
}

impl S3 {
    /// A bucket, with keys and address of the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`,
    /// `AWS_REGION`, `AWS_ENDPOINT_URL`.
    pub fn from_environment(bucket: &str, prefix: &str) -> Result<S3, TeamError> {
        let needed = |name: &str| {
            env::var(name)
                .map_err(|_| TeamError::Usage(format!("s3://{bucket}: set {name} and the like; see docs/team.md")))
        };
        let region = env::var("AWS_REGION").or_else(|_| env::var("AWS_DEFAULT_REGION"));
        let region = region.unwrap_or_else(|_| "us-east-1".to_owned());
        let own = env::var("AWS_ENDPOINT_URL_S3").or_else(|_| env::var("AWS_ENDPOINT_URL")).ok();
        let (endpoint, bucket_path) = match own {
            Some(endpoint) => (endpoint, format!("/{bucket}")),
            None => (format!("https://{bucket}.s3.{region}.amazonaws.com"), String::new()),
        };
        Ok(S3 {
            web: Web::at(&endpoint, "AWS_ENDPOINT_URL")?,
            bucket_path,
            prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") },
            region,
            key: needed("AWS_ACCESS_KEY_ID")?,
            secret: needed("AWS_SECRET_ACCESS_KEY")?,
            session: env::var("AWS_SESSION_TOKEN").ok().filter(|token| !token.is_empty()),
        })
    }

    pub fn put(&self, hash: &Hash, packed: &[u8]) -> Result<(), TeamError> {
        let (status, body) = self.ask("PUT", hash, packed)?;
        if status == 200 { Ok(()) } else { Err(refused("PUT", status, &body)) }
    }

    pub fn get(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        match self.ask("GET", hash, b"")? {
            (200, body) => Ok(body),
            (404, body) if web::code(&body) != "NoSuchBucket" => Err(TeamError::MissingBlob(hash.to_string())),
            (status, body) => Err(refused("GET", status, &body)),
        }
    }

    pub fn remove(&self, hash: &Hash) -> Result<(), TeamError> {
        match self.ask("DELETE", hash, b"")? {
            (200 | 204 | 404, _) => Ok(()),
            (status, body) => Err(refused("DELETE", status, &body)),
        }
    }

    fn ask(&self, method: &str, hash: &Hash, body: &[u8]) -> Result<(u16, Vec<u8>), TeamError> {
        let name = hash.to_string();
        let path = format!("{}/{}{}/{name}", self.bucket_path, self.prefix, &name[..2]);
        let path = utf8_percent_encode(&path, PATH).to_string();
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let content = hex(digest::digest(&digest::SHA256, body).as_ref());
        let mut headers = vec![
            ("host", self.web.host.clone()),
            ("x-amz-content-sha256", content.clone()),
            ("x-amz-date", now.clone()),
        ];
        headers.extend(self.session.clone().map(|session| ("x-amz-security-token", session)));
        let authorization = self.sign(method, &path, &headers, &content, &now);
        headers.push(("authorization", authorization));
        // The client says the host by itself.
        self.web.send(method, &path, &headers[1..], body)
    }

    /// The header by which the store knows who asks: Signature Version 4.
    fn sign(&self, method: &str, path: &str, headers: &[(&str, String)], content: &str, now: &str) -> String {
        let date = &now[..8];
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let listed: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let canonical = format!("{method}\n{path}\n\n{listed}\n{names}\n{content}");
        let scope = format!("{date}/{}/s3/aws4_request", self.region);
        let hashed = hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
        let text = format!("AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashed}");
        let mut key = format!("AWS4{}", self.secret).into_bytes();
        for part in [date, &self.region, "s3", "aws4_request"] {
            key = mac(&key, part);
        }
        let signature = hex(&mac(&key, &text));
        format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}", self.key)
    }
}

fn hex(bytes: &[u8]) -> String {
    cruxe_model::ids::hex(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Amazon's documentation for Signature Version 4 ("GET object"), without its `range` header.
    #[test]
    fn a_request_is_signed_as_the_store_does_it() {
        let s3 = S3 {
            web: Web::at("https://examplebucket.s3.amazonaws.com", "").unwrap(),
            bucket_path: String::new(),
            prefix: String::new(),
            region: "us-east-1".to_owned(),
            key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            session: None,
        };
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned();
        let headers = [
            ("host", s3.web.host.clone()),
            ("range", "bytes=0-9".to_owned()),
            ("x-amz-content-sha256", empty.clone()),
            ("x-amz-date", "20130524T000000Z".to_owned()),
        ];
        let signed = s3.sign("GET", "/test.txt", &headers, &empty, "20130524T000000Z");
        assert!(
            signed.ends_with("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
            "{signed}"
        );
    }
}
