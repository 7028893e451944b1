//! A compiler's index (SCIP) beside our own: what it says goes first, as long as the text is the one that it saw.

use std::fs;

use protobuf::{EnumOrUnknown, Message, MessageField};
use scip::types::{Document, Index, Metadata, Occurrence, PositionEncoding, SymbolRole, ToolInfo};
use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

const CART: &str =
    "export class Cart {\n  total() { return 1; }\n}\n\nexport class Bill {\n  total() { return 2; }\n}\n";
const VIEW: &str = "import { Cart as Basket } from './cart';\n\nexport function show(thing, é) {\n  return thing.total() + é.total();\n}\n";
const SHOP: &[(&str, &str)] = &[("src/cart.ts", CART), ("src/view.ts", VIEW)];

/// Where a name stands for the n-th time, as SCIP says it: line, first and last column, in UTF-16.
fn range(text: &str, name: &str, nth: usize) -> Vec<i32> {
    let at = text.match_indices(name).nth(nth).unwrap().0;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let width = |text: &str| text.encode_utf16().count() as i32;
    let (line, column) = (text[..at].matches('\n').count() as i32, width(&text[start..at]));
    vec![line, column, column + width(name)]
}

fn symbol(descriptors: &str) -> String {
    format!("scip-typescript npm shop 1.0.0 src/`cart.ts`/{descriptors}")
}

fn occurrence(text: &str, (name, nth): (&str, usize), symbol: &str, role: Option<SymbolRole>) -> Occurrence {
    let symbol_roles = role.map_or(0, |role| role as i32);
    Occurrence { range: range(text, name, nth), symbol: symbol.to_owned(), symbol_roles, ..Occurrence::new() }
}

fn document(path: &str, occurrences: Vec<Occurrence>) -> Document {
    let position_encoding = EnumOrUnknown::new(PositionEncoding::UTF16CodeUnitOffsetFromLineStart);
    Document { relative_path: path.to_owned(), occurrences, position_encoding, ..Document::new() }
}

/// What a compiler knows: `thing` is a cart, `é` is a bill.
fn documents() -> Vec<Document> {
    let define = Some(SymbolRole::Definition);
    let (cart, bill) = (symbol("Cart#"), symbol("Bill#"));
    let (of_cart, of_bill) = (symbol("Cart#total()."), symbol("Bill#total()."));
    vec![
        document(
            "src/cart.ts",
            vec![
                occurrence(CART, ("Cart", 0), &cart, define),
                occurrence(CART, ("total", 0), &of_cart, define),
                occurrence(CART, ("Bill", 0), &bill, define),
                occurrence(CART, ("total", 1), &of_bill, define),
            ],
        ),
        document(
            "src/view.ts",
            vec![
                occurrence(VIEW, ("Cart", 0), &cart, None),
                occurrence(VIEW, ("Basket", 0), &cart, None),
                occurrence(VIEW, ("thing", 0), "local 0", define),
                occurrence(VIEW, ("thing", 1), "local 0", None),
                occurrence(VIEW, ("total", 0), &of_cart, None),
                occurrence(VIEW, ("total", 1), &of_bill, None),
            ],
        ),
    ]
}

fn index(root: &str, documents: Vec<Document>) -> Vec<u8> {
    let tool = ToolInfo { name: "scip-test".into(), version: "1".into(), ..ToolInfo::new() };
    let metadata =
        Metadata { tool_info: MessageField::some(tool), project_root: format!("file://{root}"), ..Metadata::new() };
    let index = Index { metadata: MessageField::some(metadata), documents, ..Index::new() };
    index.write_to_bytes().unwrap()
}

fn import(repo: &Repo, bytes: &[u8]) -> crate::support::Run {
    let path = repo.root.join("../index.scip");
    fs::write(&path, bytes).unwrap();
    repo.cruxe(&["index", "--json", "--scip", path.to_str().unwrap()])
}

fn covered(repo: &Repo) -> Value {
    repo.server().ok("index_status", json!({}))["compiler_file_count"].clone()
}

