package dev.hapax.grpc.limit;

import dev.hapax.application.limit.Limits;
import dev.hapax.domain.Page;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.limit.SetLimit;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.definition.LimitFields;
import dev.hapax.v1.LimitServiceGrpc;
import dev.hapax.v1.ListLimitsRequest;
import dev.hapax.v1.ListLimitsResponse;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.SetLimitResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.util.OptionalInt;

/** LimitService: decodes, calls, encodes. */
public final class LimitGrpc implements LimitServiceGrpc.AsyncService, BindableService {
  private static final String OF_DEFINITIONS = "definitions";
  private static final String OF_STEPS = "steps";

  private final Limits limits;

  public LimitGrpc(Limits limits) {
    this.limits = limits;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return LimitServiceGrpc.bindService(this);
  }

  @Override
  public void setLimit(SetLimitRequest request, StreamObserver<SetLimitResponse> caller) {
    Unary.respond(caller, () -> limits.set(command(request)), LimitEncoding::set);
  }

  private static SetLimit command(SetLimitRequest request) {
    var rate =
        LimitFields.rate(
            "", request.getMaxStarts(), Durations.decode(request.hasPer(), request.getPer()));
    var hasNumbers = request.getMaxRunning() > 0 || rate.isPresent();
    if (request.getRemove() && hasNumbers) {
      throw new InvalidFieldException("remove", "is not allowed with max_running or max_starts");
    }
    if (!request.getRemove() && !hasNumbers) {
      throw new InvalidFieldException("max_running", "is required without max_starts or remove");
    }
    return new SetLimit(
        new LimitKey(
            FieldReader.workspace(request.getWorkspace()),
            request.getOfDefinitions(),
            request.getName(),
            request.getKey()),
        request.getMaxRunning() > 0 ? OptionalInt.of(request.getMaxRunning()) : OptionalInt.empty(),
        rate,
        CallerReader.attribution(request.getActor(), request.getReason()));
  }

  @Override
  public void listLimits(ListLimitsRequest request, StreamObserver<ListLimitsResponse> caller) {
    Unary.respond(caller, () -> query(request), limits::list, (_, page) -> page(page));
  }

  private static LimitReads.Query query(ListLimitsRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    return new LimitReads.Query(
        workspace,
        FieldReader.optional(request.getName()),
        PageTokens.position(
            request.getPageToken(),
            token ->
                new LimitKey(
                    workspace,
                    LengthPrefixedNames.name(token).equals(OF_DEFINITIONS),
                    LengthPrefixedNames.name(token),
                    token.hasRemaining() ? LengthPrefixedNames.name(token) : "")),
        Page.size(request.getPageSize()));
  }

  private static ListLimitsResponse page(Page<LimitReads.Found, LimitKey> page) {
    var response = ListLimitsResponse.newBuilder();
    page.items().forEach(found -> response.addLimits(LimitEncoding.state(found)));
    page.next().ifPresent(last -> response.setNextPageToken(token(last)));
    return response.build();
  }

  /** A name has at least one byte, so no value stands for the empty one. */
  private static String token(LimitKey last) {
    var scope = last.ofDefinitions() ? OF_DEFINITIONS : OF_STEPS;
    return PageTokens.token(
        ByteBuffer.wrap(
            last.value().isEmpty()
                ? LengthPrefixedNames.names(scope, last.name())
                : LengthPrefixedNames.names(scope, last.name(), last.value())));
  }
}
