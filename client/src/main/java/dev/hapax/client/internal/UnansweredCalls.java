package dev.hapax.client.internal;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The unanswered calls of one stream, sent and unsent. */
public final class UnansweredCalls {

  private static final int MAX_CALLS = 1_000;
  private static final int MAX_BYTES = 256 << 10;

  // guarded by this
  private final Map<Integer, StreamedCall<?, ?>> all = new HashMap<>();
  private final Map<Integer, StreamedCall<?, ?>> unsent = new LinkedHashMap<>();
  private List<Integer> cancelled = new ArrayList<>();
  private int lastId;

  /** Adds a call; returns its id. */
  public synchronized int add(StreamedCall<?, ?> call) {
    int id = ++lastId;
    all.put(id, call);
    unsent.put(id, call);
    return id;
  }

  /** Removes a cancelled call; true if Hapax must be notified. */
  synchronized boolean forget(int id) {
    boolean isSent = all.remove(id) != null && unsent.remove(id) == null;
    if (isSent) {
      cancelled.add(id);
    }
    return isSent;
  }

  synchronized boolean hasUnsent() {
    return !unsent.isEmpty() || !cancelled.isEmpty();
  }

  /** The unsent calls that fit into one message; they count as sent from now on. */
  synchronized Map<Integer, StreamedCall<?, ?>> takeUnsent() {
    Map<Integer, StreamedCall<?, ?>> calls = new LinkedHashMap<>();
    int bytes = 0;
    var left = unsent.entrySet().iterator();
    while (left.hasNext() && calls.size() < MAX_CALLS && bytes < MAX_BYTES) {
      var call = left.next();
      calls.put(call.getKey(), call.getValue());
      bytes += ((MessageLite) call.getValue().request()).getSerializedSize();
      left.remove();
    }
    return calls;
  }

  synchronized List<Integer> takeCancelled() {
    List<Integer> ids = cancelled;
    if (!ids.isEmpty()) {
      cancelled = new ArrayList<>();
    }
    return ids;
  }

  /** Removes the call of a response; null = the call was cancelled. */
  synchronized @Nullable StreamedCall<?, ?> answered(int id) {
    return all.remove(id);
  }

  public synchronized boolean isEmpty() {
    return all.isEmpty();
  }

  public synchronized List<StreamedCall<?, ?>> all() {
    return List.copyOf(all.values());
  }

  synchronized List<StreamedCall<?, ?>> takeAll() {
    List<StreamedCall<?, ?>> calls = all();
    all.clear();
    unsent.clear();
    return calls;
  }
}
