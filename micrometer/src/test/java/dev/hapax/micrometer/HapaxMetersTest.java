package dev.hapax.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Observer.CallKind;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.Observer.HttpOutcome;
import dev.hapax.client.Observer.TaskKind;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HapaxMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final HapaxMeters meters = new HapaxMeters(registry);

  @Test
  @DisplayName("given events of each kind, then the five meters have them with their labels")
  void meters() {
    meters.called("StartRun", CallKind.OK, Duration.ofMillis(2));
    meters.called("StartRun", CallKind.OK, Duration.ofMillis(4));
    meters.worked("order", "charge", TaskKind.COMPLETED, Duration.ofSeconds(1));
    meters.lost(HolderKind.TASK);
    meters.slotsChanged(0, 3);
    meters.slotsChanged(1, -1);
    meters.served(HttpOutcome.KEY_REUSED, Duration.ofMillis(1));

    assertThat(registry.getMeters())
        .extracting(HapaxMetersTest::text)
        .containsExactlyInAnyOrder(
            "hapax.calls[kind=ok, method=StartRun]",
            "hapax.tasks[definition=order, kind=completed, step=charge]",
            "hapax.claims.lost[kind=task]",
            "hapax.worker.slots[state=busy]",
            "hapax.worker.slots[state=free]",
            "hapax.http[outcome=key_reused]");
    var calls = registry.get("hapax.calls").timer();
    assertThat(calls.count()).isEqualTo(2);
    assertThat(calls.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(6);
    assertThat(registry.get("hapax.worker.slots").tag("state", "busy").gauge().value())
        .isEqualTo(1);
    assertThat(registry.get("hapax.worker.slots").tag("state", "free").gauge().value())
        .isEqualTo(2);
  }

  private static String text(Meter meter) {
    return meter.getId().getName()
        + meter.getId().getTags().stream()
            .map(tag -> tag.getKey() + "=" + tag.getValue())
            .sorted()
            .toList();
  }
}
