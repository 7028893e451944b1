//! `cue upgrade` against release servers of every kind, most of them bad.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Run, Sandbox, run};

const NEW: &[u8] = b"#!/bin/sh\necho I am new\n";

/// What a server does when a path is asked for.
#[derive(Clone)]
pub(super) enum Answer {
    Body(Vec<u8>),
    Status(u16),
    /// Announces more than it sends.
    Truncated(Vec<u8>),
    Redirect(String),
    /// Never says anything.
    Silence,
    /// Sends the head and never the body.
    Stalled,
    /// Announces nothing and sends without end.
    Endless,
    NotHttp,
}

/// A release server on this machine; ends with the test.
pub(super) struct Server {
    pub address: String,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers: Arc<Mutex<HashMap<String, Answer>>> = Arc::default();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let server = Server { address, answers: Arc::clone(&answers), asked: Arc::clone(&asked) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (answers, asked) = (Arc::clone(&answers), Arc::clone(&asked));
                std::thread::spawn(move || serve(stream.unwrap(), &answers, &asked));
            }
        });
        server
    }

    pub fn on(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    /// The paths that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn manifest(&self, manifest: &Value) {
        self.on("/manifest.json", Answer::Body(manifest.to_string().into_bytes()));
    }
}

fn serve(stream: TcpStream, answers: &Mutex<HashMap<String, Answer>>, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut request = String::new();
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap_or(0) > 2 {
        if request.is_empty() {
            request = line.split(' ').nth(1).unwrap_or_default().to_owned();
        }
        line.clear();
    }
    asked.lock().unwrap().push(request.clone());
    let answer = answers.lock().unwrap().get(&request).cloned().unwrap_or(Answer::Status(404));
    let mut stream = stream;
    let head = |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    // A client that has heard enough hangs up; that is no failure of the server's.
    let _ = match answer {
        Answer::Body(body) => stream.write_all(&[head(body.len()).as_bytes(), &body].concat()),
        Answer::Truncated(body) => stream.write_all(&[head(body.len() + 10).as_bytes(), &body].concat()),
        Answer::Status(status) => {
            write!(stream, "HTTP/1.1 {status} Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        Answer::Redirect(to) => {
            write!(stream, "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        // Until the client hangs up.
        Answer::Silence => reader.read_line(&mut line).map(drop),
        Answer::Stalled => stream.write_all(head(1000).as_bytes()).and_then(|()| reader.read_line(&mut line).map(drop)),
        Answer::Endless => {
            let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while sent.is_ok() {
                sent = stream.write_all(&[b'{'; 65536]);
            }
            sent
        }
        Answer::NotHttp => stream.write_all(b"SSH-2.0-OpenSSH_9.0\r\n\r\n"),
    };
}

/// A program of its own that may be replaced, its launcher, and a key.
struct Installed {
    sandbox: Sandbox,
    key: Ed25519KeyPair,
    program: PathBuf,
    launcher: PathBuf,
}

fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

impl Installed {
    fn new() -> Installed {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("bin")).unwrap();
        let install = |built: &str, name: &str| {
            let path = sandbox.path("bin").join(name);
            if fs::hard_link(built, &path).is_err() {
                fs::copy(built, &path).unwrap();
            }
            path
        };
        let program = install(env!("CARGO_BIN_EXE_cruxe"), "cruxe");
        let launcher = install(env!("CARGO_BIN_EXE_cue"), "cue");
        let key = Ed25519KeyPair::generate_pkcs8(&ring::rand::SystemRandom::new()).unwrap();
        let key = Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap();
        Installed { sandbox, key, program, launcher }
    }

    /// Says which key it is: eight bytes that minisign takes at random.
    fn key_id(&self) -> &[u8] {
        &self.key.public_key().as_ref()[..8]
    }

    /// The public key as minisign writes it.
    fn public_key(&self) -> String {
        BASE64.encode([b"Ed", self.key_id(), self.key.public_key().as_ref()].concat())
    }

    /// A signature as minisign writes it: of the data's hash, and then of that signature with the trusted comment.
    fn sign(&self, data: &[u8], comment: &str) -> String {
        let signature = self.key.sign(blake2b_simd::blake2b(data).as_bytes());
        let both = self.key.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        let signature = BASE64.encode([b"ED", self.key_id(), signature.as_ref()].concat());
        format!("untrusted comment: of a test\n{signature}\ntrusted comment: {comment}\n{}\n", BASE64.encode(both))
    }

    /// The entry of a build that is as it should be.
    fn build(&self, url: &str, data: &[u8], version: &str) -> Value {
        let sha256: String = Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect();
        let signature = self.sign(data, &format!("cruxe {version} {}", platform()));
        json!({ "url": url, "sha256": sha256, "signature": signature, "size": data.len() })
    }

    /// A server with a release that is as it should be.
    fn server(&self, version: &str) -> Server {
        let server = Server::start();
        server.on("/cue", Answer::Body(NEW.to_vec()));
        let build = self.build("cue", NEW, version);
        server.manifest(&json!({ "version": version, "builds": { platform(): build } }));
        server
    }

    fn upgrade(&self, server: &str, arguments: &[&str]) -> Run {
        let key = self.public_key();
        let mut command = self.sandbox.command(self.launcher.to_str().unwrap());
        command.current_dir(self.sandbox.user_home()).args(["upgrade", "--from", server, "--key", &key]);
        run(command.args(arguments))
    }

    /// The upgrade fails with this number and these words, and everything is as it was.
    fn refuses(&self, server: &str, arguments: &[&str], number: &str, words: &[&str]) {
        let run = self.upgrade(server, arguments);
        assert_eq!(run.stdout, "", "{}", run.transcript());
        for word in [&[number], words].concat() {
            assert!(run.stderr.contains(word), "{word}: {}", run.transcript());
        }
        assert!(run.code == Some(3) || run.code == Some(2), "{}", run.transcript());
        self.is_as_it_was();
    }

    fn is_as_it_was(&self) {
        let names: BTreeSet<_> =
            fs::read_dir(self.sandbox.path("bin")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, BTreeSet::from(["cruxe".into(), "cue".into()]));
        let length = |path: &Path| fs::metadata(path).unwrap().len();
        assert_eq!(length(&self.program), length(Path::new(env!("CARGO_BIN_EXE_cruxe"))));
        assert_eq!(length(&self.launcher), length(Path::new(env!("CARGO_BIN_EXE_cue"))));
    }
}

#[test]
#[cfg(unix)]
fn a_good_release_replaces_the_program_that_launchers_run() {
    let installed = Installed::new();
    let server = installed.server("99.0.0");
    let check = installed.upgrade(&server.address, &["--check"]).ok();
    assert_eq!(check, "99.0.0 is available, this is 0.1.0; `cue upgrade` installs it\n");
    installed.is_as_it_was();
    let report = installed.upgrade(&server.address, &["--json"]).json();
    assert_eq!(report["latest_version"], "99.0.0");
    assert_eq!(report["replaced"], json!([installed.program.canonicalize().unwrap()]));
    assert_eq!(fs::read(&installed.program).unwrap(), NEW);
    let new = run(&mut installed.sandbox.command(installed.launcher.to_str().unwrap()));
    assert_eq!(new.ok(), "I am new\n");
    assert_eq!(*server.asked.lock().unwrap(), ["/manifest.json", "/manifest.json", "/cue"]);
}

#[test]
fn redirects_are_followed_to_a_good_release() {
    let installed = Installed::new();
    let server = installed.server("99.0.0");
    server.on("/r/manifest.json", Answer::Redirect("/manifest.json".to_owned()));
    assert!(installed.upgrade(&format!("{}/r", server.address), &["--check"]).ok().starts_with("99.0.0 is available"));
}

#[test]
fn the_same_version_is_no_upgrade_and_an_older_one_is_refused() {
    let installed = Installed::new();
    let server = installed.server("0.1.0");
    assert_eq!(installed.upgrade(&server.address, &[]).ok(), "0.1.0 is the newest release\n");
    installed.is_as_it_was();
    assert_eq!(*server.asked.lock().unwrap(), ["/manifest.json"]);
    for older in ["0.0.9", "0.1.0-rc.1"] {
        let server = installed.server(older);
        installed.refuses(&server.address, &[], "1004", &[older, "older than this 0.1.0"]);
    }
}

#[test]
fn a_manifest_that_cannot_be_had_is_a_network_error() {
    let installed = Installed::new();
    let server = Server::start();
    installed.refuses(&server.address, &[], "1005", &["the server answers 404"]);
    server.on("/manifest.json", Answer::Status(503));
    installed.refuses(&server.address, &[], "1005", &["the server answers 503"]);
    server.on("/manifest.json", Answer::Redirect("/manifest.json".to_owned()));
    installed.refuses(&server.address, &[], "1005", &["redirected again and again"]);
    server.on("/manifest.json", Answer::NotHttp);
    installed.refuses(&server.address, &[], "1005", &["manifest.json"]);
    server.on("/manifest.json", Answer::Silence);
    installed.refuses(&server.address, &["--timeout", "1"], "1005", &["within 1 s"]);
    server.on("/manifest.json", Answer::Stalled);
    installed.refuses(&server.address, &["--timeout", "1"], "1005", &["manifest.json"]);
    server.on("/manifest.json", Answer::Truncated(b"{".to_vec()));
    installed.refuses(&server.address, &[], "1005", &["manifest.json"]);
    // A port that was bound and is free again: nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    installed.refuses(&format!("http://{free}"), &[], "1005", &["manifest.json"]);
}

#[test]
fn a_manifest_that_makes_no_sense_is_refused() {
    let installed = Installed::new();
    let server = Server::start();
    for body in ["", "{", "<html></html>", "[]", "{\"version\": \"one\", \"builds\": {}}", "{\"version\": \"9.0.0\"}"] {
        server.on("/manifest.json", Answer::Body(body.as_bytes().to_vec()));
        installed.refuses(&server.address, &[], "1004", &["this is no release manifest"]);
    }
    server.on("/manifest.json", Answer::Endless);
    installed.refuses(&server.address, &[], "1004", &["more than the 1048576 bytes"]);
    server.on("/manifest.json", Answer::Body(b" ".repeat(2 << 20)));
    installed.refuses(&server.address, &[], "1004", &["more than the 1048576 bytes"]);
    server.manifest(&json!({ "version": "99.0.0", "builds": { "vax-vms": installed.build("cue", NEW, "99.0.0") } }));
    installed.refuses(&server.address, &[], "1004", &["has no build for", "it has vax-vms"]);
}

#[test]
fn a_file_that_is_not_what_was_signed_is_not_installed() {
    let installed = Installed::new();
    let server = installed.server("99.0.0");
    server.on("/cue", Answer::Truncated(NEW.to_vec()));
    installed.refuses(&server.address, &[], "100", &["/cue"]);
    server.on("/cue", Answer::Status(404));
    installed.refuses(&server.address, &[], "1005", &["/cue: the server answers 404"]);
    server.on("/cue", Answer::Endless);
    installed.refuses(&server.address, &[], "1004", &["more than the 24 bytes"]);
    server.on("/cue", Answer::Body(NEW[..20].to_vec()));
    installed.refuses(&server.address, &[], "1004", &["20 bytes arrived, the manifest says 24"]);
    server.on("/cue", Answer::Body(NEW.iter().map(|byte| byte ^ 1).collect()));
    installed.refuses(&server.address, &[], "1004", &["the checksum is"]);
}

#[test]
fn a_signature_must_be_by_the_key_for_the_file_the_version_and_the_platform() {
    let installed = Installed::new();
    let server = installed.server("99.0.0");
    let good = installed.build("cue", NEW, "99.0.0");
    let stranger = Installed::new().build("cue", NEW, "99.0.0");
    let with = |signature: Value| {
        let mut build = good.clone();
        build["signature"] = signature;
        server.manifest(&json!({ "version": "99.0.0", "builds": { platform(): build } }));
    };
    with(json!("nonsense"));
    installed.refuses(&server.address, &[], "1004", &["the signature cannot be read"]);
    with(stranger["signature"].clone());
    installed.refuses(&server.address, &[], "1004", &["was not made with the configured key"]);
    with(installed.build("cue", b"other", "99.0.0")["signature"].clone());
    installed.refuses(&server.address, &[], "1004", &["the signature does not fit"]);
    with(installed.build("cue", NEW, "0.0.1")["signature"].clone());
    installed.refuses(&server.address, &[], "1004", &["the signature is for \"cruxe 0.0.1"]);
    with(json!(installed.sign(NEW, "cruxe 99.0.0 vax-vms")));
    installed.refuses(&server.address, &[], "1004", &["the signature is for \"cruxe 99.0.0 vax-vms\""]);
    let edited = good["signature"].as_str().unwrap().replace("cruxe 99.0.0", "cruxe 99.9.9");
    with(json!(edited));
    installed.refuses(&server.address, &[], "1004", &["the signature does not fit"]);
}

#[test]
fn without_server_or_key_nothing_is_fetched_and_the_message_says_how_to_set_them() {
    let installed = Installed::new();
    let server = installed.server("99.0.0");
    let command = |arguments: &[&str]| {
        let mut command = installed.sandbox.command(installed.launcher.to_str().unwrap());
        command.current_dir(installed.sandbox.user_home()).arg("upgrade").args(arguments);
        command
    };
    let bare = run(&mut command(&[]));
    assert_eq!((bare.code, bare.stdout.as_str()), (Some(2), ""));
    assert!(bare.stderr.contains("no release server is configured"), "{}", bare.stderr);
    assert!(bare.stderr.contains("CUE_RELEASE_URL"), "{}", bare.stderr);
    let keyless = run(&mut command(&["--from", &server.address]));
    assert_eq!(keyless.code, Some(2));
    assert!(keyless.stderr.contains("no public key is configured"), "{}", keyless.stderr);
    let bad = run(&mut command(&["--from", &server.address, "--key", "RWxyz"]));
    assert_eq!(bad.code, Some(2));
    assert!(bad.stderr.contains("not one of minisign"), "{}", bad.stderr);
    let plain = run(&mut command(&["--from", "http://releases.example.org"]));
    assert_eq!(plain.code, Some(2));
    assert!(plain.stderr.contains("over https"), "{}", plain.stderr);
    assert_eq!(*server.asked.lock().unwrap(), ["/manifest.json", "/manifest.json"]);
    installed.is_as_it_was();
}

#[test]
fn settings_come_from_the_environment_and_the_users_file_but_never_from_a_workspace() {
    let installed = Installed::new();
    let server = installed.server("99.0.0");
    let settings = format!("[upgrade]\nserver = \"{}\"\n", server.address);
    let check = |variable: &str, arguments: &[&str]| {
        let mut command = installed.sandbox.command(installed.launcher.to_str().unwrap());
        command.current_dir(installed.sandbox.user_home()).env("CUE_RELEASE_URL", variable);
        run(command.args(["upgrade", "--check"]).args(arguments)).code
    };
    let deck = installed.sandbox.user_home().join(".cuedeck");
    fs::create_dir(&deck).unwrap();
    fs::write(deck.join("config.toml"), &settings).unwrap();
    assert_eq!(check("", &[]), Some(2));
    assert_eq!(check(&server.address, &[]), Some(0));
    let named = installed.sandbox.path("named.toml");
    fs::write(&named, &settings).unwrap();
    assert_eq!(check("", &["--config", named.to_str().unwrap()]), Some(0));
    fs::create_dir_all(installed.sandbox.cruxe_home()).unwrap();
    fs::write(installed.sandbox.cruxe_home().join("cue.toml"), &settings).unwrap();
    assert_eq!(check("", &[]), Some(0));
}
