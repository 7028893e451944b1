//! What the methods of foreign types give: enough of the standard libraries that a chain does not end at `.unwrap()`.

use cruxe_extract::naming::System;

use super::file::Lang;
use super::types::Ty;

/// Methods after which a value, or what it holds, is as good as the same.
fn keeps(method: &str) -> bool {
    listed(
        "as_deref as_deref_mut as_mut as_ref borrow borrow_mut by_ref chain clone cloned concat copied \
        copy cycle drain enumerate filter inspect into_boxed_slice into_inner into_iter into_vec iter \
        iter_mut peekable reverse rev skip skip_while slice sort sorted step_by take take_while \
        toReversed toSorted to_owned to_vec values values_mut into_values ok err ok_or ok_or_else or \
        or_else context with_context map_err fuse as_slice as_mut_slice catch finally",
        method,
    )
}

/// Methods that hand out what a value holds.
fn hands_out(method: &str) -> bool {
    listed(
        "unwrap expect unwrap_or unwrap_or_default unwrap_or_else unwrap_err expect_err next next_back \
        pop pop_front pop_back popleft first last first_mut last_mut front back front_mut back_mut get \
        get_mut get_or_init get_or_insert_with entry or_default or_insert or_insert_with insert lock \
        read write peek find nth max min max_by_key min_by_key at shift findLast remove swap_remove \
        setdefault get_or_insert load deref deref_mut recv try_recv join upgrade",
        method,
    )
}

/// The same of the standard libraries of C#, Kotlin, Swift and Scala.
fn keeps_elsewhere(method: &str) -> bool {
    listed(
        "Where OrderBy OrderByDescending ThenBy ThenByDescending Skip SkipWhile Take TakeWhile Distinct DistinctBy \
        Reverse ToList ToArray ToHashSet AsEnumerable AsQueryable Concat Append Prepend Union Except Intersect \
        ConfigureAwait also apply asIterable asSequence distinct distinctBy drop dropFirst dropLast dropRight \
        dropWhile filterNot filterNotNull init lazy onEach plus prefix reversed shuffled sortBy sortWith sortedBy \
        sortedByDescending sortedWith suffix tail takeIf takeLast takeRight takeUnless toList toMutableList toSeq \
        toSet toVector withFilter",
        method,
    )
}

/// Methods and properties of these that hand out what a value holds.
fn hands_out_elsewhere(method: &str) -> bool {
    listed(
        "First FirstOrDefault Single SingleOrDefault Last LastOrDefault ElementAt ElementAtOrDefault Find MinBy MaxBy \
        Result Value elementAt firstOrNull getOrElse getOrNull getValue head headOption lastOption lastOrNull maxBy \
        maxByOrNull minBy minByOrNull orElse popLast random randomElement removeFirst removeLast single singleOrNull",
        method,
    )
}

/// Methods that take a function of an element, or of what the value holds.
fn takes_function(method: &str) -> bool {
    listed(
        "All Any Average Count DistinctBy Exists Find FindAll First FirstOrDefault ForEach GroupBy Last \
        LastOrDefault Max MaxBy Min MinBy OrderBy OrderByDescending RemoveAll Select SelectMany Single \
        SingleOrDefault SkipWhile Sum TakeWhile ThenBy ThenByDescending ToDictionary ToLookup Where all allSatisfy \
        any associate associateBy associateWith collect compactMap contains count distinctBy dropWhile each exists \
        filter filterNot find first firstIndex firstOrNull flatMap forAll forEach forall foreach groupBy \
        ifPresent indexOfFirst indexWhere joinToString last lastOrNull map mapNotNull maxBy maxByOrNull max \
        minBy minByOrNull min none onEach partition removeAll removeIf single singleOrNull sortBy sortedBy \
        sortedByDescending sumBy sumOf takeWhile withFilter",
        method,
    )
}

/// What a function takes that is passed to a method of a value: its elements, or the value itself.
pub(super) fn passed(receiver: &Ty, element: Ty, method: &str) -> Ty {
    let taken = match method {
        "let" | "also" | "takeIf" | "takeUnless" | "use" => vec![receiver.clone()],
        "fold" | "foldLeft" | "Aggregate" => vec![Ty::Unknown, element],
        "reduce" | "sorted" | "sortWith" => vec![element.clone(), element],
        method if takes_function(method) => vec![element],
        _ => return Ty::Unknown,
    };
    Ty::foreign("fn", std::iter::once(Ty::Unknown).chain(taken).collect())
}

/// The parameter at a place of a function whose type is one of a standard library; `None` for other types.
pub(super) fn function_parameter(name: &str, args: &[Ty], at: usize) -> Option<Ty> {
    let plain = listed(
        "Action Func Predicate Comparison Converter Function BiFunction Consumer BiConsumer UnaryOperator \
        BinaryOperator Function1 Function2",
        name,
    );
    plain.then(|| args.get(at).or(args.first()).cloned().unwrap_or_default())
}

