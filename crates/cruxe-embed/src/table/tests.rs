//! Against the program that trained the table, and against files that are none.

use super::*;

const TEXTS: [&str; 5] = [
    "parse the configuration file and return its values",
    "fn read_config(path: &Path) -> Result<Config, Error> { let text = fs::read_to_string(path)?; toml::from_str(&text) }",
    "class XMLHttpRequestFactory2: def getHTTPResponseCode(self): return self._statusCode",
    "JoinHandle::abort does not cancel spawn_blocking tasks",
    "zxqvjkwq supercalifragilisticexpialidocious deadbeef0123456789abcdef",
];

/// The numbers of the word pieces of a text.
fn tokens(table: &Table, text: &str) -> Vec<u32> {
    let mut embedder = table.embedder();
    embedder.begin(text);
    embedder.tokens
}

#[test]
fn tokens_are_those_of_the_training_program() {
    let expected: [&[u32]; 5] = [
        &[27575, 36, 7596, 3409, 38, 748, 89, 3338],
        &[
            27559, 1229, 27562, 2168, 2168, 804, 27562, 5597, 331, 1831, 27635, 1229, 40, 3202, 2168, 27872, 53, 27560,
            1831,
        ],
        &[504, 18939, 6332, 3265, 2751, 2, 11392, 171, 6332, 1471, 1680, 1008, 748, 1008, 1608, 1680],
        &[1731, 3085, 27845, 554, 65, 15547, 23613, 8881, 6551],
        &[
            31665, 2198, 654, 14006, 899, 2198, 1603, 7322, 8161, 27129, 22386, 2626, 8320, 17306, 19262, 8118, 4351,
            796, 9336, 585, 3928, 19914, 17951, 614, 620, 659, 722, 3963, 1245, 585,
        ],
    ];
    for (text, expected) in TEXTS.iter().zip(expected) {
        assert_eq!(tokens(Table::builtin(), text), expected, "{text}");
    }
}

#[test]
fn vectors_are_those_of_the_training_program() {
    // The first four components of each unit vector, and the cosines of each with the ones after it.
    let components = [
        [-0.102_116, 0.014_021, 0.029_150, -0.101_758],
        [-0.117_397, 0.029_303, 0.023_632, 0.043_126],
        [-0.085_636, -0.003_184, 0.032_771, 0.017_866],
        [0.062_544, 0.030_340, -0.105_413, -0.031_488],
        [-0.128_325, 0.234_517, -0.018_652, 0.342_322],
    ];
    let cosines: [&[f32]; 5] = [
        &[0.294_26, 0.082_55, -0.157_40, -0.039_13],
        &[-0.086_65, -0.085_50, -0.001_92],
        &[-0.004_06, 0.031_10],
        &[0.000_29],
        &[],
    ];
    let table = Table::builtin();
    let floats: Vec<Vec<f32>> = TEXTS
        .iter()
        .map(|text| {
            let mut embedder = table.embedder();
            embedder.begin(text);
            let sum = embedder.sum();
            let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
            sum.iter().map(|value| value / length).collect()
        })
        .collect();
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    for (at, text) in TEXTS.iter().enumerate() {
        for (value, expected) in floats[at].iter().zip(components[at]) {
            assert!((value - expected).abs() < 1e-5, "{text}: {value} for {expected}");
        }
        let vector = table.embed(text).unwrap();
        let rounded: Vec<f32> = vector.values.iter().map(|&value| f32::from(value) * vector.scale).collect();
        assert!(product(&rounded, &floats[at]) > 0.999, "{text}");
        for (other, expected) in floats[at + 1..].iter().zip(cosines[at]) {
            assert!((product(&floats[at], other) - expected).abs() < 1e-4, "{text}");
        }
    }
}

#[test]
fn the_built_in_table_is_what_it_says() {
    let table = Table::builtin();
    assert_eq!((table.dims(), table.words(), table.size()), (256, 37_208, 9_957_824));
    assert!(table.version().starts_with("code-static-256-") && table.version().len() == 28, "{}", table.version());
    assert_eq!(Table::parse(BUILTIN).unwrap().version(), table.version());
    assert_ne!(Table::parse(small(&[b"a"])).unwrap().version(), Table::parse(small(&[b"b"])).unwrap().version());
}

#[test]
fn a_related_text_is_nearer_than_an_unrelated_one() {
    let embed = |text| Table::builtin().embed(text).unwrap();
    let question = embed("how is the configuration file read");
    assert!(question.cosine(&embed(TEXTS[1])) > question.cosine(&embed(TEXTS[3])) + 0.2);
}

#[test]
fn text_without_known_words_has_no_vector() {
    for text in ["", "   ", "→ ⇒ €", "ഉത്സവം", "!!!---!!!"] {
        assert_eq!(Table::builtin().embed(text), None, "{text}");
    }
    assert_eq!(Table::builtin().embedder().embed(&[]), None);
}

#[test]
fn accents_do_not_matter() {
    let embed = |text| Table::builtin().embed(text);
    assert_eq!(embed("résumé naïve"), embed("resume naive"));
    assert_ne!(embed("résumé"), embed("rsum"));
    assert_eq!(embed("parse ഉത്സവം file"), embed("parse file"));
}

