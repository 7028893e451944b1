//! cruxe-index
