package dev.hapax.client.grpc;

import dev.hapax.client.Operation;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * How one method is idempotent.
 *
 * @param operation empty = the full method name
 * @param options the options of its operations
 */
record MethodRule(String operation, boolean keyRequired, UnaryOperator<Operation> options) {

  /**
   * Reads an annotation.
   *
   * @throws IllegalArgumentException if a value is outside its limits
   */
  static MethodRule of(Idempotent annotation) {
    MethodRule rule =
        new MethodRule(
            annotation.operation(),
            annotation.keyRequired(),
            operation -> annotated(operation, annotation));
    Operation unused = rule.operation("any method", "any key");
    return rule;
  }

  private static Operation annotated(Operation operation, Idempotent annotation) {
    Operation changed = operation.onStale(annotation.onStale());
    if (annotation.accountChanging()) {
      changed = changed.accountChanging();
    }
    if (annotation.failOpen()) {
      changed = changed.failOpen();
    }
    if (annotation.leaseMillis() != 0) {
      changed = changed.lease(Duration.ofMillis(annotation.leaseMillis()));
    }
    if (annotation.ttlMillis() != 0) {
      changed = changed.ttl(Duration.ofMillis(annotation.ttlMillis()));
    }
    if (annotation.maxWaitMillis() != 0) {
      changed = changed.wait(Duration.ofMillis(annotation.maxWaitMillis()));
    }
    return changed;
  }

  Operation operation(String method, String key) {
    return options.apply(Operation.of(operation.isEmpty() ? method : operation, key));
  }
}
