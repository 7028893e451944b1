//! `scripts/release`: see the library.

mod build;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use cruxe_release::archive::Effort;
use cruxe_release::error::{ReleaseError, Result};
use cruxe_release::payload::{Payload, Texts};
use cruxe_release::platform::Platform;
use cruxe_release::shops::Product;
use cruxe_release::sign::Key;
use cruxe_release::{make, notices, write};

/// Make a release: archives, checksums, signatures, the index of upgrades, and a package for every shop
///
/// Builds the program for this platform, unless --program or --archives gives it, and writes everything into
/// target/release-VERSION. Two runs on one commit write the same bytes. Publishes nothing.
///
/// Examples:
///   scripts/release --new-key release                      a key pair: release.key stays secret, release.pub is committed
///   scripts/release 0.2.0 --key release.key                this platform alone
///   scripts/release 0.2.0 --archive-only                   its archive, to be brought together with those of other machines
///   scripts/release 0.2.0 --archives all --key release.key everything from those archives
#[derive(Parser)]
#[command(name = "release", verbatim_doc_comment)]
struct Release {
    /// The version; the program has to be of that version
    #[arg(required_unless_present = "new_key")]
    version: Option<semver::Version>,
    /// A folder with cruxe, codecompass and cue for this platform, instead of building them
    #[arg(long, value_name = "FOLDER")]
    program: Option<PathBuf>,
    /// A folder with archives (.tar.zst) of this version that were made before
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["program", "archive_only"])]
    archives: Option<PathBuf>,
    /// Make the archive of this platform and nothing else
    #[arg(long)]
    archive_only: bool,
    /// What Rust calls the platform [default: this one]
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The secret key that signs the release (minisign's, without a password)
    #[arg(long, value_name = "FILE", env = "CRUXE_RELEASE_SECRET_KEY")]
    key: Option<PathBuf>,
    /// Sign nothing, and make no index of upgrades
    #[arg(long, conflicts_with = "key")]
    unsigned: bool,
    /// Where to write [default: target/release-VERSION]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Compress in a hurry: to try something, not to publish it
    #[arg(long)]
    trial: bool,
    /// Write a new key pair, NAME.key and NAME.pub, and end
    #[arg(long, value_name = "NAME", exclusive = true)]
    new_key: Option<PathBuf>,
}

fn main() -> ExitCode {
    match Release::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("release: {problem}");
            ExitCode::FAILURE
        }
    }
}

impl Release {
    fn run(self) -> Result<()> {
        if let Some(name) = &self.new_key {
            return new_key(name);
        }
        let version = self.version.as_ref().map(ToString::to_string).unwrap_or_default();
        let root = build::root()?;
        let target = build::target(self.target.as_deref())?;
        let platform = Platform::named(&target)
            .ok_or_else(|| ReleaseError::Input(format!("releases are not made for {target}")))?;
        let effort = if self.trial { Effort::Trial } else { Effort::Release };
        let repository = build::repository(&root)?;
        let product = Product { version: &version, time: build::time(&root)?, repository: &repository, effort };
        let key = self.key()?;
        let archives = match &self.archives {
            Some(folder) => archives(folder, &version)?,
            None => vec![(platform, self.archive(&root, platform, &product)?)],
        };
        let out = self.out.clone().unwrap_or_else(|| root.join("target").join(format!("release-{version}")));
        if out.exists() {
            fs::remove_dir_all(&out).map_err(at(&out))?;
        }
        let files = if self.archive_only {
            let name = |platform: Platform| format!("cruxe-{version}-{}.tar.zst", platform.name);
            archives
                .into_iter()
                .map(|(platform, bytes)| cruxe_release::archive::File::text(name(platform), bytes))
                .collect()
        } else {
            make(&product, key.as_ref(), &archives)?
        };
        write(&out, &files)?;
        for file in &files {
            println!("{:>11}  {}", file.bytes.len(), out.join(&file.path).display());
        }
        Ok(())
    }

    fn key(&self) -> Result<Option<Key>> {
        match &self.key {
            Some(path) => Ok(Some(Key::read(&fs::read_to_string(path).map_err(at(path))?)?)),
            None if self.unsigned || self.archive_only => Ok(None),
            None => Err(ReleaseError::Input(
                "--key names the secret key; or leave signatures out with --unsigned".to_owned(),
            )),
        }
    }

    /// Builds the program, if it is not there, and packs it.
    fn archive(&self, root: &Path, platform: Platform, product: &Product<'_>) -> Result<Vec<u8>> {
        let folder = match &self.program {
            Some(folder) => folder.clone(),
            None => build::program(root, platform, product)?,
        };
        let read = |name: &str| fs::read_to_string(root.join(name)).map_err(at(&root.join(name)));
        let texts = Texts {
            licence: read("LICENSE")?,
            notices: notices::collect(root, platform.target)?,
            readme: read("README.md")?,
        };
        Payload::collect(&folder, platform, product.version, &texts)?.to_archive(
            product.version,
            product.time,
            product.effort,
        )
    }
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> ReleaseError + '_ {
    move |problem| ReleaseError::Io { path: path.display().to_string(), problem }
}

/// The archives of a version that lie in a folder.
fn archives(folder: &Path, version: &str) -> Result<Vec<(Platform, Vec<u8>)>> {
    let mut archives = Vec::new();
    for platform in Platform::ALL {
        let path = folder.join(format!("cruxe-{version}-{}.tar.zst", platform.name));
        if path.is_file() {
            archives.push((*platform, fs::read(&path).map_err(at(&path))?));
        }
    }
    if archives.is_empty() {
        let problem = format!("{} has no archive cruxe-{version}-*.tar.zst", folder.display());
        return Err(ReleaseError::Input(problem));
    }
    Ok(archives)
}

/// Writes a key pair; the secret one for the eyes of its owner.
fn new_key(name: &Path) -> Result<()> {
    let key = Key::generate()?;
    let (secret, public) = (name.with_extension("key"), name.with_extension("pub"));
    if secret.exists() || public.exists() {
        return Err(ReleaseError::Input(format!("{} is there already", name.display())));
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(&secret).map_err(at(&secret))?;
    std::io::Write::write_all(&mut file, key.secret().as_bytes()).map_err(at(&secret))?;
    let text = format!("untrusted comment: minisign public key of cruxe's releases\n{}\n", key.public());
    fs::write(&public, text).map_err(at(&public))?;
    println!("{} stays secret; {} is for everybody: {}", secret.display(), public.display(), key.public());
    Ok(())
}

/// What a program prints, in the folder of the workspace.
fn said(root: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let failed = |what: String| ReleaseError::Program(format!("{program} {}: {what}", arguments.join(" ")));
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|problem| failed(problem.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}
