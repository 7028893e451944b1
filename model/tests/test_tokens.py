"""The tokeniser gives what the reader inside Cruxe gives; the same cases stand in its tests."""

import unittest

from tokens import Tokenizer, fold, words


class WordsTest(unittest.TestCase):
    def test_identifiers_are_split_at_underscores_capitals_and_digits(self):
        self.assertEqual(words("parseHTTPResponse2_ok"), ["parse", "http", "response", "2", "ok"])
        self.assertEqual(words("XMLHttpRequest"), ["xml", "http", "request"])
        self.assertEqual(words("SHA256SUM"), ["sha", "256", "sum"])
        self.assertEqual(words("aB Ab AB ABc A a"), ["a", "b", "ab", "ab", "a", "bc", "a", "a"])
        self.assertEqual(words("x::y->z(w)"), ["x", "y", "z", "w"])
        self.assertEqual(words(""), [])
        self.assertEqual(words(" _-— \u00a0"), [])

    def test_latin_letters_lose_their_accents_and_keep_their_case(self):
        self.assertEqual(words("Größe naïveÉtat smørrebrød"), ["grosse", "naive", "etat", "smorrebrod"])
        self.assertEqual(words("Łódź Þór İstanbul ﬁle ＡＢＣ"), ["lodz", "thor", "istanbul", "file", "abc"])
        self.assertEqual(words("Ærø ÆRØ STRAẞE"), ["aero", "aero", "strasse"])
        self.assertEqual(words("cafe\u0301s"), ["cafes"])
        self.assertEqual(fold("đĐłŁßÆ"), "dDlLssAe")

    def test_other_scripts_are_kept_as_they_are(self):
        self.assertEqual(words("Привет parser日本語 ok"), ["привет", "parser", "日本語", "ok"])
        self.assertEqual(words("日本、語"), ["日本", "語"])
        self.assertEqual(words("½ € →x"), ["x"])


class TokenizerTest(unittest.TestCase):
    def setUp(self):
        self.pieces = ["parse", "##r", "##s", "日本", "語", "привет", "p", "##arse"]
        self.tokenizer = Tokenizer(self.pieces)

    def names(self, text):
        return [self.pieces[number] for number in self.tokenizer.encode(text)]

    def test_a_known_word_is_one_piece(self):
        self.assertEqual(self.names("Parse"), ["parse"])

    def test_an_unknown_word_is_taken_apart_from_the_longest_beginning(self):
        self.assertEqual(self.names("parsers"), ["parse", "##r", "##s"])

    def test_a_word_with_an_unknown_part_has_no_pieces(self):
        self.assertEqual(self.names("parsex"), [])

    def test_other_scripts_are_looked_up_whole_then_by_character(self):
        self.assertEqual(self.names("日本"), ["日本"])
        self.assertEqual(self.names("日本語"), ["語"])
        self.assertEqual(self.names("Привет"), ["привет"])

    def test_words_beyond_the_limit_are_not_read(self):
        self.assertEqual(len(self.tokenizer.encode("parse " * 700)), 600)


if __name__ == "__main__":
    unittest.main()
