//! A bare mirror of a remote, kept by the operator's own `git`.
//!
//! Fetching is git's business: it knows credentials, proxies and every host's ways. It is run with a list of protocols, without
//! prompts, hooks or helpers of the repository; what it fetched is read by our own code like any other repository.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cruxe_server::scope::matches;

use crate::error::TeamError;
use crate::pack::{Part, Source};

/// Longer no fetch takes.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// A lock that is older than this is nobody's: whoever made it was killed.
const STALE_LOCK: Duration = Duration::from_secs(60);
/// More packs than this are made fewer.
const MOST_PACKS: usize = 30;

const ALLOWED: [&str; 4] = ["https", "ssh", "file", "http"];

/// Fails for an address that git would not just fetch from.
pub fn is_allowed_url(url: &str) -> Result<(), TeamError> {
    let refused = |why: &str| Err(TeamError::Usage(format!("`{}` {why}", without_password(url))));
    if url.is_empty() || url.starts_with('-') || url.contains(['\n', '\0']) {
        return refused("is no address of a repository");
    }
    // `ext::sh -c …` runs what stands there.
    match url.split_once("://") {
        Some((scheme, _)) if ALLOWED.contains(&scheme) => Ok(()),
        Some(_) => refused("has a scheme that is not allowed; there are https, ssh, http and file"),
        None if url.contains("::") => refused("names a helper, which is not allowed"),
        None if url.starts_with('/') => Ok(()),
        // host:path, as ssh has it.
        None if url.split_once(':').is_some_and(|(host, _)| !host.contains('/')) => Ok(()),
        None => refused("is no address of a repository; give https://…, ssh://…, host:path or an absolute path"),
    }
}

/// An address without the password in it, for people.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let Some((user, host)) = authority.rsplit_once('@') else { return url.to_owned() };
    let user = user.split_once(':').map_or(user, |(user, _)| user);
    let path = path.map(|path| format!("/{path}")).unwrap_or_default();
    format!("{scheme}://{user}:…@{host}{path}")
}

/// A branch or a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The name that questions use.
    pub name: String,
    /// `refs/heads/…` or `refs/tags/…`.
    pub full: String,
    pub commit: String,
}

/// What a remote has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heads {
    /// The branch that `HEAD` names.
    pub default: Option<String>,
    /// Branches, then tags.
    pub all: Vec<Head>,
}

const HEADS: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";
/// What a pattern of tags begins with.
const OF_TAGS: &str = "tags/";

impl Heads {
    /// Reads lines of a commit and a full name. An annotated tag has a second line with the commit that it is about.
    fn read<'a>(lines: impl Iterator<Item = (&'a str, &'a str)>) -> Heads {
        let mut heads = Heads::default();
        for (first, name) in lines {
            if name == "HEAD" {
                let branch = first.strip_prefix("ref: ").and_then(|full| full.strip_prefix(HEADS));
                heads.default = branch.map(str::to_owned).or(heads.default);
            } else if let Some(about) = name.strip_suffix("^{}") {
                heads
                    .all
                    .iter_mut()
                    .filter(|head| head.full == about)
                    .for_each(|head| first.clone_into(&mut head.commit));
            } else if let Some(short) = name.strip_prefix(HEADS).or_else(|| name.strip_prefix(TAGS)) {
                let head = Head { name: short.to_owned(), full: name.to_owned(), commit: first.to_owned() };
                heads.all.push(head);
            }
        }
        heads
    }

    /// What some patterns choose: `HEAD` the default branch, `tags/…` tags, any other branches.
    pub fn chosen(&self, patterns: &[String]) -> Vec<Head> {
        let wanted = |head: &Head| {
            patterns.iter().any(|pattern| match (head.full.strip_prefix(TAGS), pattern.strip_prefix(OF_TAGS)) {
                (Some(tag), Some(pattern)) => matches(pattern, tag),
                (None, None) if pattern == "HEAD" => self.default.as_deref() == Some(head.name.as_str()),
                (None, None) => matches(pattern, &head.name),
                _ => false,
            })
        };
        let mut chosen: Vec<Head> = self.all.iter().filter(|head| wanted(head)).cloned().collect();
        let branches: HashSet<String> =
            chosen.iter().filter(|head| head.full.starts_with(HEADS)).map(|head| head.name.clone()).collect();
        // A tag with the name of a branch that is here is told from it as git does it.
        for head in chosen.iter_mut().filter(|head| head.full.starts_with(TAGS) && branches.contains(&head.name)) {
            head.name = format!("{OF_TAGS}{}", head.name);
        }
        chosen
    }
}

