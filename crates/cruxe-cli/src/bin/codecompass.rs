//! `codecompass`: `cruxe` under another name.

#[path = "../launcher.rs"]
mod launcher;

fn main() -> std::process::ExitCode {
    launcher::main("codecompass")
}
