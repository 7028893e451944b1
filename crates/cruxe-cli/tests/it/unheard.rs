//! Changes that no event tells of, or that a careless look at a file does not show. A server that watches and one that does
//! not both notice: no answer says `fresh` over old content, and the new content is there soon after.

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::hostile::{bound_by_permissions, make_pipe, set_mode};
use crate::support::{Client, DEADLINE, Repo, Sandbox, eventually};

const MODES: [&[&str]; 2] = [&["--no-watch"], &[]];

/// A file that defines one name, of a length that the name does not change.
fn source(name: &str) -> String {
    format!("def {name}():\n    return 1\n")
}

/// The files in which exactly this name is defined.
fn files(answer: &Value, name: &str) -> Vec<String> {
    let results = answer["results"].as_array().unwrap().iter().filter(|found| found["name"] == name);
    results.map(|found| found["path"].as_str().unwrap().to_owned()).collect()
}

/// Waits until a name is defined in exactly these files; until then nothing may be called fresh.
fn seen(client: &mut Client, what: &str, name: &str, expected: &[&str]) {
    eventually(what, DEADLINE, || {
        let answer = client.ok("locate_symbol", json!({"name": name, "limit": 100}));
        let (right, freshness) = (files(&answer, name) == expected, &answer["metadata"]["freshness_status"]);
        assert!(right || freshness != "fresh", "{what}: old content is called fresh: {answer}");
        (right && freshness == "fresh").then_some(())
    });
}

/// Lets a server look at a tree that has not changed for a while: from then on it need not look at all of it again.
fn settled(client: &mut Client, name: &str, expected: &[&str]) {
    std::thread::sleep(Duration::from_millis(150)); // time itself is the condition
    for _ in 0..2 {
        seen(client, "it is settled", name, expected);
    }
}

/// Writes into a file as it is, without making it anew.
fn overwrite(path: &Path, text: &str) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.rewind().unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn in_both_modes(files: &[(&str, &str)], check: impl Fn(&Sandbox, &Repo, &mut Client)) {
    for arguments in MODES {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo", files);
        let mut client = repo.server_with(arguments);
        client.ready();
        check(&sandbox, &repo, &mut client);
    }
}

#[test]
fn a_file_that_could_not_be_read_is_taken_in_once_it_can_be() {
    for arguments in MODES {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo", &[("a.py", &source("open_one")), ("locked.py", &source("locked_one"))]);
        set_mode(&repo.root.join("locked.py"), 0o000);
        let arguments = [&["serve-mcp"], arguments].concat();
        let mut client = Client::start(bound_by_permissions(&sandbox, &repo.root, &arguments));
        client.ready();
        let warnings = |client: &mut Client| {
            client.ok("locate_symbol", json!({"name": "open_one"}))["metadata"]["warnings"].clone()
        };
        let warned = json!(["1 files cannot be read and are not in the index"]);
        settled(&mut client, "locked_one", &[]);
        assert_eq!(warnings(&mut client), warned);
        let job = client.ok("sync_repo", json!({}));
        client.wait_for_job(&job["job_id"]);
        assert_eq!(warnings(&mut client), warned, "a sync that reads nothing changes nothing");
        settled(&mut client, "locked_one", &[]);
        set_mode(&repo.root.join("locked.py"), 0o644);
        seen(&mut client, "the file may be read", "locked_one", &["locked.py"]);
        assert_eq!(warnings(&mut client), Value::Null);
    }
}

#[test]
fn text_in_the_place_of_a_binary_of_equal_size_is_seen() {
    let text = source("was_binary");
    in_both_modes(&[("a.py", &source("plain"))], |_, repo, client| {
        let path = repo.root.join("b.py");
        fs::write(&path, text.replace("def ", "\0\0\0\0")).unwrap();
        seen(client, "the binary is known", "plain", &["a.py"]);
        settled(client, "was_binary", &[]);
        overwrite(&path, &text);
        seen(client, "the binary became text", "was_binary", &["b.py"]);
        settled(client, "was_binary", &["b.py"]);
        overwrite(&path, &text.replace("def ", "\0\0\0\0"));
        seen(client, "the text became binary", "was_binary", &[]);
    });
}

