//! Frames of stack traces, as the languages print them.

use super::super::pattern::pattern;

/// Frames beyond this number are left out, the outermost first.
const MAX_FRAMES: usize = 64;
/// Frames that are kept while a text is read.
const MAX_READ: usize = 2_000;

/// A frame of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::search) struct Frame {
    /// The file, as far as it was printed.
    pub path: String,
    /// The line, as it was where the trace comes from.
    pub line: Option<u32>,
    /// The plain name of the function.
    pub function: Option<String>,
}

/// The frames of a text, in its order.
#[derive(Default)]
pub(super) struct Frames {
    /// Those that are printed with the innermost first.
    inner_first: Vec<Frame>,
    /// Those that are printed with the innermost last.
    inner_last: Vec<Frame>,
}

/// Of the forms below so many print the innermost frame last.
const INNER_LAST: usize = 3;

impl Frames {
    /// Notes the frame that a line is, and says whether it is one. Some languages name the function on the line before.
    pub fn read(&mut self, line: &str, before: &str) -> bool {
        let line = line.trim();
        if !line.contains('.') || !line.contains([':', '(', '"']) {
            return false;
        }
        // Python, IPython, pytest; JVM, .NET, JavaScript, Ruby, PHP, gdb, Elixir, Lua, Rust and Go, Rust's first line.
        let forms = pattern!(
            r#"^(?:> *)?File "(?P<path>[^"]+)", line (?P<line>[0-9]+)(?:, in (?P<function>[^ ]+))?"#,
            r"^(?P<path>[^ ]+\.[a-z]{1,5}) in (?P<function>[^ (]+)\(",
            r"^(?P<path>[^ :]+\.[a-z]{1,5}):(?P<line>[0-9]+): in (?P<function>[^ ]+)$",
            r"^at (?P<module>[^ ()]+)\.(?P<function>[^ .()]+)\((?P<path>[^ ():]+\.[a-z]+):(?P<line>[0-9]+)\)",
            r"^at (?P<function>[^ ()]+)\(.*\) in (?P<path>.+):line (?P<line>[0-9]+)",
            r"^at (?:async )?(?:new )?(?:(?P<function>[^ ]+) (?:\[as [^ \]]+\] )?\()?(?:file://)?(?P<path>[^ ()]+?):(?P<line>[0-9]+):[0-9]+\)?$",
            r"^(?:from )?(?P<path>[^ :]+\.[a-z]{1,8}):(?P<line>[0-9]+):in [`'‘](?P<function>[^'’]+)",
            r"^#[0-9]+ (?P<path>[^ ()]+\.[a-z]+)\((?P<line>[0-9]+)\): (?P<function>[^ (]+)",
            r"^#[0-9]+ +(?:0x[0-9a-f]+ in )?(?P<function>[^ ()]+) ?\(.*\) at (?P<path>[^ ]+?):(?P<line>[0-9]+)",
            r"^\([^ ()]+ [0-9.a-z-]+\) (?P<path>[^ ]+\.exs?):(?P<line>[0-9]+): (?P<function>[^ ]+?)/[0-9]+",
            r"^(?P<path>[^ :]+\.lua):(?P<line>[0-9]+): in (?:[a-z]+ )*'?(?P<function>[^ ']+)",
            r"^(?:at )?(?P<path>[^ :]+\.(?:rs|go|swift|zig)):(?P<line>[0-9]+)(?::[0-9]+)?(?: \+0x[0-9a-f]+)?$",
            r"panicked at (?:'[^']*', )?(?P<path>[^ :]+\.rs):(?P<line>[0-9]+)",
        );
        let found = forms.iter().enumerate().find_map(|(at, form)| Some((at, form.captures(line)?)));
        let Some((form, found)) = found else { return false };
        let group = |name: &str| found.name(name).map(|group| group.as_str());
        let path = group("path").unwrap_or_default().replace('\\', "/");
        let path = match group("module") {
            Some(module) => in_package(module, &path),
            None => path,
        };
        let function = group("function").or_else(|| function_before(before)).map(plain).filter(|name| !name.is_empty());
        let frame = Frame { path, line: group("line").and_then(|line| line.parse().ok()), function };
        let list = if form < INNER_LAST { &mut self.inner_last } else { &mut self.inner_first };
        if list.len() < MAX_READ {
            list.push(frame);
        }
        true
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.inner_first.is_empty() && self.inner_last.is_empty()
    }

