package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import java.util.function.Consumer;
import java.util.function.Function;

/** The answer of a call on a stream; encoded only when the client reads. */
final class StreamAnswer<O, A extends MessageLite, B> implements StreamPart<B> {
  private final StreamMessages<?, A, B> messages;
  private final int callId;
  private final O outcome;
  private final Function<? super O, A> encode;
  private final Consumer<? super O> releaseGrant;
  private boolean isReleased;

  StreamAnswer(
      StreamMessages<?, A, B> messages,
      int callId,
      O outcome,
      Function<? super O, A> encode,
      Consumer<? super O> releaseGrant) {
    this.messages = messages;
    this.callId = callId;
    this.outcome = outcome;
    this.encode = encode;
    this.releaseGrant = releaseGrant;
  }

  @Override
  public int addTo(B message) {
    A answer;
    try {
      answer = encode.apply(outcome);
    } catch (RuntimeException e) {
      drop();
      return new Rejected<>(messages, callId, e).addTo(message);
    }
    messages.add().accept(message, answer);
    return answer.getSerializedSize();
  }

  @Override
  public void drop() {
    if (!isReleased) {
      isReleased = true;
      releaseGrant.accept(outcome);
    }
  }

  /** A call that failed: its answer has the error of its rpc. */
  record Rejected<A extends MessageLite, B>(
      StreamMessages<?, A, B> messages, int callId, Throwable failure) implements StreamPart<B> {

    @Override
    public int addTo(B message) {
      var answer = messages.error().apply(callId, ItemErrorEncoding.error(failure));
      messages.add().accept(message, answer);
      return answer.getSerializedSize();
    }

    @Override
    public void drop() {}
  }
}
