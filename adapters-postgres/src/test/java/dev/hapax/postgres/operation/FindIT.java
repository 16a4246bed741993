package dev.hapax.postgres.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.testkit.operation.Caller;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FindIT {
  /** Connections that do this once, before the finished operations are read. */
  private static DataSource interrupted(DataSource database, Runnable meanwhile) {
    var done = new AtomicBoolean();
    return around(
        DataSource.class,
        (method, arguments) -> {
          var result = call(database, method, arguments);
          return result instanceof Connection connection
              ? interrupted(connection, done, meanwhile)
              : result;
        });
  }

  private static Connection interrupted(
      Connection connection, AtomicBoolean done, Runnable meanwhile) {
    return around(
        Connection.class,
        (method, arguments) -> {
          if (method.getName().equals("prepareStatement")
              && String.valueOf(arguments[0]).contains("operation_result")
              && done.compareAndSet(false, true)) {
            meanwhile.run();
          }
          return call(connection, method, arguments);
        });
  }

  private interface Calls {
    Object of(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T around(Class<T> type, Calls calls) {
    return type.cast(
        Proxy.newProxyInstance(
            FindIT.class.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> calls.of(method, arguments)));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  @DisplayName("given an operation released during a read, then it is found before or after that")
  void released() {
    try (var nodes = new OperationNodes(1)) {
      var caller = Caller.of("found");
      var begun = nodes.submit(caller.begin("first")).join();
      var claim = ((BeginOutcome.Acquired) begun).claim();
      nodes.submit(Caller.complete(claim)).join();
      var database =
          interrupted(nodes.dataSource(), () -> nodes.submit(caller.release("r1")).join());
      try (var reads = new ReadExecutor(database, 1)) {
        assertThat(
                new PostgresOperationReads(reads, new WideReads(reads), new PendingIntents())
                    .find(caller.id())
                    .join())
            .isPresent();
      }
      assertThat(nodes.find(caller.id())).as("released meanwhile").isPresent();
    }
  }
}
