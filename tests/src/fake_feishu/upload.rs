//! `multipart/form-data` as an upload of an image needs it.
//!
//! Facts: RFC 7578; the fields `image_type` (`message` or `avatar`) and `image`, not empty, at most 10 MB.

use super::refusal::{Refusal, code};

const MAX_IMAGE: usize = 10 * 1024 * 1024;

/// Refuses what is no upload of an image.
pub(super) fn image(content_type: &str, body: &[u8]) -> Result<(), Refusal> {
    let bad = |why: &str| Refusal::new(code::BAD_UPLOAD, format!("invalid request param: {why}"));
    let parts = parts(content_type, body).ok_or_else(|| bad("no multipart/form-data"))?;
    let field = |name: &str| parts.iter().find(|(found, _)| found == name).map(|(_, data)| *data);
    match field("image_type") {
        Some(b"message" | b"avatar") => {}
        _ => return Err(bad("image_type")),
    }
    match field("image") {
        None => Err(bad("image")),
        Some([]) => Err(Refusal::new(code::UPLOAD_EMPTY, "the file is empty")),
        Some(data) if data.len() > MAX_IMAGE => {
            Err(Refusal::new(code::UPLOAD_TOO_LARGE, "the file is too large"))
        }
        Some(_) => Ok(()),
    }
}

/// The fields by name; `None` when it is no well-formed form.
fn parts<'a>(content_type: &str, body: &'a [u8]) -> Option<Vec<(String, &'a [u8])>> {
    let boundary = content_type.strip_prefix("multipart/form-data")?.split_once("boundary=")?.1;
    let boundary = format!("--{}", boundary.split(';').next()?.trim_matches('"'));
    let mut rest = body.strip_prefix(boundary.as_bytes())?;
    let mut parts = Vec::new();
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let end = find(part, format!("\r\n{boundary}").as_bytes())?;
        let (part, after) = part.split_at(end);
        let head_end = find(part, b"\r\n\r\n")?;
        let head = std::str::from_utf8(&part[..head_end]).ok()?;
        let name = head.split("name=\"").nth(1)?.split('"').next()?;
        parts.push((name.to_owned(), &part[head_end + 4..]));
        rest = &after[2 + boundary.len()..];
    }
    rest.starts_with(b"--").then_some(parts)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
