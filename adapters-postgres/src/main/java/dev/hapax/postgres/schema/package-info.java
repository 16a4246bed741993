/** Migrations, the generated tables, and the secret of an installation. */
@NullMarked
package dev.hapax.postgres.schema;

import org.jspecify.annotations.NullMarked;
