// Starts the program of the package for this platform, as if it had been started itself.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

/** The file of a program; npm has installed the package that fits this platform, if there is one. */
function find(name) {
  const exe = process.platform === "win32" ? ".exe" : "";
  for (const libc of ["", "-musl"]) {
    try {
      return require.resolve(`@cruxe/${process.platform}-${process.arch}${libc}/bin/${name}${exe}`);
    } catch {
      // The other one, then.
    }
  }
  return undefined;
}

module.exports = function run(name) {
  const program = find(name);
  if (program === undefined) {
    console.error(`${name}: no program for ${process.platform}-${process.arch} is installed.`);
    console.error("  Install without --omit=optional, or see the other ways to install it.");
    process.exit(127);
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  // Who ends us means the program. A terminal tells it by itself; a second signal does no harm.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (problem) => {
    console.error(`${name}: ${problem.message}`);
    process.exit(127);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
};
