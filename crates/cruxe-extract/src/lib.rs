//! cruxe-extract
