/** Spans of OpenTelemetry. An application without `@opentelemetry/api` has none. */

import type { SpanContext } from "@opentelemetry/api";
import type { Task } from "./tasks.js";

const api = await import("@opentelemetry/api").catch(() => undefined);
const LONGEST_TRACE = 3_600_000; // a step that begins later has a trace of its own, with a link to the start

/** Returns the active span as a header `traceparent`, or nothing without one. */
export function activeSpan(): string | undefined {
  const span = api?.trace.getSpanContext(api.context.active());
  if (!span || !api?.isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, "0")}`;
}

/** Does the work of a task in a span of its own, in the trace of the start of its run. */
export async function inSpan<T>(task: Task, work: () => T): Promise<Awaited<T>> {
  if (api === undefined) return await work();
  const start = parse(task.traceparent);
  const isShort = Date.now() - task.runCreatedAt < LONGEST_TRACE;
  const parent = start && isShort ? api.trace.setSpanContext(api.ROOT_CONTEXT, start) : api.ROOT_CONTEXT;
  const options = {
    kind: api.SpanKind.CONSUMER,
    attributes: { "hapax.run.id": task.runId, "hapax.step.attempt": task.attempt },
    links: start && !isShort ? [{ context: start }] : [],
  };
  const span = api.trace.getTracer("hapax").startSpan(`${task.definition}/${task.stepName}`, options, parent);
  try {
    return await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), work);
  } catch (error) {
    if (task.suspension === undefined) {
      span.recordException(error as Error);
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    }
    throw error;
  } finally {
    span.end();
  }
}

function parse(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  return traceId && spanId && flags ? { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true } : undefined;
}
