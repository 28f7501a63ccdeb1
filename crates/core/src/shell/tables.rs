//! The tables of known programs: which options take a value, and which programs only look.
//!
//! From the programs' own manuals (GNU coreutils, findutils, grep and sed, ripgrep, fd, bat, less, ag, ack, git).

use super::options::Spec;

pub(super) const FLAGS_ONLY: Spec = Spec { short: "", long: "" };
pub(super) const CAT: Spec = FLAGS_ONLY;
pub(super) const BAT: Spec = Spec {
    short: "lHrm",
    long: "language highlight-line line-range tabs theme style color paging wrap decorations file-name \
        map-syntax ignored-suffix diff-context terminal-width italic-text nonprintable-notation \
        squeeze-limit binary completion pager",
};
pub(super) const NL: Spec = Spec {
    short: "bdfhilnsvw",
    long: "body-numbering section-delimiter footer-numbering header-numbering line-increment \
        join-blank-lines number-format number-separator starting-line-number number-width",
};
pub(super) const LESS: Spec = Spec {
    short: "bhjkpPtTxyzoO",
    long: "buffers max-back-scroll jump-target lesskey-file pattern prompt tag tabs window",
};
pub(super) const HEAD: Spec = Spec { short: "nc", long: "lines bytes" };
pub(super) const TAIL: Spec =
    Spec { short: "ncs", long: "lines bytes sleep-interval pid max-unchanged-stats" };
pub(super) const SED: Spec = Spec { short: "efl", long: "expression file line-length" };
pub(super) const AWK: Spec = Spec { short: "Fvfi", long: "field-separator assign file include" };
pub(super) const RIPGREP: Spec = Spec {
    short: "ABCefgjmMrtTEd",
    long: "after-context before-context context regexp file glob iglob threads max-count max-columns \
        replace type type-not type-add type-clear encoding max-depth maxdepth max-filesize color colors \
        context-separator field-context-separator field-match-separator path-separator sort sortr \
        engine dfa-size-limit regex-size-limit ignore-file pre pre-glob hyperlink-format hostname-bin \
        generate",
};
pub(super) const GREP: Spec = Spec {
    short: "ABCefmdD",
    long: "after-context before-context context regexp file max-count include exclude exclude-dir \
        exclude-from label binary-files devices directories",
};
pub(super) const AG: Spec = Spec {
    short: "ABCGmpW",
    long: "after before context file-search-regex ignore ignore-dir path-to-ignore depth max-count width \
        pager",
};
pub(super) const ACK: Spec = Spec {
    short: "ABCm",
    long: "after-context before-context context max-count match type output ignore-dir pager",
};
pub(super) const GIT: Spec = Spec { short: "Cc", long: "git-dir work-tree namespace exec-path config-env" };
pub(super) const GIT_GREP: Spec =
    Spec { short: "ABCefm", long: "after-context before-context context max-depth threads max-count" };
pub(super) const GIT_LS_FILES: Spec =
    Spec { short: "xX", long: "exclude exclude-from exclude-per-directory with-tree" };
pub(super) const FD: Spec = Spec {
    short: "deEStojcxX",
    long: "max-depth min-depth exact-depth type extension exclude size changed-within changed-before owner \
        color threads max-results search-path base-directory path-separator ignore-file format and exec \
        exec-batch",
};
pub(super) const LS: Spec = Spec { short: "IwT", long: "ignore hide width tabsize level ignore-glob sort" };
pub(super) const EZA: Spec = Spec { short: "LIst", long: "level ignore-glob sort time time-style" };
pub(super) const TREE: Spec = Spec { short: "LPIoHT", long: "filelimit charset timefmt" };
pub(super) const SORT: Spec = Spec {
    short: "koStT",
    long: "key output buffer-size field-separator temporary-directory compress-program parallel",
};

pub(super) const BASE64: Spec = Spec { short: "biow", long: "break input output wrap" };
pub(super) const DATE: Spec = Spec { short: "dfrsv", long: "date file reference set" };
pub(super) const UNIQ: Spec = Spec { short: "fsw", long: "skip-fields skip-chars check-chars" };

/// Programs that read or compute, change nothing outside the shell, and say nothing about a command's purpose.
pub(super) const QUIET: [&str; 77] = [
    ":",
    "[",
    "arch",
    "basename",
    "break",
    "cd",
    "cksum",
    "clear",
    "cmp",
    "column",
    "comm",
    "continue",
    "cut",
    "declare",
    "df",
    "diff",
    "dirname",
    "dirs",
    "du",
    "echo",
    "exit",
    "expand",
    "export",
    "expr",
    "false",
    "file",
    "fmt",
    "fold",
    "getconf",
    "getopts",
    "groups",
    "id",
    "join",
    "jq",
    "let",
    "local",
    "locale",
    "mapfile",
    "md5sum",
    "numfmt",
    "od",
    "paste",
    "popd",
    "pr",
    "printenv",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "rev",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "shift",
    "shopt",
    "sleep",
    "stat",
    "strings",
    "tac",
    "test",
    "tr",
    "true",
    "type",
    "typeset",
    "ulimit",
    "uname",
    "unset",
    "wait",
    "wc",
    "which",
    "yes",
];

/// Programs that work on the files they name: telling enough that nothing else should hide them. Without a
/// file they only filter.
pub(super) const WORKING_FILTERS: [&str; 6] = ["cmp", "comm", "diff", "jq", "join", "tac"];

/// Programs that prepare for a write and may stand beside it.
pub(super) const PREPARING: [&str; 3] = ["chmod", "mkdir", "touch"];

/// Programs that are there to change something.
pub(super) const CHANGING: [&str; 24] = [
    "apply_patch",
    "applypatch",
    "chgrp",
    "chown",
    "cp",
    "csplit",
    "dd",
    "install",
    "kill",
    "ln",
    "mkfifo",
    "mv",
    "patch",
    "pkill",
    "rename",
    "rm",
    "rmdir",
    "rsync",
    "scp",
    "shred",
    "split",
    "truncate",
    "unlink",
    "unzip",
];

/// Interpreters: a program given to them in the command line may do anything.
pub(super) const INTERPRETERS: [&str; 7] = ["node", "perl", "php", "pwsh", "python", "python3", "ruby"];

/// git's commands that change the repository, the working tree or a remote.
pub(super) const CHANGING_GIT: [&str; 22] = [
    "add",
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "fetch",
    "gc",
    "init",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
];
