// One case of ../../../../examples/node/operations.js for NodeOperationIT. Arguments: workspace, case.
// It prints what each call answered or threw, how often the work ran, and how often the lease was renewed.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, FinalFailure, RetryableFailure } from '../../../../examples/node/hapax.js';
import { once } from '../../../../examples/node/operations.js';

const [workspace, name] = process.argv.slice(2);
const connection = connect({ workspace });
let renewals = 0;
const hapax = {
  ...connection,
  operation: (rpc, ...rest) => {
    renewals += rpc === 'RenewOperation';
    return connection.operation(rpc, ...rest);
  },
};

let runs = 0;
const cases = {
  void: async () => undefined,
  final: async () => { throw new FinalFailure('CARD_DECLINED', 'no money'); },
  retryable: async () => {
    if (runs === 1) {
      throw new RetryableFailure('NO_CONNECTION', 'nothing was sent');
    }
    return 'charged';
  },
  unknown: async () => { throw new Error('the provider did not answer'); },
  large: async () => 'x'.repeat(300_000),
  huge: async () => 'x'.repeat(5_000_000),
  unserializable: async () => ({ amount: 1n }),
  slow: async () => {
    await sleep(11_000);
    return 'charged';
  },
  frozen: async () => {
    console.log('begins');
    await sleep(2_000);
    return `from ${process.pid}`;
  },
};

const lease = name === 'frozen' ? 500 : 5_000;
const ask = () => once(hapax,
  { operation: 'shop/Pay', requestId: name, account: 'ann', request: { amount: 30 }, lease, wait: 20_000 },
  (...rest) => {
    runs++;
    return cases[name](...rest);
  });
const report = async (call) => console.log(await call.then(
  (result) => `returned ${result}`, (error) => `threw ${error.code}: ${error.message}`));

if (name === 'slow') {
  await Promise.all([report(ask()), sleep(300).then(() => report(ask()))]);
} else {
  await report(ask());
  if (name !== 'frozen') {
    await report(ask());
  }
}
console.log(`ran ${runs}`);
console.log(`renewed ${renewals}`);
connection.close();
