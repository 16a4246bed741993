package dev.hapax.client;

import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.RecordedStep;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The parts of a code step that earlier executions reported, by full name. Those that the task did
 * not bring are loaded when a name is missing.
 */
final class KnownParts {

  // guards the rest; a monitor would pin virtual threads while a page is loaded
  private final ReentrantLock lock = new ReentrantLock();
  private final PartReports reports;
  private final Map<String, RecordedStep> recorded = new HashMap<>();
  private final Map<String, OpenPart> open = new HashMap<>();
  private final Set<String> asked = new HashSet<>();
  private final Map<String, Set<String>> leftOver = new HashMap<>();
  private String nextPage;

  KnownParts(dev.hapax.v1.Task task, PartReports reports) {
    this.reports = reports;
    this.nextPage = task.getMoreRecordedToken();
    task.getOpenPartsList().forEach(part -> open.put(part.getName(), part));
    add(task.getRecordedList());
  }

  private void add(Collection<RecordedStep> records) {
    for (RecordedStep part : records) {
      String name = part.getName();
      recorded.put(name, part);
      if (!part.getOverlapped() && !asked.contains(name)) {
        leftOver.computeIfAbsent(scope(name), any -> new LinkedHashSet<>()).add(name);
      }
    }
  }

  /** The prefix of the names of a scope. */
  private static String scope(String name) {
    return name.substring(0, name.lastIndexOf('/') + 1);
  }

  /**
   * Notes that the code asks for a name. Returns false if this execution has asked for it before.
   */
  boolean ask(String name) {
    lock.lock();
    try {
      Set<String> ofScope = leftOver.get(scope(name));
      if (ofScope != null) {
        ofScope.remove(name);
      }
      return asked.add(name);
    } finally {
      lock.unlock();
    }
  }

  /** The record of this name, with its output. */
  Optional<RecordedStep> find(String name) {
    lock.lock();
    try {
      while (!recorded.containsKey(name) && !open.containsKey(name) && !nextPage.isEmpty()) {
        ListRecordsResponse page = reports.page(nextPage);
        add(page.getRecordedList());
        nextPage = page.getNextPageToken();
      }
      return Optional.ofNullable(recorded.get(name));
    } finally {
      lock.unlock();
    }
  }

  /** The part of this name, if it has no output. */
  Optional<OpenPart> findOpen(String name) {
    return Optional.ofNullable(open.get(name));
  }

  /**
   * The sequential records of earlier executions that the code has not asked for, in their order.
   *
   * @param prefix of the scope
   */
  List<String> leftOver(String prefix) {
    lock.lock();
    try {
      return List.copyOf(leftOver.getOrDefault(prefix, Set.of()));
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #leftOver(String)}, of all scopes. */
  List<String> leftOver() {
    lock.lock();
    try {
      return leftOver.values().stream().flatMap(Set::stream).toList();
    } finally {
      lock.unlock();
    }
  }
}
