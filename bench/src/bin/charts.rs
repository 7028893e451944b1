//! Draws the charts of the docs from `bench/figures.json`, which holds what the other benchmarks measured.
//!
//! `cargo run -p cruxe-bench --bin charts` writes `docs/images/chart-NAME.svg`. Plain bars: the reader compares lengths.
//! Colours follow the reader's light or dark page.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Width of a chart, of the names at its left, and what is left for numbers at its right.
const WIDTH: u32 = 640;
const NAMES: u32 = 120;
const NUMBERS: u32 = 56;
/// Height of a bar with the space below it.
const ROW: u32 = 26;

fn main() -> Result<(), Box<dyn Error>> {
    for (path, svg) in charts()? {
        fs::write(&path, svg)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The pictures and where they go.
fn charts() -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let figures: Value = serde_json::from_str(&fs::read_to_string(bench.join("figures.json"))?)?;
    let charts = figures.as_array().ok_or("figures.json: a list of charts")?;
    let draw = |chart: &Value| {
        let name = text(chart, "file");
        (bench.join(format!("../docs/images/chart-{name}.svg")), picture(chart))
    };
    Ok(charts.iter().map(draw).collect())
}

fn picture(chart: &Value) -> String {
    let full = chart["full"].as_f64().unwrap_or(1.0);
    let mut body = String::new();
    let mut y = 30;
    put(&mut body, 16, 20, "title", text(chart, "title"));
    for group in list(chart, "groups") {
        let name = text(group, "name");
        if !name.is_empty() {
            y += 22;
            put(&mut body, 16, y, "group", name);
        }
        y += 10;
        for bar in list(group, "bars") {
            let (name, value) = (bar[0].as_str().unwrap_or_default(), bar[1].as_f64().unwrap_or_default());
            let length = f64::from(WIDTH - NAMES - NUMBERS) * (value / full).clamp(0.0, 1.0);
            let class = if name == "Cruxe" { "ours" } else { "other" };
            put(&mut body, 16, y + 14, "name", name);
            let _ =
                writeln!(body, r#"<rect class="{class}" x="{NAMES}" y="{y}" width="{length:.1}" height="18" rx="2"/>"#);
            let end = NAMES + length.round() as u32 + 6;
            put(&mut body, end, y + 14, "value", &bar[1].to_string());
            y += ROW;
        }
    }
    put(&mut body, 16, y + 16, "note", text(chart, "note"));
    let (height, title) = (y + 28, escaped(text(chart, "title")));
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{title}">
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1f2328 }}
.title {{ font-weight: 600; font-size: 15px }}
.group, .note {{ fill: #59636e; font-size: 12px }}
.ours {{ fill: #0969da }}
.other {{ fill: #afb8c1 }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3 }}
.group, .note {{ fill: #9198a1 }}
.ours {{ fill: #4493f8 }}
.other {{ fill: #59636e }}
}}
</style>
{body}</svg>
"#
    )
}

fn put(body: &mut String, x: u32, y: u32, class: &str, text: &str) {
    let _ = writeln!(body, r#"<text class="{class}" x="{x}" y="{y}">{}</text>"#, escaped(text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn text<'v>(of: &'v Value, key: &str) -> &'v str {
    of[key].as_str().unwrap_or_default()
}

fn list<'v>(of: &'v Value, key: &str) -> &'v [Value] {
    of[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_are_those_of_the_figures() {
        let charts = charts().unwrap();
        assert_eq!(charts.len(), 3);
        for (path, svg) in charts {
            let there = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
            assert_eq!(there, svg, "{}: run `cargo run -p cruxe-bench --bin charts`", path.display());
        }
    }

    #[test]
    fn a_bar_is_as_long_as_its_value_and_never_longer_than_the_chart() {
        let chart = serde_json::json!({"file": "x", "title": "<A & B>", "note": "", "full": 10, "groups": [
            {"name": "", "bars": [["Cruxe", 5], ["other", 40]]}]});
        let svg = picture(&chart);
        let bars = f64::from(WIDTH - NAMES - NUMBERS);
        assert!(svg.contains(&format!(r#"class="ours" x="120" y="40" width="{:.1}""#, bars / 2.0)), "{svg}");
        assert!(svg.contains(&format!(r#"class="other" x="120" y="66" width="{bars:.1}""#)), "{svg}");
        assert!(svg.contains("&lt;A &amp; B>"), "{svg}");
    }
}
