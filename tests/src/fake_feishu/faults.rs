//! Failures that a test injects: for the n-th call that matches, or by chance.
//!
//! Invariants
//! - A rule counts the calls that match it, from 1; the first rule whose turn it is wins, the others count on.
//! - Chance is a function of the seed and the order of calls.

use std::time::Duration;

use super::endpoint::{Endpoint, Route};
use super::settings::ErrorForm;

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The call is looked at so much later.
    Delay(Duration),
    /// The call is applied at once and answered so much later.
    DelayAnswer(Duration),
    /// The connection breaks; nothing was applied.
    DropBefore,
    /// The connection breaks; the call was applied.
    DropAfter,
    /// No answer, and the connection stays; nothing was applied.
    SilenceBefore,
    /// No answer, and the connection stays; the call was applied.
    SilenceAfter,
    /// An HTTP status with a text, as of a gateway; nothing was applied.
    Status(u16),
    /// The same, but the call was applied.
    StatusAfter(u16),
    /// An HTML page with this status; nothing was applied.
    Html(u16),
    /// HTTP 429 with the seconds to wait.
    RateLimited(u64),
    /// A code, in this form; nothing was applied.
    Refused(u32, ErrorForm),
    /// The call was applied; half of the answer comes.
    TruncatedJson,
    /// All tokens become invalid before the call is looked at.
    RevokeTokens,
}

impl Fault {
    /// A rule that injects this into the calls of an endpoint.
    pub fn on(self, endpoint: Endpoint) -> FaultRule {
        FaultRule { endpoint: Some(endpoint), ..self.always() }
    }

    /// A rule that injects this into every call but those for tokens.
    pub fn always(self) -> FaultRule {
        FaultRule { endpoint: None, card: None, from: 1, to: usize::MAX, fault: self, seen: 0 }
    }
}

/// Which calls a fault hits.
#[derive(Debug, Clone)]
pub struct FaultRule {
    endpoint: Option<Endpoint>,
    card: Option<String>,
    from: usize,
    to: usize,
    fault: Fault,
    seen: usize,
}

impl FaultRule {
    /// Only the calls of this card.
    #[must_use]
    pub fn card(mut self, card: &str) -> Self {
        self.card = Some(card.to_owned());
        self
    }

    /// Only the n-th matching call from now, from 1.
    #[must_use]
    pub fn nth(self, nth: usize) -> Self {
        self.between(nth, nth)
    }

    /// Only the matching calls from `first` to `last`, from 1.
    #[must_use]
    pub fn between(mut self, first: usize, last: usize) -> Self {
        (self.from, self.to) = (first, last);
        self
    }

    /// Counts the call if it matches, and tells whether it is hit.
    fn hits(&mut self, route: &Route) -> bool {
        let matches = match self.endpoint {
            Some(endpoint) => endpoint == route.endpoint,
            None => route.endpoint != Endpoint::Token,
        } && (self.card.is_none() || self.card == route.card);
        self.seen += usize::from(matches);
        matches && (self.from..=self.to).contains(&self.seen)
    }
}

/// Failures by chance: of so many calls in a hundred, one third each fails before it is applied, after it, or with 429.
#[derive(Debug, Clone, Copy)]
pub struct Chaos {
    /// The same seed fails the same calls.
    pub seed: u64,
    /// Of a hundred calls.
    pub percent: u64,
}

/// Numbers by chance (splitmix64): no cryptography, only spread.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 to `sides - 1`; 0 for no sides.
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)).checked_rem(sides).unwrap_or(0)
    }
}

/// All that was injected.
#[derive(Debug)]
pub(super) struct Faults {
    rules: Vec<FaultRule>,
    chaos: Option<(Dice, u64)>,
}

impl Faults {
    pub(super) fn new(chaos: Option<Chaos>) -> Self {
        let mut faults = Self { rules: Vec::new(), chaos: None };
        faults.set_chaos(chaos);
        faults
    }

    pub(super) fn set_chaos(&mut self, chaos: Option<Chaos>) {
        self.chaos = chaos.map(|Chaos { seed, percent }| (Dice::new(seed), percent));
    }

    pub(super) fn add(&mut self, rule: FaultRule) {
        self.rules.push(rule);
    }

    pub(super) fn clear(&mut self) {
        self.rules.clear();
        self.chaos = None;
    }

    /// What hits this call.
    pub(super) fn take(&mut self, route: &Route) -> Option<Fault> {
        let mut hit = None;
        for rule in &mut self.rules {
            if rule.hits(route) && hit.is_none() {
                hit = Some(rule.fault.clone());
            }
        }
        hit.or_else(|| self.by_chance(route))
    }

    fn by_chance(&mut self, route: &Route) -> Option<Fault> {
        if matches!(route.endpoint, Endpoint::Token | Endpoint::ConnectionEndpoint) {
            return None;
        }
        let (dice, percent) = self.chaos.as_mut()?;
        if dice.roll(100) >= *percent {
            return None;
        }
        Some(match dice.roll(3) {
            0 => Fault::DropBefore,
            1 => Fault::DropAfter,
            _ => Fault::RateLimited(1),
        })
    }
}
