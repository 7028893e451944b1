//! Where something is set, and where it is only read.

use cruxe_query::relations::Relation::{Reads, Writes};

use super::{Tree, ask, rows};

/// Lines that end in `W` set the symbol, lines that end in `R` read it.
fn check(symbol: &str, path: &str, text: &str) {
    let marked = |mark: &str| -> Vec<usize> {
        text.lines().enumerate().filter(|(_, line)| line.ends_with(mark)).map(|(at, _)| at + 1).collect()
    };
    let lines = |relation| -> Vec<usize> {
        let rows = rows(symbol, relation, &[(path, text)]);
        let mut lines: Vec<usize> = rows.iter().map(|row| row.split(' ').next().unwrap().parse().unwrap()).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(lines(Writes), marked(" W"), "{path}: writes of {symbol}");
    assert_eq!(lines(Reads), marked(" R"), "{path}: reads of {symbol}");
}

#[test]
fn python() {
    let text = "\
class Box:
    limit = 1

    def __init__(self):
        self.size = 0
        self.items = {}

    def grow(self):
        self.size += 1 # W
        self.items['a'] = self.size # R
        del self.size # W
        size = 5
        return self.size # R

class Sub(Box):
    def shrink(self):
        self.size = 1 # W
        return self.size # R

class Other:
    def __init__(self):
        self.size = 9
";
    check("Box.size", "a.py", text);
    let sub = rows("Box.size", Writes, &[("a.py", text)]);
    assert_eq!(sub[2], "17 a.Sub.shrink through a.Sub");
    check(
        "COUNT",
        "b.py",
        "COUNT = 0\n\ndef f():\n    global COUNT\n    COUNT = 2 # W\n    return COUNT # R\n\ndef g(COUNT):\n    COUNT = 3\n",
    );
}

#[test]
fn rust() {
    check(
        "Point::x",
        "src/lib.rs",
        "\
pub struct Point { pub x: u8, items: Vec<u8> }
fn f(mut p: Point, q: &mut Point) -> u8 {
    p.x = 1; // W
    p.x += 2; // W
    let made = Point { x: 3, ..p }; // W
    let Point { x, .. } = made; // R
    let r = &mut q.x; // R
    p.items[0] = p.x; // R
    let x = 1;
    x
}
",
    );
    check(
        "Point::items",
        "src/lib.rs",
        "pub struct Point { items: Vec<u8> }\nfn f(p: &mut Point) {\n    p.items[0] = 1; // W\n    p.items.push(1); // R\n}\n",
    );
    check(
        "COUNT",
        "src/lib.rs",
        "static mut COUNT: u8 = 0;\nfn f() {\n    unsafe { COUNT = 1 }; // W\n    let x = unsafe { COUNT }; // R\n}\n",
    );
}

#[test]
fn typescript() {
    check(
        "Box.size",
        "a.ts",
        "\
export class Box {
  size = 1
  grow() {
    this.size = 2 // W
    this.size++ // W
    const { size } = this // R
    return this.size // R
  }
}
function f(box: Box) {
  delete box.size // W
  box['size']
  return box.size === 1 // R
}
",
    );
    check(
        "Options.depth",
        "a.ts",
        "interface Options { depth: number }\nfunction run(options: Options) {\n  return options.depth // R\n}\nrun({ depth: 1 }) // W\n",
    );
}

#[test]
fn go() {
    check(
        "Box.Size",
        "a.go",
        "\
package app

type Box struct {
	Size  int
	Items map[string]int
}

func f(b *Box) int {
	b.Size = 1 // W
	b.Size++ // W
	b.Size += 2 // W
	c := Box{Size: 3} // W
	b.Items[\"a\"] = c.Size // R
	return b.Size // R
}
",
    );
}

#[test]
fn java_csharp_kotlin_and_scala() {
    check(
        "Box.size",
        "A.java",
        "class Box {
    int size;
    int[] items;
    void f(Box other) {
        size = 1; // W
        this.size += 2; // W
        other.size++; // W
        items[0] = size; // R
        int size = 3;
    }
}
",
    );
    check(
        "Box.items",
        "A.java",
        "class Box {\n    int[] items;\n    void f() {\n        items[0] = 1; // W\n        g(items[0]); // R\n    }\n}\n",
    );
    check(
        "Box.Size",
        "A.cs",
        "class Box {
    public int Size { get; set; }
    void F(Box other) {
        Size = 1; // W
        ++other.Size; // W
        G(ref other.Size); // W
        var made = new Box { Size = 2 }; // W
        var copy = -other.Size; // R
    }
}
",
    );
    check(
        "Box.size",
        "a.kt",
        "class Box {
    var size = 0
    fun f(other: Box): Int {
        size = 1 // W
        other.size++ // W
        this.size += 2 // W
        return -other.size // R
    }
}
",
    );
    check(
        "Box.size",
        "a.scala",
        "class Box {
  var size = 0
  def f(other: Box) = {
    size = 1 // W
    other.size += 2 // W
    other.size <= 3 // R
  }
}
",
    );
}

#[test]
fn c_and_cpp() {
    check(
        "box::size",
        "a.c",
        "struct box { int size; int items[4]; };
int f(struct box *b) {
  b->size = 1; // W
  b->size++; // W
  struct box c = { .size = 2 }; // W
  b->items[0] = b->size; // R
  return c.size; // R
}
",
    );
    check("counter", "a.c", "static int counter;\nint f(void) {\n  counter = 1; // W\n  return counter; // R\n}\n");
    check(
        "Box::size",
        "a.cpp",
        "class Box {
 public:
  Box() : size(1) {} // W
  int get() { return size; } // R
  void set() { this->size = 2; } // W
 private:
  int size;
};
",
    );
}

#[test]
fn php_ruby_and_swift() {
    check(
        "Box.size",
        "a.php",
        "<?php
class Box {
    public $size = 0;
    public $items = [];
    function f(Box $other) {
        $this->size = 1; // W
        $other->size++; // W
        $this->items['a'] = $this->size; // R
        unset($other->size); // W
    }
}
",
    );
    check(
        "Box::size",
        "a.rb",
        "class Box
  attr_accessor :size
  def f
    self.size = 1 # W
    self.size += 2 # W
    puts self.size # R
  end
end
",
    );
    check(
        "Box.size",
        "a.swift",
        "class Box {
    var size = 0
    func f(other: Box) -> Int {
        self.size = 1 // W
        other.size += 2 // W
        return other.size // R
    }
}
",
    );
}

#[test]
fn of_a_field_and_a_method_of_one_name_the_field_is_meant() {
    check(
        "Builder::size",
        "src/lib.rs",
        "pub struct Builder { size: u8 }
impl Builder {
    pub fn size(mut self, size: u8) -> Self {
        self.size = size; // W
        self
    }
    fn get(&self) -> u8 { self.size } // R
}
fn f(builder: Builder) { builder.size(1).get(); }
",
    );
}

#[test]
fn what_cannot_be_told_is_counted_by_its_role() {
    let files = [(
        "a.py",
        "class Box:\n    def __init__(self):\n        self.size = 0\n\nclass Bag:\n    def __init__(self):\n        self.size = 0\n\ndef f(x, y):\n    x.size = 1\n    return y.size + x.size\n",
    )];
    let tree = Tree::new(&files);
    let open = |relation| ask(&tree, "Box.size", relation, false).unwrap();
    let writes = open(Writes);
    assert_eq!((writes.total, writes.unresolved_of_kind, writes.mentions.unwrap().unresolved), (0, Some(1), 3));
    assert_eq!(open(Reads).unresolved_of_kind, Some(2));
}