#[test]
fn rules_that_git_keeps_to_itself_are_followed() {
    in_both_modes(&[("private.py", &source("private"))], |_, repo, client| {
        let exclude = repo.root.join(".git/info/exclude");
        repo.write("late.py", source("late"));
        settled(client, "late", &["late.py"]);
        fs::write(&exclude, "late.py\nprivate.py\n").unwrap();
        seen(client, "a file is excluded", "late", &[]);
        settled(client, "private", &["private.py"]); // git tracks it
        overwrite(&exclude, "abcd.py\n");
        seen(client, "it is excluded no more", "late", &["late.py"]);
        fs::remove_dir_all(repo.root.join(".git/info")).unwrap();
        settled(client, "late", &["late.py"]);
        repo.write(".git/info/exclude", "late.py\n");
        seen(client, "a file is excluded again", "late", &[]);
    });
}

#[test]
fn ignore_files_that_hide_themselves_are_followed() {
    let files = [("a.py", &*source("plain")), ("sub/b.py", &source("kept"))];
    in_both_modes(&files, |_, repo, client| {
        for name in [".gitignore", ".cruxeignore"] {
            repo.write("sub/c.py", source("hidden"));
            repo.write(&format!("sub/{name}"), format!("c.py\n{name}\n"));
            seen(client, "a file is hidden", "hidden", &[]);
            settled(client, "kept", &["sub/b.py"]);
            overwrite(&repo.root.join("sub").join(name), "d.py");
            seen(client, "it is hidden no more", "hidden", &["sub/c.py"]);
            repo.remove(&format!("sub/{name}"));
            settled(client, "hidden", &["sub/c.py"]);
        }
    });
}

#[test]
fn an_ignore_file_in_an_ignored_folder_holds_for_what_git_tracks_there() {
    in_both_modes(&[("a.py", &source("plain"))], |_, repo, client| {
        repo.write("out/deep/kept.py", source("kept_anyway"));
        repo.git(&["add", "-f", "out/deep/kept.py"]);
        repo.write(".gitignore", "out/\n");
        repo.write("out/untracked.py", source("untracked"));
        seen(client, "what is tracked is there", "kept_anyway", &["out/deep/kept.py"]);
        settled(client, "untracked", &[]);
        repo.write("out/.cruxeignore", "*\n");
        seen(client, "a rule hides it", "kept_anyway", &[]);
        settled(client, "kept_anyway", &[]);
        overwrite(&repo.root.join("out/.cruxeignore"), "x\n");
        seen(client, "the rule is another", "kept_anyway", &["out/deep/kept.py"]);
        settled(client, "kept_anyway", &["out/deep/kept.py"]);
        // Git does not look into an ignored folder for more rules.
        repo.write("out/.gitignore", "!untracked.py\n");
        seen(client, "git's rules there say nothing", "untracked", &[]);
        repo.write("out/deep/.cruxeignore", "kept.py\n");
        seen(client, "a rule beside it hides it", "kept_anyway", &[]);
    });
}

#[test]
fn a_lost_event_is_no_lost_edit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo", &[("a.py", &source("plain")), ("again/b.py", &source("before"))]);
    let mut client = repo.watching_server();
    client.ready();
    settled(&mut client, "before", &["again/b.py"]);
    let signal = |name: &str| {
        let sent = std::process::Command::new("kill").args([name, &client.pid().to_string()]).status().unwrap();
        assert!(sent.success());
    };
    let queue = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap_or_default();
    let queue: usize = queue.trim().parse().unwrap_or(16_384).min(200_000);
    signal("-STOP");
    for number in 0..queue + 1000 {
        // Equal events in a row count as one.
        set_mode(&repo.root.join(["a.py", "again/b.py"][number % 2]), 0o644);
    }
    repo.remove("again");
    repo.write("again/b.py", source("after1"));
    signal("-CONT");
    seen(&mut client, "the folder was made again", "after1", &["again/b.py"]);
    for round in 0..3 {
        let name = format!("after_{round}");
        repo.write("again/b.py", source(&name));
        let answer = client.ok("locate_symbol", json!({"name": name, "freshness_policy": "best_effort"}));
        assert!(
            files(&answer, &name) == ["again/b.py"] || answer["metadata"]["freshness_status"] != "fresh",
            "{answer}"
        );
        // Nobody asks: the watcher alone has to hear of it.
        eventually("a publish without a question", DEADLINE, || {
            let shown: Value = serde_json::from_str(&repo.cruxe(&["search", &name, "--json"]).stdout).unwrap();
            (files(&shown, &name) == ["again/b.py"]).then_some(())
        });
        seen(&mut client, "an edit in the new folder", &name, &["again/b.py"]);
    }
}

