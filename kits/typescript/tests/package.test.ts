/** The package, as npm has installed it. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const installed = new URL("../node_modules/hapax/", import.meta.url);

test("given the package, then it has the license, the README and the compiled sources, and nothing else", () => {
  const license = readFileSync(new URL("LICENSE", installed), "utf8");
  assert.equal(license, readFileSync(new URL("../../../../../LICENSE", import.meta.url), "utf8"));
  assert.deepEqual(readdirSync(installed).sort(), ["LICENSE", "README.md", "dist", "package.json"]);
});
