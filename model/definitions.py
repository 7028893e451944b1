"""Finds definitions with their documentation, and the outline of a file."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node, QueryCursor

from languages import GRAMMARS, Grammar, parser_and_query
from prose import comment_text

LONGEST_CLASS_LINES = 60


@dataclass
class Definition:
    """A documented definition; `code` is without its documentation."""

    name: str
    documentation: str
    code: str


@dataclass
class SourceFile:
    """What a file holds: its own documentation, the first lines of all definitions, the documented ones."""

    documentation: str = ""
    outline: list[str] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)


def read_source(language: str, text: str) -> SourceFile:
    """Reads a source file; one that cannot be parsed is empty."""
    if language == "python":
        return _read_python(text)
    if language == "elixir":
        return _read_elixir(text)
    return _read_tree(language, text)


@dataclass
class Function:
    """A function or method with its documentation; lines count from one."""

    name: str
    first: int
    last: int
    code: str


_TYPE_NODES = re.compile(r"class|struct|interface|enum|trait|module|object|protocol|type|newtype|variable")


def functions_of(language: str, text: str) -> list[Function]:
    """Returns the functions of a file, documented or not, in their order."""
    if language == "python":
        return _python_functions(text)
    if language == "elixir":
        return _elixir_functions(text)
    parser, query = parser_and_query(language)
    data = text.encode()
    root = parser.parse(data).root_node
    found = []
    for node in sorted(QueryCursor(query).captures(root).get("definition", []), key=lambda node: node.start_byte):
        # A declared constant counts where it is a function.
        is_function = not _TYPE_NODES.search(node.type) and (
            node.type != "lexical_declaration" or "=>" in (text_of := _text(node, data)) or "function" in text_of
        )
        if is_function and (name := _name(node, data)):
            code = _code(node, data, language)
            first = node.start_point[0] + 1
            found.append(Function(name, first, first + code.count("\n"), code))
    return found


def _python_functions(text: str) -> list[Function]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = text.split("\n")
    found = [
        Function(node.name, node.lineno, node.end_lineno, "\n".join(lines[node.lineno - 1 : node.end_lineno]))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return sorted(found, key=lambda function: function.first)


def _elixir_functions(text: str) -> list[Function]:
    """Clauses of one name in a row are one function; it ends where the next begins."""
    heads = [
        match
        for match in _ELIXIR_DEFINITION.finditer(text)
        if not match[0].lstrip().startswith(("defmodule", "defstruct"))
    ]
    starts = [head for number, head in enumerate(heads) if number == 0 or heads[number - 1][1] != head[1]]
    found = []
    ends = [head.start() for head in starts[1:]] + [len(text)]
    for head, end in zip(starts, ends, strict=False):
        code = _ELIXIR_ATTRIBUTE.split(text[head.start() : end], maxsplit=1)[0].rstrip()
        first = text.count("\n", 0, head.start()) + 1
        found.append(Function(head[1], first, first + code.count("\n"), code))
    return found


def _read_python(text: str) -> SourceFile:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return SourceFile()
    lines = text.split("\n")
    source = SourceFile(documentation=ast.get_docstring(tree) or "")
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        source.outline.append(lines[node.lineno - 1].strip())
        documentation = ast.get_docstring(node)
        if documentation and len(node.body) > 1:
            end = node.end_lineno
            if isinstance(node, ast.ClassDef):
                end = min(end, node.lineno + LONGEST_CLASS_LINES)
            docstring = node.body[0]
            code = lines[node.lineno - 1 : docstring.lineno - 1] + lines[docstring.end_lineno : end]
            source.definitions.append(Definition(node.name, documentation, "\n".join(code)))
    return source


_ELIXIR_DOC = re.compile(r'^ *@(doc|moduledoc) ~?S?"""\n(.*?)^ *"""\n', re.S | re.M)
_ELIXIR_ATTRIBUTE = re.compile(r"^ *@(?:doc|spec)\b", re.M)
_ELIXIR_DEFINITION = re.compile(r"^ *def\w* (\w+).*$", re.M)


def _read_elixir(text: str) -> SourceFile:
    source = SourceFile()
    source.outline = [match[0].strip() for match in _ELIXIR_DEFINITION.finditer(text)]
    docs = list(_ELIXIR_DOC.finditer(text))
    ends = [match.start() for match in docs[1:]] + [len(text)]
    for match, end in zip(docs, ends, strict=False):
        if match[1] == "moduledoc":
            source.documentation = source.documentation or match[2]
        elif head := _ELIXIR_DEFINITION.search(text, match.end(), end):
            # Clauses of one function follow each other; the next attribute ends them.
            code = _ELIXIR_ATTRIBUTE.split(text[head.start() : end], maxsplit=1)[0]
            source.definitions.append(Definition(head[1], match[2], code))
    return source


def _read_tree(language: str, text: str) -> SourceFile:
    grammar = GRAMMARS[language]
    parser, query = parser_and_query(language)
    data = text.encode()
    root = parser.parse(data).root_node
    source = SourceFile(documentation=_leading_comment(root, data))
    nodes = QueryCursor(query).captures(root).get("definition", [])
    for node in sorted(nodes, key=lambda node: node.start_byte):
        name = _name(node, data)
        if not name:
            continue
        source.outline.append(_text(node, data).split("\n", 1)[0].strip())
        outer = node.parent if node.parent and node.parent.type in grammar.wrappers else node
        documentation = _comment_before(outer, data, grammar)
        if documentation:
            code = _without_doc_comments(_code(node, data, language))
            source.definitions.append(Definition(name, documentation, code))
    return source


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf8", "ignore")


def _name(node: Node, data: bytes) -> str:
    """Returns the name of a definition, looking one level down where the name belongs to a part of it."""
    for candidate in (node, *node.named_children[:3]):
        name = candidate.child_by_field_name("name")
        if name is not None:
            return _text(name, data)
        declarator = candidate.child_by_field_name("declarator")
        while declarator is not None:
            inner = declarator.child_by_field_name("declarator")
            if inner is None:
                return _text(declarator, data).split("(")[0]
            declarator = inner
    for child in node.named_children:
        if child.type in ("identifier", "simple_identifier", "type_identifier"):
            return _text(child, data)
    return ""


def _code(node: Node, data: bytes, language: str) -> str:
    """Returns a definition's text; in Haskell the equations stand after the signature."""
    text = _text(node, data)
    if language == "haskell":
        following = node.next_named_sibling
        while following is not None and following.type in ("function", "bind"):
            text += "\n" + _text(following, data)
            following = following.next_named_sibling
    return text


