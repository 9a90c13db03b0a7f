import js from "@eslint/js";
import globals from "globals";

/** A longer function has parts that deserve names. */
const MAX_FUNCTION_LINES = 60;

const BROWSER_TESTS = ["test/browser/**/*.mjs", "test/site/*.mjs"];

/** The methods of playwright that return what a page shows at this moment. */
const READS =
  "/^(allInnerTexts|allTextContents|count|getAttribute|innerText|inputValue|is(Checked|Disabled|Editable|Enabled|Hidden|Visible)|textContent|title|url)$/";

/** An assertion about what a page shows at this moment. It fails on a slow machine. */
const ASSERTION_THAT_DOES_NOT_WAIT = {
  selector: `CallExpression[callee.object.name="assert"] CallExpression[callee.property.name=${READS}]`,
  message: "Wait for it with expect of harness.mjs.",
};

export default [
  { ignores: ["bundle/", "node_modules/", "site/", "vendor/", "wasm/"] },
  js.configs.recommended,
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: { ...globals.browser } },
    rules: {
      curly: "error",
      eqeqeq: "error",
      "max-lines-per-function": ["error", { max: MAX_FUNCTION_LINES, skipBlankLines: true }],
      "no-eval": "error",
      "no-implicit-coercion": "error",
      "no-param-reassign": "error",
      "no-shadow": "error",
      "no-unused-vars": ["error", { caughtErrors: "all" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: "module",
      globals: { ...globals.nodeBuiltin },
    },
    rules: { "prefer-const": "error", "no-var": "error", eqeqeq: "error" },
  },
  {
    files: BROWSER_TESTS,
    rules: { "no-restricted-syntax": ["error", ASSERTION_THAT_DOES_NOT_WAIT] },
  },
  // Functions that these tests pass to the browser run there.
  {
    files: [...BROWSER_TESTS, "test/firefox/*.mjs"],
    languageOptions: { globals: { ...globals.browser } },
  },
];
