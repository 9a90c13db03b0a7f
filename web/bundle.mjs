/**
 * Writes the bundle of the page, `bundle/app.js` and `bundle/app.css`, from the modules and the style
 * sheets that `index.html` names. `kalah serve` and the static site contain the bundle.
 *
 *     node bundle.mjs           writes the files
 *     node bundle.mjs --check   fails if the files differ from what the sources give
 *
 * Names of variables are not shortened: a change of the sources then changes few places of the
 * bundle, which git stores as a small difference, and errors name functions.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const PAGE = fileURLToPath(new URL(".", import.meta.url));
const FOLDER = join(PAGE, "bundle");

/** The modules of the page, and the one that only a served page has. */
const MODULES = ["./app.js", "./site/offline.js"];

/**
 * Returns the content of a bundle of files.
 *
 * @param {"js" | "css"} kind
 * @param {string[]} files relative to the page
 */
async function bundle(kind, files) {
  const importFile = kind === "js" ? "import" : "@import";
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file) => `${importFile} "${file}";\n`).join(""),
      loader: kind,
      resolveDir: PAGE,
    },
    absWorkingDir: PAGE,
    bundle: true,
    charset: "utf8",
    format: "esm",
    legalComments: "eof",
    minifySyntax: true,
    minifyWhitespace: true,
    target: "es2023",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** Returns the style sheets that `index.html` names, in their order. */
async function styleSheets() {
  const index = await readFile(join(PAGE, "index.html"), "utf8");
  const links = index.matchAll(/<link rel="stylesheet" href="([^"]+)"/g);
  return [...links].map(([, file]) => `./${file}`);
}

const contents = {
  "app.js": await bundle("js", MODULES),
  "app.css": await bundle("css", await styleSheets()),
};
await mkdir(FOLDER, { recursive: true });
for (const [name, content] of Object.entries(contents)) {
  const file = join(FOLDER, name);
  if (!process.argv.includes("--check")) {
    await writeFile(file, content);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== content) {
    console.error(`web/bundle/${name} differs from the sources: npm run bundle, in web`);
    process.exitCode = 1;
  }
}
