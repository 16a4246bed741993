package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import dev.hapax.v1.HistoryView;
import dev.hapax.v1.Payload;
import java.util.function.UnaryOperator;

/** Reduces the events and steps of a list to what its caller reads. */
public final class HistoryViews {
  private HistoryViews() {}

  /** Decodes a view. */
  public static <M extends Message> UnaryOperator<M> read(HistoryView view) {
    return switch (view) {
      case HISTORY_VIEW_UNSPECIFIED, HISTORY_VIEW_FULL -> UnaryOperator.identity();
      case HISTORY_VIEW_BASIC -> HistoryViews::withoutPayloads;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  @SuppressWarnings("unchecked") // a builder builds what it was made of
  private static <M extends Message> M withoutPayloads(M message) {
    var builder = message.toBuilder();
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              if (value instanceof Payload) {
                builder.clearField(field);
              } else if (value instanceof Message part) {
                builder.setField(field, withoutPayloads(part));
              }
            });
    return (M) builder.build();
  }
}
