/** What a call of the driver costs, by way of the bindings and of the runtime. */
@NullMarked
package dev.reprise.benchmarks.calls;

import org.jspecify.annotations.NullMarked;
