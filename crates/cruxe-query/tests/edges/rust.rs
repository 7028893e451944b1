//! Rust.

use crate::support::check;

const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\n");

#[test]
fn shadowed_name_is_not_a_reference() {
    check(
        "limit",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub fn limit() -> u32 { 1 }
fn a() -> u32 { limit() } // <-
fn b(limit: u32) -> u32 { limit }
fn c() { let limit = 2; drop(limit); }
fn d() { let limit = limit(); drop(limit); } // <-
// limit() in a comment
const TEXT: &str = \"limit()\";
struct S { limit: u32 }
",
            ),
        ],
    );
}

#[test]
fn imports_aliases_globs_and_re_exports_lead_to_the_definition() {
    check(
        "src/auth/jwt.rs check",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub mod auth;\nmod other;\npub use auth::jwt::check as verify; // <-\nfn f() { crate::auth::check(); } // <-\n",
            ),
            ("src/auth/mod.rs", "pub mod jwt;\npub use self::jwt::check; // <-\nfn g() { check(); } // <-\n"),
            ("src/auth/jwt.rs", "pub fn check() {}\n"),
            (
                "src/other.rs",
                "use crate::auth::jwt::*;
use crate::verify; // <-
fn g() { check(); } // <-
fn h() { verify(); super::verify(); }  // <-
mod inner {
    fn check() {}
    fn i() { check(); }
    fn j() { super::check(); } // <-
}
",
            ),
        ],
    );
}

#[test]
fn methods_are_told_apart_by_the_type_of_the_receiver() {
    check(
        "Cache::get",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub struct Cache { items: Vec<u32> }
pub struct Other;
impl Cache {
    pub fn new() -> Self { Cache { items: Vec::new() } }
    pub fn get(&self, at: usize) -> u32 { self.items.get(at).copied().unwrap() }
    fn twice(&self) -> u32 { self.get(0) } // <-
}
impl Other { pub fn get(&self) {} }
fn make() -> Result<Cache, ()> { Ok(Cache::new()) }
struct Holder { cache: Option<Box<Cache>> }
fn a(cache: &Cache) { cache.get(1); } // <-
fn b(other: &Other) { other.get(); }
fn c() -> Result<(), ()> {
    let cache = make()?;
    cache.get(1); // <-
    make().unwrap().get(2); // <-
    Cache::new().get(3); // <-
    Other.get();
    Ok(())
}
fn d(h: Holder) {
    if let Some(c) = &h.cache { c.get(4); } // <-
    for c in vec![Cache::new()].iter() { c.get(5); }
    let all: Vec<Cache> = Vec::new();
    for c in &all { c.get(6); } // <-
    all.iter().map(|c| c.get(7)).count(); // <-
    assert_eq!(all[0].get(8), 1); // <-
    let f = Cache::get; // <-
}
",
            ),
        ],
    );
}

#[test]
fn a_field_and_a_method_of_one_name_are_two_things() {
    let text = "pub struct Stats { count: u32 }
impl Stats {
    pub fn count(&self) -> u32 { self.count }
    fn add(&mut self) { self.count += 1; }
}
fn a(stats: Stats) -> u32 { stats.count() } // <-
fn b() -> Stats { Stats { count: 1 } }
";
    check("src/lib.rs count", &[CARGO, ("src/lib.rs", text)]);
}

#[test]
fn trait_methods_are_found_through_bounds_objects_and_defaults() {
    check(
        "Sink::finish",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub trait Sink { fn finish(&self) {} fn run(&self) { self.finish(); } } // <-
struct File;
impl Sink for File {}
fn a<S: Sink>(s: S) { s.finish(); } // <-
fn b(s: &dyn Sink) { s.finish(); } // <-
fn c(s: impl Sink) { s.finish(); } // <-
fn d<S>(s: S) where S: Sink { s.finish(); } // <-
fn e() { File.finish(); } // <-
struct Core<S> { sink: S }
impl<S: Sink> Core<S> { fn f(&self) { self.sink.finish(); } } // <-
struct Plain;
impl Plain { fn finish(&self) {} }
fn g() { Plain.finish(); }
",
            ),
        ],
    );
}

