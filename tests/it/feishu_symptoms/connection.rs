//! The long connection: acknowledged in time, typed, each event once over restarts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use larkspan_core::ports::{StateStore, StoreError};
use larkspan_core::testing::{MemoryStore, TestClock};
use larkspan_core::time::Timestamp;
use larkspan_feishu::longconn::{
    ActionReply, CardAction, CardActions, ConnectionError, Event, LongConnection, MessageContent, NoReply,
    Toast, ToastKind,
};
use larkspan_feishu::platform::{AppSettings, Domain};
use larkspan_tests::fake_feishu::{FakeFeishu, Order, Pongs, Push, PushId, Settings, Time};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::turns::START;
use super::world::seconds;

/// The platform, and a bot that is run, killed and run again.
struct Bot {
    fake: FakeFeishu,
    store: Arc<Moody>,
    clock: TestClock,
    actions: Arc<dyn CardActions>,
}

/// A store that fails as told.
#[derive(Default)]
struct Moody {
    inner: MemoryStore,
    fails: AtomicBool,
}

#[async_trait]
impl StateStore for Moody {
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(name).await
    }

    async fn put(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(StoreError::BadName("the disk is full".to_owned()));
        }
        self.inner.put(name, value).await
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.inner.remove(name).await
    }

    async fn names(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.inner.names(prefix).await
    }
}

/// One life of the bot. Dropping it is a crash.
struct Life {
    events: mpsc::Receiver<Event>,
    task: JoinHandle<Result<(), ConnectionError>>,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Bot {
    async fn new(time: Time, actions: Arc<dyn CardActions>) -> Self {
        let fake = FakeFeishu::start(Settings { time, ..Settings::default() }).await.unwrap();
        let clock = TestClock::at(Timestamp::from_millis(START));
        Self { fake, store: Arc::default(), clock, actions }
    }

    async fn run(&self) -> Life {
        // The one before may just be going.
        self.fake.long_connection().connected(0).await;
        let domain = Domain::Other(self.fake.base_url());
        let settings = AppSettings::new(domain, self.fake.app_id(), self.fake.app_secret());
        let connection = LongConnection::new(settings, self.store.clone(), Arc::new(self.clock.clone()));
        let (give, events) = mpsc::channel(16);
        let task = tokio::spawn(connection.with_actions(self.actions.clone()).run(give));
        self.fake.long_connection().connected(1).await;
        Life { events, task }
    }

    /// Both clocks go on.
    fn pass(&self, time: Duration) {
        self.clock.advance(time);
        self.fake.advance(time);
    }

    /// `im.message.receive_v1`, written at this time.
    fn message(&self, id: &str, text: &str, written: i64) -> Value {
        let chat = self.fake.chat_id();
        let mut event = self.fake.long_connection().message_event(id, &chat, "ou_user", text);
        event["event"]["message"]["create_time"] = written.to_string().into();
        event
    }

    fn push(&self, push: Push) -> PushId {
        self.fake.long_connection().push(push)
    }

    async fn code(&self, id: PushId) -> i64 {
        self.fake.long_connection().acked(id).await.unwrap().code
    }
}

/// On a runtime with real time: nothing here waits for it, but for one answer that never comes.
fn on_loopback(scenario: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { timeout(Duration::from_mins(1), scenario).await.unwrap() });
}

fn nobody() -> Arc<dyn CardActions> {
    Arc::new(NoReply)
}

/// Every way in which an event may come.
fn ways(event: &Value) -> [Push; 4] {
    let push = || Push::event(event.clone());
    [push(), push().split(3), push().split(4).order(Order::Reversed), push().split(2).copies(2)]
}

#[test]
fn symptom_11_an_old_message_runs_again_after_a_restart_or_a_reconnect() {
    for pongs in [Pongs::WithConfig, Pongs::Empty] {
        for way in 0..4 {
            on_loopback(async {
                let bot = Bot::new(Time::Virtual, nobody()).await;
                bot.fake.long_connection().set_pongs(pongs);
                let mut life = bot.run().await;
                let again = |text: &str| ways(&bot.message("om_1", text, START))[way].clone();
                // Each has an `event_id` of its own.
                let first = bot.push(again("Do it."));
                let Some(Event::Message(message)) = life.events.recv().await else { panic!("no message") };
                assert_eq!(message.message.as_str(), "om_1");
                assert_eq!(message.content, MessageContent::Text("Do it.".to_owned()));
                assert_eq!((message.sender.open_id.as_deref(), message.stale), (Some("ou_user"), false));
                assert_eq!(message.chat.as_str(), bot.fake.chat_id());
                assert_eq!(bot.code(first).await, 200);
                bot.pass(Duration::from_mins(5));
                assert_eq!(bot.code(bot.push(again("Do it."))).await, 200);
                assert!(life.events.try_recv().is_err(), "it is known");
                // Reconnected.
                bot.fake.long_connection().drop_connections();
                bot.fake.until(|fake| fake.long_connection().connected_ever() == 2).await;
                assert_eq!(bot.code(bot.push(again("Do it."))).await, 200);
                assert!(life.events.try_recv().is_err(), "it is known");
                // Restarted.
                drop(life);
                let mut life = bot.run().await;
                bot.pass(Duration::from_hours(6));
                assert_eq!(bot.code(bot.push(again("Do it."))).await, 200);
                assert!(life.events.try_recv().is_err(), "it is known over a restart");
                // What is new still comes, in order.
                bot.push(ways(&bot.message("om_2", "And this.", START))[way].clone());
                let Some(Event::Message(message)) = life.events.recv().await else { panic!("no message") };
                assert_eq!(message.message.as_str(), "om_2");
                assert!(message.stale, "written six hours ago: it is flagged, not silently run");
                assert_eq!(bot.fake.long_connection().broken_rules(), Vec::<String>::new());
            });
        }
    }
}

