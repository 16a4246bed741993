package dev.hapax.bootstrap.server.metrics;

import com.google.protobuf.ByteString;
import dev.hapax.http.WebRequest;
import dev.hapax.http.WebResponse;
import io.prometheus.metrics.exporter.common.PrometheusHttpExchange;
import io.prometheus.metrics.exporter.common.PrometheusHttpRequest;
import io.prometheus.metrics.exporter.common.PrometheusHttpResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for metrics, as Prometheus' library reads and answers it. */
final class Scrape
    implements PrometheusHttpExchange, PrometheusHttpRequest, PrometheusHttpResponse {
  private final WebRequest request;
  private final Map<String, String> headers = new HashMap<>();
  private final ByteString.Output body = ByteString.newOutput();
  private int status;

  Scrape(WebRequest request) {
    this.request = request;
  }

  WebResponse response() {
    return new WebResponse(status, headers, body.toByteString());
  }

  @Override
  public PrometheusHttpRequest getRequest() {
    return this;
  }

  @Override
  public PrometheusHttpResponse getResponse() {
    return this;
  }

  @Override
  public @Nullable String getQueryString() {
    return request.address().getRawQuery();
  }

  @Override
  public Enumeration<String> getHeaders(String name) {
    return Collections.enumeration(request.headers().getOrDefault(name, List.of()));
  }

  @Override
  public String getMethod() {
    return request.method();
  }

  @Override
  public String getRequestPath() {
    return request.address().getPath();
  }

  @Override
  public void setHeader(String name, String value) {
    headers.put(name, value);
  }

  @Override
  public OutputStream sendHeadersAndGetBody(int code, int length) {
    status = code;
    return body;
  }

  @Override
  public void handleException(IOException e) throws IOException {
    throw e;
  }

  @Override
  public void handleException(RuntimeException e) {
    throw e;
  }

  @Override
  public void close() {}
}
