// Charges a card once, and ships an order by a run that it watches, all by HTTP.
// In this folder, while `./hapax serve --http-listen 127.0.0.1:7421` runs in another terminal:
//   npm install && node orders.js [URL]
import { randomUUID } from 'node:crypto';
import { Code } from '@connectrpc/connect';
import { RunEventType } from './gen/hapax/v1/run_pb.js';
import { connect, fromPayload, persist, reasonOf, toPayload } from './hapax.js';

const hapax = connect(process.argv[2] ?? 'http://127.0.0.1:7421');

/** Charges once for each request id; a duplicate gets the first receipt. */
async function charge(requestId, cents) {
  const attempt = { operation: 'orders/Charge', account: 'ann', requestId, attemptId: randomUUID() };
  const { outcome } = await persist(() => hapax.operations.beginOperation(attempt));
  switch (outcome.case) {
    case 'acquired': {
      const { claim } = outcome.value;
      const receipt = { cents, receipt: randomUUID() };
      const ended = await persist(() => hapax.operations.completeOperation({ claim, result: toPayload(receipt) }));
      if (ended.outcome.case !== 'completed') {
        throw new Error(`the charge was not recorded: ${ended.outcome.case}`);
      }
      return { ...receipt, replayed: false };
    }
    case 'replay':
      return { ...fromPayload(outcome.value.result), replayed: true };
    default:
      throw new Error(`not charged: ${outcome.case}`);
  }
}

/** Starts the run of an order once, however often it is called. */
const start = (order) => persist(() => hapax.runs.startRun(
  { definition: 'order-by-http', idempotencyKey: order, input: toPayload({ order }) }));

/** Does the steps of the queue as a worker, until the signal. */
async function work(signal) {
  while (!signal.aborted) {
    const poll = { queues: ['shipping'], workerId: 'orders.js', attemptId: randomUUID(), wait: { seconds: 5n } };
    const { tasks } = await persist(() => hapax.workers.pollTasks(poll, { signal }))
      .catch((error) => signal.aborted ? { tasks: [] } : Promise.reject(error));
    for (const { claim, input } of tasks) {
      const output = toPayload({ shipped: fromPayload(input).order });
      await persist(() => hapax.workers.completeTask({ claim, output }));
    }
  }
}

/** Prints the events of a run until it ends, or its caller ends the watch. */
async function watch(runId, options, seen = () => {}) {
  for await (const { event } of hapax.runs.watchRun({ runId }, options)) {
    console.log(`${event.version} ${RunEventType[event.type]}`);
    seen(event);
  }
}

const requestId = randomUUID();
for (const cents of [3000, 3000]) {
  const { replayed } = await charge(requestId, cents);
  console.log(`charged ${cents} cents${replayed ? ', by an earlier call' : ''}`);
}

const steps = [{ name: 'ship', kind: { case: 'task', value: { queue: 'shipping' } } }];
await persist(() => hapax.definitions.registerDefinition({ name: 'order-by-http', version: '1', steps }));
const order = randomUUID();
const { run } = await start(order);
const { created } = await start(order);
console.log(`the second start created ${created ? 'another' : 'no other'} run`);

const stop = new AbortController();
await watch(run.id, { signal: stop.signal }, () => stop.abort())
  .catch((error) => console.log(`the watch ended: ${Code[error.code]}`));
await watch(run.id, { timeoutMs: 3_000 })
  .catch((error) => console.log(`the watch ended: ${Code[error.code]}`));
const done = new AbortController();
// 0 = no deadline: this stream stays open until the run ends
await Promise.all([watch(run.id, { timeoutMs: 0 }).finally(() => done.abort()), work(done.signal)]);
const ended = await persist(() => hapax.runs.awaitRun({ target: { case: 'runId', value: run.id } }));
console.log(`shipped: ${fromPayload(ended.run.output).shipped === order}`);
await hapax.runs.cancelRun({ runId: run.id })
  .catch((error) => console.log(`not cancelled: ${Code[error.code]} ${reasonOf(error)}`));
