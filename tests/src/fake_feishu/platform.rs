//! The platform's state, and a call from its token to its answer. No I/O.
//!
//! Invariant: the order of the checks is token, scope, rate, shape of the body, then those of the thing that is asked for
//! (for a card: existence, owner, age, uuid, sequence, lock, the endpoint's own rule, the whole card).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Value, json};

use super::card::entity::CardEntity;
use super::card::operation::{Operation, created_card};
use super::card::validate::Rules;
use super::connection::hub::Hub;
use super::endpoint::{Endpoint, Route};
use super::faults::{Fault, Faults};
use super::journal::Journal;
use super::message::Message;
use super::rates::{Quota, Windows};
use super::refusal::{Refusal, code};
use super::settings::{App, ChatLimit, Membership, Settings};
use super::upload;

/// How long a token lives.
const TOKEN_LIFETIME: Duration = Duration::from_hours(2);
/// While so much is left, the same token is given again.
const TOKEN_REUSE: Duration = Duration::from_mins(30);

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// A request, read.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) query: BTreeMap<String, String>,
    pub(super) authorization: Option<String>,
    pub(super) content_type: String,
    pub(super) body: Bytes,
    /// The body as JSON; `None` when it is none.
    pub(super) json: Option<Value>,
}

/// A point in time, as the fake counts and as the platform writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) now: Duration,
    pub(super) unix_millis: u128,
}

#[derive(Debug)]
struct Token {
    value: String,
    app: String,
    expires_at: Duration,
}

/// Everything.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) settings: Settings,
    pub(super) faults: Faults,
    pub(super) journal: Journal,
    pub(super) cards: BTreeMap<String, CardEntity>,
    pub(super) messages: Vec<Message>,
    pub(super) images: BTreeSet<String>,
    pub(super) hub: Hub,
    tokens: Vec<Token>,
    windows: Windows,
    last_id: u64,
}

/// The usual answer.
pub(super) fn success(data: &Value) -> Value {
    json!({"code": 0, "msg": "success", "data": data})
}

