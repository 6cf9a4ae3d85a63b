/** Turns the syntax tree of a kernel into a program of executable operations. */
@NullMarked
package dev.reprise.softgpu.engine.decode;

import org.jspecify.annotations.NullMarked;
