/**
 * Runs browser tests with one server and one browser for all files:
 *
 *     node test/browser/run.mjs [FILE...]
 *
 * Without arguments it runs all files in the folders of this one and, if `SITE` is set, those of
 * `test/site`.
 * The tests of a file run one after another, and several files run at the same time. Files with a test
 * that fails run once more, one after another. The tests fail if a test of them fails again: one that
 * passes depends on the load of the machine, and the output names it.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

import { BROWSER_URL, launchBrowserServer, Server, SERVER_URL } from "./stage.mjs";

/**
 * The files that run at the same time: more than a small machine has cores, because tests also wait
 * for delays of the page.
 */
const CONCURRENCY = 3;

/**
 * The searches that the server runs at the same time, of which one address gets half. All tests have
 * one address, and the search of one file must not wait for those of the others.
 */
const SEARCH_THREADS = 16;

/**
 * Returns the test files in a folder and in its folders.
 *
 * @param {string} folder relative to this file
 */
async function testFiles(folder) {
  const path = fileURLToPath(new URL(folder, import.meta.url));
  const names = await readdir(path, { recursive: true });
  return names.filter((name) => name.endsWith(".test.mjs")).map((name) => join(path, name));
}

/** Returns all test files. */
async function allFiles() {
  const folders = process.env["SITE"] ? ["../site", "."] : ["."];
  return (await Promise.all(folders.map(testFiles))).flat();
}

/**
 * Runs files, prints their results, and returns those in which a test fails.
 *
 * @param {string[]} files
 * @param {number} concurrency the files that run at the same time
 */
async function runFiles(files, concurrency) {
  /** @type {Set<string>} */
  const failed = new Set();
  const events = run({ files, concurrency });
  events.on("test:fail", ({ file, name }) => failed.add(file ?? name));
  const report = events.compose(new spec());
  report.pipe(process.stdout, { end: false });
  await finished(report);
  return [...failed];
}

/** Runs files, and those in which a test fails once more. @param {string[]} files */
async function runTests(files) {
  const failed = await runFiles(files, CONCURRENCY);
  if (failed.length === 0) {
    return;
  }
  console.log(`Once more, one after another:\n${failed.join("\n")}`);
  if ((await runFiles(failed, 1)).length > 0) {
    process.exitCode = 1;
  }
}

const names = process.argv.slice(2);
const server = new Server(["--threads", String(SEARCH_THREADS)]);
try {
  await server.start();
  const browser = await launchBrowserServer();
  try {
    process.env[SERVER_URL] = server.url;
    process.env[BROWSER_URL] = browser.wsEndpoint();
    await runTests(names.length > 0 ? names : await allFiles());
  } finally {
    await browser.close();
  }
} finally {
  await server.remove();
}
