package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Hapax;
import dev.hapax.outbox.OutboxRelay;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A relay in a process of its own, which is killed before it removes the first intent. */
final class OutboxRelayMain {
  static final int KILLED = 99;

  private OutboxRelayMain() {}

  /** Arguments: HOST:PORT, workspace, the URL of the database. */
  public static void main(String[] arguments) throws InterruptedException {
    var source = new PGSimpleDataSource();
    source.setURL(arguments[2]);
    var hapax =
        Hapax.builder()
            .channel(TestAccess.channel(arguments[0]).build())
            .workspace(arguments[1])
            .connect();
    var _ = OutboxRelay.start(hapax, halting(DataSource.class, source));
    new CountDownLatch(1).await();
  }

  /** Ends the JVM, without any shutdown, when a statement that removes rows is prepared. */
  private static <T> T halting(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && arguments[0].toString().startsWith("DELETE")) {
                Runtime.getRuntime().halt(KILLED);
              }
              try {
                var result = method.invoke(target, arguments);
                return result instanceof Connection connection
                    ? halting(Connection.class, connection)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
