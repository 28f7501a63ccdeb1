//! When it is tried again, and what cannot hold it up.

use pretty_assertions::assert_eq;

use super::*;

impl Bench {
    /// The waits between the attempts so far.
    fn waits(&self) -> Vec<Duration> {
        self.pipes.asked.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Lets the next attempts fail.
    fn fail(&self, times: usize) {
        self.pipes.failures.lock().unwrap().extend(vec![Failure::Failed("down".to_owned()); times]);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_good_connection_the_wait_is_short_again_and_after_a_bad_one_it_is_not() {
    for (lasts, is_short) in [(61, true), (5, false)] {
        let mut bench = bench();
        bench.fail(8);
        drop(bench.peer().await);
        let mut peer = bench.peer().await;
        assert_eq!(peer.frame().await.unwrap().header("type"), "ping");
        tokio::time::advance(Duration::from_secs(lasts)).await;
        let ended = Instant::now();
        drop(peer);
        let _next = bench.peer().await;
        let wait = ended.elapsed();
        assert_eq!(wait <= Duration::from_millis(1001), is_short, "{lasts} s: {wait:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_wait_is_what_the_platform_asks_for() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    assert_eq!(peer.frame().await.unwrap().header("type"), "ping");
    peer.send(&pong(r#"{"PingInterval":60,"ReconnectInterval":10}"#)).await;
    peer.send(&one("f1", &said("om_1", "ev1", START))).await;
    assert_eq!(peer.code().await, 200);
    bench.fail(20);
    drop(peer);
    let _next = bench.peer().await;
    let longest = bench.waits().into_iter().max().unwrap();
    assert!(longest >= Duration::from_secs(5) && longest <= Duration::from_millis(10_001), "{longest:?}");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_is_given_up() {
    let pipes =
        Pipes { holds: 512, failures: Mutex::default(), ends: Mutex::default(), asked: Mutex::default() };
    let mut bench = start_over(pipes, Arc::new(MemoryStore::default()), Arc::new(NoReply), 1000);
    let mut peer = bench.peer().await;
    let began = Instant::now();
    for index in 0.. {
        let id = format!("om_{index}");
        let frame = one(&id, &said(&id, &id, START)).write();
        if peer.0.send(Message::Binary(frame.into())).await.is_err() {
            break;
        }
    }
    assert!(began.elapsed() <= Duration::from_secs(12), "{:?}", began.elapsed());
    let _next = bench.peer().await;
}
