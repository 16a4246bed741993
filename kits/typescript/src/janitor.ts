/** The janitor of a module, which takes back what was abandoned. */

import type { Connection } from "./connection.js";
import { RecoveryOutcome } from "./gen/hapax/v1/entity_pb.js";
import type { Recovery as RecoveryMessage } from "./gen/hapax/v1/janitor_pb.js";
import { JanitorService } from "./gen/hapax/v1/janitor_service_pb.js";
import { type Loop, Poller } from "./polling.js";
import { duration } from "./values.js";

const { pollRecoveries, completeRecovery } = JanitorService.method;

/** An entity whose holder is gone. What the lost action wrote carries `lostFence`; `fence` is above it. */
export interface Recovery {
  readonly lifecycle: string;
  readonly entityId: string;
  readonly step: string;
  readonly requester: string;
  readonly action: string;
  readonly lostFence: bigint;
  readonly fence: bigint;
}

/** Whether the lost action took effect: COMPLETE moves the entity on, and REVERT takes it back. */
export type Verdict = "COMPLETE" | "REVERT";

/** How a janitor works. */
export interface JanitorOptions {
  /** How many recoveries it does at once; 10 unless given. */
  readonly concurrency?: number | undefined;
  /** How many milliseconds a check has; 60,000 unless given. */
  readonly leaseMs?: number | undefined;
}

/** See Client.janitor. */
export function janitor(
  connection: Connection,
  module: string,
  check: (recovery: Recovery) => Verdict | Promise<Verdict>,
  { concurrency = 10, leaseMs = 60_000 }: JanitorOptions,
): Loop {
  const recover = async ({ claim, entity, lost }: RecoveryMessage): Promise<void> => {
    const verdict = await check({
      lifecycle: entity?.lifecycle ?? "",
      entityId: entity?.id ?? "",
      step: lost?.stepKey ?? "",
      requester: lost?.requester ?? "",
      action: lost?.action ?? "",
      lostFence: lost?.fence ?? 0n,
      fence: claim?.fence ?? 0n,
    });
    const ended = await connection.record(completeRecovery, { claim, outcome: RecoveryOutcome[verdict] });
    connection.logger.info(`hapax: recovery of ${entity?.lifecycle} ${entity?.id}: ${verdict}, ${ended.response.outcome.case}`);
  };
  return new Poller<RecoveryMessage>(
    "PollRecoveries",
    concurrency,
    async (attemptId, maxRecoveries, options) => {
      const request = { module, lease: duration(leaseMs), attemptId, maxRecoveries };
      const answer = await connection.call(pollRecoveries, request, options);
      return { ...answer, response: answer.response.recoveries };
    },
    recover,
    connection.logger,
  );
}
