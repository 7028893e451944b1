//! Frames of stack traces, as the languages print them.

use super::super::pattern::pattern;

/// Frames beyond this number are left out, the outermost first.
const MAX_FRAMES: usize = 64;
/// Frames that are kept while a text is read.
const MAX_READ: usize = 2_000;

/// A frame of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::search) struct Frame {
    /// The file, as far as it was printed.
    pub path: String,
    /// The line, as it was where the trace comes from.
    pub line: Option<u32>,
    /// The plain name of the function.
    pub function: Option<String>,
    /// The name before that: its type or module.
    pub owner: Option<String>,
    /// The package that the JVM names it by: its folders may be others.
    pub package: Option<String>,
}

/// The frames of a text, in its order.
#[derive(Default)]
pub(super) struct Frames {
    /// Those that are printed with the innermost first.
    inner_first: Vec<Frame>,
    /// Where the trace of a cause begins among them: it is printed after what it caused.
    causes: Vec<usize>,
    /// Those that are printed with the innermost last.
    inner_last: Vec<Frame>,
}

/// Of the forms below so many print the innermost frame last.
const INNER_LAST: usize = 5;
/// PHP's, whose frames say what was called and from where.
const PHP: usize = 12;
/// Rust's and Go's, which name the function on the line before.
const NAMED_BEFORE: usize = 7;

