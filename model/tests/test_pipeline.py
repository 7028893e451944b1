"""The steps between a package and a table, each on a small example."""

import re
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

import licences
import vocabulary
from bags import Bags, PieceTable, embed
from corpus import Corpus, Ragged
from definitions import read_source, sections
from evaluate import rank_figures
from export import read_table, write_table
from extract import Record, excluded_paths
from prose import comment_text, summary
from queries import derived, imperative, keywords, path_words
from tokens import Tokenizer
from train import Pairs, Settings, contrast, train

SNIPPETS = {
    "rust": ("/// Adds numbers.\n#[inline]\npub fn add(a: i32) -> i32 {\n    a\n}\n", "add", "Adds numbers."),
    "typescript": ("/** Parses it. */\nexport function parse(a: string) {\n  return a;\n}\n", "parse", "Parses it."),
    "go": ("package x\n\n// Foo does it.\nfunc Foo(a int) int {\n\treturn a\n}\n", "Foo", "Foo does it."),
    "java": ("class A {\n  /** Runs. */\n  int run(int a) {\n    return a;\n  }\n}\n", "run", "Runs."),
    "c++": ("// Bars it.\nint A::bar(int x) {\n  return 1;\n}\n", "A::bar", "Bars it."),
    "c#": ("class B {\n  /// <summary>Does.</summary>\n  int Foo(int a) {\n    return a;\n  }\n}\n", "Foo", None),
    "ruby": ("class A\n  # Finds one.\n  def self.find(a)\n    a\n  end\nend\n", "find", "Finds one."),
    "php": ("<?php\n/** Loads. */\nfunction load($a) {\n  return $a;\n}\n", "load", "Loads."),
    "kotlin": ("class K {\n  /** Sends. */\n  fun send() {\n  }\n}\n", "send", "Sends."),
    "scala": ("object O {\n  /** Maps. */\n  def map(x: Int) = {\n    x\n  }\n}\n", "map", "Maps."),
    "swift": ("/// Opens.\nfunc open(a: Int) -> Int {\n  return a\n}\n", "open", "Opens."),
    "haskell": ("module A where\n\n-- | Adds.\nadd :: Int -> Int\nadd x = x\n", "add", "Adds."),
    "lua": ("-- Adds.\nfunction M.add(a)\n  return a\nend\n", "M.add", "Adds."),
    "zig": ("/// Adds.\npub fn add(a: i32) i32 {\n    return a;\n}\n", "add", "Adds."),
    "bash": ("# Adds.\nadd() {\n  echo 1\n}\n", "add", "Adds."),
    "python": ('def f(a):\n    """Doc."""\n    return a\n', "f", "Doc."),
    "elixir": (
        '  @doc """\n  Adds.\n  """\n  @spec add(integer) :: integer\n  def add(a) do\n    a\n  end\n',
        "add",
        "Adds.",
    ),
}


