package dev.hapax.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.security.Authenticator;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Credentials;
import dev.hapax.domain.security.Principal;
import dev.hapax.grpc.call.StoppableCall;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A4")
class OpenCallsTest {
  private static final Authenticated CALLER =
      new Authenticated(Principal.LOCAL, Optional.empty(), Instant.MAX);

  private final ManualScheduler timer = new ManualScheduler(new SettableClock());

  @Test
  @DisplayName("given calls that cannot be ended, then the others end, now and at the next check")
  void checksAllCalls() {
    var open = new OpenCalls(new Revoked());
    open.checkEvery(timer);
    var first = new Ended(false);
    List.of(first, new Ended(true), new Ended(true))
        .forEach(call -> open.add(new StoppableCall<>(call), CALLER));
    timer.advance(Duration.ofSeconds(5));
    assertThat(first.statuses).containsExactly(Status.Code.UNAUTHENTICATED);

    var later = new Ended(false);
    open.add(new StoppableCall<>(later), CALLER);
    timer.advance(Duration.ofSeconds(5));
    assertThat(later.statuses).containsExactly(Status.Code.UNAUTHENTICATED);
  }

  private static final class Revoked implements Authenticator {
    @Override
    public Recognition recognize(Credentials credentials) {
      return new Recognition.Known(CALLER);
    }

    @Override
    public boolean isLive(Authenticated caller) {
      return false;
    }
  }

  private static final class Ended extends ServerCall<String, String> {
    private final boolean throwing;
    private final List<Status.Code> statuses = new ArrayList<>();

    Ended(boolean throwing) {
      this.throwing = throwing;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (throwing) {
        throw new IllegalStateException("call already closed");
      }
      statuses.add(status.getCode());
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(String message) {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<String, String> getMethodDescriptor() {
      throw new UnsupportedOperationException();
    }
  }
}
