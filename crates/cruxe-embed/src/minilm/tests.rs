//! The network against values that another program computed: a tiny one always, the real one where it is installed.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, TensorView};

use super::*;

const TINY_DIMS: usize = 16;
const TINY_WIDE: usize = 32;

/// Numbers from -0.5 to 0.5 that the other program makes in the same way.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32 - 0.5
    }
}

/// A network of two layers as a file. `change` may spoil the tensors before.
fn tiny(change: impl Fn(&mut Vec<(String, Vec<usize>, Vec<f32>)>)) -> Vec<u8> {
    let mut random = Random(42);
    let mut tensors: Vec<(String, Vec<usize>, Vec<f32>)> = Vec::new();
    let mut tensor = |name: String, shape: &[usize], offset: f32| {
        let values = (0..shape.iter().product()).map(|_| random.next() + offset).collect();
        tensors.push((name, shape.to_vec(), values));
    };
    let (dims, wide) = (TINY_DIMS, TINY_WIDE);
    for (name, rows) in [("word", 24), ("position", 20), ("token_type", 2)] {
        tensor(format!("embeddings.{name}_embeddings.weight"), &[rows, dims], 0.0);
    }
    tensor("embeddings.LayerNorm.weight".into(), &[dims], 1.0);
    tensor("embeddings.LayerNorm.bias".into(), &[dims], 0.0);
    for layer in 0..2 {
        let mut linear = |name: &str, outputs: usize, inputs: usize| {
            tensor(format!("encoder.layer.{layer}.{name}.weight"), &[outputs, inputs], 0.0);
            tensor(format!("encoder.layer.{layer}.{name}.bias"), &[outputs], 0.0);
        };
        for name in ["query", "key", "value"] {
            linear(&format!("attention.self.{name}"), dims, dims);
        }
        linear("attention.output.dense", dims, dims);
        tensor(format!("encoder.layer.{layer}.attention.output.LayerNorm.weight"), &[dims], 1.0);
        tensor(format!("encoder.layer.{layer}.attention.output.LayerNorm.bias"), &[dims], 0.0);
        let mut linear = |name: &str, outputs: usize, inputs: usize| {
            tensor(format!("encoder.layer.{layer}.{name}.weight"), &[outputs, inputs], 0.0);
            tensor(format!("encoder.layer.{layer}.{name}.bias"), &[outputs], 0.0);
        };
        linear("intermediate.dense", wide, dims);
        linear("output.dense", dims, wide);
        tensor(format!("encoder.layer.{layer}.output.LayerNorm.weight"), &[dims], 1.0);
        tensor(format!("encoder.layer.{layer}.output.LayerNorm.bias"), &[dims], 0.0);
    }
    change(&mut tensors);
    let bytes: Vec<Vec<u8>> =
        tensors.iter().map(|(_, _, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect()).collect();
    let views: HashMap<&str, TensorView> = tensors
        .iter()
        .zip(&bytes)
        .map(|((name, shape, _), bytes)| (name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()))
        .collect();
    safetensors::serialize(views, None).unwrap()
}

fn close(text: &str, values: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(values.len(), expected.len());
    for (value, expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() < tolerance, "{text}: {value} for {expected}");
    }
}

