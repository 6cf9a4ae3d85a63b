/** Device memory of the software GPU: made-up addresses backed by native memory. */
@NullMarked
package dev.reprise.softgpu.memory;

import org.jspecify.annotations.NullMarked;
