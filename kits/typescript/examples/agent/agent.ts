/**
 * An agent of the AI SDK that continues after a crash, and pays only what a person approves.
 *
 *   npm install path/to/hapax-0.1.0.tgz && npm run build
 *   node dist/agent.js worker
 *   node dist/agent.js ask TEXT
 *   node dist/agent.js open RUN
 *   node dist/agent.js decide RUN yes|no
 *   node dist/agent.js result RUN
 */

import { type LanguageModelMiddleware, generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { type Task, connect } from "hapax";
import { guard } from "hapax/agents";
import { RunService } from "hapax/v1/run_service";

interface Invoice {
  readonly invoice: string;
  readonly cents: number;
}

const MINUTE = 60_000;
const client = connect();

/** Records each answer of the model as a part: llm, llm#2, … A later execution gets the record, and calls no model. */
function recorded(task: Task): LanguageModelMiddleware {
  return {
    specificationVersion: "v3",
    wrapGenerate: ({ model, params }) =>
      task.record(
        "llm",
        async (_id, abortSignal) => {
          // the request and the response of HTTP are large, and not needed
          const { request: _, response: __, ...answer } = await model.doGenerate({ ...params, abortSignal });
          return answer;
        },
        { retry: { maxAttempts: -1, giveUpAfterMs: 60 * MINUTE }, timeoutMs: 2 * MINUTE },
      ),
    wrapStream: () => Promise.reject(new Error("a stream is not recorded; use generateText")),
  };
}

/** The handler. It runs again from its beginning after each crash, and after each decision of a person. */
async function agent(task: Task): Promise<string> {
  const find = guard(task, "find", findInvoice);
  const pay = guard(task, "pay", payInvoice, { approval: true });
  const { text } = await generateText({
    model: wrapLanguageModel({ model, middleware: recorded(task) }),
    prompt: task.input<string>(),
    tools: {
      find: tool({
        description: "Finds the open invoice of a supplier.",
        inputSchema: jsonSchema<{ supplier: string }>({ type: "object", properties: { supplier: { type: "string" } } }),
        execute: (input) => find(input),
      }),
      pay: tool({
        description: "Pays an invoice.",
        inputSchema: jsonSchema<Invoice>({
          type: "object",
          properties: { invoice: { type: "string" }, cents: { type: "integer" } },
        }),
        // the AI SDK tells the model what a tool throws, such as ApprovalDenied
        execute: (input) => pay(input),
      }),
    },
    stopWhen: stepCountIs(50),
    maxRetries: 0, // the part is retried
  });
  return text;
}

// Stand for the systems of the tools.
function findInvoice({ supplier }: { supplier: string }): Invoice {
  return { invoice: `invoice-of-${supplier}`, cents: 1_250 };
}

function payInvoice({ invoice, cents }: Invoice): string {
  console.log(`paid: ${cents} cents for ${invoice}`);
  return `paid ${invoice}`;
}

/** Stands for a model, such as `openai("gpt-5")`. It finds an invoice, pays it, twice by mistake, and answers. */
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    console.log(`the model gets ${prompt.length} messages`);
    const call = (id: string, toolName: string, input: object) =>
      ({ type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input) }) as const;
    const last = prompt.at(-1);
    const result = last?.role === "tool" && last.content[0]?.type === "tool-result" ? last.content[0] : undefined;
    const value = result !== undefined && "value" in result.output ? result.output.value : undefined;
    const content =
      result === undefined
        ? [call("call-1", "find", { supplier: "ada" })]
        : result.toolName === "find"
          ? [call("call-2", "pay", value as object), call("call-3", "pay", value as object)]
          : [{ type: "text", text: `done: ${value}` } as const];
    return {
      content,
      finishReason: { unified: content[0]?.type === "text" ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: undefined, reasoning: undefined },
      },
      warnings: [],
    };
  },
});

async function worker(): Promise<void> {
  const steps = [{ name: "main", code: { queue: "agents", lease: "5s" } }];
  await client.definitions.register({ name: "agent", version: "1", steps });
  console.log("works on the queue agents");
  await client.worker("agents", { "agent/main": agent }).run();
}

async function ask(text: string): Promise<string> {
  return (await client.runs.start("agent", { input: text })).run.id;
}

/** The calls that wait for a decision, by the digits of their arguments. */
async function open(runId: string): Promise<Record<string, unknown>> {
  const { run } = await client.call(RunService.method.getRun, { runId });
  return JSON.parse(String(run?.state?.content.value)).approvals ?? {};
}

async function decide(runId: string, decision: string): Promise<void> {
  for (const digits of Object.keys(await open(runId))) {
    const type = `approval/${digits}`;
    // the id makes a second click a duplicate
    await client.runs.signal(runId, { type, signalId: type, payload: { approved: decision === "yes", note: "says a person" } });
  }
}

async function result(runId: string): Promise<string> {
  return String(await client.runs.result(runId));
}

const [command = "", first = "", second = ""] = process.argv.slice(2);
const commands: Record<string, () => Promise<string | void>> = {
  worker,
  ask: () => ask(first),
  open: async () => JSON.stringify(await open(first)),
  decide: () => decide(first, second),
  result: () => result(first),
};
const answer = await commands[command]?.();
if (answer !== undefined) console.log(answer);
client.close();
