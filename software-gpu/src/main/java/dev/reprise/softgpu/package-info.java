@NullMarked
package dev.reprise.softgpu;

import org.jspecify.annotations.NullMarked;
