//! Owns where a log's bytes come from: the plain file or its zstd twin.
//!
//! Guarantees: only what is seen to be a regular file is opened; a decoder is kept only while there is
//! something left to decode.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use zstd::stream::read::Decoder;

use super::trail::Trail;
use crate::cursor::{REACH, Stamp};
use crate::error::{Error, is_missing};

/// The most that is read at once, in bytes.
pub(super) const CHUNK: usize = 256 << 10;

/// An open log.
pub(super) enum Source {
    Plain(Plain),
    Packed(Packed),
    /// Nothing stands at either name, or the last attempt to read failed.
    Absent,
}

/// A log that may grow.
pub(super) struct Plain {
    file: File,
    /// What stood at the path when it was opened.
    pub(super) named: Stamp,
    /// The file's stamp when the bytes already read were last found unchanged; none while a stamp proves
    /// nothing.
    checked: Option<Stamp>,
}

/// A compressed log. It does not grow; it is replaced.
pub(super) struct Packed {
    /// None once everything has been decoded.
    decoder: Option<Decoder<'static, BufReader<File>>>,
    /// What stood at the path when it was opened.
    pub(super) named: Stamp,
}

/// The log's two names: what was asked for without `.zst`, and with.
pub(crate) fn twins(path: &Path) -> (PathBuf, PathBuf) {
    let plain = plain_twin(path).unwrap_or_else(|| path.to_path_buf());
    let mut packed = plain.clone().into_os_string();
    packed.push(".zst");
    (plain, packed.into())
}

/// The name of a compressed log's plain twin; none if `path` is no compressed log.
pub(crate) fn plain_twin(path: &Path) -> Option<PathBuf> {
    (path.extension() == Some(OsStr::new("zst"))).then(|| path.with_extension(""))
}

/// What stands at `path` now; none if nothing does.
pub(crate) fn stamp(path: &Path) -> Result<Option<Stamp>, Error> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(Stamp::of(&metadata))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Error::from_io(path, error)),
    }
}

/// Opens the regular file at `path`; none if nothing stands there.
fn open(path: &Path) -> Result<Option<(File, Stamp)>, Error> {
    let failed = |error| if is_missing(&error) { Ok(None) } else { Err(Error::from_io(path, error)) };
    // Looked at before it is opened: opening a pipe would wait for a writer.
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return failed(error),
    };
    if metadata.is_dir() {
        return Err(Error::IsDirectory { path: path.to_path_buf() });
    }
    if !metadata.is_file() {
        return Err(Error::NotRegular { path: path.to_path_buf() });
    }
    match File::open(path) {
        Ok(file) => Ok(Some((file, Stamp::of(&metadata)))),
        Err(error) => failed(error),
    }
}

impl Plain {
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Error> {
        Ok(open(path)?.map(|(file, named)| Self { file, named, checked: None }))
    }

    /// The file's length now, whatever its name.
    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The file's length, if the bytes that `trail` remembers still stand where they were read; otherwise
    /// none.
    pub(super) fn len_if_unchanged(&mut self, trail: &Trail) -> io::Result<Option<u64>> {
        let now = Stamp::of(&self.file.metadata()?);
        if self.checked != Some(now) {
            let (head, recent) = (trail.head(), trail.tail());
            let unchanged = now.len >= trail.position()
                && self.bytes_at(0, head.len())? == head
                && self.bytes_at(trail.position() - recent.len() as u64, recent.len())? == recent;
            if !unchanged {
                return Ok(None);
            }
            self.checked = now.is_settled(SystemTime::now()).then_some(now);
        }
        Ok(Some(now.len))
    }

    /// The trail that leads to `offset`; none if the file is shorter.
    pub(super) fn trail_to(&mut self, offset: u64) -> io::Result<Option<Trail>> {
        if self.len()? < offset {
            return Ok(None);
        }
        let reach = usize::try_from(offset).map_or(REACH, |offset| offset.min(REACH));
        let head = self.bytes_at(0, reach)?;
        let tail = self.bytes_at(offset - reach as u64, reach)?;
        Ok((head.len() == reach && tail.len() == reach).then(|| Trail::at(offset, head, tail)))
    }

    /// Reads what comes next on the trail; at most `available` bytes, or a chunk.
    pub(super) fn read_on<'a>(&mut self, trail: &'a mut Trail, available: u64) -> io::Result<&'a [u8]> {
        let position = trail.position();
        let want = usize::try_from(available).map_or(CHUNK, |available| available.min(CHUNK));
        trail.fill(want, |room| read_at(&mut self.file, position, room))
    }

    /// `len` bytes from `offset` on; fewer if the file ends before.
    fn bytes_at(&mut self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(len);
        self.file.seek(SeekFrom::Start(offset))?;
        (&mut self.file).take(len as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Packed {
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Error> {
        let Some((file, named)) = open(path)? else { return Ok(None) };
        let decoder = Decoder::new(file).map_err(|error| Error::from_io(path, error))?;
        Ok(Some(Self { decoder: Some(decoder), named }))
    }

    /// The trail that leads to `offset`; none if the log is shorter. Decodes all that lies before, so a
    /// freshly opened log is needed.
    pub(super) fn trail_to(&mut self, path: &Path, offset: u64) -> Result<Option<Trail>, Error> {
        let mut trail = Trail::default();
        while trail.position() < offset {
            if self.read_on(path, &mut trail, offset)?.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(trail))
    }

    /// Reads what comes next on the trail, up to `end`; nothing at the end of the log. After damage, too,
    /// nothing more comes.
    pub(super) fn read_on<'a>(
        &mut self,
        path: &Path,
        trail: &'a mut Trail,
        end: u64,
    ) -> Result<&'a [u8], Error> {
        let Some(decoder) = &mut self.decoder else { return Ok(&[]) };
        let offset = trail.position();
        let want = usize::try_from(end.saturating_sub(offset)).map_or(CHUNK, |left| left.min(CHUNK));
        let read = trail.fill(want, |room| retry(|| decoder.read(room)));
        match read {
            Ok(chunk) => {
                if chunk.is_empty() {
                    self.decoder = None;
                }
                Ok(chunk)
            }
            Err(source) => {
                self.decoder = None;
                let path = path.to_path_buf();
                // An answer of the operating system has a number; one of the decoder has none.
                let is_io = source.raw_os_error().is_some();
                Err(if is_io { Error::Io { path, source } } else { Error::Damaged { path, offset, source } })
            }
        }
    }
}

fn read_at(file: &mut File, offset: u64, room: &mut [u8]) -> io::Result<usize> {
    file.seek(SeekFrom::Start(offset))?;
    retry(|| file.read(room))
}

fn retry(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}
