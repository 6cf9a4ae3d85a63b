/** How fast the software GPU executes. */
@NullMarked
package dev.reprise.benchmarks.softgpu;

import org.jspecify.annotations.NullMarked;
