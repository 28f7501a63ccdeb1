//! The surface of JSON lines: one object for each change, to a file or a pipe.
//!
//! A file holds each change exactly once: after a restart it is cut back to the length that was saved. On a pipe a
//! line may be repeated after a crash, with the same (session, turn, call, revision).

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use larkspan_core::ids::SessionId;
use larkspan_core::ports::{CardSurface, SurfaceError, SurfacePosition};
use larkspan_core::turn::{Change, Turn};

use crate::json::{self, JsonOptions};

/// JSON lines.
pub struct JsonLinesSurface {
    out: Mutex<Out>,
    options: JsonOptions,
}

enum Out {
    Pipe(Box<dyn Write + Send>),
    File { file: File, path: PathBuf },
}

impl JsonLinesSurface {
    /// Onto a pipe or a terminal.
    pub fn pipe(out: impl Write + Send + 'static, options: JsonOptions) -> Self {
        Self { out: Mutex::new(Out::Pipe(Box::new(out))), options }
    }

    /// Onto a file, which is made if it is not there. What is in it stays until [`CardSurface::restore`].
    pub fn file(path: &Path, options: JsonOptions) -> Result<Self, SurfaceError> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file
            .map_err(|source| failed(format!("{} cannot be opened for writing", path.display()), source))?;
        Ok(Self { out: Mutex::new(Out::File { file, path: path.to_owned() }), options })
    }

    fn with<T>(&self, run: impl FnOnce(&mut Out) -> Result<T, SurfaceError>) -> Result<T, SurfaceError> {
        // A panic while writing leaves a line cut at worst, which the next restart takes back.
        run(&mut self.out.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn failed(context: String, source: io::Error) -> SurfaceError {
    if source.kind() == io::ErrorKind::BrokenPipe {
        return SurfaceError::Closed;
    }
    SurfaceError::Backend { context, source: Box::new(source) }
}

#[async_trait]
impl CardSurface for JsonLinesSurface {
    async fn show(
        &self,
        session: &SessionId,
        changes: &[Change],
        _turn: Option<Arc<Turn>>,
    ) -> Result<(), SurfaceError> {
        let mut text = Vec::new();
        for change in changes {
            let object = json::change(session, change, self.options);
            serde_json::to_writer(&mut text, &object)
                .map_err(|error| failed("a change is no JSON".into(), error.into()))?;
            text.push(b'\n');
        }
        self.with(|out| match out {
            Out::Pipe(pipe) => pipe
                .write_all(&text)
                .and_then(|()| pipe.flush())
                .map_err(|source| failed("the output cannot be written".into(), source)),
            Out::File { file, path } => file.write_all(&text).map_err(|source| {
                failed(format!("{} cannot be written: is the disk full?", path.display()), source)
            }),
        })
    }

    async fn save(&self) -> Result<Option<SurfacePosition>, SurfaceError> {
        self.with(|out| match out {
            Out::Pipe(_) => Ok(None),
            Out::File { file, path } => {
                let context = || format!("{} cannot be written: is the disk full?", path.display());
                file.sync_data().map_err(|source| failed(context(), source))?;
                let length = file.stream_position().map_err(|source| failed(context(), source))?;
                Ok(Some(SurfacePosition(length.into())))
            }
        })
    }

    async fn restore(&self, position: Option<SurfacePosition>) -> Result<(), SurfaceError> {
        self.with(|out| match out {
            Out::Pipe(_) => Ok(()),
            Out::File { file, path } => {
                let context = || format!("{} cannot be read", path.display());
                let length = file.metadata().map_err(|source| failed(context(), source))?.len();
                let saved = position.as_ref().and_then(|position| position.0.as_u64()).unwrap_or(0);
                if length < saved {
                    return Err(SurfaceError::Moved(format!(
                        "{} is shorter than what was written to it ({length} of {saved} bytes): name another file, or \
                         remove it together with the saved state",
                        path.display()
                    )));
                }
                if position.is_none() && length > 0 {
                    return Err(SurfaceError::Moved(format!(
                        "{} is not empty, and nothing is known of how it was written: name another file, or remove it",
                        path.display()
                    )));
                }
                file.set_len(saved)
                    .and_then(|()| file.seek(SeekFrom::Start(saved)))
                    .map(|_| ())
                    .map_err(|source| failed(context(), source))
            }
        })
    }

    async fn finish(&self) -> Result<(), SurfaceError> {
        Ok(())
    }
}
