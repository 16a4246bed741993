package dev.hapax.client.internal;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;

/** Sends the current span with calls. */
public final class SentTrace {

  private static final Metadata.Key<String> KEY =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  private SentTrace() {}

  /** A channel whose calls send the current span. */
  public static Channel sendCurrent(Channel channel) {
    String span = DetectedTraces.INSTANCE.current();
    if (span.isEmpty()) {
      return channel;
    }
    Metadata headers = new Metadata();
    headers.put(KEY, span);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }
}
