//! Makes a recorded session log fit to be a fixture: no machine paths, no long vendor prompts, nothing else changed.
//!
//! Guarantees: the order of fields and of rows stays; every row that was JSON stays JSON; a row that was not is kept as
//! it is. Texts that the vendor wrote (instructions, tool descriptions, skills) are cut to [`VENDOR_TEXT_LIMIT`]
//! characters and end with [`TRIMMED`]; what the user, the model and the tools said stays whole.

mod ordered;
#[cfg(test)]
mod tests;

use ordered::Json;

/// The longest vendor text that stays whole, in characters.
pub const VENDOR_TEXT_LIMIT: usize = 240;

/// How a cut vendor text ends.
pub const TRIMMED: &str = " … [trimmed]";

/// Rewrites the text of one session log. `paths` are replaced wherever they occur, the first that fits first: from
/// this machine's path to the fixture's.
pub fn rollout(text: &str, paths: &[(String, String)]) -> String {
    let mut sanitised = String::with_capacity(text.len());
    for line in text.lines() {
        match serde_json::from_str::<Json>(line) {
            Ok(mut row) => {
                row.strings(&mut |text| {
                    for (from, to) in paths {
                        if text.contains(from.as_str()) {
                            *text = text.replace(from.as_str(), to);
                        }
                    }
                });
                trim_vendor_texts(&mut row);
                sanitised += &row.to_string();
            }
            Err(_) => sanitised += line,
        }
        sanitised.push('\n');
    }
    sanitised
}

/// The vendor texts of a rollout row that are longer than the limit allows: what a check of the fixtures looks for.
pub fn long_vendor_texts(line: &str) -> Vec<String> {
    let Ok(mut row) = serde_json::from_str::<Json>(line) else { return Vec::new() };
    let mut long = Vec::new();
    vendor_texts(&mut row, &mut |text| {
        if text.chars().count() > VENDOR_TEXT_LIMIT + TRIMMED.chars().count() {
            long.push(text.clone());
        }
    });
    long
}

fn trim_vendor_texts(row: &mut Json) {
    vendor_texts(row, &mut |text| {
        if text.ends_with(TRIMMED) {
            return;
        }
        if let Some((cut, _)) = text.char_indices().nth(VENDOR_TEXT_LIMIT) {
            text.truncate(cut);
            text.push_str(TRIMMED);
        }
    });
}

/// Visits every string of a row in which the vendor speaks.
fn vendor_texts(row: &mut Json, visit: &mut dyn FnMut(&mut String)) {
    let kind = row.text("type").unwrap_or_default().to_owned();
    let Some(payload) = row.get_mut("payload") else { return };
    match kind.as_str() {
        // Everything in them is configuration, instructions or tools.
        "session_meta" | "world_state" | "turn_context" => payload.strings(visit),
        "event_msg" if payload.text("type") == Some("thread_settings_applied") => payload.strings(visit),
        "response_item" => vendor_texts_of_item(payload, visit),
        "compacted" => {
            for list in ["replacement_history", "retained_context"] {
                if let Some(Json::List(items)) = payload.get_mut(list) {
                    for item in items {
                        vendor_texts_of_item(item, visit);
                    }
                }
            }
        }
        _ => {}
    }
}

fn vendor_texts_of_item(item: &mut Json, visit: &mut dyn FnMut(&mut String)) {
    let by_vendor = matches!(item.text("type"), Some("additional_tools" | "tool_search_output"))
        || matches!(item.text("role"), Some("developer" | "system"));
    if by_vendor {
        item.strings(visit);
    }
}
