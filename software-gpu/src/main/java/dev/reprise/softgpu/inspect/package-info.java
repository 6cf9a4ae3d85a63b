/**
 * Looking at PTX without running it: what a text uses, and all that keeps it from being loaded
 * ({@link dev.reprise.softgpu.inspect.PtxInspection}).
 */
@NullMarked
package dev.reprise.softgpu.inspect;

import org.jspecify.annotations.NullMarked;
