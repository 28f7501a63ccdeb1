//! What is certain to have happened: regions of control flow, promises, and the proof that one follows from another.
//!
//! A **region** is a stretch of evaluation that runs as a whole or not at all, seen from its parent. Everything that is
//! evaluated (a call, a print, an `await`) belongs to one. The root region runs if the script does. A region opened by
//! a condition may not run; one opened by a loop runs an unknown number of times; one opened behind the first `await`
//! (or possible throw) of an asynchronous function runs if, and only if, that function's promise is fulfilled.
//!
//! A **promise** knows who waited for it. [`Flow::evidence`] answers what a completed script proves of it. Proofs go
//! through other promises (`Promise.all`, `.then`, the enclosing asynchronous function); a circle proves nothing.
//!
//! Invariant: every answer errs towards "not proven".

use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegionId(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PromiseId(pub(super) usize);

/// Why a region may differ from its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegionKind {
    Root,
    /// May not run.
    Maybe,
    /// Runs an unknown number of times.
    Loop,
    /// Runs if the promise is fulfilled.
    Behind(PromiseId),
}

#[derive(Debug)]
struct Region {
    parent: RegionId,
    kind: RegionKind,
    depth: usize,
}

/// What is proven of a promise if the script completed, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    Nothing,
    /// It was fulfilled or rejected.
    Settled,
    Fulfilled,
}

