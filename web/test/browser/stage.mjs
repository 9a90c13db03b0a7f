/**
 * The server and the browser of the browser tests.
 *
 * `KALAH` is the path of the program and `CHROMIUM` the browser. `PAGE` may be a folder from which
 * the servers read the page. `run.mjs` starts one server and one browser for all files and passes
 * their addresses in the variables `SERVER_URL` and `BROWSER_URL`. A file that runs without them
 * starts its own.
 *
 * @import { Browser, LaunchOptions } from "playwright"
 * @import { ChildProcess } from "node:child_process"
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";

import { chromium } from "playwright";

/** The variables with the addresses of the shared server and the shared browser. */
export const SERVER_URL = "KALAH_TEST_SERVER_URL";
export const BROWSER_URL = "KALAH_TEST_BROWSER_URL";

/** The requests a second of one address. All tests load the whole page from one address. */
const REQUEST_RATE = 100_000;

/**
 * Returns the value of an environment variable.
 *
 * @param {string} name
 * @returns {string}
 */
function variable(name) {
  const value = process.env[name];
  if (!value) {
    throw new Error(`the variable ${name} is not set`);
  }
  return value;
}

/**
 * A `kalah serve` process with a data folder. It can be killed and started again at the same
 * address.
 */
export class Server {
  /** @type {ChildProcess | null} */
  #child = null;
  #port = 0;
  #data = "";

  /** @param {readonly string[]} [options] more options of the command */
  constructor(options = []) {
    this.options = options;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async start() {
    this.#data ||= await mkdtemp(join(tmpdir(), "kalah-page-"));
    const page = process.env["PAGE"];
    const child = spawn(
      variable("KALAH"),
      [
        "serve",
        ...["--addr", `127.0.0.1:${this.#port}`],
        ...["--data", this.#data],
        ...["--tables", "none"],
        "--share",
        ...["--rate", String(REQUEST_RATE)],
        ...(page ? ["--page", page] : []),
        ...this.options,
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) {
        this.#port = Number(port);
        return;
      }
    }
    throw new Error(`kalah serve ended without an address: ${child.exitCode}`);
  }

  /** @param {NodeJS.Signals} signal */
  async end(signal) {
    const child = this.#child;
    this.#child = null;
    if (child && child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    }
  }

  /** Ends the server and removes its data. */
  async remove() {
    await this.end("SIGTERM");
    await rm(this.#data, { recursive: true, force: true });
  }
}

/**
 * Returns the path of a program.
 *
 * @param {string} command
 * @returns {string}
 */
export function executable(command) {
  const folders = command.includes("/") ? ["."] : (process.env["PATH"] ?? "").split(delimiter);
  const path = folders.map((path) => resolve(path, command)).find((path) => existsSync(path));
  if (!path) {
    throw new Error(`there is no program ${command}`);
  }
  return path;
}

/**
 * Returns the options with which a browser starts.
 *
 * @returns {LaunchOptions}
 */
function launchOptions() {
  // The tests may run as root, where Chromium has no sandbox.
  return {
    executablePath: executable(variable("CHROMIUM")),
    // The tests expect English texts, in every environment.
    args: ["--no-sandbox", "--accept-lang=en-US"],
  };
}

/** Starts a browser to which other processes can connect. */
export function launchBrowserServer() {
  return chromium.launchServer(launchOptions());
}

/** Connects to the shared browser, or starts one. */
function openBrowser() {
  const address = process.env[BROWSER_URL];
  return address ? chromium.connect(address) : chromium.launch(launchOptions());
}

/**
 * Provides a browser for all tests of a file.
 *
 * @returns {{ browser: Browser }} filled before the first test
 */
export function setUpBrowser() {
  const stage = /** @type {{ browser: Browser }} */ ({});
  before(async () => {
    stage.browser = await openBrowser();
  });
  // The end of a connection to the shared browser closes only the contexts of this file.
  after(() => stage.browser.close());
  return stage;
}

/**
 * Provides a browser and a server of its own for all tests of a file.
 *
 * @param {readonly string[]} [options] more options of `kalah serve`
 * @returns {{ server: Server, browser: Browser }} filled before the first test
 */
export function setUpWithOwnServer(options) {
  const server = new Server(options);
  before(() => server.start());
  after(() => server.remove());
  return Object.assign(setUpBrowser(), { server });
}

/**
 * Provides a browser and a server for all tests of a file. Tests of other files use the same server
 * at the same time.
 *
 * @returns {{ server: { readonly url: string }, browser: Browser }} filled before the first test
 */
export function setUp() {
  const url = process.env[SERVER_URL];
  return url ? Object.assign(setUpBrowser(), { server: { url } }) : setUpWithOwnServer();
}
