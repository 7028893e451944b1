//! cruxe-cli
