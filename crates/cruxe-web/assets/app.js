// What every page does: parts of pages, live changes, keys.
// @ts-check

/** The only door through which text becomes markup: answers of our own server, which has escaped them. */
const plain = { createHTML: (/** @type {string} */ text) => text };
/** @type {{ createPolicy(name: string, rules: typeof plain): typeof plain } | undefined} */
const trusted = /** @type {any} */ (window).trustedTypes;
const markup = trusted?.createPolicy("cruxe", plain) ?? plain;

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement | null} */
export const one = (selector, within = document) => within.querySelector(selector);
/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);

/** The address of a page: below the repository, where there are several. @param {string} path */
export const page = (path) => (document.documentElement.dataset.below ?? "") + path;

/** Puts the server's markup into an element.
 * @param {Element} element @param {string} html */
export function fill(element, html) {
  element.innerHTML = markup.createHTML(html);
  load(element);
}

/** Fetches a part of a page.
 * @param {string} address @param {AbortSignal} [signal] @returns {Promise<string>} */
export async function fetchPart(address, signal) {
  const url = new URL(address, location.href);
  if (!url.searchParams.has("part")) url.searchParams.set("part", "all");
  const answer = await fetch(url, { signal, headers: { accept: "text/html" } });
  if (answer.status === 401) location.reload();
  return answer.text();
}

/** Changes something on the server.
 * @param {string} address @param {unknown} [body] @returns {Promise<Response>} */
