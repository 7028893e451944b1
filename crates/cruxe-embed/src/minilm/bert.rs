//! The network: embeddings, layers of attention and feed-forward, the mean over all tokens.

use super::gemm::{View, multiply};
use super::weights::{Matrix, Weights};
use crate::error::EmbedError;

const EPSILON: f32 = 1e-12;

/// A network of the BERT kind with as many layers as its weights have.
pub(super) struct Bert {
    words: Matrix,
    /// With the embedding of the only segment already added.
    positions: Matrix,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
}

struct Layer {
    /// Query, key and value below each other: one product instead of three.
    attention: Linear,
    attention_out: Linear,
    attention_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
}

struct Linear {
    weight: Matrix,
    bias: Vec<f32>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Bert {
    pub fn new(weights: &Weights, heads: usize) -> Result<Bert, EmbedError> {
        let words = weights.matrix("embeddings.word_embeddings.weight")?;
        let dims = words.columns;
        if dims % heads != 0 {
            return Err(EmbedError::Model(format!("{dims} dimensions cannot be cut into {heads} heads")));
        }
        let mut positions = weights.matrix("embeddings.position_embeddings.weight")?;
        let segments = weights.matrix("embeddings.token_type_embeddings.weight")?;
        if positions.columns != dims || segments.columns != dims {
            return Err(EmbedError::Model("words, positions and segments differ in their dimensions".to_owned()));
        }
        for position in positions.values.chunks_exact_mut(dims) {
            add(position, segments.row(0));
        }
        let layers: Vec<Layer> = (0..)
            .map(|number| format!("encoder.layer.{number}."))
            .take_while(|prefix| weights.has(&format!("{prefix}attention.self.query.weight")))
            .map(|prefix| Layer::new(weights, &prefix, dims))
            .collect::<Result<_, _>>()?;
        if layers.is_empty() {
            return Err(EmbedError::Model("the weights have no layer".to_owned()));
        }
        Ok(Bert { norm: Norm::new(weights, "embeddings.", dims)?, words, positions, layers, heads })
    }

    pub fn dims(&self) -> usize {
        self.words.columns
    }

    pub fn words(&self) -> usize {
        self.words.rows
    }

    /// The unit vector of a sequence, not empty, of tokens below `words`; of what goes beyond the last
    /// position nothing is seen.
    pub fn embed(&self, tokens: &[u32]) -> Vec<f32> {
        let dims = self.dims();
        let tokens = &tokens[..tokens.len().min(self.positions.rows)];
        let mut state: Vec<f32> = Vec::with_capacity(tokens.len() * dims);
        for (at, &token) in tokens.iter().enumerate() {
            let word = self.words.row(token as usize);
            state.extend(word.iter().zip(self.positions.row(at)).map(|(word, position)| word + position));
        }
        self.norm.apply(&mut state);
        for layer in &self.layers {
            layer.apply(&mut state, dims, self.heads);
        }
        mean(&state, dims)
    }
}

impl Layer {
    fn new(weights: &Weights, prefix: &str, dims: usize) -> Result<Layer, EmbedError> {
        let linear = |name: &str, outputs: usize, inputs: usize| {
            Linear::new(weights, &format!("{prefix}{name}."), outputs, inputs)
        };
        let mut attention =
            Linear { weight: Matrix { rows: 3 * dims, columns: dims, values: Vec::new() }, bias: Vec::new() };
        for name in ["query", "key", "value"] {
            let part = linear(&format!("attention.self.{name}"), dims, dims)?;
            attention.weight.values.extend(part.weight.values);
            attention.bias.extend(part.bias);
        }
        let wide = weights.matrix(&format!("{prefix}intermediate.dense.weight"))?.rows;
        Ok(Layer {
            attention,
            attention_out: linear("attention.output.dense", dims, dims)?,
            attention_norm: Norm::new(weights, &format!("{prefix}attention.output."), dims)?,
            widen: linear("intermediate.dense", wide, dims)?,
            narrow: linear("output.dense", dims, wide)?,
            norm: Norm::new(weights, &format!("{prefix}output."), dims)?,
        })
    }

    fn apply(&self, state: &mut [f32], dims: usize, heads: usize) {
        let attended = attend(&self.attention.apply(state), dims, heads);
        let out = self.attention_out.apply(&attended);
        add(state, &out);
        self.attention_norm.apply(state);
        let mut wide = self.widen.apply(state);
        wide.iter_mut().for_each(|value| *value = gelu(*value));
        add(state, &self.narrow.apply(&wide));
        self.norm.apply(state);
    }
}

/// Every token takes from every other what it asks for; `joined` has query, key and value of a token in a row.
fn attend(joined: &[f32], dims: usize, heads: usize) -> Vec<f32> {
    let (length, width) = (joined.len() / (3 * dims), dims / heads);
    let mut out = vec![0.0; length * dims];
    let mut scores = vec![0.0; length * length];
    for head in 0..heads {
        let part = |which: usize| View::of(&joined[which * dims + head * width..], length, width, 3 * dims);
        let factor = 1.0 / (width as f32).sqrt();
        multiply(factor, part(0), part(1).transposed(), 0.0, &mut scores, length);
        scores.chunks_exact_mut(length).for_each(softmax);
        multiply(1.0, View::of(&scores, length, length, length), part(2), 0.0, &mut out[head * width..], dims);
    }
    out
}

impl Linear {
    fn new(weights: &Weights, prefix: &str, outputs: usize, inputs: usize) -> Result<Linear, EmbedError> {
        Ok(Linear {
            weight: weights.matrix_of(&format!("{prefix}weight"), outputs, inputs)?,
            bias: weights.vector_of(&format!("{prefix}bias"), outputs)?,
        })
    }

    fn apply(&self, state: &[f32]) -> Vec<f32> {
        let Matrix { rows: outputs, columns: inputs, values } = &self.weight;
        let length = state.len() / inputs;
        let mut out = self.bias.repeat(length);
        let weight = View::of(values, *outputs, *inputs, *inputs).transposed();
        multiply(1.0, View::of(state, length, *inputs, *inputs), weight, 1.0, &mut out, *outputs);
        out
    }
}

impl Norm {
    fn new(weights: &Weights, prefix: &str, dims: usize) -> Result<Norm, EmbedError> {
        Ok(Norm {
            weight: weights.vector_of(&format!("{prefix}LayerNorm.weight"), dims)?,
            bias: weights.vector_of(&format!("{prefix}LayerNorm.bias"), dims)?,
        })
    }

    fn apply(&self, state: &mut [f32]) {
        let dims = self.weight.len();
        for row in state.chunks_exact_mut(dims) {
            let mean = row.iter().sum::<f32>() / dims as f32;
            let variance = row.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / dims as f32;
            let factor = 1.0 / (variance + EPSILON).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *value = (*value - mean) * factor * weight + bias;
            }
        }
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

fn softmax(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let factor = 1.0 / row.iter().sum::<f32>();
    row.iter_mut().for_each(|value| *value *= factor);
}

fn gelu(value: f32) -> f32 {
    0.5 * value * (1.0 + erf(value * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function to 1.5e-7, after Abramowitz and Stegun 7.1.26.
fn erf(value: f32) -> f32 {
    let magnitude = value.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * magnitude);
    let polynomial = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - polynomial * (-magnitude * magnitude).exp()).copysign(value)
}

/// The unit vector in the direction of the mean of all rows.
fn mean(state: &[f32], dims: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dims];
    for row in state.chunks_exact(dims) {
        add(&mut sum, row);
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|value| *value /= length);
    }
    sum
}
