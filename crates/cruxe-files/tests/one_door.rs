//! Files of a workspace are opened in one place. Everything else that opens, writes or lists files by a path is named here, with
//! whose files those are.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// A file or a folder of sources, how often it may touch files by a path, and why that is no file of a workspace.
struct Allowed {
    path: &'static str,
    most: usize,
    why: &'static str,
}

const fn allowed(path: &'static str, most: usize, why: &'static str) -> Allowed {
    Allowed { path, most, why }
}

const ANY: usize = usize::MAX;

const ALLOWED: &[Allowed] = &[
    allowed("crates/cruxe-server/src/doctor.rs", 1, "what the system allows a watcher"),
    allowed("crates/cruxe-cli/src/commands/serve_http.rs", 1, "a token file that the user names"),
    allowed("crates/cruxe-cli/src/commands/scip_auto.rs", 1, "what an indexer writes, into a folder of its own"),
    allowed(
        "crates/cruxe-cli/src/commands/team/remote.rs",
        3,
        "a token file that the user names, and the list of remotes in the user's home",
    ),
    allowed("crates/cruxe-cli/src/config.rs", 5, "the user's own configuration, and the one named with --config"),
    allowed("crates/cruxe-cli/src/cue/upgrade/", ANY, "a release, and the folder of the program"),
    allowed("crates/cruxe-cli/src/download.rs", 1, "a download, into a folder of its own"),
    allowed("crates/cruxe-cli/src/install/file.rs", 9, "settings in the user's home, where links are meant"),
    allowed("crates/cruxe-deck/src/config.rs", 1, "the user's own cue.toml, and the one named with --config"),
    allowed("crates/cruxe-embed/src/", ANY, "models in the user's home"),
    allowed("crates/cruxe-files/src/", ANY, "the door itself"),
    allowed("crates/cruxe-index/src/scip/mod.rs", 1, "a compiler's index that the user names"),
    allowed("crates/cruxe-index/src/state/", ANY, "an archive that the user names"),
    allowed("crates/cruxe-index/src/watch.rs", 6, "files that wake the watcher, in the index's folder"),
    allowed("crates/cruxe-index/src/worktree.rs", ANY, "work trees that are kept in the user's home"),
    allowed("crates/cruxe-server/src/metrics.rs", 1, "what the system says about this process"),
    allowed("crates/cruxe-store/src/", ANY, "the index, in the user's home"),
    allowed("crates/cruxe-team/src/blobs/folder.rs", ANY, "blobs in the team's folder"),
    allowed("crates/cruxe-team/src/git.rs", ANY, "mirrors of our own making"),
    allowed("crates/cruxe-team/src/node/directories.rs", ANY, "directories that a node keeps in its folder"),
    allowed("crates/cruxe-team/src/local.rs", ANY, "what a node or a worker keeps in its folder"),
    allowed("crates/cruxe-team/src/pack/", ANY, "files of a published index"),
    allowed("crates/cruxe-vcs/src/checkout.rs", ANY, "work trees that are kept in the user's home"),
    allowed("crates/cruxe-vcs/src/guard.rs", ANY, "a git directory"),
    allowed("crates/cruxe-vcs/src/refs.rs", 1, "a git directory"),
    allowed("crates/cruxe-vcs/src/work_tree/mod.rs", ANY, "work trees that are kept in the user's home"),
];

/// What opens, writes or lists by a path.
const TOUCHES: &[&str] = &[
    "fs::read",
    "fs::write",
    "fs::copy",
    "fs::rename",
    "fs::remove",
    "fs::create",
    "fs::hard_link",
    "fs::set_permissions",
    "fs::exists",
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions::new",
    ".read_dir(",
    "tempfile::",
    "tempfile_in",
    "Mmap::map",
];

fn touches(text: &str) -> usize {
    let is_word = |line: &str, at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric());
    let has =
        |line: &str, call: &str| line.match_indices(call).any(|(at, _)| call.starts_with('.') || is_word(line, at));
    let lines = code(text).lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.filter(|line| TOUCHES.iter().any(|call| has(line, call))).count()
}

/// The text without the tests at its foot.
fn code(text: &str) -> &str {
    let begins = |at: &usize| {
        let after: Vec<&str> = text[*at..].lines().skip(1).take(2).collect();
        after.iter().any(|line| line.starts_with("mod ") && line.ends_with('{'))
    };
    let marks = text.match_indices("\n#[cfg(test)]\n").map(|(at, _)| at + 1);
    &text[..marks.into_iter().find(begins).unwrap_or(text.len())]
}

fn sources(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending: Vec<PathBuf> =
        fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let of_tests = name.ends_with("tests.rs") || name == "testing.rs";
            match path.is_dir() {
                true => pending.push(path),
                false if name.ends_with(".rs") && !of_tests => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

#[test]
fn files_of_a_workspace_are_opened_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned();
    let mut wrong = Vec::new();
    let mut needed = vec![false; ALLOWED.len()];
    for file in sources(&root) {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let count = touches(&fs::read_to_string(&file).unwrap());
        if count == 0 {
            continue;
        }
        match ALLOWED.iter().position(|allowed| name.starts_with(allowed.path)) {
            Some(at) => {
                needed[at] = true;
                let Allowed { most, why, .. } = ALLOWED[at];
                if count > most {
                    wrong.push(format!("{name}: {count} lines touch files by a path, {most} do for {why}"));
                }
            }
            None => wrong.push(format!("{name}: {count} lines touch files by a path; use `cruxe_files::Root`")),
        }
    }
    let unused = ALLOWED.iter().zip(&needed).filter(|(allowed, needed)| !**needed && root.join(allowed.path).exists());
    wrong.extend(
        unused.map(|(allowed, _)| format!("{}: touches no files any more; take it out of the list", allowed.path)),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tests_at_the_foot_of_a_file_do_not_count() {
    let text = "use std::fs;\n#[cfg(test)]\nmod tests;\nfn f() {\n    fs::read(p);\n}\n\n#[cfg(test)]\nmod tests {\n    fs::write(p);\n}\n";
    assert_eq!(touches(text), 1);
    assert_eq!(touches("// fs::read\nlet scip = ScipFile::open(path)?;\n"), 0);
    assert_eq!(touches("let file = File::open(path)?;\nfs::remove_dir_all(path)?;\nroot.read(path, 1)?;\n"), 2);
}
