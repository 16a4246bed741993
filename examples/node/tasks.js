// A worker: polls a queue, does the steps of runs, and keeps their leases meanwhile.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FinalFailure, fromPayload, isRefused, toDuration, toFailure, toMillis, toPayload } from './hapax.js';

/**
 * Works until `signal` aborts, then ends what is under way. `steps` has a function for each step name. It is
 * called with `{ id, attempt, input, state, signal }` and answers `{ output, patch }`, or nothing.
 *
 * A step may be attempted again after its effect, if its worker dies before the result is recorded. Its `id`
 * is the same on every attempt: use it as the idempotency key of the effect. When `signal` aborts, the run was
 * cancelled or another worker has the step: stop. Throw FinalFailure if no further attempt would succeed;
 * after anything else the step is tried again, as its definition says.
 */
export async function work(hapax, { queue, steps, signal, concurrency = 4, pollWait = 20_000,
  workerId = `${hostname()}-${process.pid}` }) {
  const heartbeats = new Heartbeats(hapax);
  const running = new Set();
  const start = (task, sentAt) => {
    const attempt = doStep(task, sentAt).catch((error) => // it is left to its lease
      console.error(`${nameOf(task)}: the outcome is not recorded: ${error.message}`));
    running.add(attempt);
    attempt.finally(() => running.delete(attempt));
  };
  const poll = async (request, wait, options) => {
    const { sentAt, response } = await hapax.worker('PollTasks',
      { ...request, wait: toDuration(wait) }, { wait, ...options });
    return response.tasks.map((task) => ({ task, sentAt }));
  };

  async function doStep(task, sentAt) {
    if (!Object.hasOwn(steps, task.step.name)) {
      // another worker of the queue may know it, such as one of a newer version
      console.error(`${nameOf(task)}: this worker does not know the step`);
      return giveBack(hapax, task, 5_000);
    }
    const step = steps[task.step.name];
    const held = heartbeats.keep(task, sentAt);
    try {
      const next = await attempt(hapax, task, step, { lost: held.lost.signal, wantNext: () => !signal.aborted });
      if (next) {
        start(next.task, next.sentAt);
      }
    } finally {
      heartbeats.release(held);
    }
  }

  while (!signal.aborted) {
    const request = {
      queues: [queue], worker_id: workerId, max_tasks: concurrency - running.size,
      attempt_id: randomUUID(), // one for this poll, however often it is sent
    };
    try {
      const polled = await poll(request, pollWait, { retryFor: Infinity, signal });
      polled.forEach(({ task, sentAt }) => start(task, sentAt));
    } catch (error) {
      if (!signal.aborted) {
        console.error(`the poll was refused: ${error.message}`);
        await sleep(5_000, undefined, { signal }).catch(() => {});
      } else {
        // its answer may have been on the way: the same attempt id gets the same tasks
        await poll(request, 0, { retryFor: 5_000 })
          .then((polled) => Promise.all(polled.map(({ task }) => giveBack(hapax, task, 0))))
          .catch((late) => console.error(`the last poll failed: ${late.message}`));
      }
    }
    while (running.size >= concurrency) {
      await Promise.race(running);
    }
  }
  while (running.size > 0) {
    await Promise.race(running);
  }
  heartbeats.stop();
}

/** One attempt of one step; answers with the run's next task, if this worker gets it. */
async function attempt(hapax, task, step, { lost, wantNext }) {
  const { claim } = task;
  let result;
  try {
    result = await step({
      id: task.step.id, attempt: task.step.attempt, signal: lost,
      input: fromPayload(task.input), state: fromPayload(task.state),
    });
  } catch (error) {
    const ended = lost.aborted ? 'stopped' : 'failed';
    console.log(`${nameOf(task)}: attempt ${task.step.attempt} ${ended}: ${error?.message ?? error}`);
    // a claim that was lost cannot fail its step any more
    return lost.aborted ? undefined : fail(hapax, claim, error);
  }
  try {
    const { sentAt, response } = await hapax.worker('CompleteTask', {
      claim, output: toPayload(result?.output), state_patch: toPayload(result?.patch), want_next: wantNext(),
    });
    console.log(`${nameOf(task)}: ${response.outcome}`);
    return response.completed?.next && { task: response.completed.next, sentAt };
  } catch (error) {
    if (!isRefused(error) && !(error instanceof TypeError)) {
      throw error;
    }
    // too large, or no JSON. The effect has happened, and would be refused again
    const message = `the step was done, but its result cannot be stored: ${error.details ?? error.message}`;
    console.error(`${nameOf(task)}: ${message}`);
    return fail(hapax, claim, new FinalFailure('RESULT_REFUSED', message));
  }
}

async function fail(hapax, claim, error) {
  const kind = error instanceof FinalFailure ? 'FAILURE_KIND_FINAL' : 'FAILURE_KIND_RETRYABLE';
  await hapax.worker('FailTask', { claim, kind, failure: toFailure(error) });
}

/** Gives a task back unworked, which costs no attempt; it is not offered again for `delay` ms. */
async function giveBack(hapax, task, delay) {
  await hapax.worker('ReleaseTask', { claim: task.claim, delay: toDuration(delay) });
}

const nameOf = (task) => `${task.run.id} ${task.step.name}`;

/** Renews the leases of all tasks in one call, each at a third of its lease. */
class Heartbeats {
  #held = new Set();
  #timer;
  #sending = false;

  constructor(hapax) {
    this.hapax = hapax;
  }

  keep({ claim, lease_remaining }, sentAt) {
    const now = performance.now();
    const until = sentAt + toMillis(lease_remaining);
    const lease = Math.max(until - now, 1); // the time that the poll waited is over
    const held = { claim, until, lease, due: now + lease / 3, lost: new AbortController() };
    this.#held.add(held);
    this.#schedule();
    return held;
  }

  release(held) {
    this.#held.delete(held);
    this.#schedule();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #schedule() {
    clearTimeout(this.#timer);
    if (this.#held.size > 0 && !this.#sending) {
      const due = Math.min(...[...this.#held].map((held) => held.due));
      this.#timer = setTimeout(() => this.#send(), Math.max(due - performance.now(), 10));
    }
  }

  async #send() {
    const all = [...this.#held];
    this.#sending = true;
    try {
      const patience = Math.min(5_000, ...all.map((held) => held.lease / 3));
      const { sentAt, response } = await this.hapax.worker('HeartbeatTasks',
        { claims: all.map((held) => held.claim) }, { attemptTimeout: patience, retryFor: 0 });
      response.results.forEach((result, i) => this.#answered(all[i], result, sentAt));
    } catch {
      all.forEach((held) => this.#missed(held)); // it did not get through: again before the lease expires
    } finally {
      this.#sending = false;
      this.#schedule();
    }
  }

  #answered(held, { outcome, renewed, claim_lost }, sentAt) {
    if (outcome === 'claim_lost') {
      this.#lose(held, claim_lost.reason);
    } else {
      held.lease = toMillis(renewed.lease_remaining);
      held.until = sentAt + held.lease;
      held.due = sentAt + held.lease / 3;
    }
  }

  #missed(held) {
    held.due = performance.now() + held.lease / 12;
    if (performance.now() > held.until) {
      this.#lose(held, 'the lease expired');
    }
  }

  #lose(held, reason) {
    this.release(held);
    held.lost.abort(new Error(`the claim was lost: ${reason}`));
  }
}
