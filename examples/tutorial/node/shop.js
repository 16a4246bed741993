// The shop of docs/tutorial.md: node shop.js charge|worker|order|send|janitor ARGUMENT...
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const PROTOS = fileURLToPath(new URL('../../../proto/src/main/proto', import.meta.url));
const FILES = ['operation', 'worker', 'run', 'entity', 'janitor'].map((name) => `hapax/v1/${name}_service.proto`);
const api = grpc.loadPackageDefinition(loader.loadSync(FILES, {
  includeDirs: [PROTOS], keepCase: true, longs: String, enums: String, oneofs: true, defaults: true, arrays: true,
})).hapax.v1;

// each request carries its key, so gRPC may send it again while the server is unavailable
const RETRIES = JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy: {
  maxAttempts: 5, initialBackoff: '0.1s', maxBackoff: '2s', backoffMultiplier: 2, retryableStatusCodes: ['UNAVAILABLE'],
} }] });
// the variables are those of the hapax command; without TLS a key stays on this machine
const { HAPAX_SERVER: server = '127.0.0.1:7420', HAPAX_TLS_CA: ca, HAPAX_API_KEY: key } = process.env;
if (key && !ca && !server.startsWith('127.0.0.1:')) {
  throw new Error(`HAPAX_API_KEY is not sent to ${server} without TLS: set HAPAX_TLS_CA`);
}
const credentials = ca ? grpc.credentials.createSsl(readFileSync(ca)) : grpc.credentials.createInsecure();
const headers = new grpc.Metadata();
if (key) {
  headers.set('authorization', `Bearer ${key}`);
}
function open(service) {
  const client = new api[service](server, credentials, { 'grpc.service_config': RETRIES });
  return (rpc, request) => new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + 60_000 };
    client[rpc](request, headers, options, (error, response) => (error ? reject(error) : resolve(response)));
  });
}
const [operations, workers, runs, entities, janitors] =
  ['OperationService', 'WorkerService', 'RunService', 'EntityService', 'JanitorService'].map(open);

// 1. An operation: charges the card once for each request id, and replays the receipt to duplicates.
async function charge(requestId, amount) {
  const { outcome, acquired, replay } = await operations('BeginOperation', {
    operation: 'shop.v1.Shop/Charge', request_id: requestId, fingerprint: Buffer.from(String(amount)),
    attempt_id: randomUUID(), lease: { seconds: 60 }, wait: { seconds: 5 },
  });
  if (outcome === 'replay') {
    return replay.result.json;
  }
  if (outcome !== 'acquired') {
    throw new Error(`not charged: ${outcome}`);
  }
  console.log(`the card is charged ${amount} EUR`);
  const receipt = `{"charged":${amount}}`;
  const completed = await operations('CompleteOperation', { claim: acquired.claim, result: { json: receipt } });
  if (completed.outcome === 'claim_lost') {
    throw new Error('the lease expired, and another caller has the operation');
  }
  return receipt;
}

// 2. A run: a worker does the steps of orders. The id of a step is the same on every attempt.
const steps = {
  charge: (id, amount) => charge(id, amount),
  ship: () => '{"shipped":true}',
};
async function worker() {
  console.log('works on the queue shop');
  for (;;) {
    const { tasks } = await workers('PollTasks', {
      queues: ['shop'], worker_id: `node-${process.pid}`, attempt_id: randomUUID(), max_tasks: 1, wait: { seconds: 20 },
    });
    for (const { claim, step, input } of tasks) {
      try {
        const output = await steps[step.name](step.id, JSON.parse(input.json));
        await workers('CompleteTask', { claim, output: { json: output } });
      } catch (error) {
        await workers('FailTask', { claim, kind: 'FAILURE_KIND_RETRYABLE', failure: { code: 'FAILED', message: error.message } });
      }
    }
  }
}

// 3. A hook: one run owns the token of the order. Every trigger of the order gets the result of that run.
async function order(id, amount, trigger) {
  let { run } = await runs('StartRun', {
    definition: 'shop-order', idempotency_key: trigger, input: { json: String(amount) },
    hooks: [{ token: `order/${id}`, retention: { seconds: 3600 }, on_conflict: 'ON_CONFLICT_USE_EXISTING' }],
  });
  while (!run.ended_at) {
    ({ run } = await runs('AwaitRun', { run_id: run.id, wait: { seconds: 20 } }));
  }
  return `${run.id} ${run.output?.json ?? run.status}`;
}

// 4. A claim: one caller at a time sends an invoice.
async function send(id) {
  await entities('CreateEntity', { lifecycle: 'shop-invoice', entity_id: id, status: 'draft' });
  const { outcome, granted, claim_failed: other, wrong_status: moved } = await entities('BeginAction', {
    lifecycle: 'shop-invoice', entity_id: id, step_key: 'send', requester: 'billing',
    attempt_id: randomUUID(), lease: { seconds: 10 },
  });
  if (outcome !== 'granted') {
    return other?.message ?? moved?.status ?? outcome;
  }
  if (!post(id, granted.claim.fence, 'invoice')) {
    return 'the janitor has ended this attempt';
  }
  if (process.env.CRASH) {
    process.exit(1); // as if the machine failed after the mail, and before the completion
  }
  const completed = await entities('CompleteAction', { claim: granted.claim });
  return completed.completed?.entity.status ?? 'another caller has the invoice';
}

// Stands for a mail server that accepts one message for each invoice and fence.
function post(id, fence, content) {
  const outbox = process.env.OUTBOX ?? 'outbox';
  mkdirSync(outbox, { recursive: true });
  try {
    writeFileSync(`${outbox}/${id}-${fence}`, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') {
      throw error;
    }
    return false;
  }
}

// Takes the place of the message of a lost holder: if it can, the invoice was not sent, and never will be with that fence.
async function janitor() {
  console.log('recovers invoices');
  for (;;) {
    const { recoveries } = await janitors('PollRecoveries', {
      module: 'shop', worker_id: `node-${process.pid}`, attempt_id: randomUUID(), max_recoveries: 1, wait: { seconds: 20 },
    });
    for (const { claim, entity, lost } of recoveries) {
      const outcome = post(entity.id, lost.fence, 'void') ? 'REVERT' : 'COMPLETE';
      await janitors('CompleteRecovery', { claim, outcome: `RECOVERY_OUTCOME_${outcome}` });
      console.log(`${entity.id} ${outcome}`);
    }
  }
}

const [command, ...words] = process.argv.slice(2);
const commands = { charge, worker, order, send, janitor };
console.log(await commands[command](...words));
process.exit();
