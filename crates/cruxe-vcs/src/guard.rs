//! What is looked at before gix or we open a file of a git directory.
//!
//! A git directory may come from a stranger, in an archive for example. Opening a pipe waits for ever, a device may
//! have no end, and neither gix nor the standard library asks what it is about to open. So everything that is read is
//! asked for here first: it has to be a regular file, and no larger than anything real.
//!
//! Links are followed, because tools for several checkouts (`git-new-workdir`, Android's `repo`) make git directories
//! of links; but not into the folders in which the system shows itself as files.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use cruxe_model::ContentHash;
use gix::bstr::ByteSlice;
use gix::discover::is_git;

use crate::error::{VcsError, reason};

/// The most that `HEAD`, a `.git` file and their kind may hold.
const SMALL: u64 = 64 << 10;

/// The most that a configuration file may hold: a section for each of a hundred thousand branches.
const CONFIG: u64 = 16 << 20;

/// The most that `packed-refs` or `shallow` may hold: some ten million refs.
pub(crate) const LIST: u64 = 1 << 30;

/// The object folders that may be borrowed from. Git itself follows five, one behind the other.
const MAX_ALTERNATES: usize = 64;

/// Checks the git directories that a search upwards from a folder meets, up to the one where it ends.
pub(crate) fn check_upwards(start: &Path) -> Result<(), VcsError> {
    for folder in start.ancestors() {
        let dot_git = folder.join(".git");
        let git_dir = match fs::metadata(&dot_git) {
            Ok(found) if found.is_dir() => dot_git.clone(),
            Ok(_) => {
                check(&dot_git, SMALL)?;
                let text = read(&dot_git, SMALL).unwrap_or_default();
                text.strip_prefix(b"gitdir:").map_or_else(|| folder.to_owned(), |path| folder.join(to_path(path)))
            }
            // The folder may be a git directory itself.
            Err(_) => folder.to_owned(),
        };
        check_git_dir(&git_dir)?;
        if is_git(&dot_git).is_ok() || is_git(folder).is_ok() {
            break;
        }
    }
    Ok(())
}

/// Checks what is read of a git directory when it is opened, and what objects are found by.
fn check_git_dir(git_dir: &Path) -> Result<(), VcsError> {
    for (name, limit) in [("HEAD", SMALL), ("commondir", SMALL), ("gitdir", SMALL), ("config.worktree", CONFIG)] {
        check(&git_dir.join(name), limit)?;
    }
    let common_dir = match read(&git_dir.join("commondir"), SMALL) {
        Ok(path) => git_dir.join(to_path(&path)),
        Err(_) => git_dir.to_owned(),
    };
    for (name, limit) in [("HEAD", SMALL), ("config", CONFIG), ("packed-refs", LIST), ("shallow", LIST)] {
        check(&common_dir.join(name), limit)?;
    }
    check_work_trees(&common_dir)?;
    let objects = common_dir.join("objects");
    if !objects.is_dir() {
        return Ok(());
    }
    check_objects(&objects)?;
    for folder in alternates(&objects)? {
        check_objects(&folder)?;
        check_all_loose(&folder)?;
    }
    Ok(())
}

/// Checks what leads to the linked work trees.
pub(crate) fn check_work_trees(common_dir: &Path) -> Result<(), VcsError> {
    for folder in entries(&common_dir.join("worktrees")) {
        for name in ["HEAD", "commondir", "gitdir", "locked"] {
            check(&folder.join(name), SMALL)?;
        }
    }
    Ok(())
}

/// Checks the files that say where objects are. Packs have no bound: they are mapped, not read.
fn check_objects(objects: &Path) -> Result<(), VcsError> {
    for name in ["info/commit-graph", "info/commit-graphs/commit-graph-chain"] {
        check(&objects.join(name), u64::MAX)?;
    }
    let mut files = entries(&objects.join("pack")).chain(entries(&objects.join("info/commit-graphs")));
    files.try_for_each(|path| check(&path, u64::MAX))
}

/// Checks the file that an object of the repository itself has as long as it is in no pack.
pub(crate) fn check_loose(objects: &Path, hash: &ContentHash) -> Result<(), VcsError> {
    let hex = hash.to_hex();
    let (folder, name) = hex.split_at(2);
    check(&objects.join(folder).join(name), u64::MAX)
}

/// Checks the files of all objects of a folder that is borrowed from. Few repositories have one, so this may take the
/// time that asking for each object when it is read would add up to.
fn check_all_loose(objects: &Path) -> Result<(), VcsError> {
    let is_folder = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 2);
    entries(objects).filter(is_folder).flat_map(|folder| entries(&folder)).try_for_each(|path| check(&path, u64::MAX))
}

