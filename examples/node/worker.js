// Does the steps of ../definitions/order.json, from Node. In this folder:
//   ../../hapax serve --definitions ../definitions      (in another terminal)
//   npm install && node worker.js                       (as many of them as you like)
//   ../../hapax run start order --input '{"amount": 30}' --await
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const protos = fileURLToPath(new URL('../../proto/src/main/proto', import.meta.url));
const definition = loader.loadSync('hapax/v1/worker_service.proto', {
  includeDirs: [protos], keepCase: true, longs: String, enums: String, oneofs: true,
});
const { WorkerService } = grpc.loadPackageDefinition(definition).hapax.v1;

// every request carries its key: after UNAVAILABLE it is sent again as it is
const retryPolicy = {
  maxAttempts: 5, initialBackoff: '0.1s', maxBackoff: '2s', backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
};
const hapax = new WorkerService(
  process.argv[2] ?? '127.0.0.1:7420', grpc.credentials.createInsecure(),
  { 'grpc.service_config': JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy }] }) });
const call = (rpc, request, onCall = () => {}) => new Promise((resolve, reject) =>
  onCall(hapax[rpc](request, (error, response) => (error ? reject(error) : resolve(response)))));
const json = (value) => (value === undefined ? undefined : { json: JSON.stringify(value) });

/** What no further attempt would change. */
class Final extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// a step may be attempted again after its effect, with the same id: its effect must be keyed by that
const payments = new Map();
const charge = (key, amount) => payments.get(key) ?? payments.set(key, { key, amount }).get(key);

const steps = {
  reserve: async () => ({ patch: { reserved: true } }),
  charge: async ({ id, input }) => {
    if (input.amount > 1000) {
      throw new Final('CARD_DECLINED', `${input.amount} is too much`);
    }
    return { patch: { charged: charge(id, input.amount).amount } };
  },
  ship: async ({ state }) => ({ output: { shipped: true, charged: state.charged } }),
};

const workerId = `${hostname()}-${process.pid}`;
let stopping = false;
const polls = new Set();

/** One attempt of one step; answers with the run's next task, if there is one for us. */
async function attempt(task) {
  const { claim, step } = task;
  const lease = task.lease_remaining.seconds * 1000 + task.lease_remaining.nanos / 1e6;
  const lost = new AbortController();
  const beats = setInterval(async () => {
    const { results: [result] } = await call('HeartbeatTasks', { claims: [claim] })
      .catch(() => ({ results: [{}] })); // the next one may get through
    if (result.outcome === 'claim_lost') {
      lost.abort(); // the run was cancelled, or somebody took over
    }
  }, lease / 3);
  let result;
  try {
    result = await steps[step.name]({
      id: step.id, input: JSON.parse(task.input.json), state: JSON.parse(task.state.json),
      signal: lost.signal,
    });
  } catch (error) {
    console.log(`${task.run.id} ${step.name}: attempt ${step.attempt} failed: ${error.message}`);
    await call('FailTask', {
      claim, kind: error instanceof Final ? 'FAILURE_KIND_FINAL' : 'FAILURE_KIND_RETRYABLE',
      failure: { code: error.code ?? 'FAILED', message: error.message },
    });
    return undefined;
  } finally {
    clearInterval(beats);
  }
  const ended = await call('CompleteTask', {
    claim, output: json(result.output), state_patch: json(result.patch), want_next: !stopping,
  });
  console.log(`${task.run.id} ${step.name}: ${ended.outcome}`);
  return ended.completed?.next;
}

/** One thing after another; several of these work side by side. */
async function lane() {
  let attemptId = randomUUID();
  while (!stopping) {
    try {
      let poll;
      const { tasks } = await call('PollTasks', {
        queues: ['orders'], worker_id: workerId, attempt_id: attemptId, max_tasks: 1,
        wait: { seconds: 20 },
      }, (begun) => polls.add(poll = begun)).finally(() => polls.delete(poll));
      attemptId = randomUUID(); // only now: a poll whose answer was lost gets the same tasks again
      for (let task = tasks[0]; task;) {
        task = await attempt(task);
      }
    } catch (error) {
      if (!stopping) {
        console.error(error.message);
        await sleep(1000);
      }
    }
  }
}

// what is polled for is given back, what is under way ends
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopping = true;
    polls.forEach((poll) => poll.cancel());
  });
}
console.log(`${workerId} works on orders`);
await Promise.all(Array.from({ length: 4 }, lane));
hapax.close();