impl Frames {
    /// Notes the frame that a line is, and says whether it is one. Some languages name the function on the line before.
    pub fn read(&mut self, line: &str, before: &str) -> bool {
        let line = line.trim();
        if !line.contains('.') || !line.contains([':', '(', '"', ',']) {
            return false;
        }
        // Python, IPython, pytest; JVM, .NET, Rust and Go, JavaScript, Firefox, Ruby, PHP, gdb and sanitizers, Dart, lldb, Elixir, Lua, Zig;
        // then lines that stand alone: Rust, C, C++, Swift, PHP, compilers.
        let forms = pattern!(
            r#"^(?:> *)?File "(?P<path>[^"]+)", line (?P<line>[0-9]+)(?:, in (?P<function>[^ ]+))?"#,
            r"^File (?P<path>[^ ]+):(?P<line>[0-9]+), in (?P<function>[^ (]+)",
            r"^(?P<path>[^ ]+\.[a-z]{1,5}) in (?P<function>[^ (]+)\(",
            r"^(?P<path>(?:[A-Za-z]:)?[^ :]+\.[a-z]{1,5}):(?P<line>[0-9]+): in (?P<function>[^ ]+)$",
            r"^(?P<path>(?:[A-Za-z]:)?[^ :]+\.py):(?P<line>[0-9]+):(?: [A-Z][A-Za-z]*(?:Error|Exception|Warning|Failed))?$",
            r"^at (?P<module>[^ ()]+)\.(?P<function>[^ .()]+)\((?P<path>[^ ():]+\.[a-z]+):(?P<line>[0-9]+)\)",
            r"^at (?P<function>[^ ()]+)\(.*\) in (?P<path>.+):line (?P<line>[0-9]+)",
            r"^(?:at )?(?P<path>(?:[A-Za-z]:)?[^ :]+\.(?:rs|go|swift|zig)):(?P<line>[0-9]+)(?::[0-9]+)?(?: \+0x[0-9a-f]+)?$",
            r"^at (?:async )?(?:new )?(?P<function>[^ ]+) (?:\[as [^ \]]+\] )?\((?P<path>[^()]+?):(?P<line>[0-9]+):[0-9]+\)$",
            r"^at (?:async )?(?P<path>[^ ()]+?):(?P<line>[0-9]+):[0-9]+$",
            r"^(?P<function>[\w$.<>/]*)@(?P<path>[a-z][a-z+-]*://[^ ]+?):(?P<line>[0-9]+):[0-9]+$",
            r"^(?:from )?(?P<path>(?:[A-Za-z]:)?[^ :]+\.[a-z]{1,8}):(?P<line>[0-9]+):in [`'‘](?P<function>[^'’]+)",
            r"^#[0-9]+ (?P<path>[^ ()]+\.[a-z]+)\((?P<line>[0-9]+)\): (?P<function>[^ (]+)",
            r"^#[0-9]+ +(?:0x[0-9a-f]+ in )?(?P<function>[^()]+?) ?\(.*\) at (?P<path>[^ ]+?):(?P<line>[0-9]+)",
            r"^#[0-9]+ +0x[0-9a-f]+ in (?P<function>[^()]+)(?:\(.*\))?(?: const)? (?P<path>[^ ]+?):(?P<line>[0-9]+)",
            r"^#[0-9]+ +(?P<function>[^ ()]+) \((?:package:)?(?P<path>[^ ()]+?):(?P<line>[0-9]+)(?::[0-9]+)?\)$",
            r"^frame #[0-9]+: 0x[0-9a-f]+ [^`]+`(?P<function>[^()]+).* at (?P<path>[^ ]+?):(?P<line>[0-9]+)",
            r"^\([^ ()]+ [0-9.a-z-]+\) (?P<path>[^ ]+\.exs?):(?P<line>[0-9]+): (?P<function>[^ ]+?)/[0-9]+",
            r"^(?P<path>[^ :]+\.lua):(?P<line>[0-9]+): in (?:[a-z]+ )*'?(?P<function>[^ ']+)",
            r"^(?P<path>(?:[A-Za-z]:)?[^ :]+\.zig):(?P<line>[0-9]+):[0-9]+: 0x[0-9a-f]+ in (?P<function>[^ ]+)",
            r"panicked at (?:'[^']*', )?(?P<path>(?:[A-Za-z]:)?[^ :]+\.rs):(?P<line>[0-9]+)",
            r"^(?:[^ :]+: )?(?P<path>(?:[A-Za-z]:)?[^ :]+\.[a-zA-Z+]{1,4}):(?P<line>[0-9]+): (?:[^`‘(]*[ *&])?(?P<function>[\w:~]+)(?:\([^`‘]*)?: Assertion [`'‘]",
            r"^Assertion failed: .*?(?:, function (?P<function>\w+))?, file (?P<path>.+), line (?P<line>[0-9]+)",
            r"^(?P<path>[^ :]+\.swift):(?P<line>[0-9]+): Fatal error",
            r"^PHP [A-Z].* in (?P<path>[^ ]+\.php)(?::| on line )(?P<line>[0-9]+)$",
            r"^(?:--> )?(?P<path>(?:[A-Za-z]:)?[^ :()]+\.[a-zA-Z+]{1,5})(?::(?P<line>[0-9]+):[0-9]+|\([0-9]+,[0-9]+\))(?:$|: (?:fatal )?error\b)",
        );
        let found = forms.iter().enumerate().find_map(|(at, form)| Some((at, form.captures(line)?)));
        let Some((form, found)) = found else { return false };
        let group = |name: &str| found.name(name).map(|group| group.as_str());
        let path = on_disk(group("path").unwrap_or_default());
        let package = group("module").map(package);
        let path = package.as_ref().map_or(path.clone(), |package| format!("{}/{path}", package.replace('.', "/")));
        let function = group("function").or_else(|| function_before(before).filter(|_| form == NAMED_BEFORE));
        let (owner, function) = function.map(plain).unwrap_or_default();
        let owner = owner.or_else(|| plain(group("module")?).1);
        let mut frame =
            Frame { path, line: group("line").and_then(|line| line.parse().ok()), function, owner, package };
        let list = if form < INNER_LAST { &mut self.inner_last } else { &mut self.inner_first };
        if form == PHP {
            let called = (frame.function.take(), frame.owner.take());
            if let Some(inner) = list.last_mut().filter(|inner| inner.function.is_none()) {
                (inner.function, inner.owner) = called;
            }
        }
        if list.len() < MAX_READ {
            list.push(frame);
        }
        true
    }

    /// What follows is the trace of what caused the one before.
    pub fn cause(&mut self) {
        self.causes.push(self.inner_first.len());
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.inner_first.is_empty() && self.inner_last.is_empty()
    }

