// Runs work at most once at a time for each request id, and replays its result to duplicates.
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  FinalFailure, RetryableFailure, fromPayload, isRefused, toDuration, toFailure, toMillis, toPayload,
} from './hapax.js';

/** Why the work was not done, or its result not recorded. `code` is the outcome. */
export class OperationError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Does `work(request, { signal, fence })` unless an earlier call with the same request id has; the result is
 * JSON, or undefined for void work. The result, or the failure, of the earlier call is returned, or thrown.
 *
 * What the work throws decides what a duplicate gets:
 * - RetryableFailure: nothing happened, a duplicate does the work;
 * - FinalFailure: a duplicate gets the same failure;
 * - anything else: the effect may have happened, so duplicates get `indeterminate` until an operator
 *   resolves the operation (docs/runbooks/operation-stuck.md).
 *
 * @param lease ms after which a holder that died is replaced. It is renewed while the work runs; if it is
 *   lost, `signal` aborts, and the work must stop.
 * @param wait ms to wait for another holder
 * @param onStale ON_STALE_TAKE_OVER repeats the work of a holder that died; ON_STALE_HOLD asks an operator
 */
export async function once(hapax, {
  operation, requestId, account = '', request, lease = 60_000, wait = 5_000, onStale = 'ON_STALE_TAKE_OVER',
}, work) {
  const { sentAt, response: begun } = await hapax.operation('BeginOperation', {
    operation, request_id: requestId, account, on_stale: onStale,
    attempt_id: randomUUID(), // one for this call, however often it is sent
    fingerprint: createHash('sha256').update(JSON.stringify(request) ?? '').digest(),
    lease: toDuration(lease), wait: toDuration(wait),
  }, { wait });
  switch (begun.outcome) {
    case 'acquired':
      break;
    case 'untracked': // without a request id nothing is remembered
      return work(request, { signal: new AbortController().signal });
    case 'replay':
      return outcomeOf(begun.replay);
    case 'in_progress':
      throw new OperationError('in_progress', 'another call is doing this work: try again later');
    case 'key_reused':
      throw new OperationError('key_reused', `request id ${requestId} was used for another request`);
    default:
      throw new OperationError(begun.outcome,
        'an earlier attempt may have done this work: an operator has to resolve the operation');
  }
  const { claim, lease_remaining: remaining } = begun.acquired;
  const done = new AbortController();
  const lost = new AbortController();
  const renewing = renew(hapax, claim, { lease, until: sentAt + toMillis(remaining), lost, done: done.signal });
  try {
    let result;
    try {
      result = await work(request, { signal: lost.signal, fence: claim.fence });
    } catch (error) {
      return await fail(hapax, claim, error);
    }
    return await complete(hapax, claim, result);
  } finally {
    done.abort(); // only now: the lease is kept until the outcome is recorded
    await renewing;
  }
}

async function complete(hapax, claim, result) {
  try {
    const { response } = await hapax.operation('CompleteOperation', { claim, result: toPayload(result) });
    return recorded(response, () => result);
  } catch (error) {
    if (!isRefused(error) && !(error instanceof TypeError)) {
      throw error;
    }
    // too large, or no JSON. The effect has happened: it must not happen again
    return fail(hapax, claim, new FinalFailure('RESULT_REFUSED',
      `the work was done, but its result cannot be stored: ${error.details ?? error.message}`));
  }
}

async function fail(hapax, claim, error) {
  const kind = error instanceof RetryableFailure ? 'FAILURE_KIND_RETRYABLE'
    : error instanceof FinalFailure ? 'FAILURE_KIND_FINAL' : 'FAILURE_KIND_UNKNOWN_EFFECT';
  let response;
  try {
    ({ response } = await hapax.operation('FailOperation', { claim, kind, failure: toFailure(error) }));
  } catch (unrecorded) {
    console.error(`claim ${claim.id}: the failure is not recorded: ${unrecorded.message}`);
    throw error;
  }
  return recorded(response, () => { throw error; });
}

/** If another attempt took over, its outcome stands instead. */
function recorded(response, own) {
  if (response.outcome !== 'claim_lost') {
    return own();
  }
  if (response.claim_lost.replay) {
    return outcomeOf(response.claim_lost.replay);
  }
  throw new OperationError('claim_lost', 'the lease expired and another call took over: nothing was recorded');
}

function outcomeOf({ failure, result }) {
  if (failure) {
    throw new FinalFailure(failure.code, failure.message);
  }
  return fromPayload(result ?? undefined);
}

/** Renews the lease at a third of it until `done`; aborts `lost` when it is lost or has expired. */
async function renew(hapax, claim, { lease, until, lost, done }) {
  const expired = () => lost.abort(new OperationError('claim_lost', 'the lease was lost'));
  let expiry = setTimeout(expired, until - performance.now());
  let pause = lease / 3;
  while (!lost.signal.aborted && await sleep(pause, true, { signal: done }).catch(() => false)) {
    try {
      const { sentAt, response } = await hapax.operation('RenewOperation', { claim, lease: toDuration(lease) },
        { attemptTimeout: Math.min(lease / 3, 5_000), retryFor: 0, signal: done });
      if (response.outcome === 'claim_lost') {
        expired();
      } else {
        clearTimeout(expiry);
        expiry = setTimeout(expired, sentAt + toMillis(response.renewed.lease_remaining) - performance.now());
        pause = lease / 3;
      }
    } catch {
      pause = lease / 12; // it did not get through: try again before the lease expires
    }
  }
  clearTimeout(expiry);
}