#[test]
fn parts_are_one_text_with_blanks_between() {
    let table = Table::builtin();
    let parts = ["readConfig", "", "Reads the file", "fn read_config()"];
    assert_eq!(table.embedder().embed(&parts), table.embed(&parts.join(" ")));
    assert_ne!(table.embedder().embed(&["read", "er"]), table.embed("reader"));
    let long = "alpha ".repeat(MOST_WORDS);
    assert_eq!(table.embedder().embed(&[&long, "beta"]), table.embed(&long));
    assert_eq!(table.embed(&format!("{long} beta")), table.embed(&long));
    let shorter = "alpha ".repeat(MOST_WORDS - 1);
    assert_ne!(table.embedder().embed(&[&shorter, "beta"]), table.embed(&shorter));
}

#[test]
fn a_text_does_not_know_of_the_one_before_it() {
    let table = Table::builtin();
    let mut embedder = table.embedder();
    embedder.begin("src/config.rs");
    for text in [TEXTS[0], TEXTS[3], "", TEXTS[1], TEXTS[3]] {
        assert_eq!(embedder.embed(&[text]), table.embed(&format!("src/config.rs {text}")), "{text}");
    }
    embedder.begin("");
    assert_eq!(embedder.embed(&[TEXTS[2]]), table.embed(TEXTS[2]));
    assert_eq!(embedder.embed(&[""]), None);
}

/// A table of two dimensions with the given words.
fn small(words: &[&[u8]]) -> Vec<u8> {
    let text: Vec<u8> = words.iter().flat_map(|word| [&[word.len() as u8], *word].concat()).collect();
    let mut file = b"CQSE".to_vec();
    for number in [1, 2, words.len() as u32, text.len() as u32] {
        file.extend(number.to_le_bytes());
    }
    file.extend(text);
    for _ in words {
        file.extend(0.5_f32.to_le_bytes());
    }
    for at in 0..words.len() as i8 {
        file.extend([100 - at, at].map(|value| value as u8));
    }
    file
}

fn refusal(file: Vec<u8>) -> String {
    Table::parse(file).err().unwrap().to_string()
}

#[test]
fn words_of_other_scripts_are_found_whole_and_then_by_character() {
    let words = ["привет", "日", "語", "a", "##b", "日本"];
    let table = Table::parse(small(&words.map(str::as_bytes))).unwrap();
    assert_eq!(tokens(&table, "ПРИВЕТ"), [0]);
    assert_eq!(tokens(&table, "приветы"), Vec::<u32>::new());
    assert_eq!(tokens(&table, "日本語"), [1, 2]);
    assert_eq!(tokens(&table, "日本"), [5]);
    assert_eq!(tokens(&table, "AB ab abc b"), [3, 4, 3, 4]);
}

#[test]
fn what_is_no_table_is_refused_with_the_reason() {
    let good = || small(&[b"a", b"##b"]);
    assert!(Table::parse(good()).is_ok());
    let with = |at: usize, value: u32| {
        let mut file = good();
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        file
    };
    let cases = [
        (Vec::new(), "does not begin with `CQSE`"),
        (b"PK\x03\x04 something else".to_vec(), "does not begin with `CQSE`"),
        (b"CQSE\x01\0\0\0".to_vec(), "ends after 8 of the 20 bytes"),
        (with(4, 2), "has format 2"),
        (with(8, 0), "2 words of 0 dimensions"),
        (with(8, 1 << 20), "dimensions make no sense"),
        (with(12, 0), "0 words of 2 dimensions"),
        (with(12, u32::MAX), "it should have"),
        (with(16, u32::MAX), "it should have"),
        (good()[..30].to_vec(), "it should have 38 bytes and has 30"),
        ([good(), vec![0]].concat(), "it should have 38 bytes and has 39"),
        (small(&[b"a", b"a"]), "word 1 of 2, `a`, is there twice"),
        (small(&[b"a", b""]), "word 1 of 2 is empty or cut off"),
        (small(&[b"a", b"\xff\xfe"]), "word 1 of 2 is not UTF-8"),
        (with(26, f32::NAN.to_bits()), "the scale of word 0 is not a number"),
    ];
    for (file, expected) in cases {
        let text = refusal(file);
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("code-static-256.cqse"), "{text}");
    }
    let mut file = good();
    file[20] = 200;
    assert!(refusal(file).contains("word 0 of 2 is empty or cut off"));
    let mut file = good();
    file[22] = 2;
    assert!(refusal(file).contains("1 bytes are left over"));
}

#[test]
fn no_cut_and_no_flipped_byte_of_a_table_panics() {
    let file = small(&[b"ab", b"##c", "日".as_bytes()]);
    for length in 0..file.len() {
        assert!(Table::parse(file[..length].to_vec()).is_err(), "{length}");
    }
    for at in 0..file.len() {
        for value in [0, 1, 127, 128, 255] {
            let mut damaged = file.clone();
            damaged[at] = value;
            if let Ok(table) = Table::parse(damaged) {
                table.embed("abc ab c 日本");
            }
        }
    }
}
