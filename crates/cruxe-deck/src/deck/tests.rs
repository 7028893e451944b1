use std::collections::HashSet;
use std::fs;

use super::*;
use crate::frontmatter::EditProblem;

fn deck(cards: &[(&str, &str)]) -> (tempfile::TempDir, Deck) {
    let root = tempfile::tempdir().unwrap();
    let deck = Deck::open(root.path());
    for (id, text) in cards {
        write(&deck, &format!("{id}.md"), text.as_bytes());
    }
    (root, deck)
}

fn write(deck: &Deck, name: &str, bytes: &[u8]) {
    fs::create_dir_all(deck.cards_folder()).unwrap();
    fs::write(deck.cards_folder().join(name), bytes).unwrap();
}

fn id(text: &str) -> CardId {
    CardId::parse(text).unwrap()
}

fn now() -> Timestamp {
    "2026-01-02T10:43:00Z".parse().unwrap()
}

fn text(deck: &Deck, card: &str) -> String {
    fs::read_to_string(deck.root().join(id(card).path())).unwrap()
}

fn ids(deck: &Deck) -> Vec<String> {
    deck.cards().unwrap().cards.iter().map(|card| card.id.to_string()).collect()
}

const CARD: &str = "---\ntitle: A\nstatus: todo\n---\n";

#[test]
fn a_deck_that_is_not_there_has_no_cards_and_can_get_one() {
    let (_root, deck) = deck(&[]);
    assert!(deck.cards().unwrap().cards.is_empty());
    assert!(!deck.exists());
    let new = NewCard { title: "First".to_owned(), ..NewCard::default() };
    let card = deck.create(&new, now(), &|_| false).unwrap();
    assert_eq!(ids(&deck), [card.id.to_string()]);
}

#[test]
fn the_example_of_the_contract_is_a_card_with_valid_yaml() {
    let (_root, deck) = deck(&[("abc123", CARD), ("def456", CARD)]);
    let new = NewCard {
        title: "Implement login API".to_owned(),
        tags: vec!["auth".to_owned(), "backend".to_owned()],
        priority: Priority::High,
        assignee: Some("@developer".to_owned()),
        depends_on: vec![id("abc123"), id("def456")],
    };
    let card = deck.create(&new, now(), &|_| false).unwrap();
    let written = text(&deck, card.id.as_str());
    assert_eq!(
        written,
        "---\ntitle: Implement login API\nstatus: todo\npriority: high\nassignee: \"@developer\"\n\
         tags: [auth, backend]\ndepends_on: [abc123, def456]\ncreated: 2026-01-02T10:43:00Z\n---\n\n\
         # Implement login API\n"
    );
    let (again, _) = deck.read(&card.id).unwrap();
    assert_eq!(again, card);
    assert_eq!((again.assignee.as_deref(), again.created), (Some("@developer"), Some(now())));
}

#[test]
fn any_title_survives() {
    let (_root, deck) = deck(&[]);
    for title in [
        "Fix: \"quotes\" & 'apostrophes'",
        "- [x] key: value # comment",
        "Größe — 日本語 🚀",
        "---",
        "12345",
        "yes",
        "{}",
        "@x",
    ] {
        let new = NewCard { title: title.to_owned(), ..NewCard::default() };
        let card = deck.create(&new, now(), &|_| false).unwrap();
        assert_eq!(deck.read(&card.id).unwrap().0.title, title);
    }
    for title in ["", "  ", "two\nlines", "tab\there"] {
        let new = NewCard { title: title.to_owned(), ..NewCard::default() };
        assert!(matches!(deck.create(&new, now(), &|_| false), Err(DeckError::Invalid { parameter: "title", .. })));
    }
}

