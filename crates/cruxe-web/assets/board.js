// The board: moving and editing cards. What somebody else changed meanwhile is never written over.
// @ts-check
import { all, fetchPart, fill, notice, one, post } from "./app.js";

const ORDER = ["todo", "active", "done", "archived"];
const board = /** @type {HTMLElement} */ (one("#board"));
const panel = /** @type {HTMLElement} */ (one("#panel"));
/** The card that is being dragged. @type {HTMLElement | null} */
let dragged = null;
/** News that came while something was dragged. */
let waiting = false;

/** Shows the cards as they are now. */
async function refresh() {
  if (dragged) return void (waiting = true);
  const url = new URL(location.href);
  url.searchParams.set("part", "columns");
  const focused = document.activeElement?.closest(".tile")?.getAttribute("data-id");
  fill(board, await fetchPart(url.href));
  filter();
  if (focused) one(`.tile[data-id="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
  await refreshPanel();
}

/** Moves a card to another column. @param {HTMLElement} tile @param {string} status */
async function move(tile, status) {
  const answer = await post("/board/card/" + tile.dataset.id, { seen: tile.dataset.version, status });
  if (!answer.ok) notice(await answer.text());
  await refresh();
}

board?.addEventListener("dragstart", (event) => {
  const tile = /** @type {HTMLElement} */ (event.target).closest?.(".tile");
  if (!(tile instanceof HTMLElement)) return;
  dragged = tile;
  tile.classList.add("dragged");
  event.dataTransfer?.setData("text/plain", tile.dataset.id ?? "");
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
});
board?.addEventListener("dragover", (event) => {
  const column = /** @type {HTMLElement} */ (event.target).closest?.("[data-status]");
  if (!dragged || !column) return;
  event.preventDefault();
  for (const other of all(".column", board)) other.classList.toggle("over", other === column);
});
board?.addEventListener("drop", (event) => {
  const column = /** @type {HTMLElement} */ (event.target).closest?.("[data-status]");
  const tile = dragged;
  if (!tile || !(column instanceof HTMLElement)) return;
  event.preventDefault();
  dragged = null;
  if (tile.closest("[data-status]") !== column) move(tile, column.dataset.status ?? "");
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  for (const column of all(".column", board)) column.classList.remove("over");
  if (waiting) { waiting = false; refresh(); }
});
// The same by keyboard: [ and ] move the card that has the focus.
document.addEventListener("keydown", (event) => {
  const tile = /** @type {HTMLElement} */ (event.target).closest?.(".tile");
  if (!(tile instanceof HTMLElement) || (event.key !== "[" && event.key !== "]")) return;
  const at = ORDER.indexOf(/** @type {HTMLElement} */ (tile.closest("[data-status]")).dataset.status ?? "");
  const next = ORDER[at + (event.key === "]" ? 1 : -1)];
  if (next) move(tile, next);
});

// Filters.
function filter() {
  const wanted = /** @type {HTMLInputElement | null} */ (one("#pick-card"))?.value.trim().toLowerCase() ?? "";
  for (const tile of all(".tile", board)) tile.hidden = Boolean(wanted) && !tile.textContent?.toLowerCase().includes(wanted);
}
one("#pick-card")?.addEventListener("input", filter);
document.addEventListener("change", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.type !== "checkbox" || !field.dataset.param) return;
  event.stopImmediatePropagation();
  const url = new URL(location.href);
  if (field.checked) url.searchParams.set(field.dataset.param, field.value);
  else url.searchParams.delete(field.dataset.param);
  location.href = url.href;
}, true);

// A new card.
one("#new-card")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const answer = await post("/board/new", Object.fromEntries(new FormData(form)));
  if (!answer.ok) return notice(await answer.text());
  form.reset();
  await refresh();
});

// The card beside the board.
const form = () => /** @type {HTMLFormElement | null} */ (one("#card-form"));
/** What the form said when it was shown. @type {Record<string, FormDataEntryValue>} */
let before = {};
const fields = () => { const own = form(); return own ? Object.fromEntries(new FormData(own)) : {}; };
/** What was changed in the form. */
const changes = () => {
  const now = fields();
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => String(value).replaceAll("\r\n", "\n") !== String(before[name]).replaceAll("\r\n", "\n")));
};

/** @param {string | null} id */
async function show(id) {
  if (!id) { panel.hidden = true; panel.removeAttribute("data-card"); fill(panel, ""); before = {}; return; }
  fill(panel, await fetchPart("/board?part=card&card=" + encodeURIComponent(id)));
  panel.hidden = false;
  panel.dataset.card = id;
  before = fields();
}

/** The card may have been changed: shown anew, unless that would take away what was typed. */
async function refreshPanel() {
  const own = form();
  if (!own || panel.hidden) return;
  const id = own.dataset.id ?? "";
  const html = await fetchPart("/board?part=card&card=" + encodeURIComponent(id));
  const version = /data-version="([0-9a-f]+)"/.exec(html)?.[1];
  if (version === own.dataset.version) return;
  if (Object.keys(changes()).length === 0) {
    fill(panel, html);
    before = fields();
  } else say("This card was changed meanwhile. What you typed is still here and is not written over it: copy it, or ", id);
}

/** @param {string} text @param {string} id */
function say(text, id) {
  const place = one("#card-said");
  if (!place) return;
  place.textContent = text;
  const link = document.createElement("button");
  link.type = "button";
  link.className = "quiet";
  link.textContent = "show the card as it is now";
  link.addEventListener("click", () => show(id));
  place.append(link);
  place.hidden = false;
}

document.addEventListener("submit", async (event) => {
  const own = form();
  if (event.target !== own || !own) return;
  event.preventDefault();
  const changed = changes();
  if (Object.keys(changed).length === 0) return notice("Nothing was changed.");
  const answer = await post("/board/card/" + own.dataset.id, { ...changed, seen: own.dataset.version });
  if (answer.status === 409) return say((await answer.text()) + " What you typed is still here: copy it, or ", own.dataset.id ?? "");
  if (!answer.ok) return say(await answer.text() + " ", own.dataset.id ?? "");
  notice("Saved");
  before = fields();
  await show(own.dataset.id ?? null);
  await refresh();
});

document.addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest?.("a");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const url = new URL(link.href);
  if (url.pathname !== "/board" || url.origin !== location.origin || link.closest(".places")) return;
  event.preventDefault();
  const next = new URL(location.href);
  const id = url.searchParams.get("card");
  if (id) next.searchParams.set("card", id);
  else next.searchParams.delete("card");
  history.pushState(null, "", next);
  show(id).then(() => one("#card-title")?.focus());
});
window.addEventListener("popstate", () => show(new URL(location.href).searchParams.get("card")));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.hidden && !/^(INPUT|TEXTAREA|SELECT)$/.test(/** @type {HTMLElement} */ (event.target).tagName)) one(".panel .close")?.click();
});
document.addEventListener("cruxe:deck", refresh);
before = fields();
