//! The first line `// @exec: {…}` of a script.
//!
//! Codex's own rules: the line is split off at the first line feed; behind the prefix stands strict JSON, an object
//! with no other members than the two below; code must follow. What breaks them, Codex refuses before running.

use serde_json::Value;

/// The prefix that makes a first line a pragma.
const PREFIX: &str = "// @exec:";
/// Codex takes no number above JavaScript's largest safe integer.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// What the pragma of a script asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pragma {
    /// Milliseconds after which a running script yields its output.
    pub yield_time_ms: Option<u64>,
    /// Budget of the output, in tokens.
    pub max_output_tokens: Option<u64>,
}

/// Splits `source` into its pragma and the byte offset of its code, or says why Codex refuses it.
pub(super) fn split(source: &str) -> Result<(Option<Pragma>, usize), String> {
    if source.trim().is_empty() {
        return Err("the script is empty".to_owned());
    }
    let (line, code_start) = match source.find('\n') {
        Some(end) => (source.get(..end).unwrap_or_default(), end + 1),
        None => (source, source.len()),
    };
    let Some(directive) = line.trim_start().strip_prefix(PREFIX) else { return Ok((None, 0)) };
    if source.get(code_start..).unwrap_or_default().trim().is_empty() {
        return Err("no code follows the pragma line".to_owned());
    }
    let value: Value = serde_json::from_str(directive.trim())
        .map_err(|error| format!("the pragma is not a JSON object: {error}"))?;
    let Value::Object(members) = value else { return Err("the pragma is not a JSON object".to_owned()) };
    let mut pragma = Pragma::default();
    for (name, value) in &members {
        let target = match name.as_str() {
            "yield_time_ms" => &mut pragma.yield_time_ms,
            "max_output_tokens" => &mut pragma.max_output_tokens,
            _ => return Err(format!("the pragma has an unknown member `{name}`")),
        };
        if !value.is_null() {
            let number = value.as_u64().filter(|number| *number <= MAX_SAFE_INTEGER);
            *target = Some(
                number.ok_or_else(|| format!("the pragma's `{name}` is not a non-negative safe integer"))?,
            );
        }
    }
    Ok((Some(pragma), code_start))
}
