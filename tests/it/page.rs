//! The local page in a real browser, filled by the built program. Pictures of it are left under `target/e2e/page`.

#![cfg(test)]
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use larkspan_tests::browser::{Browser, chromium};
use larkspan_tests::skip::skip;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::program::{Home, Running, root};

/// A picture of the page, for a person to look at.
async fn picture(browser: &mut Browser, name: &str) {
    let folder = root().join("target/e2e/page");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), browser.picture().await.unwrap()).unwrap();
}

/// The program with its page: where it is said to be.
fn page(home: &Home, log: &str) -> (Running, String) {
    let command = home.command([
        "mirror",
        "--surface",
        "preview",
        "--from",
        "start",
        "--locale",
        "en",
        "--session",
        log,
    ]);
    let running = Running::start(command);
    let line = running.lines_until(|line| line.contains("http://")).pop().unwrap();
    let url = line[line.find("http://").unwrap()..].to_owned();
    (running, url)
}

fn find(name: &str) -> Option<PathBuf> {
    let program = chromium();
    if program.is_none() {
        skip(name, "no Chromium (Debian's package chromium, or LARKSPAN_CHROMIUM)");
    }
    program
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_shows_cards_live_and_keeps_what_a_person_has_opened() {
    let Some(program) = find("the_page_shows_cards_live_and_keeps_what_a_person_has_opened") else { return };
    let home = Home::new();
    let demo = fs::read_to_string(root().join("examples/demo-session.jsonl")).unwrap();
    let lines: Vec<&str> = demo.split_inclusive('\n').collect();
    // Cut in the middle of the second turn.
    let cut = lines.iter().position(|line| line.contains("slow_check.py too")).unwrap() + 4;
    let log = home.file("demo.jsonl", lines[..cut].concat());
    let (running, url) = page(&home, log.to_str().unwrap());
    let mut browser = Browser::open(&program, &url).await.unwrap();
    browser.resize(1280, 900).await.unwrap();
    browser.prefer("light").await.unwrap();
    browser.until("document.body.innerText.includes('slow_check.py too')").await.unwrap();

    // A folded call is opened, as a person would.
    browser.until("document.querySelectorAll('main details').length > 3").await.unwrap();
    let closed = browser
        .ask("[...document.querySelectorAll('main details')].filter(d => !d.open).length")
        .await
        .unwrap();
    assert!(closed.as_u64().unwrap() > 1, "{closed}");
    let first_group = "[...document.querySelectorAll('main details')].find(d => !d.open)";
    browser
        .ask(&format!("window.opened = {first_group}; window.opened.querySelector('summary').click(); true"))
        .await
        .unwrap();
    browser.until("window.opened.open").await.unwrap();
    picture(&mut browser, "live.png").await;

    // The session goes on.
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(lines[cut..].concat().as_bytes()).unwrap();
    browser.until("document.body.innerText.includes('all 108,000 values are fine')").await.unwrap();
    let is_kept = browser.ask("window.opened.isConnected && window.opened.open").await.unwrap();
    assert_eq!(is_kept, json!(true), "what a person has opened stays open");
    picture(&mut browser, "done.png").await;

    // Nothing of the log became markup, and nothing is loaded from elsewhere.
    let foreign = browser
        .ask("performance.getEntriesByType('resource').map(r => r.name).filter(n => !n.startsWith(location.origin))")
        .await
        .unwrap();
    assert_eq!(foreign, json!([]));

    // Code is highlighted, on a phone nothing is wider than the screen, and darkness is dark.
    let colours = browser.ask("document.querySelectorAll('main pre span').length").await.unwrap();
    assert!(colours.as_u64().unwrap() > 0, "{colours}");
    browser.resize(390, 844).await.unwrap();
    let overflow = "document.documentElement.scrollWidth - window.innerWidth";
    assert_eq!(browser.ask(overflow).await.unwrap(), json!(0));
    picture(&mut browser, "phone.png").await;
    let brightness = "(() => { const c = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number); return c[0] + c[1] + c[2]; })()";
    let light = browser.ask(brightness).await.unwrap().as_u64().unwrap();
    browser.prefer("dark").await.unwrap();
    let dark = browser.ask(brightness).await.unwrap().as_u64().unwrap();
    assert!(light > 600 && dark < 200, "{light} {dark}");
    picture(&mut browser, "phone-dark.png").await;
    browser.resize(1280, 900).await.unwrap();
    picture(&mut browser, "dark.png").await;

    // The URL was good once.
    let mut other = Browser::open(&program, &url).await.unwrap();
    other.until("document.readyState === 'complete'").await.unwrap();
    let text = other.ask("document.body.innerText").await.unwrap();
    assert!(!text.as_str().unwrap().contains("slow_check"), "{text}");

    running.terminate();
    browser.until("document.querySelector('.link').className.includes('ended')").await.unwrap();
    let (status, _, errors) = tokio::task::block_in_place(|| running.end());
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));
}
