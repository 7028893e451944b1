//! Java: what imports, annotations, `switch` and the two kinds of names of a class mean.

use crate::support::check;

#[test]
fn java_the_types_on_the_way_of_an_import_are_used() {
    let util = "package b;\npublic class Util {\n  public static int half(int x) { return x; }\n  public static class Inner {}\n}\n";
    let other = "package c;\npublic class Util { public static int half(int x) { return x; } }\n";
    let user = "\
package a;
import static b.Util.half; // <-
import b.Util.Inner; // <-
import static c.Util.half;
import b.Util; // <-
class User {}
";
    check("b/Util.java Util", &[("b/Util.java", util), ("c/Util.java", other), ("a/User.java", user)]);
}

#[test]
fn java_elements_of_annotations_are_used_where_they_are_given() {
    let text = "\
package a;
@interface Nest { int x(); }
@interface Outer { Nest[] nests(); int x() default 1; }
class Use {
  @Outer(
    x = 1,
    nests = {
      @Nest(x = 2), // <-
      @a.Nest(x = 3) // <-
    })
  int f;
  @Foreign(x = 1)
  int g;
}
";
    check("a/Use.java Nest.x", &[("a/Use.java", text)]);
}

#[test]
fn java_cases_name_the_constants_of_what_the_switch_is_about() {
    let text = "\
package a;
class Order<T> {
  enum Kind { FREE, STABLE }
  enum Other { FREE, STABLE }
  static final int LIMIT = 1;
  Kind kind() { return null; }
  int g(Order<String> order, Other other, int x) {
    switch (order.kind()) {
      case STABLE: return 1; // <-
    }
    switch (other) {
      case STABLE: return 2;
    }
    return switch (kind()) {
      case FREE -> 1;
      case STABLE -> 2; // <-
    };
  }
  int h(int x) {
    switch (x) { case LIMIT: return 1; } // limit
    return 0;
  }
}
";
    check("a/Order.java Order.Kind.STABLE", &[("a/Order.java", text)]);
    let limit = text.replace(" // <-", "").replace("// limit", "// <-");
    check("a/Order.java Order.LIMIT", &[("a/Order.java", &limit)]);
}

#[test]
fn java_a_call_means_the_method_where_a_variable_has_its_name() {
    let text = "\
package a;
class Most {
  static double max(double a, double b) { return a; }
  static double max(double[] all) {
    double max = all[0];
    max = max(all[1], max); // <-
    return max;
  }
}
";
    check("a/Most.java Most.max", &[("a/Most.java", text)]);
}

#[test]
fn java_what_a_class_builds_on_is_not_looked_up_inside_of_it() {
    let text = "\
package a;
interface Builder<T> { T build(); }
class Row implements Builder<Integer> { // <-
  static class Builder { Builder twice() { return new Builder(); } }
  public Integer build() { return 1; }
}
";
    check("a/Row.java a.Builder", &[("a/Row.java", text)]);
}

#[test]
fn java_methods_of_classes_from_outside_are_not_those_of_the_project() {
    let util =
        "package b;\nclass Util {\n  static String of(char[] x) { return null; }\n  static void nap(Object d) {}\n}\n";
    let user = "package a;\nclass User {\n  Object v() { return Integer.of(1); }\n  void w() { Thread.nap(1); }\n}\n";
    check("b/Util.java Util.of", &[("b/Util.java", util), ("a/User.java", user)]);
    check("b/Util.java Util.nap", &[("b/Util.java", util), ("a/User.java", user)]);
}
