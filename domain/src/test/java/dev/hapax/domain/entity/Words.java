package dev.hapax.domain.entity;

/** Maps the outcome of a command to one word. */
final class Words {
  private Words() {}

  static String of(Object outcome) {
    return switch (outcome) {
      case BeginActionOutcome begin -> of(begin);
      case CompleteActionOutcome.Completed(_, _, var already) -> already ? "already" : "completed";
      case CompleteActionOutcome.Changing _ -> "changing";
      case FailActionOutcome.Failed(_, var already) -> already ? "already" : "failed";
      case RenewActionOutcome.Renewed _ -> "renewed";
      case ReleaseClaimOutcome.Released(_, _, var already) -> already ? "already" : "released";
      case ReleaseClaimOutcome.NotClaimed _ -> "unclaimed";
      case DeleteEntityOutcome.Deleted(var already) -> already ? "already" : "deleted";
      case DeleteEntityOutcome.Absent _ -> "absent";
      case DeleteEntityOutcome.Claimed _ -> "claimed";
      case DeleteEntityOutcome.Moved _ -> "moved";
      case RevertExpiredClaimOutcome.Reverted _ -> "reverted";
      case RevertExpiredClaimOutcome.Left _, BeginRecoveryOutcome.Left _ -> "left";
      case BeginRecoveryOutcome.Claimed _ -> "recovering";
      case CompleteRecoveryOutcome.Recovered(_, _, var already) ->
          already ? "already" : "recovered";
      case ActionClaimLost _ -> "lost";
      default -> throw new IllegalArgumentException("" + outcome);
    };
  }

  private static String of(BeginActionOutcome outcome) {
    return switch (outcome) {
      case BeginActionOutcome.Granted granted -> granted.reentrant() ? "reentered" : "granted";
      case BeginActionOutcome.ClaimFailed _ -> "busy";
      case BeginActionOutcome.WrongStatus _ -> "wrong";
      case BeginActionOutcome.NotAllowed _ -> "forbidden";
      case BeginActionOutcome.NeedsRecovery _ -> "recovery";
      case BeginActionOutcome.NoLifecycle _, BeginActionOutcome.NoEntity _ -> "missing";
      case BeginActionOutcome.Moved _ -> "moved";
      case BeginActionOutcome.Changing _ -> "changing";
    };
  }
}
