package dev.hapax.bootstrap.config;

import dev.hapax.postgres.DatabasePassword;
import java.util.Optional;

/** The user of a database, and how it authenticates. */
public record JdbcLogin(Optional<String> user, DatabasePassword password) {}
