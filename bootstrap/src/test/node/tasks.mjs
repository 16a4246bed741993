// A worker of ../../../../examples/node/tasks.js with the steps that NodeWorkerIT needs.
// Arguments: workspace, queue. It prints the name of each rpc that it calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../../examples/node/hapax.js';
import { work } from '../../../../examples/node/tasks.js';

const [workspace, queue] = process.argv.slice(2);
const connection = connect({ workspace });
const hapax = {
  ...connection,
  worker: (rpc, ...rest) => {
    console.log(`call ${rpc}`);
    return connection.worker(rpc, ...rest);
  },
};

const steps = {
  slow: async ({ signal }) => {
    await sleep(11_000, undefined, { signal });
    return { output: 'done' };
  },
  nothing: async () => {},
  breaks: async ({ attempt }) => {
    if (attempt < 3) {
      throw new TypeError(`attempt ${attempt} broke`);
    }
    return { output: attempt };
  },
  large: async () => ({ output: 'x'.repeat(300_000) }),
  huge: async () => ({ output: 'x'.repeat(5_000_000) }),
  unserializable: async () => ({ output: 1n }),
  waits: async ({ signal }) => {
    console.log('waits');
    await sleep(60_000, undefined, { signal });
  },
};

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await work(hapax, { queue, steps, signal: stop.signal });
connection.close();
