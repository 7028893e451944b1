//! cruxe-store
