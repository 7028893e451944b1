use std::fs;

use super::*;

fn workspace(files: &[(&str, &str)]) -> (tempfile::TempDir, Documents) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let documents = Documents::new(root.path());
    (root, documents)
}

fn read(documents: &Documents, path: &str, anchor: Option<&str>) -> Result<Excerpt, DeckError> {
    documents.read(&RepoPath::parse(path).unwrap(), anchor, &|| vec!["docs/auth.md".to_owned(), "README.md".to_owned()])
}

#[test]
fn a_whole_document_is_trimmed_and_has_the_hash_of_the_file() {
    let (_root, documents) = workspace(&[("docs/a.md", "\n# A\n\ntext\n\n")]);
    let first = read(&documents, "docs/a.md", None).unwrap();
    assert_eq!((first.content.as_str(), first.cached, first.lines), ("# A\n\ntext", false, None));
    assert_eq!(first.hash, sha256(b"\n# A\n\ntext\n\n"));
    assert_eq!(first.tokens, cruxe_tokens::count("\n# A\n\ntext\n\n"));
    let second = read(&documents, "./docs//a.md", None).unwrap();
    assert_eq!(second, Excerpt { cached: true, ..first });
}

#[test]
fn a_section_has_its_own_hash_tokens_and_lines() {
    let (_root, documents) = workspace(&[("a.md", "# A\n## B\ntext\n\n## C\n")]);
    let section = read(&documents, "a.md", Some("b")).unwrap();
    assert_eq!((section.content.as_str(), section.lines), ("## B\ntext", Some((2, 4))));
    assert_eq!((section.hash, section.anchor.as_deref()), (sha256(b"## B\ntext"), Some("b")));
    assert!(read(&documents, "a.md", Some("C")).unwrap().cached);
    match read(&documents, "a.md", Some("Cc")) {
        Err(DeckError::NoAnchor { nearest, .. }) => assert_eq!(nearest.as_deref(), Some("C")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_edit_of_the_same_length_is_seen_at_once() {
    let (root, documents) = workspace(&[("a.md", "one")]);
    for text in ["one", "two", "six", "ten", "one"] {
        fs::write(root.path().join("a.md"), text).unwrap();
        assert_eq!(read(&documents, "a.md", None).unwrap().content, text);
    }
}

#[test]
fn documents_of_the_deck_are_found_without_its_folder() {
    let (_root, documents) =
        workspace(&[(".cuedeck/docs/x.md", "deck"), (".cuedeck/docs/y.md", "deck"), ("docs/y.md", "own")]);
    let x = read(&documents, "docs/x.md", None).unwrap();
    assert_eq!((x.content.as_str(), x.path.as_str()), ("deck", ".cuedeck/docs/x.md"));
    assert_eq!(read(&documents, "docs/y.md", None).unwrap().content, "own");
    assert!(matches!(read(&documents, "config.md", None), Err(DeckError::NoFile { .. })));
}

#[test]
fn a_missing_document_has_a_suggestion_where_one_is_near() {
    let (_root, documents) = workspace(&[]);
    for (path, expected) in [("docs/autth.md", Some("docs/auth.md")), ("zzz/qqqqq.md", None)] {
        match read(&documents, path, None) {
            Err(DeckError::NoFile { nearest, .. }) => assert_eq!(nearest.as_deref(), expected),
            other => panic!("{other:?}"),
        }
    }
}

#[cfg(unix)]
#[test]
fn links_lead_to_documents_of_the_workspace_and_never_out_of_it() {
    let (root, documents) = workspace(&[("docs/a.md", "inside")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "TOPSECRET").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), root.path().join("docs/out.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), root.path().join("folder")).unwrap();
    std::os::unix::fs::symlink("a.md", root.path().join("docs/in.md")).unwrap();
    assert_eq!(read(&documents, "docs/in.md", None).unwrap().content, "inside");
    std::os::unix::fs::symlink("../.git/config", root.path().join("docs/git.md")).unwrap();
    for path in ["docs/out.md", "folder/secret.md", "docs/git.md", ".git/config"] {
        let refused = read(&documents, path, None);
        assert!(matches!(refused, Err(DeckError::Refused(_))), "{path}: {refused:?}");
    }
}

#[test]
fn a_file_that_never_stands_still_is_a_stale_cache() {
    let path = RepoPath::parse("a.md").unwrap();
    let mut number = 0;
    let moving = read_whole(&path, 3, || {
        number += 1;
        Ok((number, vec![number], number + 1))
    });
    match moving {
        Err(DeckError::Changing { expected_hash, actual_hash, .. }) => {
            assert_eq!((expected_hash, actual_hash), (sha256(&[2]), sha256(&[3])));
        }
        other => panic!("{other:?}"),
    }
    let mut number = 0;
    let settles = read_whole(&path, 3, || {
        number += 1;
        Ok((number.min(2), vec![number as u8], (number + 1).min(2)))
    });
    assert_eq!(settles.unwrap().unwrap(), (2, vec![2]));
}
