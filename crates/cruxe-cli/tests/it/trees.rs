//! Work trees as they come: odd bytes, odd names, odd repositories.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{Sandbox, run, sources};

/// How often a name is defined, and the places.
fn search(repo: &crate::support::Repo, name: &str) -> Vec<String> {
    let run = repo.cruxe(&["search", name, "--json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{name}: {}", run.transcript()));
    let results = answer["results"].as_array().unwrap().iter().filter(|found| found["name"] == name);
    results.map(|found| format!("{}:{}", found["path"].as_str().unwrap(), found["line_start"])).collect()
}

#[test]
fn equal_trees_in_two_places_have_equal_ids() {
    let (one, two) = (Sandbox::new(), Sandbox::new());
    let first = one.repo("here", sources::SERVICE);
    let second = two.folder("there/deeper", sources::SERVICE);
    for name in ["Claims", "JwtValidator", "validate_token", "rotate", "Report", "MAX_AGE", "TokenError"] {
        let ids = |repo: &crate::support::Repo| {
            let answer = repo.cruxe(&["search", name, "--json"]).json();
            let ids = answer["results"].as_array().unwrap().clone().into_iter();
            ids.map(|found| (found["symbol_id"].clone(), found["symbol_stable_id"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(ids(&first), ids(&second), "{name}");
        assert!(!ids(&first).is_empty(), "{name}");
    }
}

#[test]
fn a_pointer_of_git_lfs_is_no_code_until_its_file_is_there() {
    let sandbox = Sandbox::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 5\n";
    let about = "# Pointers\n\nversion https://git-lfs.github.com/spec/v1\noid sha256:1\n";
    let repo = sandbox.repo("lfs", &[("model.py", pointer), ("about.md", about), ("a.py", "def plain():\n    pass\n")]);
    let report = repo.cruxe(&["index", "--json"]).json();
    assert_eq!(report["outcomes"], json!({"indexed": 2, "skipped: git LFS pointer": 1}), "{report}");
    repo.git(&["tag", "v1"]);
    let tagged = repo.cruxe(&["index", "--ref", "v1", "--json"]).json();
    assert_eq!(tagged["outcomes"]["skipped: git LFS pointer"], 1, "{tagged}");
    let mut client = repo.server();
    let found = client.ok("search_code", json!({"query": "\"git-lfs.github.com\""}));
    assert_eq!(crate::support::places(&found), ["about.md:3"], "a text about pointers is none");
    assert!(found["metadata"].get("warnings").is_none(), "{found}");
    let status = client.ok("index_status", json!({}));
    let named = "not in the index, git LFS pointers, no code (`git lfs pull` fetches the files): `model.py`";
    assert_eq!(status["metadata"]["warnings"], json!([named]));
    let error = client.error("get_file_outline", json!({"path": "model.py"}));
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!("file_not_found"), &json!("git LFS pointer")));
    repo.write("a.py", "def plainer():\n    pass\n");
    repo.cruxe(&["sync"]).ok();
    assert_eq!(client.ok("index_status", json!({}))["metadata"]["warnings"], json!([named]), "the reason stays");
    repo.write("model.py", "def fetched():\n    pass\n");
    repo.cruxe(&["sync"]).ok();
    assert_eq!(client.places("fetched"), ["model.py:1"]);
    assert!(client.ok("index_status", json!({}))["metadata"].get("warnings").is_none());
}

#[test]
fn odd_bytes_are_read_as_far_as_they_can_be() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("odd", &[]);
    repo.write("crlf.py", "import os\r\n\r\ndef crlf_name():\r\n    pass\r\n");
    repo.write("bom.py", b"\xEF\xBB\xBFdef bom_name():\n    pass\n");
    repo.write("latin1.py", b"# Gr\xF6\xDFe\ndef latin_name():\n    return '\xFC'\n");
    repo.write("nul.py", b"def nul_name():\n    return '\0'\n");
    repo.write("empty.py", "");
    repo.write("blank.py", "\n\n\n");
    repo.write("broken.rs", "fn broken_name() { let x = ; }\nfn after_broken() {}\n}}}}\n");
    repo.write("cr.py", "def cr_name():\r    pass\r");
    let report = repo.cruxe(&["index", "--json"]).json();
    assert_eq!(report["outcomes"], json!({"indexed": 7, "skipped: binary": 1}), "{report}");
    assert_eq!(search(&repo, "crlf_name"), ["crlf.py:3"]);
    assert_eq!(search(&repo, "bom_name"), ["bom.py:1"]);
    assert_eq!(search(&repo, "latin_name"), ["latin1.py:2"]);
    assert_eq!(search(&repo, "after_broken"), ["broken.rs:2"]);
    assert_eq!(search(&repo, "nul_name"), Vec::<String>::new());
    let mut client = repo.server();
    let outline = client.ok("get_file_outline", json!({"path": "latin1.py"}));
    assert_eq!(outline["metadata"]["warnings"], json!(["latin1.py: not UTF-8"]));
    assert_eq!(client.ok("get_file_outline", json!({"path": "empty.py"}))["symbols"], json!([]));
    let error = client.error("get_file_outline", json!({"path": "nul.py"}));
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!("file_not_found"), &json!("binary")));
}

