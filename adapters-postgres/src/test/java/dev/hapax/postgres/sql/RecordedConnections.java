package dev.hapax.postgres.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of one database that record the text of every statement they send. */
final class RecordedConnections {
  private final DataSource database;
  private static final Pattern PARTS = Pattern.compile(";\\s*\n");
  private final List<String> sent = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();

  /** One value of a statement: the call that set it, with its arguments behind the place. */
  private record Bound(Method set, int place, List<@Nullable Object> others) {
    static Bound of(Method set, Object[] arguments) {
      var others = new ArrayList<@Nullable Object>(Arrays.asList(arguments));
      return new Bound(set, (Integer) others.removeFirst(), others);
    }

    /** The same value of a statement that begins this many places later. */
    Bound moved(int places) {
      return new Bound(set, place - places, others);
    }

    void to(PreparedStatement statement) throws SQLException {
      var arguments = new ArrayList<@Nullable Object>(others);
      arguments.addFirst(place);
      try {
        set.invoke(statement, arguments.toArray());
      } catch (ReflectiveOperationException e) {
        throw new SQLException(e);
      }
    }
  }

  /** A text that was sent with its values; a text of several statements is a pipeline. */
  record Call(String text, List<Bound> values) {

    void bind(PreparedStatement statement) throws SQLException {
      for (var value : values) {
        value.to(statement);
      }
    }

    /** The statements of a pipeline, each with its own values. */
    List<Call> statements() {
      var statements = new ArrayList<Call>();
      var before = 0;
      for (var part : PARTS.splitAsStream(text).toList()) {
        var first = before;
        var last = before + Math.toIntExact(part.chars().filter(c -> c == '?').count());
        var own =
            values.stream()
                .filter(value -> value.place() > first && value.place() <= last)
                .map(value -> value.moved(first))
                .toList();
        if (!part.isBlank()) {
          statements.add(new Call(part, own));
        }
        before = last;
      }
      return statements;
    }
  }

  RecordedConnections(DataSource database) {
    this.database = database;
  }

  DataSource dataSource() {
    return wrap(
        DataSource.class,
        database,
        (method, result, _) ->
            method.getName().equals("getConnection") ? recorded((Connection) result) : result);
  }

  /** The statements since the last call; the parts of a pipeline are statements of their own. */
  List<String> take() {
    return takeRoundTrips().stream().flatMap(List::stream).toList();
  }

  /** The statements since the last call, by the text that was sent at once. */
  synchronized List<List<String>> takeRoundTrips() {
    var trips =
        sent.stream()
            .map(
                text ->
                    PARTS
                        .splitAsStream(text)
                        .map(String::strip)
                        .filter(part -> !part.isEmpty())
                        .toList())
            .toList();
    sent.clear();
    return trips;
  }

  /** The prepared statements since the last call, with their values. */
  synchronized List<Call> takeCalls() {
    var taken = List.copyOf(calls);
    calls.clear();
    return taken;
  }

  private synchronized void add(Call call) {
    calls.add(call);
  }

  private synchronized void add(Object text) {
    sent.add((String) text);
  }

  private Connection recorded(Connection connection) {
    return wrap(
        Connection.class,
        connection,
        (method, result, arguments) ->
            switch (method.getName()) {
              case "prepareStatement" -> {
                add(arguments[0]);
                yield bound((PreparedStatement) result, (String) arguments[0]);
              }
              case "createStatement" -> recorded((Statement) result);
              default -> result;
            });
  }

  private PreparedStatement bound(PreparedStatement statement, String text) {
    var values = new ArrayList<Bound>();
    add(new Call(text, values));
    return wrap(
        PreparedStatement.class,
        statement,
        (method, result, arguments) -> {
          if (method.getName().startsWith("set") && method.getParameterCount() > 1) {
            values.add(Bound.of(method, arguments));
          }
          return result;
        });
  }

  private Statement recorded(Statement statement) {
    return wrap(
        Statement.class,
        statement,
        (method, result, arguments) -> {
          if (method.getName().startsWith("execute")) {
            add(arguments[0]);
          }
          return result;
        });
  }

  /** Takes a call that was made, and returns the result to give instead. */
  private interface Observer {
    Object returned(Method method, Object result, Object[] arguments);
  }

  private static <T> T wrap(Class<T> type, T target, Observer observer) {
    InvocationHandler handler =
        (_, method, arguments) -> {
          try {
            return observer.returned(method, method.invoke(target, arguments), arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
