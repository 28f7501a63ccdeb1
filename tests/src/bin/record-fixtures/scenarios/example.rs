//! The session of `examples/`: a small project, a failing test, a person who asks twice. Not a fixture: it is to be
//! read, and shows in one screenful what sessions are made of.

use std::fs;

use anyhow::{Context, Result, ensure};
use larkspan_tests::scripted_model::{Item, ModelRequest, Script, Step};
use serde_json::json;

use super::CODE_MODE;
use crate::recorder::Recorder;

/// The project: what is in the workspace before the session.
const PROJECT: [(&str, &str); 4] = [
    (
        "duration.py",
        r#""""Durations as people write them."""


def short(seconds):
    """1.2 is `1.2s`, 185 is `3m 5s`, 7380 is `2h 3m`."""
    if seconds < 60:
        return f"{seconds:.1f}s"
    if seconds < 3600:
        return f"{seconds // 60:.0f}m {seconds % 60:.0f}s"
    return f"{seconds // 3600:.0f}h {seconds % 3600 // 60:.0f}m"
"#,
    ),
    (
        "test_duration.py",
        r#"import unittest

from duration import short


class ShortTest(unittest.TestCase):
    def test_units(self):
        self.assertEqual(short(1.2), "1.2s")
        self.assertEqual(short(185), "3m 5s")
        self.assertEqual(short(7380), "2h 3m")

    def test_rounding_goes_up_a_unit(self):
        self.assertEqual(short(119.7), "2m 0s")
"#,
    ),
    (
        "slow_check.py",
        r#""""Every tenth of a second of three hours: never `60s`, never `60m`."""

import time

from duration import short

for hour in range(3):
    for tenth in range(hour * 36_000, (hour + 1) * 36_000):
        text = short(tenth / 10)
        assert "60s" not in text and "60m" not in text, (tenth, text)
    print(f"hour {hour + 1} is fine")
    time.sleep(0.7)
"#,
    ),
    ("CHANGELOG.md", "# Changelog\n\n## Not released yet\n\n- `short` writes hours.\n"),
];

/// Records it as `demo-session.jsonl`.
pub(super) async fn record(recorder: &Recorder) -> Result<()> {
    let (model, lab) = recorder.stage(CODE_MODE, Script::one(steps())).await?;
    for (name, text) in PROJECT {
        fs::write(lab.workspace().join(name), text)?;
    }
    let mut server = lab.app_server().await?;
    let thread = server.start_thread(json!({})).await?;
    for prompt in [
        "`python3 -m unittest` fails. Find out why and fix it.",
        "Good. Run slow_check.py too, it takes a few seconds. Put a line into the changelog meanwhile.",
    ] {
        let status = server.turn(&thread, prompt).await?;
        ensure!(status == "completed", "the turn ended as {status}");
    }
    server.close().await?;
    model.finish()?;
    recorder.save_as(&lab, &thread, "demo-session.jsonl")
}

/// What the model says, request by request.
fn steps() -> [Step; 9] {
    [
        Step::items([
            Item::reasoning(
                "**Looking at the failure**\n\nThe test, the code and where it is used do not depend on each other: I can look at all \
                 three at once.",
            ),
            Item::message("I run the tests and read the code beside them.").phase("commentary"),
            Item::exec(
                r#"const [tests, code, uses] = await Promise.all([
  tools.exec_command({cmd: "python3 -m unittest"}),
  tools.exec_command({cmd: "cat duration.py"}),
  tools.exec_command({cmd: "grep -rn 'short(' --include='*.py' ."}),
]);
text(tests.output.split("\n").find((line) => line.startsWith("AssertionError")));
text(`files that name it: ${new Set(uses.output.match(/^[^:]+/gm)).size}`);
text(code.output);"#,
            ),
        ]),
        Step::items([
            Item::message(
                "`short(119.7)` is `1m 60s`: the minutes are cut off before the seconds are rounded. Rounding first cures it.",
            )
            .phase("commentary"),
            Item::exec(
                r#"await tools.apply_patch(`*** Begin Patch
*** Update File: duration.py
@@ def short(seconds):
-    if seconds < 60:
+    if round(seconds, 1) < 60:
         return f"{seconds:.1f}s"
-    if seconds < 3600:
-        return f"{seconds // 60:.0f}m {seconds % 60:.0f}s"
-    return f"{seconds // 3600:.0f}h {seconds % 3600 // 60:.0f}m"
+    minutes, rest = divmod(round(seconds), 60)
+    if minutes < 60:
+        return f"{minutes}m {rest}s"
+    return f"{minutes // 60}h {minutes % 60}m"
*** End Patch`);
const again = await tools.exec_command({cmd: "python3 -m unittest"});
if (again.exit_code !== 0) {
  await tools.exec_command({cmd: "git diff"});
}
text(again.output);"#,
            ),
        ]),
        Step::say(
            "The tests pass now. `short` cut the minutes off first and rounded the seconds afterwards.\n\n- It rounds once, before it \
             splits: 119.7 seconds are `2m 0s`.\n- 59.96 seconds had the same fault (`60.0s`) and are `1m 0s` now.\n\nI have not run \
             `slow_check.py`.",
        ),
        Step::item(Item::exec(
            r#"text(await tools.exec_command({cmd: "python3 -u slow_check.py", yield_time_ms: 400}));"#,
        )),
        Step::item(Item::exec(
            r#"await tools.apply_patch("*** Begin Patch\n*** Update File: CHANGELOG.md\n@@\n ## Unreleased\n \n+- `short` rounds before it splits: 119.7 seconds are `2m 0s`, not `1m 60s`.\n*** End Patch");"#,
        )),
        Step::item(Item::exec(
            r#"text((await tools.exec_command({cmd: "sed -n '1,20p' CHANGELOG.md"})).output);"#,
        )),
        Step::item(Item::exec(
            r#"await Promise.all([
  tools.apply_patch("*** Begin Patch\n*** Update File: CHANGELOG.md\n@@\n ## Not released yet\n \n+- `short` rounds before it splits: 119.7 seconds are `2m 0s`, not `1m 60s`.\n - `short` writes hours.\n*** End Patch"),
  tools.mcp__demo__note({text: "short(): rounding fixed, changelog has it"}),
]);"#,
        )),
        Step::from_request(|request| {
            let session = running_session(request).context("no output names a running session")?;
            let script = format!(
                r#"text(await tools.write_stdin({{session_id: {session}, chars: "", yield_time_ms: 5000}}));"#
            );
            Ok(vec![Item::exec(&script)])
        }),
        Step::say(
            "`slow_check.py` is through: all 108,000 values are fine. The changelog has a line about the fix, and so have your notes.",
        ),
    ]
}

/// The terminal that the newest output of the conversation names.
fn running_session(request: &ModelRequest) -> Option<u64> {
    let parts = request.input().iter().rev().filter_map(|item| item.get("output")?.as_array()).flatten();
    let results =
        parts.filter_map(|part| serde_json::from_str::<serde_json::Value>(part.get("text")?.as_str()?).ok());
    results.into_iter().find_map(|result| result.get("session_id")?.as_u64())
}
