//! Markdown: headings are the symbols, nested by level; links are the occurrences.
//!
//! There is no grammar here: pulldown-cmark reads the document and says where each event stands. A heading inside a
//! quote, list item or footnote belongs to that container: it ends with it and never ends a section outside of it.

mod front_matter;
mod link;

use std::ops::Range;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Role, Span, SymbolIndex};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::build::{Builder, Decl};
use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming, Relations, Told};

/// Markdown documents, with or without front matter and JSX.
pub static MARKDOWN: LanguageDef = LanguageDef {
    id: "markdown",
    name: "markdown",
    depth: Depth::Document,
    extensions: &["md", "markdown", "mdx"],
    separator: " > ",
    front_end: FrontEnd::Plain(extract),
    naming: Naming {
        relations: Relations {
            heritage: Told::Never,
            decorators: Told::Never,
            constructions: Told::Never,
            writes: Told::Never,
        },
        ..NAMING
    },
    ..LANGUAGE
};

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Events between two looks at the clock.
const CLOCK: u32 = 8192;

fn extract(build: &mut Builder) {
    let base = front_matter::declare(build);
    let text = build.text;
    let parser = Parser::new_ext(text.get(base..).unwrap_or_default(), OPTIONS);
    // The definitions stand in a hash map; ids of names must not depend on its order.
    let mut definitions: Vec<usize> =
        parser.reference_definitions().iter().map(|(_, definition)| base + definition.span.start).collect();
    definitions.sort_unstable();
    for start in definitions {
        if let Some(destination) = link::of_definition(text, start) {
            note(build, destination);
        }
    }
    let mut document = Document::default();
    for (count, (event, range)) in (1u32..).zip(parser.into_offset_iter()) {
        if count.is_multiple_of(CLOCK) && build.out_of_time() {
            build.expire();
            break;
        }
        document.event(build, event, base + range.start..base + range.end);
    }
    document.depth = 0;
    document.close_sections(build, 0, text.len());
}

/// What is open while the events of a document pass.
#[derive(Default)]
struct Document {
    sections: Vec<Section>,
    /// How many quotes, list items and footnotes are open.
    depth: u32,
    heading: Option<Heading>,
    links: Vec<OpenLink>,
    in_code: bool,
    /// Where the last bare address ended: the events of its rest say nothing new.
    address_end: usize,
}

/// A heading with the text below it, as far as it is known.
struct Section {
    level: u8,
    depth: u32,
    symbol: Option<SymbolIndex>,
    /// It reaches at least to here.
    reach: usize,
}

/// A heading whose content is being read.
struct Heading {
    level: u8,
    start: usize,
    name: String,
    content: Option<Range<usize>>,
}

/// A link or image whose content is being read.
struct OpenLink {
    /// Its destination follows its content.
    inline: bool,
    /// The content reaches at least to here.
    reach: usize,
}

