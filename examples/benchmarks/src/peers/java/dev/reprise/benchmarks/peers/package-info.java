/** The same calls of the driver through other bindings. Built by the profile {@code peers}. */
@NullMarked
package dev.reprise.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
