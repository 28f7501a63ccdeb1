//! The table of the platform's codes: what each means for a caller, and for a person.
//!
//! Codes are matched by number, never by text, with the one exception that the platform itself makes: 11310 stands for
//! several things, told apart by their wording. 230099 wraps another code (`ErrCode: N` in its text).
//! Source: the error tables of the official documentation of `CardKit`, messages and authentication, and reports of the
//! texts seen in practice.

use super::Rejection;

/// What a code says about the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The call was refused.
    Rejected(Rejection),
    /// There were too many calls.
    RateLimited,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The platform's code.
    pub(crate) code: i64,
    /// What it means for the caller.
    pub(crate) meaning: Meaning,
    /// What happened and what to do, for a person.
    pub(crate) sentence: &'static str,
}

/// The codes that say that the token is not (or no longer) good: a new one is fetched, and the call made once more.
pub(crate) const TOKEN: [i64; 4] = [99_991_663, 99_991_661, 99_991_671, 99_991_664];

/// The code that wraps another (`ErrCode: N`).
const CARD_CREATE_FAILED: i64 = 230_099;

/// The code that is told apart by its text.
const BY_TEXT: i64 = 11_310;

/// What 11310 may say. The first text that is contained counts.
const TEXTS: &[(&str, Rejection, &str)] = &[
    (
        "table number over limit",
        Rejection::TooManyTables,
        "the card has more tables than the platform takes; tables beyond the third are shown as code instead",
    ),
    (
        "element exceeds the limit",
        Rejection::TooLarge,
        "the card has more than 200 components; the turn goes on in another card",
    ),
    (
        "card action is lock",
        Rejection::Locked,
        "somebody is using the card at this moment; it is tried again",
    ),
    (
        "cardid is invalid",
        Rejection::NotYetVisible,
        "the new card is not known to every server yet; it is tried again in a moment",
    ),
    (
        "template",
        Rejection::Defect,
        "the card template is not visible to the app; Larkspan sends no templates, please report this",
    ),
];

macro_rules! table {
    ($($code:literal $meaning:ident $sentence:literal)*) => {
        &[$(Entry { code: $code, meaning: table!(@ $meaning), sentence: $sentence },)*]
    };
    (@ RateLimited) => { Meaning::RateLimited };
    (@ $rejection:ident) => { Meaning::Rejected(Rejection::$rejection) };
}

