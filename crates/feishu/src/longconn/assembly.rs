//! Events that come in several frames, put together. No I/O.
//!
//! Invariants: parts may come in any order and more than once; an event is handed out once, when its last part is there;
//! parts that do not fit together drop what was gathered. What waits is bounded in events, parts, bytes and time: the
//! oldest is dropped first, and comes again, because it was not acknowledged.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How long parts wait for the others. The official SDKs keep them for 5 to 10 seconds.
const WAIT: Duration = Duration::from_secs(10);

/// Most events that wait.
const EVENTS_MAX: usize = 64;

/// Most parts of one event.
const PARTS_MAX: usize = 256;

/// Most bytes that wait, over all events.
const BYTES_MAX: usize = 8 * 1024 * 1024;

#[derive(Debug)]
struct Waiting {
    message: String,
    since: Instant,
    parts: Vec<Option<Vec<u8>>>,
    bytes: usize,
}

/// The parts that came so far.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// The oldest first.
    waiting: VecDeque<Waiting>,
}

impl Assembly {
    /// Takes part `seq` of `sum` (with `seq < sum`) of a message; the whole payload if this was the last part missing.
    pub(crate) fn take(
        &mut self,
        message: &str,
        (seq, sum): (usize, usize),
        payload: Vec<u8>,
        now: Instant,
    ) -> Option<Vec<u8>> {
        if sum == 1 {
            return Some(payload);
        }
        self.expire(now);
        if sum > PARTS_MAX || payload.len() > BYTES_MAX {
            self.waiting.retain(|waiting| waiting.message != message);
            return None;
        }
        let at = match self.waiting.iter().position(|waiting| waiting.message == message) {
            Some(at) if self.waiting.get(at).is_some_and(|waiting| waiting.parts.len() == sum) => at,
            known => {
                if let Some(at) = known {
                    self.waiting.remove(at);
                }
                let parts = vec![None; sum];
                self.waiting.push_back(Waiting { message: message.to_owned(), since: now, parts, bytes: 0 });
                self.waiting.len() - 1
            }
        };
        let waiting = self.waiting.get_mut(at)?;
        let slot = waiting.parts.get_mut(seq)?;
        let before = slot.as_ref().map_or(0, Vec::len);
        waiting.bytes = waiting.bytes - before + payload.len();
        *slot = Some(payload);
        if waiting.parts.iter().all(Option::is_some) {
            let whole = self.waiting.remove(at)?;
            return Some(whole.parts.into_iter().flatten().flatten().collect());
        }
        while self.waiting.len() > EVENTS_MAX || self.bytes() > BYTES_MAX {
            self.waiting.pop_front();
        }
        None
    }

    /// Drops what has waited for too long.
    pub(crate) fn expire(&mut self, now: Instant) {
        while self.waiting.front().is_some_and(|oldest| now.duration_since(oldest.since) >= WAIT) {
            self.waiting.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        self.waiting.iter().map(|waiting| waiting.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(whole: Option<Vec<u8>>) -> Option<String> {
        whole.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn parts_are_put_together_in_any_order() {
        let now = Instant::now();
        for order in [&[0, 1, 2][..], &[2, 1, 0], &[1, 1, 0, 0, 2], &[0, 0, 2, 2, 1]] {
            let mut assembly = Assembly::default();
            for (index, seq) in order.iter().enumerate() {
                let part = ["a", "b", "c"][*seq].as_bytes().to_vec();
                let expected = (index + 1 == order.len()).then(|| "abc".to_owned());
                assert_eq!(text(assembly.take("m", (*seq, 3), part, now)), expected, "{order:?} at {index}");
            }
            assert!(assembly.waiting.is_empty());
        }
    }

    #[test]
    fn messages_do_not_mix_and_parts_that_do_not_fit_start_again() {
        let now = Instant::now();
        let mut assembly = Assembly::default();
        assert_eq!(assembly.take("m", (0, 2), b"a".to_vec(), now), None);
        assert_eq!(assembly.take("n", (1, 2), b"z".to_vec(), now), None);
        assert_eq!(text(assembly.take("x", (0, 1), b"one".to_vec(), now)), Some("one".to_owned()));
        // Another sum: what was gathered does not belong to it.
        assert_eq!(assembly.take("m", (1, 3), b"b".to_vec(), now), None);
        assert_eq!(assembly.take("m", (1, 2), b"b".to_vec(), now), None);
        assert_eq!(text(assembly.take("m", (0, 2), b"A".to_vec(), now)), Some("Ab".to_owned()));
        assert_eq!(text(assembly.take("n", (0, 2), b"y".to_vec(), now)), Some("yz".to_owned()));
    }

    #[test]
    fn parts_do_not_wait_for_ever() {
        let now = Instant::now();
        let mut assembly = Assembly::default();
        assert_eq!(assembly.take("m", (0, 2), b"a".to_vec(), now), None);
        assert_eq!(assembly.take("m", (1, 2), b"b".to_vec(), now + WAIT), None);
        assembly.expire(now + WAIT * 2);
        assert!(assembly.waiting.is_empty());
    }

    #[test]
    fn what_waits_is_bounded() {
        let now = Instant::now();
        let mut assembly = Assembly::default();
        assert_eq!(assembly.take("many", (0, PARTS_MAX + 1), Vec::new(), now), None);
        assert_eq!(assembly.take("large", (0, 2), vec![0; BYTES_MAX + 1], now), None);
        assert!(assembly.waiting.is_empty());
        for index in 0..EVENTS_MAX * 3 {
            assembly.take(&format!("m{index}"), (0, 2), vec![0; 1024 * 1024], now);
            assert!(assembly.bytes() <= BYTES_MAX && assembly.waiting.len() <= EVENTS_MAX);
        }
        for index in 0..EVENTS_MAX * 3 {
            assembly.take(&format!("s{index}"), (0, 2), vec![0], now);
            assert!(assembly.bytes() <= BYTES_MAX && assembly.waiting.len() <= EVENTS_MAX);
        }
    }

    proptest! {
        #[test]
        fn any_split_in_any_order_gives_the_whole(
            parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..20), 2..12),
            order in proptest::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let now = Instant::now();
            let whole: Vec<u8> = parts.concat();
            let mut assembly = Assembly::default();
            let mut given = std::collections::BTreeSet::new();
            let mut out = None;
            for seq in order.iter().map(|index| index.index(parts.len())).chain(0..parts.len()) {
                given.insert(seq);
                out = assembly.take("m", (seq, parts.len()), parts[seq].clone(), now);
                prop_assert_eq!(out.is_some(), given.len() == parts.len());
                if out.is_some() {
                    break;
                }
            }
            prop_assert_eq!(out, Some(whole));
        }
    }
}
