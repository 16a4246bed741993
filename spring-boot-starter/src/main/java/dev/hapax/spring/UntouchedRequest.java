package dev.hapax.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * A request that is only searched for its handler. Its attributes are copies, and its parameters
 * those of the query, since those of a form are in the body.
 */
final class UntouchedRequest extends HttpServletRequestWrapper {

  private final Map<String, Object> attributes = new HashMap<>();

  UntouchedRequest(HttpServletRequest request) {
    super(request);
    for (String name : Collections.list(request.getAttributeNames())) {
      attributes.put(name, request.getAttribute(name));
    }
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return attributes.get(name);
  }

  @Override
  public Enumeration<String> getAttributeNames() {
    return Collections.enumeration(attributes.keySet());
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    if (value == null) {
      attributes.remove(name);
    } else {
      attributes.put(name, value);
    }
  }

  @Override
  public void removeAttribute(String name) {
    attributes.remove(name);
  }

  private MultiValueMap<String, String> query() {
    return UriComponentsBuilder.newInstance().query(getQueryString()).build().getQueryParams();
  }

  @Override
  public @Nullable String getParameter(String name) {
    return query().getFirst(name);
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    var values = query().get(name);
    return values == null ? null : values.toArray(String[]::new);
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(query().keySet());
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    Map<String, String[]> all = new HashMap<>();
    query().forEach((name, values) -> all.put(name, values.toArray(String[]::new)));
    return all;
  }
}
