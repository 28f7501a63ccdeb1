//! Small durable values as files of one folder, each replaced by an atomic rename.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use larkspan_core::ports::{StateStore, StoreError};

/// Values as files.
#[derive(Debug, Clone)]
pub struct StateFiles {
    folder: PathBuf,
}

/// A value that only this process uses.
#[derive(Debug)]
pub struct StateLock {
    _file: File,
}

/// The ending of a file that holds a value.
const ENDING: &str = ".state";
/// The longest name, in bytes. Encoded, below a folder, it stays within what systems take for a path.
const NAME_MAX: usize = 1024;

impl StateFiles {
    /// In this folder, which is made when the first value is put.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Takes a value for this process alone, until the lock is dropped or the process ends.
    pub fn lock(&self, name: &str) -> Result<StateLock, StoreError> {
        let path = self.path(name)?.with_extension("lock");
        let open = || -> io::Result<File> {
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            OpenOptions::new().create(true).truncate(false).write(true).open(&path)
        };
        let file = open().map_err(|error| failed("opening", &path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(StateLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse(name.to_owned())),
            Err(TryLockError::Error(error)) => Err(failed("locking", &path, error)),
        }
    }

    fn path(&self, name: &str) -> Result<PathBuf, StoreError> {
        if name.is_empty() || name.len() > NAME_MAX {
            return Err(StoreError::BadName(name.chars().take(80).collect()));
        }
        let mut path = self.folder.clone();
        // Long names are spread over folders: a file name is at most 255 bytes.
        let encoded = encode(name);
        let mut rest = encoded.as_str();
        while rest.len() > 200 {
            let (head, tail) = rest.split_at(200);
            path.push(format!("{head}+"));
            rest = tail;
        }
        path.push(format!("{rest}{ENDING}"));
        Ok(path)
    }
}

/// A name as a file name: small letters, digits, `-`, `_` and `.` as they are, `/` as `,`, every other byte as `%xx`.
fn encode(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.') {
            out.push(byte.into());
        } else if byte == b'/' {
            out.push(',');
        } else {
            let _ = write!(out, "%{byte:02x}");
        }
    }
    out
}

fn decode(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b',' {
            bytes.push(b'/');
            rest = tail;
        } else if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = tail.get(2..)?;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

fn failed(what: &str, path: &Path, source: io::Error) -> StoreError {
    StoreError::Backend { context: format!("{what} {} failed", path.display()), source: Box::new(source) }
}

#[async_trait]
impl StateStore for StateFiles {
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(name)?;
        match fs::read(&path) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("reading", &path, error)),
        }
    }

    async fn put(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        let path = self.path(name)?;
        let folder = path.parent().unwrap_or(&self.folder);
        let temporary = path.with_extension(format!("{}.new", std::process::id()));
        let write = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let mut file = File::create(&temporary)?;
            file.write_all(value)?;
            file.sync_data()?;
            fs::rename(&temporary, &path)?;
            // The name itself must last too; not every system can promise it for a folder.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
            Ok(())
        };
        write().map_err(|error| failed("writing", &path, error))
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.path(name)?;
        match fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(failed("removing", &path, error)),
        }
    }

    async fn names(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let mut names = Vec::new();
        let mut folders = vec![(self.folder.clone(), String::new())];
        while let Some((folder, head)) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed("listing", &folder, error)),
            };
            for entry in entries {
                let entry = entry.map_err(|error| failed("listing", &folder, error))?;
                let file = entry.file_name().to_string_lossy().into_owned();
                if let Some(part) = file.strip_suffix('+') {
                    folders.push((entry.path(), format!("{head}{part}")));
                } else if let Some(part) = file.strip_suffix(ENDING) {
                    names.extend(decode(&format!("{head}{part}")).filter(|name| name.starts_with(prefix)));
                }
            }
        }
        names.sort();
        Ok(names)
    }
}
