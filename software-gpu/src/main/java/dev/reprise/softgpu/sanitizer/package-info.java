/** What the sanitizer of the software GPU finds, and how to ask for it. */
@NullMarked
package dev.reprise.softgpu.sanitizer;

import org.jspecify.annotations.NullMarked;
