//! What the methods of foreign types give: enough of the standard libraries that a chain does not end at `.unwrap()`.

use super::file::Lang;
use super::types::Ty;

/// Smart pointers and guards: a member that they do not have is that of what they hold.
fn is_pointer(name: &str) -> bool {
    listed(
        "Box Rc Arc Cow Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Lazy LazyLock LazyCell \
        ManuallyDrop AssertUnwindSafe Reverse Wrapping CachePadded",
        name,
    )
}

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

/// What a foreign value holds: an element, the value of a map, the result of a future.
pub(super) fn inner(ty: &Ty) -> Ty {
    match ty {
        // Of a map the values, of a result what it is when all went well.
        Ty::Foreign(name, args) => match &**name {
            "HashMap" | "BTreeMap" | "IndexMap" | "dict" | "Dict" | "Map" | "Record" | "Mapping" | "MutableMapping"
            | "OrderedDict" | "DefaultDict" | "defaultdict" | "WeakMap" | "ReadonlyMap" | "DashMap" | "FxHashMap" => {
                args.get(1).cloned().unwrap_or_default()
            }
            "fn" | "()" => Ty::Unknown,
            _ => args.first().cloned().unwrap_or_default(),
        },
        Ty::Union(types) => Ty::union(types.iter().map(inner)),
        _ => Ty::Unknown,
    }
}

/// What is behind a smart pointer; `None` for anything else.
pub(super) fn pointee(ty: &Ty, lang: Lang) -> Option<Ty> {
    match (ty, lang) {
        (Ty::Foreign(name, args), Lang::Rust) if is_pointer(name) => args.first().cloned(),
        _ => None,
    }
}

/// What calling a method of a foreign value gives.
pub(super) fn called(receiver: &Ty, method: &str) -> Ty {
    if keeps(method) {
        return receiver.clone();
    }
    if hands_out(method) {
        return inner(receiver);
    }
    Ty::Unknown
}

/// What a method gives that a type of the ref does not define: derived and blanket ones mostly hand back the value.
pub(super) fn derived(receiver: &Ty, method: &str, lang: Lang) -> Ty {
    let known = match lang {
        Lang::Rust => keeps(method) || hands_out(method),
        _ => matches!(method, "copy" | "clone"),
    };
    if known { receiver.clone() } else { Ty::Unknown }
}

/// Names that standard libraries give to members of their own everyday types: with nothing known about the receiver,
/// one of these says nothing about who is meant.
pub(super) fn is_common(name: &str, lang: Lang) -> bool {
    match lang {
        Lang::Rust => common_rust(name) || keeps(name) || hands_out(name),
        Lang::Python => common_python(name),
        Lang::Ecma => common_ecma(name),
        Lang::Go => common_go(name),
        Lang::Broad => common_broad(name),
    }
}

fn common_rust(name: &str) -> bool {
    listed(
        "len is_empty push push_str extend contains contains_key to_string into from try_into try_from \
        as_str as_bytes as_path to_str to_path_buf display parse split trim lines chars bytes \
        starts_with ends_with replace find map fold collect any all count sum zip unzip position retain \
        clear truncate resize reserve capacity with_capacity sort_by sort_by_key dedup binary_search \
        windows chunks eq ne cmp partial_cmp hash fmt default new drop write_all write_str write_fmt \
        flush read_to_string read_to_end read_line seek send spawn swap store fetch_add compare_exchange \
        wait notify_one notify_all name path metadata file_name extension parent exists is_file is_dir \
        file_type status output args arg env current_dir stdout stdin stderr kill id kind source \
        description is_some is_none is_ok is_err map_or map_or_else and_then flatten filter_map flat_map \
        for_each min_by max_by partition keys index add sub mul div neg not shl shr rem finish build \
        start end as_u64 elapsed duration_since abs pow min max is_match captures size_hint type_id set \
        get deref as_any poll matches width height run call create open close append",
        name,
    )
}

fn common_python(name: &str) -> bool {
    listed(
        "append extend insert remove clear index count sort reverse copy keys items values get update pop \
        popitem add discard union join split strip lower upper title format replace startswith endswith \
        encode decode find read write readline readlines close open flush seek tell name start end group \
        groups match search sub fullmatch run wait send put acquire release set is_set year month day \
        path exists mkdir parent stem suffix exit isatty fileno args kwargs code filename lineno value \
        type id data text status headers json url method execute fetchone fetchall commit rollback \
        cursor assertEqual setUp tearDown call real imag width height",
        name,
    )
}

fn common_ecma(name: &str) -> bool {
    listed(
        "push pop shift unshift slice splice map filter reduce forEach find some every includes indexOf \
        join concat sort keys values entries get set has add delete clear size length toString valueOf \
        then catch finally split trim replace match test exec startsWith endsWith charAt substring \
        toLowerCase toUpperCase call apply bind name message stack cause log error warn info json text \
        blob body headers status url method ok append value next return throw done type target key data \
        id parse stringify on emit once off addEventListener removeEventListener dispatchEvent close \
        write read end pipe send open state props children style params query path code stop start \
        source flags index input groups getTime getReader pathname search hash host hostname port \
        protocol origin href constructor prototype format",
        name,
    )
}

fn common_go(name: &str) -> bool {
    listed(
        "Error String Read Write Close Len Less Swap Add Done Wait Lock Unlock RLock RUnlock Set Get Del \
        Name Type Kind Value Field Method Index Key Header Body URL Path Context Next Scan Text Bytes \
        Reset Printf Println Print Fatal Fatalf Errorf Run Helper Skip Log Logf Now Sub After Before \
        Format Unix Do Call Interface IsNil Elem Size Mode Flush Seek Start Stop Status StatusCode \
        ServeHTTP WriteHeader WriteString Unwrap Is As Parse Execute Open Create Find Match Copy Params \
        Host Port Scheme",
        name,
    )
}

fn common_broad(name: &str) -> bool {
    listed(
        "get set add remove put size length isEmpty contains clear toString equals hashCode name value \
        values keys next hasNext iterator stream map filter forEach collect append insert delete push \
        pop close open read write flush run start stop join split trim format begin end front back empty \
        count find first last find_by where each select type id data Add Remove Contains Count ToString \
        Equals Length Key Value Clear",
        name,
    )
}

/// Whether a word is in a list of words.
fn listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word)
}