#[test]
fn enormous_files_are_bounded_and_the_reason_is_kept() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("large", &[]);
    repo.write("line.js", format!("function on_a_long_line() {{}} var x = [{}];", "1,".repeat(100_000)));
    repo.write("longer.js", format!("var x = '{}';", "y".repeat(5 << 20)));
    repo.write("ten.py", "def in_ten_megabytes():\n    pass\n".repeat(330_000));
    let deep = format!("def before_the_deep():\n    pass\nx = {}{}\n", "[".repeat(2000), "]".repeat(2000));
    repo.write("deep.py", deep);
    let nested: String = (0..2000).map(|depth| format!("mod m{depth} {{ ")).collect();
    repo.write("deep.rs", format!("{nested}pub fn at_the_bottom() {{}}{}", "}".repeat(2000)));
    let started = Instant::now();
    let report = repo.cruxe(&["index", "--json"]).json();
    println!("five enormous files: {:?}", started.elapsed());
    assert_eq!(report["outcomes"], json!({"indexed": 3, "skipped: too large": 2}), "{report}");
    assert_eq!(search(&repo, "on_a_long_line"), ["line.js:1"]);
    assert_eq!(search(&repo, "before_the_deep"), ["deep.py:1"]);
    let mut client = repo.server();
    for path in ["longer.js", "ten.py"] {
        let error = client.error("get_file_outline", json!({"path": path}));
        assert_eq!(
            (&error["code"], &error["data"]["reason"]),
            (&json!("file_not_found"), &json!("too large")),
            "{path}"
        );
    }
    let answer = client.ok("locate_symbol", json!({"name": "on_a_long_line", "detail_level": "context"}));
    assert!(answer["metadata"].get("warnings").is_none(), "{answer}");
    let status = client.ok("index_status", json!({}));
    let named =
        "not in the index, too large (`index.max_file_bytes` says how large a file may be): `longer.js`, `ten.py`";
    assert_eq!(status["metadata"]["warnings"], json!([named]));
    // Every module is listed, at a depth that readers of JSON can follow.
    let outline = client.ok("get_file_outline", json!({"path": "deep.rs"}));
    assert_eq!(outline["metadata"]["symbol_count"], 2001);
    let (mut level, mut depth) = (&outline["symbols"], 0);
    while let Some(first) = level.as_array().and_then(|symbols| symbols.first()) {
        (level, depth) = (&first["children"], depth + 1);
    }
    assert_eq!(depth, 33);
}

#[test]
fn ten_thousand_files_are_counted_exactly() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("many", &[]);
    for number in 0..10_000 {
        repo.write(&format!("d{}/f{number}.py", number % 100), format!("def tiny_{number}(): pass\n"));
    }
    let started = Instant::now();
    let report = repo.cruxe(&["index", "--json"]).json();
    println!("10,000 tiny files: {:?}", started.elapsed());
    assert_eq!((&report["file_count"], &report["symbol_count"]), (&json!(10_000), &json!(10_000)));
    assert_eq!(search(&repo, "tiny_9999"), ["d99/f9999.py:1"]);
    let report = repo.cruxe(&["sync", "--json"]).json();
    assert_eq!((&report["changed_files"], &report["outcomes"]), (&json!(0), &json!({"unchanged": 10_000})));
}

