/** The rules that CUDA's documentation leaves open, and what to take them for. */
@NullMarked
package dev.reprise.softgpu.rules;

import org.jspecify.annotations.NullMarked;
