package dev.hapax.bootstrap.kit;

import com.google.protobuf.Value;
import dev.hapax.client.Hapax;
import dev.hapax.servlet.IdempotencyFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** The servlet behind the filter of the Java client; it stands for one of a user. */
final class JavaPayServlet extends HttpServlet {
  private final transient List<Value> work;
  private final transient Handler handler;

  /** The work of a request; the JSON of its result. */
  interface Handler {
    String handle(JavaWork.Held held, String key, List<Value> work) throws Exception;
  }

  private JavaPayServlet(List<Value> work, Handler handler) {
    this.work = work;
    this.handler = handler;
  }

  /** Serves {@code /pay} until the program ends; the port. */
  static int serve(Hapax client, List<Value> work, Handler handler)
      throws IOException, LifecycleException {
    var folder = Files.createTempDirectory("hapax-tomcat");
    folder.toFile().deleteOnExit();
    var tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    var context = tomcat.addContext("", folder.toString());
    var filter = new FilterDef();
    filter.setFilterName("idempotency");
    filter.setFilter(IdempotencyFilter.builder(client).required(true).build());
    filter.setAsyncSupported("true");
    context.addFilterDef(filter);
    var mapping = new FilterMap();
    mapping.setFilterName("idempotency");
    mapping.addURLPattern("/*");
    IdempotencyFilter.dispatches().stream()
        .map(DispatcherType::name)
        .forEach(mapping::setDispatcher);
    context.addFilterMap(mapping);
    Tomcat.addServlet(context, "pay", new JavaPayServlet(work, handler)).addMapping("/pay");
    var connector = tomcat.getConnector();
    tomcat.start();
    return connector.getLocalPort();
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    var status =
        work.stream()
            .map(part -> KitJson.text(part.getStructValue(), "status"))
            .filter(text -> !text.isEmpty())
            .findFirst();
    var parts =
        work.stream().filter(part -> !part.getStructValue().containsFields("status")).toList();
    var held = JavaWork.Held.of(IdempotencyFilter.claim(request).orElseThrow());
    String result;
    try {
      result = handler.handle(held, request.getHeader("Idempotency-Key"), parts);
    } catch (Exception thrown) {
      throw new ServletException(thrown);
    }
    response.setStatus(status.map(Integer::parseInt).orElse(HttpServletResponse.SC_CREATED));
    response.setContentType("application/json");
    response.getOutputStream().write(result.getBytes(StandardCharsets.UTF_8));
  }
}
