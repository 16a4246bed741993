/**
 * Modules that act on billings and invoices: each action runs once at a time,
 * however many callers request it and whichever process dies. The lifecycles are in {@code examples/lifecycles}, the tables in {@code
 * examples/sql/billing.sql}. Those of {@link TransactionalPayments} are in the database of Hapax,
 * the others can be in any.
 */
@NullMarked
package dev.hapax.examples.billing;

import org.jspecify.annotations.NullMarked;
