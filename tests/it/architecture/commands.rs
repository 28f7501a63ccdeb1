//! What the README tells to run is what the continuous integration runs.

use super::{assert_found, assert_nothing, root, text};

/// Each says how to check a change.
const READMES: &[&str] = &["README.md", "README.zh-CN.md"];

/// The last command of a shell script.
fn last_command(script: &str) -> Option<&str> {
    let line = script.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.starts_with('#'))?;
    Some(line.strip_prefix("exec ").unwrap_or(line))
}

/// The lines of a document's fenced blocks, without comments after a command.
fn commands(markdown: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut commands = Vec::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            commands.push(line.split(" #").next().unwrap_or(line).trim().trim_start_matches("$ "));
        }
    }
    commands
}

/// What is wrong with a README beside this script.
fn faults(name: &str, readme: &str, script: &str) -> Vec<String> {
    let Some(command) = last_command(script) else {
        return vec![".ci/run has no command".to_owned()];
    };
    if commands(readme).contains(&command) {
        Vec::new()
    } else {
        vec![format!("{name} does not tell to run `{command}`, which .ci/run runs")]
    }
}

#[test]
fn the_readme_names_the_command_that_ci_runs() {
    let root = root();
    let script = text(&root.join(".ci/run"));
    assert_eq!(last_command(&script), Some("cargo xtask ci"));
    for name in READMES {
        assert_nothing(&faults(name, &text(&root.join(name)), &script));
    }
}

#[test]
fn another_command_is_found() {
    let script = "#!/bin/bash\nset -e\ninstall it\n\nexec cargo xtask ci\n# the end\n\n";
    for readme in
        ["```sh\ncargo xtask ci\n```\n", "# Test\n\n```console\n$ cargo xtask ci   # all of it\n```\n"]
    {
        assert_nothing(&faults("README.md", readme, script));
    }
    for readme in [
        "",
        "cargo xtask ci\n",
        "```sh\ncargo test\n```\ncargo xtask ci\n",
        "```sh\ncargo xtask ci --only fmt\n```\n",
    ] {
        assert_found(&faults("README.md", readme, script), &["`cargo xtask ci`"]);
    }
    assert_found(&faults("README.md", "", "# nothing\n"), &["no command"]);
}
