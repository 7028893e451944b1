//! `cue`: see `cruxe_cli`.

fn main() -> std::process::ExitCode {
    cruxe_cli::main(cruxe_cli::Program::Cue)
}
