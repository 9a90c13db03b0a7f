/** Runs a test that was built for WebAssembly with a system interface: node --no-warnings .ci/wasi.mjs TEST [ARGUMENT...] */

import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const [, , test, ...options] = argv;
const wasi = new WASI({ version: "preview1", args: [test, ...options], env, preopens: { "/": "/" } });
const { instance } = await WebAssembly.instantiate(await readFile(test), wasi.getImportObject());
exit(wasi.start(instance));
