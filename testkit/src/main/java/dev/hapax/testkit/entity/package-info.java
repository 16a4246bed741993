/** In-memory reads of entities, and the contract of their deletion. */
@NullMarked
package dev.hapax.testkit.entity;

import org.jspecify.annotations.NullMarked;
