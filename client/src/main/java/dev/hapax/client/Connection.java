package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Calls.Budget;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the verbs of one client share.
 *
 * @param workspace empty = that of the API key
 * @param actor on whose behalf; empty = the principal
 * @param callTimeout how long to repeat a call before work has begun
 * @param recordTimeout how long to repeat the record of work that is done
 */
record Connection(
    Calls calls,
    Renewals renewals,
    String workspace,
    String actor,
    Json json,
    Observer observer,
    Executor executor,
    Duration callTimeout,
    Duration recordTimeout) {

  <Q extends Message, R extends Message> R call(Q request, R type) {
    return calls.send(request, type, Budget.of(callTimeout)).message();
  }

  <Q extends Message, R extends Message> Answer<R> begin(Q request, R type, Duration wait) {
    return calls.send(request, type, Budget.of(callTimeout).holding(wait));
  }

  /** Records the end of work, for as long as it may count. */
  <Q extends Message, R extends Message> Answer<R> record(Q request, R type, Claim claim) {
    return calls.send(request, type, Budget.record(recordTimeout, () -> !claim.isLost()));
  }

  <T extends @Nullable Object> T read(Codec<T> codec, dev.hapax.v1.@Nullable Payload stored) {
    return codec.read(stored == null ? null : Payloads.value(stored), json);
  }

  <T extends @Nullable Object> dev.hapax.v1.@Nullable Payload write(Codec<T> codec, T value) {
    return Payloads.of(codec.write(value, json));
  }

  Connection by(Calls.Router router) {
    return new Connection(
        calls.by(router),
        renewals,
        workspace,
        actor,
        json,
        observer,
        executor,
        callTimeout,
        recordTimeout);
  }

  /** Writes what a caller passes as a payload: a {@link Value}, or anything with a JSON. */
  dev.hapax.v1.@Nullable Payload payload(@Nullable Object payload) {
    return payload instanceof Value value
        ? Payloads.of(value)
        : payload == null ? null : Payloads.json(json.write(payload));
  }

  Connection workspace(String other) {
    return new Connection(
        calls, renewals, other, actor, json, observer, executor, callTimeout, recordTimeout);
  }

  Connection actor(String other) {
    return new Connection(
        calls, renewals, workspace, other, json, observer, executor, callTimeout, recordTimeout);
  }

  Connection callTimeout(Duration other) {
    return new Connection(
        calls, renewals, workspace, actor, json, observer, executor, other, recordTimeout);
  }
}
