// Drives every page in Chromium: see check-web.sh.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, executablePath, cruxe, work, shots, extra] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
mkdirSync(shots, { recursive: true });

let failed = 0;
/** @param {string} what @param {unknown} ok @param {unknown} [more] */
function check(what, ok, more = "") {
  if (!ok) failed += 1;
  console.log(`${ok ? "ok    " : "FAILED"} ${what}${ok ? "" : " " + String(more)}`);
}

// A repository with something in it: two branches, a deck, a file of 50,000 lines, and names that want to be markup.
const repo = join(work, "shop");
const EVIL = '<script>window.hacked=1</script>';
function write(path, text) {
  const full = join(repo, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, text);
}
const git = (...args) => execFileSync("git", ["-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "pipe" });
const cue = (...args) => JSON.parse(execFileSync(cruxe, ["--run-as=cue", "--workspace", repo, "--json", ...args], { stdio: "pipe" }).toString() || "{}");
mkdirSync(repo, { recursive: true });
write("shop/__init__.py", "");
write("shop/cart.py", `"""The cart."""\n\n\ndef add_tax(price, rate=0.2):\n    """Adds the tax to a price."""\n    return price * (1 + rate)\n\n\nclass Cart:\n    """What somebody wants to buy."""\n\n    def __init__(self):\n        self.prices = []\n\n    def total(self):\n        return add_tax(sum(self.prices))\n\n\nclass GiftCart(Cart):\n    def total(self):\n        return add_tax(1)\n`);
write("shop/bill.py", `from shop.cart import Cart, add_tax\n\n\ndef bill(cart: Cart):\n    """Prints what has to be paid."""\n    return f"{add_tax(1)} {cart.total()}"\n\n\ndef retry_payment(times):\n    for _ in range(times):\n        bill(Cart())\n`);
write("tests/test_cart.py", "from shop.cart import add_tax\n\n\ndef test_tax():\n    assert add_tax(1) == 1.2\n");
write("web/page.ts", `export class Page {\n  title = "${EVIL}";\n  show() { return this.title; }\n}\n`);
write(`evil/${EVIL.replaceAll("/", "_")}.py`, `def evil():\n    return "${EVIL}"\n`);
write("docs/guide.md", `# Guide ${EVIL}\n\nUse \`add_tax\`. [cart](../shop/cart.py) [bad](javascript:alert(1))\n\n${EVIL}\n\n<img src=x onerror="window.hacked=2">\n`);
write("long/many.py", Array.from({ length: 50_000 }, (_, at) => (at % 10 === 0 ? `def f${at}():` : `    x${at} = ${at}  # line ${at + 1}`)).join("\n") + "\n");
git("init", "-q", "-b", "main");
git("add", "-A");
git("commit", "-qm", "one");
git("checkout", "-q", "-b", "feat/<b>rate");
write("shop/cart.py", readFileSync(join(repo, "shop/cart.py"), "utf8").replace("rate=0.2", "rate=0.19"));
git("commit", "-qam", "rate");
git("checkout", "-q", "main");
git("checkout", "-q", "-b", "feat/round");
write("shop/cart.py", readFileSync(join(repo, "shop/cart.py"), "utf8").replace("price * (1 + rate)", "round(price * (1 + rate), 2)"));
git("commit", "-qam", "round");
git("checkout", "-q", "main");
execFileSync(cruxe, ["--workspace", repo, "index"], { stdio: "pipe" });
for (const name of ["feat/<b>rate", "feat/round"]) execFileSync(cruxe, ["--workspace", repo, "index", "--ref", name], { stdio: "pipe" });
cue("init");
const card = (/** @type {string[]} */ ...args) => cue("card", "new", ...args).id;
const first = card("Fix the rounding of taxes", "--tag", "tax", "--priority", "high", "--assignee", "@mia");
const second = card("Print the bill in colour", "--depends-on", first);
card(`Card ${EVIL}`, "--tag", EVIL);
card("Write the guide", "--tag", "docs");

/** Starts the pages of a repository and gives their address. */
async function serve(folder) {
  const server = spawn(cruxe, ["--workspace", folder, "web", "--port", "0", "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
  const base = await new Promise((resolve, reject) => {
    let said = "";
    const hear = (/** @type {Buffer} */ text) => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (found) resolve(found[0]);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error("the server ended: " + said)));
  });
  return { base, server };
}

const { base, server } = await serve(repo);
const browser = await chromium.launch({ executablePath, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
const problems = [];
function listen(page) {
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !/40[0-9]|409/.test(message.text()) && problems.push(`${page.url()}: ${message.text()}`));
}
const page = await context.newPage();
listen(page);
/** @param {string} name @param {import("playwright-core").Page} [of] */
const shot = (name, of = page) => of.screenshot({ path: join(shots, name + ".png") });
async function faults(name, of = page) {
  await of.evaluate(axe);
  const found = await of.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "best-practice"] }));
  const bad = found.violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  check(`${name}: axe finds no serious fault`, bad.length === 0, bad.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 120)).join(" | ")}`).join("\n    "));
}
const until = async (what, test, patience = 4000) => {
  const start = Date.now();
  while (Date.now() - start < patience) {
    if (await test().catch(() => false)) return check(what, true);
    await new Promise((next) => setTimeout(next, 25));
  }
  check(what, false, "it did not come about");
};

try {
  // The first page: what goes over the wire.
  let bytes = 0;
  page.on("response", async (answer) => (bytes += (await answer.body().catch(() => Buffer.alloc(0))).length));
  await page.goto(base + "/");
  await page.waitForLoadState("load");
  check(`the first page has at most 120 kB over the wire (${bytes} bytes)`, bytes < 120_000);
  page.removeAllListeners("response");
  await shot("home");
  await faults("home");

  // Search as you type, by keyboard alone.
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("add_tax");
  await until("results come as one types", async () => (await page.textContent(".result .name")) === "shop.cart.add_tax");
  check("the address is that of the search", page.url().includes("/search?q=add_tax"), page.url());
  check("matching words are set off", (await page.locator(".result mark").count()) > 0);
  await page.locator(".result .why summary").first().click();
  check("why it ranks there is shown", (await page.textContent(".result .why .reasons")).includes("score"));
  const took = await page.evaluate(() => {
    const last = (name) => performance.getEntriesByName(name).at(-1)?.startTime ?? 0;
    return last("cruxe:results") - last("cruxe:key");
  });
  console.log(`       from the last key to its results: ${took.toFixed(0)} ms`);
  await shot("search");
  await faults("search");
  await page.locator(".facet", { hasText: "without" }).click();
  await until("a facet is a search of its own", async () => page.url().includes("tests=exclude"));
  await until("tests are left out", async () => !(await page.textContent("#results")).includes("test_cart.py"));
  await page.goBack();
  await until("back is the search before", async () => !page.url().includes("tests=") && (await page.textContent("#results")).includes("test_cart.py"));
  await page.locator("#q").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/symbol\//);
  check("Enter opens the result", page.url().includes("/symbol/"));

  // A symbol: callers, source, callees.
  await until("callers stand beside the source", async () => (await page.textContent('section[aria-label="Callers"]')).includes("Cart.total"));
  await until("uses are grouped by file", async () => (await page.textContent("#uses")).includes("shop/bill.py"));
  await until("documents that mention it are listed", async () => (await page.textContent("#mentions")).includes("docs/guide.md"));
  await until("other refs are compared", async () => (await page.textContent("#history")).includes("feat/round"));
  await page.locator('section[aria-label="Callers"] .twist').first().click();
  await until("a caller opens in its place", async () => (await page.locator('section[aria-label="Callers"] .opened .edges, section[aria-label="Callers"] .opened p').count()) > 0);
  await shot("symbol");
  await faults("symbol");
  await page.goBack();
  await until("back leads to the search", async () => page.url().includes("/search?q=add_tax") && (await page.locator(".result").count()) > 0);
  await page.goto(base + "/symbol/Cart");
  await until("sub-types are listed", async () => (await page.textContent("#relations")).includes("GiftCart"));

  // A file: colours, outline, hover, lines of the address.
  await page.goto(base + "/file/shop/bill.py#L4-L6");
  check("the lines of the address are set off", (await page.locator(".l.hit").count()) === 3);
  check("source is coloured", (await page.locator(".code .k").count()) > 0);
  check("the outline stands beside it", (await page.textContent(".outline")).includes("retry_payment"));
  await page.locator("#L6 [data-c]", { hasText: "add_tax" }).hover();
  await until("a name under the pointer is explained", async () => (await page.textContent("#pop")).includes("shop/cart.py:4"));
  await shot("file");
  await faults("file");
  await page.goto(base + "/file/shop/cart.py?with=feat%2Fround");
  check("two refs stand side by side", (await page.textContent(".pair.changed")).includes("round("));
  await shot("beside");
  await faults("two refs");

  // Fifty thousand lines.
  await page.goto(base + "/file/long/many.py#L40001");
  await until("a line far below is shown", async () => await page.locator("#L40001").isVisible());
  const rows = await page.locator(".virtual .l").count();
  check(`only what is near is there (${rows} rows)`, rows < 3_000);
  const frames = await page.evaluate(async () => {
    const box = document.querySelector(".virtual");
    const times = [];
    let before = performance.now();
    for (let at = 0; at < 60; at++) {
      box.scrollTop += 900;
      await new Promise((next) => requestAnimationFrame(next));
      times.push(performance.now() - before);
      before = performance.now();
    }
    return times.sort((a, b) => a - b);
  });
  console.log(`       frames while scrolling: median ${frames[30].toFixed(0)} ms, slowest ${frames.at(-1).toFixed(0)} ms`);
  check("scrolling is smooth", frames[30] < 50, frames[30]);
  await faults("a long file");

  // Live: an edit on disk shows by itself.
  await page.goto(base + "/file/shop/bill.py");
  await page.waitForSelector("#live.on");
  const edited = Date.now();
  appendFileSync(join(repo, "shop/bill.py"), "\n\ndef later():\n    return 1\n");
  await until("an edit on disk shows without a reload", async () => (await page.textContent("#code")).includes("later"));
  console.log(`       after ${Date.now() - edited} ms`);

  // Branches.
  await page.goto(base + "/branches?base=feat%2F%3Cb%3Erate&head=feat%2Fround");
  await until("what two branches both touch is said", async () => (await page.textContent("#both")).includes("add_tax"));
  await page.locator(".altered .twist").first().click();
  await until("the difference of a symbol opens", async () => (await page.textContent(".altered .diff")).includes("round("));
  await shot("branches");
  await faults("branches");

  // Graphs.
  await page.goto(base + "/graph?symbol=add_tax");
  const boxes = await page.locator(".graph .node").count();
  check(`the neighbourhood of a symbol is drawn (${boxes} boxes)`, boxes >= 4);
  await shot("graph");
  await faults("graph");
  await page.locator(".graph .more").first().click();
  await page.waitForURL(/open=/);
  check("a box opens one step more, and the address says so", (await page.locator(".graph .node").count()) >= boxes);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("text=Save as SVG").click()]);
  check("the picture can be saved", readFileSync(await saved.path(), "utf8").includes("<svg"));
  await page.goto(base + "/graph");
  check("folders are a map", (await page.textContent(".areas")).includes("shop"));
  await faults("map");
  await page.goto(base + "/graph?tasks=1");
  check("tasks are a graph", (await page.locator(".graph .node").count()) === 4);

  // The board: two browsers at once, and a card that is edited on disk meanwhile.
  await page.goto(base + "/board");
  const other = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  listen(other);
  await other.goto(base + "/board");
  await Promise.all([page.waitForSelector("#live.on"), other.waitForSelector("#live.on")]);
  const tile = (of, id) => of.locator(`.tile[data-id="${id}"]`);
  const column = (of, status) => of.locator(`.column[data-status="${status}"]`);
  check("what waits and what is ready is said", (await tile(page, second).textContent()).includes("waits for 1") && (await tile(page, first).textContent()).includes("ready"));
  await shot("board");
  await faults("board");
  await tile(page, first).dragTo(column(page, "active"));
  await until("a card is moved by drag and drop", async () => (await column(page, "active").locator(`[data-id="${first}"]`).count()) === 1);
  await until("the other browser shows it", async () => (await column(other, "active").locator(`[data-id="${first}"]`).count()) === 1, 1500);
  check("the file says so", readFileSync(join(repo, `.cuedeck/cards/${first}.md`), "utf8").includes("status: active"));
  await tile(other, first).locator("a").focus();
  await other.keyboard.press("]");
  await until("a card is moved by keyboard", async () => (await column(page, "done").locator(`[data-id="${first}"]`).count()) === 1);
  // Both edit one card: the second writer is told, and nothing of the first is lost.
  await page.goto(base + "/board?card=" + second);
  await other.goto(base + "/board?card=" + second);
  await page.fill('[name="assignee"]', "jon");
  await other.fill('[name="notes"]', "typed here");
  await page.click("text=Save");
  await until("the change is written", async () => readFileSync(join(repo, `.cuedeck/cards/${second}.md`), "utf8").includes("jon"));
  await until("who types is told that the card was changed", async () => (await other.locator("#card-said").isVisible()));
  await other.click("text=Save");
  await until("what was changed meanwhile is not written over", async () => (await other.textContent("#card-said")).includes("Nothing was written"));
  check("what was typed is still there", (await other.inputValue('[name="notes"]')) === "typed here");
  check("the file has the first change and not the second", !readFileSync(join(repo, `.cuedeck/cards/${second}.md`), "utf8").includes("typed here"));
  await shot("card", other);
  await faults("card", other);
  appendFileSync(join(repo, `.cuedeck/cards/${second}.md`), "\nWritten on disk.\n");
  await until("a card that is edited on disk shows by itself", async () => (await page.textContent(".panel .prose")).includes("Written on disk"), 1500);
  await other.close();

  // Documents, scene, status.
  await page.goto(base + "/doc/docs/guide.md");
  check("a document is readable and linked", (await page.locator('.prose a[href="/file/shop/cart.py"]').count()) === 1);
  check("a link that would run is none", (await page.locator('.prose a[href^="javascript"]').count()) === 0);
  await faults("document");
  await page.goto(base + "/scene");
  check("the scene is shown with its tokens", /Tokens/.test(await page.textContent("#scene")));
  await page.goto(base + "/status");
  await until("the state of the index is shown", async () => (await page.textContent("#status")).includes("fresh"));
  await shot("status");
  await faults("status");

  // A hostile repository: nothing of it is markup, on any page.
  const hostile = ["/search?q=evil", "/search?q=%3Cscript%3E", "/file/", "/file/evil/", `/file/evil/${encodeURIComponent(EVIL.replaceAll("/", "_"))}.py`, "/symbol/evil", "/branches", "/board", "/graph", "/graph?symbol=evil", "/graph?tasks=1", "/doc/docs/guide.md", `/nothing${encodeURIComponent(EVIL)}`, `/symbol/${encodeURIComponent(EVIL)}`, `/search?q=${encodeURIComponent(EVIL)}&ref=${encodeURIComponent(EVIL)}`, "/search?ref=feat%2F%3Cb%3Erate"];
  for (const address of hostile) {
    await page.goto(base + address);
    await page.waitForTimeout(120);
    const bad = await page.evaluate(() => window.hacked || [...document.scripts].some((one) => !one.src) || document.querySelector("main b, main img, [onerror]"));
    check(`nothing hostile runs on ${address.slice(0, 60)}`, !bad);
  }

  // Narrow, and dark.
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme: "dark" })).newPage();
  listen(phone);
  for (const [name, address] of [["search", "/search?q=add_tax"], ["symbol", "/symbol/add_tax"], ["file", "/file/shop/cart.py"], ["board", "/board"], ["branches", "/branches"], ["status", "/status"], ["graph", "/graph?symbol=add_tax"]]) {
    await phone.goto(base + address);
    await phone.waitForTimeout(200);
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
    check(`${name} fits into 360 pixels`, wide <= 360, wide);
    await shot("narrow-" + name, phone);
    await faults(`${name}, dark and narrow`, phone);
  }
  const large = await (await browser.newContext({ viewport: { width: 3840, height: 2160 } })).newPage();
  await large.goto(base + "/symbol/add_tax");
  await large.waitForTimeout(300);
  await shot("large", large);
  check("no script failed", problems.length === 0, problems.join("\n    "));
} catch (error) {
  check("the run came to its end", false, error.stack);
} finally {
  server.kill("SIGTERM");
}

if (extra) await measure(extra);

/** Time and size on a repository of one's own. */
async function measure(folder) {
  const { base, server } = await serve(folder);
  const page = await context.newPage();
  try {
    await page.goto(base + "/search");
    const times = [];
    for (const query of (process.env.QUERIES ?? "get_or_create|where are migrations applied|QuerySet.filter").split("|")) {
      await page.fill("#q", "");
      for (const letter of query) {
        await page.keyboard.type(letter, { delay: 60 });
      }
      await page.waitForTimeout(600);
      const took = await page.evaluate(() => {
        const all = (name) => performance.getEntriesByName(name).map((entry) => entry.startTime);
        const results = all("cruxe:results");
        return all("cruxe:key").map((key) => (results.find((at) => at > key) ?? NaN) - key).filter((time) => !Number.isNaN(time));
      });
      times.push(...took);
      await page.evaluate(() => performance.clearMarks());
    }
    times.sort((a, b) => a - b);
    const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(0);
    console.log(`from a key to its results on ${folder}: median ${at(0.5)} ms, nine in ten ${at(0.9)} ms, slowest ${at(1)} ms of ${times.length}`);
    for (const address of ["/", "/search?q=get_or_create", "/symbol/QuerySet.get_or_create", "/graph", "/branches", "/status", ...(process.env.PAGES ?? "").split("|").filter(Boolean)]) {
      let bytes = 0;
      const count = async (answer) => (bytes += (await answer.body().catch(() => Buffer.alloc(0))).length);
      page.on("response", count);
      const start = Date.now();
      await page.goto(base + address, { waitUntil: "load" });
      const took = Date.now() - start;
      await page.waitForTimeout(400);
      page.off("response", count);
      console.log(`  ${address}: ${took} ms to the whole page, ${bytes} bytes`);
    }
    const memory = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
    console.log(`  memory of scripts in the page: ${(memory / 1e6).toFixed(1)} MB`);
  } finally {
    server.kill("SIGTERM");
  }
}

await browser.close();
console.log(failed ? `${failed} checks failed` : "every check holds");
console.log(`screenshots: ${readdirSync(shots).length} in ${shots}`);
process.exit(failed ? 1 : 0);