#[test]
fn a_tiny_network_gives_what_another_program_computed() {
    let file = tiny(|_| {});
    let bert = Bert::new(&Weights::parse(&file).unwrap(), 4).unwrap();
    assert_eq!((bert.dims(), bert.words()), (16, 24));
    let long = [1, 3, 4, 7, 8, 23, 0, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 2];
    let cases: [(&[u32], [f32; TINY_DIMS]); 3] = [
        (
            &[1, 5, 9, 2],
            [
                0.017296, -0.054545, -0.125488, -0.127835, -0.216145, 0.257094, 0.302239, -0.354103, 0.23776,
                -0.277884, -0.213811, -0.161542, 0.138732, -0.34665, 0.537931, 0.027198,
            ],
        ),
        (
            &[1, 2],
            [
                0.01389, -0.151596, -0.135881, -0.142894, -0.240678, 0.190279, 0.349568, -0.245356, 0.190013,
                -0.232315, -0.216775, -0.131857, 0.129309, -0.428239, 0.546911, 0.087976,
            ],
        ),
        (
            &long,
            [
                -0.048211, -0.121822, 0.06947, -0.075691, -0.023381, 0.19443, 0.022659, -0.216806, 0.142974, -0.21039,
                -0.015678, -0.184219, 0.083664, -0.635934, 0.613226, 0.008102,
            ],
        ),
    ];
    for (tokens, expected) in cases {
        close(&format!("{tokens:?}"), &bert.embed(tokens), &expected, 1e-5);
    }
    let longer: Vec<u32> = long.into_iter().chain([5, 6]).collect();
    assert_eq!(bert.embed(&longer), bert.embed(&long), "there are twenty positions");
}