def _is_comment(node: Node) -> bool:
    return "comment" in node.type or node.type == "haddock"


def _comment_before(node: Node, data: bytes, grammar: Grammar) -> str:
    """Returns the text of the comments that end on the line above a definition."""
    comments: list[str] = []
    line = node.start_point[0]
    while node.prev_sibling is None and node.parent is not None:
        # The comment above the first definition of a body may stand beside the body.
        node = node.parent
    before = node.prev_sibling
    while before is not None and (_is_comment(before) or before.type in grammar.between):
        # A line comment may own its line break, which puts its end at the start of the next line.
        last_line = before.end_point[0] - (before.end_point[1] == 0)
        if last_line < line - 1:
            break
        if _is_comment(before):
            text = _text(before, data).rstrip("\n")
            if grammar.openings and not text.startswith(grammar.openings):
                break
            comments.append(text)
        line = before.start_point[0]
        before = before.prev_sibling
    return comment_text("\n".join(reversed(comments)))


def _leading_comment(root: Node, data: bytes) -> str:
    comments = []
    last_line = 0
    for child in root.children:
        if not _is_comment(child):
            if child.start_point[0] <= last_line + 1 and "import" not in child.type:
                # It belongs to the definition below it.
                return ""
            break
        last_line = child.end_point[0] - (child.end_point[1] == 0)
        comments.append(_text(child, data).rstrip("\n"))
    return comment_text("\n".join(comments))


def _without_doc_comments(code: str) -> str:
    code = re.sub(r"^\s*(?:///|//!|-- \|).*\n", "", code, flags=re.M)
    return re.sub(r"/\*\*.*?\*/", "", code, flags=re.S)


_MARKDOWN_HEADING = re.compile(r"(#{1,5}) (.+)")
_REST_LINE = re.compile(r"[=\-~^\"]{3,}")


def sections(language: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yields (title of the document, heading, body) of a Markdown or reST document."""
    title = heading = ""
    body: list[str] = []
    for level, line in (_markdown if language == "markdown" else _rest)(text):
        if not level:
            body.append(line)
            continue
        if heading:
            yield title, heading, "\n".join(body).strip()
        heading, body = line, []
        if level == 1 or not title:
            title = heading
    if heading:
        yield title, heading, "\n".join(body).strip()


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    """Yields each line with the level of its heading, 0 for an ordinary line."""
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        match = None if fenced else _MARKDOWN_HEADING.match(line)
        yield (len(match[1]), match[2]) if match else (0, line)


def _rest(text: str) -> Iterator[tuple[int, str]]:
    lines = [*text.split("\n"), ""]
    marks: list[str] = []
    for line, under in zip(lines, lines[1:], strict=False):
        if _REST_LINE.fullmatch(line.strip()):
            continue
        under = under.strip()
        if line.strip() and _REST_LINE.fullmatch(under) and len(under) >= len(line.strip()) - 2:
            if under[0] not in marks:
                marks.append(under[0])
            yield marks.index(under[0]) + 1, line.strip()
        else:
            yield 0, line
