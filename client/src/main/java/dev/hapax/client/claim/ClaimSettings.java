package dev.hapax.client.claim;

import dev.hapax.client.ClientOptions;
import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import java.time.Duration;

/** Settings of {@link Claims}. */
record ClaimSettings(
    ClientOptions options,
    Timing timing,
    RetryingCalls transport,
    String actor,
    Duration holdAtMost,
    boolean interruptWhenLost) {

  static ClaimSettings of(ClientConnection connection) {
    return new ClaimSettings(
        connection.options(),
        connection.timing(),
        connection.calls(CallRoute.NONE),
        connection.options().actor(),
        Duration.ofHours(1),
        false);
  }

  ClaimSettings withActor(String actor) {
    return new ClaimSettings(options, timing, transport, actor, holdAtMost, interruptWhenLost);
  }

  ClaimSettings withHoldAtMost(Duration holdAtMost) {
    return new ClaimSettings(options, timing, transport, actor, holdAtMost, interruptWhenLost);
  }

  ClaimSettings withInterruptWhenLost(boolean interruptWhenLost) {
    return new ClaimSettings(options, timing, transport, actor, holdAtMost, interruptWhenLost);
  }
}