    /// All of them, innermost first, each once.
    pub fn innermost_first(self) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::new();
        for frame in self.inner_last.into_iter().rev().chain(self.inner_first) {
            if frames.len() < MAX_FRAMES && !frames.contains(&frame) {
                frames.push(frame);
            }
        }
        frames
    }
}

/// A file of the JVM is known by its name; its package says where it is.
fn in_package(module: &str, file: &str) -> String {
    let package: Vec<&str> = module.split('.').take_while(|part| part.starts_with(char::is_lowercase)).collect();
    package.into_iter().chain([file]).collect::<Vec<_>>().join("/")
}

/// The function that Go and Rust name on the line before its place.
fn function_before(line: &str) -> Option<&str> {
    let found = pattern!(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(\S+)", r"^([\w./*()-]+\.[\w.()*-]+)\(.*\)$");
    found.iter().find_map(|form| form.captures(line)?.get(1)).map(|group| group.as_str())
}

/// The plain name of a function as a trace gives it: `pkg.(*Server).Serve` is `Serve`.
fn plain(function: &str) -> String {
    let without_hash =
        pattern!(r"::h[0-9a-f]{16}$|(?:::)?\{\{closure\}\}|<[^<>]*>|\.func\d+(?:\.\d+)*$")[0].replace_all(function, "");
    let last = without_hash.rsplit(['.', ':', '#', '>', '\\', '/']).find(|part| !part.is_empty()).unwrap_or_default();
    last.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `path line function` of the frames of a text, innermost first.
    fn frames(text: &str) -> Vec<String> {
        let (mut frames, mut before) = (Frames::default(), "");
        for line in text.lines() {
            frames.read(line, before);
            before = line;
        }
        let show = |it: Frame| {
            format!(
                "{} {} {}",
                it.path,
                it.line.map_or("-".to_owned(), |line| line.to_string()),
                it.function.unwrap_or_default()
            )
        };
        frames.innermost_first().into_iter().map(show).collect()
    }

    #[test]
    fn the_traces_of_every_language_are_read_innermost_first() {
        for (trace, want) in [
            (
                "  File \"/app/a.py\", line 3, in outer\n    inner()\n  File \"C:\\app\\b.py\", line 5, in inner",
                &["C:/app/b.py 5 inner", "/app/a.py 3 outer"][..],
            ),
            ("tests/test_a.py:12: in test_it\nsrc/a.py:5: in run", &["src/a.py 5 run", "tests/test_a.py 12 test_it"]),
            ("~/lib/plot/axes.py in scatter(self, x)", &["~/lib/plot/axes.py - scatter"]),
            (
                "\tat com.shop.billing.Invoice.addTax(Invoice.java:42)\n\tat com.shop.Main.main(Main.java:7)",
                &["com/shop/billing/Invoice.java 42 addTax", "com/shop/Main.java 7 main"],
            ),
            (
                "    at Shop.addTax (/app/src/shop.ts:10:15)\n    at async /app/src/main.ts:3:1",
                &["/app/src/shop.ts 10 addTax", "/app/src/main.ts 3 "],
            ),
            ("   at Shop.Billing.AddTax(Cart cart) in C:\\src\\Billing.cs:line 12", &["C:/src/Billing.cs 12 AddTax"]),
            (
                "app/models/cart.rb:12:in `total'\n\tfrom app/main.rb:3:in `<main>'",
                &["app/models/cart.rb 12 total", "app/main.rb 3 "],
            ),
            ("#0 /app/src/Cart.php(12): Shop\\Cart->total(Array)", &["/app/src/Cart.php 12 total"]),
            ("#1  0x00005555 in shop::Cart::total (this=0x0) at src/cart.cc:12", &["src/cart.cc 12 total"]),
            ("    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1", &["lib/shop/cart.ex 12 total"]),
            ("\tsrc/cart.lua:12: in function 'total'", &["src/cart.lua 12 total"]),
            (
                "main.(*Cart).Total(0xc000)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:3 +0x20",
                &["/app/cart.go 12 Total", "/app/main.go 3 main"],
            ),
            (
                "thread 'main' panicked at src/cart.rs:12:9:\n   2: shop::cart::Cart::total::h0123456789abcdef\n             at ./src/cart.rs:12:9",
                &["src/cart.rs 12 ", "./src/cart.rs 12 total"],
            ),
        ] {
            assert_eq!(frames(trace), want, "{trace}");
        }
    }

    #[test]
    fn other_lines_are_no_frames() {
        for line in ["see src/a.rs:12 for more", "at noon", "File a.py, line 3", "127.0.0.1:80", "in function (x)", ""]
        {
            assert!(!Frames::default().read(line, ""), "{line}");
        }
    }
}
