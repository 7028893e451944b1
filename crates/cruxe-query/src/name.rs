//! Names as people and agents write them: `validate_token`, `QuerySet.filter`, `TcpListener::bind`, `Foo#bar()`.

/// A name to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedName {
    /// The last part.
    pub plain: String,
    /// What stands before it, outermost first.
    pub qualifiers: Vec<String>,
}

/// Takes a name apart. Call parentheses, a macro's `!` and a leading `&`, `crate` or `self` are not part of it.
pub fn parse(text: &str) -> WantedName {
    match operator_at_end(text.trim()) {
        (path, Some(operator)) if path.is_empty() || operator.starts_with(OPERATOR) => {
            let qualifiers = segments(path).map(str::to_owned).collect();
            return WantedName { plain: operator.to_owned(), qualifiers };
        }
        _ => {}
    }
    let text = text.trim().trim_start_matches(['&', '*', '@']);
    let text = text.strip_suffix("()").unwrap_or(text);
    let text = text.strip_suffix('!').unwrap_or(text);
    let mut parts: Vec<String> = segments(text).map(str::to_owned).collect();
    let plain = parts.pop().unwrap_or_default();
    while matches!(parts.first().map(String::as_str), Some("crate" | "self" | "super" | "this" | "Self")) {
        parts.remove(0);
    }
    WantedName { plain, qualifiers: parts }
}

/// What the names of operators begin with in C++: `operator->`, `operator()`, `operator bool`.
const OPERATOR: &str = "operator";

/// An operator that a path ends with, as in `Data.Tree.<+>` and `Foo::operator/=`: signs that separate names elsewhere are part of it.
fn operator_at_end(text: &str) -> (&str, Option<&str>) {
    let named = text.rfind(OPERATOR).filter(|at| {
        let behind = &text[at + OPERATOR.len()..];
        let signs = !behind.is_empty() && behind.chars().all(|c| "()[]!%&*+,/<=>^|-~".contains(c));
        !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_') && (signs || behind.starts_with(' '))
    });
    if let Some(at) = named {
        let (path, operator) = text.split_at(at);
        // `operator()()` is a call of it.
        let called = operator.strip_suffix("()").filter(|rest| *rest != OPERATOR);
        return (path, Some(called.unwrap_or(operator)));
    }
    let is_sign = |c: char| "!$%&*+./<=>?@^|-~:\\[]".contains(c);
    let path = text.trim_end_matches(is_sign);
    let signs = &text[path.len()..];
    let operator = match path.strip_suffix('#') {
        _ if path.is_empty() => Some((path, signs)),
        Some(class) => Some((class, signs)),
        None => signs.strip_prefix("::").or_else(|| signs.strip_prefix('.')).map(|signs| (path, signs)),
    };
    // A path may end with what separates: `src/`, `std::`.
    let separates = |c: char| matches!(c, ':' | '.' | '/' | '\\');
    match operator.filter(|(path, signs)| !signs.chars().all(separates) || *signs == "/" && !path.is_empty()) {
        Some((path, operator)) => (path, Some(operator)),
        None => (text, None),
    }
}

/// The parts of a qualified name, whatever its language.
pub fn segments(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    // `Foo#bar` is a method of `Foo`, but `Foo.#bar` a private one whose name begins with the mark.
    let mut last = ' ';
    let separates = move |c: char| {
        let before = std::mem::replace(&mut last, c);
        matches!(c, ':' | '.' | '/' | '\\' | '>') || (c == '#' && (before.is_alphanumeric() || before == '_'))
    };
    let (text, operator) = operator_at_end(text);
    let parts: Vec<&str> = text.split(separates).collect();
    // The quotes of `'./module'.Name` belong to no name; the prime of `take'` does.
    let quotes: &'static [char] = if is_quoted(text) { &['\'', '"', '`'] } else { &['"', '`'] };
    parts
        .into_iter()
        .map(move |part| part.trim().trim_end_matches('-').trim_matches(quotes))
        .filter(|part| !part.is_empty())
        .chain(operator)
}

/// Whether a quote opens somewhere in a text: one that stands behind a letter is a part of a name.
fn is_quoted(text: &str) -> bool {
    let opens =
        |at: usize| !text[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | '\''));
    text.match_indices('\'').any(|(at, _)| opens(at))
}

/// How well a symbol's qualified name fits the qualifiers, whatever their case: 1 for all of them directly before the name, less for
/// gaps and for qualifiers that the name does not have, 0 for no fit.
pub fn qualifier_fit(wanted: &WantedName, qualified_name: &str) -> f64 {
    fit(wanted, qualified_name, str::eq_ignore_ascii_case)
}

/// The same where the case of letters counts: `Progress.open` is a method, and the function of the module `progress` is something else.
pub fn qualifier_fit_as_written(wanted: &WantedName, qualified_name: &str) -> f64 {
    fit(wanted, qualified_name, |a, b| a == b)
}

