//! What somebody wrote and an agent pasted: a ticket with code and a trace, a log. The functions to change come first.

use serde_json::{Value, json};

use crate::support::{Client, Sandbox};

/// A small library for plots, with what a report may be confused by: tests and documents that say the same words, a
/// second class with the same method, a function of that name somewhere else.
const PLOT: &[(&str, &str)] = &[
    ("plot/__init__.py", "\"\"\"Plots.\"\"\"\n"),
    (
        "plot/widgets.py",
        r#""""Widgets that users move."""

from plot.artist import Polygon


class Slider:
    """A slider with one value."""

    def __init__(self, ax, label, valmin, valmax, valinit=0.5):
        self.ax = ax
        self.label = label
        self.valmin = valmin
        self.valmax = valmax
        self.poly = Polygon(4)
        self.observers = []
        self.set_val(valinit)

    def _clip(self, val):
        """Keep a value between the limits."""
        return min(max(val, self.valmin), self.valmax)

    def set_val(self, val):
        """Set the value of the slider and tell observers."""
        xy = self.poly.xy
        xy[2] = val, 1
        xy[3] = val, 0
        self.poly.xy = xy
        for observer in self.observers:
            observer(val)


class RangeSlider(Slider):
    """A slider with two values, the ends of a range."""

    def __init__(self, ax, label, valmin, valmax, valinit=None):
        super().__init__(ax, label, valmin, valmax)
        self.vertical = False
        if valinit is not None:
            self.set_val(valinit)

    def _min_in_bounds(self, low):
        """Keep the lower end below the upper one."""
        return self._clip(low)

    def set_val(self, val):
        """Set both ends of the range.

        Parameters
        ----------
        val : two numbers, the lower and the upper end
        """
        low, high = sorted(val)
        xy = self.poly.xy
        if self.vertical:
            xy[0] = .25, low
            xy[1] = .25, high
        else:
            xy[0] = low, .25
            xy[1] = low, .75
            xy[4] = val[0], .25
        self.poly.xy = xy

    def on_changed(self, func):
        """Call a function when the range changes."""
        self.observers.append(func)
"#,
    ),
    (
        "plot/artist.py",
        "class Polygon:\n    \"\"\"A shape with corners.\"\"\"\n\n    def __init__(self, corners):\n        self.xy = [(0, 0)] * corners\n",
    ),
    (
        "plot/colors.py",
        "def set_val(color, val):\n    \"\"\"Set the brightness of a color.\"\"\"\n    return color * val\n",
    ),
    (
        "tests/test_widgets.py",
        r#"from plot.widgets import RangeSlider


def test_range_slider_init_value():
    """RangeSlider with valinit: the init value of a RangeSlider widget."""
    slider = RangeSlider(ax, "Threshold", 0, 1, valinit=[0.0, 0.0])
    assert slider.val == (0.0, 0.0)
"#,
    ),
    (
        "docs/widgets.md",
        "# Widgets\n\nA RangeSlider takes its init value as `valinit`. `RangeSlider.set_val` sets both ends.\n",
    ),
    (
        "java/src/com/plot/Canvas.java",
        "package com.plot;\n\npublic class Canvas {\n    public void resize(int width) {\n        throw new IllegalStateException(\"canvas has no width\");\n    }\n\n    public void draw() {\n        resize(0);\n    }\n}\n",
    ),
    (
        "java/src/com/plot/Window.java",
        "package com.plot;\n\npublic class Window {\n    public void draw() {\n        new Canvas().draw();\n    }\n}\n",
    ),
];

const TICKET: &str = r#"[Bug]: cannot give init value for RangeSlider widget
### Bug summary

I think `xy[4] = .25, val[0]` should be commented in "plot/widgets.py", as it prevents an init value for RangeSlider.

<!-- Please do not report typing errors of documents here. -->

### Code for reproduction

```python
from plot.widgets import RangeSlider

slider = RangeSlider(ax, "Threshold", 0, 1, valinit=[0.0, 0.0])
```

### Actual outcome

```
Traceback (most recent call last):
  File "<ipython-input-52>", line 19, in <module>
    slider = RangeSlider(ax, "Threshold", 0, 1, valinit=[0.0, 0.0])
  File "/Users/me/lib/python3.8/site-packages/plot/widgets.py", line 778, in __init__
    self.set_val(valinit)
  File "/Users/me/lib/python3.8/site-packages/plot/widgets.py", line 915, in set_val
    xy[4] = val[0], .25
IndexError: index 4 is out of bounds for axis 0 with size 4
```

### Operating system

OSX, with tests and docs of colors
"#;

fn plot(sandbox: &Sandbox) -> Client {
    let repo = sandbox.repo("plot", PLOT);
    repo.cruxe(&["index"]).ok();
    repo.server()
}

/// `path qualified name` of each result.
fn names(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| format!("{} {}", text(&result["path"]), text(&result["qualified_name"]))).collect()
}

