package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import java.util.function.Consumer;
import java.util.function.Function;

/** The outcome of a call on a stream; encoded when the client reads. */
final class StreamAnswer<O, A extends MessageLite, B> implements StreamPart<B> {
  private final StreamMessages<?, A, B> messages;
  private final int callId;
  private final O outcome;
  private final Function<? super O, A> encode;
  private final Consumer<? super O> giveBack;
  private boolean isGivenBack;

  StreamAnswer(
      StreamMessages<?, A, B> messages,
      int callId,
      O outcome,
      Function<? super O, A> encode,
      Consumer<? super O> giveBack) {
    this.messages = messages;
    this.callId = callId;
    this.outcome = outcome;
    this.encode = encode;
    this.giveBack = giveBack;
  }

  @Override
  public int addTo(B message) {
    A answer;
    try {
      answer = encode.apply(outcome);
    } catch (RuntimeException e) {
      drop();
      return new Refused<>(messages, callId, e).addTo(message);
    }
    messages.add().accept(message, answer);
    return answer.getSerializedSize();
  }

  @Override
  public void drop() {
    if (!isGivenBack) {
      isGivenBack = true;
      giveBack.accept(outcome);
    }
  }

  /** A call that failed: its answer has the error of its rpc. */
  record Refused<A extends MessageLite, B>(
      StreamMessages<?, A, B> messages, int callId, Throwable failure) implements StreamPart<B> {

    @Override
    public int addTo(B message) {
      var answer = messages.error().apply(callId, ErrorEncoding.error(failure));
      messages.add().accept(message, answer);
      return answer.getSerializedSize();
    }

    @Override
    public void drop() {}
  }
}
