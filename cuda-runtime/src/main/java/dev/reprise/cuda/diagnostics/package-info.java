/** What the runtime reports about its objects: which are alive, which leaked, what failed late. */
@NullMarked
package dev.reprise.cuda.diagnostics;

import org.jspecify.annotations.NullMarked;