impl Platform {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            faults: Faults::new(settings.chaos),
            hub: Hub::new(settings.connection),
            settings,
            journal: Journal::default(),
            cards: BTreeMap::new(),
            messages: Vec::new(),
            images: BTreeSet::new(),
            tokens: Vec::new(),
            windows: Windows::default(),
            last_id: 0,
        }
    }

    /// A number that no other thing has.
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// A call came in: what hits it.
    pub(super) fn arrive(&mut self, route: &Route) -> Option<Fault> {
        self.journal.arrived += 1;
        self.faults.take(route)
    }

    pub(super) fn revoke_tokens(&mut self) {
        self.tokens.clear();
    }

    /// The app whose token a request carries.
    pub(super) fn app_of(&self, request: &Request, now: Duration) -> Result<&App, Refusal> {
        let Some(header) = request.authorization.as_deref() else {
            return Err(Refusal::new(code::NO_TOKEN, "Missing access token for authorization"));
        };
        let Some(value) = header.strip_prefix("Bearer ").filter(|value| !value.contains(' ')) else {
            return Err(Refusal::new(code::MALFORMED_TOKEN, "Invalid access token format"));
        };
        if value.starts_with("a-") {
            return Err(Refusal::new(code::WRONG_TOKEN, "Invalid app_access_token"));
        }
        if !value.starts_with("t-") {
            return Err(Refusal::new(code::MALFORMED_TOKEN, "Access token must begin with t-"));
        }
        let token = self.tokens.iter().find(|token| token.value == value && now < token.expires_at);
        token
            .and_then(|token| self.apps().find(|app| app.id == token.app))
            .ok_or_else(|| Refusal::new(code::INVALID_TOKEN, "Invalid access token for authorization"))
    }

    fn apps(&self) -> impl Iterator<Item = &App> {
        std::iter::once(&self.settings.app).chain(&self.settings.other_apps)
    }

    /// Answers a call.
    pub(super) fn answer(&mut self, route: &Route, request: &Request, at: Moment) -> Result<Value, Refusal> {
        // These two are where an app signs in; everything else needs its token.
        if route.endpoint == Endpoint::Token {
            return self.token(request, at.now);
        }
        if route.endpoint == Endpoint::ConnectionEndpoint {
            return self.connection_endpoint(request);
        }
        let app = self.app_of(request, at.now)?.clone();
        has_scope(&app, route.endpoint)?;
        self.admit(route, request, &app.id, at.now)?;
        match route.endpoint {
            Endpoint::BotInfo => Ok(json!({"code": 0, "msg": "ok", "bot": {
                "activate_status": 2, "app_name": "Larkspan", "avatar_url": "", "ip_white_list": [],
                "open_id": format!("ou_bot_{}", app.id),
            }})),
            Endpoint::CardCreate => self.create_card(request, &app.id, at.now),
            Endpoint::CardUpdate
            | Endpoint::CardSettings
            | Endpoint::CardBatch
            | Endpoint::ElementCreate
            | Endpoint::ElementReplace
            | Endpoint::ElementPatch
            | Endpoint::ElementContent
            | Endpoint::ElementDelete => self.change_card(route, request, &app.id, at.now),
            Endpoint::MessageSend | Endpoint::MessageReply => self.send(route, request, &app, at),
            Endpoint::MessagePatch => self.patch_message(route, request, &app.id, at.now),
            Endpoint::ReactionAdd => self.add_reaction(route, request, &app.id, at),
            Endpoint::ReactionDelete => self.delete_reaction(route, &app.id),
            Endpoint::ImageUpload => {
                upload::image(&request.content_type, &request.body)?;
                let key = format!("img_v3_{:08}", self.next_id());
                self.images.insert(key.clone());
                Ok(success(&json!({"image_key": key})))
            }
            Endpoint::ChatList => Ok(self.chats()),
            Endpoint::ChatGet => self.chat(route.chat.as_deref().unwrap_or_default()),
            Endpoint::Token | Endpoint::ConnectionEndpoint => Ok(Value::Null),
        }
    }

    fn token(&mut self, request: &Request, now: Duration) -> Result<Value, Refusal> {
        let body = body_of(request)?;
        let field = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, secret) = (field("app_id"), field("app_secret"));
        if !self.apps().any(|app| app.id == id && app.secret == secret) {
            return Err(Refusal::new(code::BAD_CREDENTIALS, "app secret invalid"));
        }
        let left = |token: &Token| token.expires_at.saturating_sub(now);
        let kept = self.tokens.iter().rev().find(|token| token.app == id && left(token) >= TOKEN_REUSE);
        let (value, expire) = match kept {
            Some(token) => (token.value.clone(), left(token)),
            None => {
                let value = format!("t-fake{:08}", self.next_id());
                self.tokens.push(Token { value: value.clone(), app: id, expires_at: now + TOKEN_LIFETIME });
                (value, TOKEN_LIFETIME)
            }
        };
        Ok(json!({"code": 0, "msg": "ok", "tenant_access_token": value, "expire": expire.as_secs()}))
    }

    fn connection_endpoint(&mut self, request: &Request) -> Result<Value, Refusal> {
        let body = body_of(request)?;
        let field = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        let (id, secret) = (field("AppID"), field("AppSecret"));
        if id.is_empty() || secret.is_empty() {
            return Err(Refusal::new(code::CONNECTION_NO_CREDENTIALS, "no credential"));
        }
        if !self.apps().any(|app| app.id == id && app.secret == secret) {
            return Err(Refusal::new(code::CONNECTION_AUTH, "app_id or app_secret is invalid"));
        }
        let ticket = format!("ticket{:08}", self.next_id());
        self.hub.endpoint(ticket)
    }

    /// Counts the call against the platform's rates.
    fn admit(&mut self, route: &Route, request: &Request, app: &str, now: Duration) -> Result<(), Refusal> {
        let rates = self.settings.rates;
        let quota = |key: String, calls, span| Quota { key, calls, span };
        let endpoint = format!("{:?} of {app}", route.endpoint);
        let mut quotas = vec![
            quota(endpoint.clone() + " a second", rates.endpoint_per_second, SECOND),
            quota(endpoint + " a minute", rates.endpoint_per_minute, MINUTE),
        ];
        if let Some(card) = &route.card {
            quotas.push(quota(format!("card {card}"), rates.card_per_second, SECOND));
        }
        let receiver = self.receiver(route, request);
        quotas.extend(receiver.map(|key| quota(key, rates.chat_per_second, SECOND)));
        self.windows.admit(&quotas, now).map_err(|exhausted| {
            let is_chat = exhausted.key.starts_with("chat ") || exhausted.key.starts_with("message ");
            match self.settings.toggles.chat_limit {
                ChatLimit::Code if is_chat => {
                    Refusal::new(code::CHAT_RATE, "the message triggers the frequency limit")
                }
                ChatLimit::Code | ChatLimit::TooManyRequests => Refusal::rate(exhausted.reset),
            }
        })
    }

    /// Whose frequency a message counts against.
    fn receiver(&self, route: &Route, request: &Request) -> Option<String> {
        let message = route.message.as_deref();
        if route.endpoint == Endpoint::MessageSend {
            let receiver = request.json.as_ref()?.get("receive_id")?.as_str()?;
            Some(format!("chat {receiver}"))
        } else if route.endpoint == Endpoint::MessageReply {
            let parent = self.messages.iter().find(|parent| Some(parent.id.as_str()) == message)?;
            Some(format!("chat {}", parent.chat))
        } else if route.endpoint == Endpoint::MessagePatch {
            message.map(|message| format!("message {message}"))
        } else {
            None
        }
    }

    /// What a card is held against.
    pub(super) fn rules(&self) -> Rules<'_> {
        rules(&self.settings, &self.images)
    }

    fn create_card(&mut self, request: &Request, app: &str, now: Duration) -> Result<Value, Refusal> {
        let json = created_card(body_of(request)?)?;
        let id = format!("73717134836{:08}", self.next_id());
        let card = CardEntity::create(id.clone(), app, json, &self.rules(), now)?;
        self.cards.insert(id.clone(), card);
        Ok(success(&json!({"card_id": id})))
    }

    fn change_card(
        &mut self,
        route: &Route,
        request: &Request,
        app: &str,
        now: Duration,
    ) -> Result<Value, Refusal> {
        let operation = Operation::read(route, body_of(request)?)?;
        let id = route.card.as_deref().unwrap_or_default();
        let card = self.cards.get_mut(id);
        let card = card.ok_or_else(|| Refusal::new(code::NO_CARD, "the card entity does not exist"))?;
        card.admit(app, now)?;
        card.operate(&operation, &rules(&self.settings, &self.images), now)?;
        Ok(success(&json!({})))
    }

    fn chats(&self) -> Value {
        let chats = self.settings.chats.iter().filter(|chat| chat.bot == Membership::Member);
        let items: Vec<Value> = chats.map(|chat| json!({"chat_id": chat.id, "name": chat.name})).collect();
        success(&json!({"items": items, "has_more": false, "page_token": ""}))
    }

    fn chat(&self, id: &str) -> Result<Value, Refusal> {
        let Some(chat) = self.settings.chats.iter().find(|chat| chat.id == id) else {
            return Err(Refusal::new(code::NO_CHAT, "chat_id is invalid"));
        };
        match chat.bot {
            Membership::Member => Ok(success(&json!({
                "name": chat.name, "description": "", "avatar": "", "chat_mode": "group",
                "chat_type": "private", "external": false, "chat_status": "normal",
            }))),
            Membership::Outside => Err(Refusal::new(code::OUTSIDE_CHAT, "the bot is not in the chat")),
        }
    }
}

fn rules<'a>(settings: &'a Settings, images: &'a BTreeSet<String>) -> Rules<'a> {
    Rules { toggles: &settings.toggles, limits: &settings.limits, images, users: &settings.users }
}

/// The JSON body of a call that must have one.
pub(super) fn body_of(request: &Request) -> Result<Value, Refusal> {
    if !request.content_type.starts_with("application/json") {
        return Err(Refusal::new(code::BAD_PARAMETER, "content-type is not application/json"));
    }
    request.json.clone().ok_or_else(|| Refusal::new(code::BAD_PARAMETER, "the body is not JSON"))
}

fn has_scope(app: &App, endpoint: Endpoint) -> Result<(), Refusal> {
    let scopes = endpoint.scopes();
    if scopes.is_empty() || scopes.iter().any(|scope| app.scopes.iter().any(|granted| granted == scope)) {
        return Ok(());
    }
    let message = format!(
        "Access denied. One of the following scopes is required: [{}]: https://open.feishu.cn/app/{}/auth?q={}",
        scopes.join(", "),
        app.id,
        scopes.join(",")
    );
    Err(Refusal::new(code::NO_SCOPE, message))
}
