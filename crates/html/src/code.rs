//! Blocks of code, patches among them.

mod patch;

use patch::{Notation, PatchLines};

use crate::{escape, highlight};

/// Appends a block of code. `language` may be any text.
pub fn block(out: &mut String, language: &str, body: &str) {
    write_block(out, language, body, escape::text);
}

/// Appends a block of code, with comments, strings, numbers and key words in elements of their own.
pub fn highlighted(out: &mut String, language: &str, body: &str) {
    write_block(out, language, body, |out, body| highlight::code(out, language, body));
}

fn write_block(out: &mut String, language: &str, body: &str, plain: impl Fn(&mut String, &str)) {
    let patch = Notation::of(language, body);
    out.push_str(match (patch, language) {
        (Some(_), _) => "<pre class=\"patch\"><code>",
        (None, "bash") => "<pre class=\"shell\"><code>",
        (None, _) => "<pre><code>",
    });
    match patch {
        None => plain(out, body.strip_suffix('\n').unwrap_or(body)),
        Some(notation) => {
            for (kind, line) in PatchLines::new(notation, body) {
                out.push_str("<span class=\"");
                out.push_str(kind.class());
                out.push_str("\">");
                escape::text(out, line);
                // Within its element, so that a copied patch keeps its lines.
                out.push_str("\n</span>");
            }
        }
    }
    out.push_str("</code></pre>");
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::block;
    use super::patch::{Notation, PatchLines};

    /// A line each: its class, then the line.
    fn check(language: &str, classed: &str) {
        let body: Vec<&str> = classed.lines().map(|line| &line[5..]).collect();
        let body = body.join("\n");
        let notation = Notation::of(language, &body).expect("a patch");
        let found: Vec<String> = PatchLines::new(notation, &body)
            .map(|(kind, line)| format!("{:<5}{line}", kind.class()))
            .collect();
        assert_eq!(found, classed.lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_diff_counts_its_lines() {
        check(
            "diff",
            "file diff --git a/x b/x\n\
             file index 1..2 100644\n\
             file --- a/x\n\
             file +++ b/x\n\
             hunk @@ -1,4 +1,4 @@ fn main()\n\
             ctx   same\n\
             del  --- looks like a header\n\
             add  +++ so does this\n\
             ctx  \n\
             del  -old\n\
             add  +new\n\
             file --- a/y\n\
             file +++ b/y\n\
             hunk @@ -1 +0,0 @@\n\
             del  -gone\n",
        );
    }

    #[test]
    fn a_diff_without_counts_goes_by_the_first_character() {
        check("diff", "hunk @@\ndel  ---x\nadd  +y\nctx   z\n");
        check("patch", "del  - a\nadd  + b\nctx  words\n");
        check("", "file diff --git a/x b/x\nfile Binary files a/x and b/x differ\n");
    }

    #[test]
    fn wrong_counts_do_not_swallow_the_next_file() {
        check(
            "diff",
            "hunk @@ -1,9 +1,9 @@\nctx   a\nfile diff --git a/y b/y\nfile --- a/y\nfile +++ b/y\nhunk @@ -1 +1 @@\ndel  -a\nadd  +b\n",
        );
    }

    #[test]
    fn an_envelope_ends_where_it_says() {
        check(
            "rust",
            "file *** Begin Patch\nfile *** Update File: a.rs\nfile *** Move to: b.rs\nhunk @@ fn main()\nctx   a\n\
             del  ---x\nadd  +++ y\nfile *** End of File\nfile *** End Patch\nctx  +after\n",
        );
        check(
            "bash",
            "ctx  apply_patch <<'EOF'\nfile *** Begin Patch\nfile *** Add File: a\nadd  +x\nfile *** End Patch\nctx  EOF\n",
        );
    }

    #[test]
    fn a_last_line_without_its_end_is_a_remark() {
        let body = "@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n";
        let found: Vec<&str> =
            PatchLines::new(Notation::Unified, body).map(|(kind, _)| kind.class()).collect();
        assert_eq!(found, ["hunk", "add", "remark"]);
    }

    #[test]
    fn a_language_is_never_printed() {
        for (language, html) in [
            ("rust", "<pre><code>x</code></pre>"),
            ("\"><script>", "<pre><code>x</code></pre>"),
            ("bash", "<pre class=\"shell\"><code>x</code></pre>"),
            ("diff", "<pre class=\"patch\"><code><span class=\"ctx\">x\n</span></code></pre>"),
        ] {
            let mut out = String::new();
            block(&mut out, language, "x\n");
            assert_eq!(out, html);
        }
    }
}