/// One reason to believe that a promise was waited for.
#[derive(Debug)]
pub(super) struct Use {
    /// The regions that must have run for it.
    pub(super) regions: Vec<RegionId>,
    pub(super) kind: UseKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum UseKind {
    /// `await`, in the asynchronous function with this promise or at the top level.
    Awaited { within: Option<PromiseId>, caught: bool },
    /// The other promise takes over its state.
    Adopted(PromiseId),
    /// The other promise is fulfilled only if this one is; rejected, it says nothing of it.
    OneOfAll(PromiseId),
    /// The other promise is settled only once this one is, and hides its failure.
    Absorbed(PromiseId),
    /// Handed to a caller that is not in the script.
    Returned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memo {
    Open,
    Busy,
    Known(Evidence),
}

#[derive(Debug)]
struct Promise {
    region: RegionId,
    uses: Vec<Use>,
    memo: Cell<Memo>,
    /// Awaited with nothing in between, so that what ran inside it ran in place.
    in_place: bool,
    /// The evaluator's clock when its making ended.
    ended: u32,
}

#[derive(Debug)]
pub(super) struct Flow {
    regions: Vec<Region>,
    promises: Vec<Promise>,
}

impl Flow {
    pub(super) const ROOT: RegionId = RegionId(0);

    pub(super) fn new() -> Self {
        let root = Region { parent: Self::ROOT, kind: RegionKind::Root, depth: 0 };
        Self { regions: vec![root], promises: Vec::new() }
    }

    pub(super) fn enter(&mut self, parent: RegionId, kind: RegionKind) -> RegionId {
        let depth = self.region(parent).depth + 1;
        self.regions.push(Region { parent, kind, depth });
        RegionId(self.regions.len() - 1)
    }

    pub(super) fn promise(&mut self, region: RegionId) -> PromiseId {
        self.promises.push(Promise {
            region,
            uses: Vec::new(),
            memo: Cell::new(Memo::Open),
            in_place: false,
            ended: u32::MAX,
        });
        PromiseId(self.promises.len() - 1)
    }

    /// Marks the end of the synchronous making of a promise.
    pub(super) fn ended(&mut self, promise: PromiseId, clock: u32) {
        if let Some(promise) = self.promises.get_mut(promise.0) {
            promise.ended = clock;
        }
    }

    pub(super) fn use_promise(&mut self, promise: PromiseId, regions: Vec<RegionId>, kind: UseKind) {
        if let Some(promise) = self.promises.get_mut(promise.0) {
            promise.uses.push(Use { regions, kind });
        }
    }

    /// Notes that a promise is awaited at `clock`.
    pub(super) fn awaited(&mut self, promise: PromiseId, clock: u32) {
        if let Some(promise) = self.promises.get_mut(promise.0) {
            promise.in_place |= promise.ended == clock;
        }
    }

    fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }

    /// A region and those around it, the root left out.
    fn chain(&self, region: RegionId) -> impl Iterator<Item = RegionId> {
        let mut next = Some(region);
        std::iter::from_fn(move || {
            let id = next.filter(|id| *id != Self::ROOT)?;
            next = Some(self.region(id).parent);
            Some(id)
        })
    }

    fn is_certain(&self, region: RegionId) -> bool {
        match self.region(region).kind {
            RegionKind::Root => true,
            RegionKind::Maybe | RegionKind::Loop => false,
            RegionKind::Behind(promise) => self.evidence(promise) == Evidence::Fulfilled,
        }
    }

    /// Whether `region` surely ran if `given` did.
    fn follows(&self, region: RegionId, given: RegionId) -> bool {
        let mut given = given;
        let mut region = region;
        while region != given {
            if self.region(region).depth >= self.region(given).depth {
                if !self.is_certain(region) {
                    return false;
                }
                region = self.region(region).parent;
            } else {
                given = self.region(given).parent;
            }
        }
        true
    }

    /// What a completed script proves of a promise.
    pub(super) fn evidence(&self, id: PromiseId) -> Evidence {
        let Some(promise) = self.promises.get(id.0) else { return Evidence::Nothing };
        match promise.memo.get() {
            Memo::Known(evidence) => return evidence,
            Memo::Busy => return Evidence::Nothing,
            Memo::Open => promise.memo.set(Memo::Busy),
        }
        let evidence =
            promise.uses.iter().map(|used| self.proof(promise, used)).max().unwrap_or(Evidence::Nothing);
        promise.memo.set(Memo::Known(evidence));
        evidence
    }

    fn proof(&self, promise: &Promise, used: &Use) -> Evidence {
        let proof = match used.kind {
            UseKind::Awaited { within, caught } => {
                let within = within.map_or(Evidence::Fulfilled, |within| self.evidence(within));
                if caught { within.min(Evidence::Settled) } else { within }
            }
            UseKind::Adopted(other) => self.evidence(other),
            UseKind::OneOfAll(other) => match self.evidence(other) {
                Evidence::Fulfilled => Evidence::Fulfilled,
                Evidence::Settled | Evidence::Nothing => Evidence::Nothing,
            },
            UseKind::Absorbed(other) => self.evidence(other).min(Evidence::Settled),
            UseKind::Returned => Evidence::Settled,
        };
        if proof > Evidence::Nothing
            && used.regions.iter().all(|region| self.follows(*region, promise.region))
        {
            proof
        } else {
            Evidence::Nothing
        }
    }

    /// Whether what belongs to `region` may not have run, loops aside.
    pub(super) fn may_be_skipped(&self, region: RegionId) -> bool {
        self.chain(region).any(|id| self.region(id).kind != RegionKind::Loop && !self.is_certain(id))
    }

    /// Whether what belongs to `region` runs an unknown number of times.
    pub(super) fn repeats(&self, region: RegionId) -> bool {
        self.chain(region).any(|id| self.region(id).kind == RegionKind::Loop)
    }

    /// Whether what belongs to `region` ran exactly once and in its place among its neighbours.
    pub(super) fn in_order(&self, region: RegionId) -> bool {
        self.chain(region).all(|id| match self.region(id).kind {
            RegionKind::Root => true,
            RegionKind::Maybe | RegionKind::Loop => false,
            RegionKind::Behind(promise) => {
                self.promises.get(promise.0).is_some_and(|promise| promise.in_place)
                    && self.evidence(promise) == Evidence::Fulfilled
            }
        })
    }
}
