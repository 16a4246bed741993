/** What tests of every part share: time they can set, and a scheduler they drive. */
@NullMarked
package dev.hapax.testkit;

import org.jspecify.annotations.NullMarked;
