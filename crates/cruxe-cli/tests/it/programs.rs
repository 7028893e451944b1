//! One program under three names: launchers, links and copies.

use std::fs;
use std::path::Path;

use crate::support::{Run, Sandbox, run};

fn start(sandbox: &Sandbox, program: &Path, arguments: &[&str]) -> Run {
    run(sandbox.command(program.to_str().unwrap()).args(arguments))
}

#[test]
fn every_name_says_its_own_name() {
    let sandbox = Sandbox::new();
    for (program, name) in [
        (env!("CARGO_BIN_EXE_cruxe"), "cruxe"),
        (env!("CARGO_BIN_EXE_codecompass"), "codecompass"),
        (env!("CARGO_BIN_EXE_cue"), "cue"),
    ] {
        assert_eq!(start(&sandbox, Path::new(program), &["--version"]).ok(), format!("{name} 0.1.0\n"));
        let help = start(&sandbox, Path::new(program), &["doctor", "--help"]).ok();
        assert!(help.contains(&format!("Usage: {name} doctor")), "{help}");
    }
}

#[test]
fn arguments_and_exit_codes_pass_a_launcher_unchanged() {
    let sandbox = Sandbox::new();
    let unknown = start(&sandbox, Path::new(env!("CARGO_BIN_EXE_cue")), &["no such\ncommand", ""]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(4), ""));
    assert!(unknown.stderr.contains("'no such\ncommand'"), "{}", unknown.stderr);
    let unknown = start(&sandbox, Path::new(env!("CARGO_BIN_EXE_codecompass")), &["nosuch"]);
    assert_eq!(unknown.code, Some(4));
}

#[test]
#[cfg(unix)]
fn links_work_wherever_they_are() {
    let sandbox = Sandbox::new();
    let link = |to: &str, name: &str| {
        let path = sandbox.path(name);
        std::os::unix::fs::symlink(to, &path).unwrap();
        path
    };
    let of_the_program = link(env!("CARGO_BIN_EXE_cruxe"), "cue");
    assert_eq!(start(&sandbox, &of_the_program, &["--version"]).ok(), "cue 0.1.0\n");
    let of_the_launcher = link(env!("CARGO_BIN_EXE_cue"), "tasks");
    assert_eq!(start(&sandbox, &of_the_launcher, &["--version"]).ok(), "cue 0.1.0\n");
}

#[test]
fn a_launcher_alone_says_what_is_missing() {
    let sandbox = Sandbox::new();
    let launcher = sandbox.path("cue");
    fs::copy(env!("CARGO_BIN_EXE_cue"), &launcher).unwrap();
    let alone = start(&sandbox, &launcher, &["list"]);
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(127), ""));
    let cruxe = launcher.canonicalize().unwrap().with_file_name("cruxe");
    assert_eq!(
        alone.stderr,
        format!(
            "cue: error: there is no {cruxe:?}, which does the work\n  Install `cruxe` into the same folder; in a checkout, run `cargo build`.\n"
        )
    );
}
