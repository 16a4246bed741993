// Runs work once for each request id, from Node. In this folder, with `./hapax serve` running:
//   npm install && node once.js
import { createHash, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const protos = fileURLToPath(new URL('../../proto/src/main/proto', import.meta.url));
const definition = loader.loadSync('hapax/v1/operation_service.proto', {
  includeDirs: [protos], keepCase: true, longs: String, enums: String, oneofs: true,
});
const { OperationService } = grpc.loadPackageDefinition(definition).hapax.v1;

// every request carries its key: after UNAVAILABLE it is sent again as it is
const retryPolicy = {
  maxAttempts: 4, initialBackoff: '0.1s', maxBackoff: '2s', backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
};
const hapax = new OperationService(
  process.argv[2] ?? '127.0.0.1:7420', grpc.credentials.createInsecure(),
  { 'grpc.service_config': JSON.stringify({ methodConfig: [{ name: [{}], retryPolicy }] }) });
const call = (rpc, request) => new Promise((resolve, reject) =>
  hapax[rpc](request, (error, response) => (error ? reject(error) : resolve(response))));

/** Work that takes longer than the lease has to send RenewOperation meanwhile. */
async function once(operation, requestId, account, request, work) {
  const begun = await call('BeginOperation', {
    operation, request_id: requestId, account,
    attempt_id: randomUUID(),
    fingerprint: createHash('sha256').update(JSON.stringify(request)).digest(),
    lease: { seconds: 60 }, wait: { seconds: 5 },
  });
  if (begun.outcome === 'replay' && begun.replay.result) {
    return JSON.parse(begun.replay.result.json);
  }
  if (begun.outcome !== 'acquired') {
    throw new Error(begun.outcome); // in_progress, key_reused, indeterminate
  }
  const { claim } = begun.acquired;
  let result;
  try {
    result = await work(request, claim.fence);
  } catch (error) {
    // says that nothing happened: the next call with this key does the work
    await call('FailOperation', { claim, failure: { code: 'FAILED', message: String(error) } });
    throw error;
  }
  const ended = await call('CompleteOperation', { claim, result: { json: JSON.stringify(result) } });
  if (ended.outcome === 'claim_lost') {
    throw new Error('somebody else took over');
  }
  return result;
}

let charges = 0;
const charge = async (order, fence) => ({ charged: order.amount, number: ++charges, fence });
const order = { amount: 30 };
const requestId = randomUUID();
console.log(await once('orders.v1.Orders/Place', requestId, 'ann', order, charge));
console.log(await once('orders.v1.Orders/Place', requestId, 'ann', order, charge));
console.log(`charged ${charges} time`);
hapax.close();
