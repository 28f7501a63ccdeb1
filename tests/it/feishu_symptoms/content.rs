//! Markdown on its way out: images, fences, expressions, addresses.

use larkspan_core::ports::CardSurface as _;
use larkspan_tests::fake_feishu::{Endpoint, code};
use pretty_assertions::assert_eq;

use super::toggles::{every, those};
use super::turns::{Log, done, tell, turn};
use super::world::{World, seconds, under};
use crate::support::rows::Rows;

/// The one raw text that holds this.
#[track_caller]
fn raw_with(world: &World, part: &str) -> String {
    let reader = world.reader();
    let raws: Vec<&str> =
        reader.shown().iter().map(|shown| shown.raw.as_str()).filter(|raw| raw.contains(part)).collect();
    assert_eq!(raws.len(), 1, "{part} in {raws:#?}");
    raws[0].to_owned()
}

#[test]
fn symptom_15_an_external_image_url_rejects_the_whole_update() {
    let text = "Look: ![x](https://h/x.png), ![y](./y.png) and ![z](data:image/png;base64,AAAA).\n\n\
        ```markdown\n![x](https://h/x.png)\n![y](./y.png)\n![z](data:image/png;base64,AAAA)\n```\n\n![](/tmp/a.png) ends it.";
    let fence = "```markdown\n![x](https://h/x.png)\n![y](./y.png)\n![z](data:image/png;base64,AAAA)\n```";
    under(every(), async |world| {
        let cards = world.process();
        // Before, in the middle of a stream, and at the end.
        for part in [10, 30, 80, text.len()] {
            tell(&cards, &turn("1", &["Before.", &text[..part]])).await;
            world.pass(seconds(4)).await;
        }
        tell(&cards, &done("1", &["Before.", text])).await;
        world.settle(&cards).await;
        world.check();
        let raw = raw_with(world, "ends it.");
        assert!(raw.contains(fence), "the fence is untouched: {raw}");
        let prose = raw.replace(fence, "");
        assert!(!prose.contains("!["), "{prose}");
        assert!(prose.contains("[x](https://h/x.png)") && prose.contains("./y.png"), "{prose}");
        assert_eq!(world.applied(Endpoint::CardCreate).len(), 1);
    });
}

#[test]
fn symptom_16_an_open_fence_or_a_raw_less_than_breaks_the_display_in_the_middle() {
    let pieces = [
        "Types:\n\n",
        "  ``",
        "`ru",
        "st\n",
        "  let v: Vec",
        "<u8>",
        " = vec![];\n",
        "  let w: &[Option<u8>] = &v;\n",
        "  ``",
        "`\n",
        "\nso a `Vec<T>` ",
        "and a Vec<T> ",
        "<b>bold</b> & <at id=all></at>",
    ];
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &turn("1", &["Before."])).await;
        world.pass(seconds(3)).await;
        let mut text = String::new();
        for piece in pieces {
            text.push_str(piece);
            tell(&cards, &turn("1", &["Before.", &text])).await;
            world.pass(seconds(3)).await;
            let reader = world.reader();
            assert_eq!(reader.problems(), Vec::<String>::new(), "after {piece:?}: {:#?}", reader.shown());
            assert_eq!(reader.mentions(), Vec::<String>::new(), "after {piece:?}");
            let is_plain = piece.starts_with(' ') && !piece.contains(['`', '<']);
            assert!(!is_plain || reader.text().contains(piece.trim()), "{piece:?} in {:#?}", reader.shown());
        }
        tell(&cards, &done("1", &["Before.", &text])).await;
        world.settle(&cards).await;
        world.check();
        let raw = raw_with(world, "let v");
        assert!(raw.contains("```rust\nlet v: Vec<u8> = vec![];\nlet w: &[Option<u8>] = &v;\n```"), "{raw}");
        assert!(
            raw.contains("so a `Vec<T>` and a Vec&#60;T> &#60;b>bold&#60;/b> &#38; &#60;at id=all>"),
            "{raw}"
        );
        assert!(world.reader().text().contains("so a `Vec<T>` and a Vec<T> <b>bold</b> & <at id=all></at>"));
    });
}

