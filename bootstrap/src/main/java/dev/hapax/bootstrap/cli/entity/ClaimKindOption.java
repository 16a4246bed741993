package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.v1.ClaimKind;
import picocli.CommandLine.ITypeConverter;

/** The kinds of claims, as typed and printed. */
enum ClaimKindOption {
  ENTITY_CLAIMED(ClaimKind.CLAIM_KIND_ENTITY_CLAIMED),
  ENTITY_RECOVERING(ClaimKind.CLAIM_KIND_ENTITY_RECOVERING),
  OPERATION_INDETERMINATE(ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE),
  RUN_FAILED(ClaimKind.CLAIM_KIND_RUN_FAILED),
  RUN_PAUSED(ClaimKind.CLAIM_KIND_RUN_PAUSED),
  RUN_AWAITING(ClaimKind.CLAIM_KIND_RUN_AWAITING);

  private final ClaimKind wire;

  ClaimKindOption(ClaimKind wire) {
    this.wire = wire;
  }

  ClaimKind wire() {
    return wire;
  }

  /** Returns the kind as typed; a kind of a newer server keeps its name in the API. */
  static String text(ClaimKind wire) {
    for (var kind : values()) {
      if (kind.wire == wire) {
        return kind.name();
      }
    }
    return wire.name();
  }

  /** Parses the name as typed or as printed by {@code --json}. */
  static final class Converter implements ITypeConverter<ClaimKindOption> {
    @Override
    public ClaimKindOption convert(String text) {
      return EnumOption.parse(ClaimKindOption.class, "CLAIM_KIND_", text);
    }
  }
}
