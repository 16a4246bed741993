/** The package, as npm has installed it. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as errors from "hapax/errors";
import { OperationService } from "hapax/v1/operation_service";
import { acquired, fakeHapax } from "./fake.js";

const modules = fileURLToPath(new URL("../node_modules/", import.meta.url));
const installed = join(modules, "hapax");
const require = createRequire(import.meta.url);
const common: typeof errors = require("hapax/errors");

test("given the package, then it has the license, the README and the compiled sources, and nothing else", () => {
  const license = readFileSync(join(installed, "LICENSE"), "utf8");
  assert.equal(license, readFileSync(new URL("../../../../../LICENSE", import.meta.url), "utf8"));
  assert.deepEqual(readdirSync(installed).sort(), ["LICENSE", "README.md", "dist", "package.json"]);
});

test("given each entry of the package, then require has the same exports as import", async () => {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { exports: Record<string, object> };
  const names = Object.keys(exports).filter((name) => !/json|\*/.test(name));
  assert.ok(names.length > 5);
  for (const name of [...names, "./v1/run_service"]) {
    const entry = `hapax${name.slice(1)}`;
    const imported = Object.keys(await import(entry));
    assert.deepEqual(Object.keys(require(entry)).sort(), imported.sort(), entry);
  }
});

test("given errors of another copy of the package, then instanceof holds for their classes and no other", () => {
  const classes = Object.values(errors).filter((each) => typeof each === "function");
  assert.ok(classes.length > 25);
  for (const Kind of classes) {
    const Other = common[Kind.name as keyof typeof common] as typeof Kind;
    assert.notEqual(Kind, Other);
    const instance: unknown = Object.create(Kind.prototype);
    assert.ok(instance instanceof Other, Kind.name);
    const matches = (all: typeof errors): string[] =>
      Object.keys(all).filter((name) => instance instanceof (all[name as keyof typeof all] as typeof Kind));
    assert.deepEqual(matches(common).sort(), matches(errors).sort());
  }
  class CardDeclined extends errors.FinalFailure {}
  const declined = new CardDeclined("CARD_DECLINED");
  assert.ok(declined instanceof common.FinalFailure && declined instanceof common.WorkFailure);
  assert.ok(!(new common.FinalFailure("OTHER") instanceof CardDeclined));
  for (const value of [null, undefined, "text", {}, new Error("other")]) assert.ok(!(value instanceof common.HapaxError));
});

test("given work that throws the failure of another copy of the package, then the failure is recorded as final", async (it) => {
  const kinds: number[] = [];
  const client = await fakeHapax(it, ({ service }) =>
    service(OperationService, {
      beginOperation: () => acquired(),
      failOperation: ({ kind }) => (kinds.push(kind), { outcome: { case: "failed", value: {} } }),
    }),
  );
  const declined = client.once("charge", "r-1", () => {
    throw new common.FinalFailure("CARD_DECLINED");
  });
  await assert.rejects(declined, { kind: "FinalFailure" });
  const { FailureKind } = await import("hapax/v1/common");
  assert.deepEqual(kinds, [FailureKind.FINAL]);
});

/** Runs a program in a project with the package, and with this `@opentelemetry/api` unless it is undefined. */
function output(program: string, api: string | undefined): { readonly stdout: string; readonly stderr: string } {
  const project = mkdtempSync(join(tmpdir(), "hapax-"));
  mkdirSync(join(project, "node_modules/@opentelemetry/api"), { recursive: true });
  cpSync(installed, join(project, "node_modules/hapax"), { recursive: true });
  for (const scope of ["@connectrpc", "@bufbuild"]) symlinkSync(join(modules, scope), join(project, "node_modules", scope));
  if (api !== undefined) writeFileSync(join(project, "node_modules/@opentelemetry/api/index.js"), api);
  writeFileSync(join(project, "program.cjs"), program);
  return spawnSync(process.execPath, ["program.cjs"], { cwd: project, encoding: "utf8" });
}

const broken: readonly [string, string | undefined, RegExp][] = [
  ["no OpenTelemetry", undefined, /^$/],
  ["an OpenTelemetry that throws when it is loaded", "throw new Error('as it says')", /no spans from here on: Error: as it says/],
  ["an OpenTelemetry without the methods", "exports.trace = {};", /no spans from here on: TypeError/],
];
for (const [what, api, warning] of broken) {
  test(`given ${what}, then a start has no parent, steps run, and at most one warning is logged`, () => {
    const program = `
      const claim = { logger: console };
      const { activeSpan, inSpan } = require("./node_modules/hapax/dist/cjs/traces.js");
      const task = { traceparent: "", runCreatedAt: 0, claim };
      (async () => {
        console.log(activeSpan(console), await inSpan(task, () => "done"), await inSpan(task, async () => "again"));
      })();
    `;
    const { stdout, stderr } = output(program, api);
    assert.equal(stdout, "undefined done again\n");
    assert.match(stderr, warning);
    assert.ok(stderr.split("no spans").length <= 2, stderr);
  });
}

test("given a Node.js that is too old, then the package says which one it needs", () => {
  const program = `
    Object.defineProperty(process.versions, "node", { value: "18.20.8" });
    try { require("hapax"); } catch (error) { console.log(error.message); }
  `;
  assert.equal(output(program, undefined).stdout, "hapax needs Node.js 20 or later; this is Node.js 18.20.8\n");
});
