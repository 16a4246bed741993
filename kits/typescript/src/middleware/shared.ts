/** What the middlewares share: HTTP handlers that run once for each header `Idempotency-Key`. */

import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Client } from "../client.js";
import type { Logger } from "../connection.js";
import * as errors from "../errors.js";
import { checkedKey, checkedName } from "../values.js";

/** How a middleware makes handlers idempotent. `R` is the request of the framework. */
export interface IdempotencyOptions<R> {
  /** The methods that are idempotent; POST and PATCH unless given. */
  readonly methods?: readonly string[] | undefined;
  /** On whose behalf a request is. Without it, each caller that knows a key and its request gets the response. */
  readonly account?: ((request: R) => string) | undefined;
  /** Whether a request without a key is refused. */
  readonly required?: boolean | undefined;
  /** After how many milliseconds a process that died is replaced; 60,000 unless given. */
  readonly leaseMs?: number | undefined;
}

/** A request as it was sent. Frameworks that change the `url`, as for a mounted router, keep the original one. */
export type RawRequest = Pick<IncomingMessage, "method" | "url" | "rawHeaders"> & { readonly originalUrl?: string | undefined };

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

/** Work of an operation whose handler threw, which is not an outcome of the operation. */
class HandlerFailure extends errors.RetryableFailure {
  constructor(override readonly cause: unknown) {
    super("HANDLER_FAILED", String(cause));
  }
}

/** The values of all headers `Idempotency-Key`: Node.js joins them into one. */
function keysOf({ rawHeaders }: RawRequest): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "idempotency-key");
}

export function applies<R>(
  { methods = ["POST", "PATCH"], required = false }: IdempotencyOptions<R>,
  request: RawRequest,
): boolean {
  return methods.includes(request.method ?? "") && (required || keysOf(request).join() !== "");
}

/**
 * Runs the handler, or returns the response that was recorded, or one that says why not.
 *
 * The body is bytes, a text, or what a parser made of it.
 */
export async function respond(
  client: Client,
  request: RawRequest,
  body: unknown,
  { account, leaseMs }: { readonly account: string; readonly leaseMs: number | undefined },
  run: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const [path = "", query = ""] = (request.originalUrl ?? request.url ?? "").split(/\?(.*)/s);
  const operation = `${request.method} ${path}`;
  const keys = keysOf(request);
  const [key = ""] = keys;
  const bytes = body instanceof Uint8Array || typeof body === "string" ? body : (JSON.stringify(body) ?? "");
  const input = Buffer.concat([Buffer.from(`${query}\n`), Buffer.from(bytes)]);
  let own: { readonly response: HttpResponse; readonly kept: Kept } | undefined;
  const work = async (): Promise<Kept> => {
    const response = await run().catch((error: unknown) => {
      throw new HandlerFailure(error);
    });
    if (response.status >= 500) throw new ServerFailure(response);
    own = { response, kept: { ...response, body: response.body.toString("base64") } };
    return own.kept;
  };
  try {
    checkedName("the method and the path", operation);
    checkedName("the account", account);
    if (keys.length !== 1) throw new RangeError(`this request needs one header Idempotency-Key (had ${keys.length})`);
    checkedKey(key);
  } catch (error) {
    return problem(400, (error as Error).message);
  }
  try {
    const kept = await client.once(operation, key, work, { account, input, ...(leaseMs && { leaseMs }) });
    // a holder that was overtaken gets the response of the other one
    if (own !== undefined && kept === own.kept) return own.response;
    return { ...kept, headers: [...kept.headers, ["Idempotent-Replayed", "true"]], body: Buffer.from(kept.body, "base64") };
  } catch (error) {
    if (error instanceof ServerFailure) return error.response;
    if (error instanceof HandlerFailure) throw error.cause;
    if (error instanceof errors.Unrecorded && own !== undefined) return own.response;
    if (error instanceof errors.HapaxError) return refusal(error, client.logger);
    throw error;
  }
}

function refusal(error: errors.HapaxError, logger: Logger): HttpResponse {
  const isOf = (...kinds: (typeof errors.HapaxError)[]): boolean => kinds.some((kind) => error instanceof kind);
  if (error instanceof errors.InProgress) {
    const seconds = Math.max(1, Math.round(error.retryAfterMs / 1_000));
    return problem(409, "a request with this Idempotency-Key is in progress", seconds);
  }
  if (isOf(errors.KeyReused)) return problem(422, "the Idempotency-Key was used with another request; use a new one");
  if (isOf(errors.Rejected)) return problem(409, "a request with this Idempotency-Key failed for good; use a new one");
  if (isOf(errors.ClaimLost)) return problem(409, "another attempt of this request took over; send it again", 1);
  if (isOf(errors.Indeterminate, errors.NotRetained)) return problem(409, error.message);
  if (!isOf(errors.Unavailable)) logger.error("hapax: a request was not begun:", error);
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
