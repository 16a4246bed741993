package dev.hapax.http;

import com.google.protobuf.ByteString;
import java.util.Map;

/**
 * The answer to a {@link WebRequest}; to a HEAD it is sent without its body.
 *
 * @param headers with the type of the body
 */
public record WebResponse(int status, Map<String, String> headers, ByteString body) {
  public WebResponse {
    headers = Map.copyOf(headers);
  }
}
