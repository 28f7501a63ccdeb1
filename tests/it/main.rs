//! The tests across crates: real logs through the whole path, the built program from outside, the rules of the house.
//!
//! One binary with a module for each theme. What a capture shows is in golden files (`golden/`, written anew with
//! `UPDATE_GOLDEN=1`); what must hold of all of them is checked against a second, simpler reading of the same rows.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::format_push_string,
    clippy::items_after_statements,
    reason = "a test picks what it looks at"
)]

mod agents;
mod architecture;
mod bad_input;
mod card_look;
mod cards;
mod claude_live;
mod codex_cards;
mod codex_live;
mod feishu_symptoms;
mod fixtures;
mod live;
mod odd_shapes;
mod outputs;
mod owners;
mod owners_by_hand;
mod page;
mod public;
mod restart;
mod support;
mod symptoms;
mod truth;