/// The uses of a symbol: `path:line confidence`, and how many stay open.
fn uses(repo: &Repo, name: &str) -> (Vec<String>, u64) {
    let answer = repo.cruxe(&["refs", name, "--json"]).json();
    let show = |one: &Value| {
        let (path, confidence) = (one["path"].as_str().unwrap(), one["confidence"].as_str().unwrap());
        format!("{path}:{} {confidence}", one["line_start"])
    };
    let uses = answer["references"].as_array().unwrap().iter().map(show).collect();
    (uses, answer["metadata"]["unresolved_mentions"].as_u64().unwrap())
}

#[test]
fn what_a_compiler_says_is_exact_and_goes_before_guesses() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    assert_eq!(covered(&repo), 0);
    assert_eq!(uses(&repo, "Cart.total"), (vec![], 2), "no type is known");
    let report = import(&repo, &index(repo.root.to_str().unwrap(), documents())).json();
    assert_eq!(
        report["scip"],
        json!({
            "tool": "scip-test 1", "documents": 2, "documents_taken": 2, "files_covered": 2, "file_count": 2,
            "warnings": [],
        })
    );
    assert_eq!(covered(&repo), 2);
    assert_eq!(uses(&repo, "Cart.total"), (vec!["src/view.ts:4 exact".into()], 0));
    assert_eq!(uses(&repo, "Bill.total"), (vec!["src/view.ts:4 exact".into()], 0));
    assert_eq!(uses(&repo, "Cart"), (vec!["src/view.ts:1 exact".into()], 0));
    assert_eq!(uses(&repo, "Bill"), (vec![], 0));
    let mut client = repo.server();
    let graph = client.ok("get_call_graph", json!({"symbol_name": "show", "direction": "callees"}));
    let callees = graph["callees"].as_array().unwrap();
    let names: Vec<_> = callees.iter().map(|edge| (&edge["symbol"]["qualified_name"], &edge["confidence"])).collect();
    assert_eq!(names, [(&json!("cart.Cart.total"), &json!("exact")), (&json!("cart.Bill.total"), &json!("exact"))]);
    let graph = client.ok("get_call_graph", json!({"symbol_name": "Bill.total", "direction": "callers"}));
    assert_eq!(graph["callers"][0]["symbol"]["name"], "show");
    assert_eq!(graph["callers"][0]["confidence"], "exact");
    let doctor = repo.cruxe(&["doctor"]).ok();
    assert!(doctor.contains("compiler's index (SCIP): 2 of 2 files of main are covered"), "{doctor}");
}

#[test]
fn names_that_scip_python_does_not_know_are_not_taken_for_something_else() {
    let shapes = "class Shape:\n    def area(self): ...\n";
    let user =
        "from shapes import Shape\n\ndef run(thing):\n    thing.area()\n    Shape().area()\n\nprint(run.__doc__)\n";
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shapes", &[("shapes.py", shapes), ("user.py", user)]);
    repo.cruxe(&["index"]).ok();
    let guessed = vec!["user.py:5 static".to_owned(), "user.py:4 heuristic".to_owned()];
    assert_eq!(uses(&repo, "Shape.area"), (guessed, 0));
    let define = Some(SymbolRole::Definition);
    let of = |descriptors: &str| format!("scip-python python shapes 1 shapes/{descriptors}");
    let documents = vec![
        document(
            "shapes.py",
            vec![
                occurrence(shapes, ("Shape", 0), &of("Shape#"), define),
                occurrence(shapes, ("area", 0), &of("Shape#area()."), define),
            ],
        ),
        document(
            "user.py",
            vec![
                occurrence(user, ("Shape", 0), &of("Shape#"), None),
                occurrence(user, ("thing", 0), "local 0", define),
                occurrence(user, ("thing", 1), "local 0", None),
                occurrence(user, ("area", 0), "local 1", None),
                occurrence(user, ("Shape", 1), &of("Shape#"), None),
                occurrence(user, ("area", 1), &of("Shape#area()."), None),
                // scip-python takes what it knows of `__doc__` for the class that the value is of.
                occurrence(user, ("__doc__", 0), &of("Shape#"), None),
            ],
        ),
    ];
    import(&repo, &index(repo.root.to_str().unwrap(), documents)).json();
    assert_eq!(uses(&repo, "Shape.area"), (vec!["user.py:5 exact".to_owned()], 1), "a guess is worth nothing then");
    let uses_of_class = vec!["user.py:1 exact".to_owned(), "user.py:5 exact".to_owned()];
    assert_eq!(uses(&repo, "Shape"), (uses_of_class, 0), "`__doc__` is no use of the class");
}

