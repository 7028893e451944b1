//! Bytes that something else has changed: an answer is the right one or an error, never another one.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::fixture::{Project, new_version};
use crate::{Embedding, Manifest, NameMatch, StoreError, TextField};

const FILES: usize = 40;

fn text(number: usize, round: usize) -> String {
    let mut text = format!("//! Module {number}, of round {round}.\n\n");
    for at in 0..6 {
        text += &format!(
            "/// Turns widget_{number}_{at} into gadget.\npub fn convert_{number}_{at}(input: &Widget{at}) -> Gadget {{\n    \
             let part = helper_{at}(input.field_{number});\n    part.finish_{round}()\n}}\n\n"
        );
    }
    text
}

fn build(project: &Project) {
    for (round, name) in ["main", "feature"].into_iter().enumerate() {
        let mut writer = project.store().write().unwrap();
        writer.use_model(Some(&Embedding { model: "test".to_owned(), row: 8 })).unwrap();
        let mut manifest = Manifest::default();
        for number in 0..FILES {
            let changed = if number % 5 == 0 { round } else { 0 };
            let mut new = new_version(&format!("src/module_{number}.rs"), &text(number, changed));
            new.vectors = vec![(number * 7 + round) as u8; 8 * new.facts.chunks.len()];
            let known = writer.versions_of(&new.path, &new.module).unwrap();
            let known = known.iter().find(|(hash, _)| *hash == new.hash).map(|(_, id)| *id);
            manifest.add(known.unwrap_or_else(|| writer.add(new).unwrap()));
        }
        writer.publish(name, &manifest, Timestamp::UNIX_EPOCH).unwrap();
    }
}

/// Everything that questions are answered from, in words.
fn answers(project: &Project) -> Result<String, StoreError> {
    let store = project.store();
    let mut said = String::new();
    for name in ["main", "feature", "neither"] {
        let snapshot = store.ref_snapshot(name)?;
        let state = snapshot.as_ref().map(|snapshot| &snapshot.state);
        said += &format!("{name}: {:?}\n", state.map(|state| (&state.commit, state.files, state.symbols)));
        let Some(snapshot) = snapshot else { continue };
        for row in snapshot.files()? {
            said += &format!("{row:?}\n{:?}\n", snapshot.facts(row.id)?);
            said += &format!("{:?}\n", snapshot.file_at(&row.path)?.map(|row| row.id));
        }
        for number in [0, 7, 20, 39] {
            for (symbol, how) in [
                (format!("convert_{number}_3"), NameMatch::Exact),
                (format!("CONVERT_{number}_4"), NameMatch::CaseInsensitive),
                (format!("convert_{number}_"), NameMatch::Prefix),
                (format!("convert_{number}_99"), NameMatch::Exact),
                (format!("convert_{number}_99"), NameMatch::Typo),
            ] {
                said += &format!("{symbol}: {:?}\n", snapshot.find_name(&symbol, how)?);
            }
            let users = snapshot.mentioning(&format!("helper_{}", number % 6))?;
            said += &format!("{users:?}\n");
        }
        let corpus = snapshot.corpus()?;
        for word in ["widget", "helper", "module", "finish", "absent"] {
            said += &format!("{word}: {:?}\n", corpus.postings(TextField::Body, &crate::tokens(word)[0])?);
            said += &format!("{word}: {:?}\n", corpus.postings(TextField::Name, &crate::tokens(word)[0])?);
        }
        said += &format!("{:?} {:?}\n", corpus.lengths(TextField::Body), corpus.lengths(TextField::Name));
        match corpus.vectors() {
            _ if corpus.vectors_damaged() => return Err(StoreError::checksum("the embeddings")), // and that is said
            Some(vectors) => {
                for file in 0..corpus.files().len() as u32 {
                    said += &format!("{:?}", vectors.rows_of(file).collect::<Vec<_>>());
                }
            }
            None => said += "no vectors",
        }
    }
    Ok(said)
}

/// The files of the generation in use, with what is in them.
fn contents(project: &Project) -> Vec<(PathBuf, Vec<u8>)> {
    let generation = project.dir.current().unwrap().unwrap();
    let mut folders = vec![generation];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => files.push((path.clone(), std::fs::read(&path).unwrap())),
            }
        }
    }
    files.retain(|(_, content)| !content.is_empty());
    files.sort();
    files
}