/// What a foreign value holds: an element, the value of a map, the result of a future.
pub(super) fn inner(ty: &Ty) -> Ty {
    match ty {
        // Of a map the values, of a result what it is when all went well.
        Ty::Foreign(name, args) => match &**name {
            "HashMap"
            | "BTreeMap"
            | "IndexMap"
            | "dict"
            | "Dict"
            | "Map"
            | "Record"
            | "Mapping"
            | "MutableMapping"
            | "OrderedDict"
            | "DefaultDict"
            | "defaultdict"
            | "WeakMap"
            | "ReadonlyMap"
            | "DashMap"
            | "FxHashMap"
            | "Dictionary"
            | "IDictionary"
            | "ConcurrentDictionary"
            | "IReadOnlyDictionary"
            | "SortedDictionary"
            | "MutableMap"
            | "LinkedHashMap"
            | "ConcurrentHashMap"
            | "TreeMap"
            | "map"
            | "unordered_map"
            | "multimap"
            | "unordered_multimap"
            | "flat_map"
            | "flat_hash_map"
            | "node_hash_map"
            | "btree_map"
            | "hash_map"
            | "vector_map"
            | "dense_hash_map" => args.get(1).cloned().unwrap_or_default(),
            "fn" | "()" => Ty::Unknown,
            _ => args.first().cloned().unwrap_or_default(),
        },
        Ty::Union(types) => Ty::union(types.iter().map(inner)),
        _ => Ty::Unknown,
    }
}

/// What a foreign value of Python holds under a name: the exception that `with pytest.raises(…) as info` caught.
pub(super) fn held(ty: &Ty, name: &str) -> Option<Ty> {
    match ty {
        Ty::Foreign(of, args) if &**of == "ExceptionInfo" && matches!(name, "value" | "exception") => {
            args.first().cloned()
        }
        _ => None,
    }
}

/// The key or the value of an entry of a map; `None` for anything else.
pub(super) fn entry(ty: &Ty, at: usize) -> Option<Ty> {
    match ty {
        Ty::Foreign(name, args) if matches!(&**name, "Map" | "ReadonlyMap") && args.len() == 2 => {
            Some(args.get(at).cloned().unwrap_or_default())
        }
        _ => None,
    }
}

/// What is behind a smart pointer that has no such member itself; `None` for anything else.
pub(super) fn pointee(ty: &Ty, member: &str, lang: Lang) -> Option<Ty> {
    match ty {
        Ty::Foreign(name, args) if listed(lang.naming.pointers, name) => {
            let own =
                |(of, members): &(Option<&str>, &str)| of.is_none_or(|of| of == &**name) && listed(members, member);
            args.first().filter(|_| !lang.naming.pointer_members.iter().any(own)).cloned()
        }
        _ => None,
    }
}

/// Maps of C++, whose elements are pairs.
const PAIRED: &str = "map unordered_map multimap unordered_multimap flat_map flat_hash_map node_hash_map btree_map \
    hash_map vector_map dense_hash_map";

/// What a loop over a foreign value of C++ goes through where that is not what indexing it gives: the pairs of a map.
pub(super) fn pairs(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Foreign(name, args) if listed(PAIRED, name) && args.len() > 1 => {
            Some(Ty::foreign("pair", args.iter().take(2).cloned().collect()))
        }
        _ => None,
    }
}

/// A field of a pair.
pub(super) fn half(ty: &Ty, name: &str) -> Option<Ty> {
    match (ty, name) {
        (Ty::Foreign(of, args), "first") if &**of == "pair" => args.first().cloned(),
        (Ty::Foreign(of, args), "second") if &**of == "pair" => args.get(1).cloned(),
        _ => None,
    }
}

/// Whether a type is what a language calls that of a literal: `String` for `"x"`.
pub(super) fn is_type_of(literal: &str, ty: &str) -> bool {
    let types = match literal {
        "str" => "String string StringProtocol CharSequence",
        "int" => "Int int Integer BinaryInteger FixedWidthInteger",
        "float" => "Double double Float float",
        "bool" => "Bool bool Boolean",
        "[]" => "Array Sequence Collection List",
        _ => return false,
    };
    listed(types, ty)
}

/// What calling a method of a foreign value gives.
pub(super) fn called(receiver: &Ty, method: &str, lang: Lang) -> Ty {
    let broad = !lang.is_deep();
    // An iterator of a map points to a pair.
    if lang.naming.arrow.is_some()
        && listed("begin end cbegin cend rbegin rend find lower_bound upper_bound extract", method)
        && let Some(pair) = pairs(receiver)
    {
        return pair;
    }
    if lang.naming.arrow.is_some() && listed("begin cbegin rbegin end value value_or", method) {
        return inner(receiver);
    }
    if lang.naming.system == System::Ecma
        && let Ty::Foreign(name, args) = receiver
    {
        let is_map = matches!(&**name, "Map" | "ReadonlyMap");
        match method {
            "entries" if is_map => return receiver.clone(),
            "keys" if is_map => return Ty::foreign("[]", args.first().cloned().into_iter().collect()),
            // An element goes with its place.
            "entries" => return Ty::foreign("Map", vec![Ty::foreign("number", Vec::new()), inner(receiver)]),
            _ => {}
        }
    }
    if keeps(method) || broad && keeps_elsewhere(method) {
        return receiver.clone();
    }
    if hands_out(method) || broad && hands_out_elsewhere(method) {
        return inner(receiver);
    }
    Ty::Unknown
}

/// What a method gives that a type of the ref does not define: derived and blanket ones mostly hand back the value.
pub(super) fn derived(receiver: &Ty, method: &str, lang: Lang) -> Ty {
    let known = match lang.naming.blanket_methods {
        true => keeps(method) || hands_out(method),
        false => listed("copy clone also apply takeIf takeUnless get getOrElse orElse orNull", method),
    };
    if known { receiver.clone() } else { Ty::Unknown }
}

/// Names that standard libraries give to members of their own everyday types: with nothing known about the receiver,
/// one of these says nothing about who is meant.
pub(super) fn is_common(name: &str, lang: Lang) -> bool {
    listed(lang.naming.everyday, name) || (lang.naming.blanket_methods && (keeps(name) || hands_out(name)))
}

/// Whether a word is in a list of words.
fn listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word)
}