    /// All of them, innermost first, each once.
    pub fn innermost_first(mut self) -> Vec<Frame> {
        let mut in_order: Vec<Frame> = self.inner_last.into_iter().rev().collect();
        for from in self.causes.into_iter().rev() {
            in_order.extend(self.inner_first.drain(from.min(self.inner_first.len())..));
        }
        in_order.extend(self.inner_first);
        let mut frames: Vec<Frame> = Vec::new();
        for frame in &in_order {
            let is_named_elsewhere = || in_order.iter().any(|other| other.names(frame));
            if frames.len() < MAX_FRAMES && !frames.contains(frame) && !is_named_elsewhere() {
                frames.push(frame.clone());
            }
        }
        frames
    }
}

impl Frame {
    /// Whether it tells the function of another that is the same place: a panic says where, and its trace says it again.
    fn names(&self, other: &Frame) -> bool {
        let path = |frame: &Frame| frame.path.trim_start_matches("./").to_owned();
        let same_line = other.function.is_none() && self.function.is_some() && self.line == other.line;
        same_line && (path(self).ends_with(&path(other)) || path(other).ends_with(&path(self)))
    }
}

/// The package of what the JVM calls a class: its files are known by their names.
fn package(module: &str) -> String {
    let module = module.rsplit('/').next().unwrap_or_default();
    let package: Vec<&str> = module.split('.').take_while(|part| part.starts_with(char::is_lowercase)).collect();
    package.join(".")
}

/// A path as a disk has it: a browser or bundler puts an address before it and a mark behind.
fn on_disk(path: &str) -> String {
    let path = pattern!(r"^[a-z][a-z+-]*://[^/]*")[0].replace(path, "");
    path.split('?').next().unwrap_or_default().replace('\\', "/")
}

