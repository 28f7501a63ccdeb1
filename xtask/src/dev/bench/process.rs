//! What a process costs: time, processor time, memory.
//!
//! Facts: `/proc/PID/stat` (processor time, in ticks of 10 ms as a rule) and `VmHWM` in `/proc/PID/status` (the most
//! memory it ever held). Only Linux has them; elsewhere only the time is measured.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::dev::workspace::shown;

/// What a process that has ended cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) wall: Duration,
    /// Of all its threads, in user and kernel mode.
    pub(super) cpu: Option<Duration>,
    /// The most memory it held, in bytes.
    pub(super) peak_memory: Option<u64>,
}

/// Runs a command to its end, its output thrown away.
pub(super) fn cost(command: &mut Command) -> Result<Cost> {
    let line = shown(command);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{line} does not start"))?;
    let (cpu, peak_memory) = proc::watch(&child);
    let status = child.wait()?;
    let wall = begun.elapsed();
    if !status.success() {
        bail!("{line} failed ({status})");
    }
    Ok(Cost { wall, cpu, peak_memory })
}

/// The processor time that a running process has used so far.
pub(super) fn cpu(child: &Child) -> Option<Duration> {
    proc::cpu(child)
}

#[cfg(target_os = "linux")]
mod proc {
    use std::fs;
    use std::process::Child;
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    use crate::dev::bench::machine::{field, kib};

    /// How often the memory is looked at. The kernel keeps the highest value, but forgets it when the process ends.
    const LOOK: Duration = Duration::from_millis(2);

    /// Waits until the process has ended, without taking its exit status: its processor time, and the most memory it
    /// was seen with.
    pub(super) fn watch(child: &Child) -> (Option<Duration>, Option<u64>) {
        let mut peak = None;
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return (None, None) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while let Ok(None) = waitid(WaitId::Pid(pid), options) {
            // A process that just ended has none.
            peak = memory(child).or(peak);
            thread::sleep(LOOK);
        }
        (cpu(child), peak)
    }

    pub(super) fn cpu(child: &Child) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
        let ticks = super::ticks(&stat)?;
        let a_second = rustix::param::clock_ticks_per_second();
        Some(Duration::from_secs_f64(ticks as f64 / a_second as f64))
    }

    fn memory(child: &Child) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        Some(field(&status, "VmHWM").and_then(kib)? * 1024)
    }
}

#[cfg(not(target_os = "linux"))]
mod proc {
    use std::process::Child;
    use std::time::Duration;

    pub(super) fn watch(_: &Child) -> (Option<Duration>, Option<u64>) {
        (None, None)
    }

    pub(super) fn cpu(_: &Child) -> Option<Duration> {
        None
    }
}

/// User and kernel time, in ticks: the 14th and 15th field. The second is the program's name in parentheses, which may
/// hold anything.
#[cfg(any(target_os = "linux", test))]
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticks_are_found_behind_any_name() {
        let stat = "42 (a) b (c)) S 1 42 42 0 -1 4194560 120 0 0 0 17 5 0 0 20 0 1 0 100 1000 50\n";
        assert_eq!(ticks(stat), Some(22));
        assert_eq!(ticks("42 (a) S 1 2"), None);
        assert_eq!(ticks(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_works_costs_time_and_memory() {
        let cost = cost(Command::new("sh").args(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]))
            .unwrap();
        assert!(cost.peak_memory.unwrap() > 100 * 1024, "{cost:?}");
        assert!(cost.cpu.unwrap() <= cost.wall + Duration::from_millis(20), "{cost:?}");
        assert!(super::cost(Command::new("sh").args(["-c", "exit 3"])).is_err());
    }
}
