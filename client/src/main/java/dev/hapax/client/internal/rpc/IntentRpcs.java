package dev.hapax.client.internal.rpc;

import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.ListIntentsResponse;
import dev.hapax.v1.NudgeIntentsRequest;
import dev.hapax.v1.NudgeIntentsResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code IntentService} that this client calls. */
public final class IntentRpcs {

  public static final MethodDescriptor<AwaitIntentRequest, AwaitIntentResponse> AWAIT_INTENT =
      Rpc.of(AwaitIntentRequest.getDefaultInstance(), AwaitIntentResponse.getDefaultInstance());

  public static final MethodDescriptor<ListIntentsRequest, ListIntentsResponse> LIST_INTENTS =
      Rpc.of(ListIntentsRequest.getDefaultInstance(), ListIntentsResponse.getDefaultInstance());

  public static final MethodDescriptor<NudgeIntentsRequest, NudgeIntentsResponse> NUDGE_INTENTS =
      Rpc.of(NudgeIntentsRequest.getDefaultInstance(), NudgeIntentsResponse.getDefaultInstance());

  private IntentRpcs() {}
}
