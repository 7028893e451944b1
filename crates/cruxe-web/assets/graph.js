// Pictures: filter, size, what belongs to a box.
// @ts-check
import { one } from "./app.js";

/** @param {string} selector @returns {Element[]} */
const parts = (selector) => [...document.querySelectorAll(selector)];
let scale = 1;

/** Shows only boxes that have a text, and what ties them. */
function filter() {
  const field = /** @type {HTMLInputElement | null} */ (one("#pick"));
  const wanted = field?.value.trim().toLowerCase() ?? "";
  /** @type {Set<string | null>} */
  const shown = new Set();
  for (const node of parts(".graph .node")) {
    const fits = !wanted || (node.getAttribute("data-name") ?? "").includes(wanted) || node.textContent?.toLowerCase().includes(wanted);
    node.classList.toggle("out", !fits);
    if (fits) shown.add(node.getAttribute("data-node"));
  }
  for (const tie of parts(".graph .tie")) {
    tie.classList.toggle("out", !(shown.has(tie.getAttribute("data-from")) && shown.has(tie.getAttribute("data-to"))));
  }
}

/** Makes the picture larger or smaller. @param {number} by */
function zoom(by) {
  const picture = document.querySelector(".graph");
  if (!(picture instanceof SVGSVGElement)) return;
  scale = Math.max(0.25, Math.min(2.5, scale * by));
  const box = picture.viewBox.baseVal;
  picture.setAttribute("width", String(box.width * scale));
  picture.setAttribute("height", String(box.height * scale));
}

/** Lets what is tied to a box stand out. @param {Event} event */
function point(event) {
  const node = /** @type {Element} */ (event.target).closest?.(".node");
  const at = node?.getAttribute("data-node");
  document.querySelector(".graph")?.classList.toggle("pointed", Boolean(node));
  for (const tie of parts(".graph .tie")) tie.classList.toggle("on", at != null && (tie.getAttribute("data-from") === at || tie.getAttribute("data-to") === at));
}

document.addEventListener("input", (event) => /** @type {HTMLElement} */ (event.target).id === "pick" && filter());
document.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("[data-zoom]");
  if (button instanceof HTMLElement) zoom(button.dataset.zoom === "in" ? 1.25 : 0.8);
});
document.addEventListener("mouseover", point);
document.addEventListener("focusin", point);
// What is asked about is in the middle, wherever the picture is longer than the window.
const centre = document.querySelector(".graph .centre");
const frame = one(".picture");
if (centre && frame) {
  const at = centre.getBoundingClientRect();
  const around = frame.getBoundingClientRect();
  frame.scrollTop += at.top - around.top - around.height / 2;
  frame.scrollLeft += at.left - around.left - around.width / 2;
}
