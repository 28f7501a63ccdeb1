//! The machine that is measured on.
//!
//! Facts: `/proc/cpuinfo` and `/proc/meminfo` on Linux; elsewhere the processor and the memory are not told.

use std::fmt;
use std::fs;

use serde_json::json;

/// A machine.
#[derive(Debug)]
pub(super) struct Machine {
    processor: Option<String>,
    cores: usize,
    memory_kib: Option<u64>,
}

impl Machine {
    /// This one.
    pub(super) fn here() -> Self {
        let field = |file: &str, key: &str| field(&fs::read_to_string(file).ok()?, key).map(str::to_owned);
        let memory = field("/proc/meminfo", "MemTotal");
        Self {
            processor: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_kib: memory.and_then(|memory| kib(&memory)),
        }
    }

    /// For a program.
    pub(super) fn json(&self) -> String {
        json!({ "machine": {
            "processor": self.processor,
            "cores": self.cores,
            "memory_kib": self.memory_kib,
            "system": std::env::consts::OS,
            "architecture": std::env::consts::ARCH,
        }})
        .to_string()
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processor = self.processor.as_deref().unwrap_or("unknown processor");
        let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
        write!(f, "Machine: {processor}, {} cores", self.cores)?;
        if let Some(memory) = self.memory_kib {
            write!(f, ", {:.1} GiB of memory", memory as f64 / 1024.0 / 1024.0)?;
        }
        write!(f, ", {os} {architecture}")
    }
}

/// The value of the first line `KEY : VALUE`.
pub(super) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// The number in `1234 kB`, which the kernel means as KiB.
pub(super) fn kib(value: &str) -> Option<u64> {
    value.strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_tells_is_read() {
        let text = "processor\t: 0\nmodel name\t: A CPU @ 2.0GHz\nMemTotal:       24690044 kB\n";
        assert_eq!(field(text, "model name"), Some("A CPU @ 2.0GHz"));
        assert_eq!(field(text, "MemTotal").and_then(kib), Some(24_690_044));
        assert_eq!(field(text, "absent"), None);
        assert_eq!(kib("12 MB"), None);
    }
}
