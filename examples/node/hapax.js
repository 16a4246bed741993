// The connection to Hapax and the failures that work can report. operations.js and tasks.js use it.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const DEFAULT_SERVER = '127.0.0.1:7420';
const ATTEMPT_TIMEOUT = 5_000;
const MAX_PAYLOAD_BYTES = 256 * 1024; // what Hapax stores at most
const RETRIED = new Set([
  grpc.status.UNAVAILABLE, // the server or its database is away, or the connection was cut
  grpc.status.DEADLINE_EXCEEDED, // no answer in time: the connection may be dead
  grpc.status.RESOURCE_EXHAUSTED, // overloaded
]);

// in a copy: the folder that `hapax/v1` of the API is in
const PROTOS = fileURLToPath(new URL('../../proto/src/main/proto', import.meta.url));
const api = loader.loadSync(['hapax/v1/operation_service.proto', 'hapax/v1/worker_service.proto'], {
  includeDirs: [PROTOS],
  keepCase: true,
  longs: String, // a fence does not fit into a JavaScript number
  enums: String,
  oneofs: true, // response.outcome names the field that is set
  defaults: true, // 0, '' and null instead of undefined: a lease of 10 s has `nanos: 0`
  arrays: true, // an empty list is [], not undefined
});
const { OperationService, WorkerService } = grpc.loadPackageDefinition(api).hapax.v1;

const ca = (file) => (file ? readFileSync(file) : null);
const isLoopback = (server) => /^(localhost|127\.[0-9.]+|\[::1\]):[0-9]+$/.test(server);

/** Adds the API key or JWT to each call. A file is read for each, so it can be replaced without a restart. */
const keyed = (readKey) => (options, next) => new grpc.InterceptingCall(next(options), {
  start(metadata, listener, start) {
    metadata.set('authorization', `Bearer ${readKey()}`);
    start(metadata, listener);
  },
});

/** How to connect: TLS and the credentials are those of the `hapax` command, in the same variables. */
function security(server, { HAPAX_TLS, HAPAX_TLS_CA, HAPAX_API_KEY, HAPAX_API_KEY_FILE, HAPAX_JWT_FILE } = process.env) {
  const isTls = server.startsWith('https://') || HAPAX_TLS === 'true' || Boolean(HAPAX_TLS_CA);
  const file = HAPAX_API_KEY_FILE || HAPAX_JWT_FILE;
  const readKey = file ? () => readFileSync(file, 'utf8').trim()
    : HAPAX_API_KEY ? () => HAPAX_API_KEY.trim() : undefined;
  if (readKey && !isTls && !isLoopback(server)) {
    throw new Error(`the API key is not sent to ${server} without TLS: set HAPAX_TLS=true or HAPAX_TLS_CA`);
  }
  return {
    credentials: isTls ? grpc.credentials.createSsl(ca(HAPAX_TLS_CA)) : grpc.credentials.createInsecure(),
    interceptors: readKey ? [keyed(readKey)] : [],
  };
}

/**
 * Connects to a server.
 *
 * @param server HOST:PORT, or https://HOST:PORT for TLS. Default: the HAPAX_SERVER variable, or a server on
 *   this machine
 * @param workspace the tenant of every request. Default: `default`
 */
export function connect({ server = process.env.HAPAX_SERVER || DEFAULT_SERVER, workspace = '' } = {}) {
  const { credentials, interceptors } = security(server);
  const open = (Service) => new Service(server.replace('https://', ''), credentials, {
    interceptors,
    // reconnect soon after an outage: the default backs off to 2 minutes
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // notice a connection that died without a word
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 5_000,
  });
  const operations = open(OperationService);
  const workers = open(WorkerService);
  return {
    server,
    operation: (rpc, request, options) => call(operations, rpc, { workspace, ...request }, options),
    worker: (rpc, request, options) => call(workers, rpc, { workspace, ...request }, options),
    close() {
      operations.close();
      workers.close();
    },
  };
}

/**
 * Sends a request until it is answered. Every request carries its key (an attempt id or a claim), so
 * sending the same request again is safe, and gives the same outcome.
 *
 * @param wait ms that the server may hold the request on purpose (long poll)
 * @param attemptTimeout ms to wait for the answer of one attempt, in addition to `wait`
 * @param retryFor ms after which no further attempt is made
 * @param signal an AbortSignal that cancels the call
 * @returns the response, and by `sentAt` (performance.now()) when the answered attempt was sent: a lease
 *   counts from then
 */
async function call(client, rpc, request,
  { wait = 0, attemptTimeout = ATTEMPT_TIMEOUT, retryFor = 60_000, signal } = {}) {
  const giveUpAt = performance.now() + retryFor;
  for (let backoff = 100; ; backoff = Math.min(backoff * 2, 2_000)) {
    const sentAt = performance.now();
    try {
      return { sentAt, response: await send(client, rpc, request, wait + attemptTimeout, signal) };
    } catch (error) {
      if (!RETRIED.has(error.code) || performance.now() + backoff > giveUpAt) {
        throw error;
      }
      if (backoff === 100) {
        console.error(`${rpc} will be retried: ${error.message}`);
      }
    }
    await sleep(backoff * (0.5 + Math.random() / 2), undefined, { signal });
  }
}

const send = (client, rpc, request, timeout, signal) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const cancel = () => sent.cancel();
  const sent = client[rpc](request, { deadline: Date.now() + timeout }, (error, response) => {
    signal?.removeEventListener('abort', cancel);
    error ? reject(error) : resolve(response);
  });
  signal?.addEventListener('abort', cancel, { once: true });
});

/** Whether Hapax read the request and refused it: sent again, it would be refused again. */
export const isRefused = (error) => error.code === grpc.status.INVALID_ARGUMENT;

export const toDuration = (ms) => ({ seconds: Math.floor(ms / 1000), nanos: Math.round((ms % 1000) * 1e6) });
export const toMillis = ({ seconds, nanos }) => Number(seconds) * 1000 + nanos / 1e6;

/** undefined = nothing (void). Throws a TypeError if Hapax cannot store the value. */
export function toPayload(value) {
  if (value === undefined) {
    return undefined;
  }
  let json;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new TypeError(`it has no JSON: ${error.message}`, { cause: error });
  }
  if (json === undefined) {
    throw new TypeError(`a ${typeof value} cannot be stored as JSON`);
  }
  // checked here too: gRPC refuses messages above 4 MiB with the status of an overload, which is retried
  if (Buffer.byteLength(json) > MAX_PAYLOAD_BYTES) {
    throw new TypeError(`its JSON has ${Buffer.byteLength(json)} bytes, more than ${MAX_PAYLOAD_BYTES}`);
  }
  return { json };
}

export function fromPayload(payload) {
  return payload?.content === 'binary' ? payload.binary : payload?.json && JSON.parse(payload.json);
}

/** Throw it only if the work had no effect: then it is safe to do it again. */
export class RetryableFailure extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/** Throw it if the work failed for good, such as a declined card: it is not tried again. */
export class FinalFailure extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/** What Hapax stores of an error: at most 255 characters of code and 4 KiB of message. */
export function toFailure(error) {
  const isTyped = error instanceof RetryableFailure || error instanceof FinalFailure;
  return {
    code: isTyped ? String(error.code).slice(0, 255) : 'FAILED',
    message: String(error?.message ?? error).slice(0, 1000).toWellFormed().replaceAll('\0', ' '),
  };
}
