"""From a history to pairs, on a small repository."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import commits
from corpus import Corpus, gather_history
from definitions import functions_of
from fetch import mirror
from test_pipeline import SNIPPETS

LICENCE = "Permission is hereby granted, free of charge, to any person"
BEFORE = """def read_header(stream):
    size = stream.read(4)
    return parse(size)


def write_header(stream, size):
    stream.write(size)
    stream.flush()
"""
AFTER = BEFORE.replace("parse(size)", "parse(size) if size else None")


def git(folder: Path, *arguments: str) -> None:
    """Runs git with a name of its own."""
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


class FunctionTest(unittest.TestCase):
    def test_every_language_gives_its_functions_with_their_lines(self):
        for language, (text, name, _) in SNIPPETS.items():
            with self.subTest(language):
                found = [function for function in functions_of(language, text) if function.name == name]
                if language == "haskell":
                    self.assertEqual([(function.first, function.last) for function in found], [(4, 5)])
                    continue
                self.assertEqual(len(found), 1)
                lines = text.split("\n")[found[0].first - 1 : found[0].last]
                self.assertTrue("\n".join(lines).strip().endswith(found[0].code.strip()), lines)


class MessageTest(unittest.TestCase):
    def test_titles_lose_their_marks_and_bodies_their_trailers(self):
        message = "fix(http): Read an empty header (#12)\n\nIt raised before.\n\nSigned-off-by: A <a@b>\n"
        self.assertEqual(commits.split_message(message), ("Read an empty header", "It raised before."))

    def test_releases_merges_and_bumps_say_nothing(self):
        for title in ("Bump serde from 1 to 2", "Revert the header change", "v1.2.3 is out now", "Merge branch x of y"):
            self.assertIsNone(commits.split_message(title), title)

    def test_tests_and_documentation_are_no_source(self):
        for path in ("src/test_http.py", "docs/conf.py", "pkg/http_test.go", "src/HttpTest.java", "a/testsuite/b.py"):
            self.assertFalse(commits.is_source(path), path)
        for path in ("src/http.py", "latest/contest.go", "src/Testing.java"):
            self.assertTrue(commits.is_source(path), path)


class HistoryTest(unittest.TestCase):
    def test_a_commit_finds_the_function_it_changed_as_it_was_before(self):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            bare = mirror(work, "me/project")
            tree = work / "tree"
            tree.mkdir()
            git(tree, "init", "--quiet")
            for text, message in ((BEFORE, "Begin"), (AFTER, "Accept a stream without a header\n\nFixes #3.")):
                (tree / "LICENSE").write_text(LICENCE)
                (tree / "http.py").write_text(text)
                git(tree, "add", "--all")
                git(tree, "commit", "--quiet", "--message", message)
            git(work, "clone", "--quiet", "--bare", str(tree), str(bare))
            commits.extract_history(work, "me/project", None, re.compile(r"(?!)"))
            head, line = commits.history_path(work, "me/project").read_text().splitlines()
            corpus = Corpus()
            gather_history(corpus, commits.history_path(work, "me/project"), set())
        self.assertEqual(json.loads(head)["licence"], "MIT")
        change = json.loads(line)
        self.assertEqual(change["title"], "Accept a stream without a header")
        self.assertEqual(
            [(found["path"], found["name"]) for found in change["functions"]], [("http.py", "read_header")]
        )
        self.assertIn("return parse(size)\n", change["functions"][0]["code"] + "\n")
        self.assertEqual([found["name"] for found in change["neighbours"]], ["write_header"])
        self.assertEqual(list(corpus.first_document), [0, 1])
        self.assertEqual(list(corpus.first_neighbour), [0, 1])
        self.assertEqual(corpus.sources[0].kinds["change"], 1)


if __name__ == "__main__":
    unittest.main()
