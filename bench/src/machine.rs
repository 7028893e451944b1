//! What kind of machine the figures are from.

use std::fs;

use jiff::Zoned;

/// One line about the machine and the moment.
pub fn facts() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(String::new(), |kilobytes| format!(", {:.0} GB memory", kilobytes / 1e6));
    let load = fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|text| text.split(' ').next());
    let load = load.map_or(String::new(), |load| format!(", load {load} when the run began"));
    let day = Zoned::now().date();
    format!("{day}, {cores} cores, {cpu}{memory}, {}{load}", std::env::consts::OS)
}

/// The value of a `name : value` line.
pub fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}