/// The folders that objects are borrowed from.
fn alternates(objects: &Path) -> Result<Vec<PathBuf>, VcsError> {
    // gix follows the same way once more, so that what is looked at here is what it reads.
    let mut pending = vec![objects.to_owned()];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = pending.pop() {
        let path = folder.join("info/alternates");
        check(&path, SMALL)?;
        let Ok(text) = read(&path, SMALL) else { continue };
        let damaged = |reason: String| VcsError::Read { path: path.clone(), reason };
        for next in gix::odb::alternate::parse(&text).map_err(|error| damaged(reason(&error)))? {
            let next = objects.join(next);
            if found.contains(&next) {
                continue;
            }
            if found.len() == MAX_ALTERNATES {
                return Err(damaged(format!("objects are borrowed from more than {MAX_ALTERNATES} folders")));
            }
            found.push(next.clone());
            pending.push(next);
        }
    }
    Ok(found)
}

/// Fails where something stands that is no regular file, or a larger one than can be. What is not there, or may not be
/// read, holds nobody up.
pub(crate) fn check(path: &Path, limit: u64) -> Result<(), VcsError> {
    match regular(path, limit) {
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(VcsError::read(path, &error)),
        _ => Ok(()),
    }
}

/// Opens a file that may be read to its end.
pub(crate) fn open(path: &Path, limit: u64) -> io::Result<File> {
    regular(path, limit)?;
    File::open(path)
}

/// Reads a file of a git directory, as long as it is one.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, VcsError> {
    let mut bytes = Vec::new();
    match open(path, limit).and_then(|file| file.take(limit).read_to_end(&mut bytes)) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(VcsError::read(path, &error)),
    }
}

fn regular(path: &Path, limit: u64) -> io::Result<()> {
    const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];
    let refused = |reason: String| Err(io::Error::new(ErrorKind::InvalidData, reason));
    let mut found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        let target = fs::canonicalize(path)?;
        if SYSTEM.iter().any(|folder| target.starts_with(folder)) {
            return refused("it is a link to something that is no file".to_owned());
        }
        found = fs::metadata(path)?;
    }
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return refused("it is not a regular file".to_owned());
    }
    if found.len() > limit {
        return refused(format!("it has {} bytes, more than the {limit} that are read", found.len()));
    }
    Ok(())
}

/// Whether the error means that there is no such file: a part of the path may be a file, the path a folder (`a` when
/// there is a branch `a/b`), or the name longer than any file name can be.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    use ErrorKind::{InvalidFilename, IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory | InvalidFilename)
}

