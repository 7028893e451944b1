//! cruxe-server
