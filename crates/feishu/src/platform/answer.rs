//! What the platform answered: one reading of status, headers and body, without I/O.
//!
//! Invariants: the body counts, whatever the status, because sources disagree on the status of a refusal; code 0 is the
//! only success. What cannot be read is [`PlatformError::Unknown`]: it may have been applied. What is repeated of an
//! answer is short, and has neither the secret nor the token in it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::codes::{self, Meaning};
use super::{PlatformError, Rejection};

/// Most that is repeated of the platform's own words, in characters.
const WORDS_MAX: usize = 300;

/// Wait after a rate limit that does not say how long.
const RATE_LIMIT_DEFAULT: Duration = Duration::from_secs(1);

/// Bounds of the wait that a rate limit may ask for, in seconds.
const RATE_LIMIT_SECONDS: (f64, f64) = (0.1, 3600.0);

/// An answer as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// `x-ogw-ratelimit-reset`, else `retry-after`.
    pub(crate) reset: Option<String>,
    /// `x-tt-logid`: what the platform's support asks for.
    pub(crate) log_id: Option<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// The members that every answer has.
#[derive(Debug, Deserialize)]
struct Envelope {
    code: i64,
    #[serde(default)]
    msg: Option<String>,
    #[serde(default)]
    error: Value,
}

/// An answer that was read.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The platform's code, if it told one.
    pub(crate) code: Option<i64>,
    /// The whole answer, or why there is none.
    pub(crate) result: Result<Value, PlatformError>,
}

/// Reads an answer. `doing` says what was asked (`creating the card`); `secrets` are left out of what is repeated.
pub(crate) fn read(answer: &Answer, doing: &str, secrets: &[&str]) -> Outcome {
    let value = serde_json::from_slice::<Value>(&answer.body).ok();
    let envelope = value.as_ref().and_then(|value| Envelope::deserialize(value).ok());
    let code = envelope.as_ref().map(|envelope| envelope.code);
    let result = match (value, envelope) {
        (Some(value), Some(envelope)) if envelope.code == 0 && answer.status < 429 => Ok(value),
        (_, Some(envelope)) if envelope.code != 0 => Err(refusal(answer, &envelope, doing, secrets)),
        _ => Err(unreadable(answer, doing)),
    };
    Outcome { code, result }
}

/// An answer without a code that counts.
fn unreadable(answer: &Answer, doing: &str) -> PlatformError {
    if answer.status == 429 {
        return PlatformError::RateLimited { retry_after: wait(answer) };
    }
    let what = if answer.status >= 500 {
        "the platform failed"
    } else if answer.body.is_empty() {
        "the answer is empty"
    } else if answer.body.trim_ascii_start().starts_with(b"<") {
        "the answer is a web page; something between here and the platform answered (a proxy, a login page?)"
    } else {
        "the answer is not what the platform answers; it may have been cut off"
    };
    PlatformError::Unknown {
        context: format!(
            "{doing}: {what} (HTTP {}, {} bytes{})",
            answer.status,
            answer.body.len(),
            log_id(answer)
        ),
        source: None,
    }
}

fn refusal(answer: &Answer, envelope: &Envelope, doing: &str, secrets: &[&str]) -> PlatformError {
    let text = envelope.msg.as_deref().unwrap_or_default();
    let verdict = codes::verdict(envelope.code, text);
    if verdict.meaning == Meaning::RateLimited || (answer.status == 429 && !verdict.listed) {
        return PlatformError::RateLimited { retry_after: wait(answer) };
    }
    let mut said = words(text, secrets);
    if !said.is_empty() {
        said = format!(", \u{201c}{said}\u{201d}");
    }
    let code = verdict.code;
    let what = format!("(code {code}{said}{})", log_id(answer));
    let rejection = match verdict.meaning {
        // A failure of the server with a code that nobody explains.
        Meaning::Rejected(_) if answer.status >= 500 && !verdict.listed => {
            return PlatformError::Unknown {
                context: format!("{doing}: the platform failed {what}"),
                source: None,
            };
        }
        Meaning::Rejected(rejection) => rejection,
        Meaning::RateLimited => return PlatformError::RateLimited { retry_after: wait(answer) },
    };
    let mut sentence = verdict.sentence.to_owned();
    if rejection == Rejection::Scope {
        sentence.push_str(&scopes(&envelope.error, text, secrets));
    }
    PlatformError::Rejected { rejection, code, context: format!("{doing}: {sentence} {what}") }
}

