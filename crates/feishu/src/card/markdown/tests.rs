use proptest::prelude::*;

use super::{Masking, outbound};

#[track_caller]
fn check(text: &str, shown: &str) {
    let mut tables = 3;
    assert_eq!(outbound(text, Masking::Usual, &mut tables), shown);
}

#[test]
fn an_expression_in_a_fence_makes_only_that_block_an_indented_one() {
    check(
        "Run:\n```bash\necho ${HOME}\n\n  done\n```\nand\n```bash\nls\n```",
        "Run:\n\n    echo ${HOME}\n    \n      done\n\nand\n\n```bash\nls\n```",
    );
    check("````md\n```js\nx\n```\n````", "    ```js\n    x\n    ```");
    // Below a list four spaces would not be code.
    check("- a\n```\n${x}\n```", "- a\n\n&#160;\n\n    ${x}");
    check("```\n\n${x}\n```", "\n    ${x}");
}

#[test]
fn fences_stand_at_the_left_with_the_platforms_languages() {
    check("  ```ts\n  let a;\n    b\n  ```", "```typescript\nlet a;\n  b\n```");
    check("1. do\n\n    ```sh\n    ls\n    ```\n2. end", "1. do\n\n```bash\nls\n```\n\n2. end");
    check("```rust\nlet v: Vec<u8>", "```rust\nlet v: Vec<u8>\n```");
    check("~~~\na & b\n~~~", "```plain_text\na & b\n```");
}

#[test]
fn headings_are_small_and_lists_are_indented_by_four() {
    check("# A\n## B ##\n###### C", "#### A\n##### B\n##### C");
    check("Title\n=====\nSub\n---\nx", "#### Title\n##### Sub\nx");
    check("- a\n  - b\n    1. c\n- d", "- a\n    - b\n        1. c\n- d");
    check("a\n\n---\n\n**b**", "a\n\n---\n\n**b**");
    check("#no #1", "#no #1");
}

#[test]
fn the_fourth_table_is_code() {
    let table = "|a|b|\n|-|-|\n|1|<2>|\n";
    let mut tables = 3;
    let shown = outbound(&format!("{table}\n").repeat(4), Masking::Usual, &mut tables);
    assert_eq!(tables, 0);
    assert_eq!(shown.matches("|1|&#60;2>|").count(), 3);
    assert!(shown.ends_with("```plain_text\n|a|b|\n|-|-|\n|1|<2>|\n```"), "{shown}");
    // In a fence it is none.
    let mut tables = 3;
    outbound(&format!("```\n{table}```"), Masking::Usual, &mut tables);
    assert_eq!(tables, 3);
}

#[test]
fn indented_code_stays_as_it_is() {
    check("a:\n\n    x <y> &\n\n    z\n\nb", "a:\n\n    x <y> &\n    \n    z\n\nb");
    check("a\n    b <c>", "a\nb &#60;c>");
}

proptest! {
    #[test]
    fn any_text_comes_out_balanced(text in "(a|`|```|~~~|\n|\n\n|\\$\\{|<at|    |\\| |- |&|# |\\[|\\]\\(|!\\[|\\)){0,60}") {
        let mut tables = 3;
        let shown = outbound(&text, Masking::Usual, &mut tables);
        let mut open = false;
        for line in shown.split('\n') {
            if line.starts_with("```") {
                open = !open;
            } else if !open && !line.starts_with("    ") {
                // Outside code a mention has no effect.
                prop_assert!(!super::without_code(line).contains("<at"), "{}", shown);
            }
        }
        prop_assert!(!open, "{}", shown);
    }
}
