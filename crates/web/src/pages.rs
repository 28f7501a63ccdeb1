//! The pages themselves: the board, and what is said to somebody who may not see it.
//!
//! Style and script are files of their own beside this one; nothing of a card is in any of these.

use std::fmt::Write as _;

use crate::words::Language;

/// How the page looks.
pub(crate) const CSS: &str = include_str!("page/page.css");
/// What the page does: it puts in what it is told.
pub(crate) const JS: &str = include_str!("page/page.js");
/// The page's icon.
pub(crate) const ICON: &str = include_str!("page/icon.svg");

/// Why somebody does not see what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not logged in.
    Unknown,
    /// The token is wrong or used.
    Used,
    /// The request is for another host.
    Elsewhere,
    /// There is no such page.
    Nothing,
}

fn head(language: Language, title: &str, script: &str) -> String {
    let lang = language.tag();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"/icon.svg\">\n<link rel=\"stylesheet\" href=\"/page.css\">\n{script}</head>\n"
    )
}

/// The page of the board. Its script reads its words from it.
pub(crate) fn board(language: Language) -> String {
    let mut page = head(language, "Larkspan", "<script src=\"/page.js\" defer></script>\n");
    let pick = |zh, en| language.pick(zh, en);
    let words = [
        ("connecting", pick("正在连接", "Connecting")),
        ("connected", pick("实时", "Live")),
        ("reconnecting", pick("正在重新连接", "Reconnecting")),
        ("ended", pick("已结束", "Ended")),
        ("refused", pick("登录已失效", "Logged out")),
        ("older", pick("更早的 {n} 张卡片已不在此处", "{n} older cards are no longer here")),
        ("sessions", pick("更早的 {n} 个会话已不在此处", "{n} older sessions are no longer here")),
        ("latest", pick("回到最新", "Latest")),
    ];
    page.push_str("<body");
    for (name, word) in words {
        let _ = write!(page, " data-{name}=\"{word}\"");
    }
    let title = pick("卡片预览", "Card preview");
    let sessions = pick("会话", "Sessions");
    let waiting = pick("还没有卡片", "No cards yet");
    let hint = pick(
        "启动你的编码智能体，它的每一轮对话会出现在这里。",
        "Start your coding agent: its turns appear here.",
    );
    let note =
        pick("这里显示的就是飞书会收到的卡片。", "What you see is the very card that Feishu would get.");
    let connecting = pick("正在连接", "Connecting");
    let script = pick("此页面需要 JavaScript 才能实时更新。", "This page needs JavaScript to be live.");
    let _ = write!(
        page,
        ">\n<header class=\"bar\">\n<h1>Larkspan <span>{title}</span></h1>\n\
         <p id=\"link\" class=\"link connecting\" role=\"status\"><i></i><span>{connecting}</span></p>\n</header>\n\
         <nav id=\"tabs\" aria-label=\"{sessions}\"></nav>\n<main id=\"board\"></main>\n\
         <section id=\"empty\"><div class=\"ghost\"><i></i><i></i><i></i></div>\n<h2>{waiting}</h2>\n<p>{hint}</p>\n\
         <p class=\"note\">{note}</p></section>\n<p id=\"dropped\" class=\"remark\" hidden></p>\n\
         <noscript><p class=\"remark\">{script}</p></noscript>\n</body>\n</html>\n"
    );
    page
}

/// What is said to somebody who does not see what was asked for.
pub(crate) fn refusal(why: Refusal, language: Language) -> String {
    let again = language.pick(
        "Larkspan 每次启动都会打印一个新的登录网址，只能使用一次。请在运行它的终端按 Ctrl-C 停止，再重新启动，然后打开新网址。",
        "Larkspan prints a new URL each time it starts, and each works once. Stop it with Ctrl-C in its terminal, start \
         it again, and open the URL that it prints.",
    );
    let onward = language.pick(
        "已经在这个浏览器登录？<a href=\"/\">打开页面</a>",
        "Logged in with this browser already? <a href=\"/\">Open the page</a>",
    );
    let (title, words) = match why {
        Refusal::Unknown => (language.pick("请先登录", "Please log in"), again),
        Refusal::Used => {
            (language.pick("此登录网址已使用过或不正确", "This login URL has been used, or is wrong"), again)
        }
        Refusal::Elsewhere => (
            language.pick("不是这里的地址", "Not an address of this page"),
            language.pick(
                "请使用 Larkspan 打印的网址（127.0.0.1 或 localhost）。",
                "Use the URL that Larkspan prints (127.0.0.1 or localhost).",
            ),
        ),
        Refusal::Nothing => (
            language.pick("没有这个页面", "No such page"),
            language.pick("卡片在首页。", "The cards are on the first page."),
        ),
    };
    let onward = if why == Refusal::Elsewhere { "" } else { onward };
    let mut page = head(language, title, "");
    let _ = write!(
        page,
        "<body>\n<section class=\"refusal\"><h1>{title}</h1>\n<p>{words}</p>\n<p class=\"note\">{onward}</p></section>\n\
         </body>\n</html>\n"
    );
    page
}