/// Which scopes are missing and where they are opened, as the answer tells it: in `error`, else in its text.
fn scopes(error: &Value, text: &str, secrets: &[&str]) -> String {
    let listed = error.get("permission_violations").and_then(Value::as_array);
    let mut names: Vec<&str> = listed
        .into_iter()
        .flatten()
        .filter_map(|violation| violation.get("subject")?.as_str())
        .take(8)
        .collect();
    if names.is_empty() {
        names = text
            .split_once('[')
            .and_then(|(_, after)| after.split_once(']'))
            .map(|(inside, _)| {
                inside.split(',').map(str::trim).filter(|name| !name.is_empty()).take(8).collect()
            })
            .unwrap_or_default();
    }
    let help = error.pointer("/helps/0/url").and_then(Value::as_str);
    let url = help.or_else(|| {
        let from = text.get(text.find("https://")?..)?;
        from.split(|c: char| c.is_whitespace() || matches!(c, '"' | '，' | '。' | '）')).next()
    });
    let mut out = String::new();
    if !names.is_empty() {
        out.push_str("; missing, one of: ");
        out.push_str(&words(&names.join(", "), secrets));
    }
    if let Some(url) = url {
        out.push_str("; open ");
        out.push_str(&words(url, secrets));
    }
    out
}

/// Words of the platform, as far as they are repeated.
fn words(text: &str, secrets: &[&str]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "…");
    }
    let mut out: String =
        text.chars().take(WORDS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(WORDS_MAX).is_some() {
        out.push('…');
    }
    out.trim().to_owned()
}

fn log_id(answer: &Answer) -> String {
    match &answer.log_id {
        Some(id) => format!(", log id {}", words(id, &[])),
        None => String::new(),
    }
}

