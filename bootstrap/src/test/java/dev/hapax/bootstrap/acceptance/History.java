package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Timestamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The answers to many clients, by key. Each answer carries when its request was first sent and when
 * it came, so that what must have been before something else can be told.
 */
final class History {
  /** When a request was first sent, and when it was answered. */
  record Span(long sent, long answered) {
    boolean endedBefore(Span other) {
      return answered < other.sent;
    }
  }

  record Granted(long fence, String attemptId, boolean reclaimed, Span when) {}

  record Accepted(long fence, String result, Span when) {}

  record Replayed(String result, Timestamp completedAt) {}

  /** Everything about one key. */
  private record Story(
      Queue<Granted> grants, Queue<Accepted> accepted, Queue<Replayed> replays, Set<Long> refused) {
    Story() {
      this(
          new ConcurrentLinkedQueue<>(),
          new ConcurrentLinkedQueue<>(),
          new ConcurrentLinkedQueue<>(),
          ConcurrentHashMap.newKeySet());
    }
  }

  private final ConcurrentMap<String, Story> stories = new ConcurrentHashMap<>();
  private final Queue<String> oddities = new ConcurrentLinkedQueue<>();
  private final AtomicInteger unavailable = new AtomicInteger();

  private Story story(String key) {
    return stories.computeIfAbsent(key, _ -> new Story());
  }

  void granted(String key, Granted grant) {
    story(key).grants.add(grant);
  }

  void accepted(String key, Accepted completion) {
    story(key).accepted.add(completion);
  }

  void replayed(String key, Replayed replay) {
    story(key).replays.add(replay);
  }

  /** A Complete with this fence got CLAIM_LOST. */
  void refused(String key, long fence) {
    story(key).refused.add(fence);
  }

  void unavailable() {
    unavailable.incrementAndGet();
  }

  /** Something that no caller should ever be told. */
  void odd(String what) {
    oddities.add(what);
  }

  /** Whether the key is held with a higher fence, or has ended. */
  boolean isReplaced(String key, long fence) {
    var story = story(key);
    return !story.accepted.isEmpty()
        || !story.replays.isEmpty()
        || story.grants.stream().anyMatch(grant -> grant.fence > fence);
  }

  Set<String> keys() {
    return stories.keySet();
  }

  long grants() {
    return stories.values().stream().mapToLong(story -> story.grants.size()).sum();
  }

  long takeOvers() {
    return stories.values().stream()
        .flatMap(story -> story.grants.stream())
        .filter(Granted::reclaimed)
        .count();
  }

  long accepted() {
    return stories.values().stream().filter(story -> !story.accepted.isEmpty()).count();
  }

  long refusals() {
    return stories.values().stream().mapToLong(story -> story.refused.size()).sum();
  }

  int timesUnavailable() {
    return unavailable.get();
  }

  /** The one result that was accepted for this key. */
  String result(String key) {
    return story(key).accepted.stream().findFirst().orElseThrow().result;
  }

  /** All that cannot have happened if everything happened once. */
  List<String> violations() {
    var found = new ArrayList<>(oddities);
    stories.forEach((key, story) -> new Check(key, story, found).run());
    return found;
  }

  private record Check(String key, Story story, List<String> found) {
    void run() {
      acceptsOne();
      replaysWhatWasAccepted();
      grantsInOrder();
      refusesOnlyTheReplaced();
    }

    private void say(String what) {
      found.add("%s: %s; %s".formatted(key, what, story));
    }

    private void acceptsOne() {
      if (story.accepted.stream().map(Accepted::fence).distinct().count() != 1) {
        say("not exactly one holder's result was accepted");
        return;
      }
      var accepted = story.accepted.element();
      if (story.grants.stream().anyMatch(grant -> grant.fence > accepted.fence)) {
        say("the result of a holder who had been replaced was accepted");
      }
      for (var completion : story.accepted) {
        if (story.grants.stream().anyMatch(grant -> completion.when.endedBefore(grant.when))) {
          say("granted again after it was completed");
        }
      }
    }

    private void replaysWhatWasAccepted() {
      var results = new HashSet<String>();
      story.accepted.forEach(completion -> results.add(completion.result));
      story.replays.forEach(replay -> results.add(replay.result));
      if (results.size() != 1) {
        say("several results");
      }
      if (story.replays.stream().map(Replayed::completedAt).distinct().count() > 1) {
        say("completed at several times");
      }
    }

    private void grantsInOrder() {
      for (var one : story.grants) {
        for (var other : story.grants) {
          if (one.fence == other.fence && !one.attemptId.equals(other.attemptId)) {
            say("one fence for two attempts");
          }
          if (one.when.endedBefore(other.when) && one.fence > other.fence) {
            say("a fence went back");
          }
        }
      }
    }

    private void refusesOnlyTheReplaced() {
      for (var fence : story.refused) {
        if (story.accepted.stream().anyMatch(completion -> completion.fence == fence)) {
          say("a completion was accepted and refused");
        }
        if (story.grants.stream().noneMatch(grant -> grant.fence > fence)) {
          say("a holder without a successor was rejected");
        }
      }
    }
  }
}