#[test]
fn an_edited_file_falls_back_and_the_others_stay_exact() {
    let sandbox = Sandbox::new();
    let more = "import { Cart } from './cart';\n\nnew Cart().total();\n";
    let repo = sandbox.repo("shop", &[SHOP, &[("src/more.ts", more)]].concat());
    import(&repo, &index(repo.root.to_str().unwrap(), documents())).json();
    let both = vec!["src/view.ts:4 exact".to_owned(), "src/more.ts:3 static".to_owned()];
    assert_eq!(uses(&repo, "Cart.total"), (both.clone(), 0), "a file without facts is resolved as ever");
    // A new version of the user: nothing is known about it.
    repo.write("src/view.ts", format!("// more\n{VIEW}"));
    repo.cruxe(&["sync"]).ok();
    assert_eq!(covered(&repo), 1);
    assert_eq!(uses(&repo, "Cart.total"), (vec!["src/more.ts:3 static".into()], 2));
    // The old content is the old version, and what was said about it holds.
    repo.write("src/view.ts", VIEW);
    repo.cruxe(&["sync"]).ok();
    assert_eq!((uses(&repo, "Cart.total").0, covered(&repo)), (both.clone(), json!(2)));
    repo.cruxe(&["index", "--force"]).ok();
    assert_eq!((uses(&repo, "Cart.total").0, covered(&repo)), (both, json!(2)), "text that did not change keeps it");
    // A new version of the definition: what the compiler said leads nowhere, so the import is resolved as ever.
    repo.write("src/cart.ts", format!("{CART}// more\n"));
    repo.cruxe(&["sync"]).ok();
    assert_eq!(uses(&repo, "Cart").0, ["src/more.ts:1 static", "src/more.ts:3 static", "src/view.ts:1 static"]);
}

#[test]
fn a_later_index_replaces_what_an_earlier_one_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    let root = repo.root.to_str().unwrap().to_owned();
    import(&repo, &index(&root, documents())).json();
    let mut client = repo.server();
    let ask = json!({"symbol_name": "Cart.total"});
    assert_eq!(client.ok("find_references", ask.clone())["total_references"], 1);
    let mut changed = documents();
    changed[1].occurrences.truncate(4);
    import(&repo, &index(&root, changed)).json();
    let after = client.ok("find_references", ask);
    assert_eq!((&after["total_references"], &after["metadata"]["unresolved_mentions"]), (&json!(0), &json!(2)));
}

#[test]
fn paths_are_found_wherever_the_index_was_made() {
    let sandbox = Sandbox::new();
    let inner: Vec<(String, &str)> = SHOP.iter().map(|(path, text)| (format!("packages/shop/{path}"), *text)).collect();
    let inner: Vec<(&str, &str)> = inner.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let repo = sandbox.repo("mono", &inner);
    let here = format!("{}/packages/shop", repo.root.display());
    for root in [here.as_str(), "/builds/acme/packages/shop", "/builds/acme/mono/packages/shop/"] {
        let report = import(&repo, &index(root, documents())).json();
        assert_eq!(report["scip"]["documents_taken"], 2, "{root}");
    }
    let mut strange = documents();
    strange.push(document("../../../etc/passwd", Vec::new()));
    strange.push(document("src/gone.ts", Vec::new()));
    let report = import(&repo, &index(&here, strange)).json();
    assert_eq!(report["scip"]["documents_taken"], 2);
    assert_eq!(
        report["scip"]["warnings"],
        json!([
            "1 documents left out, no file of the ref: src/gone.ts",
            "1 documents left out, outside of the project: ../../../etc/passwd"
        ])
    );
}

