//! The words, by language. The structure of titles and details is the same in all.

use serde::{Deserialize, Serialize};

use crate::tool_call::Mark;

/// The language of titles and details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Locale {
    /// 简体中文.
    #[default]
    #[serde(rename = "zh-CN")]
    ZhCn,
    /// English.
    #[serde(rename = "en")]
    En,
}

impl Locale {
    /// Picks the words.
    pub(crate) fn pick(self, zh: &'static str, en: &'static str) -> &'static str {
        match self {
            Self::ZhCn => zh,
            Self::En => en,
        }
    }

    pub(crate) fn mark(self, mark: Mark) -> &'static str {
        match mark {
            Mark::Maybe => self.pick("可能", "maybe"),
            Mark::Repeat => "× ?",
            Mark::Unawaited => self.pick("未等待", "not awaited"),
            Mark::Unresolved => self.pick("未求值", "not resolved"),
            Mark::ExecutedOnly => self.pick("实际执行", "as executed"),
            Mark::Unrecorded => self.pick("未见执行记录", "no record of running"),
        }
    }

    pub(crate) fn aborted(self) -> &'static str {
        self.pick("已中断", "aborted")
    }

    pub(crate) fn no_result(self) -> &'static str {
        self.pick("无结果记录", "no result recorded")
    }

    pub(crate) fn declined(self) -> &'static str {
        self.pick("已拒绝", "declined")
    }

    pub(crate) fn timed_out(self) -> &'static str {
        self.pick("超时", "timed out")
    }

    pub(crate) fn output_heading(self) -> &'static str {
        self.pick("编排输出", "Script output")
    }

    pub(crate) fn terminal(self, id: &str) -> String {
        format!("{} {id}", self.pick("终端", "terminal"))
    }

    pub(crate) fn background(self, id: &str) -> String {
        format!("{} {id}", self.pick("后台终端", "background terminal"))
    }

    pub(crate) fn output_lines(self, count: u64, at_least: bool) -> String {
        let bound = if at_least { "≥ " } else { "" };
        match self {
            Self::ZhCn => format!("输出 {bound}{count} 行"),
            Self::En => format!("{bound}{count} {} of output", plural(count, "line")),
        }
    }

    pub(crate) fn line_range(self, first: u64, last: Option<u64>) -> String {
        match (self, last) {
            (Self::ZhCn, Some(last)) => format!("第 {first}–{last} 行"),
            (Self::ZhCn, None) => format!("第 {first} 行起"),
            (Self::En, Some(last)) => format!("lines {first}–{last}"),
            (Self::En, None) => format!("from line {first}"),
        }
    }

    pub(crate) fn count(self, count: u64, unit: Unit) -> String {
        match (self, unit) {
            (Self::ZhCn, Unit::File) => format!("{count} 个文件"),
            (Self::ZhCn, Unit::Tool) => format!("{count} 个工具"),
            (Self::ZhCn, Unit::Item) => format!("{count} 项"),
            (Self::ZhCn, Unit::Match) => format!("{count} 处"),
            (Self::ZhCn, Unit::Failure) => format!("{count} 个失败"),
            (Self::En, Unit::File) => format!("{count} {}", plural(count, "file")),
            (Self::En, Unit::Tool) => format!("{count} {}", plural(count, "tool")),
            (Self::En, Unit::Item) => format!("{count} {}", plural(count, "item")),
            (Self::En, Unit::Match) => format!("{count} {}", if count == 1 { "match" } else { "matches" }),
            (Self::En, Unit::Failure) => format!("{count} failed"),
        }
    }

    pub(crate) fn wait(self, seconds: &str) -> String {
        format!("{} {seconds}", self.pick("等待", "wait"))
    }

    pub(crate) fn last_lines(self, count: usize) -> String {
        match self {
            Self::ZhCn => format!("_输出的最后 {count} 行_"),
            Self::En => format!("_the last {count} {} of output_", plural(count as u64, "line")),
        }
    }

    pub(crate) fn script_failed_after(self) -> &'static str {
        self.pick("脚本随后失败", "the script failed afterwards")
    }

    pub(crate) fn unread_script(self, bound: &str) -> String {
        match self {
            Self::ZhCn => format!("_脚本未展开：{bound}_"),
            Self::En => format!("_script not unfolded: {bound}_"),
        }
    }

    pub(crate) fn cut_output(self) -> &'static str {
        self.pick("_记录中的输出不完整_", "_the recorded output is not complete_")
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    File,
    Tool,
    Item,
    Match,
    Failure,
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}