class ExtractionTest(unittest.TestCase):
    def test_every_language_gives_its_documented_definition(self):
        for language, (text, name, documentation) in SNIPPETS.items():
            with self.subTest(language):
                found = {definition.name: definition for definition in read_source(language, text).definitions}
                self.assertEqual(list(found), [name])
                if documentation:
                    self.assertEqual(found[name].documentation.strip(), documentation)
                    self.assertNotIn(documentation, found[name].code)

    def test_a_comment_apart_from_a_definition_does_not_document_it(self):
        source = read_source("go", "package x\n\n// Apart.\n\nfunc Foo() int {\n\treturn 1\n}\n")
        self.assertEqual(source.definitions, [])
        self.assertEqual(source.outline, ["func Foo() int {"])

    def test_headings_own_the_lines_below_them(self):
        text = "# Top\nintro\n## Sub `x`\n```\n# no heading\n```\n"
        found = list(sections("markdown", text))
        self.assertEqual(found, [("Top", "Top", "intro"), ("Top", "Sub `x`", "```\n# no heading\n```")])
        found = list(sections("rest", "Title\n=====\nbody\n\nPart\n----\nmore\n"))
        self.assertEqual(found, [("Title", "Title", "body"), ("Title", "Part", "more")])

    def test_copies_of_excluded_projects_are_recognised_by_folder(self):
        pattern = excluded_paths(["gin", "libuv"])
        for path in ("/deps/libuv/src/a.c", "/gin-1.8/a.go", "/x/github.com-gin/a.go", "/third/absl/a.h"):
            self.assertTrue(pattern.search(path), path)
        for path in ("/engine/a.go", "/src/gin.go", "/plugin/x.c", "/margin/x.c"):
            self.assertFalse(pattern.search(path), path)

    def test_prose_is_the_first_paragraph_without_marks(self):
        comment = comment_text("/**\n * Reads {@link Foo} quickly.\n *\n * @param a b\n */")
        self.assertEqual(summary(comment), "Reads Foo quickly.")
        self.assertIsNone(summary("Copyright 2020 by the authors of this"))
        self.assertEqual(summary('<summary>Gets <see cref="T:A.B"/> as text.</summary>'), "Gets A.B as text.")


class LicenceTest(unittest.TestCase):
    def test_copyleft_and_unknown_licences_are_refused(self):
        for licence in ("MIT", "Apache-2.0 OR GPL-2.0", "BSD-3-clause", "Expat", "MIT/Apache-2.0", "(MIT OR GPL-3.0)"):
            self.assertTrue(licences.is_permissive(licence), licence)
        for licence in ("", "GPL-3", "LGPL-2.1+", "MPL-2.0", "MIT AND GPL-3.0", "EPL-2.0", "UNLICENSED", "Proprietary"):
            self.assertFalse(licences.is_permissive(licence), licence)

    def test_each_registry_states_its_licence_in_its_own_file(self):
        wheel = {"a.dist-info/METADATA": "Name: a\nLicense-Expression: MIT\n\nGPL"}
        self.assertEqual(licences.of_package("pypi", wheel), "MIT")
        self.assertEqual(licences.of_package("npm", {"package.json": '{"license": "ISC"}'}), "ISC")
        self.assertEqual(licences.of_package("crates", {"Cargo.toml": '[package]\nlicense = "MIT"'}), "MIT")
        debian = {"debian/copyright": "Files: *\nCopyright: x\nLicense: Apache-2.0\n text\n"}
        self.assertEqual(licences.of_package("debian", debian), "Apache-2.0")
        self.assertEqual(licences.of_package("npm", {"LICENSE": "Permission is hereby granted, free of charge"}), "MIT")


class QueryTest(unittest.TestCase):
    record = Record("definition", "go", "src/http/rate_limit.go", "Allow", "Checks whether a request may pass.", "func")

    def test_queries_are_the_same_every_time(self):
        self.assertEqual(derived(self.record), derived(replace(self.record)))
        self.assertEqual(len(derived(self.record)), 3)

    def test_words_come_from_path_and_first_clause(self):
        self.assertEqual(path_words(self.record.path), ["http", "rate", "limit"])
        self.assertEqual(keywords(self.record.doc), ["checks", "whether", "request", "pass"])
        self.assertEqual(imperative("Parses the header, if any."), "parse the header")
        self.assertEqual(imperative("Class of things."), "class of things")