#[test]
fn an_id_that_is_taken_here_or_elsewhere_is_hashed_again() {
    let (_root, deck) = deck(&[]);
    let new = NewCard { title: "Same".to_owned(), ..NewCard::default() };
    let first = deck.create(&new, now(), &|_| false).unwrap().id;
    let second = deck.create(&new, now(), &|_| false).unwrap().id;
    assert_eq!((first.clone(), second.clone()), (hashed_id(now(), "Same", 0), hashed_id(now(), "Same", 1)));
    let third = hashed_id(now(), "Same", 2);
    let elsewhere = third.clone();
    assert_eq!(deck.create(&new, now(), &|id| *id == elsewhere).unwrap().id, hashed_id(now(), "Same", 3));
    let waiting = format!("---\ntitle: W\ndepends_on: [{}]\n---\n", hashed_id(now(), "Other", 0));
    write(&deck, "waits1.md", waiting.as_bytes());
    let new = NewCard { title: "Other".to_owned(), ..NewCard::default() };
    assert_eq!(deck.create(&new, now(), &|_| false).unwrap().id, hashed_id(now(), "Other", 1));
}

#[test]
fn dependencies_must_be_there_and_must_not_be_circular() {
    let (_root, deck) = deck(&[
        ("aaa111", "---\ntitle: A\ndepends_on: [bbb222]\n---\n"),
        ("bbb222", "---\ntitle: B\ndepends_on: [aaa111]\n---\n"),
    ]);
    let new = |on: &[&str]| NewCard {
        title: "X".to_owned(),
        depends_on: on.iter().map(|on| id(on)).collect(),
        ..NewCard::default()
    };
    match deck.create(&new(&["aaa111", "zzzzz9"]), now(), &|_| false) {
        Err(DeckError::DependencyNotFound { missing }) => assert_eq!(missing, [id("zzzzz9")]),
        other => panic!("{other:?}"),
    }
    match deck.create(&new(&["aaa111"]), now(), &|_| false) {
        Err(DeckError::CircularDependency { cycle }) => assert_eq!(cycle, ["aaa111", "bbb222", "aaa111"].map(id)),
        other => panic!("{other:?}"),
    }
    assert_eq!(ids(&deck), ["aaa111", "bbb222"]);
}

#[test]
fn an_update_keeps_everything_else_byte_for_byte() {
    let before = "\u{feff}---\r\n# head\r\nestimate: 3 days  # unknown key\r\ntitle:   'By hand'\r\nstatus: todo # now\r\n\
                  base: &b {x: 1}\r\nmore: *b\r\n---\r\n\r\n# By hand\r\n```yaml\r\n---\r\nstatus: fake\r\n---\r\n```\r\nno final newline";
    let (_root, deck) = deck(&[("hand01", before)]);
    let update = Update { status: Some(Status::Done), assignee: Some("@you".to_owned()), ..Update::default() };
    let updated = deck.update(&id("hand01"), &update, now()).unwrap();
    assert_eq!(updated.fields, ["status", "assignee"]);
    assert_eq!((updated.card.status, updated.card.title.as_str()), (Status::Done, "By hand"));
    let after = before
        .replace("status: todo # now", "status: done # now")
        .replace("more: *b\r\n", "more: *b\r\nassignee: \"@you\"\r\nupdated: 2026-01-02T10:43:00Z\r\n");
    assert_eq!(text(&deck, "hand01"), after);
    let later = "2026-01-03T00:00:00Z".parse().unwrap();
    deck.update(&id("hand01"), &Update { assignee: Some(String::new()), ..Update::default() }, later).unwrap();
    assert_eq!(
        text(&deck, "hand01"),
        after.replace("\"@you\"", "\"\"").replace("2026-01-02T10:43:00Z", "2026-01-03T00:00:00Z")
    );
    assert_eq!(deck.read(&id("hand01")).unwrap().0.assignee, None);
}

#[test]
fn notes_are_a_key_of_the_front_matter_and_take_the_place_of_earlier_ones() {
    let (_root, deck) = deck(&[("aaa111", CARD)]);
    for notes in ["Blocked: see #42 — wait.\nSecond line", "short", "  odd\n\n lines \n", "\"quoted\""] {
        let update = Update { notes: Some(notes.to_owned()), ..Update::default() };
        let updated = deck.update(&id("aaa111"), &update, now()).unwrap();
        assert_eq!(updated.card.notes.as_deref(), Some(notes));
        assert_eq!(text(&deck, "aaa111").matches("notes:").count(), 1);
    }
}

