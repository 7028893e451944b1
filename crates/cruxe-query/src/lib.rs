//! cruxe-query
