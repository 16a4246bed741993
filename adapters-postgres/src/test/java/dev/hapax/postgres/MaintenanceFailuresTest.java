package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.schema.SessionRoles;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A round that lets anything through would be the last one of its timer. */
@Tag("security-M1")
class MaintenanceFailuresTest {
  private final AtomicInteger opened = new AtomicInteger();
  private final DataSource broken =
      (DataSource)
          Proxy.newProxyInstance(
              DataSource.class.getClassLoader(),
              new Class<?>[] {DataSource.class},
              (_, _, _) -> {
                opened.incrementAndGet();
                throw new StackOverflowError("in the driver");
              });
  private final MaintenanceConnections connections =
      new MaintenanceConnections(broken, SessionRoles.LOGIN);

  @Test
  @DisplayName("given an error in the driver, then the next round of housekeeping can run")
  void housekeeping() {
    try (var housekeeping =
        new Housekeeping(connections, Duration.ofDays(1), Duration.ofDays(1), broken)) {
      assertThatCode(housekeeping::run).doesNotThrowAnyException();
      assertThat(opened).as("each kind of rows is tried").hasValue(7);
    }
  }

  @Test
  @DisplayName("given an error in the driver, then the next round of partitions can run")
  void partitions() {
    try (var partitions = new ResultPartitions(connections)) {
      assertThatCode(partitions::maintain).doesNotThrowAnyException();
      assertThat(opened).as("creation and removal are tried").hasValue(2);
    }
  }
}
