// Places an order twice under one request id: it is charged once, and the duplicate gets the first result.
// In this folder, while `./hapax serve` runs in another terminal:
//   npm install && node once.js
import { randomUUID } from 'node:crypto';
import { connect, FinalFailure } from './hapax.js';
import { once } from './operations.js';

let charges = 0;
async function charge({ amount }, { signal, fence }) {
  if (amount > 1000) {
    throw new FinalFailure('CARD_DECLINED', `${amount} is too much`);
  }
  signal.throwIfAborted(); // the last moment to stop if another call took over
  return { charged: amount, number: ++charges, fence };
}

const hapax = connect();
const order = {
  operation: 'orders.v1.Orders/Place', account: 'ann', requestId: randomUUID(), request: { amount: 30 },
};
console.log(await once(hapax, order, charge));
console.log(await once(hapax, order, charge));
console.log(`charged ${charges} time`);
hapax.close();