export function post(address, body) {
  const token = one('meta[name="cruxe-page"]')?.getAttribute("content") ?? "";
  return fetch(address, {
    method: "POST",
    headers: { "x-cruxe-page": token, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;
/** Says something for a few seconds. @param {string} text */
export function notice(text) {
  const place = one("#notice");
  if (!place) return;
  place.textContent = text;
  place.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (place.hidden = true), 6000);
}

/** Loads what stands in an element as a promise of more. @param {ParentNode} within */
function load(within) {
  for (const place of all("[data-load]", within)) {
    const address = place.dataset.load ?? "";
    place.dataset.src = address;
    delete place.dataset.load;
    fetchPart(address).then((html) => fill(place, html), () => {});
  }
}

/** What a page shows again when something changes: the elements that say so, by what they depend on.
 * @param {string} what */
async function refresh(what) {
  const beat = one("#live");
  beat?.classList.remove("beat");
  requestAnimationFrame(() => beat?.classList.add("beat"));
  if (what === "index" && one("[data-reload]")) return location.reload();
  document.dispatchEvent(new CustomEvent("cruxe:" + what));
  const places = all("[data-live]").filter((place) => (place.dataset.live ?? "").split(" ").includes(what) && !place.dataset.own);
  const whole = places.filter((place) => !place.dataset.src);
  for (const place of places.filter((place) => place.dataset.src)) {
    const html = await fetchPart(place.dataset.src ?? "");
    keep(place, () => fill(place, html));
  }
  if (whole.length === 0) return;
  const html = await fetchPart(location.pathname + location.search);
  const fresh = new DOMParser().parseFromString(markup.createHTML(html), "text/html");
  for (const place of whole) {
    const inner = place.id ? fresh.getElementById(place.id) : whole.length === 1 ? fresh.querySelector("[data-live]") : null;
    const next = inner ? inner.innerHTML : fresh.querySelector("[data-live]") ? null : html;
    if (next !== null && next !== place.innerHTML) keep(place, () => fill(place, next));
  }
}

/** Does something to an element and leaves focus, selection of a list and scrolling as they were.
 * @param {HTMLElement} place @param {() => void} change */
function keep(place, change) {
  const focused = document.activeElement;
  const path = focused && place.contains(focused) ? all("a, button, input, select, textarea", place).indexOf(/** @type {HTMLElement} */ (focused)) : -1;
  const scrolls = all("[tabindex], .side", place).map((node) => node.scrollTop);
  const top = place.scrollTop;
  const opened = all("details", place).map((node) => /** @type {HTMLDetailsElement} */ (node).open);
  change();
  place.scrollTop = top;
  all("[tabindex], .side", place).forEach((node, at) => (node.scrollTop = scrolls[at] ?? 0));
  all("details", place).forEach((node, at) => opened[at] !== undefined && (/** @type {HTMLDetailsElement} */ (node).open = opened[at]));
  if (path >= 0) all("a, button, input, select, textarea", place)[path]?.focus({ preventScroll: true });
  document.dispatchEvent(new CustomEvent("cruxe:filled", { detail: place }));
}

/** Listens while the page is seen: a browser has few connections to one server, and tabs in the background need none. */
function listen() {
  /** @type {EventSource | null} */
  let stream = null;
  /** What the page was made from, then what was heard last. @type {Record<string, string>} */
  const known = JSON.parse(one('meta[name="cruxe-made-from"]')?.getAttribute("content") ?? "{}");
  const light = one("#live");
  const heard = (/** @type {MessageEvent} */ event) => {
    const data = JSON.parse(event.data);
    for (const what of ["index", "deck", "job"]) {
      if (known[what] !== data[what]) refresh(what);
      known[what] = data[what];
    }
  };
  const start = () => {
    if (stream || document.hidden) return;
    stream = new EventSource(page("/live"));
    for (const name of ["hello", "index", "deck", "job"]) stream.addEventListener(name, (event) => heard(/** @type {MessageEvent} */ (event)));
    stream.onopen = () => { light?.classList.add("on"); light?.classList.remove("off"); if (light) light.title = "Live"; };
    stream.onerror = () => { light?.classList.remove("on"); light?.classList.add("off"); if (light) light.title = "The server does not answer"; };
  };
  const stop = () => { stream?.close(); stream = null; };
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", start);
  start();
}

/** The entries of the list on the page. */
const entries = () => all("[data-list] > li, [data-list] tbody tr");
/** Goes so many entries on. @param {number} steps */
export function step(steps) {
  const list = entries();
  if (list.length === 0) return;
  const now = list.findIndex((entry) => entry.classList.contains("now"));
  const next = Math.max(0, Math.min(list.length - 1, now < 0 ? (steps > 0 ? 0 : list.length - 1) : now + steps));
  list.forEach((entry, at) => entry.classList.toggle("now", at === next));
  const link = one("a.open", list[next]);
  link?.setAttribute("aria-current", "true");
  list[next].scrollIntoView({ block: "nearest" });
}
/** Opens the entry that is chosen, else the first. @returns {boolean} */
export function openEntry() {
  const list = entries();
  const link = one("a.open", list.find((entry) => entry.classList.contains("now")) ?? list[0] ?? document.createElement("i"));
  link?.click();
  return Boolean(link);
}

/** @type {Record<string, string>} */
const PLACES = { s: "/search", f: "/file/", b: "/branches", g: "/graph", k: "/board", i: "/status" };
let waiting = "";
/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
  if (event.key === "Escape") {
    const pop = one("#pop");
    if (pop && !pop.hidden) pop.hidden = true;
    else if (typing) target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inSearch = target.id === "q";
  if (inSearch && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    return step(event.key === "ArrowDown" ? 1 : -1);
  }
  if (typing || one("dialog[open]")) return;
  if (waiting === "g" && PLACES[event.key]) {
    waiting = "";
    location.href = page(PLACES[event.key]);
    return;
  }
  waiting = event.key === "g" ? "g" : "";
  if (event.key === "/") {
    event.preventDefault();
    const field = /** @type {HTMLInputElement | null} */ (one("#q"));
    field?.focus();
    field?.select();
  } else if (event.key === "?") {
    /** @type {HTMLDialogElement | null} */ (one("#help"))?.showModal();
  } else if (event.key === "j" || event.key === "ArrowDown" || event.key === "k" || event.key === "ArrowUp") {
    if (entries().length === 0 || target.closest(".code")) return;
    event.preventDefault();
    step(event.key === "j" || event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && target === document.body) {
    openEntry();
  } else if (event.key === "o") {
    (one(".outline a") ?? one("a.open"))?.focus();
  } else if (event.key === "y") {
    navigator.clipboard?.writeText(location.href).then(() => notice("Address copied"), () => notice(location.href));
  }
}

/** @param {MouseEvent} event */
async function onClick(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (target.closest("button"));
  if (!button) return;
  if (button.classList.contains("help-open")) /** @type {HTMLDialogElement | null} */ (one("#help"))?.showModal();
  if (button.dataset.post) {
    const answer = await post(button.dataset.post);
    notice(answer.ok ? "It has begun." : await answer.text());
  }
  if (button.dataset.open) {
    const row = button.closest("li");
    const place = row && one(":scope > .opened", row);
    if (!place) return;
    const open = button.getAttribute("aria-expanded") !== "true";
    for (const other of all("[data-open]", row)) if (other.closest("li") === row) other.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-expanded", String(open));
    place.hidden = !open;
    if (open) fill(place, await fetchPart(button.dataset.open));
  }
}

/** A choice that is a parameter of the address. @param {Event} event */
function onChange(event) {
  const field = /** @type {HTMLSelectElement} */ (event.target);
  const name = field.id === "ref" ? "ref" : field.dataset.param;
  if (!name) return;
  const url = new URL(location.href);
  if (field.value) url.searchParams.set(name, field.value);
  else url.searchParams.delete(name);
  location.href = url.href;
}

/** A form that is sent as a question to the server. @param {SubmitEvent} event */
async function onSubmit(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.dataset.index === undefined) return;
  event.preventDefault();
  const answer = await post(page("/branches/index"), Object.fromEntries(new FormData(form)));
  notice(answer.ok ? "It is being indexed." : await answer.text());
}

document.addEventListener("keydown", onKey);
document.addEventListener("submit", onSubmit);
document.addEventListener("click", onClick);
document.addEventListener("change", onChange);
load(document);
listen();
