//! `cue watch`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::{card, cue_in, deck};
use crate::support::{DEADLINE, Repo, Sandbox, eventually};

/// A running `cue watch`; ends with the test.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watching {
    /// Starts and waits for the first scene.
    fn start(sandbox: &Sandbox, repo: &Repo) -> Watching {
        let mut command = cue_in(sandbox, repo);
        command.args(["watch", "--no-clipboard"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let watching = Watching { child, lines };
        watching.next();
        watching
    }

    /// Waits for the next scene that is written.
    fn next(&self) -> String {
        self.lines.recv_timeout(DEADLINE).unwrap()
    }
}

fn scene(repo: &Repo) -> String {
    fs::read_to_string(repo.root.join(".cuedeck/SCENE.md")).unwrap_or_default()
}

fn shows(repo: &Repo, word: &str) {
    eventually(&format!("the scene has {word}"), DEADLINE, || scene(repo).contains(word).then_some(()));
}

fn work<'a>(sandbox: &'a Sandbox) -> Repo<'a> {
    let repo = deck(sandbox, &[("docs/auth.md", "# Auth\n\nOne.\n")]);
    repo.write(
        ".cuedeck/cards/aaa111.md",
        card("First", "active", "refs: [docs/later/new.md]\n", "[a](../../docs/auth.md)\n"),
    );
    repo
}

#[test]
fn cards_documents_and_files_that_come_later_reach_the_scene() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let _watching = Watching::start(&sandbox, &repo);
    shows(&repo, "One.");
    repo.write("docs/auth.md", "# Auth\n\nMarkerDocument\n");
    shows(&repo, "MarkerDocument");
    repo.write(".cuedeck/cards/bbb222.md", card("MarkerCard", "active", "", ""));
    shows(&repo, "MarkerCard");
    repo.remove(".cuedeck/cards/bbb222.md");
    eventually("the card is gone", DEADLINE, || (!scene(&repo).contains("MarkerCard")).then_some(()));
    repo.write("docs/later/new.md", "# New\n\nMarkerLater\n");
    shows(&repo, "MarkerLater");
    repo.write("docs/later/new.md", "# New\n\nMarkerAgain\n");
    shows(&repo, "MarkerAgain");
    repo.write(".cuedeck/config.toml", "[[secrets.pattern]]\nname = \"marker\"\nregex = \"MarkerAgain\"\n");
    shows(&repo, "[masked marker]");
}

#[test]
fn editors_may_save_as_they_like() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let _watching = Watching::start(&sandbox, &repo);
    let path = repo.root.join("docs/auth.md");
    // Written beside and renamed over, as vim does.
    fs::write(repo.root.join("docs/.auth.md.swp"), "# Auth\n\nRenamedOver\n").unwrap();
    fs::rename(repo.root.join("docs/.auth.md.swp"), &path).unwrap();
    shows(&repo, "RenamedOver");
    // Moved away as a backup and created anew.
    fs::rename(&path, repo.root.join("docs/auth.md~")).unwrap();
    fs::write(&path, "# Auth\n\nCreatedAnew\n").unwrap();
    shows(&repo, "CreatedAnew");
    // The whole folder, as a checkout does.
    fs::remove_dir_all(repo.root.join("docs")).unwrap();
    eventually("the document is gone", DEADLINE, || (!scene(&repo).contains("CreatedAnew")).then_some(()));
    repo.write("docs/auth.md", "# Auth\n\nFolderAnew\n");
    shows(&repo, "FolderAnew");
    repo.write("docs/auth.md", "# Auth\n\nAndWatched\n");
    shows(&repo, "AndWatched");
}

#[test]
fn its_own_writes_do_not_wake_it() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let watching = Watching::start(&sandbox, &repo);
    repo.write("docs/auth.md", "# Auth\n\nSecond\n");
    watching.next();
    shows(&repo, "Second");
    // Something that is no part of the scene: it is made again, and not written, because it is the same.
    repo.write("docs/unrelated.md", "# U\n");
    repo.write("docs/auth.md", "# Auth\n\nThird\n");
    watching.next();
    shows(&repo, "Third");
    assert!(watching.lines.try_recv().is_err(), "one line for each scene that differs");
}

#[test]
fn a_broken_configuration_is_reported_and_outlived() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let _watching = Watching::start(&sandbox, &repo);
    repo.write(".cuedeck/config.toml", "[core\n");
    repo.write("docs/auth.md", "# Auth\n\nUnseen\n");
    repo.write(".cuedeck/config.toml", "[core]\ntoken_limit = 20000\n");
    shows(&repo, "Unseen");
}