#[test]
fn everything_a_card_says_can_be_changed() {
    let (_root, deck) = deck(&[
        ("aaa111", "---\r\ntitle: Old\r\ntags: [a, b] # mine\r\nkeep: 1\r\n---\r\n\r\n# Old\r\n\r\nText.\r\n"),
        ("bbb222", "---\ntitle: B\n---\n# Another heading\n"),
    ]);
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let change = |add: &[&str], remove: &[&str]| Some(ListChange::Change { add: words(add), remove: words(remove) });
    let update = Update {
        title: Some(" New: title ".to_owned()),
        tags: change(&["c", "B", " "], &["A"]),
        depends_on: Some(ListChange::Set(words(&["bbb222", "bbb222"]))),
        refs: change(&["docs/a.md#Intro"], &[]),
        ..Update::default()
    };
    let updated = deck.update(&id("aaa111"), &update, now()).unwrap();
    assert_eq!(updated.fields, ["title", "tags", "depends_on", "refs"]);
    assert_eq!(
        text(&deck, "aaa111"),
        "---\r\ntitle: \"New: title\"\r\ntags: [b, c] # mine\r\nkeep: 1\r\ndepends_on: [bbb222]\r\nrefs: [\"docs/a.md#Intro\"]\r\n\
         updated: 2026-01-02T10:43:00Z\r\n---\r\n\r\n# New: title\r\n\r\nText.\r\n"
    );
    let body = |body: &str| Update { body: Some(body.to_owned()), ..Update::default() };
    deck.update(&id("aaa111"), &body("\n\nOne.\nTwo.\n\n"), now()).unwrap();
    assert!(text(&deck, "aaa111").ends_with("10:43:00Z\r\n---\r\n\r\nOne.\r\nTwo.\r\n"));
    assert_eq!(deck.update(&id("aaa111"), &body("  \n"), now()).unwrap().fields, ["body"]);
    assert!(text(&deck, "aaa111").ends_with("10:43:00Z\r\n---\r\n"));
    // A heading that is not the title stays.
    deck.update(&id("bbb222"), &Update { title: Some("C".to_owned()), ..Update::default() }, now()).unwrap();
    assert!(text(&deck, "bbb222").ends_with("---\n# Another heading\n"));
}

#[test]
fn what_cannot_be_is_not_written() {
    let (_root, deck) =
        deck(&[("aaa111", "---\ntitle: A\n---\n"), ("bbb222", "---\ntitle: B\ndepends_on: [aaa111, gone00]\n---\n")]);
    let before = (text(&deck, "aaa111"), text(&deck, "bbb222"));
    let set = |list: &[&str]| Some(ListChange::Set(list.iter().map(|one| (*one).to_owned()).collect()));
    let wrong = |update: Update| deck.update(&id("aaa111"), &update, now()).unwrap_err().to_string();
    let of = Update::default;
    assert_eq!(
        wrong(Update { depends_on: set(&["bbb222"]), ..of() }),
        "Circular dependency detected: aaa111 → bbb222 → aaa111"
    );
    assert_eq!(wrong(Update { depends_on: set(&["aaa111"]), ..of() }), "Circular dependency detected: aaa111 → aaa111");
    assert_eq!(wrong(Update { depends_on: set(&["zzz999"]), ..of() }), "no such card: zzz999");
    assert_eq!(wrong(Update { depends_on: set(&["Setup"]), ..of() }), "depends_on: `Setup` is no id of a card");
    assert!(wrong(Update { refs: set(&["../secret"]), ..of() }).starts_with("refs: `../secret`: "));
    assert_eq!(wrong(Update { title: Some(" ".to_owned()), ..of() }), "title: must not be empty");
    assert_eq!(wrong(Update { title: Some("a\nb".to_owned()), ..of() }), "title: must be one line of text");
    assert_eq!(wrong(Update { title: Some("x".repeat(201)), ..of() }), "title: has 201 characters; it may have 200");
    assert_eq!(wrong(Update { tags: set(&["a\u{7}"]), ..of() }), "tags: must be one line of text");
    assert_eq!(wrong(of()), "updates: there is nothing to change");
    let large = wrong(Update { body: Some("x".repeat(MAX_CARD as usize)), ..of() });
    assert_eq!(large, "body: is larger than a card may be (1 MiB)");
    assert_eq!((text(&deck, "aaa111"), text(&deck, "bbb222")), before);
    // What was there before is not asked about again.
    let update = Update { depends_on: set(&["gone00"]), ..of() };
    assert_eq!(deck.update(&id("bbb222"), &update, now()).unwrap().card.depends_on, ["gone00"]);
}

