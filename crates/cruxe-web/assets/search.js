// Search as you type.
// @ts-check
import { fetchPart, fill, one, openEntry, page } from "./app.js";

const field = /** @type {HTMLInputElement} */ (one("#q"));
/** There is none where the search failed as a whole. */
const place = one("#results") ?? document.createElement("div");
/** @type {AbortController | null} */
let asked = null;
let shown = field.value;
/** The address of the search that is shown. */
const address = () => {
  const url = new URL(location.href);
  url.pathname = page("/search");
  if (field.value.trim()) url.searchParams.set("q", field.value);
  else url.searchParams.delete("q");
  url.searchParams.delete("more");
  return url;
};

/** Asks, and shows the answer unless another question came meanwhile. @param {URL} url */
async function ask(url) {
  asked?.abort();
  const mine = (asked = new AbortController());
  const late = setTimeout(() => place.classList.add("stale"), 150);
  try {
    const html = await fetchPart(url.pathname + url.search, mine.signal);
    if (asked !== mine) return;
    fill(place, html);
    place.classList.remove("stale");
    performance.mark("cruxe:results");
  } catch (problem) {
    if (!(problem instanceof DOMException && problem.name === "AbortError")) throw problem;
  } finally {
    clearTimeout(late);
  }
}

field.addEventListener("input", () => {
  const url = address();
  performance.mark("cruxe:key");
  history.replaceState(null, "", url);
  shown = field.value;
  document.title = (field.value.trim() ? field.value + " · " : "") + "Search";
  ask(url);
});

one("form.find")?.addEventListener("submit", (event) => {
  event.preventDefault();
  if (field.value === shown && place.querySelector("a.open")) openEntry();
});

// A filter is a search of its own: back leads to the one before.
place.addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("a.facet, .more a, .examples a");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const url = new URL(link.href);
  history.pushState(null, "", url);
  field.value = shown = url.searchParams.get("q") ?? "";
  ask(url);
});
window.addEventListener("popstate", () => {
  const url = new URL(location.href);
  field.value = shown = url.searchParams.get("q") ?? "";
  ask(url);
});
if (!field.value && !matchMedia("(max-width: 820px)").matches) field.focus();
