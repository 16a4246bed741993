package dev.hapax.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The handlers of the tests, by their path; each run of one is an effect. */
final class Handlers extends HttpServlet {

  /** Answers a request. */
  interface Handler {
    void handle(HttpServletRequest request, HttpServletResponse response) throws Exception;
  }

  private final transient Map<String, Handler> byPath = new ConcurrentHashMap<>();
  private final transient List<String> effects = new CopyOnWriteArrayList<>();

  void on(String path, Handler handler) {
    byPath.put(path, handler);
  }

  /** How many times a handler has run. */
  long effects(String path) {
    return effects.stream().filter(path::equals).count();
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    String path = Objects.requireNonNull(request.getPathInfo());
    effects.add(path);
    try {
      Objects.requireNonNull(byPath.get(path), path).handle(request, response);
    } catch (IOException | ServletException | RuntimeException thrown) {
      throw thrown;
    } catch (Exception thrown) {
      throw new ServletException(thrown);
    }
  }
}