/// The function that Go and Rust name on the line before its place.
fn function_before(line: &str) -> Option<&str> {
    let found = pattern!(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(\S+)", r"^([\w./*()-]+\.[\w.()*\[\]-]+)\(.*\)$");
    found.iter().find_map(|form| form.captures(line)?.get(1)).map(|group| group.as_str())
}

/// The plain name of a function as a trace gives it, and what stands before it: `pkg.(*Server).Serve` is `Serve` of `Server`. Nothing
/// for one without a name.
fn plain(function: &str) -> (Option<String>, Option<String>) {
    if function.contains("<anonymous>") {
        return (None, None);
    }
    let beside = &pattern!(
        r"::h[0-9a-f]{16}$|(?:::)?\{\{closure\}\}|<[^<>]*>|\[[^\[\]]*\]$|\.func\d+(?:\.\d+)*$|^(?:block|rescue|ensure)(?: \(.*\))? in |^lambda\$|\$\d+$"
    )[0];
    let mut name = function.trim().to_owned();
    // Arguments of types stand in each other.
    for _ in 0..4 {
        name = beside.replace_all(&name, "").into_owned();
    }
    let beside = |c: char| !c.is_alphanumeric() && c != '_';
    let word =
        |part: &str| part.trim_start_matches(beside).trim_end_matches(|c| beside(c) && !"?!".contains(c)).to_owned();
    let mut parts = name.rsplit(['.', ':', '#', '>', '\\', '/', ' ', '$']).map(word).filter(|part| !part.is_empty());
    let last = parts.next();
    (parts.next(), last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `path line function` of the frames of a text, innermost first.
    fn frames(text: &str) -> Vec<String> {
        let (mut frames, mut before) = (Frames::default(), "");
        for line in text.lines() {
            if line.starts_with("Caused by") {
                frames.cause();
            }
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
                "app/models/cart.rb:12:in `block in total'\n\tfrom app/main.rb:3:in `<main>'",
                &["app/models/cart.rb 12 total", "app/main.rb 3 "],
            ),
            ("#1  0x00005555 in shop::Cart::total (this=0x0) at src/cart.cc:12", &["src/cart.cc 12 total"]),
            ("    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1", &["lib/shop/cart.ex 12 total"]),
            ("\tsrc/cart.lua:12: in function 'total'", &["src/cart.lua 12 total"]),
            (
                "main.(*Cart).Total(0xc000)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:3 +0x20",
                &["/app/cart.go 12 Total", "/app/main.go 3 main"],
            ),
            (
                "thread 'main' panicked at src/cart.rs:12:9:\n   2: shop::cart::Cart::total::h0123456789abcdef\n             at ./src/cart.rs:12:9",
                &["./src/cart.rs 12 total"],
            ),
            (
                "thread 'main' panicked at src\\cart.rs:12:9:\n   2: shop::total\n             at ./src/cart.rs:14:9",
                &["src/cart.rs 12 ", "./src/cart.rs 14 total"],
            ),
            (
                "RuntimeException: x\n\tat com.shop.Web.get(Web.java:7)\nCaused by: Bad: y\n\tat com.shop.Cart.add(Cart.java:3)",
                &["com/shop/Cart.java 3 add", "com/shop/Web.java 7 get"],
            ),
            ("  at java.base/java.util.Map.of(Map.java:3)", &["java/util/Map.java 3 of"]),
            ("  at lambda$run$0 (C:\\Users\\Jane Doe\\app\\cart.js:3:1)", &["C:/Users/Jane Doe/app/cart.js 3 run"]),
            ("total@http://localhost:5173/src/cart.js?t=17:3:1", &["/src/cart.js 3 total"]),
            ("at total (webpack-internal:///./src/cart.js:3:1)", &["/./src/cart.js 3 total"]),
            ("at Object.<anonymous> (/app/cart.js:3:1)", &["/app/cart.js 3 "]),
            (
                "PHP Fatal error:  Uncaught E: x in /app/Cart.php:12\n#0 /app/Web.php(7): Shop\\Cart->total(Array)\n#1 {main}",
                &["/app/Cart.php 12 total", "/app/Web.php 7 "],
            ),
            (
                "cart_test: /src/cart.cc:12: int shop::Cart::total(std::vector<int>) const: Assertion `n > 0' failed.",
                &["/src/cart.cc 12 total"],
            ),
            ("Assertion failed: (n > 0), function total, file cart.c, line 12.", &["cart.c 12 total"]),
            (
                "#2 0x55d4c8 in shop::Map<int, std::list<int>>::find(char const*) /src/map.h:12:9",
                &["/src/map.h 12 find"],
            ),
            (
                "#3  0x5555 in shop::Map<int, long>::find (this=0x0, key=...) at ../src/map.h:12",
                &["../src/map.h 12 find"],
            ),
            ("frame #1: 0x0001 shop`shop::Cart::total(this=0x0) at cart.cc:12:3", &["cart.cc 12 total"]),
            ("src/cart.zig:12:5: 0x1038 in total (shop)", &["src/cart.zig 12 total"]),
            ("error[E0382]: use of moved value\n  --> src/cart.rs:12:9", &["src/cart.rs 12 "]),
            ("src/cart.cc:12:9: error: no member named 'n'", &["src/cart.cc 12 "]),
            ("src/a.py:3: \nsrc/b.py:5: ValueError", &["src/b.py 5 ", "src/a.py 3 "]),
            ("File ~/lib/a.py:3, in total(self)", &["~/lib/a.py 3 total"]),
        ] {
            assert_eq!(frames(trace), want, "{trace}");
        }
    }

    #[test]
    fn what_stands_before_the_name_of_a_function_is_whose_it_is() {
        for (function, owner, name) in [
            ("github.com/acme/shop.(*Cart).Total", Some("Cart"), Some("Total")),
            ("shop::Map<int, std::list<int>>::find", Some("Map"), Some("find")),
            ("com.shop.Cart$Item.price", Some("Item"), Some("price")),
            ("Shop\\Cart->total", Some("Cart"), Some("total")),
            ("total", None, Some("total")),
            ("Cart#empty?", Some("Cart"), Some("empty?")),
            ("Object.<anonymous>", None, None),
            ("", None, None),
        ] {
            let found = plain(function);
            assert_eq!((found.0.as_deref(), found.1.as_deref()), (owner, name), "{function}");
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
