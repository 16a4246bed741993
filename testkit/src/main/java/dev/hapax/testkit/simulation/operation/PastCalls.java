package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.operation.Operation.State;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.RememberedCalls;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The calls to one key that callers may retry, and those that the key has to remember. */
final class PastCalls {
  private final Set<Failure> failed = new HashSet<>();
  private final List<Failure> replaced = new ArrayList<>();
  private final List<String> orders = new ArrayList<>();

  private record Failure(OperationClaim claim, State aim) {}

  void failed(OperationClaim claim, State aim) {
    failed.add(new Failure(claim, aim));
  }

  /** Records that the last grant or resolution was replaced. */
  void replaced(HolderModel tenure) {
    tenure.failure().ifPresent(aim -> replaced.add(new Failure(tenure.claim(), aim)));
  }

  void resolved(String requestId) {
    orders.add(requestId);
  }

  boolean hasFailed(OperationClaim claim, State aim) {
    return failed.contains(new Failure(claim, aim));
  }

  boolean mustRememberFailure(OperationClaim claim, State aim) {
    return last(replaced, RememberedCalls.FAILURES).contains(new Failure(claim, aim));
  }

  boolean isResolvedBy(String requestId) {
    return orders.contains(requestId);
  }

  boolean mustRememberResolution(String requestId) {
    return last(orders, RememberedCalls.RESOLUTIONS).contains(requestId);
  }

  private static <T> List<T> last(List<T> all, int atMost) {
    return all.subList(Math.max(0, all.size() - atMost), all.size());
  }

  /** Clears the memory, because the record was purged. */
  void forget() {
    replaced.clear();
    orders.clear();
  }
}
