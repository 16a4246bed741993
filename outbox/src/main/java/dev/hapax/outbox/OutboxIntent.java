package dev.hapax.outbox;

import java.util.Set;

/**
 * An intent in the outbox of a database.
 *
 * @param seq its number in the outbox, which orders intents of one lane
 * @param tries how often a full inbox of its run put it off
 * @param lanes the run, the token and the key that it names: those who share one are sent in order,
 *     one at a time
 */
record OutboxIntent(long seq, String ticket, int tries, Set<String> lanes, OutboxCall<?, ?> call) {

  OutboxIntent {
    lanes = Set.copyOf(lanes);
  }
}
