package dev.hapax.bench;

import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Role;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.postgres.security.ApiKeyTable;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** An API key of an admin, in the database of a bench. */
final class BenchKey {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private BenchKey() {}

  static ApiKey create(DataSource database) throws SQLException, IOException {
    var key = ApiKey.create(new SecureRandom()::nextInt);
    return ApiKeyTable.inTransaction(
        database,
        keys -> {
          keys.insert(
              new StoredApiKey(
                  key.id(),
                  key.secretHash(),
                  new Principal(
                      Principal.Kind.API_KEY, "bench", List.of(RoleGrant.everywhere(Role.ADMIN))),
                  keys.now(),
                  "bench",
                  Optional.empty(),
                  Optional.empty()));
          return key;
        });
  }

  /** A channel whose calls have the bearer. */
  static Channel with(String bearer, Channel channel) {
    var headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + bearer);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }
}
