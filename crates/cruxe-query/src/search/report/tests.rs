//! What a report names and says, looked up in a small tree.

use std::collections::{BTreeMap, HashMap};

use cruxe_model::facts::SymbolIndex;
use cruxe_store::FileNumber;

use super::read::Report;
use super::units::{self, Asked};
use super::words::{self, Weighed};
use super::{Named, places};
use crate::search::query::Query;
use crate::search::{Question, Search};
use crate::testing::Indexed;

const CART: &str = "\
class Cart:
    def total(self, prices):
        subtotal = sum(price for price in prices)
        return subtotal + self.shipping(prices)

    def shipping(self, prices):
        return 5 if len(prices) < 3 else 0


class Bill:
    def total(self, prices):
        return round(sum(prices), 2)
";

const FILES: &[(&str, &str)] = &[
    ("shop/cart.py", CART),
    ("src/only.py", "def alone():\n    return 1\n"),
    ("tests/only.py", "def test_alone():\n    assert alone() == 1\n"),
    ("web/cart.py", "def show(request):\n    return render(request, 'cart.html')\n"),
];

/// Looks a report up; files are numbered in the order of [`FILES`].
fn with<T>(text: &str, look: impl FnOnce(&Search, &Report, &Named, &Weighed) -> T) -> T {
    let indexed = Indexed::new(FILES);
    let view = indexed.view();
    let snapshot = view.published.as_ref().unwrap();
    let question = Question::new(text, 10);
    let search = Search::new(&view, snapshot, &question, Query::parse(text)).unwrap();
    let report = Report::read(text);
    let (named, weighed) = (places::look_up(&search, &report).unwrap(), words::weigh(&search, &report).unwrap());
    look(&search, &report, &named, &weighed)
}

/// `path name` of symbols with what speaks for them.
fn by_name(search: &Search, worths: &HashMap<(FileNumber, SymbolIndex), f32>) -> BTreeMap<String, f32> {
    let name = |(file, symbol): &(FileNumber, SymbolIndex)| {
        let table = search.snapshot.symbol_table(search.file(*file).id).unwrap();
        table.symbols[symbol.0 as usize].qualified_name.clone()
    };
    worths.iter().map(|(key, worth)| (name(key), *worth)).collect()
}

#[test]
fn a_path_from_elsewhere_is_ours_where_more_than_its_name_is() {
    for (path, want) in [
        ("/home/me/site-packages/shop/cart.py", &["shop/cart.py"][..]),
        ("web/cart.py", &["web/cart.py"]),
        ("only.py", &["src/only.py"]),
        ("cart.py", &[]),
        ("/usr/lib/other/only.py", &[]),
        ("nowhere.py", &[]),
    ] {
        let found = with(&format!("It fails\nsee {path} please\n"), |search, _, named, _| {
            named.paths.keys().map(|file| search.file(*file).path.as_str().to_owned()).collect::<Vec<_>>()
        });
        assert_eq!(found, want, "{path}");
    }
}

#[test]
fn frames_lead_to_functions_by_name_or_line_and_the_innermost_of_ours_counts_most() {
    let trace = "It fails\n  File \"/x/web/cart.py\", line 2, in show\n  File \"/x/shop/cart.py\", line 7, in shipping\n  File \
                 \"/usr/lib/python3/json/decoder.py\", line 3, in decode\n";
    with(trace, |search, _, named, _| {
        let want = [("shop.cart.Cart.shipping".to_owned(), 1.0), ("web.cart.show".to_owned(), 0.5)];
        assert_eq!(by_name(search, &named.functions), BTreeMap::from(want));
        assert_eq!(named.frames.len(), 2, "{:?}", named.frames);
    });
    with("It fails\n    at x (/x/shop/cart.py:7:1)\n", |search, _, named, _| {
        assert_eq!(by_name(search, &named.functions), BTreeMap::new(), "no function of that name is there");
    });
}

#[test]
fn a_qualified_name_stands_for_the_definition_in_what_it_names() {
    with("Wrong sum\n\nI think `Bill.total` rounds, and os.path.join does not.", |search, _, named, _| {
        let names: Vec<String> = by_name(search, &named.definitions).into_keys().collect();
        assert_eq!(names, ["shop.cart.Bill.total"]);
    });
    with("Wrong sum\n\nI think `shipping` rounds, and so does `total`.", |search, _, named, _| {
        let names: Vec<String> = by_name(search, &named.definitions).into_keys().collect();
        assert_eq!(names, ["shop.cart.Cart.shipping"], "two are called total");
    });
    with("Wrong sum\n\nI think the total is wrong.", |search, _, named, _| {
        assert_eq!(by_name(search, &named.definitions), BTreeMap::new());
    });
}

#[test]
fn words_that_all_code_has_count_in_the_title_alone() {
    with("Wrong class\nThe shipping of a cart, return and return.\n", |_, _, _, weighed| {
        let mut words: Vec<(&str, bool)> =
            weighed.words.iter().map(|word| (word.token.as_str(), word.in_title)).collect();
        words.sort_unstable();
        assert_eq!(words, [("cart", false), ("class", true), ("ship", false), ("wrong", true)]);
        assert!(weighed.stems[0] > 0.0 && weighed.stems[3] > 0.0 && weighed.stems[1] == 0.0, "{:?}", weighed.stems);
    });
}

#[test]
fn a_quoted_line_speaks_for_the_function_that_has_it() {
    let text = "Wrong shipping\n```\nreturn 5 if len(prices) < 3 else 0\n```\n";
    with(text, |search, report, named, weighed| {
        let asked = Asked { search, report, weighed, near: None, named };
        let (opened, units) = units::find(&asked, &[0, 1]).unwrap();
        let quoted = |unit: &&units::Unit| unit.features.quoted > 0.0;
        let names: Vec<&str> = units
            .iter()
            .filter(quoted)
            .filter_map(|unit| Some(opened[unit.file].table.symbols[unit.target.symbol()?.0 as usize].name.as_str()))
            .collect();
        assert_eq!(names, ["shipping"]);
        assert!(units.iter().any(|unit| unit.is_function && unit.features.quoted == 0.0));
    });
}