#[test]
fn another_folder_in_the_place_of_one_above_is_another_workspace() {
    for arguments in MODES {
        let sandbox = Sandbox::new();
        let outer = sandbox.folder("outer/repo", &[("a.py", &source("first")), ("b.py", &source("moved"))]);
        let mut client = outer.server_with(arguments);
        client.ready();
        settled(&mut client, "first", &["a.py"]);
        fs::rename(sandbox.path("outer"), sandbox.path("elsewhere")).unwrap();
        outer.write("a.py", source("other"));
        seen(&mut client, "another folder is there", "other", &["a.py"]);
        seen(&mut client, "what was there is gone", "moved", &[]);
        settled(&mut client, "other", &["a.py"]);
        outer.write("a.py", source("third"));
        seen(&mut client, "an edit of the new folder", "third", &["a.py"]);
        fs::write(sandbox.path("elsewhere/repo/c.py"), source("unrelated")).unwrap();
        settled(&mut client, "unrelated", &[]);
    }
}

#[test]
fn a_write_through_another_name_of_the_file_is_seen() {
    in_both_modes(&[("a.py", &source("name_00"))], |sandbox, repo, client| {
        let outside = sandbox.path("outside.py");
        fs::hard_link(repo.root.join("a.py"), &outside).unwrap();
        settled(client, "name_00", &["a.py"]);
        for round in 1..5 {
            let name = format!("name_{round:02}");
            overwrite(&outside, &source(&name));
            seen(client, "a write through a hard link", &name, &["a.py"]);
            if round % 2 == 0 {
                settled(client, &name, &["a.py"]);
            }
        }
    });
}

#[test]
fn a_write_to_memory_that_is_mapped_to_the_file_is_seen() {
    for arguments in MODES {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo", &[("a.py", &source("name_00"))]);
        let mut client = repo.server_with(arguments);
        client.ready();
        settled(&mut client, "name_00", &["a.py"]);
        let (mut mapped, _file) = mapped(&repo.root.join("a.py"));
        mapped.copy_from_slice(source("name_01").as_bytes());
        seen(&mut client, "the first write", "name_01", &["a.py"]);
        settled(&mut client, "name_01", &["a.py"]);
        mapped.flush().unwrap();
        mapped.copy_from_slice(source("name_02").as_bytes());
        seen(&mut client, "a write after a flush", "name_02", &["a.py"]);
        if arguments.is_empty() {
            // The system marks a second write to the same page nowhere; who watches knows that there may be one.
            mapped.copy_from_slice(source("name_03").as_bytes());
            seen(&mut client, "a write to a page that is dirty", "name_03", &["a.py"]);
            settled(&mut client, "name_03", &["a.py"]);
        }
    }
}

#[test]
fn a_mapped_file_of_a_large_tree_is_not_overlooked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo", &[("a.py", &source("name_00"))]);
    for number in 0..1100 {
        repo.write(&format!("many/m{number}.py"), "");
    }
    let mut client = repo.watching_server();
    client.ready();
    settled(&mut client, "name_00", &["a.py"]);
    let (mut mapped, _file) = mapped(&repo.root.join("a.py"));
    let outside = sandbox.path("outside.py");
    fs::hard_link(repo.root.join("many/m7.py"), &outside).unwrap();
    settled(&mut client, "name_00", &["a.py"]);
    // No time for a look at everything.
    for round in 1..5 {
        let name = format!("name_{round:02}");
        // Among the files that were opened last, also where the server has just read all of them once more.
        drop(fs::File::open(repo.root.join("a.py")).unwrap());
        mapped.copy_from_slice(source(&name).as_bytes());
        seen(&mut client, "a write through memory", &name, &["a.py"]);
        let name = format!("other_{round:02}");
        fs::write(&outside, source(&name)).unwrap();
        seen(&mut client, "a write through a hard link", &name, &["many/m7.py"]);
    }
}

/// Maps a file to memory for writing.
fn mapped(path: &Path) -> (memmap2::MmapMut, fs::File) {
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    // SAFETY: nobody cuts the file while it is mapped.
    #[allow(unsafe_code)]
    let mapped = unsafe { memmap2::MmapMut::map_mut(&file) };
    (mapped.unwrap(), file)
}

#[test]
fn a_mapped_file_that_is_closed_is_read_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo", &[("a.py", &source("name_00"))]);
    let (mut mapped, file) = mapped(&repo.root.join("a.py"));
    mapped.copy_from_slice(source("name_01").as_bytes());
    std::thread::sleep(Duration::from_millis(250)); // the time of change lies behind what the server sees
    let mut client = repo.watching_server();
    client.ready();
    settled(&mut client, "name_01", &["a.py"]);
    mapped.copy_from_slice(source("name_02").as_bytes());
    drop(mapped);
    drop(file);
    seen(&mut client, "the file is closed", "name_02", &["a.py"]);
}

