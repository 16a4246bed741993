// Calls in all ways that the client of ../../../../examples/connect can be set to, for ConnectClientIT. Arguments: the
// address, and the key of a viewer. It prints a line for each way, and ends with an error at the first wrong answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { connect, fromPayload, persist, reasonOf, toPayload } from '../../../../examples/connect/hapax.js';

const [url, viewer] = process.argv.slice(2);
const code = {
  invalidArgument: 3, deadlineExceeded: 4, notFound: 5, permissionDenied: 7, resourceExhausted: 8, unimplemented: 12,
};
const unknown = { runId: 'run_01k8c4d5e6f7g8h9j0k1m2n3p4' };
const read = async (stream) => {
  for await (const message of stream) {
    return message; // ends the stream
  }
};
const fails = async (call, expected, { reason, text = '' } = {}) => {
  const error = await call.then(() => assert.fail(`not refused: ${text}`), (refusal) => refusal);
  assert.equal(error.code, expected, error.message);
  assert.ok(error.rawMessage.includes(text), error.message);
  assert.equal(reasonOf(error), reason, error.message);
  // the reason without details
  assert.equal(error.metadata.get('hapax-reason') ?? undefined, reason, error.message);
};
const gzip = { name: 'gzip', compress: async (bytes) => gzipSync(bytes), decompress: () => assert.fail('compressed') };
const steps = [{ name: 'wait', kind: { case: 'task', value: { queue: 'never' } } }];

async function call(name, options) {
  const hapax = connect(url, options);
  const definition = `connect-${name.replaceAll(' ', '-')}`;
  await hapax.definitions.registerDefinition({ name: definition, version: '1', steps });
  const input = { text: 'Grüße ☕ + % & =', long: 'x'.repeat(100_000) };
  const { run } = await hapax.runs.startRun({ definition, input: toPayload(input) });
  const { run: stored } = await hapax.runs.getRun({ runId: run.id });
  assert.deepEqual(fromPayload(stored.input), input);
  const bytes = new Uint8Array([0, 255, 62, 63]);
  const second = await hapax.runs.startRun({ definition, input: { content: { case: 'binary', value: bytes } } });
  assert.deepEqual(second.run.input.content.value, bytes);
  assert.equal((await hapax.runs.listRuns({ pageSize: 1 })).runs.length, 1);
  assert.equal((await read(hapax.runs.watchRun({ runId: run.id }))).event.version, 1n);
  const atOnce = await Promise.all(Array.from({ length: 100 }, () => hapax.runs.getRun({ runId: run.id })));
  assert.ok(atOnce.every((answer) => answer.run.id === run.id));

  const notFound = { reason: 'RUN_NOT_FOUND' };
  await fails(hapax.runs.getRun(unknown), code.notFound, notFound);
  await fails(read(hapax.runs.watchRun(unknown)), code.notFound, notFound);
  const invalid = { reason: 'INVALID_FIELD', text: 'run_id' };
  await fails(hapax.runs.cancelRun({}), code.invalidArgument, invalid);
  await fails(read(hapax.runs.watchRun({})), code.invalidArgument, invalid);
  const late = hapax.runs.awaitRun({ target: { case: 'runId', value: run.id }, wait: { seconds: 30n } }, { timeoutMs: 1 });
  await fails(late, code.deadlineExceeded);
  const large = { runId: 'x'.repeat(1 << 20) };
  await fails(hapax.runs.cancelRun(large), code.resourceExhausted, { text: '1048576 bytes' });
  await fails(read(hapax.runs.watchRun(large)), code.resourceExhausted, { text: '1048576 bytes' });
  const wrong = { headers: { 'Connect-Content-Encoding': 'br', 'Content-Encoding': 'br' } };
  await fails(read(hapax.runs.watchRun(unknown, wrong)), code.unimplemented, { text: 'must be identity' });
  await fails(read(hapax.workers.work((async function* () {})())), code.unimplemented, { text: 'call it by gRPC' });

  const compressing = connect(url, { ...options, sendCompression: gzip, compressMinBytes: 1 });
  await fails(compressing.runs.cancelRun(unknown), code.unimplemented, { text: 'must be identity' });
  await fails(read(compressing.runs.watchRun(unknown)), code.unimplemented, { text: 'must be identity' });

  const reader = connect(url, { ...options, key: viewer });
  const denied = { reason: 'PERMISSION_DENIED' };
  await fails(reader.runs.cancelRun({ workspace: 'home', ...unknown }), code.permissionDenied, denied);
  await fails(reader.runs.getRun(unknown), code.permissionDenied, denied);
  await fails(read(reader.runs.watchRun(unknown)), code.permissionDenied, denied);
  console.log(`${name} is understood`);
}

for (const useBinaryFormat of [true, false]) {
  for (const useHttpGet of [true, false]) {
    await call(`${useBinaryFormat ? 'protobuf' : 'JSON'} by ${useHttpGet ? 'GET' : 'POST'}`, { useBinaryFormat, useHttpGet });
  }
}

/** Calls through a proxy that cuts the connection in place of the first two answers. */
async function loseAnswers() {
  let lost = 0;
  const proxy = net.createServer((client) => {
    const server = net.connect(new URL(url).port, '127.0.0.1');
    client.pipe(server).on('error', () => client.destroy());
    server.on('data', (part) => (lost < 2 ? (lost++, client.destroy()) : client.write(part)));
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const hapax = connect(`http://127.0.0.1:${proxy.address().port}`);
  const attempt = { operation: 'connect/Lost', account: 'ann', requestId: 'lost', attemptId: 'the same' };
  const { outcome } = await persist(() => hapax.operations.beginOperation(attempt));
  assert.equal(outcome.case, 'acquired');
  assert.ok(outcome.value.reentrant, 'an earlier request took effect');
  assert.equal(outcome.value.attempt, 1);
  proxy.close();
  console.log(`${lost} lost answers are repeated`);
}
await loseAnswers();
process.exit(); // connections are kept open
