//! The endpoints that the fake has, and how a request finds its own.

use axum::http::Method;

/// An endpoint of the open platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    /// `POST /open-apis/auth/v3/tenant_access_token/internal`
    Token,
    /// `GET /open-apis/bot/v3/info`
    BotInfo,
    /// `POST /open-apis/cardkit/v1/cards`
    CardCreate,
    /// `PUT …/cards/:card_id`
    CardUpdate,
    /// `PATCH …/cards/:card_id/settings`
    CardSettings,
    /// `POST …/cards/:card_id/batch_update`
    CardBatch,
    /// `POST …/cards/:card_id/elements`
    ElementCreate,
    /// `PUT …/elements/:element_id`
    ElementReplace,
    /// `PATCH …/elements/:element_id`
    ElementPatch,
    /// `PUT …/elements/:element_id/content`
    ElementContent,
    /// `DELETE …/elements/:element_id`
    ElementDelete,
    /// `POST /open-apis/im/v1/messages`
    MessageSend,
    /// `POST …/messages/:message_id/reply`
    MessageReply,
    /// `PATCH …/messages/:message_id`
    MessagePatch,
    /// `POST …/messages/:message_id/reactions`
    ReactionAdd,
    /// `DELETE …/messages/:message_id/reactions/:reaction_id`
    ReactionDelete,
    /// `POST /open-apis/im/v1/images`
    ImageUpload,
    /// `GET /open-apis/im/v1/chats`
    ChatList,
    /// `GET /open-apis/im/v1/chats/:chat_id`
    ChatGet,
    /// `POST /callback/ws/endpoint`
    ConnectionEndpoint,
}

impl Endpoint {
    /// The scopes of which one is enough; none for endpoints that ask for none.
    pub(super) fn scopes(self) -> &'static [&'static str] {
        match self {
            Self::Token | Self::BotInfo | Self::ConnectionEndpoint => &[],
            Self::CardCreate
            | Self::CardUpdate
            | Self::CardSettings
            | Self::CardBatch
            | Self::ElementCreate
            | Self::ElementReplace
            | Self::ElementPatch
            | Self::ElementContent
            | Self::ElementDelete => &["cardkit:card:write"],
            Self::MessageSend | Self::MessageReply => &["im:message", "im:message:send_as_bot"],
            Self::MessagePatch => &["im:message", "im:message:send_as_bot", "im:message:update"],
            Self::ReactionAdd | Self::ReactionDelete => &["im:message", "im:message.reactions:write_only"],
            Self::ImageUpload => &["im:resource", "im:resource:upload"],
            Self::ChatList | Self::ChatGet => &["im:chat:readonly", "im:chat", "im:chat:read"],
        }
    }
}

/// A request's endpoint with the ids of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) endpoint: Endpoint,
    pub(super) card: Option<String>,
    pub(super) element: Option<String>,
    pub(super) message: Option<String>,
    pub(super) reaction: Option<String>,
    pub(super) chat: Option<String>,
}

impl Route {
    fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, card: None, element: None, message: None, reaction: None, chat: None }
    }

    fn card(endpoint: Endpoint, card: &str) -> Self {
        Self { card: Some(card.to_owned()), ..Self::new(endpoint) }
    }

    fn element(endpoint: Endpoint, card: &str, element: &str) -> Self {
        Self { element: Some(element.to_owned()), ..Self::card(endpoint, card) }
    }

    fn message(endpoint: Endpoint, message: &str) -> Self {
        Self { message: Some(message.to_owned()), ..Self::new(endpoint) }
    }

    /// The route of a request, if the platform has such a path.
    pub(super) fn of(method: &Method, path: &str) -> Option<Self> {
        use Endpoint as E;
        let path: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        if path.iter().any(|segment| segment.is_empty()) {
            return None;
        }
        let (api, rest) = match path.as_slice() {
            ["callback", "ws", "endpoint"] if method == Method::POST => {
                return Some(Self::new(E::ConnectionEndpoint));
            }
            ["open-apis", api, version, rest @ ..] => ((*api, *version), rest),
            _ => return None,
        };
        Some(match (api, method.as_str(), rest) {
            (("auth", "v3"), "POST", ["tenant_access_token", "internal"]) => Self::new(E::Token),
            (("bot", "v3"), "GET", ["info"]) => Self::new(E::BotInfo),
            (("cardkit", "v1"), "POST", ["cards"]) => Self::new(E::CardCreate),
            (("cardkit", "v1"), "PUT", ["cards", card]) => Self::card(E::CardUpdate, card),
            (("cardkit", "v1"), "PATCH", ["cards", card, "settings"]) => Self::card(E::CardSettings, card),
            (("cardkit", "v1"), "POST", ["cards", card, "batch_update"]) => Self::card(E::CardBatch, card),
            (("cardkit", "v1"), "POST", ["cards", card, "elements"]) => Self::card(E::ElementCreate, card),
            (("cardkit", "v1"), "PUT", ["cards", card, "elements", element]) => {
                Self::element(E::ElementReplace, card, element)
            }
            (("cardkit", "v1"), "PATCH", ["cards", card, "elements", element]) => {
                Self::element(E::ElementPatch, card, element)
            }
            (("cardkit", "v1"), "PUT", ["cards", card, "elements", element, "content"]) => {
                Self::element(E::ElementContent, card, element)
            }
            (("cardkit", "v1"), "DELETE", ["cards", card, "elements", element]) => {
                Self::element(E::ElementDelete, card, element)
            }
            (("im", "v1"), "POST", ["messages"]) => Self::new(E::MessageSend),
            (("im", "v1"), "POST", ["messages", message, "reply"]) => Self::message(E::MessageReply, message),
            (("im", "v1"), "PATCH", ["messages", message]) => Self::message(E::MessagePatch, message),
            (("im", "v1"), "POST", ["messages", message, "reactions"]) => {
                Self::message(E::ReactionAdd, message)
            }
            (("im", "v1"), "DELETE", ["messages", message, "reactions", reaction]) => {
                Self { reaction: Some((*reaction).to_owned()), ..Self::message(E::ReactionDelete, message) }
            }
            (("im", "v1"), "POST", ["images"]) => Self::new(E::ImageUpload),
            (("im", "v1"), "GET", ["chats"]) => Self::new(E::ChatList),
            (("im", "v1"), "GET", ["chats", chat]) => {
                Self { chat: Some((*chat).to_owned()), ..Self::new(E::ChatGet) }
            }
            _ => return None,
        })
    }
}
