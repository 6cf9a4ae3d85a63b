@NullMarked
package dev.reprise.cuda.ownership;

import org.jspecify.annotations.NullMarked;
