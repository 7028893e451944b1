//! Markdown as a page. Markup in the text is shown as text, and a link leads into the repository or to the web and nowhere else.

use cruxe_deck::document::slug;
use cruxe_deck::links::{self, Destination};
use cruxe_model::RepoPath;
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::address;

/// Texts that are nested deeper than this are shown as they are written.
const DEEPEST: usize = 200;

/// A text that stands at a path.
pub(crate) fn render(from: &RepoPath, text: &str) -> Markup {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut page =
        Page { from, out: String::with_capacity(text.len() * 2), open: Vec::new(), heading: None, in_head: false };
    for event in Parser::new_ext(text, options) {
        if page.open.len() > DEEPEST {
            return html! { pre { (text) } };
        }
        page.add(event);
    }
    PreEscaped(page.out)
}

struct Page<'a> {
    from: &'a RepoPath,
    out: String,
    /// What closes what is open.
    open: Vec<&'static str>,
    /// Where the text of a heading begins, so that it can be led to.
    heading: Option<(usize, u8)>,
    in_head: bool,
}

impl Page<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(&html! { (text) }.into_string());
    }

    fn begin(&mut self, tag: &str, end: &'static str) {
        self.out.push_str(tag);
        self.open.push(end);
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.out.push_str(&html! { code { (&*text) } }.into_string()),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => {
                let mark = html! { input type="checkbox" disabled checked[done] aria-label=(if done { "done" } else { "to do" }); " " };
                self.out.push_str(&mark.into_string());
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Heading { level, .. } => {
                self.heading = Some((self.out.len(), number(level)));
                self.open.push("");
            }
            Tag::Paragraph => self.begin("<p>", "</p>"),
            Tag::BlockQuote(_) => self.begin("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.begin("<pre tabindex=\"0\"><code>", "</code></pre>");
            }
            Tag::List(None) => self.begin("<ul>", "</ul>"),
            Tag::List(Some(first)) => {
                self.out.push_str(&format!("<ol start=\"{first}\">"));
                self.open.push("</ol>");
            }
            Tag::Item => self.begin("<li>", "</li>"),
            Tag::Emphasis => self.begin("<em>", "</em>"),
            Tag::Strong => self.begin("<strong>", "</strong>"),
            Tag::Strikethrough => self.begin("<del>", "</del>"),
            Tag::Table(_) => self.begin("<div class=\"scroll\"><table>", "</table></div>"),
            Tag::TableHead => {
                self.in_head = true;
                self.begin("<thead><tr>", "</tr></thead>");
            }
            Tag::TableRow => self.begin("<tr>", "</tr>"),
            Tag::TableCell if self.in_head => self.begin("<th>", "</th>"),
            Tag::TableCell => self.begin("<td>", "</td>"),
            // A picture is what it is called: nothing is fetched from elsewhere.
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => match self.leads_to(&dest_url) {
                Some(to) => {
                    self.out.push_str(&format!("<a href=\"{}\" rel=\"noreferrer\">", html! { (to) }.into_string()));
                    self.open.push("</a>");
                }
                None => self.begin("<span class=\"dead\">", "</span>"),
            },
            _ => self.open.push(""),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::TableHead {
            self.in_head = false;
        }
        let close = self.open.pop().unwrap_or_default();
        self.out.push_str(close);
        if let (TagEnd::Heading(_), Some((start, level))) = (tag, self.heading.take()) {
            let inner = self.out.split_off(start);
            let plain: String = strip(&inner);
            self.out
                .push_str(&format!("<h{level} id=\"{}\">{inner}</h{level}>", html! { (slug(&plain)) }.into_string()));
        }
    }

    fn leads_to(&self, written: &str) -> Option<String> {
        match links::resolve(self.from, written) {
            Destination::Inside(reference) => {
                let path = reference.path.as_str();
                let fragment = reference.fragment.unwrap_or_default();
                let base = if path.ends_with(".md") { document(path) } else { address::file(path, None, None) };
                Some(if fragment.is_empty() { base } else { format!("{base}#{}", address::part(&fragment)) })
            }
            Destination::Elsewhere => {
                let lower = written.trim().to_ascii_lowercase();
                let known = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
                known.then(|| written.trim().to_owned())
            }
            Destination::Outside => None,
        }
    }
}

/// The page of a document.
pub(crate) fn document(path: &str) -> String {
    address::file(path, None, None).replacen("/file/", "/doc/", 1)
}

fn number(level: HeadingLevel) -> u8 {
    // The page has a first heading of its own.
    (level as u8 + 1).min(6)
}

/// The text between tags, with what was escaped as it was.
fn strip(markup: &str) -> String {
    let mut inside = false;
    let kept: String = markup
        .chars()
        .filter(|c| {
            let shown = !inside && *c != '<';
            match c {
                '<' => inside = true,
                '>' => inside = false,
                _ => {}
            }
            shown
        })
        .collect();
    kept.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        render(&RepoPath::parse("docs/a.md").unwrap(), text).into_string()
    }

    #[test]
    fn markdown_becomes_a_page() {
        assert_eq!(shown("# A `b`\n\ntext *x*\n"), "<h2 id=\"a-b\">A <code>b</code></h2><p>text <em>x</em></p>");
        assert_eq!(
            shown("- [x] done\n"),
            "<ul><li><input type=\"checkbox\" disabled checked aria-label=\"done\"> done</li></ul>"
        );
    }

    #[test]
    fn links_lead_into_the_repository_or_to_the_web_and_nowhere_else() {
        assert!(shown("[a](b.md#X)").contains("<a href=\"/doc/docs/b.md#X\""));
        assert!(shown("[a](../src/x.rs)").contains("<a href=\"/file/src/x.rs\""));
        assert!(shown("[a](https://example.org)").contains("<a href=\"https://example.org\""));
        for bad in ["javascript:alert(1)", "data:text/html,x", "../../../etc/passwd", "JAVASCRIPT:x"] {
            assert!(!shown(&format!("[a]({bad})")).contains("<a "), "{bad}");
        }
    }

    #[test]
    fn markup_in_a_text_is_text() {
        let page = shown("<script>x</script>\n\na <img src=x onerror=y> `<b>` ![p](<javascript:z>)\n\n# <i>t</i>\n");
        for bad in ["<script", "<img", "<b>", "<i>", "href=\"javascript"] {
            assert!(!page.contains(bad), "{bad}: {page}");
        }
        assert!(shown(&"> ".repeat(5_000)).len() < 100_000);
    }
}
