import js from "@eslint/js";
import globals from "globals";

/** A longer function has parts that deserve names. */
const MAX_FUNCTION_LINES = 60;

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
  // Functions that these tests pass to the browser run there.
  {
    files: ["test/browser/**/*.mjs", "test/firefox/*.mjs", "test/site/*.mjs"],
    languageOptions: { globals: { ...globals.browser } },
  },
];
