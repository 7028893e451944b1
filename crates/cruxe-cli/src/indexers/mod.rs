//! Programs that write a compiler's index (SCIP): which of them a project has use for, and where they are installed.
//!
//! Such a program runs a build: build scripts, plug-ins and configuration of the project are executed. So none is started
//! unless the user asks for it, and none that the project brings along itself: what stands in `PATH` counts, and of `PATH`
//! only folders outside of the project.

mod run;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cruxe_store::FileRow;

pub(crate) use self::run::{Ended, run};

/// A program that writes an index.
pub(crate) struct Indexer {
    /// Its name in `PATH`.
    pub program: &'static str,
    /// The languages that it reads.
    pub languages: &'static [&'static str],
    /// Files at the root of the project of which it needs one; `*.sln` is any file that ends so. Empty where it needs none.
    pub needs: &'static [&'static str],
    /// How it is called to write an index of the project at a root into a file.
    arguments: fn(root: &Path, output: &Path) -> Vec<OsString>,
    /// How people get it.
    pub install: &'static str,
}

/// Every program that we know how to call.
pub(crate) static INDEXERS: &[Indexer] = &[
    Indexer {
        program: "rust-analyzer",
        languages: &["rust"],
        needs: &["Cargo.toml", "rust-project.json"],
        arguments: |root, output| words(&["scip"], &[(None, root), (Some("--output"), output)]),
        install: "rustup component add rust-analyzer",
    },
    Indexer {
        program: "scip-typescript",
        languages: &["typescript", "javascript"],
        // Without one it would write one into the project.
        needs: &["tsconfig.json", "jsconfig.json"],
        arguments: |root, output| words(&["index"], &[(Some("--cwd"), root), (Some("--output"), output)]),
        install: "npm install -g @sourcegraph/scip-typescript",
    },
    Indexer {
        program: "scip-python",
        languages: &["python"],
        needs: &[],
        arguments: |root, output| {
            let mut all = words(&["index"], &[(Some("--cwd"), root), (Some("--output"), output)]);
            all.push("--project-name".into());
            all.push(root.file_name().unwrap_or("project".as_ref()).to_owned());
            // Outside of git it fails without one; what it is does not matter to us.
            all.extend(["--project-version".into(), "0".into()]);
            all
        },
        install: "npm install -g @sourcegraph/scip-python",
    },
    Indexer {
        program: "scip-go",
        languages: &["go"],
        needs: &["go.mod", "go.work"],
        arguments: |_, output| words(&[], &[(Some("--output"), output)]),
        install: "go install github.com/sourcegraph/scip-go/cmd/scip-go@latest",
    },
    Indexer {
        program: "scip-java",
        languages: &["java", "kotlin", "scala"],
        needs: &["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "lsif-java.json"],
        arguments: |_, output| words(&["index"], &[(Some("--output"), output)]),
        install: "https://sourcegraph.github.io/scip-java",
    },
    Indexer {
        program: "scip-clang",
        languages: &["c", "cpp"],
        needs: &["compile_commands.json"],
        arguments: |root, output| {
            let mut all = vec![joined("--compdb-path=", &root.join("compile_commands.json"))];
            all.push(joined("--index-output-path=", output));
            all
        },
        install: "https://github.com/sourcegraph/scip-clang",
    },
    Indexer {
        program: "scip-ruby",
        languages: &["ruby"],
        needs: &[],
        arguments: |_, output| words(&[], &[(Some("--index-file"), output), (None, Path::new("."))]),
        install: "gem install scip-ruby",
    },
    Indexer {
        program: "scip-dotnet",
        languages: &["csharp"],
        needs: &["*.sln", "*.csproj"],
        arguments: |_, output| words(&["index"], &[(Some("--output"), output)]),
        install: "dotnet tool install --global scip-dotnet",
    },
];

fn words(first: &[&str], paths: &[(Option<&str>, &Path)]) -> Vec<OsString> {
    let mut all: Vec<OsString> = first.iter().map(OsString::from).collect();
    for (option, path) in paths {
        all.extend(option.map(OsString::from));
        all.push(path.as_os_str().to_owned());
    }
    all
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut all = OsString::from(option);
    all.push(path);
    all
}

/// What can be done with an indexer for a project that has files of its languages.
pub(crate) struct Choice {
    /// The indexer.
    pub indexer: &'static Indexer,
    /// How many files it may cover.
    pub files: usize,
    /// What to start, or why nothing is.
    pub found: Result<PathBuf, Lack>,
}

/// Why an indexer is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// It is in no folder of `PATH` that counts.
    Program,
    /// The project lacks the file that it starts from.
    Marker,
}

/// The indexers for the languages of a project, those with the most files first.
pub(crate) fn choose(rows: &[FileRow], root: &Path, path: Option<OsString>) -> Vec<Choice> {
    let path = path.unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| counts(folder, root)).collect();
    let mut all: Vec<Choice> = INDEXERS.iter().filter_map(|indexer| choice(indexer, rows, &folders)).collect();
    all.sort_by_key(|choice| std::cmp::Reverse(choice.files));
    all
}

fn choice(indexer: &'static Indexer, rows: &[FileRow], folders: &[PathBuf]) -> Option<Choice> {
    let files = rows.iter().filter(|row| indexer.languages.contains(&row.language.as_str())).count();
    let at_root = |need: &&str| {
        let fits = |name: &str| need.strip_prefix('*').map_or(name == *need, |end| name.ends_with(end));
        rows.iter().map(|row| row.path.as_str()).any(|path| !path.contains('/') && fits(path))
    };
    let marked = indexer.needs.is_empty() || indexer.needs.iter().any(|need| at_root(&need));
    let found = match installed(indexer.program, folders) {
        _ if !marked => Err(Lack::Marker),
        found => found.ok_or(Lack::Program),
    };
    (files > 0).then_some(Choice { indexer, files, found })
}

/// Whether programs of a folder of `PATH` may be run: one inside of the project holds what the project's authors put there.
fn counts(folder: &Path, root: &Path) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.is_absolute() && !real.starts_with(root)
}

fn installed(program: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let names =
        if cfg!(windows) { vec![format!("{program}.exe"), format!("{program}.cmd")] } else { vec![program.into()] };
    folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_project_and_relative_ones_do_not_count() {
        let root = Path::new("/home/me/shop");
        assert!(counts(Path::new("/usr/bin"), root));
        assert!(!counts(Path::new("node_modules/.bin"), root));
        assert!(!counts(Path::new("/home/me/shop/node_modules/.bin"), root));
        assert!(!counts(Path::new(""), root));
    }

    #[test]
    fn every_indexer_is_told_where_to_write() {
        let output = Path::new("/tmp/x/index.scip");
        for indexer in INDEXERS {
            let all = (indexer.arguments)(Path::new("/home/me/shop"), output);
            let told = all.iter().any(|word| word.to_string_lossy().ends_with("/tmp/x/index.scip"));
            assert!(told, "{}: {all:?}", indexer.program);
        }
    }
}
