/** Arithmetic over the lanes of a warp, and PTX's rounding, without any state. */
@NullMarked
package dev.reprise.softgpu.engine.math;

import org.jspecify.annotations.NullMarked;
