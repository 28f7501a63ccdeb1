//! The suites that every adapter and fake of a port passes.
//!
//! A suite panics where the port's promise is broken, and says which. It needs no async runtime of its own.
#![expect(clippy::panic, clippy::missing_panics_doc, reason = "a suite tells by panicking")]

use crate::ports::{Batch, StateStore, StoreError, TranscriptSource};

fn or_fail<T>(result: Result<T, StoreError>, what: &str) -> T {
    result.unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// A store keeps values by name, replaces them whole, lists names by prefix, and refuses an empty name. `reopen` gives
/// a store over the same data, as another process would open it.
pub async fn state_store<S: StateStore>(reopen: impl Fn() -> S) {
    let store = reopen();
    assert_eq!(or_fail(store.get("a/b").await, "get of what is not there"), None);
    or_fail(store.put("a/b", b"1").await, "put");
    or_fail(store.put("a/B ü%\n.", b"").await, "put under an odd name");
    let long = "x/".repeat(512);
    or_fail(store.put(&long, b"long").await, "put under a long name");
    or_fail(store.put("c", &[0, 255, 10]).await, "put of bytes");

    let store = reopen();
    assert_eq!(or_fail(store.get("a/b").await, "get after reopening").as_deref(), Some(&b"1"[..]));
    assert_eq!(or_fail(store.get("a/B ü%\n.").await, "get of an empty value").as_deref(), Some(&b""[..]));
    assert_eq!(or_fail(store.get("c").await, "get of bytes").as_deref(), Some(&[0, 255, 10][..]));
    assert_eq!(or_fail(store.names("a/").await, "names"), ["a/B ü%\n.", "a/b"]);
    assert_eq!(or_fail(store.names("x").await, "names"), std::slice::from_ref(&long));

    or_fail(store.put("a/b", b"22").await, "put again");
    assert_eq!(or_fail(reopen().get("a/b").await, "get of the new value").as_deref(), Some(&b"22"[..]));
    or_fail(store.remove("a/b").await, "remove");
    or_fail(store.remove("a/b").await, "remove again");
    assert_eq!(or_fail(reopen().get("a/b").await, "get of what was removed"), None);
    assert_eq!(or_fail(store.names("").await, "names").len(), 3);
    assert!(matches!(store.put("", b"x").await, Err(StoreError::BadName(_))), "an empty name is no name");
}

/// A source hands out records in order, says where the log ends, gives nothing twice, and goes on from every position
/// it names. `open` opens the same finished log, from a position or from its start.
pub async fn transcript_source<S: TranscriptSource>(
    open: impl Fn(Option<&crate::ports::SourcePosition>) -> S,
) {
    let mut source = open(None);
    let mut all = Vec::new();
    let mut places = Vec::new();
    loop {
        let Batch { records, end, at_end, restarted } =
            source.next().await.unwrap_or_else(|error| panic!("next: {error}"));
        assert_eq!(restarted, None, "a log that does not change does not start again");
        assert!(source.position_after(end).is_some(), "the end of a batch is a place to go on from");
        places.extend(records.iter().filter_map(|record| source.position_after(record.position)));
        all.extend(records);
        if at_end {
            break;
        }
    }
    assert!(!all.is_empty(), "the suite needs a log with records");
    assert!(
        all.windows(2).all(|pair| pair[0].position <= pair[1].position),
        "records are in the log's order"
    );
    let again = source.next().await.unwrap_or_else(|error| panic!("next at the end: {error}"));
    assert!(again.records.is_empty() && again.at_end, "nothing is handed out twice");
    places.dedup();
    for place in places {
        let mut source = open(Some(&place));
        let mut rest = Vec::new();
        loop {
            let batch =
                source.next().await.unwrap_or_else(|error| panic!("next from {}: {error}", place.offset));
            rest.extend(batch.records);
            if batch.at_end {
                break;
            }
        }
        let expected = all.iter().filter(|record| record.position > place.offset).count();
        let handed_out = rest.iter().filter(|record| record.position > place.offset).count();
        assert_eq!(handed_out, expected, "from byte {} on", place.offset);
    }
}
