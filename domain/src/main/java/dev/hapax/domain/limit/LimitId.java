package dev.hapax.domain.limit;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.ledger.RecordKey;
import java.util.UUID;

/** The hash of a limit's name and a value of its key. Its line has the same hash. */
public record LimitId(Workspace workspace, UUID hash) implements RecordKey<LimitLine> {
  /** The line of all steps, or of all definitions, that name the limit. */
  static LimitId of(LimitKey key) {
    var name = key.name();
    return new LimitId(
        key.workspace(),
        Digest.sha256(
            (key.ofDefinitions() ? "limit/definition/" : "limit/step/")
                + name.length()
                + "/"
                + name
                + "/"
                + key.value()));
  }

  LineId line() {
    return new LineId(workspace, hash);
  }

  SlotsId slots() {
    return new SlotsId(this);
  }
}
