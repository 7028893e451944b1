//! The registry of MCP servers: which packages there are and how each is started.

use serde_json::{Value, json};

use super::{ABOUT, Made, Product};
use crate::archive::File;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

pub(super) fn server(product: &Product<'_>, made: &[Made]) -> File {
    let fixed = |value: &str| json!({"type": "positional", "value": value});
    let arguments = json!([fixed("serve-mcp"), {"type": "named", "name": "--answers", "value": "text"}]);
    let of = |registry: &str, base: &str, identifier: &str, hint: Option<&str>| {
        let mut package = json!({
            "registryType": registry,
            "registryBaseUrl": base,
            "identifier": identifier,
            "version": product.version,
            "transport": {"type": "stdio"},
            "packageArguments": arguments,
        });
        if let Some(hint) = hint {
            package["runtimeHint"] = json!(hint);
        }
        package
    };
    let mut packages = vec![
        of("npm", "https://registry.npmjs.org", "cruxe", Some("npx")),
        of("pypi", "https://pypi.org", "cruxe", Some("uvx")),
        of("cargo", "https://crates.io", "cruxe-cli", None),
    ];
    // An extension says in its own manifest how it is started.
    packages.extend(made.iter().filter(|made| made.name.ends_with(".mcpb")).map(|made| {
        json!({
            "registryType": "mcpb",
            "identifier": product.download(&made.name),
            "version": product.version,
            "fileSha256": made.sha256,
            "transport": {"type": "stdio"},
        })
    }));
    let server: Value = json!({
        "$schema": SCHEMA,
        "name": product.mcp_name(),
        "title": "Cruxe",
        "description": ABOUT,
        "version": product.version,
        "repository": {"url": product.repository, "source": "github"},
        "websiteUrl": product.repository,
        "packages": packages,
    });
    File::text("server.json", format!("{server:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Effort;

    #[test]
    fn every_package_is_named_with_its_version_and_how_it_is_started() {
        let product =
            Product { version: "1.2.3", time: 0, repository: "https://github.com/a/b", effort: Effort::Trial };
        let made = [Made { name: "cruxe-1.2.3-x86_64-linux.mcpb".to_owned(), sha256: "ab".repeat(32) }];
        let file = server(&product, &made);
        let json: Value = serde_json::from_slice(&file.bytes).unwrap();
        assert_eq!(json["name"], "io.github.a/b");
        let kinds: Vec<&str> =
            json["packages"].as_array().unwrap().iter().map(|one| one["registryType"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["npm", "pypi", "cargo", "mcpb"]);
        assert_eq!(json["packages"][0]["packageArguments"][0]["value"], "serve-mcp");
        assert_eq!(
            json["packages"][3]["identifier"],
            "https://github.com/a/b/releases/download/v1.2.3/cruxe-1.2.3-x86_64-linux.mcpb"
        );
        assert!(ABOUT.len() <= 100, "the registry refuses more");
    }
}
