/** The sanitizer, on programs with planted mistakes and without. */
@org.jspecify.annotations.NullMarked
package dev.reprise.softgpu.sanitizer;
