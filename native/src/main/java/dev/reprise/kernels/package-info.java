@NullMarked
package dev.reprise.kernels;

import org.jspecify.annotations.NullMarked;
