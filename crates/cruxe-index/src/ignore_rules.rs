//! Which files are left out whatever the repository's own ignore files say, and why.
//!
//! The rules look at paths alone, so that a work tree and a commit agree. A line `!pattern` in `.cruxeignore` takes a
//! file back in.

use cruxe_model::{RepoPath, SkipReason};

/// The snapshot that `cue scene` makes of cards, documents and code: everything in it is elsewhere too.
const SCENE: &str = ".cuedeck/SCENE.md";

/// Why a file is left out; `None` for one that is not.
pub fn reason(path: &RepoPath) -> Option<SkipReason> {
    let folders = path.parent().split('/');
    if let Some(why) = folders.map(folder_reason).find(Option::is_some) {
        return why;
    }
    if path.as_str() == SCENE {
        return Some(SkipReason::Generated);
    }
    file_reason(path.file_name(), path.extension().as_deref())
}

/// Why a whole folder is left out.
pub fn folder_reason(name: &str) -> Option<SkipReason> {
    match name {
        ".git" | ".hg" | ".svn" | ".jj" | ".sl" => Some(SkipReason::VersionControl),
        "node_modules" | "bower_components" | "jspm_packages" | "vendor" | "Pods" | "Carthage" | "site-packages" => {
            Some(SkipReason::Vendored)
        }
        "__pycache__" | ".venv" | ".tox" | ".nox" | ".mypy_cache" | ".pytest_cache" | ".ruff_cache" | ".gradle"
        | ".terraform" | ".next" | ".nuxt" | ".svelte-kit" | ".dart_tool" | ".direnv" | ".cache" | ".parcel-cache"
        | ".turbo" | "DerivedData" | ".eggs" => Some(SkipReason::Cache),
        _ => None,
    }
}

fn file_reason(name: &str, extension: Option<&str>) -> Option<SkipReason> {
    const LOCKS: &[&str] = &[
        "Cargo.lock",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "deno.lock",
        "poetry.lock",
        "Pipfile.lock",
        "uv.lock",
        "pdm.lock",
        "composer.lock",
        "Gemfile.lock",
        "go.sum",
        "go.work.sum",
        "flake.lock",
        "mix.lock",
        "Podfile.lock",
        "packages.lock.json",
        "pubspec.lock",
        "Cartfile.resolved",
        "Package.resolved",
        "gradle.lockfile",
        "bun.lockb",
    ];
    const MINIFIED: &[&str] =
        &[".min.js", ".min.css", ".min.mjs", "-min.js", ".bundle.js", ".js.map", ".css.map", ".mjs.map"];
    const GENERATED: &[&str] = &[
        ".pb.go",
        ".pb.cc",
        ".pb.h",
        "_pb2.py",
        "_pb2.pyi",
        "_pb2_grpc.py",
        ".g.dart",
        ".freezed.dart",
        ".designer.cs",
        ".Designer.cs",
        ".g.cs",
        ".g.i.cs",
        ".generated.cs",
    ];
    if name == ".git" {
        return Some(SkipReason::VersionControl); // of a submodule or linked work tree: a file that says where the folder is
    }
    if LOCKS.contains(&name) {
        return Some(SkipReason::LockFile);
    }
    if MINIFIED.iter().any(|end| name.ends_with(end)) {
        return Some(SkipReason::Minified);
    }
    if GENERATED.iter().any(|end| name.ends_with(end)) || name.starts_with("zz_generated.") {
        return Some(SkipReason::Generated);
    }
    extension.and_then(extension_reason)
}

