"""What a definition and its documentation look like in each language."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

from tree_sitter import Language, Parser, Query

SLASHES = ("/**", "///")
BLOCK = ("/**",)


@dataclass(frozen=True)
class Grammar:
    """A tree-sitter grammar and the node types that matter here."""

    module: str
    definitions: tuple[str, ...]
    # What a doc comment begins with; empty means that any comment documents.
    openings: tuple[str, ...] = ()
    # Nodes that may stand around a definition, between it and its comment.
    wrappers: tuple[str, ...] = ()
    function: str = "language"
    # Nodes that may stand between a comment and its definition.
    between: tuple[str, ...] = field(default=())


_SCRIPT = (
    "function_declaration", "generator_function_declaration", "method_definition", "class_declaration",
    "lexical_declaration",
)  # fmt: skip
_TYPED = (*_SCRIPT, "interface_declaration", "abstract_class_declaration")
_TYPES = ("class_declaration", "interface_declaration", "enum_declaration")
_TYPESCRIPT = "tree_sitter_typescript"

GRAMMARS = {
    "rust": Grammar(
        "tree_sitter_rust",
        ("function_item", "struct_item", "enum_item", "trait_item"),
        SLASHES,
        between=("attribute_item",),
    ),
    "javascript": Grammar("tree_sitter_javascript", _SCRIPT, BLOCK, ("export_statement",)),
    "typescript": Grammar(_TYPESCRIPT, _TYPED, BLOCK, ("export_statement",), "language_typescript", ("decorator",)),
    "tsx": Grammar(_TYPESCRIPT, _TYPED, BLOCK, ("export_statement",), "language_tsx"),
    "go": Grammar("tree_sitter_go", ("function_declaration", "method_declaration", "type_declaration")),
    "java": Grammar("tree_sitter_java", ("method_declaration", "constructor_declaration", *_TYPES), BLOCK),
    "c++": Grammar(
        "tree_sitter_cpp",
        ("function_definition", "class_specifier", "struct_specifier"),
        wrappers=("template_declaration",),
    ),
    "c#": Grammar(
        "tree_sitter_c_sharp",
        ("method_declaration", "constructor_declaration", "struct_declaration", *_TYPES),
        SLASHES,
    ),
    "ruby": Grammar("tree_sitter_ruby", ("method", "singleton_method", "class", "module")),
    "php": Grammar(
        "tree_sitter_php",
        ("function_definition", "method_declaration", "trait_declaration", *_TYPES),
        BLOCK,
        function="language_php",
    ),
    "kotlin": Grammar("tree_sitter_kotlin", ("function_declaration", "class_declaration", "object_declaration"), BLOCK),
    "scala": Grammar(
        "tree_sitter_scala",
        ("function_definition", "class_definition", "object_definition", "trait_definition"),
        BLOCK,
    ),
    "swift": Grammar(
        "tree_sitter_swift",
        ("function_declaration", "class_declaration", "protocol_declaration", "init_declaration"),
        SLASHES,
    ),
    "haskell": Grammar("tree_sitter_haskell", ("signature", "data_type", "newtype", "class")),
    "lua": Grammar("tree_sitter_lua", ("function_declaration",)),
    "zig": Grammar("tree_sitter_zig", ("function_declaration", "variable_declaration"), ("///",)),
    "bash": Grammar("tree_sitter_bash", ("function_definition",)),
}

# Python has its own parser at hand and Elixir's documentation is an attribute: see definitions.py.
EXTENSIONS = {
    "python": ".py", "rust": ".rs", "javascript": ".js .mjs .cjs .jsx", "typescript": ".ts .mts", "tsx": ".tsx",
    "go": ".go", "java": ".java", "c++": ".c .cc .cpp .cxx .h .hh .hpp .hxx", "c#": ".cs", "ruby": ".rb",
    "php": ".php", "kotlin": ".kt .kts", "scala": ".scala", "swift": ".swift", "haskell": ".hs",
    "elixir": ".ex .exs", "lua": ".lua", "zig": ".zig", "bash": ".sh .bash",
    "markdown": ".md .markdown", "rest": ".rst",
}  # fmt: skip
_BY_EXTENSION = {
    extension: language for language, extensions in EXTENSIONS.items() for extension in extensions.split()
}


def language_of(path: str) -> str | None:
    """Returns the language that a file's name says."""
    return _BY_EXTENSION.get(PurePosixPath(path).suffix.lower())


@cache
def parser_and_query(language: str) -> tuple[Parser, Query]:
    """Returns the parser of a language and the query that finds its definitions."""
    grammar = GRAMMARS[language]
    loaded = Language(getattr(importlib.import_module(grammar.module), grammar.function)())
    patterns = " ".join(f"({kind})" for kind in grammar.definitions)
    return Parser(loaded), Query(loaded, f"[{patterns}] @definition")