/// How many damages of each kind are tried; `CRUXE_DAMAGES` asks for more.
fn rounds() -> usize {
    std::env::var("CRUXE_DAMAGES").ok().and_then(|count| count.parse().ok()).unwrap_or(120)
}

#[test]
fn a_damaged_byte_gives_an_error_or_the_right_answer_whatever_file_it_is_in() {
    let project = Project::new();
    build(&project);
    let right = answers(&project).unwrap();
    let sound = contents(&project);
    let kinds = |path: &PathBuf| path.extension().map(|ending| ending.to_string_lossy().into_owned());
    assert!(sound.iter().any(|(path, _)| kinds(path).as_deref() == Some("db")), "{sound:?}");
    assert!(sound.len() >= 8, "{:?}", sound.iter().map(|(path, _)| path).collect::<Vec<_>>());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let (mut noticed, mut harmless) = (0, 0);
    for round in 0..rounds() {
        // Each file as often as the others, however small it is.
        let (path, content) = &sound[round % sound.len()];
        let mut damaged = content.clone();
        let at = below(content.len());
        match round / sound.len() % 4 {
            0 => damaged.truncate(at),
            1 => damaged[at..].iter_mut().take(512).for_each(|byte| *byte = 0),
            _ => damaged[at] ^= 1 << below(8),
        }
        std::fs::write(path, &damaged).unwrap();
        let file = path.file_name().unwrap().to_string_lossy();
        match answers(&project) {
            Err(_) => noticed += 1,
            Ok(said) if said == right => harmless += 1,
            Ok(said) => {
                let differs = right.lines().zip(said.lines()).find(|(right, said)| right != said);
                panic!("round {round}, {file}, byte {at} of {}: {differs:?}", content.len());
            }
        }
        for (path, content) in &sound {
            std::fs::write(path, content).unwrap();
        }
        for path in contents(&project).into_iter().map(|(path, _)| path) {
            if !sound.iter().any(|(sound, _)| *sound == path) {
                std::fs::remove_file(path).unwrap(); // a log, a mark
            }
        }
        let mark = project.dir.current().unwrap().unwrap().join("vectors.1.damaged");
        let _ = std::fs::remove_file(mark);
    }
    println!("{noticed} noticed, {harmless} harmless");
    assert!(noticed > harmless, "{noticed} noticed, {harmless} harmless");
    assert_eq!(answers(&project).unwrap(), right);
}

#[test]
fn damaged_embeddings_cost_the_embeddings_alone_and_the_next_writer_starts_anew() {
    let project = Project::new();
    build(&project);
    let generation = project.dir.current().unwrap().unwrap();
    let path = generation.join("vectors.1");
    let sound = std::fs::read(&path).unwrap();
    let flipped: Vec<u8> = sound.iter().enumerate().map(|(at, byte)| if at == 100 { !byte } else { *byte }).collect();
    for (what, content) in [("cut", Some(&sound[..50])), ("flipped", Some(&flipped[..])), ("gone", None)] {
        match content {
            Some(content) => std::fs::write(&path, content).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let store = project.store();
        store.validate().unwrap();
        assert!(store.validate_vectors().is_err(), "{what}");
        let snapshot = store.ref_snapshot("main").unwrap().unwrap();
        let corpus = snapshot.corpus().unwrap();
        assert!(corpus.vectors_damaged() && corpus.vectors().is_none(), "{what}");
        assert!(!corpus.postings(TextField::Body, &crate::tokens("widget")[0]).unwrap().is_empty());
        assert_eq!(snapshot.embedding().unwrap(), None, "{what}");
        let versions = snapshot.state.versions.clone();
        drop(snapshot);

        let writer = store.write().unwrap();
        assert_eq!(writer.without_vectors(&versions).unwrap(), versions, "{what}: all are needed again");
        writer.abandon();
        std::fs::write(&path, &sound).unwrap();
        let _ = std::fs::remove_file(generation.join("vectors.1.damaged"));
        project.store().validate_vectors().unwrap();
    }
}