fn fit(wanted: &WantedName, qualified_name: &str, same: fn(&str, &str) -> bool) -> f64 {
    if wanted.qualifiers.is_empty() {
        return 0.0;
    }
    let mut have: Vec<&str> = segments(qualified_name).collect();
    have.pop();
    let direct = wanted.qualifiers.iter().rev().zip(have.iter().rev()).take_while(|(a, b)| same(a, b)).count();
    if direct == wanted.qualifiers.len() {
        // `Progress.open` is the method before it is the function of the module `progress`.
        let exact = wanted.qualifiers.iter().rev().zip(have.iter().rev()).all(|(a, b)| a == b);
        return match (direct == have.len(), exact) {
            (true, true) => 1.0,
            (false, true) => 0.9,
            (_, false) => 0.84,
        };
    }
    // A path through re-exports leaves modules out: `tokio::net::TcpListener` is defined in `tokio::net::tcp::listener`.
    if have.last().is_some_and(|module| same(module, &wanted.plain)) {
        // A function in a file of its own, `tokio::task::spawn::spawn`, is known by the module around that file.
        let outer = have[..have.len() - 1].join(".");
        let around = fit(wanted, &format!("{outer}.{}", wanted.plain), same);
        if around > 0.0 {
            return around * 0.95;
        }
    }
    let mut rest = have.iter();
    if wanted.qualifiers.iter().all(|part| rest.any(|have| same(part, have))) {
        return if direct > 0 { 0.7 } else { 0.4 };
    }
    // The package's own name stands before what its files say: `authsvc::auth::jwt`.
    if direct > 0 && direct == have.len() && wanted.qualifiers.len() - direct <= 2 { 0.6 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(wanted: &str, have: &str) -> f64 {
        qualifier_fit(&parse(wanted), have)
    }

    #[test]
    fn names_are_taken_apart() {
        let parts = |text| {
            let name = parse(text);
            (name.qualifiers.join(" "), name.plain)
        };
        assert_eq!(parts("validate_token"), ("".into(), "validate_token".into()));
        assert_eq!(parts("TcpListener::bind"), ("TcpListener".into(), "bind".into()));
        assert_eq!(parts("crate::auth::jwt::validate_token()"), ("auth jwt".into(), "validate_token".into()));
        assert_eq!(parts("Foo#bar"), ("Foo".into(), "bar".into()));
        assert_eq!(parts("a->b"), ("a".into(), "b".into()));
        for (text, path, name) in [
            ("Uri./", "Uri", "/"),
            ("V#<=>", "V", "<=>"),
            ("V::>", "V", ">"),
            ("a::V.[]", "a V", "[]"),
            ("V#[]=", "V", "[]="),
            ("V.::", "", "V"),
            ("src/app/", "src", "app"),
            ("std::", "", "std"),
        ] {
            assert_eq!(parts(text), (path.into(), name.into()), "{text}");
        }
        assert_eq!(parts("Node.#insert"), ("Node".into(), "#insert".into()));
        assert_eq!(parts("#insert"), ("".into(), "#insert".into()));
        assert_eq!(parts("'../jwt'.Map"), ("jwt".into(), "Map".into()));
        assert_eq!(parts("'../..'.Map"), ("".into(), "Map".into()));
        assert_eq!(parts("println!"), ("".into(), "println".into()));
        assert_eq!(parts("  "), ("".into(), "".into()));
    }

    #[test]
    fn qualifiers_fit_from_the_inside_out() {
        assert_eq!(fit("TcpListener::bind", "TcpListener::bind"), 1.0);
        assert_eq!(fit("TcpListener::bind", "tokio::net::tcp::listener::TcpListener::bind"), 0.9);
        assert_eq!(fit("tokio::net::TcpListener::bind", "tokio::net::tcp::listener::TcpListener::bind"), 0.7);
        assert_eq!(fit("tokio::task::spawn", "tokio::task::spawn::spawn"), 0.95);
        assert_eq!(fit("authsvc::auth::jwt::validate", "auth::jwt::validate"), 0.6);
        assert_eq!(fit("UdpSocket::bind", "tokio::net::tcp::listener::TcpListener::bind"), 0.0);
        assert_eq!(fit("ApiClient.ensureToken", "api/client.ApiClient.ensureToken"), 0.9);
        assert_eq!(fit("QuerySet.filter", "django.db.models.query.QuerySet.filter"), 0.9);
        assert_eq!(fit("Progress.open", "rich.progress.open"), 0.84);
        assert_eq!(fit("Other.filter", "django.db.models.query.QuerySet.filter"), 0.0);
    }

    #[test]
    fn as_it_is_written_a_class_is_no_module() {
        let fit = |wanted, have| qualifier_fit_as_written(&parse(wanted), have);
        assert_eq!(fit("Progress.open", "rich.progress.open"), 0.0);
        assert_eq!(fit("Apps.get_model", "django.apps.config.AppConfig.get_model"), 0.0);
        assert_eq!(fit("Progress.open", "rich.progress.Progress.open"), 0.9);
        assert_eq!(fit("flask.Flask", "flask.app.Flask"), 0.4);
        assert_eq!(fit("tokio::task::spawn", "tokio::task::spawn::spawn"), 0.95);
    }

    #[test]
    fn operators_keep_the_signs_that_separate_names() {
        let parts = |text: &str| segments(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parts("Data.Tree.<+>"), ["Data", "Tree", "<+>"]);
        assert_eq!(parts("a->b"), ["a", "b"]);
        assert_eq!(parts("std::vec::"), ["std", "vec"]);
        assert_eq!(parse("</>").plain, "</>");
        assert_eq!(parse("&&&").plain, "&&&");
        assert_eq!(parse("vec!").plain, "vec");
        for (text, plain, qualifiers) in [
            ("operator()", "operator()", &[][..]),
            ("absl::Less::operator()", "operator()", &["absl", "Less"]),
            ("Ptr::operator->()", "operator->", &["Ptr"]),
            ("A::operator--", "operator--", &["A"]),
            ("operator/=", "operator/=", &[]),
            ("Flag::operator bool", "operator bool", &["Flag"]),
            ("operator", "operator", &[]),
            ("operator.attrgetter", "attrgetter", &["operator"]),
            ("rx/operator/map", "map", &["rx", "operator"]),
            ("my_operator()", "my_operator", &[]),
        ] {
            let wanted = parse(text);
            let found: Vec<&str> = wanted.qualifiers.iter().map(String::as_str).collect();
            assert_eq!((wanted.plain.as_str(), &found[..]), (plain, qualifiers), "{text}");
        }
    }
}