fn extension_reason(extension: &str) -> Option<SkipReason> {
    match extension {
        "png" | "jpg" | "jpeg" | "gif" | "bmp" | "ico" | "icns" | "webp" | "avif" | "tif" | "tiff" | "psd" | "pdf"
        | "eps" | "ai" | "zip" | "gz" | "tgz" | "bz2" | "xz" | "zst" | "7z" | "rar" | "tar" | "jar" | "war" | "whl"
        | "egg" | "gem" | "deb" | "rpm" | "dmg" | "iso" | "exe" | "dll" | "so" | "dylib" | "a" | "o" | "obj"
        | "lib" | "pdb" | "class" | "pyc" | "pyo" | "wasm" | "bin" | "dat" | "db" | "sqlite" | "sqlite3" | "mo"
        | "woff" | "woff2" | "ttf" | "otf" | "eot" | "mp3" | "mp4" | "m4a" | "wav" | "flac" | "ogg" | "webm"
        | "avi" | "mov" | "mkv" | "parquet" | "npy" | "npz" | "pkl" | "pt" | "onnx" | "safetensors" | "shp" | "shx"
        | "dbf" | "mmdb" | "keystore" | "p12" | "pfx" | "der" | "rlib" | "rmeta" => Some(SkipReason::Binary),
        "po" | "pot" | "xlf" | "xliff" => Some(SkipReason::Translations),
        "svg" | "csv" | "tsv" | "geojson" | "ndjson" | "jsonl" => Some(SkipReason::Data),
        _ => None,
    }
}

/// A content, unless it says itself that it is nothing to read.
pub fn worth_reading(content: Vec<u8>) -> Result<Vec<u8>, SkipReason> {
    match &content {
        content if is_binary(content) => Err(SkipReason::Binary),
        content if is_lfs_pointer(content) => Err(SkipReason::LfsPointer),
        _ => Ok(content),
    }
}

/// Whether a content is what git LFS leaves in place of a file that it keeps elsewhere.
fn is_lfs_pointer(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(&content[..content.len().min(MAX_POINTER)]) else { return false };
    let mut lines = text.lines();
    let version = lines.next().and_then(|line| line.strip_prefix("version "));
    content.len() < MAX_POINTER
        && version.is_some_and(|version| version.starts_with("https://git-lfs.github.com/spec/"))
        && lines.any(|line| line.starts_with("oid "))
}

/// A pointer is shorter, says its specification.
const MAX_POINTER: usize = 1024;

/// Whether the beginning of a file says that it is no text.
pub fn is_binary(head: &[u8]) -> bool {
    head[..head.len().min(8000)].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(path: &str) -> Option<SkipReason> {
        reason(&RepoPath::parse(path).unwrap())
    }

    #[test]
    fn what_people_did_not_write_is_left_out() {
        assert_eq!(why("web/node_modules/react/index.js"), Some(SkipReason::Vendored));
        assert_eq!(why("Cargo.lock"), Some(SkipReason::LockFile));
        assert_eq!(why("static/jquery.min.js"), Some(SkipReason::Minified));
        assert_eq!(why("api/v1/types.pb.go"), Some(SkipReason::Generated));
        assert_eq!(why("logo.PNG"), Some(SkipReason::Binary));
        assert_eq!(why(".cuedeck/SCENE.md"), Some(SkipReason::Generated));
        assert_eq!(why(".cuedeck/.cache/x.md"), Some(SkipReason::Cache));
    }

    #[test]
    fn ordinary_files_are_kept() {
        for path in [
            "src/build/mod.rs",
            "vendor.go",
            "lib/locks.rs",
            "docs/guide.txt",
            "Makefile",
            ".github/x.yml",
            ".cuedeck/cards/abc123.md",
            "docs/SCENE.md",
        ] {
            assert_eq!(why(path), None, "{path}");
        }
    }

    #[test]
    fn a_pointer_of_git_lfs_is_known_by_its_form_and_a_text_about_it_is_none() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n".to_vec();
        assert_eq!(worth_reading(pointer.clone()), Err(SkipReason::LfsPointer));
        let long = [pointer.as_slice(), &[b' '; 1024]].concat();
        let about = b"# version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n".to_vec();
        let lone = b"version https://git-lfs.github.com/spec/v1\n".to_vec();
        for text in [long, about, lone, "größe".into(), Vec::new()] {
            assert_eq!(worth_reading(text.clone()), Ok(text));
        }
    }

    #[test]
    fn a_nul_byte_makes_a_binary() {
        assert!(is_binary(b"ab\0c"));
        assert!(!is_binary(b"plain"));
        assert!(!is_binary(b""));
    }
}