#[test]
fn odd_names_are_paths_like_any_other() {
    let sandbox = Sandbox::new();
    let names =
        ["with blank.py", "größe/übung.py", "new\nline.py", "quote'\".py", "-dash.py", "back\\slash.py", "日本/語.py"];
    let files: Vec<(&str, String)> =
        names.iter().enumerate().map(|(at, name)| (*name, format!("def odd_{at}():\n    pass\n"))).collect();
    let repo = sandbox.repo("odd names", &files.iter().map(|(path, text)| (*path, text.as_str())).collect::<Vec<_>>());
    repo.git(&["branch", "copy"]);
    repo.cruxe(&["index", "--ref", "copy"]).ok();
    let mut client = repo.server();
    client.ready();
    for (at, name) in names.iter().enumerate() {
        for ask in [json!({"name": format!("odd_{at}")}), json!({"name": format!("odd_{at}"), "ref": "copy"})] {
            let answer = client.ok("locate_symbol", ask);
            assert_eq!(answer["results"][0]["path"], *name);
        }
        if !name.contains('\\') {
            assert_eq!(client.ok("get_file_outline", json!({"path": name}))["file_path"], *name);
        }
    }
}

#[test]
fn links_are_not_followed_into_loops_or_out() {
    let sandbox = Sandbox::new();
    let outside = sandbox.folder("outside", &[("secret.py", "def outside_secret():\n    pass\n")]);
    let repo = sandbox.repo("links", &[("src/a.py", "def inside():\n    pass\n")]);
    symlink("..", repo.root.join("src/loop")).unwrap();
    symlink("self", repo.root.join("self")).unwrap();
    symlink(&outside.root, repo.root.join("out")).unwrap();
    symlink(outside.root.join("secret.py"), repo.root.join("secret.py")).unwrap();
    symlink("a.py", repo.root.join("src/alias.py")).unwrap();
    repo.commit("links");
    repo.git(&["branch", "copy"]);
    for arguments in [&["index", "--json"][..], &["index", "--json", "--ref", "copy"]] {
        assert_eq!(repo.cruxe(arguments).json()["file_count"], 1, "{arguments:?}");
    }
    assert_eq!(search(&repo, "inside"), ["src/a.py:1"]);
    assert_eq!(search(&repo, "outside_secret"), Vec::<String>::new());
    let mut client = repo.server();
    assert_eq!(client.error("get_file_outline", json!({"path": "out/secret.py"}))["code"], "file_not_found");
}

#[test]
fn a_repository_in_a_repository_is_a_project_of_its_own() {
    let sandbox = Sandbox::new();
    let outer = sandbox.repo("outer", &[("a.py", "def outer_name():\n    pass\n"), (".gitignore", "build/\n")]);
    let inner =
        sandbox.repo("outer/build/inner", &[("b.py", "def inner_name():\n    pass\n"), ("build/c.py", "C = 1\n")]);
    let report = inner.cruxe(&["index", "--json"]).json();
    assert_eq!(report["file_count"], 2, "rules of folders above do not count");
    assert_eq!(search(&inner, "inner_name"), ["b.py:1"]);
    assert_eq!(search(&outer, "inner_name"), Vec::<String>::new());
    assert_eq!(search(&outer, "outer_name"), ["a.py:1"]);
    assert_ne!(outer.project_dir(), inner.project_dir());
}

#[test]
fn git_files_of_nested_repositories_and_submodules_are_never_read() {
    let sandbox = Sandbox::new();
    let library = sandbox.repo("library", &[("lib.py", "def library_name():\n    pass\n")]);
    let repo = sandbox.repo("host", &[("a.py", "def host_name():\n    pass\n")]);
    repo.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library.root.to_str().unwrap(),
        "lib",
    ]);
    repo.commit("submodule");
    sandbox.repo("host/nested", &[("n.py", "def nested_name():\n    pass\n")]);
    let report = repo.cruxe(&["index", "--json"]).json();
    let mut client = repo.server();
    for path in ["lib/.git", "nested/.git/config", "nested/.git/HEAD", ".git/config"] {
        assert_eq!(client.error("get_file_outline", json!({"path": path}))["code"], "file_not_found", "{path}");
    }
    assert_eq!(search(&repo, "host_name"), ["a.py:1"]);
    println!("a host with a submodule and a nested repository: {report}");
    repo.git(&["branch", "copy"]);
    let report = repo.cruxe(&["index", "--json", "--ref", "copy"]).json();
    assert_eq!(report["file_count"], 2, "a.py and .gitmodules: {report}");
}

