//! npm: a package with a launcher in JavaScript, and one for each platform with its programs, of which npm installs the
//! one that fits. Nothing runs when they are installed.

use serde_json::{Map, Value, json};

use super::{ABOUT, LICENCE, Product};
use crate::archive::{self, File};
use crate::error::Result;
use crate::payload::{PROGRAMS, Payload};

const RUN: &str = include_str!("../../templates/npm-run.js");

/// The package `cruxe` and one for each platform.
pub(super) fn packages(product: &Product<'_>, payloads: &[Payload]) -> Result<Vec<File>> {
    let mut packages = vec![wrapper(product, payloads)?];
    for payload in payloads {
        packages.push(of_platform(product, payload)?);
    }
    Ok(packages)
}

fn name(payload: &Payload) -> String {
    format!("@cruxe/{}", payload.platform.npm_name())
}

/// What all of them say.
fn described(product: &Product<'_>, name: &str, about: &str) -> Map<String, Value> {
    let described = json!({
        "name": name,
        "version": product.version,
        "description": about,
        "license": LICENCE,
        "homepage": product.repository,
        "repository": {"type": "git", "url": format!("git+{}.git", product.repository)},
    });
    described.as_object().cloned().unwrap_or_default()
}

fn wrapper(product: &Product<'_>, payloads: &[Payload]) -> Result<File> {
    let mut about = described(product, "cruxe", ABOUT);
    let programs = PROGRAMS.map(|name| (name.to_owned(), json!(format!("bin/{name}.js"))));
    let needed = payloads.iter().map(|payload| (name(payload), json!(product.version)));
    about.insert("mcpName".to_owned(), json!(product.mcp_name()));
    about.insert("keywords".to_owned(), json!(["mcp", "mcp-server", "code-search", "references", "call-graph"]));
    about.insert("bin".to_owned(), programs.into_iter().collect());
    about.insert("engines".to_owned(), json!({"node": ">=18"}));
    about.insert("optionalDependencies".to_owned(), needed.collect());
    let mut files: Vec<File> = PROGRAMS
        .iter()
        .map(|name| {
            let script = format!("#!/usr/bin/env node\nrequire(\"../run.js\")({name:?});\n");
            File::program(format!("package/bin/{name}.js"), script)
        })
        .collect();
    files.push(File::text("package/run.js", RUN));
    finish(product, "cruxe", about, files, payloads.first())
}

fn of_platform(product: &Product<'_>, payload: &Payload) -> Result<File> {
    let about =
        format!("The programs of cruxe for {}. Install `cruxe`, which asks for this one.", payload.platform.name);
    let mut about = described(product, &name(payload), &about);
    let (os, cpu, libc) = payload.platform.npm;
    about.insert("os".to_owned(), json!([os]));
    about.insert("cpu".to_owned(), json!([cpu]));
    if let Some(libc) = libc {
        about.insert("libc".to_owned(), json!([libc]));
    }
    about.insert("preferUnplugged".to_owned(), json!(true));
    let files = payload.programs().map(|file| file.at(format!("package/bin/{}", file.path))).collect();
    finish(product, &format!("cruxe-{}", payload.platform.npm_name()), about, files, Some(payload))
}

fn finish(
    product: &Product<'_>,
    name: &str,
    about: Map<String, Value>,
    mut files: Vec<File>,
    texts: Option<&Payload>,
) -> Result<File> {
    files.push(File::text("package/package.json", format!("{:#}\n", Value::Object(about))));
    for text in ["LICENSE", "README.md"] {
        files.push(File::text(format!("package/{text}"), texts.map(|payload| payload.text(text)).unwrap_or_default()));
    }
    if let Some(payload) = texts.filter(|_| name != "cruxe") {
        files.push(File::text("package/THIRD-PARTY.txt", payload.text("THIRD-PARTY.txt")));
    }
    let bytes = archive::gzip(&archive::tar(&files, product.time)?, product.effort)?;
    Ok(File::text(format!("npm/{name}-{}.tgz", product.version), bytes))
}