/// A bare repository of ours.
pub(crate) struct Mirror {
    pub folder: PathBuf,
}

impl Mirror {
    /// The mirror in a folder, which is made where there is none.
    pub fn at(folder: PathBuf) -> Result<Mirror, TeamError> {
        let mirror = Mirror { folder };
        mirror.make()?;
        Ok(mirror)
    }

    fn make(&self) -> Result<(), TeamError> {
        for part in ["objects/pack", "objects/info", "refs/heads"] {
            let folder = self.folder.join(part);
            fs::create_dir_all(&folder).map_err(TeamError::io(&folder))?;
        }
        for (name, text) in [("HEAD", "ref: refs/heads/main\n"), ("config", CONFIG)] {
            let path = self.folder.join(name);
            if !path.is_file() {
                fs::write(&path, text).map_err(TeamError::io(&path))?;
            }
        }
        Ok(())
    }

    /// Removes what a git that was killed left behind: locks, at which every later one would stop, and packs that never were whole. One
    /// that is still at work, though its worker is gone, made its own a moment ago.
    pub fn remove_leftovers(&self) -> Result<(), TeamError> {
        let older = |path: &Path, age: Duration| {
            let made = fs::metadata(path).and_then(|metadata| metadata.modified());
            made.is_ok_and(|made| made.elapsed().is_ok_and(|elapsed| elapsed > age))
        };
        let packs = self.folder.join("objects/pack");
        let mut pending = vec![self.folder.clone(), self.folder.join("refs"), packs.clone()];
        while let Some(folder) = pending.pop() {
            for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
                let is_stale = match (name.ends_with(".lock"), name.starts_with("tmp_") && folder == packs) {
                    (true, _) => older(&path, STALE_LOCK),
                    (_, true) => older(&path, LONGEST),
                    _ => false,
                };
                if is_stale {
                    tracing::warn!("{}: left behind by a git that was killed", path.display());
                    fs::remove_file(&path).map_err(TeamError::io(&path))?;
                } else if path.is_dir() && folder != self.folder {
                    pending.push(path);
                }
            }
        }
        Ok(())
    }

    /// Asks a remote for what it has; for tags only where a pattern wants some, because there may be thousands.
    pub fn heads(&self, url: &str, patterns: &[String]) -> Result<Heads, TeamError> {
        let mut arguments = vec!["ls-remote", "--symref", "--", url, "HEAD", "refs/heads/*"];
        if patterns.iter().any(|pattern| pattern.starts_with(OF_TAGS)) {
            arguments.push("refs/tags/*");
        }
        let text = self.git(arguments)?;
        Ok(Heads::read(text.lines().filter_map(|line| line.split_once('\t'))))
    }

    /// Fetches some branches and tags and forgets all others.
    pub fn fetch(&self, url: &str, heads: &Heads, chosen: &[Head], depth: u32) -> Result<(), TeamError> {
        let has = self.here()?.all;
        let is_here = |head: &Head| has.iter().any(|own| own.full == head.full && own.commit == head.commit);
        if !chosen.iter().all(is_here) {
            let refspecs = chosen.iter().map(|head| format!("+{0}:{0}", head.full));
            let depth = if depth > 0 { vec![format!("--depth={depth}")] } else { Vec::new() };
            let fixed = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
            let arguments = fixed.into_iter().map(str::to_owned).chain(depth);
            self.git(arguments.chain(["--".to_owned(), url.to_owned()]).chain(refspecs))?;
        }
        for head in has.iter().filter(|head| !chosen.iter().any(|kept| kept.full == head.full)) {
            self.git(["update-ref", "-d", &head.full])?;
        }
        if let Some(default) = &heads.default {
            self.git(["symbolic-ref", "HEAD", &format!("refs/heads/{default}")])?;
        }
        self.git(["pack-refs", "--all"])?;
        if self.packs()?.len() > 2 * MOST_PACKS {
            self.git(["repack", "--quiet", "--geometric=2", "-d"])?;
        }
        Ok(())
    }

    /// The branches and tags that are here.
    fn here(&self) -> Result<Heads, TeamError> {
        let format = "--format=%(objectname) %(refname)%0a%(*objectname) %(refname)^{}";
        let text = self.git(["for-each-ref", format, "refs/heads", "refs/tags"])?;
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Ok(Heads::read(lines.filter(|(commit, _)| !commit.is_empty())))
    }

    /// The files that make up the repository, for publishing: packs, and the few that lead to them.
    pub fn sources(&self) -> Result<Vec<Source>, TeamError> {
        let mut sources = Vec::new();
        for name in ["HEAD", "packed-refs", "shallow"] {
            let path = self.folder.join(name);
            if path.is_file() {
                sources.push(Source::file(Part::Git, name, path));
            }
        }
        for path in self.packs()? {
            if let Some(name) = path.file_name().and_then(OsStr::to_str) {
                let name = format!("objects/pack/{name}");
                sources.push(Source::file(Part::Git, &name, path));
            }
        }
        Ok(sources)
    }

    fn packs(&self) -> Result<Vec<PathBuf>, TeamError> {
        let folder = self.folder.join("objects/pack");
        let entries = fs::read_dir(&folder).map_err(TeamError::io(&folder))?;
        let is_pack = |path: &PathBuf| {
            path.file_name().and_then(OsStr::to_str).is_some_and(|name| is_git_file(&format!("objects/pack/{name}")))
        };
        let mut packs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_pack).collect();
        packs.sort();
        Ok(packs)
    }

    /// Removes packs that are not named.
    pub fn keep_packs(&self, names: &[&str]) -> Result<(), TeamError> {
        for path in self.packs()? {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if !names.contains(&format!("objects/pack/{name}").as_str()) {
                fs::remove_file(&path).map_err(TeamError::io(&path))?;
            }
        }
        Ok(())
    }

    fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<String, TeamError> {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&self.folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(["-c", "protocol.allow=never"]);
        for scheme in ALLOWED {
            command.args(["-c", &format!("protocol.{scheme}.allow=always")]);
        }
        command.args(arguments).env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "true").env("LC_ALL", "C");
        if std::env::var_os("GIT_SSH_COMMAND").is_none() {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        for name in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
        {
            command.env_remove(name);
        }
        run(command)
    }
}

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