#[test]
fn symptom_11_an_event_that_cannot_be_claimed_is_not_run_and_comes_again() {
    on_loopback(async {
        let bot = Bot::new(Time::Virtual, nobody()).await;
        let mut life = bot.run().await;
        bot.store.fails.store(true, Ordering::SeqCst);
        let id = bot.push(Push::event(bot.message("om_1", "Do it.", START)));
        assert_eq!(bot.code(id).await, 500, "asked to send it again");
        assert!(life.events.try_recv().is_err(), "not run without a durable claim");
        bot.store.fails.store(false, Ordering::SeqCst);
        bot.pass(seconds(15));
        let Some(Event::Message(message)) = life.events.recv().await else { panic!("no message") };
        assert_eq!(message.message.as_str(), "om_1");
        bot.fake.until(|fake| fake.long_connection().delivery(id).unwrap().is_done()).await;
        // The claim is there before the acknowledgement.
        let names = bot.store.names("feishu/seen/").await.unwrap();
        let seen = bot.store.get(&names[0]).await.unwrap().unwrap();
        assert!(String::from_utf8_lossy(&seen).contains("om_1"));
        drop(life);
        let mut life = bot.run().await;
        assert_eq!(bot.code(bot.push(Push::event(bot.message("om_1", "Do it.", START)))).await, 200);
        assert!(life.events.try_recv().is_err(), "once");
    });
}

/// Answers a click with a toast, after a time.
struct Slow(Duration);

#[async_trait]
impl CardActions for Slow {
    async fn answer(&self, action: &CardAction) -> ActionReply {
        tokio::time::sleep(self.0).await;
        let text = format!("Working on {}", action.value["request"]);
        ActionReply { toast: Some(Toast { kind: ToastKind::Info, text }), card: None }
    }
}

fn click(bot: &Bot, request: &str) -> Value {
    let value = json!({"request": request});
    bot.fake.long_connection().click_event("om_card", &bot.fake.chat_id(), "ou_user", &value)
}

#[test]
fn symptom_12_a_click_shows_a_timeout_though_it_worked() {
    // The work takes five seconds; the answer does not wait for it.
    for (work, toast) in [(Duration::ZERO, true), (seconds(5), false)] {
        on_loopback(async {
            let bot = Bot::new(Time::Real, Arc::new(Slow(work))).await;
            let mut life = bot.run().await;
            let id = bot.push(Push::card(click(&bot, "r1")));
            // What is to be done is known at once, whatever is answered.
            let Some(Event::Action(action)) = life.events.recv().await else { panic!("no click") };
            assert_eq!(action.value, json!({"request": "r1"}));
            let ack = bot.fake.long_connection().acked(id).await.unwrap();
            assert!(ack.is_good(), "{ack:?}");
            if toast {
                assert!(ack.delay < seconds(1), "{ack:?}");
                assert_eq!(ack.data["toast"], json!({"type": "info", "content": "Working on \"r1\""}));
            } else {
                assert!(ack.delay < Duration::from_millis(2_900), "{ack:?}");
                assert_eq!(ack.data, json!({}));
            }
            // A slow answer to one is no slow answer to the next event.
            let next = bot.push(Push::event(bot.message("om_1", "Hello.", START)));
            let ack = bot.fake.long_connection().acked(next).await.unwrap();
            assert!(ack.code == 200 && ack.delay < seconds(1), "{ack:?}");
            assert_eq!(bot.fake.long_connection().broken_rules(), Vec::<String>::new());
        });
    }
}

#[test]
fn symptom_13_a_click_reaches_another_session_or_is_done_twice_after_a_restart() {
    on_loopback(async {
        let bot = Bot::new(Time::Virtual, Arc::new(Slow(Duration::ZERO))).await;
        let mut life = bot.run().await;
        let (one, two) = (click(&bot, "session one"), click(&bot, "session two"));
        let mut told = Vec::new();
        // Each frame of a double delivery, and another click.
        bot.push(Push::card(one.clone()).split(2).copies(2));
        let second = bot.push(Push::card(two.clone()));
        for _ in 0..2 {
            let Some(Event::Action(action)) = life.events.recv().await else { panic!("no click") };
            // All that binds it: who, where, on which card, which request.
            assert_eq!(action.operator.open_id.as_deref(), Some("ou_user"));
            assert_eq!(action.message.as_ref().unwrap().as_str(), "om_card");
            assert_eq!(action.chat.as_ref().unwrap().as_str(), bot.fake.chat_id());
            assert!(!format!("{action:?}").contains("c-0000"), "its token is a credential: {action:?}");
            told.push(action.value["request"].clone());
        }
        assert_eq!(told, ["session one", "session two"]);
        assert_eq!(bot.code(second).await, 200);
        assert!(life.events.try_recv().is_err(), "a copy is no second click");
        drop(life);
        let mut life = bot.run().await;
        let id = bot.push(Push::card(one));
        let ack = bot.fake.long_connection().acked(id).await.unwrap();
        assert_eq!((ack.code, ack.data), (200, json!({})), "answered, and not done again");
        assert!(life.events.try_recv().is_err(), "not after a restart either");
        // A second click is one of its own: what it may do is for its request to say.
        bot.push(Push::card(click(&bot, "session one")));
        let Some(Event::Action(action)) = life.events.recv().await else { panic!("no click") };
        assert_eq!(action.value["request"], "session one");
        assert_eq!(bot.fake.long_connection().broken_rules(), Vec::<String>::new());
    });
}
