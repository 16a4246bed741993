/** What the middlewares share: HTTP handlers that run once for each header `Idempotency-Key`. */

import { STATUS_CODES } from "node:http";
import type { Client } from "./client.js";
import * as errors from "./errors.js";
import { checkedName } from "./values.js";

/** How a middleware makes handlers idempotent. `R` is the request of the framework. */
export interface IdempotencyOptions<R> {
  /** The methods that are idempotent; POST and PATCH unless given. */
  readonly methods?: readonly string[];
  /** On whose behalf a request is. Without it, each caller that knows a key and its request gets the response. */
  readonly account?: (request: R) => string;
  /** Whether a request without a key is refused. */
  readonly required?: boolean;
  /** After how many milliseconds a process that died is replaced; 60,000 unless given. */
  readonly leaseMs?: number;
}

/** A request, as far as it decides what a duplicate is. */
export interface HttpRequest {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  readonly key: string;
  readonly account: string;
  /** The body: bytes, a text, or what a parser made of it. */
  readonly body: unknown;
}

/** What a handler answered. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

interface Kept extends Omit<HttpResponse, "body"> {
  readonly body: string;
}

/** A response of 500 or above: it is sent, and the key is free again. */
class ServerFailure extends errors.RetryableFailure {
  constructor(readonly response: HttpResponse) {
    super(`HTTP_${response.status}`);
  }
}

export function applies<R>(
  { methods = ["POST", "PATCH"], required = false }: IdempotencyOptions<R>,
  method: string,
  key: string,
) {
  return methods.includes(method) && (key !== "" || required);
}

/** Runs the handler, or returns the response that was recorded, or one that says why not. */
export async function respond(
  client: Client,
  { method, url, key, account, body }: HttpRequest,
  leaseMs: number | undefined,
  run: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const bytes = body instanceof Uint8Array || typeof body === "string" ? body : (JSON.stringify(body) ?? "");
  const input = Buffer.concat([Buffer.from(`${query}\n`), Buffer.from(bytes)]);
  let response: HttpResponse | undefined;
  const work = async (): Promise<Kept> => {
    response = await run();
    if (response.status >= 500) throw new ServerFailure(response);
    return { ...response, body: response.body.toString("base64") };
  };
  try {
    checkedName("the path", path);
    checkedName("the account", account);
    if (checkedName("Idempotency-Key", key) === "") throw new RangeError("this request needs the header Idempotency-Key");
  } catch (error) {
    return problem(400, (error as Error).message);
  }
  try {
    const kept = await client.once(`${method} ${path}`, key, work, { account, input, ...(leaseMs && { leaseMs }) });
    if (response !== undefined) return response;
    return { ...kept, headers: [...kept.headers, ["Idempotent-Replayed", "true"]], body: Buffer.from(kept.body, "base64") };
  } catch (error) {
    if (error instanceof ServerFailure) return error.response;
    if (error instanceof errors.Unrecorded && response !== undefined) return response;
    if (error instanceof errors.HapaxError) return refusal(error);
    throw error;
  }
}

function refusal(error: errors.HapaxError): HttpResponse {
  const isOf = (...kinds: (typeof errors.HapaxError)[]): boolean => kinds.some((kind) => error instanceof kind);
  if (error instanceof errors.InProgress) {
    const seconds = Math.max(1, Math.round(error.retryAfterMs / 1_000));
    return problem(409, "a request with this Idempotency-Key is in progress", seconds);
  }
  if (isOf(errors.KeyReused)) return problem(422, "the Idempotency-Key was used with another request; use a new one");
  if (isOf(errors.Rejected)) return problem(409, "a request with this Idempotency-Key failed for good; use a new one");
  if (isOf(errors.Indeterminate, errors.ClaimLost, errors.NotRetained)) return problem(409, error.message);
  if (!isOf(errors.Unavailable)) console.error("hapax: a request was not begun:", error);
  // the key that is not accepted is that of this service, which is not its caller's business
  if (isOf(errors.Unavailable, errors.Unauthenticated, errors.PermissionDenied)) {
    return problem(503, "the request was not begun; send it again with the same Idempotency-Key", 1);
  }
  if (error.reason === "INVALID_FIELD") return problem(400, "the Idempotency-Key, the path or the account is not valid");
  return problem(500, "the service cannot track this request; its operator finds the reason in the log");
}

/** A response that says why the handler did not run (RFC 9457). */
export function problem(status: number, detail: string, retryAfter?: number): HttpResponse {
  const body = Buffer.from(JSON.stringify({ title: STATUS_CODES[status], status, detail }));
  const headers: [string, string][] = [
    ["Content-Type", "application/problem+json"],
    ["Content-Length", String(body.length)],
  ];
  if (retryAfter !== undefined) headers.push(["Retry-After", String(retryAfter)]);
  return { status, headers, body };
}

/** The headers as pairs; one with several values, such as `Set-Cookie`, is several pairs. */
export function headerPairs(headers: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
}

/** The pairs as headers. */
export function grouped(pairs: HttpResponse["headers"]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs) {
    const former = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = former === undefined ? value : [former, value].flat();
  }
  return headers;
}
