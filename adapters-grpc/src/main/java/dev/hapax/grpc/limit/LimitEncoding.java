package dev.hapax.grpc.limit;

import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.limit.LimitSetting;
import dev.hapax.domain.limit.SetLimit;
import dev.hapax.grpc.call.Durations;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.SetLimitResponse;

/** Encodes limits and what is set for them. */
final class LimitEncoding {
  private LimitEncoding() {}

  static SetLimitResponse set(SetLimit.Done done) {
    var response = SetLimitResponse.newBuilder().setAlready(done.already());
    done.setting().map(LimitEncoding::setting).ifPresent(response::setSetting);
    return response.build();
  }

  static LimitState state(LimitReads.Found found) {
    var state =
        LimitState.newBuilder()
            .setName(found.key().name())
            .setKey(found.key().value())
            .setOfDefinitions(found.key().ofDefinitions())
            .setMaxRunning(found.numbers().maxRunning().orElse(0))
            .setRunning(found.running())
            .setWaiting(found.waiting());
    found.oldest().map(Durations::encode).ifPresent(state::setOldestSince);
    found
        .numbers()
        .rate()
        .ifPresent(rate -> state.setMaxStarts(rate.starts()).setPer(Durations.encode(rate.per())));
    found.next().map(Durations::encode).ifPresent(state::setNextAt);
    found.own().map(LimitEncoding::setting).ifPresent(state::setSetting);
    return state.build();
  }

  private static dev.hapax.v1.LimitSetting setting(LimitSetting setting) {
    var message = dev.hapax.v1.LimitSetting.newBuilder();
    setting
        .rate()
        .ifPresent(
            rate -> message.setMaxStarts(rate.starts()).setPer(Durations.encode(rate.per())));
    return message
        .setMaxRunning(setting.maxRunning().orElse(0))
        .setSetAt(Durations.encode(setting.setAt()))
        .setSetBy(setting.by().actor())
        .setReason(setting.by().reason())
        .setSetByPrincipal(setting.by().principal().text())
        .build();
  }
}