/// How long a rate limit asks to wait.
fn wait(answer: &Answer) -> Duration {
    let seconds = answer.reset.as_deref().and_then(|text| text.trim().parse::<f64>().ok());
    match seconds {
        Some(seconds) if seconds > 0.0 => {
            Duration::from_secs_f64(seconds.clamp(RATE_LIMIT_SECONDS.0, RATE_LIMIT_SECONDS.1))
        }
        _ => RATE_LIMIT_DEFAULT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, body: body.as_bytes().to_vec(), ..Answer::default() }
    }

    fn shown(answer: &Answer) -> String {
        match read(answer, "creating the card", &["hunter2"]).result {
            Ok(_) => "ok".to_owned(),
            Err(PlatformError::RateLimited { retry_after }) => format!("limited {retry_after:?}"),
            Err(PlatformError::Unknown { .. }) => "unknown".to_owned(),
            Err(PlatformError::Unreachable { .. }) => "unreachable".to_owned(),
            Err(PlatformError::Rejected { rejection, code, .. }) => format!("{rejection:?} {code}"),
        }
    }

    #[test]
    fn the_body_counts_whatever_the_status() {
        for (status, body, expected) in [
            (200, r#"{"code":0,"msg":"success","data":{}}"#, "ok"),
            (200, r#"{"code":0}"#, "ok"),
            (400, r#"{"code":0}"#, "ok"),
            (200, r#"{"code":300317,"msg":"sequence number compare failed"}"#, "Sequence 300317"),
            (400, r#"{"code":300317,"msg":"sequence number compare failed"}"#, "Sequence 300317"),
            (500, r#"{"code":300120,"msg":"internal"}"#, "Internal 300120"),
            (200, r#"{"code":230099,"msg":"x, ext=ErrCode: 200570; "}"#, "BadImage 200570"),
            (400, r#"{"code":424242,"msg":null}"#, "Defect 424242"),
            (500, r#"{"code":424242,"msg":"?"}"#, "unknown"),
            (503, r#"{"code":0}"#, "unknown"),
            (502, "<html>bad gateway</html>", "unknown"),
            (200, "<html>log in</html>", "unknown"),
            (200, r#"{"code":0,"data":{"card_"#, "unknown"),
            (200, r#"{"code":"zero"}"#, "unknown"),
            (200, "[]", "unknown"),
            (200, "", "unknown"),
            (404, "404 page not found", "unknown"),
            (429, "slow down", "limited 1s"),
            (429, r#"{"code":424242,"msg":""}"#, "limited 1s"),
            (429, r#"{"code":230020,"msg":""}"#, "ChatBusy 230020"),
            (400, r#"{"code":99991400,"msg":""}"#, "limited 1s"),
        ] {
            assert_eq!(shown(&answer(status, body)), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_rate_limit_waits_as_told_within_bounds() {
        for (reset, expected) in [
            (Some("7"), "limited 7s"),
            (Some(" 2.5 "), "limited 2.5s"),
            (Some("0"), "limited 1s"),
            (Some("-3"), "limited 1s"),
            (Some("NaN"), "limited 1s"),
            (Some("soon"), "limited 1s"),
            (Some("1e300"), "limited 3600s"),
            (None, "limited 1s"),
        ] {
            let answer = Answer { reset: reset.map(str::to_owned), ..answer(429, r#"{"code":99991400}"#) };
            assert_eq!(shown(&answer), expected, "{reset:?}");
        }
    }

    #[test]
    fn a_missing_scope_is_named_with_the_place_to_open_it() {
        let told = r#"{"code":99991672,"msg":"Access denied. One of the following scopes is required: [im:chat, im:chat:readonly].应用尚未开通：https://open.feishu.cn/app/cli_1/auth?q=im:chat"}"#;
        let listed = r#"{"code":99991672,"msg":"Access denied","error":{"permission_violations":[{"type":"action_scope_required","subject":"im:chat"},{"subject":"im:chat:readonly"}],"helps":[{"url":"https://open.feishu.cn/app/cli_1/auth?q=im:chat"}]}}"#;
        for body in [told, listed] {
            let error = read(&answer(400, body), "reading the chat", &[]).result.unwrap_err().to_string();
            assert!(error.contains("missing, one of: im:chat, im:chat:readonly"), "{error}");
            assert!(error.contains("open https://open.feishu.cn/app/cli_1/auth?q=im:chat "), "{error}");
        }
        let bare = read(&answer(400, r#"{"code":99991672,"msg":""}"#), "x", &[]).result.unwrap_err();
        assert!(bare.to_string().contains("权限管理"), "{bare}");
    }

    #[test]
    fn what_is_repeated_is_short_and_without_secrets() {
        let body = format!(r#"{{"code":10002,"msg":"a hunter2 b\n{}"}}"#, "x".repeat(5000));
        let error =
            read(&answer(400, &body), "creating the card", &["hunter2"]).result.unwrap_err().to_string();
        assert!(error.starts_with("creating the card: a parameter is wrong"), "{error}");
        assert!(error.contains("a … b xxx") && !error.contains("hunter2"), "{error}");
        assert!(error.len() < 700, "{}", error.len());
    }

    #[test]
    fn the_log_id_is_told() {
        let answer =
            Answer { log_id: Some("2026ABC".to_owned()), ..answer(400, r#"{"code":10002,"msg":"m"}"#) };
        let error = read(&answer, "x", &[]).result.unwrap_err().to_string();
        assert!(error.ends_with("(code 10002, “m”, log id 2026ABC)"), "{error}");
    }
}