#[test]
fn an_edit_of_equal_size_whose_time_is_set_back_is_seen() {
    in_both_modes(&[("a.py", &source("name_00"))], |_, repo, client| {
        let path = repo.root.join("a.py");
        let long_ago = SystemTime::now() - Duration::from_secs(1000);
        for round in 1..4 {
            fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
            settled(client, &format!("name_{:02}", round - 1), &["a.py"]);
            let name = format!("name_{round:02}");
            overwrite(&path, &source(&name));
            fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
            seen(client, "an edit with its time set back", &name, &["a.py"]);
        }
    });
}

#[test]
fn a_changed_limit_of_sizes_takes_effect_at_the_next_sync() {
    let sandbox = Sandbox::new();
    let large = format!("{}{}", source("in_large"), "# filled\n".repeat(200));
    let repo = sandbox.repo("repo", &[("small.py", &source("in_small")), ("large.py", &large)]);
    let found = |name: &str| {
        let answer: Value = serde_json::from_str(&repo.cruxe(&["search", name, "--json"]).stdout).unwrap();
        files(&answer, name)
    };
    let limit = |bytes: u64| {
        fs::create_dir_all(sandbox.cruxe_home()).unwrap();
        fs::write(sandbox.cruxe_home().join("config.toml"), format!("[index]\nmax_file_bytes = {bytes}\n")).unwrap();
    };
    for (bytes, expected) in [(500, &[][..]), (5000, &["large.py"]), (500, &[]), (10, &[])] {
        limit(bytes);
        repo.cruxe(&["sync"]).ok();
        assert_eq!(found("in_large"), expected, "{bytes}");
        assert_eq!(found("in_small").len(), usize::from(bytes > 10), "{bytes}");
        let mut client = repo.server();
        let status = client.ready();
        assert_eq!(status["metadata"]["freshness_status"], "fresh", "{bytes}");
    }
    // A server that is started with another limit does not call the old index fresh.
    limit(5000);
    let mut client = repo.server();
    seen(&mut client, "the limit was raised", "in_large", &["large.py"]);
    // Nor do two processes with different limits undo each other's work.
    limit(10);
    repo.cruxe(&["sync"]).ok();
    seen(&mut client, "another process has another limit", "in_large", &[]);
    assert_eq!(found("in_large"), [""; 0]);
}

#[test]
fn a_tracked_folder_whose_place_a_link_takes_has_no_files() {
    in_both_modes(&[("src/a.py", &source("inside")), ("b.py", &source("beside"))], |sandbox, repo, client| {
        let outside = sandbox.folder("outside", &[("a.py", &source("outside_secret"))]);
        settled(client, "inside", &["src/a.py"]);
        repo.remove("src");
        std::os::unix::fs::symlink(&outside.root, repo.root.join("src")).unwrap();
        seen(client, "a link took the folder's place", "inside", &[]);
        seen(client, "nothing outside is read", "outside_secret", &[]);
        assert_eq!(client.error("get_file_outline", json!({"path": "src/a.py"}))["code"], "file_not_found");
        let read = client.request("resources/read", json!({"uri": "cruxe://file/src/a.py"}));
        assert!(!read.to_string().contains("outside_secret"), "{read}");
        repo.remove("src");
        repo.write("src/a.py", source("inside"));
        seen(client, "the folder is back", "inside", &["src/a.py"]);
    });
}

#[test]
fn ignore_files_that_lead_to_endless_ones_hide_nothing_and_hang_nothing() {
    for name in [".gitignore", ".cruxeignore"] {
        for target in ["/dev/zero", "/proc/kcore", "/proc/kmsg", "pipe"] {
            let sandbox = Sandbox::new();
            let repo = sandbox.repo("repo", &[("a.py", &source("plain")), ("sub/b.py", &source("below"))]);
            make_pipe(&repo.root.join("pipe"));
            std::os::unix::fs::symlink(target, repo.root.join(name)).unwrap();
            std::os::unix::fs::symlink(target, repo.root.join("sub").join(name)).unwrap();
            repo.git(&["add", "-A"]);
            let report = repo.cruxe(&["index", "--json"]).json();
            assert_eq!(report["file_count"], 2, "{name} {target}: {report}");
            let warnings = report["metadata"]["warnings"].to_string() + &report["warnings"].to_string();
            assert!(warnings.contains(&format!("sub/{name} is not read")), "{name} {target}: {report}");
        }
    }
}