#[test]
fn enum_variants_are_found_in_values_and_patterns() {
    check(
        "State::Busy",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub enum State { Idle, Busy(u32) }
pub enum Other { Busy }
use State::*; 
fn a() -> State { State::Busy(1) } // <-
fn b(s: State) { match s { State::Busy(n) => drop(n), State::Idle => {} } } // <-
fn c() -> State { Busy(2) } // <-
fn d() -> Other { Other::Busy }
",
            ),
        ],
    );
}

#[test]
fn what_a_variant_holds_has_its_type() {
    check(
        "Raw::ino",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub struct Raw;
impl Raw { fn ino(&self) -> u64 { 1 } }
pub struct Std;
impl Std { fn ino(&self) -> u64 { 2 } }
enum Inner { Raw(Raw), Std(Std) }
fn pair() -> (Raw, Std) { (Raw, Std) }
impl Inner {
    fn ino(&self) -> u64 {
        match self {
            Inner::Raw(x) => x.ino(), // <-
            Inner::Std(x) => x.ino(),
        }
    }
}
fn f() {
    let (a, b) = pair();
    a.ino(); // <-
    b.ino();
}
",
            ),
        ],
    );
}

#[test]
fn arguments_of_macros_and_struct_keys_are_read() {
    check(
        "Config::depth",
        &[
            CARGO,
            (
                "src/lib.rs",
                "pub struct Config { pub depth: u32 }
pub struct Other { pub depth: u32 }
fn a(config: &Config) { println!(\"{}\", config.depth); } // <-
fn b(depth: u32) -> Config { Config { depth } } // <-
fn c() -> Config { Config { depth: 1 } } // <-
fn d(o: Other) -> u32 { o.depth }
fn e(c: Config) { let Config { depth } = c; } // <-
",
            ),
        ],
    );
}

#[test]
fn crates_of_a_workspace_see_each_other_by_name() {
    check(
        "crates/core-lib/src/lib.rs run",
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/core-lib/Cargo.toml", "[package]\nname = \"core-lib\"\n"),
            ("crates/core-lib/src/lib.rs", "pub fn run() {}\n"),
            ("crates/app/Cargo.toml", "[package]\nname = \"app\"\n"),
            (
                "crates/app/src/main.rs",
                "use core_lib::run; // <-\nfn main() { run(); core_lib::run(); } // <-\nmod m { fn run() {} fn x() { run(); } }\n",
            ),
        ],
    );
}

#[test]
fn macros_are_called_by_their_name() {
    check(
        "check",
        &[
            CARGO,
            (
                "src/lib.rs",
                "macro_rules! check { () => {} }
fn a() { check!(); } // <-
mod tests { fn b() { check!(); } } // <-
",
            ),
        ],
    );
}

#[test]
fn functions_that_attributes_name_in_quotes_are_used() {
    check(
        "src/lib.rs port",
        &[(
            "src/lib.rs",
            "\
fn port() -> u16 {
    80
}

mod other {
    pub fn port() -> u16 {
        1
    }
}

#[derive(Deserialize)]
struct Config {
    #[serde(default = \"port\")] // <-
    port: u16,
    #[serde(default = \"other::port\", rename = \"port\")]
    second: u16,
}
",
        )],
    );
}

#[test]
fn a_function_with_the_name_of_its_module_is_found_through_the_re_export() {
    check(
        "src/exec/job.rs job",
        &[
            ("Cargo.toml", "[package]\nname = \"fd\"\n"),
            ("src/main.rs", "mod exec;\nmod walk;\nfn main() {\n    exec::job(); // <-\n    exec::other();\n}\n"),
            ("src/exec/mod.rs", "mod job;\npub use self::job::job; // <-\npub fn other() {}\n"),
            ("src/exec/job.rs", "pub fn job() {}\npub fn wait() {}\n"),
            (
                "src/walk.rs",
                "use crate::exec;\nuse crate::exec::job::wait;\nfn receive() {\n    exec::job(); // <-\n    exec::job::wait();\n}\n",
            ),
        ],
    );
}
