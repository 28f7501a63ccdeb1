//! The built program `larkspan`, run from outside: found or built, isolated, watched.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

use tempfile::TempDir;

/// Names the program to test, instead of the one that this workspace builds.
const PROGRAM: &str = "LARKSPAN_BIN";

/// How long anything may take: a debug build on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// The program: what [`PROGRAM`] names, else the one beside this test, built if it is absent or older than its sources.
pub(crate) fn larkspan() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| match std::env::var_os(PROGRAM).filter(|named| !named.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => beside(),
    })
}

fn beside() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let profile = own.parent().and_then(Path::parent).unwrap();
    let program = profile.join(format!("larkspan{}", std::env::consts::EXE_SUFFIX));
    let checked = profile.join("larkspan.checked");
    let built = [&program, &checked].into_iter().filter_map(|path| modified(path)).max();
    let is_fresh = program.exists() && built.is_some_and(|built| built >= newest_source());
    if !is_fresh {
        build(profile);
        // Not every source is one of the program's: the build may have had nothing to do.
        File::create(&checked).unwrap();
    }
    program
}

fn build(profile: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["build", "--quiet", "--package", "xtask", "--bin", "larkspan"]);
    command.arg("--target-dir").arg(profile.parent().unwrap());
    match profile.file_name().and_then(OsStr::to_str) {
        Some("debug") | None => {}
        Some(name) => {
            command.args(["--profile", name]);
        }
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "larkspan is not built: {}", String::from_utf8_lossy(&output.stderr));
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn newest_source() -> SystemTime {
    let root = root();
    let mut folders = vec![root.join("crates"), root.join("xtask")];
    let mut newest = modified(&root.join("Cargo.lock")).unwrap_or(SystemTime::UNIX_EPOCH);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                newest = newest.max(modified(&path).unwrap_or(newest));
            }
        }
    }
    newest
}

/// A home for the program: nothing of the user's own is read or written.
#[derive(Debug)]
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = tempfile::Builder::new().prefix("larkspan-test-").tempdir().unwrap();
        fs::create_dir_all(home.path().join("codex/sessions")).unwrap();
        Self(home)
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file in it with these bytes.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The program with these arguments.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(larkspan());
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        for name in ["LC_ALL", "LC_MESSAGES", "LANG", "RUST_LOG", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        command
            .env("HOME", self.0.path())
            .env("CODEX_HOME", self.path("codex"))
            .env("LARKSPAN_HOME", self.path("larkspan"))
            .env("LARKSPAN_LOCALE", "zh-CN");
        command
    }

    /// Runs it to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts it; its standard output is read line by line.
    pub(crate) fn start<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Running {
        Running::start(self.command(arguments))
    }
}

/// What a finished run did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// A run that goes on. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = reader(child.stdout.take().unwrap());
        let errors = reader(child.stderr.take().unwrap());
        Self { child, lines, errors }
    }

    /// The next line that it prints.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {LIMIT:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("it ended: {}", self.errors.iter().collect::<String>())
            }
        }
    }

    /// The lines up to the first of which `is` holds, that one included.
    #[track_caller]
    pub(crate) fn lines_until(&self, is: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            let is_last = is(&line);
            lines.push(line);
            if is_last {
                return lines;
            }
        }
    }

    /// What it has said on standard error since the last look.
    pub(crate) fn errors_so_far(&self) -> String {
        self.errors.try_iter().collect()
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// SIGKILL; the rest of its lines.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.iter().collect()
    }

    /// Asks it to end, as a service manager does.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Its end: status, the rest of its lines, what it said on standard error.
    #[track_caller]
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<String>, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < LIMIT, "it does not end");
            std::thread::sleep(Duration::from_millis(2));
        };
        (status, self.lines.iter().collect(), self.errors.iter().collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a stream, read on a thread of its own. A line without its end is no line.
fn reader(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        loop {
            let mut line = String::new();
            match stream.read_line(&mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) if line.ends_with('\n') => {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
                Ok(_) => break,
            }
        }
    });
    receiver
}

/// Returns once the condition holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
