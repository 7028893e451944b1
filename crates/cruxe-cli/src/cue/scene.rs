//! `cue scene`.

use std::process::ExitCode;

use clap::Args;
use cruxe_deck::scene::{self, SceneError};
use cruxe_deck::secrets::Masker;
use cruxe_deck::{Deck, DeckConfig};
use serde_json::json;

use super::error::{CueError, Kind};
use super::{clipboard, deck};
use crate::context::Context;
use crate::output;

/// Make a snapshot of the work in progress for an AI
///
/// Active cards first, then what they depend on, the documents and symbols they refer to, and what
/// changed last. Secrets are masked. Written to .cuedeck/SCENE.md and copied to the clipboard,
/// where there is one.
///
/// Examples:
///   cue scene
///   cue scene --dry-run | less
///   cue scene --token-limit 8000
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Scene {
    /// Print the scene; write and copy nothing
    #[arg(long, short = 'd')]
    dry_run: bool,
    #[command(flatten)]
    settings: Settings,
}

/// What `scene` and `watch` have in common.
#[derive(Args, Clone)]
pub(super) struct Settings {
    /// The most tokens it may have [default: core.token_limit of the configuration, 32000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    token_limit: Option<u32>,
    /// Leave the clipboard alone
    #[arg(long)]
    no_clipboard: bool,
}

impl Scene {
    pub fn run(self, context: &Context) -> Result<ExitCode, CueError> {
        let deck = deck::find(context)?;
        let config = deck::config(context, &deck)?;
        let limit = self.settings.limit(&config);
        let scene = compose(&deck, &config, limit)?;
        let mut report = json!({
            "tokens": scene.tokens,
            "limit": limit,
            "masked": scene.masked,
            "pruned": scene.pruned.iter().map(|part| json!({ "what": part.what, "cut": part.cut })).collect::<Vec<_>>(),
        });
        if self.dry_run {
            report["scene"] = json!(scene.text);
            if context.options.json {
                output::json(&report)
            } else {
                output::text(&scene.text)
            }
            return Ok(ExitCode::SUCCESS);
        }
        write(&deck, &scene.text)?;
        let copied = self.settings.copy(&scene.text).unwrap_or_else(|warning| {
            output::note(&warning);
            false
        });
        if context.options.json {
            report["path"] = json!(deck.scene_path());
            report["clipboard"] = json!(copied);
            output::json(&report);
        } else {
            output::line(&summary(&scene, limit, copied));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Settings {
    pub fn limit(&self, config: &DeckConfig) -> usize {
        self.token_limit.unwrap_or(config.token_limit) as usize
    }

    /// Copies a scene; tells whether it did. A clipboard that is not there is worth a warning.
    pub fn copy(&self, text: &str) -> Result<bool, String> {
        if self.no_clipboard {
            return Ok(false);
        }
        // What is copied may be pasted into a terminal.
        let copied = clipboard::copy(&output::shown(text));
        copied.map(|()| true).map_err(|problem| format!("warning: nothing was copied to the clipboard: {problem}"))
    }
}

/// What a person is told about a scene that was made.
pub(super) fn summary(scene: &scene::Scene, limit: usize, copied: bool) -> String {
    let mut text = format!("wrote .cuedeck/SCENE.md: {} of {limit} tokens", scene.tokens);
    if scene.masked > 0 {
        text += &format!(", {} masked", plural(scene.masked, "secret"));
    }
    if !scene.pruned.is_empty() {
        let names: Vec<&str> = scene.pruned.iter().take(5).map(|part| part.what.as_str()).collect();
        let more = if scene.pruned.len() > 5 { ", …" } else { "" };
        text += &format!(", pruned {} ({}{more})", plural(scene.pruned.len(), "part"), names.join(", "));
    }
    if copied {
        text += ", copied to the clipboard";
    }
    text
}

fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Composes the scene with the settings of a configuration.
pub(super) fn compose(deck: &Deck, config: &DeckConfig, limit: usize) -> Result<scene::Scene, CueError> {
    let masker = Masker::of(&config.secrets).map_err(|problem| CueError::new(Kind::Config, problem.to_string()))?;
    scene::compose(deck, limit, &masker).map_err(|problem| match problem {
        SceneError::Deck(problem) => problem.into(),
        SceneError::TokenLimit { current_size, limit } => {
            CueError::new(Kind::Usage, format!("Token Limit Exceeded: {problem}"))
                .number(1003)
                .data(json!({ "current_size": current_size, "limit": limit, "action": "Nothing was written." }))
                .help(format!("Give at least {current_size} with --token-limit."))
        }
    })
}

/// Writes SCENE.md in one step, unless it says that already. Tells whether it was written.
pub(super) fn write(deck: &Deck, text: &str) -> Result<bool, CueError> {
    Ok(deck.write_scene(text)?)
}
