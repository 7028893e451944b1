//! An extension (`.mcpb`) for programs that install MCP servers by a click, Claude Desktop among them.

use serde_json::json;

use super::{ABOUT, LICENCE, MAKER, Product};
use crate::archive::{self, File};
use crate::error::Result;
use crate::payload::Payload;

pub(super) fn package(product: &Product<'_>, payload: &Payload) -> Result<File> {
    let program = payload.platform.file("cruxe");
    let manifest = json!({
        "manifest_version": "0.3",
        "name": "cruxe",
        "display_name": "Cruxe",
        "version": product.version,
        "description": ABOUT,
        "author": {"name": MAKER, "url": product.repository},
        "repository": {"type": "git", "url": product.repository},
        "homepage": product.repository,
        "license": LICENCE,
        "keywords": ["code search", "references", "call graph"],
        "server": {
            "type": "binary",
            "entry_point": format!("server/{program}"),
            "mcp_config": {
                "command": format!("${{__dirname}}/server/{program}"),
                "args": ["serve-mcp", "--answers", "text", "--workspace", "${user_config.folder}"],
                "env": {},
            },
        },
        "user_config": {
            "folder": {
                "type": "directory",
                "title": "Project",
                "description": "The folder of the code base that the server answers about",
                "required": true,
            },
        },
        "tools_generated": true,
        "prompts_generated": true,
        "compatibility": {"platforms": [payload.platform.npm.0]},
    });
    let mut files = vec![File::text("manifest.json", format!("{manifest:#}\n"))];
    files.extend(
        payload.programs().filter(|file| file.path == program).map(|file| file.at(format!("server/{program}"))),
    );
    files.extend(["LICENSE", "THIRD-PARTY.txt"].map(|name| File::text(name, payload.text(name))));
    Ok(File::text(format!("{}.mcpb", payload.name(product.version)), archive::zip(&files, product.effort)?))
}