impl Document {
    fn event(&mut self, build: &mut Builder, event: Event, range: Range<usize>) {
        let closes_link = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
        if let (Some(link), false) = (self.links.last_mut(), closes_link) {
            link.reach = link.reach.max(range.end);
        }
        if let (Some(heading), false) = (&mut self.heading, matches!(event, Event::End(TagEnd::Heading(_)))) {
            heading.take(&event, &range);
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let level = level as u8;
                self.close_sections(build, level, build.line_around(range.start as u32).start as usize);
                self.heading = Some(Heading { level, start: range.start, name: String::new(), content: None });
            }
            Event::End(TagEnd::Heading(_)) => self.open_section(build, range),
            Event::Start(Tag::BlockQuote(_) | Tag::Item | Tag::FootnoteDefinition(_)) => self.depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::FootnoteDefinition) => {
                let inside = build.text.get(range.clone()).unwrap_or_default().trim_end();
                let last = build.line_around((range.start + inside.len().saturating_sub(1)) as u32);
                self.close_sections(build, 0, last.end as usize);
                self.depth = self.depth.saturating_sub(1);
            }
            Event::Start(Tag::CodeBlock(_)) => self.in_code = true,
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Start(Tag::Link { link_type, .. }) => self.open_link(build, link_type, range.start + 1, range),
            Event::Start(Tag::Image { link_type, .. }) => self.open_link(build, link_type, range.start + 2, range),
            Event::End(TagEnd::Link | TagEnd::Image) => self.close_link(build, range),
            Event::Text(_) if !self.in_code && self.links.is_empty() => self.addresses(build, range),
            _ => {}
        }
    }

    /// Ends the sections of the current container that a heading of `level` does not belong to.
    fn close_sections(&mut self, build: &mut Builder, level: u8, end: usize) {
        while let Some(section) = self.sections.pop_if(|open| open.depth >= self.depth && open.level >= level) {
            // A document whose lines end with a lone CR is one line to everybody else.
            let end = end.max(section.reach);
            if let Some(symbol) = section.symbol {
                build.amend(symbol, |symbol| (symbol.span.end, symbol.full_span.end) = (end as u32, end as u32));
                build.close_symbol();
            }
            if let Some(outer) = self.sections.last_mut() {
                outer.reach = outer.reach.max(end);
            }
        }
    }

    fn open_section(&mut self, build: &mut Builder, range: Range<usize>) {
        let Some(heading) = self.heading.take() else { return };
        let name = heading.name.split_whitespace().collect::<Vec<_>>().join(" ");
        let content = heading.content.unwrap_or(heading.start..heading.start);
        // The signature of an underlined heading is its text, of any other the whole line.
        let underlined = !build.text.get(heading.start..).unwrap_or_default().starts_with('#');
        let symbol = (!name.is_empty()).then(|| {
            let mut decl = Decl::new(SymbolKind::Heading, name, to_span(&content), to_span(&range));
            decl.signature_end = Some(if underlined { content.end } else { range.end } as u32);
            let symbol = build.declare(decl);
            build.open_plain(symbol);
            symbol
        });
        self.sections.push(Section { level: heading.level, depth: self.depth, symbol, reach: range.end });
    }

    fn open_link(&mut self, build: &mut Builder, kind: LinkType, content: usize, range: Range<usize>) {
        if matches!(kind, LinkType::Autolink | LinkType::Email) {
            note(build, range.start + 1..range.end.saturating_sub(1));
        }
        self.links.push(OpenLink { inline: kind == LinkType::Inline, reach: content });
    }

    fn close_link(&mut self, build: &mut Builder, range: Range<usize>) {
        let Some(link) = self.links.pop() else { return };
        if let Some(outer) = self.links.last_mut() {
            outer.reach = outer.reach.max(range.end);
        }
        if link.inline
            && let Some(destination) = link::of_inline(build.text, link.reach..range.end)
        {
            note(build, destination);
        }
    }

    /// Addresses that stand in the text without any markup.
    fn addresses(&mut self, build: &mut Builder, range: Range<usize>) {
        let mut from = range.start.max(self.address_end);
        while let Some(address) = link::bare_address(build.text, from..range.end) {
            from = address.end;
            self.address_end = address.end;
            note(build, address);
        }
    }
}

impl Heading {
    /// Takes in what an event adds to the heading's text; markers and HTML add nothing.
    fn take(&mut self, event: &Event, range: &Range<usize>) {
        let content = self.content.get_or_insert_with(|| range.clone());
        *content = content.start.min(range.start)..content.end.max(range.end);
        match event {
            Event::Text(text) | Event::Code(text) => self.name.push_str(text),
            Event::SoftBreak | Event::HardBreak => self.name.push(' '),
            _ => {}
        }
    }
}

fn note(build: &mut Builder, destination: Range<usize>) {
    let text = build.text.get(destination.clone()).unwrap_or_default();
    build.occurrence_at(text, destination.start as u32, Role::Link, None);
}

