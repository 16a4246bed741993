/** Migrations, the generated tables' schema and what is drawn once per installation. */
@NullMarked
package dev.hapax.postgres.schema;

import org.jspecify.annotations.NullMarked;
