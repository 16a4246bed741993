/** Spans of OpenTelemetry. An application without `@opentelemetry/api` has none, and none that fails can fail a call. */

import { load } from "./load.js";
import type { Span, SpanContext } from "@opentelemetry/api";
import type { Logger } from "./connection.js";
import type { Task } from "./tasks.js";

type Api = typeof import("@opentelemetry/api");

const LONGEST_TRACE = 3_600_000; // a step that begins later has a trace of its own, with a link to the start
let problem: unknown; // of the load, until there is a logger for it
let api: Api | undefined = loaded();

function loaded(): Api | undefined {
  try {
    return load("@opentelemetry/api") as Api;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") problem = error;
    return undefined;
  }
}

/** Uses OpenTelemetry, until it fails. */
function safely<T>(logger: Logger, use: (api: Api) => T): T | undefined {
  try {
    return api && use(api);
  } catch (error) {
    api = undefined;
    problem = error;
    return undefined;
  } finally {
    if (problem !== undefined) logger.warn("hapax: @opentelemetry/api does not work; there are no spans from here on:", problem);
    problem = undefined;
  }
}

/** Returns the active span as a header `traceparent`, or nothing without one. */
export function activeSpan(logger: Logger): string | undefined {
  return safely(logger, (api) => {
    const span = api.trace.getSpanContext(api.context.active());
    if (!span || !api.isSpanContextValid(span)) return undefined;
    return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, "0")}`;
  });
}

/** Does the work of a task in a span of its own, in the trace of the start of its run. */
export async function inSpan(task: Task, work: () => unknown): Promise<unknown> {
  const { logger } = task.claim;
  const span = safely(logger, (api) => startSpan(api, task));
  let result: Promise<unknown> | undefined;
  const begin = (): Promise<unknown> => (result = (async () => work())());
  if (span !== undefined) safely(logger, (api) => api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), begin));
  try {
    return await (result ?? begin());
  } catch (error) {
    if (!task.isEnding || task.execution.ending?.case === "fail") {
      safely(logger, (api) => {
        span?.recordException(error as Error);
        span?.setStatus({ code: api.SpanStatusCode.ERROR });
      });
    }
    throw error;
  } finally {
    safely(logger, () => span?.end());
  }
}

function startSpan(api: Api, task: Task): Span {
  const start = parse(task.traceparent);
  const isShort = Date.now() - task.runCreatedAt < LONGEST_TRACE;
  const parent = start && isShort ? api.trace.setSpanContext(api.ROOT_CONTEXT, start) : api.ROOT_CONTEXT;
  const options = {
    kind: api.SpanKind.CONSUMER,
    attributes: { "hapax.run.id": task.runId, "hapax.step.attempt": task.attempt },
    links: start && !isShort ? [{ context: start }] : [],
  };
  return api.trace.getTracer("hapax").startSpan(`${task.definition}/${task.stepName}`, options, parent);
}

function parse(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  return traceId && spanId && flags ? { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true } : undefined;
}
