package dev.hapax.application.intent;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.ledger.RecordKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The intents that this node takes, one lane for each record that they name. An intent is taken
 * when it is the first in all of its lanes. A lane that has to wait is closed: its later intents
 * stay in the inbox until a scan from the beginning. Only a cancellation passes signals that wait,
 * as they may wait because the run does not take them.
 */
final class IntentLanes {
  /** The longest lane. */
  static final int MAX_LANE = 100;

  /** With as many intents or bytes, no more are read; of one workspace with half of them. */
  static final int MAX_INTENTS = 1_000;

  static final int MAX_BYTES = 8 << 20;

  // all guarded by this
  private final Map<IntentId, PostedIntent> known = new HashMap<>();
  private final Map<RecordKey<?>, Deque<PostedIntent>> lanes = new HashMap<>();
  private final Set<RecordKey<?>> closed = new HashSet<>();

  /** The closed lanes that a cancellation may not enter: not only signals wait. */
  private final Set<RecordKey<?>> closedToAll = new HashSet<>();

  /** The bytes of a workspace and the number of its intents. */
  private final Map<Workspace, Load> loads = new HashMap<>();

  private long bytes;

  private record Load(int intents, long bytes) {
    static final Load NONE = new Load(0, 0);

    Load with(int sign, PostedIntent intent) {
      return new Load(intents + sign, bytes + sign * (long) intent.size());
    }
  }

  /**
   * What follows from the end of an intent.
   *
   * @param ready to be taken now
   * @param isReopened a closed lane is empty, so a scan from the beginning finds its intents
   */
  record Next(List<PostedIntent> ready, boolean isReopened) {}

  /** Opens all lanes of a workspace, for a scan from the beginning. */
  synchronized void open(Workspace workspace) {
    closed.removeIf(name -> name.workspace().equals(workspace));
    closedToAll.removeIf(name -> name.workspace().equals(workspace));
  }

  /** Adds an intent behind the others; returns whether it may be taken now. */
  synchronized boolean add(PostedIntent intent) {
    if (known.containsKey(intent.id())) {
      return false;
    }
    var names = intent.request().names();
    var shut = isCancellation(intent) ? closedToAll : closed;
    if (names.stream().anyMatch(name -> shut.contains(name) || isFull(name))) {
      close(intent);
      return false;
    }
    known.put(intent.id(), intent);
    count(intent, 1);
    names.forEach(name -> lanes.computeIfAbsent(name, _ -> new ArrayDeque<>()).add(intent));
    return isFirst(intent);
  }

  private boolean isFull(RecordKey<?> name) {
    var lane = lanes.get(name);
    return lane != null && lane.size() >= MAX_LANE;
  }

  /** Closes the lanes of an intent that is not added: later ones must not pass it. */
  synchronized void close(PostedIntent intent) {
    closed.addAll(intent.request().names());
    if (!isSignal(intent)) {
      closedToAll.addAll(intent.request().names());
    }
  }

  private static boolean isSignal(PostedIntent intent) {
    return intent.request() instanceof IntentRequest.SignalTo;
  }

  private static boolean isCancellation(PostedIntent intent) {
    return intent.request() instanceof IntentRequest.Cancel;
  }

  private boolean isFirst(PostedIntent intent) {
    return intent.request().names().stream()
        .allMatch(name -> intent.equals(lanes.getOrDefault(name, new ArrayDeque<>()).peekFirst()));
  }

  /** Removes an intent that was taken. */
  synchronized Next taken(PostedIntent intent) {
    forget(intent);
    var next = new LinkedHashSet<PostedIntent>();
    var isReopened = false;
    for (var name : intent.request().names()) {
      var lane = lanes.getOrDefault(name, new ArrayDeque<>());
      lane.remove(intent);
      if (lane.isEmpty()) {
        lanes.remove(name);
        isReopened |= closed.contains(name);
      } else {
        next.add(lane.getFirst());
      }
    }
    return new Next(next.stream().filter(this::isFirst).toList(), isReopened);
  }

  /**
   * Removes an intent that stays in the inbox, with the later ones that must not pass it. Returns
   * the cancellations that may be taken now.
   */
  synchronized List<PostedIntent> defer(PostedIntent intent) {
    var passing = new LinkedHashSet<PostedIntent>();
    leave(intent, passing);
    return passing.stream().filter(this::isFirst).toList();
  }

  private void leave(PostedIntent intent, Set<PostedIntent> passing) {
    forget(intent);
    close(intent);
    for (var name : intent.request().names()) {
      var lane = lanes.getOrDefault(name, new ArrayDeque<>());
      var behind = new ArrayList<PostedIntent>();
      var isBehind = false;
      var onlySignalsWait = isSignal(intent);
      for (var each : lane) {
        if (isBehind && onlySignalsWait && isCancellation(each)) {
          passing.add(each);
        } else if (isBehind) {
          behind.add(each);
          onlySignalsWait &= isSignal(each);
        }
        isBehind |= each.equals(intent);
      }
      lane.remove(intent);
      if (lane.isEmpty()) {
        lanes.remove(name);
      }
      behind.forEach(each -> leave(each, passing));
    }
  }

  private void forget(PostedIntent intent) {
    if (known.remove(intent.id()) != null) {
      count(intent, -1);
    }
  }

  private void count(PostedIntent intent, int sign) {
    bytes += sign * (long) intent.size();
    var workspace = intent.id().workspace();
    var load = loads.getOrDefault(workspace, Load.NONE).with(sign, intent);
    if (load.intents() == 0) {
      loads.remove(workspace);
    } else {
      loads.put(workspace, load);
    }
  }

  /** Whether another page of a workspace may be read. */
  synchronized boolean hasRoom(Workspace workspace) {
    var load = loads.getOrDefault(workspace, Load.NONE);
    return known.size() < MAX_INTENTS
        && bytes < MAX_BYTES
        && load.intents() < MAX_INTENTS / 2
        && load.bytes() < MAX_BYTES / 2;
  }
}
