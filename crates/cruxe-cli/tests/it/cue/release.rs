//! From one release to the next, over a server that serves exactly what `scripts/release` makes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use cruxe_release::archive::{Effort, File};
use cruxe_release::payload::{Payload, Texts};
use cruxe_release::platform::Platform;
use cruxe_release::shops::Product;
use cruxe_release::sign::Key;
use serde_json::{Value, json};

use super::upgrade::{Answer, Server};
use crate::hostile::set_mode;
use crate::support::{Client, Run, Sandbox, run};

const PROGRAMS: [&str; 3] = ["codecompass", "cruxe", "cue"];

/// The programs of a version, as small as they can be.
fn programs(sandbox: &Sandbox, version: &str) -> PathBuf {
    let folder = sandbox.path(&format!("programs-{version}"));
    fs::create_dir(&folder).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in\n--version) echo \"cruxe {version}\" ;;\nman) [ $# = 1 ] && echo cruxe || echo .TH ;;\n\
         completions) echo \"$2 $4\" ;;\nesac\n"
    );
    for name in PROGRAMS {
        fs::write(folder.join(name), format!("{script}# {name}\n")).unwrap();
        set_mode(&folder.join(name), 0o755);
    }
    folder
}

/// What `scripts/release` makes of them for this platform.
fn release(sandbox: &Sandbox, version: &str, key: &Key) -> Vec<File> {
    let platform = Platform::named(&format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)).unwrap();
    let texts = Texts { licence: "free".to_owned(), notices: "others".to_owned(), readme: "# Cruxe\n".to_owned() };
    let payload = Payload::collect(&programs(sandbox, version), platform, version, &texts).unwrap();
    let product = Product { version, time: 1_700_000_000, repository: "https://github.com/a/b", effort: Effort::Trial };
    let archive = payload.to_archive(version, product.time, product.effort).unwrap();
    cruxe_release::make(&product, Some(key), &[(platform, archive)]).unwrap()
}

fn serve(files: &[File]) -> Server {
    let server = Server::start();
    files.iter().for_each(|file| server.on(&format!("/{}", file.path), Answer::Body(file.bytes.clone())));
    server
}

/// Somebody who has the program of this build, with its launchers, in a folder of their own.
struct User {
    sandbox: Sandbox,
    key: Key,
}

