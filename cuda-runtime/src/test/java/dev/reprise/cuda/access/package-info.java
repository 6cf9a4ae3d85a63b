@NullMarked
package dev.reprise.cuda.access;

import org.jspecify.annotations.NullMarked;
