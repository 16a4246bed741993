// Does the steps of ../definitions/order.json. In this folder:
//   ../../hapax serve --definitions ../definitions      (in another terminal)
//   npm install && node worker.js                       (as many of them as you like)
//   ../../hapax run start order --input '{"amount": 30}' --await
import { connect, FinalFailure } from './hapax.js';
import { work } from './tasks.js';

// stands for a payment provider: with the same key it charges once. It forgets with its process; a real one
// keeps its keys
const payments = new Map();
const charge = (key, amount) => payments.get(key) ?? payments.set(key, { amount }).get(key);

const steps = {
  reserve: async () => ({ patch: { reserved: true } }),
  charge: async ({ id, input, signal }) => {
    if (input.amount > 1000) {
      throw new FinalFailure('CARD_DECLINED', `${input.amount} is too much`);
    }
    signal.throwIfAborted();
    return { patch: { charged: charge(id, input.amount).amount } };
  },
  ship: async ({ state }) => ({ output: { shipped: true, charged: state.charged } }),
};

// SIGTERM: no further polls, and what is under way ends; a second signal ends the process at once
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => stop.abort());
}
const hapax = connect();
console.log(`works on the queue orders of ${hapax.server}`);
await work(hapax, { queue: 'orders', steps, signal: stop.signal });
hapax.close();
