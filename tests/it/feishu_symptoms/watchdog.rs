//! The long connection as it dies without a word, on a clock that a test moves by hand.

use std::sync::Arc;
use std::time::Duration;

use larkspan_core::ports::Clock;
use larkspan_core::testing::MemoryStore;
use larkspan_core::time::Timestamp;
use larkspan_feishu::longconn::{ConnectionState, Event, LongConnection, QUIET_LIMIT};
use larkspan_feishu::platform::{AppSettings, Domain};
use larkspan_tests::fake_feishu::{
    ConnectionSettings, Endpoint, FakeFeishu, Hearing, Pongs, Push, Settings, Time,
};
use pretty_assertions::assert_eq;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, advance};

use super::turns::START;
use super::world::seconds;

/// Seconds between two pings.
const PING: u32 = 30;

struct ByHand(Instant);

impl Clock for ByHand {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(START + self.0.elapsed().as_millis() as i64)
    }
}

struct Watched {
    fake: Arc<FakeFeishu>,
    state: watch::Receiver<ConnectionState>,
    events: mpsc::Receiver<Event>,
}

impl Watched {
    async fn state(&mut self, what: &str, is: impl Fn(&ConnectionState) -> bool) -> ConnectionState {
        self.state.wait_for(is).await.unwrap_or_else(|_| panic!("no longer run: {what}")).clone()
    }

    async fn connected(&mut self, times: usize) {
        self.fake.until(|fake| fake.long_connection().connected_ever() >= times).await;
        self.state("connected", |state| *state == ConnectionState::Connected).await;
    }

    /// How long it says that it waits.
    async fn waiting(&mut self) -> Duration {
        match self.state("waiting", |state| matches!(state, ConnectionState::Waiting { .. })).await {
            ConnectionState::Waiting { wait, .. } => wait,
            other => panic!("{other:?}"),
        }
    }

    fn endpoints(&self) -> usize {
        self.fake.calls_of(Endpoint::ConnectionEndpoint).len()
    }

    /// An event goes through, and no rule was broken on the way.
    async fn works(&mut self) {
        self.fake.long_connection().push_message(&self.fake.chat_id(), "ou_user", "Hello?");
        assert!(matches!(self.events.recv().await, Some(Event::Message(_))));
        assert_eq!(self.fake.long_connection().broken_rules(), Vec::<String>::new());
    }
}

/// Timers are as fine as a millisecond.
async fn wait_out(wait: Duration) {
    advance(wait + Duration::from_millis(2)).await;
}

/// Time stands still but for [`advance`], while bytes go to and fro.
fn by_hand(quiet: Duration, scenario: impl AsyncFnOnce(Watched)) {
    let real = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let connection = ConnectionSettings { ping_interval: PING, ..ConnectionSettings::default() };
    let settings = Settings { time: Time::Virtual, connection, ..Settings::default() };
    let fake = Arc::new(real.block_on(FakeFeishu::start(settings)).unwrap());
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (ended, end) = std::sync::mpsc::channel::<()>();
    runtime.block_on(async {
        // While such a task runs, a paused clock does not go on by itself.
        let held = tokio::task::spawn_blocking(move || end.recv().is_ok());
        let app = AppSettings::new(Domain::Other(fake.base_url()), fake.app_id(), fake.app_secret());
        let clock = Arc::new(ByHand(Instant::now()));
        let connection =
            LongConnection::new(app, Arc::new(MemoryStore::default()), clock).with_quiet_limit(quiet);
        let (give, events) = mpsc::channel(16);
        let state = connection.state();
        let task = tokio::spawn(connection.run(give));
        scenario(Watched { fake: fake.clone(), state, events }).await;
        task.abort();
        drop(ended);
        held.await.unwrap();
    });
}

#[test]
fn symptom_19_the_connection_looks_alive_but_no_pong_comes() {
    by_hand(QUIET_LIMIT, async |mut watched| {
        watched.connected(1).await;
        let fake = watched.fake.clone();
        fake.until(|fake| fake.long_connection().pings() == 1).await;
        fake.long_connection().set_pongs(Pongs::Withheld);
        let begun = Instant::now();
        let wait = loop {
            advance(seconds(5)).await;
            tokio::task::yield_now().await;
            if let ConnectionState::Waiting { wait, .. } = *watched.state.borrow() {
                break wait;
            }
            assert!(begun.elapsed() <= seconds(100), "nobody notices");
        };
        assert!(begun.elapsed() >= seconds(u64::from(PING)), "{:?}", begun.elapsed());
        assert!(wait <= seconds(2), "{wait:?}");
        fake.long_connection().set_pongs(Pongs::Empty);
        wait_out(wait).await;
        watched.connected(2).await;
        assert_eq!(watched.endpoints(), 2, "a new address each time");
        watched.works().await;
    });
}

