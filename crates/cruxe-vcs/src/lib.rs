//! cruxe-vcs