#[test]
fn another_ref_can_be_covered_without_checking_it_out() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.git(&["tag", "v1"]);
    repo.write("src/view.ts", "export const nothing = 1;\n");
    repo.commit("second");
    repo.cruxe(&["index"]).ok();
    let path = sandbox.path("v1.scip");
    fs::write(&path, index(repo.root.to_str().unwrap(), documents())).unwrap();
    let report = repo.cruxe(&["index", "--json", "--ref", "v1", "--scip", path.to_str().unwrap()]).json();
    assert_eq!(report["scip"]["documents_taken"], 2);
    let mut client = repo.server();
    let at = |client: &mut crate::support::Client, name: &str| {
        client.ok("find_references", json!({"symbol_name": "Cart.total", "ref": name}))["total_references"].clone()
    };
    assert_eq!((at(&mut client, "v1"), at(&mut client, "main")), (json!(1), json!(0)));
}

#[test]
fn bad_indexes_are_refused_and_nothing_is_lost() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    let root = repo.root.to_str().unwrap().to_owned();
    let good = index(&root, documents());
    import(&repo, &good).json();
    let mut moved = documents();
    moved.iter_mut().flat_map(|document| &mut document.occurrences).for_each(|occurrence| occurrence.range[0] += 1);
    let mut other_text = documents();
    other_text.iter_mut().for_each(|document| document.text = "something else".into());
    let mut beyond = documents();
    beyond.iter_mut().for_each(|document| document.occurrences[0].range = vec![1 << 20, 0, 4]);
    let mut elsewhere = documents();
    elsewhere.iter_mut().for_each(|document| document.relative_path = format!("lib/{}", document.relative_path));
    for (what, bytes, says) in [
        ("empty", Vec::new(), "it is empty"),
        ("text", b"this is no index".to_vec(), "it is no SCIP index"),
        ("JSON", b"{\"documents\": []}".to_vec(), "it is no SCIP index"),
        ("cut off", good[..good.len() - 7].to_vec(), "damaged or cut off"),
        ("a length that lies", vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0x07, 1], "a part of it has 2147483647 bytes"),
        ("no documents", index(&root, Vec::new()), "it has no documents"),
        ("the text moved", index(&root, moved), "made from another text"),
        ("another text", index(&root, other_text), "made from another text"),
        ("places that do not exist", index(&root, beyond), "made from another text"),
        ("another project", index("/elsewhere/other", elsewhere), "no file of the ref"),
    ] {
        let run = import(&repo, &bytes);
        assert_eq!(run.code, Some(1), "{what}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(says) && run.stderr.contains("nothing was changed"), "{what}: {}", run.stderr);
        assert_eq!(uses(&repo, "Cart.total"), (vec!["src/view.ts:4 exact".into()], 0), "{what}");
    }
    let missing = repo.cruxe(&["index", "--scip", "no/such/file.scip"]);
    assert_eq!(missing.code, Some(3));
    assert!(missing.stderr.contains("no/such/file.scip"), "{}", missing.stderr);
}