/// A fence that is never closed, as of an answer that was cut.
#[test]
fn symptom_16_a_fence_that_is_never_closed_ends_with_its_card() {
    under(every(), async |world| {
        let cards = world.process();
        for text in ["See:\n```py\nprint(1)", "See:\n```py\nprint(1)\nif a < b:", "See:\n~~~~ \nx\n```"] {
            tell(&cards, &turn("1", &[text])).await;
            world.pass(seconds(3)).await;
            assert_eq!(world.reader().problems(), Vec::<String>::new(), "{text}");
        }
        tell(&cards, &done("1", &["See:\n```py\nif a < b:\n    pass"])).await;
        world.settle(&cards).await;
        world.check();
        assert!(raw_with(world, "pass").contains("```python\nif a < b:\n    pass\n```"));
    });
}

#[test]
fn symptom_17_an_expression_collapses_a_fence_to_one_line() {
    let text = "First:\n\n```bash\necho ${HOME}\n\n  echo \"${A:-`x`}\"  \n```\n\nand then:\n\n```bash\necho $HOME\necho done\n```\n\nEnd.";
    under(every(), async |world| {
        let cards = world.process();
        for (at, _) in text.match_indices('\n') {
            tell(&cards, &turn("1", &[&text[..at]])).await;
            world.pass(seconds(3)).await;
            assert_eq!(world.reader().problems(), Vec::<String>::new());
        }
        tell(&cards, &done("1", &[text])).await;
        world.settle(&cards).await;
        world.check();
        let raw = raw_with(world, "echo ${HOME}");
        assert!(raw.contains("First:\n\n    echo ${HOME}\n    \n      echo \"${A:-`x`}\"  \n\n"), "{raw:?}");
        assert!(raw.contains("```bash\necho $HOME\necho done\n```"), "only that block: {raw:?}");
        assert_eq!(raw.matches("```").count(), 2, "{raw:?}");
        // Byte for byte, without the indent.
        assert!(world.reader().text().contains("echo ${HOME}\n\n  echo \"${A:-`x`}\"  \n"), "{raw:?}");
    });
}

/// A commit with a trailer and a remote, in an answer and in what a tool did.
fn committed() -> Log {
    let command = "git remote add o git@github.com:o/r.git && git commit -m 'By Ann <ann.lee@example.com>, 13812345678'";
    let rows = Rows::paginated().turn("1").user("Commit it.").command("c1", command);
    let rows = rows.ran("c1", command, 0).exited("c1", 0, "");
    let answer = "Committed.\n\nCo-authored-by: Ann <ann.lee@example.com>\n\n```\ngit fetch git@github.com:o/r.git\n```";
    Log::new(&rows.agent("m1", answer).done())
}

#[test]
fn symptom_18_an_address_makes_the_audit_refuse_the_card() {
    under(every(), async |world| {
        let cards = world.process();
        let mut log = committed();
        while log.left() > 0 {
            log.read(&cards, 1).await;
            world.pass(seconds(4)).await;
        }
        world.settle(&cards).await;
        let refusals = world.unexpected();
        let text = world.reader().text();
        let mut audit = None;
        world.fake.configure(|settings| audit = Some(settings.toggles.audit));
        let prose = "Co-authored-by: Ann <a••••@example.com>";
        assert!(text.contains(prose), "{text}");
        if audit == Some(larkspan_tests::fake_feishu::Audit::Off) {
            assert_eq!(refusals, Vec::<u32>::new());
            // Tool bodies as they are, an SSH remote too.
            for code in
                ["git remote add o git@github.com:o/r.git", "13812345678", "git fetch git@github.com:o/r.git"]
            {
                assert!(text.contains(code), "{code} in {text}");
            }
        } else {
            assert_eq!(refusals, [code::AUDIT], "the one call before the resend: {:#?}", world.outline());
            for address in ["git@github", "ann.lee@", "13812345678"] {
                assert!(!text.contains(address), "{address} in {text}");
            }
            assert!(text.contains("git remote add o g"), "{text}");
        }
        world.check_cards();
        assert_eq!(world.cards().len(), 1);
    });
}

/// Addresses in prose alone never meet the audit.
#[test]
fn symptom_18_an_address_in_prose_is_masked_before_the_first_call() {
    under(those(|name| name.contains("audit")), async |world| {
        let cards = world.process();
        let rows = Rows::paginated().turn("1").user("Write to ann.lee@example.com, please.");
        let mut log =
            Log::new(&rows.agent("m1", "I wrote to <ann.lee@example.com> (ann.lee@example.com).").done());
        log.finish(&cards).await;
        world.settle(&cards).await;
        world.check();
        assert!(!world.reader().text().contains("ann.lee"), "{}", world.reader().text());
        assert!(cards.is_settled().await);
    });
}
