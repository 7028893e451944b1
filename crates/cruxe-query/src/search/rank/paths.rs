//! Queries that are paths: how well a path fits, and nothing else.

/// The ways a path can fit what is asked for, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathFit {
    Same,
    End,
    BelowFolder,
    BelowFolderOfThatName,
    Inside,
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

    /// The fit in words.
    pub fn reason(self) -> &'static str {
        match self {
            PathFit::Same => "the path is the query",
            PathFit::End => "the path ends with the query",
            PathFit::BelowFolder => "the file is below the folder",
            PathFit::BelowFolderOfThatName => "the file is below a folder of that name",
            PathFit::Inside => "the path contains the query",
            PathFit::PartsInOrder => "the path has the parts of the query in their order",
        }
    }
}

/// Returns how well a file fits, 0 to 1: by its path, its kind (as what the kind keeps of a score) and its folders.
pub(crate) fn fit(path: PathFit, class_factor: f32, folders: usize) -> f32 {
    path.worth() - CLASS * (1.0 - class_factor) - DEPTH * folders.min(MAX_DEPTH) as f32
}