/// What is in a folder; nothing where there is none.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The path that a file of a git directory holds.
fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(bytes.trim().to_os_str_lossy().into_owned())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::Repo;
    use crate::testing::{Fixture, open};

    /// What may stand where git has a file, and hold up whoever opens or reads it.
    const TRAPS: [&str; 3] = ["pipe", "endless", "huge"];

    fn set(trap: &str, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(path);
        match trap {
            "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            "endless" => symlink("/dev/zero", path).unwrap(),
            _ => File::create(path).unwrap().set_len(1 << 40).unwrap(),
        }
    }

    /// Fails, instead of waiting for ever, where the answer does not come.
    fn in_time<T: Send + 'static>(what: String, answer: impl FnOnce() -> T + Send + 'static) -> T {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || send.send(answer()));
        receive.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("{what}: no answer"))
    }

    #[test]
    fn a_trap_in_a_git_directory_is_an_error_that_names_it_and_never_a_wait() {
        let files = [
            "HEAD",
            "config",
            "config.worktree",
            "commondir",
            "packed-refs",
            "shallow",
            "objects/info/alternates",
            "worktrees/x/gitdir",
        ];
        for (name, trap) in files.into_iter().flat_map(|name| TRAPS.map(|trap| (name, trap))) {
            let fixture = Fixture::new();
            fixture.commit("one");
            let path = fixture.root.join(".git").join(name);
            set(trap, &path);
            let root = fixture.root.clone();
            let error = in_time(format!("{trap} {name}"), move || Repo::discover(&root).unwrap_err());
            assert!(matches!(&error, VcsError::Read { path: named, .. } if *named == path), "{trap} {name}: {error}");
        }
    }

    #[test]
    fn a_git_file_that_is_a_trap_or_leads_to_one_is_an_error() {
        for trap in TRAPS {
            let fixture = Fixture::new();
            let (inside, elsewhere) = (fixture.root.join("inside"), fixture.root.join("elsewhere"));
            set(trap, &inside.join(".git"));
            in_time(trap.to_owned(), move || Repo::discover(&inside).unwrap_err());
            set(trap, &elsewhere.join("git/HEAD"));
            fs::write(elsewhere.join(".git"), "gitdir: git\n").unwrap();
            in_time(trap.to_owned(), move || Repo::discover(&elsewhere).unwrap_err());
        }
    }

    #[test]
    fn a_trap_among_refs_objects_and_in_the_index_is_an_error() {
        type Ask = fn(&Repo) -> Result<(), VcsError>;
        let asks: [(&str, Ask); 5] = [
            ("refs/heads/main", |repo| repo.head().map(drop)),
            ("packed-refs", |repo| repo.branches().map(drop)),
            ("index", |repo| repo.tracked_files().map(drop)),
            ("index", |repo| repo.changes().map(drop)),
            ("OBJECT", |repo| repo.tree_files(&repo.head()?.commit.unwrap()).map(drop)),
        ];
        for trap in ["pipe", "endless"] {
            for (name, ask) in asks {
                let fixture = Fixture::new();
                fixture.write("a", "x");
                let commit = fixture.commit("one").to_hex();
                let repo = fixture.open();
                let loose = format!("objects/{}/{}", &commit[..2], &commit[2..]);
                let path = fixture.root.join(".git").join(name.replace("OBJECT", &loose));
                set(trap, &path);
                let error = in_time(format!("{trap} {name}"), move || ask(&repo).unwrap_err());
                assert!(matches!(&error, VcsError::Read { path: named, .. } if *named == path), "{trap}: {error}");
            }
        }
    }

    #[test]
    fn a_trap_in_the_history_or_among_borrowed_objects_is_an_error() {
        let fixture = Fixture::new();
        let old = fixture.commit("old");
        fixture.git(&["branch", "side"]);
        let one = fixture.commit("one");
        fixture.git(&["checkout", "--quiet", "side"]);
        let other = fixture.commit("other");
        let hex = old.to_hex();
        set("pipe", &fixture.root.join(format!(".git/objects/{}/{}", &hex[..2], &hex[2..])));
        let repo = fixture.open();
        in_time("history".to_owned(), move || repo.merge_base(&one, &other).unwrap_err());

        let borrower = Fixture::new();
        let objects = fixture.root.join(".git/objects");
        let list = borrower.root.join(".git/objects/info/alternates");
        fs::create_dir_all(list.parent().unwrap()).unwrap();
        fs::write(&list, format!("{}\n", objects.display())).unwrap();
        let root = borrower.root.clone();
        in_time("borrowed".to_owned(), move || Repo::discover(&root).unwrap_err());
    }

    #[test]
    fn includes_of_the_configuration_are_not_followed() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let pipe = fixture.beside("pipe");
        set("pipe", &pipe);
        fixture.git(&["config", "include.path", pipe.to_str().unwrap()]);
        let root = fixture.root.clone();
        assert_eq!(in_time("include".to_owned(), move || open(&root).head().unwrap().ref_name), "main");
    }

    #[test]
    fn what_a_link_in_a_git_directory_leads_to_is_not_quoted() {
        let fixture = Fixture::new();
        let secret = fixture.beside("secret");
        for text in ["hunter2 = [\n", "ref: hunter2 hunter2\n", "gitdir: hunter2\n", "[hunter2\n", "hunter2\n"] {
            fs::write(&secret, text).unwrap();
            for name in ["config", "HEAD", "packed-refs", "objects/info/alternates", "commondir", "shallow"] {
                let path = fixture.root.join(".git").join(name);
                let before = fs::read(&path).ok();
                let _ = fs::remove_file(&path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                symlink(&secret, &path).unwrap();
                let said = match Repo::discover(&fixture.root) {
                    Ok(Some(repo)) => format!("{:?} {:?} {:?}", repo.head().err(), repo.branches(), repo.work_trees()),
                    answer => format!("{answer:?}"),
                };
                assert!(!said.contains("hunter2"), "{name}: {said}");
                fs::remove_file(&path).unwrap();
                before.into_iter().for_each(|bytes| fs::write(&path, bytes).unwrap());
            }
        }
    }

    #[test]
    fn a_git_directory_made_of_links_is_read() {
        let fixture = Fixture::new();
        let commit = fixture.commit("one");
        fixture.git(&["pack-refs", "--all"]);
        let copy = fixture.beside("copy");
        fs::create_dir_all(copy.join(".git")).unwrap();
        fs::copy(fixture.root.join(".git/HEAD"), copy.join(".git/HEAD")).unwrap();
        for name in ["config", "packed-refs", "objects", "refs"] {
            symlink(fixture.root.join(".git").join(name), copy.join(".git").join(name)).unwrap();
        }
        assert_eq!(open(&copy).head().unwrap().commit, Some(commit));
    }
}
