package dev.hapax.console.overview;

import dev.hapax.console.operation.OperationAddress;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.v1.Operation;
import java.util.Optional;

/**
 * What does not go on by itself, with what to do.
 *
 * @param name what it is about
 * @param href the page where an operator can act
 * @param sentence what is wrong
 * @param since empty = always, or unknown
 * @param advice what an operator can do
 */
public record Problem(
    String name, String href, String sentence, Optional<DisplayTime> since, String advice) {

  /** A problem with an operation. */
  static Problem of(Operation operation, String sentence, DisplayTime since, String advice) {
    var account = operation.getAccount().isEmpty() ? "" : " of account " + operation.getAccount();
    return new Problem(
        "operation " + operation.getOperation() + " " + operation.getRequestId() + account,
        OperationAddress.href(operation),
        sentence,
        Optional.of(since),
        advice);
  }
}
