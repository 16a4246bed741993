package dev.hapax.client.internal.rpc;

import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseClaimResponse;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code EntityService} that this client calls. */
public final class EntityRpcs {

  public static final MethodDescriptor<BeginActionRequest, BeginActionResponse> BEGIN_ACTION =
      Rpc.of(BeginActionRequest.getDefaultInstance(), BeginActionResponse.getDefaultInstance());

  public static final MethodDescriptor<CompleteActionRequest, CompleteActionResponse>
      COMPLETE_ACTION =
          Rpc.of(
              CompleteActionRequest.getDefaultInstance(),
              CompleteActionResponse.getDefaultInstance());

  public static final MethodDescriptor<CreateEntityRequest, CreateEntityResponse> CREATE_ENTITY =
      Rpc.of(CreateEntityRequest.getDefaultInstance(), CreateEntityResponse.getDefaultInstance());

  public static final MethodDescriptor<DeleteEntityRequest, DeleteEntityResponse> DELETE_ENTITY =
      Rpc.of(DeleteEntityRequest.getDefaultInstance(), DeleteEntityResponse.getDefaultInstance());

  public static final MethodDescriptor<FailActionRequest, FailActionResponse> FAIL_ACTION =
      Rpc.of(FailActionRequest.getDefaultInstance(), FailActionResponse.getDefaultInstance());

  public static final MethodDescriptor<GetEntityRequest, GetEntityResponse> GET_ENTITY =
      Rpc.of(GetEntityRequest.getDefaultInstance(), GetEntityResponse.getDefaultInstance());

  public static final MethodDescriptor<ListEntitiesRequest, ListEntitiesResponse> LIST_ENTITIES =
      Rpc.of(ListEntitiesRequest.getDefaultInstance(), ListEntitiesResponse.getDefaultInstance());

  public static final MethodDescriptor<ListEntityEventsRequest, ListEntityEventsResponse>
      LIST_ENTITY_EVENTS =
          Rpc.of(
              ListEntityEventsRequest.getDefaultInstance(),
              ListEntityEventsResponse.getDefaultInstance());

  public static final MethodDescriptor<ReleaseClaimRequest, ReleaseClaimResponse> RELEASE_CLAIM =
      Rpc.of(ReleaseClaimRequest.getDefaultInstance(), ReleaseClaimResponse.getDefaultInstance());

  public static final MethodDescriptor<RenewActionRequest, RenewActionResponse> RENEW_ACTION =
      Rpc.of(RenewActionRequest.getDefaultInstance(), RenewActionResponse.getDefaultInstance());

  private EntityRpcs() {}
}