#[test]
fn weights_that_do_not_fit_are_refused_with_their_name() {
    let refusal = |file: &[u8], heads| match Weights::parse(file).and_then(|weights| Bert::new(&weights, heads)) {
        Ok(_) => panic!("it was taken"),
        Err(problem) => problem.to_string(),
    };
    let good = tiny(|_| {});
    let without = |name: &'static str| tiny(move |tensors| tensors.retain(|tensor| !tensor.0.contains(name)));
    for (file, heads, expected) in [
        (good[..good.len() / 2].to_vec(), 4, "the file of weights is damaged"),
        (Vec::new(), 4, "the file of weights is damaged"),
        (good, 5, "16 dimensions cannot be cut into 5 heads"),
        (without("word_embeddings"), 4, "`embeddings.word_embeddings.weight` are missing"),
        (without("layer.1.output.dense.bias"), 4, "`encoder.layer.1.output.dense.bias` are missing"),
        (without("encoder"), 4, "have no layer"),
        (tiny(|tensors| tensors[0].2[3] = f32::NAN), 4, "`embeddings.word_embeddings.weight` are not all numbers"),
        (
            tiny(|tensors| {
                tensors[3].1[0] -= 1;
                tensors[3].2.pop();
            }),
            4,
            "`embeddings.LayerNorm.weight` has the shape [15] instead of [16]",
        ),
    ] {
        let text = refusal(&file, heads);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_folder_without_the_model_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = MiniLm::open(folder.path()).err().unwrap().to_string();
    assert!(text.contains("vocab.txt"), "{text}");
    std::fs::write(folder.path().join(VOCABULARY), "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na").unwrap();
    std::fs::write(folder.path().join(WEIGHTS), tiny(|_| {})).unwrap();
    let text = MiniLm::open(folder.path()).err().unwrap().to_string();
    assert!(text.contains("16 dimensions cannot be cut into 12 heads"), "{text}");
}

/// Set to a folder with the installed model. What is expected was computed by another program, in double precision, from
/// the same weights; sentence-transformers 3.3.1 gives the same to 5e-7.
const INSTALLED: &str = "CRUXE_TEST_MINILM";

#[test]
fn vectors_are_those_of_the_original_network() {
    let Some(folder) = std::env::var_os(INSTALLED) else {
        println!("NOT RUN: set {INSTALLED} to a folder with {WEIGHTS} and {VOCABULARY} of {NAME}");
        return;
    };
    // The first eight components, the sum of all times their places, the cosine with the first text.
    let long = "token budget ".repeat(200);
    let cases: [(&str, [f32; 8], f32, f32); 6] = [
        (
            "Where is the configuration file read?",
            [0.048606, -0.007646, -0.14332, -0.042567, 0.034573, 0.023834, 0.010276, 0.061951],
            -1.94153,
            1.0,
        ),
        (
            "fn read_config(path: &Path) -> Result<Config, Error> { toml::from_str(&fs::read_to_string(path)?) }",
            [-0.025052, 0.071118, -0.102577, -0.012363, -0.03567, -0.015252, -0.054598, 0.082798],
            40.68466,
            0.41976,
        ),
        (
            "Größe naïve CAFÉ — 日本語のテキスト, punctuation!",
            [0.032357, 0.09845, 0.091843, -0.015923, -0.0536, 0.06483, 0.156346, 0.038981],
            -80.83471,
            0.03345,
        ),
        ("", [-0.118838, 0.048299, -0.002548, -0.011011, 0.051951, 0.010292, 0.115433, 0.000701], 232.49798, -0.05273),
        (
            "JoinHandle::abort does not cancel blocking tasks [SEP] [MASK]",
            [-0.051154, -0.009462, 0.075922, 0.033079, 0.021618, 0.053637, 0.014125, -0.054967],
            126.61802,
            -0.06638,
        ),
        (
            &long,
            [0.034267, -0.021258, -0.033876, 0.014213, 0.05839, -0.011946, -0.017196, 0.008029],
            -518.61412,
            0.00068,
        ),
    ];
    let model = MiniLm::open(Path::new(&folder)).unwrap();
    let texts: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let vectors = model.embed_batch(&texts);
    for ((text, first, checksum, cosine), vector) in cases.iter().zip(&vectors) {
        assert_eq!(vector.len(), DIMS);
        close(text, &vector[..8], first, 1e-5);
        let weighted: f32 = (1_u16..).zip(vector).map(|(place, value)| f32::from(place) * value).sum();
        assert!((weighted - checksum).abs() < 0.02, "{text}: {weighted} for {checksum}");
        let product: f32 = vector.iter().zip(&vectors[0]).map(|(x, y)| x * y).sum();
        assert!((product - cosine).abs() < 1e-4, "{text}: {product} for {cosine}");
        assert_eq!(&model.embed(text), vector, "{text}: alone as in a batch");
    }
}

#[test]
fn tokens_are_those_of_the_original() {
    let Some(folder) = std::env::var_os(INSTALLED) else {
        println!("NOT RUN: set {INSTALLED} to a folder with {WEIGHTS} and {VOCABULARY} of {NAME}");
        return;
    };
    let words = std::fs::read_to_string(Path::new(&folder).join(VOCABULARY)).unwrap();
    let tokenizer = Tokenizer::new(&words).unwrap();
    let cases: [(&str, &[u32]); 6] = [
        ("ｆｕｌｌ ﬁ ǅ\u{200b}x\u{ad}", &[101, 100, 1984, 100, 102]),
        (
            "Привет, мир! हिन्दी 한국어 ไทย",
            &[
                101, 1194, 16856, 10325, 25529, 15290, 22919, 1010, 1191, 10325, 16856, 999, 1339, 29877, 29863, 29861,
                29878, 1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008, 100, 102,
            ],
        ),
        ("a\tb\r\nc\u{0}d\u{fffd} e\u{301} İ", &[101, 1037, 1038, 3729, 1041, 1045, 102]),
        (
            "snake_case camelCase $a^b`c` ~ «q» ¿",
            &[
                101, 7488, 1035, 2553, 19130, 18382, 1002, 1037, 1034, 1038, 1036, 1039, 1036, 1066, 1077, 1053, 1090,
                1094, 102,
            ],
        ),
        ("日本 中文字符 ｶﾅ 👍🏽 e\u{200d}f", &[101, 1864, 1876, 1746, 1861, 100, 100, 100, 100, 1041, 2546, 102]),
        ("JoinHandle::abort", &[101, 3693, 11774, 2571, 1024, 1024, 11113, 11589, 102]),
    ];
    for (text, expected) in cases {
        assert_eq!(tokenizer.encode(text), expected, "{text}");
    }
}
