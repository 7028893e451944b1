//! Figures that were taken several times.

use std::time::Duration;

/// Seconds or other figures, taken several times.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Adds a figure.
    pub fn add(&mut self, value: f64) {
        let at = self.0.partition_point(|other| *other < value);
        self.0.insert(at, value);
    }

    /// Adds a time, in seconds.
    pub fn add_time(&mut self, time: Duration) {
        self.add(time.as_secs_f64());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The figure in the middle; 0 without any.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The smallest.
    pub fn min(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The largest.
    pub fn max(&self) -> f64 {
        self.quantile(1.0)
    }

    /// The figure that this part of all stay below or reach (nearest rank).
    pub fn quantile(&self, part: f64) -> f64 {
        let rank = (part * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_figures_that_were_taken() {
        let mut sample = Sample::default();
        (1..=100).rev().for_each(|value| sample.add(f64::from(value)));
        let figures = [sample.min(), sample.median(), sample.quantile(0.95), sample.max()];
        assert_eq!(figures, [1.0, 50.0, 95.0, 100.0]);
        assert_eq!(Sample::default().median(), 0.0);
    }
}
