//! Queries that are paths: how well a path fits, and nothing else.

/// The ways a path can fit what is asked for, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFit {
    /// It is the query.
    Same,
    /// It ends with the query.
    End,
    /// It is below the folder that the query is.
    BelowFolder,
    /// It is below a folder of that name.
    BelowFolderOfThatName,
    /// It contains the query.
    Inside,
    /// It has the parts of the query in their order.
    PartsInOrder,
}

/// What the best fit adds to a score.
pub(crate) const BEST: f32 = 0.1;
/// What a file loses that is of a kind that is rarely meant, at most: it decides between equal fits.
const CLASS: f32 = 0.02;
/// What a file loses for each folder that it is in.
const DEPTH: f32 = 0.0005;
/// Deeper files lose no more.
const MAX_DEPTH: usize = 20;

impl PathFit {
    fn worth(self) -> f32 {
        match self {
            PathFit::Same => 1.0,
            PathFit::End => 0.95,
            PathFit::BelowFolder => 0.85,
            PathFit::BelowFolderOfThatName => 0.8,
            PathFit::Inside => 0.6,
            PathFit::PartsInOrder => 0.4,
        }
    }
}

/// Returns how well a file fits, 0 to 1: by its path, its kind (as what the kind keeps of a score) and its folders.
pub(crate) fn fit(path: PathFit, class_factor: f32, folders: usize) -> f32 {
    path.worth() - CLASS * (1.0 - class_factor) - DEPTH * folders.min(MAX_DEPTH) as f32
}
