// Works orders for NodeWorkerFaultsIT. Arguments: workspace, queue, ledger.
// The ledger stands for the payment provider: a line for each charge, with the key it was sent under.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../../examples/node/hapax.js';
import { work } from '../../../../examples/node/tasks.js';

const [workspace, queue, ledger] = process.argv.slice(2);
const steps = {
  reserve: async () => ({ patch: { reserved: true } }),
  charge: async ({ id, attempt, input, signal }) => {
    appendFileSync(ledger, `begins ${input.order} ${id} ${attempt}\n`);
    await sleep(50 + Math.random() * 500, undefined, { signal });
    appendFileSync(ledger, `charges ${input.order} ${id} ${attempt}\n`);
    if (Math.random() < 0.05) {
      throw new Error('the answer of the provider was lost');
    }
    return { patch: { charged: input.order } };
  },
  ship: async ({ state }) => ({ output: { charged: state.charged } }),
};

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
console.log('works');
const hapax = connect({ workspace });
await work(hapax, { queue, steps, signal: stop.signal, pollWait: 5_000 });
hapax.close();
