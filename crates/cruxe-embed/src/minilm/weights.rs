//! Tensors by name, with the shapes that are wanted.

use safetensors::{Dtype, SafeTensors};

use crate::error::EmbedError;

/// A file of tensors.
pub(super) struct Weights<'a>(SafeTensors<'a>);

/// A matrix, a row behind the other.
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }
}

impl<'a> Weights<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Weights<'a>, EmbedError> {
        let tensors = SafeTensors::deserialize(bytes)
            .map_err(|problem| EmbedError::Model(format!("the file of weights is damaged: {problem}")))?;
        Ok(Weights(tensors))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.tensor(name).is_ok()
    }

    fn floats(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), EmbedError> {
        let refused = |problem: &str| EmbedError::Model(format!("the weights `{name}` {problem}"));
        let tensor = self.0.tensor(name).map_err(|_| refused("are missing"))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(refused("are not 32-bit floats"));
        }
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let values: Vec<f32> = tensor.data().chunks_exact(4).map(number).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(refused("are not all numbers"));
        }
        Ok((tensor.shape().to_vec(), values))
    }

    pub fn matrix(&self, name: &str) -> Result<Matrix, EmbedError> {
        match self.floats(name)? {
            (shape, values) if shape.len() == 2 && !values.is_empty() => {
                Ok(Matrix { rows: shape[0], columns: shape[1], values })
            }
            (shape, _) => Err(EmbedError::Model(format!("the weights `{name}` have the shape {shape:?}"))),
        }
    }

    /// A matrix of which the shape is known.
    pub fn matrix_of(&self, name: &str, rows: usize, columns: usize) -> Result<Matrix, EmbedError> {
        let matrix = self.matrix(name)?;
        if (matrix.rows, matrix.columns) != (rows, columns) {
            let shape = [matrix.rows, matrix.columns];
            return Err(EmbedError::Model(format!(
                "`{name}` has the shape {shape:?} instead of {:?}",
                [rows, columns]
            )));
        }
        Ok(matrix)
    }

    pub fn vector_of(&self, name: &str, length: usize) -> Result<Vec<f32>, EmbedError> {
        let (shape, values) = self.floats(name)?;
        if shape != [length] {
            return Err(EmbedError::Model(format!("`{name}` has the shape {shape:?} instead of {:?}", [length])));
        }
        Ok(values)
    }
}
