package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.ledger.Counter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class RecordTablesTest {
  private static final Counter.Key KEY = TestLedgers.key("counter");
  private final RecordMemory<Counter.Key, Counter> memory =
      new RecordMemory<>(DSL.field("id", UUID.class), _ -> new UUID(0, 0), _ -> 1);
  private final RecordTables tables = new RecordTables(List.of(new Remembering()));

  private final class Remembering implements RecordTable<Counter.Key, Counter> {
    @Override
    public Class<Counter.Key> keys() {
      return Counter.Key.class;
    }

    @Override
    public Comparator<Counter.Key> lockOrder() {
      return Comparator.comparing(Counter.Key::name);
    }

    @Override
    public Optional<RecordMemory<Counter.Key, Counter>> memory() {
      return Optional.of(memory);
    }

    @Override
    public void lock(
        Pipeline pipeline, List<Counter.Key> keys, Loading<Counter.Key, Counter> loading) {}

    @Override
    public void insert(Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {}
  }

  /** A connection of a pool around a session. */
  private static Connection pooled(PGConnection session) {
    return proxy(Connection.class, (_, _, _) -> session);
  }

  private static PGConnection session() {
    return proxy(
        PGConnection.class,
        (proxy, method, arguments) ->
            method.getName().equals("equals")
                ? System.identityHashCode(proxy) == System.identityHashCode(arguments[0])
                : System.identityHashCode(proxy));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private void remember() {
    memory.put(KEY, new Counter(1), new RowVersion("1"), memory.epoch());
  }

  @Test
  @DisplayName("a new session forgets what was remembered, and a known one does not")
  void newSession() {
    var first = session();
    tables.load(pooled(first), List.of(), false);
    remember();

    tables.load(pooled(first), List.of(), false);
    assertThat(memory.take(KEY)).isPresent();

    remember();
    tables.load(pooled(session()), List.of(), false);
    assertThat(memory.take(KEY)).isEmpty();
  }
}