#[test]
fn an_import_waits_for_nobody_who_reads() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    let start = std::time::Instant::now();
    assert_eq!(import(&repo, &index(repo.root.to_str().unwrap(), documents())).json()["scip"]["documents_taken"], 2);
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn an_index_that_is_made_to_take_long_does_not() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop", SHOP);
    repo.cruxe(&["index"]).ok();
    // A root of many folders, and paths as long.
    let deep = "/a".repeat(100_000);
    let mut many = documents();
    many.extend((0..500).map(|at| document(&format!("{}{at}", &deep[1..]), vec![])));
    let report = import(&repo, &index(&deep, many)).json();
    assert_eq!((&report["scip"]["documents_taken"], &report["scip"]["documents"]), (&json!(2), &json!(502)));
    // Many documents of one file: what they say is joined once, and too many are left out.
    let one = documents().swap_remove(0);
    let report = import(&repo, &index("", vec![one; 3_000])).json();
    assert_eq!(report["scip"]["documents_taken"], 100);
    let warning = "2900 documents left out, more than 100 for one file: src/cart.ts, src/cart.ts, src/cart.ts, …";
    assert_eq!(report["scip"]["warnings"], json!([warning]));
    // A message that claims to be longer than the file.
    let mut long = index("", documents());
    long.extend([0x12, 0xff, 0xff, 0xff, 0xff, 0x07, 0]);
    let refused = import(&repo, &long);
    assert!(refused.stderr.contains("a part of it has 2147483647 bytes, more than 67108864"), "{}", refused.stderr);
    assert_eq!(covered(&repo), 2, "what was taken in before stays");
}

/// A program in a folder of its own that does what a script says; the folder goes first in `PATH`.
#[cfg(unix)]
mod auto {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::support::{eventually, run};

    fn fake(folder: &Path, program: &str, script: &str) {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(program);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// `cruxe index --scip auto` with these folders as the whole of `PATH`, and what a shell script needs.
    fn auto(repo: &Repo, folders: &[&Path]) -> Command {
        let mut command = repo.sandbox.cruxe_in(&repo.root);
        let path = std::env::join_paths(folders.iter().copied().chain([Path::new("/bin"), Path::new("/usr/bin")]));
        command.env("PATH", path.unwrap()).args(["index", "--scip", "auto", "--json"]);
        command
    }

    fn shop(sandbox: &Sandbox) -> Repo<'_> {
        sandbox.repo("shop", &[SHOP, &[("tsconfig.json", "{}\n")]].concat())
    }

    #[test]
    fn an_installed_indexer_is_run_and_taken_in_and_only_when_asked() {
        let sandbox = Sandbox::new();
        let repo = shop(&sandbox);
        let (bin, made, asked) = (sandbox.path("bin"), sandbox.path("made.scip"), sandbox.path("asked"));
        fs::write(&made, index(repo.root.to_str().unwrap(), documents())).unwrap();
        fake(
            &bin,
            "scip-typescript",
            &format!("pwd > {0}\necho \"$@\" >> {0}\ncp {1} \"$5\"", asked.display(), made.display()),
        );
        let mut plain = repo.sandbox.cruxe_in(&repo.root);
        run(plain.env("PATH", &bin).arg("index")).ok();
        assert!(!asked.exists(), "nothing is run that nobody asked for");
        let report = run(&mut auto(&repo, &[&bin])).json();
        let runs = &report["scip_auto"];
        assert_eq!(runs[0]["status"], "imported", "{runs}");
        assert_eq!((&runs[0]["indexer"], &runs[0]["files"]), (&json!("scip-typescript"), &json!(2)));
        assert_eq!((&runs[0]["documents_taken"], &runs[0]["files_covered"]), (&json!(2), &json!(2)));
        assert_eq!(uses(&repo, "Cart.total"), (vec!["src/view.ts:4 exact".into()], 0));
        let asked = fs::read_to_string(asked).unwrap();
        let (folder, arguments) = asked.split_once('\n').unwrap();
        assert_eq!(Path::new(folder), repo.root);
        assert!(arguments.starts_with(&format!("index --cwd {folder} --output ")), "{arguments}");
        let output = Path::new(arguments.trim().rsplit(' ').next().unwrap());
        assert!(!output.starts_with(&repo.root) && !output.parent().unwrap().exists(), "what it wrote is gone");
    }

