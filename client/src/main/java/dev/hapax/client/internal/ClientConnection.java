package dev.hapax.client.internal;

import dev.hapax.client.ClientOptions;
import io.grpc.Channel;
import java.util.Objects;

/** The channel of one client, with its settings and its clock. */
public record ClientConnection(Channel channel, ClientOptions options, Timing timing) {

  /** Opens nothing. */
  public ClientConnection {
    Objects.requireNonNull(channel, "channel");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(timing, "timing");
  }

  /** Calls on this route. */
  public RetryingCalls calls(CallRoute route) {
    return new RetryingCalls(channel, timing, options.tryTimeout(), route, options.observer());
  }

  /** Unary calls that fail with a {@link dev.hapax.client.HapaxException}. */
  public UnaryCalls unaryCalls() {
    return unaryCalls(calls(CallRoute.NONE));
  }

  /** As {@link #unaryCalls()}, over existing calls. */
  public UnaryCalls unaryCalls(RetryingCalls calls) {
    return new UnaryCalls(calls, options.callTimeout());
  }
}
