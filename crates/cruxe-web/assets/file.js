// Source: lines of the address, names under the pointer, files of any length.
// @ts-check
import { all, fetchPart, fill, one, page } from "./app.js";

const code = one("#code");

/** The lines that the address names. @returns {[number, number] | null} */
function wanted() {
  const found = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
  if (!found) return null;
  const first = Number(found[1]);
  return [first, Math.max(first, Number(found[2] ?? first))];
}

/** Sets off the lines of the address. */
function paint() {
  const lines = wanted();
  for (const row of all(".l.hit")) row.classList.remove("hit");
  if (!lines || !code) return;
  for (let at = lines[0]; at <= Math.min(lines[1], lines[0] + 2000); at++) document.getElementById("L" + at)?.classList.add("hit");
}

/** A file that is too long to be shown at once: pieces of it stand where they belong while they are near. */
class Virtual {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    this.lines = Number(box.dataset.lines);
    this.size = Number(box.dataset.piece);
    const row = one(".l", box);
    this.height = row ? row.getBoundingClientRect().height : 20;
    this.ground = document.createElement("div");
    this.ground.className = "ground";
    this.ground.style.height = this.lines * this.height + "px";
    /** @type {Map<number, HTMLElement>} */
    this.pieces = new Map();
    const first = one(".piece", box);
    if (first) {
      this.ground.append(first);
      this.pieces.set(0, first);
      first.style.top = "0";
    }
    box.append(this.ground);
    box.addEventListener("scroll", () => requestAnimationFrame(() => this.show()), { passive: true });
    addEventListener("resize", () => this.show());
  }
  /** Shows what is in sight, and a little more. */
  show() {
    const from = Math.floor(this.box.scrollTop / this.height / this.size) - 1;
    const to = Math.floor((this.box.scrollTop + this.box.clientHeight) / this.height / this.size) + 1;
    for (const [at, piece] of this.pieces) {
      if (at < from - 2 || at > to + 2) {
        piece.remove();
        this.pieces.delete(at);
      }
    }
    for (let at = Math.max(0, from); at <= to && at * this.size < this.lines; at++) this.fetch(at);
  }
  /** @param {number} at */
  async fetch(at) {
    if (this.pieces.has(at)) return;
    const piece = document.createElement("div");
    piece.className = "piece";
    piece.style.top = at * this.size * this.height + "px";
    this.pieces.set(at, piece);
    this.ground.append(piece);
    const url = new URL(location.href);
    url.searchParams.set("part", "lines");
    url.searchParams.set("from", String(at * this.size + 1));
    url.searchParams.set("to", String((at + 1) * this.size));
    url.hash = "";
    fill(piece, await fetchPart(url.href));
    paint();
  }
  /** @param {number} line */
  go(line) {
    this.box.scrollTop = Math.max(0, (line - 8) * this.height);
    this.show();
  }
}

const virtual = code?.classList.contains("virtual") ? new Virtual(code) : null;

/** Shows the lines of the address. */
function go() {
  const lines = wanted();
  if (lines && virtual) virtual.go(lines[0]);
  else if (lines) document.getElementById("L" + lines[0])?.scrollIntoView({ block: "center" });
  paint();
  here(lines?.[0] ?? 1);
}

/** Marks the entry of the outline that a line belongs to. @param {number} line */
function here(line) {
  const links = all(".outline a[data-line]");
  const at = links.filter((link) => Number(link.dataset.line) <= line).at(-1);
  links.forEach((link) => link.classList.toggle("here", link === at));
  at?.scrollIntoView({ block: "nearest" });
}

window.addEventListener("hashchange", go);
document.addEventListener("cruxe:filled", paint);
virtual?.show();
go();

// A click on a number is an address; with shift, of several lines.
code?.addEventListener("click", (event) => {
  const row = /** @type {HTMLElement} */ (event.target);
  if (!row.classList.contains("l") || event.offsetX > 60) return;
  const line = Number(row.dataset.n);
  const lines = wanted();
  const hash = event.shiftKey && lines ? `#L${Math.min(lines[0], line)}-L${Math.max(lines[0], line)}` : "#L" + line;
  history.replaceState(null, "", hash);
  paint();
  here(line);
});

// Names.
const pop = /** @type {HTMLElement} */ (one("#pop"));
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {HTMLElement | null} */
let asked = null;

/** @param {HTMLElement} name @returns {string | null} */
function address(name) {
  const file = /** @type {HTMLElement | null} */ (name.closest("[data-path]"));
  const row = /** @type {HTMLElement | null} */ (name.closest(".l"));
  if (!file || !row) return null;
  const path = (file.dataset.path ?? "").split("/").map(encodeURIComponent).join("/");
  const query = new URLSearchParams({ line: row.dataset.n ?? "", col: name.dataset.c ?? "" });
  if (file.dataset.ref) query.set("ref", file.dataset.ref);
  return page(`/at/${path}?${query}`);
}

/** Says what a name means, beside it. @param {HTMLElement} name @returns {Promise<boolean>} */
async function explain(name) {
  const where = address(name);
  if (!where) return false;
  asked?.classList.remove("asked");
  asked = name;
  name.classList.add("asked");
  const html = await fetchPart(where);
  if (asked !== name || !html.trim()) return false;
  fill(pop, html);
  pop.hidden = false;
  const at = name.getBoundingClientRect();
  const left = Math.min(at.left, innerWidth - pop.offsetWidth - 12);
  const below = at.bottom + pop.offsetHeight + 12 < innerHeight || at.top < pop.offsetHeight + 12;
  pop.style.left = Math.max(8, left) + scrollX + "px";
  pop.style.top = (below ? at.bottom + 6 : at.top - pop.offsetHeight - 6) + scrollY + "px";
  return true;
}
function hide() {
  pop.hidden = true;
  asked?.classList.remove("asked");
  asked = null;
}
document.addEventListener("mouseover", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const name = target.closest?.("[data-c]");
  clearTimeout(timer);
  if (name instanceof HTMLElement) timer = setTimeout(() => explain(name), 180);
  else if (!target.closest?.("#pop")) timer = setTimeout(hide, 320);
});
document.addEventListener("click", async (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const name = target.closest?.("[data-c]");
  if (!(name instanceof HTMLElement)) return void (target.closest("#pop") || hide());
  clearTimeout(timer);
  if ((await explain(name)) && (event.ctrlKey || event.metaKey)) location.href = one("[data-definition]", pop)?.dataset.definition ?? location.href;
});
