package dev.hapax.http;

import com.google.protobuf.Message;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Answers with one message, or with an error and its status. */
final class UnaryAnswer implements CallAnswer {
  private final HttpExchange exchange;
  private final BodyCodec codec;
  private @Nullable Message message;

  UnaryAnswer(HttpExchange exchange, BodyCodec codec) {
    this.exchange = exchange;
    this.codec = codec;
  }

  @Override
  public byte[] request(byte[] body) {
    return body;
  }

  /** Nothing: the status of the answer is not known. */
  @Override
  public void begin() {}

  @Override
  public void add(Message next, Runnable received) {
    message = next;
  }

  @Override
  public void complete() {
    exchange.answer(HttpAnswer.ok(codec, codec.write(Objects.requireNonNull(message))));
  }

  @Override
  public void fail(ConnectError error) {
    exchange.answer(HttpAnswer.of(error));
  }

  @Override
  public void refuse(RefusedRequestException refusal) {
    exchange.answer(refusal.answer());
  }
}
