/** Hapax beside its peers: plain JDBC, DBOS and db-scheduler, on one PostgreSQL and in one run. */
@NullMarked
package dev.hapax.bench;

import org.jspecify.annotations.NullMarked;
