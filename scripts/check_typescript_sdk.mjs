// Lists and calls tools of the built server through the official TypeScript client, over stdio and HTTP.
//
//   node check_typescript_sdk.mjs FOLDER_WITH_NODE_MODULES CRUXE REPOSITORY URL
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [tools, cruxe, repo, url] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${tools}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

function demand(what, good, detail) {
  if (good) return;
  console.log(`FAILED ${what}: ${JSON.stringify(detail)?.slice(0, 500)}`);
  process.exitCode = 1;
}

async function check(name, transport) {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  demand(`${name}: 15 tools or more`, tools.length >= 15, tools.map((tool) => tool.name));
  // The client compares structured content with the tool's schema by itself.
  const found = await client.callTool({ name: "locate_symbol", arguments: { name: "Claims" } });
  demand(`${name}: locate_symbol`, found.structuredContent?.results?.[0]?.path === "src/lib.rs", found);
  const wrong = await client.callTool({ name: "locate_symbol", arguments: { name: "x", ref: "nonesuch" } });
  demand(`${name}: an error`, wrong.isError && wrong.structuredContent?.error?.code === "ref_not_indexed", wrong);
  const notes = [];
  const options = { onprogress: (note) => notes.push(note.progress) };
  const indexed = await client.callTool({ name: "index_repo", arguments: { force: true } }, undefined, options);
  const busy = indexed.structuredContent?.error?.code === "index_in_progress";
  demand(`${name}: progress`, busy || (indexed.structuredContent?.status === "published" && notes.at(-1) === 1), [indexed, notes]);
  await client.close();
  console.log(`${name}: done`);
}

await check("stdio", new StdioClientTransport({ command: cruxe, args: ["serve-mcp", "--workspace", repo], env: process.env }));
await check("http", new StreamableHTTPClientTransport(new URL(url)));
