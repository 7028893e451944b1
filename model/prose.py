"""Turns doc comments, docstrings and headings into the sentences a person would search with."""

from __future__ import annotations

import re

LONGEST = 400

_NO_PROSE = re.compile(
    r"copyright|licen[sc]e|eslint|@ts-|pragma|spdx|auto-?generated|do not edit|istanbul|webpack|todo|fixme",
    re.I,
)
_PARAMETERS = re.compile(
    r"\n\s*(?:@\w+|:param|:return|:type|Parameters?\s*\n|Args:|Arguments:|Returns:|Raises:|Yields:|Examples?\b"
    r"|#+ \w+|>>>|iex>|\.\. |<param|<returns|<exception|- [Pp]arameters?\b|- [Rr]eturns\b)"
)
_MARKUP = (
    (re.compile(r"\{@\w+ ([^}]*)\}"), r"\1"),
    (re.compile(r"\[`?([^\]`]*)`?\](\([^)]*\)|\[[^\]]*\])?"), r"\1"),
    (re.compile(r":\w+(?::\w+)?:`~?\.?([^`<]*)(?:<[^`]*>)?`"), r"\1"),
    (re.compile(r'<see(?:also)? (?:cref|langword)="(?:\w:)?([^"]*)"\s*/?>'), r"\1"),
    (re.compile(r"</?[A-Za-z][^>]{0,80}>"), " "),
    (re.compile(r"[`*]+|[@\\](?:brief|internal|short)\b"), ""),
    (re.compile(r"\s+"), " "),
)
_COMMENT_OPENING = re.compile(r"^\s*(?:/\*+!?|\*(?!/) ?|//[/!]*<? ?|#+ ?|--+\[*=*\[*(?: ?\|| ?\^)? ?|\{-+ ?\|?)")
_COMMENT_CLOSING = re.compile(r"\s*(?:\*+/|-\}|--\]=*\])\s*$")


def comment_text(comment: str) -> str:
    """Returns the text of a comment without its marks."""
    lines = (_COMMENT_OPENING.sub("", _COMMENT_CLOSING.sub("", line)) for line in comment.split("\n"))
    return "\n".join(lines)


def summary(documentation: str) -> str | None:
    """Returns what the first paragraph says; nothing if that is not about the code."""
    text = re.sub(r"```.*?```", " ", documentation.strip(), flags=re.S)
    paragraphs = [part for part in re.split(r"\n\s*\n", _PARAMETERS.split(text)[0]) if part.strip()]
    if not paragraphs:
        return None
    text = paragraphs[0]
    if len(text) < 60 and len(paragraphs) > 1:
        text += " " + paragraphs[1]
    text = plain(text)[:LONGEST]
    letters = re.findall(r"[^\W\d_]{2,}", text)
    if len(letters) < 3 or _NO_PROSE.search(text):
        # Chinese and Japanese write a sentence as one run of letters.
        if text.isascii() or len(text) < 8 or _NO_PROSE.search(text):
            return None
    return text


def plain(text: str) -> str:
    """Removes the marks of Markdown, reST, Javadoc and XML comments."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip()
