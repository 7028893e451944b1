//! How fast the installed transformer is: `cargo run --release -p cruxe-embed --example minilm_speed FOLDER`.

use std::path::PathBuf;
use std::time::Instant;

use cruxe_embed::minilm::MiniLm;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder: PathBuf = std::env::args().nth(1).ok_or("give the folder of the model")?.into();
    let started = Instant::now();
    let model = MiniLm::open(&folder)?;
    println!("load: {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
    for (words, count) in [(6, 60), (58, 60), (248, 16)] {
        let text = "budget ".repeat(words);
        let texts = vec![text.as_str(); count];
        let started = Instant::now();
        model.embed_batch(&texts);
        println!("texts of {} tokens: {:.0} per second", words + 2, count as f64 / started.elapsed().as_secs_f64());
    }
    Ok(())
}
