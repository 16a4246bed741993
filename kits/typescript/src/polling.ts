/** A loop that polls while there is room, and drains on SIGTERM. */

import { randomUUID } from "node:crypto";
import { type Answer, type CallOptions, type Logger, TRY_TIMEOUT, paused } from "./connection.js";
import { Refused } from "./errors.js";

export const POLL_WAIT = 20_000;
const PAUSES = [5_000, 10_000, 20_000, 30_000]; // after rejections in a row, such as those of a revoked key
const SIGNALS = ["SIGTERM", "SIGINT"] as const;
const MOST_ITEMS = 500;

type PollOptions = CallOptions & { readonly giveUpAfter: number };

/** Sends a poll for at most so many items; a repeated one has the same attempt id. */
export type Poll<M> = (attemptId: string, most: number, options: PollOptions) => Promise<Answer<readonly M[]>>;

/** The server cannot serve this worker: it does not poll. */
export class CannotStart extends Refused {}

/** A worker or a janitor: it polls until it is stopped. */
export interface Loop {
  /**
   * Polls until SIGTERM or SIGINT, or until `stop`. Then polls no more, and returns when what it holds is done.
   *
   * A second signal ends the process as usual. Throws Refused if the server lacks what a worker needs.
   */
  run(): Promise<void>;
  /**
   * Polls in the background. What it returns comes when the server has accepted the worker, and registered its workflows; or is
   * rejected as that of `run`, which is logged, too.
   */
  start(): Promise<void>;
  /** Polls no more, and waits until what it holds is done, at most so many milliseconds. Returns whether it is. */
  stop(atMostMs?: number): Promise<boolean>;
}

export class Poller<M> implements Loop {
  private readonly stopping = new AbortController();
  private readonly busy = new Set<Promise<void>>();
  private accept!: () => void;
  private readonly accepted = new Promise<void>((resolve) => (this.accept = resolve));
  private ended: Promise<void> | undefined;
  private wake = (): void => {};

  constructor(
    private readonly name: string,
    private readonly concurrency: number,
    private readonly poll: Poll<M>,
    private readonly work: (item: M, answer: Answer<unknown>) => Promise<void>,
    private readonly logger: Logger,
    private readonly check: (options: PollOptions) => Promise<void> = () => Promise.resolve(),
  ) {}

  async run(): Promise<void> {
    const drain = (): void => {
      SIGNALS.forEach((signal) => process.off(signal, drain));
      void this.stop();
    };
    SIGNALS.forEach((signal) => process.on(signal, drain));
    void this.start().catch(() => {});
    await Promise.resolve(this.ended).finally(() => SIGNALS.forEach((signal) => process.off(signal, drain)));
  }

  start(): Promise<void> {
    if (this.ended === undefined) {
      this.ended = this.loop();
      this.ended.catch((error: Error) => this.logger.error(`hapax: ${this.name} does not begin: ${error.message}`));
    }
    const started = Promise.race([this.accepted, this.ended]);
    started.catch(() => {}); // it is logged, and a caller that does not await it must not end the process
    return started;
  }

  async stop(atMostMs?: number): Promise<boolean> {
    this.stopping.abort();
    this.wake();
    const ended = Promise.resolve(this.ended).then(
      () => true,
      () => true,
    );
    if (atMostMs === undefined) return ended;
    const over = new AbortController();
    const isEnded = await Promise.race([ended, paused(atMostMs, over.signal).then(() => false)]);
    over.abort();
    return isEnded;
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async loop(): Promise<void> {
    const abort = this.stopping.signal;
    let isChecked = false;
    for (let rejections = 0; !this.isStopping;) {
      const attempt = randomUUID();
      try {
        if (!isChecked) await this.check({ giveUpAfter: Infinity, abort });
        isChecked = true;
        this.accept();
        const { response, roundTrip } = await this.pollOnce(attempt, { waitMs: POLL_WAIT, giveUpAfter: Infinity, abort });
        if (rejections > 0) this.logger.info(`hapax: ${this.name} is accepted again`);
        rejections = 0;
        if (response.length === 0 && roundTrip < POLL_WAIT / 2) await paused(100, abort);
      } catch (error) {
        if (error instanceof CannotStart) throw error;
        if (this.isStopping) {
          if (isChecked) await this.pollLast(attempt);
        } else {
          if (rejections === 0) {
            this.logger.error(`hapax: ${this.name} was rejected, will retry every 5 to 30 s until it is accepted:`, error);
          }
          await paused(PAUSES[Math.min(rejections++, 3)] ?? 0, abort);
        }
      }
      await this.awaitRoom();
    }
    await Promise.all(this.busy);
  }

  private async awaitRoom(): Promise<void> {
    while (this.busy.size >= this.concurrency && !this.isStopping) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Fetches what the cancelled poll was granted: its answer may have been on the way. */
  private async pollLast(attempt: string): Promise<void> {
    try {
      await this.pollOnce(attempt, { waitMs: 0, giveUpAfter: TRY_TIMEOUT });
    } catch (error) {
      this.logger.warn("hapax: the last poll failed; its items are handed out again when their leases expire:", error);
    }
  }

  private async pollOnce(attempt: string, options: PollOptions): Promise<Answer<readonly M[]>> {
    const answer = await this.poll(attempt, Math.min(this.concurrency - this.busy.size, MOST_ITEMS), options);
    for (const item of answer.response) {
      const done = this.work(item, answer)
        .catch((error: unknown) =>
          this.logger.error(`hapax: an item of ${this.name} failed; it is handed out again when its lease expires:`, error),
        )
        .finally(() => {
          this.busy.delete(done);
          this.wake();
        });
      this.busy.add(done);
    }
    return answer;
  }
}
