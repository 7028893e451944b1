//! Lines of logs: how grave they are, and what they say.

use super::super::pattern::pattern;

/// Messages of a log that are looked for.
const MAX_MESSAGES: usize = 3;

/// How grave a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gravity {
    Info,
    Warning,
    Error,
}

/// What a line of a log says, and how grave that is; nothing for a line that no log has.
pub(super) fn read(line: &str) -> Option<(Gravity, &str)> {
    // Fields: `level=error msg="…"`, `{"level": "error", "msg": "…"}`.
    let fields = pattern!(
        r#"\b(?:level|lvl|severity)"?\s*[=:]\s*"?([A-Za-z0-9_]+)"#,
        r#"\b(?:msg|message)"?\s*[=:]\s*"((?:[^"\\]|\\.)*)""#,
    );
    if let (Some(level), Some(text)) = (group(&fields[0], line), group(&fields[1], line)) {
        return Some((gravity(level), text));
    }
    // Go's: `E1117 10:42:02.007 1 reflector.go:138] …`.
    let klog =
        pattern!(r"^([IWEF])[0-9]{4} [0-9][0-9]:[0-9][0-9]:[0-9][0-9]\S* +[0-9]+ [^ \]]+\] (.+)$")[0].captures(line);
    if let Some((level, text)) = klog.and_then(|found| Some((found.get(1)?, found.get(2)?))) {
        return Some((gravity(level.as_str()), text.as_str()));
    }
    let forms = pattern!(
        r"^[\[(<]?(?:[0-9]{4}[-/.][0-9][0-9][-/.][0-9][0-9][T ]?|[0-9][0-9]?/[A-Z][a-z]{2}/[0-9]{4}[: ]|[A-Z][a-z]{2} +[0-9]{1,2} )?[0-9][0-9]:[0-9][0-9]:[0-9][0-9][^\s\])>]*(?: (?:UTC|Z|[+-][0-9]{4}))?[\])>]?[ \t|:-]*",
        r"^[^A-Za-z]{0,4}(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERR|ERROR|CRIT|CRITICAL|FATAL|SEVERE|PANIC)\b[\])>]?[ \t|:-]*",
        r"^(?:\[[^\]]*\] *|[A-Za-z0-9_$]+(?:[./]|::)[A-Za-z0-9_$./:]*(?: - |: | \| ))",
    );
    let dated = forms[0].find(line).map(|found| &line[found.end()..]);
    let (mut level, mut text) = (None, dated.unwrap_or(line));
    // A thread, a process, a logger, in whatever order.
    for _ in 0..4 {
        if let (None, Some(found)) = (level, forms[1].captures(text)) {
            level = found.get(1).map(|word| word.as_str());
            text = &text[found.get(0)?.end()..];
        } else if let Some(found) = forms[2].find(text).filter(|_| dated.is_some() || level.is_some()) {
            text = &text[found.end()..];
        } else {
            break;
        }
    }
    let is_log = dated.is_some() || level.is_some();
    (is_log && !text.trim().is_empty()).then(|| (level.map_or(Gravity::Info, gravity), text.trim()))
}

fn group<'t>(form: &regex::Regex, text: &'t str) -> Option<&'t str> {
    Some(form.captures(text)?.get(1)?.as_str())
}

fn gravity(level: &str) -> Gravity {
    match level.to_ascii_lowercase().as_str() {
        "trace" | "debug" | "info" | "notice" | "i" | "d" => Gravity::Info,
        "warn" | "warning" | "w" => Gravity::Warning,
        _ => Gravity::Error,
    }
}

/// What the gravest lines say, each once, in their order.
pub(super) fn gravest<'t>(lines: &[(Gravity, &'t str)]) -> Vec<&'t str> {
    let most = lines.iter().map(|(gravity, _)| *gravity).max();
    let mut messages: Vec<&str> = Vec::new();
    for (_, text) in lines.iter().filter(|(gravity, _)| Some(*gravity) == most) {
        if messages.len() < MAX_MESSAGES && !messages.contains(text) {
            messages.push(text);
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_logs_are_read_whoever_wrote_them() {
        for (line, gravity, text) in [
            ("2026-11-17 10:42:02,007 ERROR app: cannot open /x", Gravity::Error, "app: cannot open /x"),
            ("2026-11-17T10:42:02.007Z  WARN tokio::net: slow peer", Gravity::Warning, "slow peer"),
            ("[10:42:02] starting worker 3", Gravity::Info, "starting worker 3"),
            ("Nov 17 10:42:02 sshd[17]: bad key", Gravity::Info, "sshd[17]: bad key"),
            ("ERROR: cannot open /x", Gravity::Error, "cannot open /x"),
            ("[ERROR] [main] org.shop.Cart - cart is empty", Gravity::Error, "cart is empty"),
            ("2026-11-17 10:42:02 [main] SEVERE org.shop.Cart: cart is empty", Gravity::Error, "cart is empty"),
            (
                "E1117 10:42:02.007001       1 reflector.go:138] failed to list pods",
                Gravity::Error,
                "failed to list pods",
            ),
            (
                "time=\"10:42\" level=warning msg=\"disk is \\\"nearly\\\" full\"",
                Gravity::Warning,
                "disk is \\\"nearly\\\" full",
            ),
            ("{\"level\":\"error\",\"msg\":\"cannot open /x\",\"n\":1}", Gravity::Error, "cannot open /x"),
        ] {
            assert_eq!(read(line), Some((gravity, text)), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_of_a_log() {
        for line in
            ["Errors are lost", "error: cannot open /x", "Information on 10:42:02", "INFORMATION", "", "12:30", "x = 1"]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn the_gravest_messages_count_each_once() {
        let lines = [(Gravity::Info, "a"), (Gravity::Error, "b"), (Gravity::Warning, "c"), (Gravity::Error, "b")];
        assert_eq!(gravest(&lines), ["b"]);
        assert_eq!(gravest(&lines[..1]), ["a"]);
        assert_eq!(gravest(&[]), [""; 0]);
    }
}
