// The live page: it puts in what it is told, and changes only what has changed.
//
// - A card's HTML comes whole; `morph` walks it beside what stands there. A component is known again by its `data-id`.
// - What the reader has folded or unfolded stays so: a fold that is not as the card last had it is the reader's.
// - A column follows its end only while the reader is there.
"use strict";

const words = document.body.dataset;
const board = document.getElementById("board");
const tabs = document.getElementById("tabs");
const empty = document.getElementById("empty");
const dropped = document.getElementById("dropped");
const link = document.getElementById("link");

/** How each fold was in the card's last state. */
const folds = new WeakMap();
/** Folds that the reader has touched. */
const touched = new WeakSet();
/** Columns that follow their end. */
const following = new WeakSet();

const NEAR_END = 48;

function say(state) {
  link.className = "link " + state;
  link.lastElementChild.textContent = words[state];
}

function element(name, className, parent) {
  const made = document.createElement(name);
  made.className = className;
  if (parent) parent.append(made);
  return made;
}

// One card.

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-id") : null);
const isSame = (a, b) => a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

function remember(node) {
  for (const fold of node.querySelectorAll ? node.querySelectorAll("details") : []) folds.set(fold, fold.open);
  if (node.nodeName === "DETAILS") folds.set(node, node.open);
}

function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data === fresh.data) return;
    // Appended, so that a selection in what was there stays.
    if (fresh.data.startsWith(old.data)) old.appendData(fresh.data.slice(old.data.length));
    else old.data = fresh.data;
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) return;
  if (old.nodeName === "DETAILS") {
    const mine = touched.has(old) || old.open !== folds.get(old);
    folds.set(old, fresh.open);
    if (!mine) old.open = fresh.open;
    else touched.add(old);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  morphChildren(old, fresh);
}

function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  const keys = new Set(wanted.map(keyOf).filter((key) => key !== null));
  const known = new Map();
  for (const child of old.childNodes) if (keyOf(child) !== null) known.set(keyOf(child), child);
  let at = old.firstChild;
  const skip = (node) => node && keyOf(node) !== null && !keys.has(keyOf(node));
  for (const want of wanted) {
    while (skip(at)) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    if (at && isSame(at, want)) {
      const have = at;
      at = at.nextSibling;
      morph(have, want);
      continue;
    }
    const key = keyOf(want);
    const have = key === null ? undefined : known.get(key);
    if (have && have.parentNode === old && isSame(have, want)) {
      old.insertBefore(have, at);
      morph(have, want);
    } else {
      old.insertBefore(want, at);
      remember(want);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

// The board.

const columns = new Map();

const isAtEnd = (column) => column.scrollHeight - column.scrollTop - column.clientHeight < NEAR_END;

function toEnd(column) {
  column.scrollTop = column.scrollHeight;
}

function newColumn(key) {
  const root = element("section", "column", board);
  root.id = key;
  const head = element("header", "name", root);
  const title = element("h2", "", head);
  const count = element("span", "count", head);
  const cards = element("div", "cards", root);
  cards.tabIndex = 0;
  const note = element("p", "remark", cards);
  const latest = element("button", "latest", root);
  latest.type = "button";
  latest.textContent = words.latest;
  latest.addEventListener("click", () => cards.scrollTo({ top: cards.scrollHeight, behavior: "smooth" }));
  cards.addEventListener("scroll", () => {
    if (isAtEnd(cards)) following.add(cards);
    else following.delete(cards);
    root.classList.toggle("away", !following.has(cards));
  }, { passive: true });
  following.add(cards);
  const tab = element("button", "tab", tabs);
  tab.type = "button";
  tab.addEventListener("click", () => choose(key));
  return { root, title, count, cards, note, tab };
}

let chosen = null;

function choose(key) {
  chosen = key;
  for (const [other, column] of columns) {
    column.root.classList.toggle("chosen", other === key);
    column.tab.setAttribute("aria-pressed", String(other === key));
  }
  const column = columns.get(key);
  if (column && following.has(column.cards)) toEnd(column.cards);
}

function note(where, text, count) {
  where.hidden = count === 0;
  where.textContent = count === 0 ? "" : text.replace("{n}", String(count));
}

function layout({ sessions, dropped: gone }) {
  const keep = new Set(sessions.map((session) => session.key));
  for (const [key, column] of columns) {
    if (keep.has(key)) continue;
    column.root.remove();
    column.tab.remove();
    columns.delete(key);
  }
  const hadNone = columns.size === 0;
  let newest = null;
  sessions.forEach((session, order) => {
    let column = columns.get(session.key);
    if (!column) {
      column = newColumn(session.key);
      columns.set(session.key, column);
      newest ??= session.key;
    }
    // By style, not by place: what is moved in the document forgets how far it was scrolled.
    column.root.style.order = String(order);
    column.tab.style.order = String(order);
    column.title.textContent = session.title;
    column.title.title = session.name;
    column.count.textContent = String(session.cards.length);
    column.tab.textContent = session.title;
    note(column.note, words.older, session.dropped);
    const wanted = new Set(session.cards);
    for (const slot of [...column.cards.querySelectorAll(":scope > .slot")]) if (!wanted.has(slot.id)) slot.remove();
    for (const key of session.cards) {
      if (!document.getElementById(key)) element("div", "slot", column.cards).id = key;
    }
  });
  note(dropped, words.sessions, gone);
  empty.hidden = sessions.length > 0;
  tabs.hidden = sessions.length < 2;
  document.body.classList.toggle("has-cards", sessions.length > 0);
  if (hadNone || !columns.has(chosen)) choose(newest ?? sessions[0]?.key ?? null);
}

function card({ key, html }) {
  const slot = document.getElementById(key);
  if (!slot) return;
  const template = document.createElement("template");
  template.innerHTML = html;
  morphChildren(slot, template.content);
  const cards = slot.parentNode;
  if (following.has(cards)) toEnd(cards);
}

document.addEventListener("click", (event) => {
  const fold = event.target instanceof Element ? event.target.closest("summary")?.parentNode : null;
  if (fold?.nodeName === "DETAILS") touched.add(fold);
});

// What the page is told.

const AGAIN = 3000;

function listen() {
  const source = new EventSource("/events");
  source.addEventListener("open", () => say("connected"));
  source.addEventListener("error", () => {
    say("reconnecting");
    // The browser asks again by itself, unless it was refused.
    if (source.readyState === EventSource.CLOSED) refused();
  });
  source.addEventListener("layout", (event) => layout(JSON.parse(event.data)));
  source.addEventListener("card", (event) => card(JSON.parse(event.data)));
  source.addEventListener("ended", () => {
    source.close();
    say("ended");
  });
}

/** Whoever is logged in asks again: there may be too many pages now, or no server for a moment. */
async function refused() {
  const answer = await fetch("/").catch(() => null);
  if (answer?.status === 401) say("refused");
  else setTimeout(listen, AGAIN);
}

listen();
