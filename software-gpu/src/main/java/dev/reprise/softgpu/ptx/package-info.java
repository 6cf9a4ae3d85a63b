/** PTX text to syntax tree, after the PTX ISA 9.0 manual. */
@NullMarked
package dev.reprise.softgpu.ptx;

import org.jspecify.annotations.NullMarked;