class TableTest(unittest.TestCase):
    def test_a_table_reads_back_as_it_was_written(self):
        rows = np.array([[1.0, -0.5], [0.0, 0.25]], np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.cqse"
            write_table(path, ["a", "日"], rows)
            pieces, read = read_table(path)
        self.assertEqual(pieces, ["a", "日"])
        np.testing.assert_allclose(read, rows, atol=0.005)

    def test_bags_hold_square_roots_of_counts(self):
        tokenizer = Tokenizer(["a", "b"])
        texts = Ragged()
        texts.append([0, 1, 0])
        texts.append([1])
        bags = PieceTable({"a": 0, "b": 1}, tokenizer).bags(texts)
        self.assertEqual(bags.offsets.tolist(), [0, 2, 3])
        self.assertEqual(bags.pieces.tolist(), [0, 1, 1])
        np.testing.assert_allclose(bags.weights, [2**0.5, 1, 1])

    def test_a_text_without_known_words_has_no_vector(self):
        vectors = embed(np.eye(2, dtype=np.float32), Tokenizer(["a", "b"]), ["a a a b", "日"])
        np.testing.assert_allclose(vectors, [[3**0.5 / 2, 0.5], [0, 0]], atol=1e-6)

    def test_ties_share_their_places(self):
        scores = np.array([[1.0, 0.0], [1.0, 1.0]])
        self.assertEqual(rank_figures(scores, [[0], [0]]), ((1 + 1 / 1.5) / 2, 1.0))


class TrainingTest(unittest.TestCase):
    def test_the_gradient_is_the_slope_of_the_loss(self):
        rng = np.random.default_rng(1)
        settings = Settings(smoothing=0.0, temperature=0.5)
        queries, documents = rng.normal(size=(2, 4, 3))
        _, gradient, _ = contrast(queries, documents, settings)
        step = np.zeros_like(queries)
        step[1, 2] = 1e-5
        above, below = (contrast(queries + sign * step, documents, settings)[0] for sign in (1, -1))
        self.assertAlmostEqual(gradient[1, 2], (above - below) / 2e-5, places=4)

    def test_training_is_repeatable_and_brings_pairs_together(self):
        rng = np.random.default_rng(2)
        size = 64
        one = Bags(np.arange(2 * size + 1), np.tile(np.arange(size), 2).astype(np.int32), np.ones(2 * size, np.float32))
        two = replace(one, pieces=one.pieces + size)
        each, none = np.arange(size + 1), np.zeros(size + 1, np.int64)
        nothing = Bags(none[:1], np.zeros(0, np.int32), np.zeros(0, np.float32))
        packages = (np.zeros(size, np.int32), np.zeros(1, bool))
        pairs = Pairs(one, two, nothing, each, each, none, *packages, usable=np.arange(size))
        first = rng.normal(size=(2 * size, 32), scale=0.1).astype(np.float32)
        settings = Settings(steps=200, batch=64, group=64, rate=0.05)
        trained = train(first, pairs, settings)
        np.testing.assert_array_equal(trained, train(first, pairs, settings))

        def right(rows):
            return rank_figures(rows[:size] @ rows[size:].T, [[number] for number in range(size)])[0]

        self.assertLess(right(first), 0.2)
        self.assertGreater(right(trained), 0.9)


class VocabularyTest(unittest.TestCase):
    def test_common_words_and_ideographs_are_added_to_the_teachers_pieces(self):
        corpus = Corpus()
        for package in range(4):
            for number in range(12):
                code = f"kwargs rare{package} 文本 привет{number}a " * 2
                record = Record("section", "rest", f"{package}{number}.rst", "T", f"Read kwargs {number}", code)
                self.assertTrue(corpus.add(record, package))
        pieces = vocabulary.choose(corpus, ["[CLS]", "read", "##s", "é"])
        self.assertEqual(pieces[:2], ["read", "##s"])
        self.assertIn("kwargs", pieces)
        self.assertIn("文本", pieces)
        self.assertIn("文", pieces)
        self.assertNotIn("п", pieces)
        self.assertNotIn("0", pieces)


class CorpusTest(unittest.TestCase):
    def test_a_record_without_words_is_left_out(self):
        corpus = Corpus()
        self.assertFalse(corpus.add(Record("definition", "go", "a.go", "", "", "x"), 0))
        self.assertTrue(corpus.add(Record("section", "rest", "a.rst", "T", "How to run", "a b c d e f"), 0))
        self.assertEqual(len(corpus.documents), 1)
        self.assertFalse(re.search(r"\W", "".join(corpus.words)))


if __name__ == "__main__":
    unittest.main()