impl User {
    fn new() -> User {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("bin")).unwrap();
        for name in PROGRAMS {
            let built = Path::new(env!("CARGO_BIN_EXE_cruxe")).with_file_name(name);
            let path = sandbox.path("bin").join(name);
            if fs::hard_link(&built, &path).is_err() {
                fs::copy(&built, &path).unwrap();
            }
        }
        User { sandbox, key: Key::generate().unwrap() }
    }

    fn bin(&self, name: &str) -> PathBuf {
        self.sandbox.path("bin").join(name)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = self.sandbox.command(self.bin(program).to_str().unwrap());
        command.current_dir(self.sandbox.user_home());
        command
    }

    fn upgrade(&self, program: &str, server: &Server) -> Run {
        let key = self.key.public();
        run(self.command(program).args(["upgrade", "--json", "--from", &server.address, "--key", &key]))
    }

    fn version(&self, program: &str) -> String {
        run(self.command(program).arg("--version")).ok().trim().to_owned()
    }

    /// The upgrade is refused with these words, and everything is as it was.
    fn refuses(&self, server: &Server, number: i64, words: &str) {
        let refused = self.upgrade("cruxe", server);
        assert_eq!(refused.code, Some(3), "{}", refused.transcript());
        let error: Value = serde_json::from_str(&refused.stdout).unwrap();
        assert_eq!(error["error"]["code"], number, "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(words), "{error}");
        self.is_as_it_was();
    }

    fn is_as_it_was(&self) {
        let mut names: Vec<String> = fs::read_dir(self.sandbox.path("bin"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, PROGRAMS);
        for name in PROGRAMS {
            let built = Path::new(env!("CARGO_BIN_EXE_cruxe")).with_file_name(name);
            assert_eq!(fs::metadata(self.bin(name)).unwrap().len(), fs::metadata(built).unwrap().len(), "{name}");
        }
    }
}

/// The archive that `cue upgrade` fetches.
fn archive(files: &mut [File]) -> &mut File {
    files.iter_mut().find(|file| file.path.ends_with(".tar.zst")).unwrap()
}

#[test]
fn the_next_release_replaces_the_program_and_its_launchers_under_either_name() {
    for program in ["cruxe", "cue"] {
        let user = User::new();
        let server = serve(&release(&user.sandbox, "0.2.0", &user.key));
        let report = user.upgrade(program, &server).json();
        assert_eq!(report["latest_version"], "0.2.0", "{report}");
        let mut replaced: Vec<String> =
            report["replaced"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned()).collect();
        replaced.sort();
        let canonical = |name: &str| user.bin(name).canonicalize().unwrap().display().to_string();
        assert_eq!(replaced, PROGRAMS.map(canonical));
        for name in PROGRAMS {
            assert_eq!(user.version(name), "cruxe 0.2.0", "{name}");
            assert!(fs::read_to_string(user.bin(name)).unwrap().ends_with(&format!("# {name}\n")), "{name}");
            assert_eq!(fs::metadata(user.bin(name)).unwrap().permissions().mode() & 0o111, 0o111, "{name}");
        }
    }
}

#[test]
fn an_older_release_is_refused() {
    let user = User::new();
    let server = serve(&release(&user.sandbox, "0.0.9", &user.key));
    user.refuses(&server, 1004, "older than this");
}

#[test]
fn a_release_that_somebody_changed_or_signed_is_refused() {
    let user = User::new();
    let mut files = release(&user.sandbox, "0.2.0", &user.key);
    let good = files.clone();
    let bytes = &mut archive(&mut files).bytes;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    user.refuses(&serve(&files), 1004, "the checksum is");
    // Whoever can change the archive can change its checksum in the index; the signature they cannot.
    let sum = cruxe_release::sign::sha256(&archive(&mut files).bytes);
    let right = cruxe_release::sign::sha256(&archive(&mut good.clone()).bytes);
    let index = files.iter_mut().find(|file| file.path == "manifest.json").unwrap();
    index.bytes = String::from_utf8(index.bytes.clone()).unwrap().replace(&right, &sum).into_bytes();
    user.refuses(&serve(&files), 1004, "the signature does not fit");
    let stranger = User::new();
    let foreign = release(&stranger.sandbox, "0.2.0", &stranger.key);
    user.refuses(&serve(&foreign), 1004, "was not made with the configured key");
}

#[test]
fn a_download_that_breaks_off_changes_nothing_and_the_next_one_works() {
    let user = User::new();
    let mut files = release(&user.sandbox, "0.2.0", &user.key);
    let server = serve(&files);
    let archive = archive(&mut files);
    let half = archive.bytes[..archive.bytes.len() / 2].to_vec();
    server.on(&format!("/{}", archive.path), Answer::Truncated(half));
    user.refuses(&server, 1005, ".tar.zst");
    server.on(&format!("/{}", archive.path), Answer::Body(archive.bytes.clone()));
    assert_eq!(user.upgrade("cruxe", &server).json()["latest_version"], "0.2.0");
    assert_eq!(user.version("cue"), "cruxe 0.2.0");
}

#[test]
fn a_folder_that_may_not_be_written_to_is_named_before_anything_is_fetched() {
    let user = User::new();
    let server = serve(&release(&user.sandbox, "0.2.0", &user.key));
    set_mode(&user.sandbox.path("bin"), 0o555);
    let key = user.key.public();
    let cruxe = user.bin("cruxe");
    let superuser = run(Command::new("id").arg("-u")).stdout.trim() == "0";
    let mut command = match superuser {
        true => {
            let mut command = user.sandbox.command("setpriv");
            command.arg("--bounding-set=-dac_override,-dac_read_search").arg(&cruxe);
            command
        }
        false => user.sandbox.command(cruxe.to_str().unwrap()),
    };
    command.current_dir(user.sandbox.user_home());
    let refused = run(command.args(["upgrade", "--from", &server.address, "--key", &key]));
    set_mode(&user.sandbox.path("bin"), 0o755);
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    assert!(refused.stderr.contains("cannot be written to"), "{}", refused.stderr);
    assert_eq!(server.asked(), ["/manifest.json"]);
    user.is_as_it_was();
}

#[test]
fn a_program_that_runs_goes_on_while_it_is_replaced() {
    let user = User::new();
    let repo = user.sandbox.repo("service", &[("a.py", "def early():\n    pass\n")]);
    let mut command = user.command("cruxe");
    command.current_dir(&repo.root).args(["serve-mcp", "--no-watch"]);
    let mut client = Client::start(command);
    let server = serve(&release(&user.sandbox, "0.2.0", &user.key));
    assert_eq!(user.upgrade("cruxe", &server).json()["latest_version"], "0.2.0");
    assert_eq!(user.version("cruxe"), "cruxe 0.2.0");
    let answer = client.request("tools/list", json!({}));
    assert!(answer["result"]["tools"].as_array().unwrap().len() > 10, "{answer}");
}
