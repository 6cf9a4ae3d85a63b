/** Loads PTX modules and runs kernel launches. */
@NullMarked
package dev.reprise.softgpu.engine;

import org.jspecify.annotations.NullMarked;