#[test]
fn symptom_19_pongs_come_and_events_do_not() {
    assert!(QUIET_LIMIT <= Duration::from_hours(1));
    by_hand(seconds(300), async |mut watched| {
        watched.connected(1).await;
        let fake = watched.fake.clone();
        let connection = fake.long_connection();
        connection.set_hearing(Hearing::Deaf);
        let lost =
            connection.push(Push::event(connection.message_event("om_lost", "oc_main", "ou_user", "Lost?")));
        let begun = Instant::now();
        // While it dials, time stands still: else the dialling would take too long.
        while *watched.state.borrow() == ConnectionState::Connected && connection.connected_ever() == 1 {
            assert!(begun.elapsed() <= seconds(400), "nobody notices");
            let pings = connection.pings();
            advance(seconds(u64::from(PING))).await;
            let mut state = watched.state.clone();
            tokio::select! {
                () = fake.until(|fake| fake.long_connection().pings() > pings) => {}
                _ = state.wait_for(|state| *state != ConnectionState::Connected) => {}
            }
        }
        assert!(begun.elapsed() >= seconds(300), "{:?}", begun.elapsed());
        watched.connected(2).await;
        connection.set_hearing(Hearing::Good);
        assert_eq!(watched.endpoints(), 2, "a new address");
        // What was not acknowledged comes again.
        fake.advance(seconds(15));
        assert!(matches!(watched.events.recv().await, Some(Event::Message(_))));
        fake.until(|fake| fake.long_connection().delivery(lost).unwrap().is_done()).await;
        watched.works().await;
    });
}

#[test]
fn symptom_19_the_platform_refuses_for_an_hour_and_it_never_gives_up() {
    /// Codes that pass by: busy, failed inside.
    const PASSING: [u32; 2] = [1, 1_000_040_343];
    for code in PASSING {
        by_hand(QUIET_LIMIT, async |mut watched| {
            watched.connected(1).await;
            let fake = watched.fake.clone();
            fake.long_connection().refuse_endpoint(Some(code));
            fake.long_connection().drop_connections();
            let (begun, mut longest) = (Instant::now(), Duration::ZERO);
            let mut attempts = watched.endpoints();
            while begun.elapsed() < Duration::from_hours(1) {
                let wait = watched.waiting().await;
                assert!(wait >= Duration::from_millis(400) && wait <= seconds(120), "{wait:?}");
                longest = longest.max(wait);
                wait_out(wait).await;
                attempts += 1;
                fake.until(|fake| fake.calls_of(Endpoint::ConnectionEndpoint).len() >= attempts).await;
            }
            assert!(longest >= seconds(60), "waits grow: {longest:?}");
            assert!((30..=75).contains(&attempts), "{attempts}");
            fake.long_connection().refuse_endpoint(None);
            let wait = watched.waiting().await;
            wait_out(wait).await;
            watched.connected(2).await;
            assert_eq!(watched.endpoints(), attempts + 1);
            watched.works().await;
        });
    }
}

/// The upgrade itself is refused, and the connection is closed by the platform again and again.
#[test]
fn symptom_19_closed_and_refused_it_is_made_again_with_a_new_address() {
    by_hand(QUIET_LIMIT, async |mut watched| {
        watched.connected(1).await;
        let fake = watched.fake.clone();
        for time in 2..6 {
            fake.long_connection().close_connections();
            let wait = watched.waiting().await;
            wait_out(wait).await;
            watched.connected(time).await;
        }
        fake.long_connection().refuse_handshake(Some(1_000_040_341));
        fake.long_connection().drop_connections();
        let wait = watched.waiting().await;
        let before = watched.endpoints();
        wait_out(wait).await;
        fake.until(|fake| fake.calls_of(Endpoint::ConnectionEndpoint).len() > before).await;
        // It said that it connects before it asked: this is the next wait.
        let wait = watched.waiting().await;
        fake.long_connection().refuse_handshake(None);
        wait_out(wait).await;
        watched.connected(6).await;
        assert_eq!(watched.endpoints(), 7, "a new address each time");
        watched.works().await;
    });
}