/// Every code with a meaning of its own, in order.
pub(crate) const TABLE: &[Entry] = table! {
    10_002 Defect "a parameter is wrong, which is a defect of Larkspan; please report it"
    10_003 Credentials "the app id or secret is wrong; compare both with 凭证与基础信息 (Credentials & Basic Info) in the console, and check that the domain (feishu or lark) is the app's"
    10_014 Credentials "the app secret is wrong; check App Secret under 凭证与基础信息 (Credentials & Basic Info) in the console, and copy it again"
    11_310 Defect "the card breaks a limit of the platform"
    100_290 Defect "the card mentions a person whom the platform does not know"
    200_220 Defect "the card cannot be made from its JSON, which is a defect of Larkspan; please report it"
    200_340 Forbidden "the app has no receiver for clicks; in the console under 事件与回调 → 回调配置 choose 使用长连接接收回调, add card.action.trigger (卡片回传交互), and publish a version"
    200_341 Internal "a click was not answered within 3 s; check that Larkspan runs and its connection is up"
    200_342 Internal "a click could not be delivered: the connection to Larkspan failed"
    200_343 Internal "a click could not be delivered: the name of the receiver was not found; use 长连接 (long connection)"
    200_380 Defect "the card refers to a template that does not exist, which is a defect of Larkspan; please report it"
    200_510 StreamExpired "the card has streamed for ten minutes, which is the most; the stream is opened again"
    200_530 Defect "a form component has no name, which is a defect of Larkspan; please report it"
    200_570 BadImage "the card shows an image that is not the platform's; it is shown as a link instead"
    200_621 Defect "the card's JSON has something that the platform does not know, which is a defect of Larkspan; please report it"
    200_671 Internal "a click was answered with an error; see the log of Larkspan"
    200_672 Defect "a click was answered with something unreadable, which is a defect of Larkspan; please report it"
    200_673 Defect "a click was answered with a wrong card, which is a defect of Larkspan; please report it"
    200_740 CardGone "the platform does not know this card any more; the turn goes on in a new card"
    200_750 CardGone "the card is older than 14 days and cannot be changed; the turn goes on in a new card"
    200_770 UuidSeen "this write was seen before"
    200_810 Locked "somebody is using the card at this moment; it is tried again"
    200_830 Defect "a card of version 2.0 was to be replaced by one of 1.0, which is a defect of Larkspan; please report it"
    200_850 StreamExpired "the card has streamed for ten minutes, which is the most; the stream is opened again"
    200_860 TooLarge "the card is larger than 30 KB; the turn goes on in another card"
    200_861 Defect "the card has a component that version 2.0 no longer takes, which is a defect of Larkspan; please report it"
    200_914 Defect "a component of the card is wrong, which is a defect of Larkspan; please report it"
    200_915 Defect "a component of the card is wrong, which is a defect of Larkspan; please report it"
    230_001 Chat "the message or its receiver is wrong; check the chat id (oc_…)"
    230_002 Chat "the bot is not in this chat; add it under 群设置 → 群机器人 (Settings → Bots)"
    230_006 Chat "the app has no bot; turn on 添加应用能力 → 机器人 (Bot) in the console and publish a version"
    230_011 MessageGone "the message was recalled"
    230_013 Chat "this person is outside the app's range; extend 可用范围 (Availability) in the console and publish a version"
    230_020 ChatBusy "this chat has too many messages at the moment; this frame is left out"
    230_022 Audit "the content holds a word that the platform refuses; it is masked and sent once more"
    230_025 TooLarge "the message is too long; it is split"
    230_028 Audit "the content was refused by your organisation's data protection (DLP), often for an e-mail address or a phone number; it is masked and sent once more"
    230_031 MessageGone "the message is older than 14 days and cannot be changed"
    230_049 BeingSent "the message is being sent; nothing to do"
    230_072 Defect "the message was edited 20 times, which is the most"
    230_099 Defect "the card was refused"
    230_110 MessageGone "the message was deleted"
    231_001 Defect "there is no such reaction"
    231_003 MessageGone "the message does not exist, or the bot cannot see it"
    234_043 Defect "files of cards and merged messages cannot be fetched"
    300_020 Defect "the token of a click is malformed; the card is changed by itself instead"
    300_030 Defect "the token of a click is older than 30 minutes; the card is changed by itself instead"
    300_040 Defect "the token of a click was used twice already; the card is changed by itself instead"
    300_120 Internal "the platform failed; it is tried again"
    300_121 Diverged "a part of the card could not be replaced; the whole card is"
    300_122 Diverged "the card's settings could not be changed; the whole card is replaced"
    300_301 Diverged "two parts of the card have the same id; the whole card is replaced"
    300_302 Defect "the card is one for everybody and must stay so (update_multi), which is a defect of Larkspan; please report it"
    300_303 Defect "the card is not of version 2.0, which is a defect of Larkspan; please report it"
    300_305 TooLarge "the card has more than 200 components; the turn goes on in another card"
    300_307 Defect "the card is empty, which is a defect of Larkspan; please report it"
    300_309 StreamClosed "the card does not stream any more; it is replaced as a whole"
    300_310 Defect "only text can be streamed, which is a defect of Larkspan; please report it"
    300_311 CardGone "the card belongs to another app; the turn goes on in a new card"
    300_312 Diverged "a component cannot change its kind; the whole card is replaced"
    300_313 Diverged "a part of the card could not be changed, often because it is not there; the whole card is replaced"
    300_314 Diverged "a part of the card could not be removed; the whole card is replaced"
    300_315 Diverged "a part of the card could not be added; the whole card is replaced"
    300_317 Sequence "a later write is there already; the whole card is replaced"
    99_991_400 RateLimited "there were too many requests"
    99_991_401 Forbidden "the platform refuses this address; add it to, or clear, 安全设置 → IP 白名单 (Security Settings → IP Whitelist) in the console"
    99_991_403 Forbidden "the month's quota of API calls is used up; see 费用中心 (usage) of your organisation's plan"
    99_991_661 Credentials "the platform saw no token, also after a new one was fetched; if there is a proxy, check that it keeps the header Authorization"
    99_991_663 Credentials "the platform does not take the token, also after a new one was fetched; check app id, app secret and domain"
    99_991_664 Credentials "the platform does not take the token of this app; check app id, app secret and domain"
    99_991_671 Credentials "the platform does not take the form of the token, also after a new one was fetched; check the domain (feishu or lark)"
    99_991_672 Scope "the app may not do this; open the scope under 权限管理 (Permissions & Scopes) in the console and publish a version"
    99_991_679 Scope "the user has not allowed the app to do this; open the scope under 权限管理 (Permissions & Scopes) in the console, publish a version, and log in again"
    99_992_351 Defect "the id of a person (open_id) is not one of this app"
    99_992_402 Defect "a field is wrong, which is a defect of Larkspan; please report it"
};

/// What a person reads about a code that is not in the table.
const UNLISTED: &str = "the platform refused the call with a code that Larkspan does not know; look it up under https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code";

/// A code as the platform told it, found in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The code that says most: the wrapped one, if one is wrapped.
    pub(crate) code: i64,
    /// What it means for the caller.
    pub(crate) meaning: Meaning,
    /// What it means for a person.
    pub(crate) sentence: &'static str,
    /// Whether the table has it.
    pub(crate) listed: bool,
}

/// The row of a code.
pub(crate) fn entry(code: i64) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.code == code)
}

/// What the platform means by a code and its text.
pub(crate) fn verdict(code: i64, text: &str) -> Verdict {
    let inner = if code == CARD_CREATE_FAILED { wrapped(text) } else { None };
    let told = inner.filter(|inner| entry(*inner).is_some()).unwrap_or(code);
    if told == BY_TEXT {
        let lower = text.to_ascii_lowercase();
        if let Some((_, rejection, sentence)) = TEXTS.iter().find(|(part, ..)| lower.contains(part)) {
            return Verdict { code: told, meaning: Meaning::Rejected(*rejection), sentence, listed: true };
        }
    }
    match entry(told) {
        Some(entry) => Verdict { code: told, meaning: entry.meaning, sentence: entry.sentence, listed: true },
        None => Verdict {
            code: told,
            meaning: Meaning::Rejected(Rejection::Defect),
            sentence: UNLISTED,
            listed: false,
        },
    }
}

/// The number after `ErrCode:` in a text.
fn wrapped(text: &str) -> Option<i64> {
    const MARK: &str = "errcode:";
    let lower = text.to_ascii_lowercase();
    let after = lower.split_once(MARK)?.1.trim_start();
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests;
