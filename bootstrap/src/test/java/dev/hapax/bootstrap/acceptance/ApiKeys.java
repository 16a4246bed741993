package dev.hapax.bootstrap.acceptance;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.postgres.security.ApiKeyTable;
import dev.hapax.testkit.postgres.TestDatabase;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The API keys in a database, as {@code hapax key} would write them. */
record ApiKeys(TestDatabase database) {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  ApiKey create(String principal, String grant) {
    var key = ApiKey.create(new SecureRandom()::nextInt);
    change(
        keys ->
            keys.insert(
                new StoredApiKey(
                    key.id(),
                    key.secretHash(),
                    new Principal(
                        Principal.Kind.API_KEY, principal, List.of(RoleGrant.parse(grant))),
                    keys.now(),
                    "test",
                    Optional.empty(),
                    Optional.empty())));
    return key;
  }

  void revoke(ApiKey key) {
    change(keys -> keys.revoke(key.id(), keys.now()));
  }

  private interface Change {
    void on(ApiKeyTable keys);
  }

  private void change(Change change) {
    try {
      ApiKeyTable.inTransaction(
          database.dataSource(),
          keys -> {
            change.on(keys);
            return true;
          });
    } catch (SQLException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The headers of a caller with this key. */
  static Metadata headers(ApiKey key) {
    return headers("Bearer " + key.text());
  }

  static Metadata headers(String authorization) {
    var headers = new Metadata();
    headers.put(AUTHORIZATION, authorization);
    return headers;
  }

  /** Sends this key with each call. */
  static ClientInterceptor credentials(ApiKey key) {
    return MetadataUtils.newAttachHeadersInterceptor(headers(key));
  }

  /** Sends this header with each call. */
  static ClientInterceptor credentials(String authorization) {
    return MetadataUtils.newAttachHeadersInterceptor(headers(authorization));
  }

  /** The stub of a caller with this key. */
  static <S extends AbstractStub<S>> S with(ApiKey key, S stub) {
    return stub.withInterceptors(credentials(key));
  }
}