#[test]
fn a_ticket_leads_to_the_functions_to_change() {
    let sandbox = Sandbox::new();
    let mut client = plot(&sandbox);
    let answer = client.ok("search_code", json!({"query": TICKET, "limit": 6}));
    assert_eq!(
        names(&answer)[..3],
        [
            "plot/widgets.py plot.widgets.RangeSlider.set_val",
            "plot/widgets.py plot.widgets.RangeSlider.__init__",
            "plot/widgets.py plot.widgets.RangeSlider",
        ],
        "{:#?}",
        names(&answer)
    );
    assert_eq!(answer["query_intent"], "error", "it has quotes and a trace");
    assert_eq!(answer["metadata"].get("warnings"), None, "{answer:#}");
    let first = &answer["results"][0];
    assert_eq!((&first["result_type"], &first["kind"]), (&json!("symbol"), &json!("method")));
    let scores: Vec<f64> =
        answer["results"].as_array().unwrap().iter().map(|it| it["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
}

#[test]
fn a_trace_alone_leads_to_its_innermost_frame_of_ours() {
    let sandbox = Sandbox::new();
    let mut client = plot(&sandbox);
    let trace = "Exception in thread \"main\" java.lang.IllegalStateException: canvas has no width\n\
                 \tat java.base/java.util.Objects.check(Objects.java:359)\n\
                 \tat com.plot.Canvas.resize(Canvas.java:5)\n\
                 \tat com.plot.Canvas.draw(Canvas.java:9)\n\
                 \tat com.plot.Window.draw(Window.java:5)\n";
    let answer = client.ok("search_code", json!({"query": trace, "limit": 5}));
    let path = "java/src/com/plot/Canvas.java";
    assert_eq!(names(&answer)[..2], [format!("{path} com.plot.Canvas.resize"), format!("{path} com.plot.Canvas.draw")]);
    let line = client.ok("search_code", json!({"query": "IllegalStateException: canvas has no width"}));
    assert_eq!(
        (&line["query_intent"], &line["results"][0]["line_start"]),
        (&json!("error"), &json!(5)),
        "one line is a message"
    );
}

#[test]
fn a_log_leads_to_the_line_that_printed_its_gravest_message() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo(
        "shop",
        &[
            (
                "shop/cart.py",
                "import logging\n\nlog = logging.getLogger(__name__)\n\n\ndef total(cart):\n    log.info(\"starting with %d items\", len(cart))\n    \
                 if not cart:\n        log.error(\"cart %s of %s has no items\", cart.id, cart.owner)\n",
            ),
            ("tests/test_cart.py", "def test_total():\n    assert total([]) == \"cart 7 of bob has no items\"\n"),
        ],
    );
    repo.cruxe(&["index"]).ok();
    let mut client = repo.server();
    let log = "2026-11-17 10:42:01,003 INFO shop.cart: starting with 0 items\n\
               2026-11-17 10:42:01,004 ERROR shop.cart: cart 7 of bob has no items\n\
               2026-11-17 10:42:01,005 INFO shop.web: 200 GET /cart\n";
    let answer = client.ok("search_code", json!({"query": log, "limit": 4}));
    let first = &answer["results"][0];
    assert_eq!((&first["path"], &first["line_start"]), (&json!("shop/cart.py"), &json!(9)), "{answer:#}");
    let scores: Vec<f64> =
        answer["results"].as_array().unwrap().iter().map(|it| it["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(client.ok("search_code", json!({"query": log, "limit": 1}))["results"].as_array().unwrap().len() == 1);
}

#[test]
fn a_report_keeps_to_what_the_question_is_about() {
    let sandbox = Sandbox::new();
    let mut client = plot(&sandbox);
    let only = |client: &mut Client, key: &str, value: Value| {
        let answer = client.ok("search_code", json!({"query": TICKET, "limit": 20, key: value}));
        names(&answer)
    };
    assert!(only(&mut client, "tests", json!("only")).iter().all(|name| name.starts_with("tests/")));
    assert!(
        only(&mut client, "paths", json!(["!plot/widgets.py"])).iter().all(|name| !name.starts_with("plot/widgets"))
    );
    assert_eq!(only(&mut client, "kind", json!("class"))[0], "plot/widgets.py plot.widgets.RangeSlider");
    assert!(only(&mut client, "language", json!("java")).iter().all(|name| name.starts_with("java/")));
    let words = client.ok("search_code", json!({"query": TICKET, "semantic_ratio": 0.0}));
    assert_eq!(words["metadata"]["embedding_model"], "none");
    assert_eq!(names(&words)[0], "plot/widgets.py plot.widgets.RangeSlider.set_val");
}

#[test]
fn a_report_about_nothing_that_is_here_is_answered() {
    let sandbox = Sandbox::new();
    let mut client = plot(&sandbox);
    for query in
        ["zzz\nqqq", "```\n```", "\u{0}\n\u{0}", "#\n#", "<!--\n", "a\r\nb", &"at x (y.js:1:1)\n".repeat(3_000)]
    {
        let answer = client.ok("search_code", json!({"query": query}));
        assert!(answer["results"].is_array(), "{query}");
    }
}
