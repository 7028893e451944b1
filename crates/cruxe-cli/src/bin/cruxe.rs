//! `cruxe`: see `cruxe_cli`.

fn main() -> std::process::ExitCode {
    cruxe_cli::main()
}
