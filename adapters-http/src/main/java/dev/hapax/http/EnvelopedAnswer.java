package dev.hapax.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;

/** Answers with messages as they come, and then with how the call has ended. */
final class EnvelopedAnswer implements CallAnswer {
  private static final ByteString NO_ERROR = ByteString.copyFromUtf8("{}");

  private final HttpExchange exchange;
  private final BodyCodec codec;
  private boolean hasBegun;
  private boolean hasEnded;

  EnvelopedAnswer(HttpExchange exchange, BodyCodec codec) {
    this.exchange = exchange;
    this.codec = codec;
  }

  @Override
  public byte[] request(byte[] body) throws RefusedRequestException {
    return Envelope.read(body);
  }

  /** Its status says nothing of the call: that has not ended. */
  @Override
  public void begin() {
    if (!hasBegun) {
      hasBegun = true;
      exchange.beginStream(codec.contentType(true));
    }
  }

  @Override
  public void add(Message message, Runnable next) {
    if (!hasEnded) {
      begin();
      exchange.write(Envelope.message(codec.write(message)), next);
    }
  }

  @Override
  public void complete() {
    end(NO_ERROR);
  }

  @Override
  public void fail(ConnectError error) {
    end(error.end());
  }

  @Override
  public void refuse(RefusedRequestException refusal) {
    fail(refusal.error());
  }

  private void end(ByteString json) {
    if (!hasEnded) {
      begin();
      hasEnded = true;
      exchange.write(Envelope.end(json), () -> {});
      exchange.finish();
    }
  }
}