fn to_span(range: &Range<usize>) -> Span {
    Span { start: range.start as u32, end: range.end as u32 }
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::extract;

    fn headings(text: &str) -> Vec<(String, (u32, u32))> {
        let facts = extract("docs/x.md", text);
        facts.symbols.iter().map(|symbol| (symbol.qualified_name.clone(), facts.lines_of(symbol.span))).collect()
    }

    fn links(text: &str) -> Vec<String> {
        let facts = extract("docs/x.md", text);
        let text = |start: u32, name: &str| text[start as usize..start as usize + name.len()].to_owned();
        facts.occurrences.iter().map(|link| text(link.start, facts.name(link.name))).collect()
    }

    fn owned(list: &[(&str, (u32, u32))]) -> Vec<(String, (u32, u32))> {
        list.iter().map(|(name, lines)| ((*name).to_owned(), *lines)).collect()
    }

    #[test]
    fn a_section_ends_before_the_next_heading_of_the_same_or_a_higher_level() {
        let text = "# A\n## B\nx\n#### D\n### C\n## E\n\n# F\n";
        let expected =
            [("A", (1, 7)), ("A > B", (2, 5)), ("A > B > D", (4, 4)), ("A > B > C", (5, 5)), ("A > E", (6, 7))];
        let mut expected = owned(&expected);
        expected.push(("F".to_owned(), (8, 8)));
        assert_eq!(headings(text), expected);
    }

    #[test]
    fn crlf_and_a_byte_order_mark_do_not_move_anything() {
        let text = "\u{feff}---\r\ntitle: T\r\n---\r\n# A\r\n\r\nB\r\n---\r\n[x](y.md)\r\n";
        assert_eq!(headings(text), owned(&[("title", (2, 2)), ("A", (4, 8)), ("A > B", (6, 8))]));
        assert_eq!(links(text), ["y.md"]);
    }

    #[test]
    fn front_matter_that_is_never_closed_is_text() {
        assert_eq!(headings("---\ntitle: T\n\n# A\n"), owned(&[("A", (4, 4))]));
        assert_eq!(headings("# A\n---\ntitle: T\n---\n").len(), 2);
    }

    #[test]
    fn a_heading_inside_a_quote_does_not_end_the_section_around_it() {
        let text = "## A\n> # Q\n> ## R\n\n- # L\n\ntext\n## B\n";
        let expected = [("A", (1, 7)), ("A > Q", (2, 3)), ("A > Q > R", (3, 3)), ("A > L", (5, 5)), ("B", (8, 8))];
        assert_eq!(headings(text), owned(&expected));
    }

    #[test]
    fn code_and_html_hold_neither_headings_nor_links() {
        let text = "```\n# a\n[x](y)\nhttp://z\n```\n\n    # b\n\n<pre>\n# c\n\n# d\n</pre>\n\n`[x](y) http://z`\n\n~~~\n# e\n";
        assert_eq!(headings(text), []);
        assert_eq!(links(text), Vec::<String>::new());
    }

    #[test]
    fn equal_headings_are_numbered() {
        let facts = extract("x.md", "# A\n## B\n## B\n");
        assert_eq!(facts.symbols.iter().map(|symbol| symbol.ordinal).collect::<Vec<_>>(), [0, 0, 1]);
    }

    #[test]
    fn destinations_are_found_where_they_stand() {
        assert_eq!(
            links("[a](b(c)d.md) [e]( <f g> \"t\") [h\\]](i\\)j) [](k) ![l](m 'n')"),
            ["b(c)d.md", "f g", "i\\)j", "k", "m"]
        );
        assert_eq!(links("[a][b] [b] [B][]\n\n[b]: <c d> \"t\"\n[b]: second\n"), ["c d"]);
        assert_eq!(links("> [a](\n> b)\n"), ["b"]);
        assert_eq!(
            links("(see https://a.b/c_d_e?f=(g)). <http://h> http:// https://"),
            ["https://a.b/c_d_e?f=(g)", "http://h"]
        );
        assert_eq!(links("[]() [a](<>) [x]\n"), Vec::<String>::new());
    }

    #[test]
    fn a_heading_without_text_ends_sections_but_is_no_symbol() {
        assert_eq!(headings("# A\n#\n## B\n"), owned(&[("A", (1, 1)), ("B", (3, 3))]));
    }

    #[test]
    fn ten_thousand_headings_and_deep_quotes_are_no_problem() {
        assert_eq!(headings(&"## H\ntext\n".repeat(10_000)).len(), 10_000);
        let nested: String = (1..300).map(|depth| format!("{}# q\n", "> ".repeat(depth))).collect();
        assert_eq!(headings(&nested).len(), 299);
        assert_eq!(headings(&format!("# A\n{}", "> ".repeat(100_000))).len(), 1);
    }
}
