package dev.hapax.postgres.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Connections of one database that record the text of every statement they send. */
final class RecordedConnections {
  private final DataSource database;
  private final List<String> sent = new ArrayList<>();

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
  synchronized List<String> take() {
    var statements =
        sent.stream()
            .flatMap(text -> Stream.of(text.split(";\\s*\n")))
            .map(String::strip)
            .filter(text -> !text.isEmpty())
            .toList();
    sent.clear();
    return statements;
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
                yield result;
              }
              case "createStatement" -> recorded((Statement) result);
              default -> result;
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
