package dev.hapax.console.hook;

import dev.hapax.console.run.RunVerb;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.WaitingRun;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The runs that wait for a token, in their order.
 *
 * @param more how many runs wait behind those of {@code places}, if the token has an owner
 * @param cancels whether the visitor may cancel them
 */
public record HookLine(List<Place> places, int more, boolean cancels) {
  /**
   * A run that waits for the token.
   *
   * @param number 1 = the first in line
   */
  public record Place(int number, String run, String href, DisplayTime since) {
    public String cancelHref() {
      return href + "/" + RunVerb.CANCEL.word();
    }
  }

  static HookLine of(GetHookResponse token, Visit visit) {
    var places =
        IntStream.range(0, token.getWaitingCount())
            .mapToObj(index -> place(index + 1, token.getWaiting(index), visit))
            .toList();
    return new HookLine(
        places,
        Math.max(0, token.getHook().getWaiting() - places.size()),
        visit.may(ConsolePermission.OPERATE));
  }

  private static Place place(int number, WaitingRun waiting, Visit visit) {
    return new Place(
        number,
        waiting.getRunId(),
        Address.ofRun(visit.workspace(), waiting.getRunId()).href(),
        DisplayTime.of(waiting.getSince(), visit.now()));
  }
}
