package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.v1.OperationState;
import picocli.CommandLine.ITypeConverter;

/** The states of an operation, as typed and printed. */
enum OperationStateOption {
  IN_PROGRESS(OperationState.OPERATION_STATE_IN_PROGRESS),
  INDETERMINATE(OperationState.OPERATION_STATE_INDETERMINATE),
  RELEASED(OperationState.OPERATION_STATE_RELEASED),
  COMPLETED(OperationState.OPERATION_STATE_COMPLETED),
  REJECTED(OperationState.OPERATION_STATE_REJECTED);

  private final OperationState wire;

  OperationStateOption(OperationState wire) {
    this.wire = wire;
  }

  OperationState wire() {
    return wire;
  }

  /** Returns the state as typed; a state of a newer server keeps its name in the API. */
  static String text(OperationState wire) {
    for (var state : values()) {
      if (state.wire == wire) {
        return state.name();
      }
    }
    return wire.name();
  }

  /** Parses the name as typed or as printed by {@code --json}. */
  static final class Converter implements ITypeConverter<OperationStateOption> {
    @Override
    public OperationStateOption convert(String text) {
      return EnumOption.parse(OperationStateOption.class, "OPERATION_STATE_", text);
    }
  }
}