const SETTINGS: [&str; 9] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.logAllRefUpdates=false",
    "fetch.unpackLimit=1",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "safe.directory=*",
];

/// Whether a file of this name belongs to a published repository.
pub(crate) fn is_git_file(name: &str) -> bool {
    // No `config`: git does what stands there, and each mirror has its own.
    if matches!(name, "HEAD" | "packed-refs" | "shallow") {
        return true;
    }
    let pack = name.strip_prefix("objects/pack/pack-").and_then(|rest| rest.split_once('.'));
    pack.is_some_and(|(hash, kind)| {
        matches!(kind, "pack" | "idx" | "rev") && !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Runs a program to its end, or for long enough.
fn run(mut command: Command) -> Result<String, TeamError> {
    let failed = |problem: String| TeamError::Git(problem);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|problem| failed(format!("cannot be run: {problem}")))?;
    let read = |from: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = from.map(|mut from| from.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let output = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let errors = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let deadline = Instant::now() + LONGEST;
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed("took too long".to_owned()));
            }
            Ok(None) => std::thread::sleep(pause),
            Err(problem) => return Err(failed(problem.to_string())),
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    let (output, errors) = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if status.success() {
        return Ok(output);
    }
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed and says nothing");
    Err(failed(hide_passwords(last)))
}

/// Git names addresses in its errors.
fn hide_passwords(text: &str) -> String {
    let word = |word: &str| match word.find("://") {
        Some(at) => {
            let start = word[..at].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
            format!("{}{}", &word[..start], without_password(&word[start..]))
        }
        None => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

impl Source {
    pub(crate) fn file(part: Part, name: &str, path: impl AsRef<Path>) -> Source {
        Source { part, name: name.to_owned(), from: crate::pack::Content::File(path.as_ref().to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_run_something_are_refused() {
        for url in ["https://h/a.git", "ssh://git@h/a", "git@h:a/b.git", "file:///a", "/a/b", "http://127.0.0.1/a"] {
            assert!(is_allowed_url(url).is_ok(), "{url}");
        }
        for url in ["", "-u/x", "--upload-pack=x", "ext::sh -c x", "fd::3", "ftp://h/a", "a/b", "https://h/\nx"] {
            assert!(is_allowed_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("https://u:secret@h/a/b"), "https://u:…@h/a/b");
        assert_eq!(without_password("https://token@h/a"), "https://token:…@h/a");
        assert_eq!(without_password("https://h/a@b"), "https://h/a@b");
        assert_eq!(
            hide_passwords("fatal: unable to access 'https://u:secret@h/a/': refused"),
            "fatal: unable to access 'https://u:…@h/a/': refused"
        );
    }

    #[test]
    fn patterns_choose_branches_head_the_default_one_and_tags_by_their_prefix() {
        let lines = [
            ("ref: refs/heads/main", "HEAD"),
            ("c0", "HEAD"),
            ("c1", "refs/heads/main"),
            ("c2", "refs/heads/dev"),
            ("c3", "refs/heads/release/1"),
            ("c4", "refs/tags/dev"),
            ("t5", "refs/tags/v1"),
            ("c5", "refs/tags/v1^{}"),
            ("c6", "refs/pull/1/head"),
        ];
        let heads = Heads::read(lines.into_iter());
        assert_eq!(heads.default.as_deref(), Some("main"));
        let chosen = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            heads.chosen(&patterns).into_iter().map(|head| format!("{} {}", head.name, head.commit)).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&["HEAD"]), ["main c1"]);
        assert_eq!(chosen(&["release/*", "dev"]), ["dev c2", "release/1 c3"]);
        assert_eq!(chosen(&["*"]), ["main c1", "dev c2", "release/1 c3"], "branches alone");
        assert_eq!(chosen(&["tags/v*"]), ["v1 c5"], "the commit, not the tag that is about it");
        assert_eq!(chosen(&["tags/dev"]), ["dev c4"], "no branch of that name is here");
        assert_eq!(chosen(&["dev", "tags/*"]), ["dev c2", "tags/dev c4", "v1 c5"]);
        assert_eq!(chosen(&["x"]), [] as [&str; 0]);
    }

    #[test]
    fn locks_of_a_git_that_was_killed_go_and_those_of_one_at_work_stay() {
        let folder = tempfile::tempdir().unwrap();
        let mirror = Mirror::at(folder.path().join("a.git")).unwrap();
        let make = |name: &str, age: u64| {
            let path = mirror.folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = fs::File::create(&path).unwrap();
            file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age)).unwrap();
            path
        };
        let stale =
            [make("packed-refs.lock", 90), make("refs/heads/a/b.lock", 90), make("objects/pack/tmp_pack_1", 7200)];
        let kept =
            [make("shallow.lock", 5), make("objects/pack/tmp_pack_2", 90), make("objects/pack/pack-0a.pack", 9999)];
        mirror.remove_leftovers().unwrap();
        assert!(stale.iter().all(|path| !path.exists()) && kept.iter().all(|path| path.exists()));
    }

    #[test]
    fn only_what_a_repository_needs_is_taken_for_a_part_of_one() {
        for name in ["HEAD", "shallow", "objects/pack/pack-0a1b.pack", "objects/pack/pack-0a1b.idx"] {
            assert!(is_git_file(name), "{name}");
        }
        for name in
            ["hooks/post-checkout", "../x", "objects/pack/../../x", "objects/pack/pack-x.pack", "info/grafts", "config"]
        {
            assert!(!is_git_file(name), "{name}");
        }
    }
}