#[test]
fn a_card_that_changed_meanwhile_is_not_written_over() {
    let (_root, deck) = deck(&[("aaa111", CARD)]);
    let seen = version(&text(&deck, "aaa111"));
    let update = |seen: &str| Update { status: Some(Status::Done), seen: Some(seen.to_owned()), ..Update::default() };
    deck.update(&id("aaa111"), &update(&seen), now()).unwrap();
    let now_there = text(&deck, "aaa111");
    match deck.update(&id("aaa111"), &update(&seen), now()) {
        Err(DeckError::Changed { expected, actual, .. }) => assert_eq!((expected, actual), (seen, version(&now_there))),
        other => panic!("{other:?}"),
    }
    assert_eq!(text(&deck, "aaa111"), now_there);
}

#[test]
fn malformed_cards_are_problems_and_are_never_rewritten() {
    let broken: [(&str, &[u8]); 7] = [
        ("bad001", b"---\ntitle: [unclosed\nstatus: todo\n---\n\n# Broken YAML\n"),
        ("bad002", b"No frontmatter at all.\n"),
        ("bad003", b""),
        ("bad004", b"---\ntitle: Never closed\nstatus: todo\n"),
        ("bad005", b"---\ntitle: Odd status\nstatus: someday\n---\n"),
        ("bad006", b"---\n- just\n- a list\n---\n"),
        ("bad007", b"\xff\xfe\x00binary"),
    ];
    let (_root, deck) = deck(&[("aaa111", CARD)]);
    broken.iter().for_each(|(id, bytes)| write(&deck, &format!("{id}.md"), bytes));
    write(&deck, "task-a.md", CARD.as_bytes());
    write(&deck, "README.md", b"# About cards\n");
    write(&deck, "notes.txt", b"not a card\n");
    let cards = deck.cards().unwrap();
    assert_eq!(ids(&deck), ["aaa111"]);
    let names: Vec<&str> = cards.problems.iter().map(|problem| problem.path.stem()).collect();
    assert_eq!(names, ["bad001", "bad002", "bad003", "bad004", "bad005", "bad006", "bad007", "task-a"]);
    assert!(cards.problems[4].to_string().starts_with(".cuedeck/cards/bad005.md:3: status: `someday` is none of"));
    for (card, bytes) in broken {
        let update = Update { status: Some(Status::Done), ..Update::default() };
        assert!(matches!(deck.update(&id(card), &update, now()), Err(DeckError::Malformed(_))), "{card}");
        assert_eq!(fs::read(deck.root().join(id(card).path())).unwrap(), bytes);
    }
    let update = Update { priority: Some(Priority::Low), ..Update::default() };
    match deck.update(&id("aaa112"), &update, now()) {
        Err(DeckError::NoCard { nearest, .. }) => assert_eq!(nearest, Some(id("aaa111"))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn odd_values_are_problems_of_a_card_that_is_still_listed() {
    let (_root, deck) =
        deck(&[("aaa111", "---\ntitle: A\ntags: {a: b}\ndepends_on: [X, bbb222]\ncreated: soon\n---\n")]);
    let cards = deck.cards().unwrap();
    let messages: Vec<&str> = cards.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(cards.cards.len(), 1);
    assert_eq!(
        messages,
        ["tags must be a list of words", "depends_on: `X` is no id of a card", "created: `soon` is no date"]
    );
}

#[test]
fn edits_by_hand_are_seen_although_size_and_time_are_the_same() {
    let (_root, deck) = deck(&[("aaa111", "---\ntitle: A1\n---\n"), ("bbb222", CARD)]);
    for title in ["A2", "A3", "A4"] {
        write(&deck, "aaa111.md", format!("---\ntitle: {title}\n---\n").as_bytes());
        assert_eq!(deck.cards().unwrap().get("aaa111").unwrap().title, title);
    }
    fs::remove_file(deck.root().join(id("bbb222").path())).unwrap();
    assert_eq!(ids(&deck), ["aaa111"]);
    let first = deck.cards().unwrap();
    assert!(Arc::ptr_eq(&first, &deck.cards().unwrap()), "what did not change is not made anew");
}

#[test]
fn a_look_tells_what_came_went_and_changed_among_many() {
    let (_root, deck) = deck(&[]);
    let name = |number: usize| format!("c{number:05}");
    let put = |number: usize, title: &str| {
        write(&deck, &format!("{}.md", name(number)), format!("---\ntitle: {title}\n---\n").as_bytes());
    };
    (0..300).for_each(|number| put(number, "old"));
    assert_eq!(ids(&deck).len(), 300);
    for number in (0..300).step_by(3) {
        fs::remove_file(deck.root().join(id(&name(number)).path())).unwrap();
        put(number + 1, "new");
        put(number + 1000, "more");
    }
    let titles: Vec<(String, String)> =
        deck.cards().unwrap().cards.iter().map(|card| (card.id.to_string(), card.title.clone())).collect();
    let kept = (0..300).filter(|number| number % 3 != 0).map(|number| (number, ["", "new", "old"][number % 3]));
    let more = (0..300).step_by(3).map(|number| (number + 1000, "more"));
    let expected: Vec<(String, String)> = kept.chain(more).map(|(at, title)| (name(at), title.to_owned())).collect();
    assert_eq!(titles, expected);
}

#[test]
fn a_folder_that_became_an_empty_card_is_told_apart() {
    let (_root, deck) = deck(&[]);
    let path = deck.root().join(id("aaa111").path());
    fs::create_dir_all(&path).unwrap();
    assert_eq!(deck.cards().unwrap().problems[0].message, "is no file");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "").unwrap();
    let problems = &deck.cards().unwrap().problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("no front matter"), "{problems:?}");
}

#[test]
fn the_text_of_a_card_can_be_read_whatever_it_says() {
    let (_root, deck) = deck(&[("bad001", "---\ntitle: [\n---\n")]);
    assert_eq!(deck.text(&id("bad001")).unwrap(), "---\ntitle: [\n---\n");
    assert!(matches!(deck.read(&id("bad001")), Err(DeckError::Malformed(_))));
    assert!(matches!(deck.text(&id("none00")), Err(DeckError::NoCard { .. })));
}

#[test]
fn while_no_edit_was_heard_of_no_file_is_looked_at() {
    let (_root, deck) = deck(&[("aaa111", CARD)]);
    let first = deck.cards_as_of(Some(7)).unwrap();
    fs::remove_file(deck.root().join(id("aaa111").path())).unwrap();
    assert!(Arc::ptr_eq(&first, &deck.cards_as_of(Some(7)).unwrap()));
    assert!(deck.cards_as_of(Some(8)).unwrap().cards.is_empty());
    write(&deck, "bbb222.md", CARD.as_bytes());
    assert_eq!(deck.cards_as_of(None).unwrap().cards.len(), 1, "without a count every question looks");
}

#[cfg(unix)]
#[test]
fn links_and_write_protected_cards_are_left_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (root, deck) = deck(&[("aaa111", CARD)]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x.md"), CARD).unwrap();
    symlink(outside.path().join("x.md"), deck.cards_folder().join("lnk001.md")).unwrap();
    assert_eq!(ids(&deck), ["aaa111"]);
    let update = Update { status: Some(Status::Done), ..Update::default() };
    assert!(matches!(deck.update(&id("lnk001"), &update, now()), Err(DeckError::Malformed(_))));
    assert_eq!(fs::read_to_string(outside.path().join("x.md")).unwrap(), CARD);
    let path = deck.root().join(id("aaa111").path());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(deck.update(&id("aaa111"), &update, now()), Err(DeckError::ReadOnly(_))));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    deck.update(&id("aaa111"), &update, now()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    fs::rename(deck.cards_folder(), root.path().join("moved")).unwrap();
    symlink(outside.path(), deck.cards_folder()).unwrap();
    let refused = deck.cards().unwrap_err().to_string();
    assert!(refused.starts_with(".cuedeck/cards is a link"), "{refused}");
}

#[test]
fn an_anchor_that_others_use_is_not_changed() {
    let (_root, deck) = deck(&[("aaa111", "---\ntitle: A\nstatus: &s todo\nx: *s\n---\n")]);
    let update = Update { status: Some(Status::Done), ..Update::default() };
    match deck.update(&id("aaa111"), &update, now()) {
        Err(DeckError::Edit { problem, .. }) => assert_eq!(problem, EditProblem::NotAlone { key: "status".to_owned() }),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_second_writer_waits_and_then_learns_who_is_first() {
    let (root, deck) = deck(&[("aaa111", CARD)]);
    let held = deck.lock().unwrap();
    let other = Deck::open(root.path()).with_patience(Duration::ZERO);
    let update = Update { status: Some(Status::Done), ..Update::default() };
    match other.update(&id("aaa111"), &update, now()) {
        Err(DeckError::Locked { holder_pid, .. }) => assert_eq!(holder_pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    drop(held);
    other.update(&id("aaa111"), &update, now()).unwrap();
}

#[test]
fn writers_at_once_lose_nothing() {
    let (root, deck) = deck(&[("aaa111", CARD)]);
    let made: HashSet<CardId> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let root = root.path().to_owned();
                scope.spawn(move || {
                    let deck = Deck::open(root).with_patience(Duration::from_secs(60));
                    let mut made = Vec::new();
                    for round in 0..10 {
                        let add = vec![format!("w{writer}r{round}")];
                        let tags = Some(ListChange::Change { add, remove: Vec::new() });
                        deck.update(&id("aaa111"), &Update { tags, ..Update::default() }, now()).unwrap();
                        let new = NewCard { title: "Race".to_owned(), ..NewCard::default() };
                        made.push(deck.create(&new, now(), &|_| false).unwrap().id);
                    }
                    made
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(made.len(), 40);
    assert_eq!(ids(&deck).len(), 41);
    let tags = deck.read(&id("aaa111")).unwrap().0.tags;
    for tag in (0..4).flat_map(|writer| (0..10).map(move |round| format!("w{writer}r{round}"))) {
        assert!(tags.contains(&tag), "{tag} in {tags:?}");
    }
    assert_eq!(fs::read_dir(deck.cache_folder()).unwrap().count(), 1, "only the lock is left");
}

#[test]
fn ten_thousand_cards_are_listed() {
    let (_root, deck) = deck(&[]);
    fs::create_dir_all(deck.cards_folder()).unwrap();
    for number in 0..10_000 {
        write(&deck, &format!("t{number:05}.md"), CARD.as_bytes());
    }
    let cards = deck.cards().unwrap();
    assert_eq!((cards.cards.len(), cards.problems.len()), (10_000, 0));
    assert_eq!(cards.get("t09999").unwrap().title, "A");
}

#[test]
fn cleaning_takes_the_cache_and_nothing_else() {
    let (root, deck) = deck(&[("aaa111", CARD)]);
    assert_eq!(deck.clean().unwrap(), Cleaned::default());
    fs::create_dir_all(root.path().join(".cuedeck/.cache/junk")).unwrap();
    fs::write(root.path().join(".cuedeck/.cache/junk/file.bin"), "junk").unwrap();
    assert_eq!(deck.clean().unwrap(), Cleaned { files: 1, bytes: 4 });
    assert!(!deck.cache_folder().exists());
    assert_eq!(ids(&deck), ["aaa111"]);
    deck.lock().unwrap();
}
