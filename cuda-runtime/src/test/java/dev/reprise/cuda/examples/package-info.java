/** One program for each thing that the runtime does, listed in {@code docs/cuda-runtime.md}. */
@NullMarked
package dev.reprise.cuda.examples;

import org.jspecify.annotations.NullMarked;