    #[test]
    fn what_is_missing_or_fails_is_said_and_costs_nothing_else() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("both", &[SHOP, &[("run.py", "def run(): ...\n"), ("go.go", "package x\n")]].concat());
        let bin = sandbox.path("bin");
        fake(&bin, "scip-python", "echo started\necho 'no module named x' >&2\nexit 3");
        let outcome = run(&mut auto(&repo, &[&bin]));
        assert_eq!(outcome.code, Some(1));
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let of = |name: &str| {
            let runs = report["scip_auto"].as_array().unwrap();
            runs.iter().find(|run| run["indexer"] == name).cloned().unwrap_or_default()
        };
        assert_eq!(report["scip_auto"].as_array().unwrap().len(), 3);
        assert_eq!(of("scip-python")["status"], "failed");
        assert_eq!(of("scip-python")["reason"], "exit status: 3: no module named x");
        assert_eq!(of("scip-typescript")["status"], "not_applicable", "it would write a tsconfig.json");
        assert_eq!(of("scip-go")["status"], "not_applicable");
        assert_eq!(report["file_count"], 4, "the index is there all the same");
        repo.write("go.mod", "module x\n");
        let report = run(&mut auto(&repo, &[&bin]));
        assert!(report.stdout.contains("not_installed") && report.stdout.contains("go install"), "{}", report.stdout);
    }

    #[test]
    fn a_program_that_the_project_brings_along_is_not_run() {
        let sandbox = Sandbox::new();
        let repo = shop(&sandbox);
        let own = repo.root.join("node_modules/.bin");
        fake(&own, "scip-typescript", "touch ../ran");
        let report = run(auto(&repo, &[&own, Path::new("node_modules/.bin")]).current_dir(&repo.root)).json();
        assert_eq!(report["scip_auto"][0]["status"], "not_installed");
        assert!(!sandbox.path("ran").exists());
    }

    #[test]
    fn an_indexer_has_so_much_time_and_ends_with_what_it_started() {
        let sandbox = Sandbox::new();
        let repo = shop(&sandbox);
        let (bin, pid) = (sandbox.path("bin"), sandbox.path("pid"));
        fake(&bin, "scip-typescript", &format!("sleep 600 &\necho $! > {}\nwait", pid.display()));
        let start = Instant::now();
        let outcome = run(auto(&repo, &[&bin]).args(["--scip-time", "1"]));
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(report["scip_auto"][0]["reason"], "ended after 1 s, see --scip-time");
        let child = fs::read_to_string(pid).unwrap().trim().to_owned();
        eventually("what it started is gone", Duration::from_secs(10), || is_gone(&child).then_some(()));
    }

    /// Whether a process has ended, be it that nobody has asked for its end yet.
    fn is_gone(pid: &str) -> bool {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    }

    #[test]
    fn ending_us_ends_the_indexer() {
        let sandbox = Sandbox::new();
        let repo = shop(&sandbox);
        let (bin, pid) = (sandbox.path("bin"), sandbox.path("pid"));
        fake(&bin, "scip-typescript", &format!("echo $$ > {}\nexec sleep 600", pid.display()));
        let mut us = auto(&repo, &[&bin]).stdout(std::process::Stdio::null()).spawn().unwrap();
        let written = || fs::read_to_string(&pid).ok().filter(|text| text.ends_with('\n'));
        let child = eventually("it runs", Duration::from_secs(60), written);
        Command::new("kill").arg(us.id().to_string()).status().unwrap();
        assert_eq!(us.wait().unwrap().code(), Some(130));
        eventually("it has ended", Duration::from_secs(10), || is_gone(child.trim()).then_some(()));
    }

    #[test]
    fn a_ref_that_is_not_checked_out_is_refused() {
        let sandbox = Sandbox::new();
        let repo = shop(&sandbox);
        repo.git(&["tag", "v1"]);
        repo.write("more.ts", "export const more = 1;\n");
        repo.commit("second");
        let refused = repo.cruxe(&["index", "--ref", "v1", "--scip", "auto"]);
        assert_eq!(refused.code, Some(4));
        assert!(refused.stderr.contains("runs on the files that are checked out"), "{}", refused.stderr);
    }
}
