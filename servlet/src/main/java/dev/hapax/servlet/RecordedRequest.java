package dev.hapax.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The request as its handler uses it, with the body that the filter has read. */
final class RecordedRequest extends HttpServletRequestWrapper {

  private final WholeBody body;
  private final Exchange exchange;
  private final RecordedResponse response;
  private final BodyInput input;
  private @Nullable BufferedReader reader;
  private @Nullable Map<String, String[]> parameters;
  private @Nullable List<Part> parts;

  RecordedRequest(
      HttpServletRequest request, WholeBody body, Exchange exchange, RecordedResponse response) {
    super(request);
    this.body = body;
    this.exchange = exchange;
    this.response = response;
    this.input = new BodyInput(body);
  }

  @Override
  public ServletInputStream getInputStream() {
    return input;
  }

  @Override
  public BufferedReader getReader() {
    if (reader == null) {
      String charset = Objects.requireNonNullElse(getCharacterEncoding(), "ISO-8859-1");
      reader = new BufferedReader(new InputStreamReader(input, Charset.forName(charset)));
    }
    return reader;
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    if (parameters == null) {
      parameters = Collections.unmodifiableMap(readParameters());
    }
    return parameters;
  }

  private Map<String, String[]> readParameters() {
    FormBody form = FormBody.of(getContentType(), getCharacterEncoding());
    return switch (form.kind()) {
      // the container would read the body again, in which nothing is left
      case URLENCODED -> form.parameters(getQueryString(), body, List.of());
      case MULTIPART -> form.parameters(getQueryString(), body, bodyParts(form));
      case OTHER -> super.getParameterMap();
    };
  }

  private List<Part> bodyParts(FormBody form) {
    if (parts == null) {
      parts = form.parts(body, folder());
    }
    return parts;
  }

  private Path folder() {
    return getServletContext().getAttribute(ServletContext.TEMPDIR) instanceof File folder
        ? folder.toPath()
        : Path.of(System.getProperty("java.io.tmpdir"));
  }

  @Override
  public @Nullable String getParameter(String name) {
    String[] values = getParameterMap().get(name);
    return values == null ? null : values[0];
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    String[] values = getParameterMap().get(name);
    return values == null ? null : values.clone();
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(getParameterMap().keySet());
  }

  @Override
  public Collection<Part> getParts() throws IOException, ServletException {
    FormBody form = FormBody.of(getContentType(), getCharacterEncoding());
    if (form.kind() != FormBody.Kind.MULTIPART) {
      throw new ServletException("the request is not multipart/form-data");
    }
    try {
      return Collections.unmodifiableList(bodyParts(form));
    } catch (IllegalArgumentException broken) {
      throw new ServletException(broken.getMessage(), broken);
    }
  }

  @Override
  public @Nullable Part getPart(String name) throws IOException, ServletException {
    return getParts().stream().filter(each -> each.getName().equals(name)).findFirst().orElse(null);
  }

  @Override
  public AsyncContext startAsync() {
    return startAsync(this, response);
  }

  @Override
  public AsyncContext startAsync(ServletRequest started, ServletResponse to) {
    return RecordedAsync.started(super.startAsync(started, to), exchange);
  }

  @Override
  public AsyncContext getAsyncContext() {
    return new RecordedAsync(super.getAsyncContext(), exchange);
  }

  @Override
  public <T extends HttpUpgradeHandler> T upgrade(Class<T> handler)
      throws IOException, ServletException {
    response.stream();
    return super.upgrade(handler);
  }
}
