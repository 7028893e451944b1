//! What people read when they ask for help.

use std::path::Path;

use crate::support::{Sandbox, run};

#[test]
fn help_texts() {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    for arguments in [
        &[][..],
        &["init"],
        &["scene"],
        &["open"],
        &["watch"],
        &["doctor"],
        &["card"],
        &["card", "new"],
        &["card", "edit"],
        &["list"],
        &["graph"],
        &["clean"],
        &["upgrade"],
        &["mcp"],
    ] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_cue"));
        command.current_dir(Path::new("/")).args(arguments).arg("--help");
        text += &format!("$ cue {} --help\n{}\n", arguments.join(" "), run(&mut command).ok());
    }
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("cue_help", text);
    });
}