#[test]
fn cruxeignore_hides_and_takes_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "ignore",
        &[
            (".cruxeignore", "hidden/\n*.gen.py\n!vendor/ours/\n!vendor/ours/**\n"),
            ("hidden/a.py", "def is_hidden():\n    pass\n"),
            ("b.gen.py", "def is_generated():\n    pass\n"),
            ("vendor/ours/c.py", "def is_ours():\n    pass\n"),
            ("vendor/theirs/d.py", "def is_theirs():\n    pass\n"),
            ("e.py", "def is_plain():\n    pass\n"),
        ],
    );
    repo.git(&["branch", "copy"]);
    repo.cruxe(&["index", "--ref", "copy"]).ok();
    let mut client = repo.server();
    client.ready();
    for name in ["main", "copy"] {
        let mut found = |symbol: &str| {
            let answer = client.ok("locate_symbol", json!({"name": symbol, "ref": name}));
            answer["results"].as_array().unwrap().iter().any(|found| found["name"] == symbol)
        };
        let kept: Vec<&str> = ["is_hidden", "is_generated", "is_ours", "is_theirs", "is_plain"]
            .into_iter()
            .filter(|symbol| found(symbol))
            .collect();
        assert_eq!(kept, ["is_ours", "is_plain"], "{name}");
    }
}

#[test]
fn unborn_and_detached_heads_and_bare_repositories_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.folder("unborn", &[("a.py", "def first_words():\n    pass\n")]);
    repo.git(&["init", "-q", "-b", "trunk"]);
    let report = repo.cruxe(&["index", "--json"]).json();
    assert_eq!((&report["ref"], &report["file_count"]), (&json!("trunk"), &json!(1)));
    assert_eq!(search(&repo, "first_words"), ["a.py:1"]);

    let first = repo.commit("first");
    repo.write("a.py", "\ndef second_words():\n    pass\n");
    repo.commit("second");
    repo.git(&["checkout", "-q", &first]);
    let report = repo.cruxe(&["index", "--json"]).json();
    println!("a detached head is called {}", report["ref"]);
    assert_eq!(search(&repo, "first_words"), ["a.py:1"]);
    assert_eq!(search(&repo, "second_words"), Vec::<String>::new());

    repo.git(&["checkout", "-q", "trunk"]);
    repo.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = sandbox.folder("bare.git", &[]);
    let report = bare.cruxe(&["index", "--json"]).json();
    assert_eq!((&report["ref"], &report["file_count"]), (&json!("trunk"), &json!(1)), "{report}");
    assert_eq!(search(&bare, "second_words"), ["a.py:2"]);
    let mut client = bare.server();
    let answer = client.ok("locate_symbol", json!({"name": "second_words", "freshness_policy": "strict"}));
    assert_eq!(answer["metadata"]["freshness_status"], "fresh");
}

#[test]
fn a_home_folder_and_the_root_of_the_disk_are_refused() {
    let sandbox = Sandbox::new();
    let home = sandbox.user_home();
    fs::write(home.join("a.py"), "def at_home():\n    pass\n").unwrap();
    for (folder, shown) in [(home.as_path(), home.to_str().unwrap()), (std::path::Path::new("/"), "/")] {
        for arguments in [&["index"][..], &["search", "x"], &["init"]] {
            let run = run(sandbox.cruxe_in(folder).args(arguments));
            assert_eq!(run.code, Some(1), "{arguments:?}: {}", run.transcript());
            let expected = format!("error: {shown} is no project: refusing to index a home folder or a whole disk\n");
            assert_eq!(run.stderr, expected, "{arguments:?}");
        }
    }
    assert!(!sandbox.cruxe_home().exists());
    // Settings kept in git do not make the home folder a project, nor swallow the projects in it.
    let dotfiles = sandbox.repo("user", &[]);
    assert_eq!(dotfiles.cruxe(&["index"]).code, Some(1));
    let project = sandbox.folder("user/project", &[("b.py", "def in_project():\n    pass\n")]);
    assert_eq!(search(&project, "in_project"), ["b.py:1"]);
}
