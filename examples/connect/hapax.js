// The connection to Hapax by HTTP: a client of the Connect protocol, with stubs of the protos. orders.js uses it.
import { setTimeout as sleep } from 'node:timers/promises';
import { durationMs } from '@bufbuild/protobuf/wkt';
import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { ErrorInfoSchema, RetryInfoSchema } from './gen/google/rpc/error_details_pb.js';
import { DefinitionService } from './gen/hapax/v1/definition_service_pb.js';
import { OperationService } from './gen/hapax/v1/operation_service_pb.js';
import { RunService } from './gen/hapax/v1/run_service_pb.js';
import { WorkerService } from './gen/hapax/v1/worker_service_pb.js';

const ATTEMPTS = 5;
const RETRIED = [Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted];
// the client reports a connection that was cut as Aborted, which Hapax sends with a reason only
const mayPass = (error) => RETRIED.includes(error.code) || (error.code === Code.Aborted && !reasonOf(error));
const LOOPBACK = /^http:\/\/(localhost|127\.[0-9.]+|\[::1\])(:|\/|$)/;

/**
 * Connects to a server.
 *
 * @param url where `--http-listen` listens
 * @param key the API key. Default: the HAPAX_API_KEY variable, or none
 * @param options of the transport, such as useBinaryFormat and useHttpGet
 */
export function connect(url, { key = process.env.HAPAX_API_KEY, ...options } = {}) {
  if (key && !url.startsWith('https://') && !LOOPBACK.test(url)) {
    throw new Error(`the API key is not sent to ${url} without TLS`);
  }
  const authorize = (next) => (request) => {
    if (key) {
      request.header.set('Authorization', `Bearer ${key}`);
    }
    return next(request);
  };
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: '1.1', // Hapax has HTTP/2 for gRPC alone
    defaultTimeoutMs: 10_000,
    interceptors: [authorize],
    ...options,
  });
  return {
    definitions: createClient(DefinitionService, transport),
    operations: createClient(OperationService, transport),
    runs: createClient(RunService, transport),
    workers: createClient(WorkerService, transport),
  };
}

/** The name of an ErrorReason, such as RUN_NOT_FOUND; undefined if the error is not of Hapax. */
export const reasonOf = (error) =>
  error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === 'hapax.dev')?.reason;

/** Calls until there is an answer. The request has a key, so it takes effect once. */
export async function persist(call) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error) || attempt === ATTEMPTS) {
        throw error;
      }
      const [info] = error.findDetails(RetryInfoSchema);
      await sleep(info?.retryDelay ? durationMs(info.retryDelay) : 100 * 2 ** attempt);
    }
  }
}

export const toPayload = (value) => ({ content: { case: 'json', value: JSON.stringify(value) } });
export const fromPayload = ({ content }) => JSON.parse(content.value);
