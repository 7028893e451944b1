//! Homebrew, on a Mac and on Linux.

use std::fmt::Write as _;

use super::{ABOUT, LICENCE, Made, Product, archive_name, sum};
use crate::archive::File;
use crate::payload::Payload;

/// The formula, where there is an archive that Homebrew can use.
pub(super) fn formula(product: &Product<'_>, payloads: &[Payload], made: &[Made]) -> Option<File> {
    let mut blocks = String::new();
    for (system, word) in [("macos", "on_macos"), ("linux", "on_linux")] {
        let mut inner = String::new();
        for (processor, word) in [("aarch64", "on_arm"), ("x86_64", "on_intel")] {
            let name = format!("{processor}-{system}");
            let Some(payload) = payloads.iter().find(|payload| payload.platform.name == name) else { continue };
            let file = archive_name(payload, product.version);
            let Some(sum) = sum(made, &file) else { continue };
            let url = product.download(&file);
            let _ = write!(inner, "    {word} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n");
        }
        if !inner.is_empty() {
            let _ = write!(blocks, "  {word} do\n{inner}  end\n\n");
        }
    }
    if blocks.is_empty() {
        return None;
    }
    let text = format!(
        r##"# Made by scripts/release; goes into a tap as Formula/cruxe.rb.
class Cruxe < Formula
  desc "{}"
  homepage "{}"
  version "{}"
  license "{LICENCE}"

{blocks}  def install
    bin.install "cruxe", "codecompass", "cue"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install Dir["completions/bash/*"]
    fish_completion.install Dir["completions/fish/*"]
    zsh_completion.install Dir["completions/zsh/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/cruxe --version")
    assert_match version.to_s, shell_output("#{{bin}}/cue --version")
  end
end
"##,
        ABOUT.trim_end_matches('.'),
        product.repository,
        product.version,
    );
    Some(File::text("homebrew/cruxe.rb", text))
}
