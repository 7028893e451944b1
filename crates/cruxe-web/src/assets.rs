//! Scripts and styles, which are part of the program.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

macro_rules! assets {
    ($($name:literal $kind:literal),* $(,)?) => {
        const ALL: &[(&str, &str, &str)] = &[$(($name, $kind, include_str!(concat!("../assets/", $name)))),*];
    };
}

assets! {
    "app.css" "text/css; charset=utf-8",
    "app.js" "text/javascript; charset=utf-8",
    "search.js" "text/javascript; charset=utf-8",
    "file.js" "text/javascript; charset=utf-8",
    "board.js" "text/javascript; charset=utf-8",
    "graph.js" "text/javascript; charset=utf-8",
    "icon.svg" "image/svg+xml",
}

/// A figure that changes with any of them: it is a part of their addresses, so that a browser can keep them for ever.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for (_, _, text) in ALL {
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..12].to_owned()
});

/// The address of one.
pub(crate) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

pub(crate) async fn serve(Path((_, name)): Path<(String, String)>) -> Response {
    match ALL.iter().find(|(own, ..)| *own == name) {
        Some((_, kind, text)) => {
            let headers = [(CONTENT_TYPE, *kind), (CACHE_CONTROL, "private, max-age=31536000, immutable")];
            (headers, *text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(crate) async fn icon() -> Response {
    serve(Path((String::new(), "icon.svg".to_owned()))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_page_has_at_most_ninety_thousand_bytes_of_scripts_and_styles() {
        let bytes: usize = ALL.iter().map(|(_, _, text)| text.len()).sum();
        assert!(bytes < 90_000, "{bytes}");
    }
}
